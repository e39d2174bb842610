"""The problems of an experiment file, collected with their lines."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from thresher.collections.catalogue_records import CATALOGUE_PREFIX
from thresher.errors import ConfigError, ConfigErrors
from thresher.experiments.locations import CatalogueId, Location, locate, unset_variables
from thresher.experiments.toml_lines import line_of

KeyPath = tuple[str | int, ...]

Parsed = TypeVar("Parsed")


class Problems:
    """Collects problems with the lines they are on."""

    def __init__(self, path: Path, lines: dict[KeyPath, int]) -> None:
        self._path, self._lines = path, lines
        self._found: list[ConfigError] = []

    def __bool__(self) -> bool:
        return bool(self._found)

    def add(self, what: str, fix: str, path: KeyPath) -> None:
        """Note a problem with the key at `path`."""
        self._found.append(ConfigError(what, fix, self._where(path)))

    def error(self) -> ConfigErrors:
        """Return all problems as one error, by line."""
        return ConfigErrors(sorted(self._found, key=lambda problem: _line(problem.where)))

    def parse(self, function: Callable[[], Parsed], path: KeyPath) -> Parsed | None:
        """Call `function`; an error it raises becomes a problem at `path`."""
        try:
            return function()
        except ConfigError as error:
            self.add(error.what, error.fix, path)
            return None

    def parse_each(self, items: Sequence[str], parse: Callable[[str], Parsed], path: KeyPath) -> list[Parsed]:
        """Return what `parse` makes of the items; those it refuses are problems and left out."""
        parsed = [self.parse(lambda item=item: parse(item), path) for item in items]  # type: ignore[misc]
        return [item for item in parsed if item is not None]

    def check_list(self, what: str, names: Sequence[str], path: KeyPath) -> None:
        """Check that a list of names is not empty, if not for problems already noted there, and names nothing twice."""
        if not names and not any(problem.where == self._where(path) for problem in self._found):
            self.add(f"there is no {what}", "list at least one", path)
        for double in sorted({name for name in names if names.count(name) > 1}):
            self.add(f"the {what} {double!r} is listed twice", "list it once", path)

    def location(self, value: str | None, path: KeyPath, must_exist: bool = True) -> Location:
        """Return what the value of the key at `path` stands for (see `locate`); None, an earlier problem, is no new one."""
        if value is None:
            return Path()
        missing = unset_variables(value)
        for name in missing:
            self.add(f"the environment variable {name} is not set", f"set {name} to the folder it stands for", path)
        found = locate(value, self._path.parent)
        if isinstance(found, CatalogueId):
            if not found.id:
                self.add(
                    f"{CATALOGUE_PREFIX!r} has no id behind it", f"write one, such as {CATALOGUE_PREFIX}vaswani", path
                )
        elif must_exist and not missing and not os.path.exists(found):  # noqa: PTH110, since a name too long raises there
            self.add(f"there is no {found}", "correct the path, which is relative to the experiment file", path)
        return found

    def _where(self, path: KeyPath) -> str:
        line = line_of(self._lines, path)
        return f"{self._path}:{line}" if line else str(self._path)


def _line(where: str | None) -> int:
    number = (where or "").rpartition(":")[2]
    return int(number) if number.isdigit() else 0

"""The problems of an experiment file, all of them, each with its line: `tomllib` gives values without their lines."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING
from difflib import get_close_matches
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from thresher.errors import ConfigError, ConfigErrors
from thresher.experiments.schema import Document, Key, tables

if TYPE_CHECKING:
    from pydantic import TypeAdapter
    from pydantic_core import ErrorDetails

KeyPath = tuple[str | int, ...]
_PART = r"""(?:[A-Za-z0-9_-]+|"(?:\\.|[^"\\])*"|'[^']*')"""
_DOTTED = rf"{_PART}(?:[ \t]*\.[ \t]*{_PART})*"
_TABLE = re.compile(rf"[ \t]*\[(?P<array>\[)?[ \t]*(?P<name>{_DOTTED})[ \t]*\]")
_KEY = re.compile(rf"[ \t]*(?P<name>{_DOTTED})[ \t]*=")
_STRING = re.compile(r"""\"\"\"(?:\\.|[^\\])*?\"{3,5}|'''.*?'{3,5}|"(?:\\.|[^"\\\n])*"|'[^'\n]*'|\#[^\n]*""", re.DOTALL)
_INSIDE = "\0"
Item = TypeVar("Item")
Parsed = TypeVar("Parsed")


def key_lines(text: str) -> dict[KeyPath, int]:
    """Return the line, from 1, of every table and key of a valid TOML text, by its path such as `("sweep", 0, "scorer")`.

    Keys inside inline tables and items of arrays are on their key's line. A table that is
    only named as a part of others, such as `a` in `[a.b]`, is on the first line that names it.
    """
    lines: dict[KeyPath, int] = {}
    counts: dict[KeyPath, int] = {}
    table: KeyPath = ()
    depth = 0
    # Strings and comments are blanked, line feeds kept, so that brackets in them do not count. Other line separators of
    # Unicode end no line of TOML.
    bare = _STRING.sub(_blank, text)
    for number, (line, original) in enumerate(zip(bare.split("\n"), text.split("\n"), strict=True), 1):
        if depth == 0 and not line.startswith(_INSIDE):
            if header := _TABLE.match(original):
                table = _table(_parts(header["name"]), header["array"] is not None, counts)
                _note(lines, (), table, number)
                continue
            if key := _KEY.match(original):
                _note(lines, table, _parts(key["name"]), number)
        depth += sum(line.count(mark) for mark in "[{") - sum(line.count(mark) for mark in "]}")
    return lines


def line_of(lines: Mapping[KeyPath, int], path: KeyPath) -> int | None:
    """Return the line of `path`, or of the nearest thing that holds it."""
    while path:
        if path in lines:
            return lines[path]
        path = path[:-1]
    return None


def _note(lines: dict[KeyPath, int], above: KeyPath, path: KeyPath, number: int) -> None:
    for end in range(1, len(path)):
        lines.setdefault((*above, *path[:end]), number)
    lines[(*above, *path)] = number


def _table(parts: tuple[str, ...], is_array: bool, counts: dict[KeyPath, int]) -> KeyPath:
    """Return the path of a header: under an array of tables, its latest table is meant."""
    path: KeyPath = ()
    for part in parts[:-1]:
        path = (*path, part)
        if path in counts:
            path = (*path, counts[path])
    path = (*path, parts[-1])
    if is_array:
        counts[path] = counts.get(path, -1) + 1
        path = (*path, counts[path])
    return path


def _parts(dotted: str) -> tuple[str, ...]:
    value = tomllib.loads(f"{dotted} = 0")
    parts: tuple[str, ...] = ()
    while isinstance(value, dict):
        ((part, value),) = value.items()
        parts = (*parts, part)
    return parts


def _blank(match: re.Match[str]) -> str:
    # The first character differs, to tell a line that begins inside a string from one that begins with a string.
    return " " + "".join(character if character == "\n" else _INSIDE for character in match.group()[1:])


class Problems:
    """Collects problems with the lines they are on; `source` says where to get the files that an experiment needs."""

    def __init__(self, path: Path, lines: Mapping[KeyPath, int]) -> None:
        self._path, self._lines = path, lines
        self.source = ""
        self._problems: list[tuple[int, ConfigError]] = []

    def add(self, what: str, fix: str, path: KeyPath) -> None:
        """Note a problem with the key at `path`."""
        line = line_of(self._lines, path)
        where = f"{self._path}:{line}" if line else str(self._path)
        self._problems.append((line or 0, ConfigError(what, fix, where)))

    def error(self) -> ConfigErrors:
        """Return all problems as one error, by line."""
        return ConfigErrors([problem for _, problem in sorted(self._problems, key=lambda problem: problem[0])])

    def check(self) -> None:
        """Raise all problems, if there are any."""
        if self._problems:
            raise self.error()

    def parse(self, items: Iterable[Item], parse: Callable[[Item], Parsed], path: KeyPath) -> list[Parsed]:
        """Return what `parse` makes of the items; those it refuses are problems and left out."""
        parsed = []
        for item in items:
            try:
                parsed.append(parse(item))
            except ConfigError as error:
                self.add(error.what, error.fix, path)
        return parsed

    def parse_list(
        self, what: str, items: Sequence[str], parse: Callable[[str], Parsed], path: KeyPath
    ) -> list[Parsed]:
        """Do as `parse` with a list that must not be empty, nor name anything twice."""
        if not items:
            self.add(f"there is no {what}", "list at least one", path)
        parsed = self.parse(items, parse, path)
        names = [str(item) for item in parsed]
        for double in sorted({name for name in names if names.count(name) > 1}):
            self.add(f"the {what} {double!r} is listed twice", "list it once", path)
        return parsed


def read_document(values: Mapping[str, Any], problems: Problems) -> Document:
    """Check a parsed TOML file against its declaration, and return its tables.

    Raises:
        ConfigErrors: all tables and keys that are missing, unknown or of a wrong value; what the others mean is looked at when
            these are right.
    """
    from pydantic import ValidationError

    try:
        return _adapter().validate_python(_frozen(values))
    except ValidationError as error:
        details = error.errors(include_url=False, include_context=False)
    for path, group in groupby(details, lambda item: item["loc"][: 3 if item["loc"][0] == "sweep" else 2]):
        problems.add(*_explained(path, list(group)))
    raise problems.error()


def _explained(path: KeyPath, errors: Sequence[ErrorDetails]) -> tuple[str, str, KeyPath]:
    """Return what is wrong with a table or key, the fix, and the path to show it at."""
    first, name = errors[0], str(path[0])
    table = tables().get(name)
    if table is None:
        return f"unknown table [{name}]", _suggested(name, tables()), path
    if first["type"] == "missing" and len(path) == 1:
        required = [inner for inner, key in table.keys.items() if key.default is MISSING]
        return f"the table [{name}] is missing", f"add [{name}] with {', '.join(required)}", ()
    if len(path) <= 1 + table.many:
        if table.many:
            return f"[{name}] is not an array of tables", f"write [[{name}]]", path[:1]
        return f"{name!r} is not a table", f"write [{name}]", path
    inner = str(path[-1])
    if inner not in table.keys:
        return f"unknown key {inner!r} in [{name}]", _suggested(inner, table.keys), path
    key = table.keys[inner]
    if first["type"] == "missing":
        return f"[{name}] has no {inner!r}", f"add {inner}: {key.meaning}", path[:-1]
    if any(isinstance(error["loc"][-1], int) for error in errors):
        return f"an item of {inner!r} is not a text", f"give a list of {key.meaning}", path
    return *_misfit(inner, key, first["input"]), path


def _misfit(name: str, key: Key, value: Any) -> tuple[str, str]:
    kind = list if isinstance(value, tuple) else type(value)
    if kind not in key.kinds:
        wanted = " or ".join(_KINDS[kind] for kind in key.kinds)
        return f"{name!r} is {_KINDS.get(kind, kind.__name__)}", f"give {wanted}: {key.meaning}"
    if key.bounds:
        bound = f"at most {key.bounds.high:g}" if value > key.bounds.high else f"at least {key.bounds.low:g}"
        if key.bounds.open:
            bound = f"more than {key.bounds.low:g} and less than {key.bounds.high:g}"
        return f"{name!r} is out of range: {value!r:.20}", f"choose a value of {bound}"
    return f"{name!r} cannot be {value!r}", f"use one of {', '.join(filter(None, key.choices))}"


_KINDS: Mapping[type, str] = {
    str: "a text",
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    list: "a list",
    dict: "a table",
}


def _suggested(name: str, known: Iterable[str]) -> str:
    close = get_close_matches(name, known := list(known), 1)
    return f"write {close[0]!r}" if close else f"use one of {', '.join(known)}"


def _frozen(value: Any) -> Any:
    """Return a parsed file with tuples instead of lists."""
    if isinstance(value, Mapping):
        return {key: _frozen(item) for key, item in value.items()}
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


@cache
def _adapter() -> TypeAdapter[Document]:
    from pydantic import TypeAdapter

    return TypeAdapter(Document)

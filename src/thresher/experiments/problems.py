"""The problems of an experiment file, all of them, each with its line: `tomllib` gives values without their lines."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING
from difflib import get_close_matches
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from thresher.base import removed
from thresher.base.errors import ConfigError, ConfigErrors
from thresher.base.records import adapter_of
from thresher.experiments.schema import Document, Key, tables

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

KeyPath = tuple[str | int, ...]
# Text over several lines, in which nothing is a table or key.
_TEXT = re.compile(r"""\"{3}(?:\\.|[^\\])*?\"{3}|'{3}.*?'{3}""", re.DOTALL)
_TABLE = re.compile(r"[ \t]*\[(\[)?[ \t]*([\w-]+)[ \t]*(?:\.[ \t]*([\w-]+)[ \t]*)?\]")
_KEY = re.compile(r"""[ \t]*(["']?)([\w-]+)\1[ \t]*(?:\.[ \t]*([\w-]+)[ \t]*)?=""")
Item = TypeVar("Item")
Parsed = TypeVar("Parsed")


def key_lines(text: str) -> dict[KeyPath, int]:
    """Return the line, from 1, of every table and key of an experiment file, by its path such as `("sweep", 0, "scorer")`."""
    lines: dict[KeyPath, int] = {}
    arrays: Counter[str] = Counter()
    table: KeyPath = ()
    bare = _TEXT.sub(lambda match: "\n" * match[0].count("\n"), text)
    for number, line in enumerate(bare.split("\n"), 1):
        path: KeyPath = ()
        if header := _TABLE.match(line):
            is_array, name, inner = header.groups()
            arrays[name] += bool(is_array)
            path = table = (name, *([arrays[name] - 1] if arrays[name] else []), *([inner] if inner else []))
        elif key := _KEY.match(line):
            path = (*table, *filter(None, key.groups()[1:]))
        for end in range(1, len(path) + 1):
            lines.setdefault(path[:end], number)
    return lines


def line_of(lines: Mapping[KeyPath, int], path: KeyPath) -> int | None:
    """Return the line of `path`, or of the nearest thing that holds it."""
    return next((lines[path[:end]] for end in range(len(path), 0, -1) if path[:end] in lines), None)


class Problems:
    """Collects problems with the lines they are on."""

    def __init__(self, path: Path, lines: Mapping[KeyPath, int]) -> None:
        self._path, self._lines = path, lines
        self._problems: list[tuple[int, ConfigError]] = []
        # Keys, and arrays of tables, that are read as if they were not there: what follows from that is no problem.
        self.left_out: list[KeyPath] = []

    def add(self, what: str, fix: str, path: KeyPath) -> None:
        """Note a problem with the key at `path`."""
        if path and any(key[: len(path)] == path[: len(key)] for key in self.left_out):
            return
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

    def parse_list(self, what: str, items: Sequence[str], parse: Callable[[str], Parsed], at: KeyPath) -> list[Parsed]:
        """Do as `parse` with a list that must not be empty, nor name anything twice."""
        if not items:
            self.add(f"there is no {what}", "list at least one", at)
        parsed = self.parse(items, parse, at)
        names = [str(item) for item in parsed]
        for double in sorted({name for name in names if names.count(name) > 1}):
            self.add(f"the {what} {double!r} is listed twice", "list it once", at)
        return parsed


def read_document(values: Mapping[str, Any], problems: Problems) -> Document:
    """Check a parsed TOML file against its declaration, and return its tables.

    Keys that do not fit are problems, and left out, so that others are found with them.
    """
    from pydantic import ValidationError

    read: Callable[[Any], Document] = adapter_of(Document).validate_python
    try:
        return read(_frozen(values))
    except ValidationError as error:
        details = error.errors(include_url=False, include_context=False)
    many = {name for name, table in tables().items() if table.many}
    left_out: list[KeyPath] = []
    for path, group in groupby(details, lambda item: item["loc"][: 3 if item["loc"][0] in many else 2]):
        problems.add(*_explained(path, list(group)))
        left_out.append(path[:1] if path[0] in many else path)
    problems.left_out = left_out
    try:
        return read(_frozen(values, left_out))
    except ValidationError:
        raise problems.error() from None


def _explained(path: KeyPath, errors: Sequence[ErrorDetails]) -> tuple[str, str, KeyPath]:
    """Return what is wrong with a table or key, the fix, and the path to show it at."""
    first, name = errors[0], str(path[0])
    table = tables().get(name)
    if table is None:
        if name in removed.KEYS:
            return removed.removed_text(f"the table [{name}]"), removed.KEYS[name], path
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
        if f"{name}.{inner}" in removed.KEYS:
            return removed.removed_text(f"the key {inner!r} of [{name}]"), removed.KEYS[f"{name}.{inner}"], path
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


def _frozen(value: Any, left_out: Sequence[KeyPath] = (), at: KeyPath = ()) -> Any:
    if isinstance(value, Mapping):
        return {key: _frozen(item, left_out, (*at, key)) for key, item in value.items() if (*at, key) not in left_out}
    if not isinstance(value, list):
        return value
    return tuple(_frozen(item, left_out, (*at, number)) for number, item in enumerate(value))

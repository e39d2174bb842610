"""The problems of an experiment file, all of them, each with its line: `tomllib` gives values without their lines."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from thresher.base import removed
from thresher.base.errors import ConfigError, ConfigErrors
from thresher.base.records import adapter_of
from thresher.experiments.schema import Document, Key, tables

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

KeyPath = tuple[str | int, ...]
# A text over several lines, which declares no table and no key.
_TEXT = re.compile(r"""\"{3}(?:\\.|[^\\])*?\"{3}|'{3}.*?'{3}""", re.DOTALL)
_TABLE = re.compile(r"[ \t]*\[(\[)?[ \t]*([\w-]+)[ \t]*(?:\.[ \t]*([\w-]+)[ \t]*)?\]")
_KEY = re.compile(r"""[ \t]*(["']?)([\w-]+)\1[ \t]*(?:\.[ \t]*([\w-]+)[ \t]*)?=""")
Item = TypeVar("Item")
Parsed = TypeVar("Parsed")


_KINDS: Mapping[type, str] = {
    str: "a text",
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    list: "a list",
    dict: "a table",
}
"""The words for a type of TOML values."""


def key_lines(text: str) -> dict[KeyPath, int]:
    """Return the line, from 1, of every table and key of an experiment file, by its path such as `("sweep", 0, "scorer")`."""
    lines: dict[KeyPath, int] = {}
    sizes: Counter[str] = Counter()  # of arrays of tables
    table: KeyPath = ()
    without_texts = _TEXT.sub(lambda match: "\n" * match[0].count("\n"), text)
    for number, line in enumerate(without_texts.split("\n"), 1):
        path: KeyPath = ()
        if header := _TABLE.match(line):
            path = table = _header_path(header, sizes)
        elif key := _KEY.match(line):
            path = (*table, key[2])
            if key[3]:
                path = (*path, key[3])
        for end in range(1, len(path) + 1):
            lines.setdefault(path[:end], number)
    return lines


def _header_path(header: re.Match[str], sizes: Counter[str]) -> KeyPath:
    """Return the path of a table's header, and count the tables of arrays."""
    is_array, name, inner_name = header.groups()
    if is_array:
        sizes[name] += 1
    path: KeyPath = (name,)
    if sizes[name]:
        path = (*path, sizes[name] - 1)
    if inner_name:
        path = (*path, inner_name)
    return path


def line_of(lines: Mapping[KeyPath, int], path: KeyPath) -> int | None:
    """Return the line of `path`, or of the nearest table around it; None if there is none."""
    for end in range(len(path), 0, -1):
        if path[:end] in lines:
            return lines[path[:end]]
    return None


class _LocatedError(NamedTuple):
    """An error, and its line in the file; 0 if it has none."""

    line: int
    error: ConfigError


class Problems:
    """Collects the problems of a file with their lines."""

    def __init__(self, path: Path, lines: Mapping[KeyPath, int]) -> None:
        self._path = path
        self._lines = lines
        self._problems: list[_LocatedError] = []
        self.left_out: list[KeyPath] = []
        """Keys and arrays of tables that are read as if they were missing; problems that follow from their absence do
        not count.
        """

    def add(self, what: str, fix: str, path: KeyPath) -> None:
        """Note a problem with the key at `path`."""
        for missing in self.left_out:
            shared = min(len(path), len(missing))
            is_within_other = path[:shared] == missing[:shared]
            if path and is_within_other:
                return
        line = line_of(self._lines, path)
        where = str(self._path)
        if line:
            where += f":{line}"
        self._problems.append(_LocatedError(line or 0, ConfigError(what, fix, where)))

    def error(self) -> ConfigErrors:
        """Return all problems as one error, by line."""
        by_line = sorted(self._problems, key=attrgetter("line"))
        return ConfigErrors([problem.error for problem in by_line])

    def check(self) -> None:
        """Raise all problems, if there are any."""
        if self._problems:
            raise self.error()

    def parse(self, items: Iterable[Item], parse: Callable[[Item], Parsed], path: KeyPath) -> list[Parsed]:
        """Return the parsed items; an item that does not parse is a problem, and left out."""
        parsed = []
        for item in items:
            try:
                parsed.append(parse(item))
            except ConfigError as error:
                self.add(error.what, error.fix, path)
        return parsed

    def parse_list(self, what: str, items: Sequence[str], parse: Callable[[str], Parsed], at: KeyPath) -> list[Parsed]:
        """Return the parsed items of a list that must not be empty, nor have an item twice."""
        if not items:
            self.add(f"there is no {what}", "list at least one", at)
        return self.parse_distinct(what, items, parse, at)

    def parse_distinct(
        self, what: str, items: Sequence[str], parse: Callable[[str], Parsed], at: KeyPath
    ) -> list[Parsed]:
        """Return the parsed items of a list that must not have an item twice."""
        parsed = self.parse(items, parse, at)
        counts = Counter(str(item) for item in parsed)
        for name in sorted(counts):
            if counts[name] > 1:
                self.add(f"the {what} {name!r} is listed twice", "list it once", at)
        return parsed


def read_document(values: Mapping[str, Any], problems: Problems) -> Document:
    """Check a parsed TOML file against its declaration, and return its tables.

    Keys that do not fit are problems, and left out, so that further problems are found with them.

    Raises:
        ConfigErrors: if a table or key must be there and is missing or wrong.
    """
    from pydantic import ValidationError

    read: Callable[[Any], Document] = adapter_of(Document).validate_python
    try:
        return read(_frozen(values))
    except ValidationError as error:
        details = error.errors(include_url=False, include_context=False)
    left_out: list[KeyPath] = []
    for path, errors in groupby(details, _wrong_key):
        problem = _problem(path, list(errors))
        problems.add(problem.what, problem.fix, problem.path)
        if _is_array(path[0]):
            path = path[:1]
        left_out.append(path)
    problems.left_out = left_out
    try:
        return read(_frozen(values, left_out))
    except ValidationError:
        raise problems.error() from None


def _is_array(table: str | int) -> bool:
    return str(table) in tables() and tables()[str(table)].many


def _wrong_key(error: ErrorDetails) -> KeyPath:
    """Return the path of a key that does not fit, without the path within its value."""
    location = error["loc"]
    if _is_array(location[0]):
        return location[:3]
    return location[:2]


class _Problem(NamedTuple):
    """A problem of a table or key, its fix, and the path of the table or key to show it at."""

    what: str
    fix: str
    path: KeyPath


def _problem(path: KeyPath, errors: Sequence[ErrorDetails]) -> _Problem:
    """Return the problem of a table or key, and the path to show it at."""
    name = str(path[0])
    if name not in tables():
        return _unknown(f"the table [{name}]", f"unknown table [{name}]", name, list(tables()), path)
    table = tables()[name]
    is_missing = errors[0]["type"] == "missing"
    if is_missing and len(path) == 1:
        return _Problem(f"the table [{name}] is missing", f"add [{name}] with {', '.join(table.required_keys)}", ())
    if table.many and len(path) <= 2:
        return _Problem(f"[{name}] is not an array of tables", f"write [[{name}]]", path[:1])
    if not table.many and len(path) <= 1:
        return _Problem(f"{name!r} is not a table", f"write [{name}]", path)
    key = str(path[-1])
    if key not in table.keys:
        removed_name = f"the key {key!r} of [{name}]"
        what = f"unknown key {key!r} in [{name}]"
        return _unknown(removed_name, what, f"{name}.{key}", list(table.keys), path)
    declared = table.keys[key]
    if is_missing:
        return _Problem(f"[{name}] has no {key!r}", f"add {key}: {declared.meaning}", path[:-1])
    if any(isinstance(error["loc"][-1], int) for error in errors):
        return _Problem(f"an item of {key!r} is not a text", f"give a list of {declared.meaning}", path)
    if declared.kinds == (dict,) and len(errors[0]["loc"]) > len(path):
        return _Problem(f"an item of {key!r} is not a text", f"give texts: {declared.meaning}", path)
    return _misfit(path, declared, errors[0]["input"])


def _unknown(removed_name: str, what: str, key: str, names: Sequence[str], path: KeyPath) -> _Problem:
    """Return the problem of an unknown table or key, which version 0.2 may have had.

    Args:
        removed_name: its name in the statement that it was removed.
        what: the statement that it is unknown.
        key: its name among the removed ones.
        names: the names to choose from.
        path: where it is.
    """
    if key in removed.KEYS:
        return _Problem(removed.removed_text(removed_name), removed.KEYS[key], path)
    similar = get_close_matches(str(path[-1]), names, 1)
    fix = f"use one of {', '.join(names)}"
    if similar:
        fix = f"write {similar[0]!r}"
    return _Problem(what, fix, path)


def _misfit(path: KeyPath, key: Key, value: Any) -> _Problem:
    """Return the problem of a value of the wrong type, or out of the allowed values."""
    name = str(path[-1])
    kind = list if isinstance(value, tuple) else type(value)
    if kind not in key.kinds:
        allowed_kinds = " or ".join(_KINDS[allowed_kind] for allowed_kind in key.kinds)
        what = f"{name!r} is {_KINDS.get(kind, kind.__name__)}"
        return _Problem(what, f"give {allowed_kinds}: {key.meaning}", path)
    if key.bounds is None:
        choices = ", ".join(filter(None, key.choices))
        return _Problem(f"{name!r} cannot be {value!r}", f"use one of {choices}", path)
    if key.bounds.open:
        bound = f"more than {key.bounds.low:g} and less than {key.bounds.high:g}"
    elif value > key.bounds.high:
        bound = f"at most {key.bounds.high:g}"
    else:
        bound = f"at least {key.bounds.low:g}"
    return _Problem(f"{name!r} is out of range: {value!r:.20}", f"choose a value of {bound}", path)


def _frozen(value: Any, left_out: Sequence[KeyPath] = (), path: KeyPath = ()) -> Any:
    """Return a value with tuples in place of lists, without the keys to leave out."""
    if isinstance(value, Mapping):
        table = {}
        for key, member in value.items():
            if (*path, key) not in left_out:
                table[key] = _frozen(member, left_out, (*path, key))
        return table
    if isinstance(value, list):
        members: list[Any] = []
        for number, member in enumerate(value):
            members.append(_frozen(member, left_out, (*path, number)))
        return tuple(members)
    return value

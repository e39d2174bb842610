"""Where a key of a TOML file stands: `tomllib` gives values without their lines."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping

KeyPath = tuple[str | int, ...]

_PART = r"""(?:[A-Za-z0-9_-]+|"(?:\\.|[^"\\])*"|'[^']*')"""
_DOTTED = rf"{_PART}(?:[ \t]*\.[ \t]*{_PART})*"
_TABLE = re.compile(rf"[ \t]*\[(?P<array>\[)?[ \t]*(?P<name>{_DOTTED})[ \t]*\]")
_KEY = re.compile(rf"[ \t]*(?P<name>{_DOTTED})[ \t]*=")
_STRING = re.compile(r"""\"\"\"(?:\\.|[^\\])*?\"{3,5}|'''.*?'{3,5}|"(?:\\.|[^"\\\n])*"|'[^'\n]*'|\#[^\n]*""", re.DOTALL)
_INSIDE = "\0"


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

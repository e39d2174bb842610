"""Where a key of a TOML file stands: `tomllib` gives values without their lines."""

from __future__ import annotations

import re

Path = tuple[str | int, ...]

_TABLE = re.compile(r"\s*\[(?P<array>\[)?\s*(?P<name>[^\[\]]+?)\s*\]")
_KEY = re.compile(r"""\s*(?P<key>[A-Za-z0-9_-]+|"[^"]*"|'[^']*')\s*(?:=|\.)""")
_STRING = re.compile(r"""\"\"\".*?\"\"\"|'''.*?'''|"(?:\\.|[^"\\\n])*"|'[^'\n]*'|\#[^\n]*""", re.DOTALL)


def key_lines(text: str) -> dict[Path, int]:
    """Return the line, from 1, of every table and key of a valid TOML text, by its path such as `("sweep", 0, "scorer")`.

    Keys inside inline tables and items of arrays have no line of their own: their key's line is theirs.
    """
    lines: dict[Path, int] = {}
    counts: dict[str, int] = {}
    table: Path = ()
    depth = 0
    # Strings and comments are blanked, line feeds kept, so that brackets in them do not count.
    bare = _STRING.sub(_blank, text)
    for number, (line, original) in enumerate(zip(bare.splitlines(), text.splitlines(), strict=True), 1):
        if depth == 0:
            header = _TABLE.match(line)
            key = _KEY.match(line) or _KEY.match(original)
            if header:
                name = header["name"]
                table = tuple(part.strip().strip("\"'") for part in name.split("."))
                if header["array"]:
                    counts[name] = counts.get(name, -1) + 1
                    table = (*table, counts[name])
                lines.setdefault(table, number)
                continue
            if key and "=" in line:
                lines.setdefault((*table, key["key"].strip("\"'")), number)
        depth += sum(line.count(mark) for mark in "[{") - sum(line.count(mark) for mark in "]}")
    return lines


def line_of(lines: dict[Path, int], path: Path) -> int | None:
    """Return the line of `path`, or of the nearest thing that holds it."""
    while path:
        if path in lines:
            return lines[path]
        path = path[:-1]
    return None


def _blank(match: re.Match[str]) -> str:
    return "".join(character if character == "\n" else " " for character in match.group())

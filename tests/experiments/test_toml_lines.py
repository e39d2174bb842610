"""Lines of keys, against lists made by hand and against generated files whose lines are known."""

from __future__ import annotations

import json
import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.experiments.problems import key_lines, line_of

BY_HAND = '''# [comment]
title = "a\u2028b\u0085c" # don't [
top.dotted.key = 1
top.dotted.other = 2

[ "a.b" . c ] # x = [
'c d'.e = """ x = [
y = 1
[not.a.table]
  z = "k" \\""" [
"""
"q\\u0041" = [ # [
  [1, 2], { k = "]", l = 3 },
  "a = 1",
]
after = """"quoted"""" # "
last = true
[[sweep]]
scorer = "words"
cutoffs = { from = 1, to = 2 }
  [sweep.sub]
  x = '[['
[[sweep]]
[[sweep.inner]]
[[sweep.inner]]
y = \'\'\'
[[sweep]]
k = "\'\'\'
z = {}
[a]
b = []
'''


def test_a_file_made_by_hand() -> None:
    tomllib.loads(BY_HAND)
    assert key_lines(BY_HAND) == {
        ("title",): 2,
        ("top",): 3,
        ("top", "dotted"): 3,
        ("top", "dotted", "key"): 3,
        ("top", "dotted", "other"): 4,
        ("a.b",): 6,
        ("a.b", "c"): 6,
        ("a.b", "c", "c d"): 7,
        ("a.b", "c", "c d", "e"): 7,
        ("a.b", "c", "qA"): 12,
        ("a.b", "c", "after"): 16,
        ("a.b", "c", "last"): 17,
        ("sweep",): 18,
        ("sweep", 0): 18,
        ("sweep", 0, "scorer"): 19,
        ("sweep", 0, "cutoffs"): 20,
        ("sweep", 0, "sub"): 21,
        ("sweep", 0, "sub", "x"): 22,
        ("sweep", 1): 23,
        ("sweep", 1, "inner"): 24,
        ("sweep", 1, "inner", 0): 24,
        ("sweep", 1, "inner", 1): 25,
        ("sweep", 1, "inner", 1, "y"): 26,
        ("sweep", 1, "inner", 1, "z"): 29,
        ("a",): 30,
        ("a", "b"): 31,
    }


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("sweep", 0, "cutoffs", "from"), 20),
        (("sweep", 0, "missing"), 18),
        (("sweep", 7), 18),
        (("a.b", "c", "qA", 0, 1), 12),
        (("nothing",), None),
        ((), None),
    ],
)
def test_what_has_no_line_has_that_of_what_holds_it(path: tuple[str | int, ...], line: int | None) -> None:
    assert line_of(key_lines(BY_HAND), path) == line


def test_a_table_has_its_own_line_though_a_part_of_it_came_before() -> None:
    assert key_lines("[a.b]\nx = 1\n[a]\ny = 2") == {
        ("a",): 3,
        ("a", "b"): 1,
        ("a", "b", "x"): 2,
        ("a", "y"): 4,
    }


def test_an_empty_file_has_no_lines() -> None:
    assert key_lines("") == {}
    assert key_lines("# a = 1\n\n") == {}


HARD = [
    "[",
    "]",
    "{",
    "}",
    "#",
    "=",
    "'",
    '"',
    '"""',
    "'''",
    "\\",
    "a = 1",
    "[t]",
    "[[t]]",
    ".",
    " ",
    "\u2028",
    "\x85",
    "é",
]
HARD_TEXT = st.lists(st.sampled_from([*HARD, "\n"]), max_size=6).map("".join)
KEYS = st.from_regex(r"[a-z_0-9-]{1,4}", fullmatch=True) | st.lists(st.sampled_from(HARD), min_size=1, max_size=3).map(
    "".join
)


def quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


@st.composite
def strings(draw: st.DrawFn) -> str:
    text = draw(HARD_TEXT)
    kind = draw(st.sampled_from(["basic", "literal", "long", "long literal"]))
    if kind == "literal" and not set("'\n") & set(text):
        return f"'{text}'"
    if kind == "long literal" and "'''" not in text and not text.endswith("'"):
        return f"'''{text}'''"
    if kind == "long":
        escaped = text.replace("\\", "\\\\").replace('"""', '""\\"')
        return f'"""{escaped}"""' if not escaped.endswith('"') else f'"""{escaped} """'
    return quoted(text)


VALUES = st.recursive(
    st.integers().map(str) | st.booleans().map(lambda value: str(value).lower()) | strings(),
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda items: "[" + ", ".join(items) + "]")
        | st.lists(inner, min_size=1, max_size=3).map(lambda items: "[ # [ it's\n  " + ",\n\n  ".join(items) + ",\n]")
        | st.dictionaries(KEYS, inner, max_size=2).map(
            lambda table: "{" + ", ".join(f"{quoted(key)} = {value}" for key, value in table.items()) + "}"
        )
    ),
    max_leaves=5,
)


@st.composite
def files(draw: st.DrawFn) -> tuple[str, dict[tuple[str | int, ...], int]]:
    """A TOML text, and the line of each key and table by construction."""
    lines: list[str] = []
    known: dict[tuple[str | int, ...], int] = {}

    def key_text(key: str) -> str:
        bare = key.isascii() and key.replace("-", "").replace("_", "").isalnum()
        return key if bare and draw(st.booleans()) else quoted(key)

    def add(text: str) -> int:
        number = sum(line.count("\n") + 1 for line in lines) + 1
        lines.append(text)
        return number

    def fill(path: tuple[str | int, ...]) -> None:
        for key in draw(st.lists(KEYS, max_size=3, unique=True)):
            if draw(st.booleans()):
                add(draw(st.sampled_from(["", "# x = [ ' \"", "  # [t]"])))
            value = draw(VALUES)
            known[(*path, key)] = add(f"{draw(st.sampled_from(['', '  ']))}{key_text(key)} = {value} # = ]")

    fill(())
    names = draw(st.lists(KEYS, max_size=3, unique=True).map(lambda keys: [key for key in keys if (key,) not in known]))
    for name in names:
        if draw(st.booleans()):
            known[(name,)] = add(f"[{key_text(name)}]")
            fill((name,))
        else:
            for number in range(draw(st.integers(1, 3))):
                known[(name, number)] = add(f"[[ {key_text(name)} ]] # [")
                known.setdefault((name,), known[(name, 0)])
                fill((name, number))
                if draw(st.booleans()) and (name, number, "sub") not in known:
                    known[(name, number, "sub")] = add(f"[{key_text(name)} . sub]")
                    fill((name, number, "sub"))
    return "\n".join(lines), known


@given(files())
def test_generated_files(file: tuple[str, dict[tuple[str | int, ...], int]]) -> None:
    text, known = file
    document = tomllib.loads(text)
    assert key_lines(text) == known
    for path in known:
        value: Any = document
        for part in path:
            value = value[part]

"""Lines of the tables and keys of an experiment file."""

from __future__ import annotations

import tomllib

import pytest

from thresher.experiments.problems import key_lines, line_of

TEXT = '''# [comment]
title = "a" # don't [
run.workers = 1
run.backend = "local"

[ topics ] # x = [
path = """ x = [
y = 1
[not a table]
"""
"field" = "title"
[cleaners]
names = [ # [
  "words@3", # = 1
  "a = 1",
]
last = true
[[sweep]]
scorer = "words"
cutoffs = { from = 1, to = 2 }
[[ sweep ]]
scorer = "density"
[sweep.cutoffs]
from = 1
'''


def test_tables_and_keys() -> None:
    tomllib.loads(TEXT)
    assert key_lines(TEXT) == {
        ("title",): 2,
        ("run",): 3,
        ("run", "workers"): 3,
        ("run", "backend"): 4,
        ("topics",): 6,
        ("topics", "path"): 7,
        ("topics", "field"): 11,
        ("cleaners",): 12,
        ("cleaners", "names"): 13,
        ("cleaners", "last"): 17,
        ("sweep",): 18,
        ("sweep", 0): 18,
        ("sweep", 0, "scorer"): 19,
        ("sweep", 0, "cutoffs"): 20,
        ("sweep", 1): 21,
        ("sweep", 1, "scorer"): 22,
        ("sweep", 1, "cutoffs"): 23,
        ("sweep", 1, "cutoffs", "from"): 24,
    }
    assert key_lines("") == key_lines("# a = 1\n\n") == {}


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("sweep", 0, "cutoffs", "from"), 20),
        (("sweep", 1, "missing"), 21),
        (("sweep", 7), 18),
        (("cleaners", "names", 0, 1), 13),
        (("nothing",), None),
        ((), None),
    ],
)
def test_what_has_no_line_has_that_of_what_holds_it(path: tuple[str | int, ...], line: int | None) -> None:
    assert line_of(key_lines(TEXT), path) == line

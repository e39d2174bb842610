"""The cleaners that a user asks for."""

from __future__ import annotations

import pytest

from thresher.base.errors import ConfigErrors
from thresher.cleaners.cleaner import parse_cleaner
from thresher.evaluation.cleaneval.results import ROWS, parse_cleaners


def test_without_names_the_papers_rows_are_measured_below_all_text() -> None:
    cleaners = parse_cleaners(())
    assert [cleaner.name for cleaner in cleaners] == ["none", *ROWS]
    assert len(set(ROWS)) == len(ROWS)
    # The names are canonical, so that they are those of tables.
    assert [parse_cleaner(name).name for name in ROWS] == list(ROWS)


def test_two_spellings_of_a_name_are_one() -> None:
    names = ("words @ 10.0", "none", "words@10", "density( headings = score )@5", "density@5.0", "words@11")
    cleaners = parse_cleaners(names)
    assert [cleaner.name for cleaner in cleaners] == ["none", "words@10", "density@5", "words@11"]


def test_all_problems_are_said_at_once() -> None:
    with pytest.raises(ConfigErrors) as caught:
        parse_cleaners(("words", "bars", "nosuch@1", "words@5", "words@x"))
    problems = caught.value.problems
    assert [problem.where for problem in problems] == ["words", "nosuch@1", "words@x"]
    assert caught.value.lines() == [str(problem) for problem in problems]
    assert caught.value.exit_code == 2

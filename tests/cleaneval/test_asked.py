"""What a user asks for: cleaners, and sweeps over cutoffs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.cleaneval.running import MOST_CUTOFFS, ROWS, asked, asked_sweep
from thresher.errors import ConfigError, ConfigErrors
from thresher.scorers.cleaners import parse_cleaner
from thresher.scorers.perplexity import Perplexity


def test_without_names_the_papers_rows_are_measured_below_all_text() -> None:
    cleaners, sweeps = asked((), ())
    assert [cleaner.name for cleaner in cleaners] == ["none", *ROWS]
    assert sweeps == ()
    assert len(set(ROWS)) == len(ROWS)
    # The names are canonical, so that they are those of tables.
    assert [parse_cleaner(name).name for name in ROWS] == list(ROWS)


def test_two_spellings_of_a_name_are_one() -> None:
    names = ("words @ 10.0", "none", "words@10", "density( headings = score )@5", "density@5.0", "words@11")
    cleaners, _ = asked(names, ())
    assert [cleaner.name for cleaner in cleaners] == ["none", "words@10", "density@5", "words@11"]
    _, sweeps = asked(("none",), ("words=1,2", "density=3", " words = 4"))
    assert [(sweep.template.name, sweep.cutoffs) for sweep in sweeps] == [
        ("words", (1.0, 2.0, 4.0)),
        ("density", (3.0,)),
    ]


def test_a_sweep_takes_the_cutoffs_in_its_text() -> None:
    sweep = asked_sweep("perplexity(lm=books) = 8000, 3e3 ,8000.0,10000.5")
    assert sweep.cutoffs == (8000.0, 3000.0, 10000.5)
    assert [cleaner.name for cleaner in sweep.cleaners] == [
        "perplexity(lm=books)@8000",
        "perplexity(lm=books)@3000",
        "perplexity(lm=books)@10000.5",
    ]


def test_a_sweep_without_cutoffs_runs_over_the_grid() -> None:
    grid = [float(cutoff) for cutoff in parse_cleaner("words@1").scorers[0].grid]
    cutoffs = asked_sweep("words").cutoffs
    assert (cutoffs[0], cutoffs[-1]) == (grid[0], grid[-1])
    assert len(cutoffs) == min(MOST_CUTOFFS, len(grid))
    assert set(cutoffs) <= set(grid)
    perplexity = asked_sweep("perplexity(lm=books)").cutoffs
    assert perplexity == tuple(map(float, Perplexity(lm="books").grid)) or len(perplexity) == MOST_CUTOFFS


@given(st.lists(st.integers(0, 500), min_size=1, max_size=30))
def test_any_numbers_are_read_back_in_their_order(numbers: list[int]) -> None:
    sweep = asked_sweep(f"words={','.join(map(str, numbers))}")
    assert sweep.cutoffs == tuple(dict.fromkeys(map(float, numbers)))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "density=5,,8",
            "--sweep: the cutoff '' is not a number. Fix: write it like density=5,8,10.5.",
        ),
        (
            "density=five",
            "--sweep: the cutoff 'five' is not a number. Fix: write it like density=5,8,10.5.",
        ),
        ("=5", "--sweep: the sweep '=5' does not parse. Fix: write it like density or density=5,8,10.5."),
        (
            "bte=1",
            "--sweep: the scorer 'bte' of a sweep decides by itself and has no cutoffs. Fix: name it under [cleaners].",
        ),
    ],
)
def test_sweeps_that_mean_nothing(text: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        asked_sweep(text)
    assert str(caught.value) == message


@pytest.mark.parametrize("text", ["words@5", "words=-1", "words=nan", "nosuch=5", "words=inf"])
def test_sweeps_out_of_range_or_of_nothing(text: str) -> None:
    with pytest.raises(ConfigError):
        asked_sweep(text)


def test_all_problems_are_said_at_once() -> None:
    with pytest.raises(ConfigErrors) as caught:
        asked(("words", "bars", "nosuch@1", "words@5"), ("bte", "words=x", "density=5"))
    problems = caught.value.problems
    assert [problem.where for problem in problems] == ["words", "nosuch@1", "--sweep", "--sweep"]
    assert caught.value.lines() == [str(problem) for problem in problems]
    assert caught.value.exit_code == 2

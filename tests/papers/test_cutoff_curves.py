"""Curves, best cutoffs and what they are worth on other pages, against brute force and cases worked by hand."""

from __future__ import annotations

import statistics
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from cutoff_curves import MOST_CUTOFFS, Best, Point, asked_sweep, best_cutoff, main, point_of, transfers
from thresher.base.errors import ConfigError
from thresher.cleaners.cleaner import parse_cleaner
from thresher.cleaners.relative_cutoffs import Percentile
from thresher.evaluation.cleaneval.cleaning_measures import Agreement, PageWords

PROSE = "The barley of field {} is cut in July, and the rye is cut in August, if it is dry."
SHORT = "It rained for {} days."


def page(words: int, gold: int, aligned: int) -> PageWords:
    return PageWords(words, gold, aligned, max(words, gold) - aligned)


def point(cutoff: float, *f1s: float) -> Point:
    mean = Agreement(0.5, 0.5, statistics.fmean(f1s))
    return Point(cutoff, mean, mean, f1s)


def best(*points: Point) -> tuple[float, float, float]:
    found: Best = best_cutoff(points)
    return found.point.cutoff, found.low, found.high


def test_a_sweep_takes_the_cutoffs_in_its_text() -> None:
    sweep = asked_sweep("perplexity(lm=books) = 8000, 3e3 ,8000.0,10000.5")
    # A perplexity above the cutoff is removed.
    assert [(value, cleaner.name) for value, cleaner in sweep.cleaners.items()] == [
        (10000.5, "perplexity(lm=books)@10000.5"),
        (8000.0, "perplexity(lm=books)@8000"),
        (3000.0, "perplexity(lm=books)@3000"),
    ]
    percentiles = asked_sweep("density = p10, p2.5,p10")
    assert (percentiles.name, percentiles.cutoffs) == ("density@p", (Percentile("p", 10.0), Percentile("p", 2.5)))
    assert [*asked_sweep("links=doc10,doc85,doc80").cleaners] == [85.0, 80.0, 10.0]


def test_a_sweep_without_cutoffs_runs_over_the_grid() -> None:
    grid = [float(cutoff) for cutoff in parse_cleaner("words@1").scorers[0].grid]
    cutoffs = asked_sweep("words").cutoffs
    assert (cutoffs[0], cutoffs[-1]) == (grid[0], grid[-1])
    assert len(cutoffs) == min(MOST_CUTOFFS, len(grid))


@pytest.mark.parametrize(
    "text", ["density=5,,8", "density=five", "=5", "bte=1", "words@5", "words=-1", "words=nan", "density=p10,5", "no=5"]
)
def test_sweeps_that_mean_nothing(text: str) -> None:
    with pytest.raises(ConfigError):
        asked_sweep(text)


def test_a_point_by_hand() -> None:
    found = point_of(1, [page(20, 10, 10), page(10, 10, 4)])
    assert found.f1s == pytest.approx((20 / 30, 0.4))
    assert found.macro == Agreement(pytest.approx(0.45), pytest.approx(0.7), pytest.approx((20 / 30 + 0.4) / 2))
    assert found.micro == Agreement(14 / 30, 14 / 20, 28 / 50)


def test_the_plateau_is_paired_and_unbroken() -> None:
    curve = [
        point(10, 0.70, 0.80, 0.90),  # beyond the one that is worse
        point(8, 0.50, 0.60, 0.70),
        point(6, 0.69, 0.81, 0.89),  # loses 0.01, -0.01 and 0.01: mean 0.0033, error 0.0067
        point(4, 0.70, 0.80, 0.90),
        point(2, 0.69, 0.79, 0.89),  # as close, but loses on every page
    ]
    assert best(*curve[1:]) == (4, 4, 6)
    assert best(*curve) == (10, 10, 10)
    assert best(point(5, 0.5), point(6, 0.5), point(7, 0.4999)) == (5, 5, 6)
    # The mean of the same values in another order may be another double.
    assert best(point(1, 0.1, 0.2, 0.3), point(2, 0.3, 0.2, 0.1))[0] == 1


@given(
    st.lists(
        st.lists(st.floats(0, 1).map(lambda value: round(value, 3)), min_size=3, max_size=3), min_size=1, max_size=9
    )
)
def test_best_and_plateau_by_brute_force(f1s: list[list[float]]) -> None:
    table = np.array(f1s)
    means = table.mean(axis=1)
    at, low, high = map(int, best(*(point(place, *values) for place, values in enumerate(f1s))))
    assert means[at] == pytest.approx(means.max())
    assert not (means[:at] > means.max() - 1e-12).any()
    lost = table[at] - table
    good = lost.mean(axis=1) <= stats.sem(lost, axis=1) + 1e-9
    assert at in range(low, high + 1)
    assert good[low : high + 1].all()
    assert low == 0 or not good[low - 1]
    assert high == len(f1s) - 1 or not good[high + 1]


def test_transfers_are_tested_and_corrected() -> None:
    here = {name: [point(1, 0.2, 0.3), point(2, 0.4, 0.5)] for name in ("words", "density")}
    f1s = [0.5 + place / 50 for place in range(10)]
    there = {
        "words": [point(1, *(one + 0.2 for one in f1s)), point(2, *(one + 0.1 for one in f1s))],
        "density": [point(1, *f1s), point(2, *(one + 0.1 * (-1) ** place for place, one in enumerate(f1s)))],
    }
    words, density = transfers(here, there, f1s).to_dict("records")
    assert (words["cutoff"], words["cutoff of that"]) == ("2", "1")
    assert (words["F1 where chosen"], words["difference"]) == (pytest.approx(0.45), pytest.approx(0.1))
    # All ten pages gain by the same.
    assert (words["p"], words["p (Holm)"]) == (pytest.approx(2 / 1024), pytest.approx(4 / 1024))
    assert density["p"] == density["p (Holm)"] == 1


def test_curves_of_two_gold_standards(tmp_path: Path) -> None:
    for name, prose in (("here", PROSE), ("there", SHORT)):
        for part in ("input", "gold"):
            (tmp_path / name / part).mkdir(parents=True)
        for number in range(6):
            text = prose.format(number)
            (tmp_path / name / "input" / f"{number}.html").write_text(f"<p>{text}</p><div>Go home now</div><p>Up</p>")
            (tmp_path / name / "gold" / f"{number}.txt").write_text(text)
    here, there, out = (tmp_path / name for name in ("here", "there", "out"))
    arguments = [here, "--sweep", "words=99,1,10", "--test", there, "--workers", "1", "-o", out]
    done = CliRunner().invoke(main, [*map(str, arguments)], catch_exceptions=False)
    assert done.exit_code == 0
    curves = pd.read_csv(out / "curves.csv")
    assert curves[["set", "cutoff", "best"]].values.tolist() == [
        [name, cutoff, int(cutoff == at)] for name, at in (("here", 10), ("there", 1)) for cutoff in (1, 10, 99)
    ]
    # Of 24 words 20 are content here, of 9 words 5 there, where the cutoff chosen here leaves nothing.
    assert curves["f1"].tolist() == pytest.approx([40 / 44, 1, 0, 10 / 14, 0, 0])
    (moved,) = pd.read_csv(out / "transfer.csv").to_dict("records")
    assert (moved["cutoff"], moved["F1 tested"], moved["F1 all text"]) == (10, 0, pytest.approx(10 / 14))
    assert (out / "words.md").read_text().count("\n| ") == 4
    with pytest.raises(ConfigError):
        CliRunner().invoke(
            main, [str(here), "--sweep", "words=5", "--test", str(here), "-o", str(out)], catch_exceptions=False
        )

"""Sweeps over percentiles: what the command line says, and the numbers that they come to on the pages at hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from thresher.cleaneval.comparing import compare_words_alone
from thresher.cleaneval.gold import read_gold
from thresher.cleaneval.running import GoldSet, asked, asked_sweep, run_cleaners
from thresher.errors import ConfigError
from thresher.scorers.cleaners import Cleaner, parse_cleaner
from thresher.scorers.relative_cutoffs import Percentile
from thresher.scoring.percentiles import resolved

TEXT = "The barley of field {} is cut in July, and the rye is cut in August, if it is dry."
PAGE = f"<p>{TEXT}</p><div>Go home now</div><p>Up</p>"


@pytest.fixture
def gold(tmp_path: Path) -> GoldSet:
    for name in ("input", "gold"):
        (tmp_path / name).mkdir()
    for place in range(6):
        (tmp_path / "input" / f"{place}.html").write_text(PAGE.format(place), encoding="utf-8")
        (tmp_path / "gold" / f"{place}.txt").write_text(TEXT.format(place), encoding="utf-8")
    return GoldSet(tmp_path, read_gold(tmp_path), tmp_path / "scores")


def test_percentiles_are_asked_for_like_numbers() -> None:
    sweep = asked_sweep("density = p10, p2.5,p10")
    assert (sweep.name, sweep.values) == ("density@p", (10.0, 2.5))
    assert sweep.cutoffs == (Percentile("p", 10.0), Percentile("p", 2.5))
    assert [cleaner.name for cleaner in sweep.cleaners] == ["density@p10", "density@p2.5"]
    # Numbers and percentiles of one scorer are two sweeps.
    _, sweeps = asked([], ["density=5,8", "density=p10", "density=p20"])
    assert [(sweep.name, sweep.values) for sweep in sweeps] == [("density", (5.0, 8.0)), ("density@p", (10.0, 20.0))]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            "density=p10,5",
            "the sweep 'density=p10,5' mixes numbers, percentiles and quotas, or two kinds of percentiles. "
            "Fix: sweep over one kind.",
        ),
        ("density=p0", "the percentile of 'density' is out of range: 0. Fix: choose one above 0 and below 100."),
        (
            "density=doc10,p10",
            "the sweep 'density=doc10,p10' mixes numbers, percentiles and quotas, or two kinds of percentiles. "
            "Fix: sweep over one kind.",
        ),
        (
            "density=doc0",
            "the quota of 'density' is out of range: 0. "
            "Fix: choose one above 0 and up to 100, the per cent of each page's words to keep.",
        ),
        ("density=px", "the cutoff 'px' is not a number. Fix: write it like density=5,8,10.5."),
        (
            "perplexity=r50",
            "perplexity(lm=books)@r50: the language model 'books' has no percentiles of a reference text. "
            "Fix: take one that `thresher lm train` wrote, or a percentile of the collection, such as p70.",
        ),
    ],
)
def test_sweeps_that_are_none(text: str, problem: str) -> None:
    with pytest.raises(ConfigError) as caught:
        asked_sweep(text)
    assert str(caught.value).removeprefix("--sweep: ") == problem


def test_a_percentile_cleans_as_its_number_does(gold: GoldSet) -> None:
    cleaners, sweeps = asked(["words@p20", "words@p3"], ["words=p3,p20"])
    run = run_cleaners(gold, cleaners, sweeps=sweeps)
    assert [result.cleaner for result in run.results] == ["none", "words@p20", "words@p3"]
    (sweep,) = run.sweeps
    assert (sweep.scorer, [point.cutoff for point in sweep.points]) == ("words@p", [3.0, 20.0])
    # By words 1/24 of the text is `Up` and 3/24 are `Go home now`; the rest is one block.
    numbers = [resolved(gold.store, parse_cleaner(f"words@p{at}")).cuts[0].threshold for at in (3, 20)]
    assert numbers == [1.0, 20.0]
    alike = compare_words_alone(
        gold.standard.pages, gold.store, [parse_cleaner("words@1"), parse_cleaner("words@20"), Cleaner()]
    )
    low, high, whole = zip(*alike, strict=True)
    assert [point.f1s for point in sweep.points] == [
        tuple(page.alignment.f1 for page in pages) for pages in (low, high)
    ]
    assert [page.words.alignment for page in run.results[1].pages] == [page.alignment for page in high]
    assert low == whole
    assert sweep.points[1].macro.f1 == 1


@pytest.mark.parametrize("scorer", ["words", "links"])
def test_quotas_are_swept_from_the_whole_page_down(gold: GoldSet, scorer: str) -> None:
    cleaners, sweeps = asked([f"{scorer}@doc80"], [f"{scorer}=doc10,doc80", f"{scorer}=doc85,doc100"])
    assert [sweep.name for sweep in sweeps] == [f"{scorer}@doc"]
    run = run_cleaners(gold, cleaners, sweeps=sweeps)
    (sweep,) = run.sweeps
    assert (sweep.scorer, [point.cutoff for point in sweep.points]) == (f"{scorer}@doc", [100.0, 85.0, 80.0, 10.0])
    # 20 of 24 words are one block, the first; `links` has only ties.
    assert [point.macro.f1 for point in sweep.points[2:]] == [1, 1]
    assert [point.micro.precision for point in sweep.points[:2]] == [pytest.approx(20 / words) for words in (24, 23)]
    assert sweep.best.cutoff == 80
    assert [page.words.alignment.f1 for page in run.results[1].pages] == [1.0] * 6

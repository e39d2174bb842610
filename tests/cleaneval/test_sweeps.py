"""Curves, best cutoffs and transfers against brute force and cases worked by hand."""

from __future__ import annotations

import random
import statistics
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from thresher.cleaneval.cleaning_measures import Agreement, PageWords, summarize_pages
from thresher.cleaneval.results import BestCutoff, GoldSweep, SweepPoint, best_cutoff, sweep_points, transfer
from thresher.errors import ConfigError


def page(words: int, gold: int, aligned: int) -> PageWords:
    return PageWords(words, gold, aligned, max(words, gold) - aligned)


def point(cutoff: float, *f1s: float) -> SweepPoint:
    mean = Agreement(0.5, 0.5, statistics.fmean(f1s))
    return SweepPoint(cutoff, mean, mean, f1s)


def swept(folder: Path, points: tuple[SweepPoint, ...], baseline: tuple[float, ...]) -> GoldSweep:
    return GoldSweep("words", folder.name, folder, points, best_cutoff(points), baseline)


def pages_at(seed: int) -> dict[float, list[PageWords]]:
    """Cutoffs 0 to 9 over 20 pages: boilerplate goes first, then content."""
    generator = random.Random(seed)
    result: dict[float, list[PageWords]] = {float(cutoff): [] for cutoff in range(10)}
    for _ in range(20):
        gold, other = generator.randint(50, 200), generator.randint(20, 300)
        for cutoff in range(10):
            kept = gold - gold * cutoff**2 // 150
            result[cutoff].append(page(kept + other // (1 + cutoff), gold, kept))
    return result


def test_a_curve_by_hand() -> None:
    curve = sweep_points({3: [page(5, 10, 5), page(0, 10, 0)], 1: [page(20, 10, 10), page(10, 10, 4)]}, True)
    assert [item.cutoff for item in curve] == [1, 3]
    first, last = curve
    assert first.f1s == pytest.approx((20 / 30, 0.4))
    assert first.macro == Agreement(pytest.approx(0.45), pytest.approx(0.7), pytest.approx((20 / 30 + 0.4) / 2))
    assert first.micro == Agreement(14 / 30, 14 / 20, 28 / 50)
    assert last.macro == Agreement(0.5, 0.25, pytest.approx(10 / 15 / 2))
    assert last.micro == Agreement(1.0, 0.25, 0.4)


@pytest.mark.parametrize(("stricter", "expected"), [(True, [*range(10)]), (False, [*range(9, -1, -1)])])
def test_a_curve_is_the_summary_of_each_cutoff(stricter: bool, expected: list[int]) -> None:
    pages = pages_at(1)
    curve = sweep_points(pages, stricter)
    assert [item.cutoff for item in curve] == expected
    for item in curve:
        summary = summarize_pages(pages[item.cutoff])
        assert item.micro == summary.micro
        assert item.macro == Agreement(summary.precision.mean, summary.recall.mean, summary.f1.mean)
        assert item.f1s == tuple(one.alignment.f1 for one in pages[item.cutoff])


def test_of_equal_cutoffs_the_one_that_removes_least() -> None:
    same = {cutoff: [page(10, 10, 8), page(7, 9, 6)] for cutoff in (1.0, 2.0, 3.0)}
    assert best_cutoff(sweep_points(same, True)).cutoff == 1
    assert best_cutoff(sweep_points(same, False)).cutoff == 3
    f1 = same[1.0][0].alignment.f1 / 2 + same[1.0][1].alignment.f1 / 2
    assert best_cutoff(sweep_points(same, False)) == BestCutoff(3, pytest.approx(f1), 1, 3)
    # The mean of the same values in another order may be another double.
    assert best_cutoff([point(1, 0.1, 0.2, 0.3), point(2, 0.3, 0.2, 0.1)]).cutoff == 1


def test_the_plateau_is_paired_and_unbroken() -> None:
    curve = [
        point(10, 0.70, 0.80, 0.90),  # beyond the one that is worse
        point(8, 0.50, 0.60, 0.70),
        point(6, 0.69, 0.81, 0.89),  # loses 0.01, -0.01 and 0.01: mean 0.0033, error 0.0067
        point(4, 0.70, 0.80, 0.90),
        point(2, 0.69, 0.79, 0.89),  # as close, but loses on every page
    ]
    assert best_cutoff(curve[1:]) == BestCutoff(4, pytest.approx(0.8), 4, 6)
    assert best_cutoff(curve) == BestCutoff(10, pytest.approx(0.8), 10, 10)
    assert best_cutoff([point(5, 0.5)]) == BestCutoff(5, 0.5, 5, 5)
    assert best_cutoff([point(5, 0.5), point(6, 0.5), point(7, 0.4999)]) == BestCutoff(5, 0.5, 5, 6)


@given(
    st.lists(
        st.lists(st.floats(0, 1).map(lambda value: round(value, 3)), min_size=3, max_size=3), min_size=1, max_size=9
    )
)
def test_best_and_plateau_by_brute_force(f1s: list[list[float]]) -> None:
    curve = [point(place, *values) for place, values in enumerate(f1s)]
    result = best_cutoff(curve)
    table = np.array(f1s)
    means = table.mean(axis=1)
    best = int(result.cutoff)
    assert means[best] == pytest.approx(means.max())
    assert not (means[:best] > means.max() - 1e-12).any()
    lost = table[best] - table
    good = lost.mean(axis=1) <= stats.sem(lost, axis=1) + 1e-9
    inside = range(int(result.low), int(result.high) + 1)
    assert best in inside
    assert good[inside].all()
    assert result.low == 0 or not good[int(result.low) - 1]
    assert result.high == len(f1s) - 1 or not good[int(result.high) + 1]


def test_a_transfer() -> None:
    curves = {name: pages_at(seed) for seed, name in enumerate(("here", "there"))}
    sweeps = {
        name: swept(Path("sets", name), sweep_points(pages, True), tuple(one.alignment.f1 for one in pages[0.0]))
        for name, pages in curves.items()
    }
    result = transfer(sweeps["here"], sweeps["there"])
    means = {
        name: {cutoff: summarize_pages(pages).f1.mean for cutoff, pages in at.items()} for name, at in curves.items()
    }
    chosen = max(means["here"], key=means["here"].__getitem__)
    assert result.scorer == "words"
    assert (result.cutoff, result.tuned_on, result.tested_on) == (chosen, "here", "there")
    assert (result.tuned_f1, result.tested_f1) == (means["here"][chosen], means["there"][chosen])
    assert (result.best_f1, result.best_cutoff) == max((f1, cutoff) for cutoff, f1 in means["there"].items())
    assert result.baseline_f1 == means["there"][0.0]
    assert result.comparison.measure == "word F1"
    assert result.comparison.difference == pytest.approx(result.tested_f1 - result.baseline_f1)
    difference = [
        one.alignment.f1 - all_text.alignment.f1
        for one, all_text in zip(curves["there"][chosen], curves["there"][0.0], strict=True)
    ]
    assert result.comparison.p == pytest.approx(float(stats.wilcoxon(difference, mode="exact").pvalue))


def test_a_cutoff_is_never_tested_on_its_own_pages(tmp_path: Path) -> None:
    curve = (point(1, 0.5, 0.6),)
    (tmp_path / "set").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "set")
    here, link = (swept(tmp_path / name, curve, (0.4, 0.5)) for name in ("set", "link"))
    for tested in (here, link):
        with pytest.raises(ConfigError) as caught:
            transfer(here, tested)
        assert str(caught.value) == (
            f"{tested.folder}: a cutoff cannot be tested on the pages that it was chosen on. Fix: give two folders."
        )
    with pytest.raises(ConfigError) as caught:
        transfer(here, swept(tmp_path / "other", (point(2.5, 0.1, 0.2),), (0.4, 0.5)))
    assert str(caught.value) == (
        f"{tmp_path / 'other'}: the cutoff 1 was not tried. Fix: sweep over the same cutoffs in both."
    )

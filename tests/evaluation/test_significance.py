import math
import random
from dataclasses import replace

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from thresher.evaluation.corrections import holm
from thresher.evaluation.significance import compare, compare_all, ratio_interval
from thresher.experiments.schema import EvaluationTable


def values(seed: int, n: int = 50, shift: float = 0.0) -> list[float]:
    return list(np.clip(np.random.default_rng(seed).beta(2, 3, n) + shift, 0, 1))


def test_comparison_by_hand():
    found = compare([0.5, 0.25, 1.0, 0.5, 0.5], [0.25, 0.75, 0.25, 0.5, 0.5], "AP")
    assert (found.measure, found.wins, found.ties, found.losses, found.differing) == ("AP", 2, 2, 1, 3)
    # Ranks of 0.25, -0.5, 0.75 are 1, 2, 3: T = 4 of 0..6, P(T >= 4) = 3/8.
    assert found.p == found.p_corrected == 0.75
    assert found.effect == pytest.approx((4 - 2) / 6)
    assert found.difference == pytest.approx(0.1)
    assert (found.smallest_p, found.is_exact) == (0.25, True)
    # The 5 differences resampled have means between the smallest and the largest of them.
    assert -0.5 <= found.ci_low < 0.1 < found.ci_high <= 0.75


@pytest.mark.parametrize(
    ("differing", "smallest", "exact"),
    [(0, 1.0, True), (1, 1.0, True), (5, 0.0625, True), (500, 2.0**-499, True), (501, 2.0**-500, False)],
)
def test_few_differing_topics_bound_p(differing, smallest, exact):
    base = [0.5] * 510
    found = compare([0.75] * differing + base[differing:], base, "AP")
    assert (found.differing, found.smallest_p, found.is_exact) == (differing, smallest, exact)


@pytest.mark.parametrize(
    ("difference", "effect", "p", "direction", "loses"),
    [
        (0.1, 0.5, 0.01, "better", False),
        (-0.1, -0.5, 0.01, "worse", True),
        (0.1, -0.5, 0.01, "mixed", True),
        (0.0, 0.5, 0.01, "better", False),
        (-0.1, -0.5, 0.05, "none", True),
        (0.1, 0.5, math.nan, "none", False),
    ],
)
def test_directions(difference, effect, p, direction, loses):
    found = compare([0.5, 0.75], [0.5, 0.5], "AP")
    found = replace(found, difference=difference, effect=effect, p_corrected=p, ci_low=-1.0, ci_high=difference + 0.05)
    assert (found.direction, found.shows_a_loss) == (direction, loses)


def test_nothing_differs():
    found = compare([0.1, 0.2], [0.1, 0.2], "AP")
    assert (found.p, found.p_corrected, found.effect, found.difference) == (1.0, 1.0, 0.0, 0.0)
    assert (found.ci_low, found.ci_high) == (0.0, 0.0)


def test_interval_is_the_percentile_bootstrap():
    differences = np.array(values(1)) - np.array(values(2))
    found = compare(values(1), values(2), "AP")
    expected = scipy.stats.bootstrap(
        (differences,), np.mean, n_resamples=10_000, method="percentile", rng=np.random.default_rng(7)
    ).confidence_interval
    # Two sets of 10,000 resamples: the bounds agree to a few per cent of the standard error.
    error = differences.std() / 50**0.5
    assert found.ci_low == pytest.approx(expected.low, abs=0.1 * error)
    assert found.ci_high == pytest.approx(expected.high, abs=0.1 * error)


def test_interval_depends_on_seed_and_alpha_alone():
    first = compare(values(1), values(2), "AP", seed=3)
    assert compare(values(1), values(2), "AP", seed=3) == first
    assert compare(values(1), values(2), "AP", seed=4).ci_low != first.ci_low
    # As in an experiment that names no seed.
    assert compare(values(1), values(2), "AP") == compare(values(1), values(2), "AP", seed=EvaluationTable().seed)
    wider = compare(values(1), values(2), "AP", seed=3, alpha=0.01)
    assert wider.ci_low < first.ci_low < first.ci_high < wider.ci_high


def test_many_topics_are_resampled_in_blocks():
    found = compare(values(1, 3000), values(2, 3000), "AP")
    differences = np.array(values(1, 3000)) - np.array(values(2, 3000))
    error = differences.std() / 3000**0.5
    assert found.ci_low == pytest.approx(differences.mean() - 1.96 * error, abs=0.1 * error)
    assert found.ci_high == pytest.approx(differences.mean() + 1.96 * error, abs=0.1 * error)


@pytest.mark.parametrize(("a", "b"), [([], []), ([0.1], [float("nan")])])
def test_values_that_cannot_be_compared(a, b):
    with pytest.raises(ValueError, match=r"AP: .*finite values .*at least one"):
        compare(a, b, "AP")


def test_holm_by_hand():
    # Sorted 0.005 0.01 0.03 0.04: times 4, 3, 2, 1 = 0.02, 0.03, 0.06, 0.04 raised to 0.06.
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.5, 0.9]) == [1.0, 1.0]
    assert holm([0.02]) == [0.02]
    assert holm([]) == []


@given(st.lists(st.floats(0.0001, 1), min_size=1, max_size=20))
def test_holm_properties(p_values):
    corrected = holm(p_values)
    assert all(p <= q <= min(1.0, p * len(p_values) * (1 + 1e-12)) for p, q in zip(p_values, corrected, strict=True))
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    assert [corrected[i] for i in order] == sorted(corrected)


def table(rows: list[tuple[str, str]], topics: list[str]) -> dict[tuple[str, str], dict[str, dict[str, float]]]:
    return {
        row: {
            measure: dict(zip(topics, values(100 * index + place, len(topics), 0.05 * index), strict=True))
            for place, measure in enumerate(["P@10", "AP", "Judged@10"])
        }
        for index, row in enumerate(rows)
    }


ROWS = [("none", "qld"), ("words@11", "qld"), ("density@14", "qld")]
BASELINES = dict.fromkeys(ROWS[1:], ROWS[0])
TOPICS = [str(number) for number in range(1, 41)]


def test_the_family_is_all_tested_comparisons():
    found = compare_all(table(ROWS, TOPICS), BASELINES)
    assert {row: list(comparisons) for row, comparisons in found.items()} == {
        ROWS[1]: ["P@10", "AP"],
        ROWS[2]: ["P@10", "AP"],
    }
    family = [found[row][measure] for row in ROWS[1:] for measure in ("P@10", "AP")]
    assert [comparison.p_corrected for comparison in family] == holm([comparison.p for comparison in family])
    for row, comparisons in found.items():
        for measure, comparison in comparisons.items():
            variant, baseline = table(ROWS, TOPICS)[row][measure], table(ROWS, TOPICS)[ROWS[0]][measure]
            expected = scipy.stats.wilcoxon(list(variant.values()), list(baseline.values()), method="exact").pvalue
            assert comparison.p == pytest.approx(expected, rel=1e-9)


def test_without_correction_p_decides():
    corrected = compare_all(table(ROWS, TOPICS), BASELINES)
    for row, comparisons in compare_all(table(ROWS, TOPICS), BASELINES, correction="none").items():
        for measure, comparison in comparisons.items():
            assert comparison == replace(corrected[row][measure], p_corrected=None, correction="none")
            assert comparison.decisive_p == comparison.p
            assert corrected[row][measure].decisive_p == corrected[row][measure].p_corrected


@pytest.mark.parametrize("alpha", [0.01, 0.2])
def test_intervals_have_the_level_of_the_test(alpha: float):
    """They are the quantiles of the means of the very resamples of topics, drawn here once more."""
    whole = table(ROWS, TOPICS)
    found = compare_all(whole, BASELINES, alpha=alpha, seed=11)[ROWS[1]]["AP"]
    order = sorted(TOPICS)
    differences = np.array([whole[ROWS[1]]["AP"][topic] - whole[ROWS[0]]["AP"][topic] for topic in order])
    drawn = np.random.default_rng(11).integers(0, len(order), size=(10_000, len(order)))
    low, high = np.quantile(differences[drawn].mean(axis=1), [alpha / 2, 1 - alpha / 2])
    assert (found.ci_low, found.ci_high, found.alpha) == (pytest.approx(low), pytest.approx(high), alpha)
    usual = compare_all(whole, BASELINES, seed=11)[ROWS[1]]["AP"]
    assert (found.ci_low < usual.ci_low) is (alpha < 0.05)
    assert (found.p, found.p_corrected) == (usual.p, usual.p_corrected)


def test_nothing_depends_on_order():
    whole = table(ROWS, TOPICS)
    found = compare_all(whole, BASELINES)
    generator = random.Random(5)
    shuffled = {
        row: {
            measure: dict(generator.sample(list(by_topic.items()), len(by_topic)))
            for measure, by_topic in reversed(measures.items())
        }
        for row, measures in reversed(whole.items())
    }
    assert compare_all(shuffled, dict(reversed(BASELINES.items()))) == found


def test_an_interval_does_not_depend_on_the_other_rows():
    alone = compare_all(table(ROWS[:2], TOPICS), {ROWS[1]: ROWS[0]})[ROWS[1]]["AP"]
    together = compare_all(table(ROWS, TOPICS), BASELINES)[ROWS[1]]["AP"]
    assert (alone.ci_low, alone.ci_high, alone.p) == (together.ci_low, together.ci_high, together.p)
    assert alone.p_corrected <= together.p_corrected


def test_rows_that_do_not_fit_their_baseline():
    whole = table(ROWS, TOPICS)
    del whole[ROWS[1]]["AP"]["7"]
    with pytest.raises(ValueError, match="have different topics for AP"):
        compare_all(whole, BASELINES)
    del whole[ROWS[1]]["AP"]
    with pytest.raises(ValueError, match="have different measures"):
        compare_all(whole, BASELINES)


def test_the_interval_of_a_ratio_is_the_percentile_bootstrap():
    baseline = np.random.default_rng(1).lognormal(8, 1, 60)
    after = baseline * np.random.default_rng(2).uniform(0.1, 0.9, 60)
    low, high = ratio_interval(after, baseline)
    expected = scipy.stats.bootstrap(
        (after, baseline),
        lambda x, y, axis: x.mean(axis=axis) / y.mean(axis=axis),
        paired=True,
        n_resamples=10_000,
        method="percentile",
        rng=np.random.default_rng(7),
    )
    assert low == pytest.approx(expected.confidence_interval.low, abs=0.1 * expected.standard_error)
    assert high == pytest.approx(expected.confidence_interval.high, abs=0.1 * expected.standard_error)
    assert low < after.sum() / baseline.sum() < high
    wider = ratio_interval(after, baseline, alpha=0.01)
    assert wider[0] < low < high < wider[1]
    assert ratio_interval(after, baseline) == (low, high)
    assert ratio_interval(after, baseline, seed=4) != (low, high)


def test_the_interval_of_a_ratio_of_few_topics_is_that_of_all_resamples():
    # Each topic alone is 1 of 27 resamples of three, more than the 2.5 % beyond a bound.
    assert ratio_interval(np.array([1.0, 5.0, 9.0]), np.array([10.0, 20.0, 10.0])) == (0.1, pytest.approx(0.9))
    assert ratio_interval(np.array([3.0]), np.array([12.0])) == (0.25, 0.25)


def test_the_interval_of_a_ratio_that_is_the_same_of_all_topics_has_no_width():
    baseline = np.arange(1.0, 41.0)
    assert ratio_interval(baseline, baseline) == (1.0, 1.0)
    assert ratio_interval(np.zeros(40), baseline) == (0.0, 0.0)
    assert ratio_interval(0.25 * baseline, baseline) == (0.25, 0.25)


def test_topics_that_read_nothing_change_nothing_where_no_other_is_drawn():
    # A quarter of the resamples draws the first topic alone; the rest have the ratio of the second.
    assert ratio_interval(np.array([0.0, 2.0]), np.array([0.0, 4.0])) == (0.5, 1.0)


def test_a_variant_that_was_selected_on_the_topics_has_no_direction() -> None:
    better = compare([1.0] * 20, [0.0] * 20, "AP")
    assert better.direction == "better"
    assert replace(better, selected=True).direction == "none"

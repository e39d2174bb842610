"""Non-inferiority to the baseline: verdicts, error rates over simulated topic sets, sample sizes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from thresher.evaluation.non_inferiority import (
    MINIMUM,
    Margin,
    NonInferiorityTest,
    Verdict,
    non_inferiority,
    smallest_non_inferior,
    topics_needed,
)

NON, WORSE, OPEN = Verdict.NON_INFERIOR, Verdict.INFERIOR, Verdict.INCONCLUSIVE
MARGIN = Margin(0.05, relative=False)
BADNESS = {WORSE: 0, OPEN: 1, NON: 2}


def topic_set(seed: int, topics: int, losses: list[float], spread: float = 0.1) -> tuple[NDArray, NDArray]:
    """A baseline and cutoffs whose differences share most of their noise, as those of one sweep do."""
    generator = np.random.default_rng(seed)
    baseline = generator.beta(2, 3, topics)
    noise = 0.8 * generator.normal(0, spread, topics) + 0.6 * generator.normal(0, spread, (len(losses), topics))
    return baseline + noise - np.array(losses)[:, None], baseline


def test_a_worked_example() -> None:
    values, baseline = topic_set(1, 60, [0.0, 0.03, 0.06, 0.2])
    result = non_inferiority(values, baseline, MARGIN)
    assert (result.margin, result.topics) == (0.05, 60)
    assert [cutoff.verdict for cutoff in result.tests] == [NON, OPEN, OPEN, WORSE]
    for row, cutoff in zip(values - baseline, result.tests, strict=True):
        error = np.sqrt((row.var() + (0.05 / 4) ** 2) / 60)
        assert cutoff.difference == pytest.approx(row.mean())
        assert cutoff.low == pytest.approx(row.mean() - result.critical * error)
        assert cutoff.high > cutoff.difference
        assert cutoff.differing == 60
    # Four correlated cutoffs: dearer than one, cheaper than Bonferroni's four.
    assert scipy.stats.norm.ppf(0.95) < result.critical < scipy.stats.t.ppf(1 - 0.05 / 4, 59)
    assert result.tests[0].topics_needed is result.tests[3].topics_needed is None
    second = result.tests[1]
    width = (result.critical + scipy.stats.norm.ppf(0.8)) * np.sqrt(np.var(values[1] - baseline) + 0.0125**2)
    assert second.topics_needed == int(np.ceil((width / (second.difference + 0.05)) ** 2)) > 60


def test_not_significantly_different_is_not_enough() -> None:
    values, baseline = topic_set(2, 30, [0.0], spread=0.25)
    result = non_inferiority(values, baseline, MARGIN)
    assert scipy.stats.ttest_rel(values[0], baseline).pvalue > 0.3
    assert result.tests[0].verdict is OPEN


def test_a_difference_beyond_the_margin_needs_no_topics() -> None:
    values, baseline = topic_set(3, 40, [0.06], spread=0.3)
    result = non_inferiority(values - (values - baseline).mean() - 0.06, baseline, MARGIN).tests[0]
    assert (result.verdict, result.topics_needed) == (OPEN, None)


def test_a_relative_margin_is_the_share_of_this_baseline() -> None:
    values, baseline = topic_set(4, 80, [0.0, 0.02, 0.2], spread=0.04)
    result = non_inferiority(values, baseline, Margin(0.1, relative=True))
    assert result.margin == pytest.approx(0.1 * baseline.mean())
    assert [cutoff.verdict for cutoff in result.tests] == [NON, NON, WORSE]
    # The same as an absolute margin on values against 90 % of the baseline's, but for the floor, which goes by the margin.
    shifted = non_inferiority(
        values - 0.9 * baseline - result.margin, 0 * baseline, Margin(result.margin, relative=False)
    )
    assert [cutoff.low for cutoff in shifted.tests] == pytest.approx([cutoff.low for cutoff in result.tests])
    assert [cutoff.difference for cutoff in result.tests] == pytest.approx((values - baseline).mean(axis=1).tolist())


def test_with_too_few_topics_there_is_no_verdict() -> None:
    values, baseline = topic_set(5, MINIMUM, [0.0, 0.9], spread=0.01)
    assert [c.verdict for c in non_inferiority(values, baseline, MARGIN).tests] == [NON, WORSE]
    result = non_inferiority(values[:, :-1], baseline[:-1], MARGIN)
    assert [(c.verdict, c.topics_needed) for c in result.tests] == [(OPEN, MINIMUM), (OPEN, None)]
    one = non_inferiority(values[:, :1], baseline[:1], MARGIN).tests
    assert [(c.verdict, c.topics_needed) for c in one] == [(OPEN, MINIMUM), (OPEN, None)]


def test_cutoffs_where_few_topics_differ_or_none() -> None:
    baseline = np.full(50, 0.5)
    values = np.repeat(baseline[None], 3, axis=0)
    values[1, :2] -= 0.02
    values[2, :1] -= 0.5
    result = non_inferiority(values, baseline, MARGIN)
    assert [(c.differing, c.verdict) for c in result.tests] == [(0, NON), (2, NON), (1, OPEN)]
    assert result.tests[0].low < 0  # none of 50 topics differing is not proof that none ever does
    alone = non_inferiority(baseline[None], baseline, MARGIN)
    assert alone.critical == pytest.approx(scipy.stats.norm.ppf(0.95))
    assert alone.tests[0].low == pytest.approx(-alone.critical * 0.05 / 4 / 50**0.5)


def rejections(losses: list[float], topics: int, sets: int, draw: str) -> NDArray[np.bool_]:
    """Draw topic sets whose true losses are known: what is called non-inferior in each, [set, cutoff]."""
    result = []
    for seed in range(sets):
        if draw == "normal":
            values, baseline = topic_set(seed, topics, losses)
        else:
            # Six topics of ten do not change, the others by fifths: as precision at 5 does. Mean 0 before the loss.
            generator = np.random.default_rng(seed)
            steps = generator.choice([-0.4, -0.2, 0.0, 0.2, 0.4], p=[0.05, 0.15, 0.6, 0.15, 0.05], size=topics)
            own = generator.choice([-0.2, 0.0, 0.2], p=[0.1, 0.8, 0.1], size=(len(losses), topics))
            baseline = np.zeros(topics)
            lost = generator.random((1, topics)) < np.array(losses)[:, None] / 0.2
            values = steps + own - 0.2 * lost
        tested = non_inferiority(values, baseline, MARGIN, seed=seed, resamples=400)
        result.append([cutoff.verdict is NON for cutoff in tested.tests])
    return np.array(result)


@pytest.mark.parametrize("draw", ["normal", "steps"])
def test_the_family_wise_error_is_kept(draw: str) -> None:
    """Twelve cutoffs exactly at the margin: 5 of 100 topic sets may call any of them non-inferior.

    Of 400 sets, 0.05 has a standard error of 0.011: three of them are allowed for, and two the other way, as a test that never
    rejects is no test.
    """
    result = rejections([0.05] * 12, 40, 400, draw)
    assert 0.025 <= result.any(axis=1).mean() <= 0.085
    # One cutoff by itself errs less often than the family, far more often than with Bonferroni's correction.
    assert 0.05 / 12 < result[:, 0].mean() < result.any(axis=1).mean()


def test_one_bound_covers_as_often_as_it_says() -> None:
    result = rejections([0.05], 40, 500, "normal")
    assert result.mean() == pytest.approx(0.05, abs=0.03)


def test_the_number_of_topics_needed_has_the_power_it_promises() -> None:
    # The differences' standard deviation is 0.1 · sqrt(0.64 + 0.36).
    needed = topics_needed(-0.01, 0.05, 0.1, float(scipy.stats.norm.ppf(0.95)))
    assert needed == 39  # (1.6449 + 0.8416)² · 0.1² / 0.04² = 38.6
    assert rejections([0.01], needed, 400, "normal").mean() == pytest.approx(0.8, abs=0.06)


@pytest.mark.parametrize(
    ("difference", "needed"), [(-0.05, None), (-0.06, None), (0.0, 25), (-0.049, 61826), (0.5, MINIMUM)]
)
def test_topics_needed(difference: float, needed: int | None) -> None:
    assert topics_needed(difference, 0.05, 0.1, float(scipy.stats.norm.ppf(0.95))) == needed


CASES = st.tuples(st.integers(0, 10_000), st.integers(25, 40), st.integers(1, 5))


@settings(max_examples=40, deadline=None)
@given(CASES, st.floats(0, 0.3), st.booleans())
def test_a_gain_for_all_topics_never_worsens_a_verdict(case: tuple[int, int, int], gain: float, relative: bool) -> None:
    seed, topics, cutoffs = case
    values, baseline = topic_set(seed, topics, [0.04 * place for place in range(cutoffs)])
    margin = Margin(0.1, relative)
    before = non_inferiority(values, baseline, margin, resamples=200).tests
    values[0] += gain
    after = non_inferiority(values, baseline, margin, resamples=200).tests
    assert BADNESS[after[0].verdict] >= BADNESS[before[0].verdict]
    assert [cutoff.verdict for cutoff in after[1:]] == [cutoff.verdict for cutoff in before[1:]]


@settings(max_examples=30, deadline=None)
@given(CASES, st.randoms(use_true_random=False))
def test_the_order_of_topics_does_not_matter(case: tuple[int, int, int], random) -> None:
    seed, topics, cutoffs = case
    values, baseline = topic_set(seed, topics, [0.04] * cutoffs)
    order = random.sample(range(topics), topics)
    result = non_inferiority(values, baseline, MARGIN, resamples=100)
    again = non_inferiority(values[:, order], baseline[order], MARGIN, resamples=100)
    assert again.critical == result.critical
    assert [c.low for c in again.tests] == pytest.approx([c.low for c in result.tests], abs=1e-12)


def test_the_result_goes_by_the_seed() -> None:
    values, baseline = topic_set(6, 50, [0.0, 0.05])
    result = non_inferiority(values, baseline, MARGIN, seed=1)
    assert non_inferiority(values, baseline, MARGIN, seed=1) == result
    assert non_inferiority(values, baseline, MARGIN, seed=2) != result


def test_the_smallest_non_inferior_index() -> None:
    def cutoff(difference: float, verdict: Verdict) -> NonInferiorityTest:
        return replace(NonInferiorityTest(0, 0, 0, 0, OPEN, None), difference=difference, verdict=verdict)

    cutoffs = [cutoff(0.1, NON), cutoff(-0.01, NON), cutoff(0.0, NON), cutoff(0.0, NON), cutoff(0.2, OPEN)]
    assert smallest_non_inferior(cutoffs, [9, 5, 5, 5, 1]) == 2
    assert smallest_non_inferior(cutoffs, [4, 5, 5, 5, 1]) == 0
    assert smallest_non_inferior(cutoffs[4:], [1]) is None
    assert smallest_non_inferior([], []) is None


@pytest.mark.parametrize(
    ("value", "relative"), [(0, False), (-0.1, False), (float("nan"), False), (float("inf"), True), (1, True)]
)
def test_margins_that_are_none(value: float, relative: bool) -> None:
    with pytest.raises(ValueError, match=r"^a margin is above 0, and a relative one below 1$"):
        Margin(value, relative)


@pytest.mark.parametrize(
    ("values", "baseline"),
    [
        (np.zeros((2, 3)), np.zeros(4)),
        (np.zeros(3), np.zeros(3)),
        (np.zeros((0, 3)), np.zeros(3)),
        (np.zeros((2, 0)), np.zeros(0)),
        (np.full((1, 1), np.nan), np.zeros(1)),
        (np.zeros((1, 1)), np.full(1, np.inf)),
    ],
)
def test_values_that_do_not_fit(values: NDArray, baseline: NDArray) -> None:
    with pytest.raises(
        ValueError, match=r"^finite values \[variant, topic\] and a baseline \[topic\] are needed, at least"
    ):
        non_inferiority(values, baseline, MARGIN)


def test_a_relative_margin_needs_a_baseline() -> None:
    with pytest.raises(ValueError, match=r"^a margin relative to a baseline of 0 does not exist$"):
        non_inferiority(np.zeros((1, 30)), np.zeros(30), Margin(0.05, relative=True))

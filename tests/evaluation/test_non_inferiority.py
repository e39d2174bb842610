"""Tests at a margin: by Student's t, with an imaginary topic, and of two runs."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from thresher.base.errors import ConfigError, InputError
from thresher.base.numbers import Floats
from thresher.evaluation.non_inferiority import (
    MINIMUM,
    ImaginaryTopic,
    Margin,
    RunVerdict,
    compare_by_margin,
    fewest_conservative_topics,
    lower_bounds,
    parse_margin,
    topics_needed,
    unseen_share,
)

RELATIVE, ABSOLUTE = Margin(0.05, relative=True), Margin(0.03, relative=False)


def scores(seed: int, topics: int, loss: float = 0.0, spread: float = 0.1) -> tuple[Floats, Floats]:
    dice = np.random.default_rng(seed)
    baseline = dice.beta(3, 3, topics)
    return baseline - loss + dice.normal(0, spread, topics), baseline


def test_what_is_tested_is_above_0_where_the_loss_is_within_the_margin() -> None:
    values, baseline = scores(1, 40)
    for margin in (RELATIVE, ABSOLUTE):
        difference = float((values - baseline).mean())
        assert margin.tested(values, baseline).mean() == pytest.approx(difference + margin.loss(baseline))
    # They agree where the baseline is the same in all topics.
    even = np.full(40, 0.6)
    assert Margin(0.03, False).tested(values, even) == pytest.approx(RELATIVE.tested(values, even))


@pytest.mark.parametrize(("value", "relative"), [(0.0, False), (-1.0, True), (1.0, True), (math.nan, False)])
def test_no_margins(value: float, relative: bool) -> None:
    with pytest.raises(ValueError, match="above 0"):
        Margin(value, relative)


def test_a_share_of_nothing_is_no_margin() -> None:
    with pytest.raises(InputError, match="baseline's AP is 0"):
        RELATIVE.checked("AP", np.zeros(30))
    assert ABSOLUTE.checked("AP", np.zeros(30)) is ABSOLUTE


def test_margins_are_read() -> None:
    assert parse_margin("5%") == RELATIVE
    assert parse_margin(" 0.03") == ABSOLUTE
    for text in ("5 percent", "0", "100%", "nan", ""):
        with pytest.raises(ConfigError, match="is not a margin"):
            parse_margin(text)


@given(st.integers(0, 100), st.integers(2, 200))
def test_bounds_are_those_of_scipy(seed: int, topics: int) -> None:
    tested = RELATIVE.tested(*scores(seed, topics))
    expected = scipy.stats.ttest_1samp(tested, 0, alternative="greater").confidence_interval(0.9875).low
    assert lower_bounds(tested, 0.0125) == pytest.approx(expected, abs=1e-9)


def test_equal_values_have_no_spread() -> None:
    assert lower_bounds(np.full((1, 30), 0.02), 0.0125) == pytest.approx([0.02])
    assert lower_bounds(np.zeros((1, 30)), 0.0125) == pytest.approx([0.0])


@pytest.mark.slow
@pytest.mark.parametrize(("topics", "lost", "p"), [(100, 0, 0.0059), (100, 1, 0.0371), (172, 3, 0.0254)])
def test_an_imaginary_topic_gives_the_binomial_for_two_values(topics: int, lost: int, p: float) -> None:
    tested = np.full((1, topics), 0.05)
    tested[:, :lost] = -0.95
    imaginary = ImaginaryTopic(topics, draws=100_000)
    assert p == pytest.approx(scipy.stats.binom.cdf(lost, topics, 0.05), abs=1e-4)
    # A bound is above 0 at all levels above p.
    for level in (p - 0.002, p + 0.002):
        assert (imaginary.lower_bounds(tested, -0.95, level)[0] > 0) == (level > p)


def test_an_imaginary_topic_of_few_topics_shows_nothing() -> None:
    # If none of 60 topics changes, p is .046.
    low = [ImaginaryTopic(60).lower_bounds(np.full((1, 60), 0.05), -0.95, level)[0] for level in (0.0125, 0.05)]
    assert low[0] < 0 < low[1]
    assert ImaginaryTopic(3, draws=50).lower_bounds(np.ones((2, 3)), -1, 0.0125).tolist() == [-np.inf, -np.inf]


def test_how_many_topics_caution_takes() -> None:
    assert [fewest_conservative_topics(0.05, 0.05 / families) for families in (1, 2, 4, 8, 28)] == [59, 72, 86, 99, 124]
    for level in (0.05, 0.0125):
        fewest = fewest_conservative_topics(0.05, level)
        assert 0.95**fewest <= level < 0.95 ** (fewest - 1)
    assert [round(unseen_share(topics), 3) for topics in (36, 60, 100, 172)] == [0.08, 0.049, 0.03, 0.017]


def test_topics_needed_have_the_power() -> None:
    tested = np.random.default_rng(2).normal(size=60)
    tested = 0.02 + 0.1 * (tested - tested.mean()) / tested.std()
    needed = topics_needed(tested, 0.0125)
    assert needed is not None
    assert needed > 60
    dice = np.random.default_rng(3)
    more = dice.normal(tested.mean(), tested.std(ddof=1), (2000, needed))
    assert (lower_bounds(more, 0.0125) > 0).mean() == pytest.approx(0.8, abs=0.03)
    assert topics_needed(tested - tested.mean(), 0.0125) is None
    assert topics_needed(np.full(40, 0.1), 0.0125) == MINIMUM


def test_two_runs_at_a_margin() -> None:
    _, baseline = scores(4, 100)
    noise = np.random.default_rng(5).normal(0, 0.03, 100)
    noise -= noise.mean()
    better, same, worse = (compare_by_margin(baseline + noise + gain, baseline, RELATIVE) for gain in (0.05, 0, -0.1))
    assert [one.verdict for one in (better, same, worse)] == [
        RunVerdict.SUPERIOR,
        RunVerdict.NON_INFERIOR,
        RunVerdict.INFERIOR,
    ]
    assert (same.topics, same.margin) == (100, pytest.approx(0.05 * baseline.mean()))
    assert same.difference == pytest.approx(0, abs=1e-12)
    assert -same.margin < same.low < 0 < better.low
    assert worse.low < -worse.margin
    expected = scipy.stats.ttest_1samp(noise + 0.05 * baseline, 0, alternative="greater").pvalue
    assert same.p == pytest.approx(expected, abs=1e-12)
    assert (same.p_superior, worse.p_superior) == (pytest.approx(0.5), pytest.approx(1.0))


def test_few_topics_and_equal_runs() -> None:
    values, baseline = scores(6, MINIMUM - 1, -0.2)
    assert compare_by_margin(values, baseline, RELATIVE).verdict is RunVerdict.INCONCLUSIVE
    _, baseline = scores(6, MINIMUM)
    equal = compare_by_margin(baseline, baseline, ABSOLUTE)
    assert (equal.p, equal.p_superior, equal.verdict) == (0.0, 1.0, RunVerdict.NON_INFERIOR)

"""Rules that choose cutoffs, on topics that had no part in the choice."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from thresher.evaluation.cross_validation import CrossValidation, train, transfer, validated
from thresher.evaluation.non_inferiority import Margin, non_inferiority
from thresher.evaluation.rules import Rule, at_knee, highest_mean, smallest_without_loss
from thresher.evaluation.significance import SEED, compare

BEST = highest_mean([1, 1, 1])


def topic_set(seed: int, cutoffs: int, topics: int, spread: float = 0.2) -> tuple[NDArray, NDArray]:
    generator = np.random.default_rng(seed)
    baseline = generator.beta(2, 3, topics)
    return baseline + generator.normal(0, spread, (cutoffs, topics)), baseline


def cross_validate(values: NDArray, baseline: NDArray, rule: Rule, measure: str, **how: int) -> CrossValidation:
    """Train, and then pick by the same rule on all topics."""
    trainings = train(values, baseline, rule, **how)
    return validated(trainings, rule(values, baseline), values, baseline, measure, seed=how.get("seed", SEED))


def test_leaving_one_out_by_hand() -> None:
    values = np.array([[0.9, 0.1, 0.2, 0.3], [0.4, 0.4, 0.4, 0.4], [0.0, 0.0, 0.0, 0.0]])
    baseline = np.array([0.3, 0.3, 0.3, 0.3])
    # On all topics the second is best (0.4 against 0.375); without the first topic too (0.4 against 0.2); without any
    # other the first is (1.4, 1.3, 1.2 of three topics against 1.2: equal in the last, and the first of equals is taken).
    result = cross_validate(values, baseline, BEST, "AP", folds=4, repeats=7)
    assert (result.choice, result.apparent) == (1, pytest.approx(0.4))
    assert result.trainings.held_out == pytest.approx((0.4, 0.1, 0.2, 0.3))
    assert result.mean == pytest.approx(0.25)
    assert result.optimism == pytest.approx(0.15)
    assert (result.trainings.shares, result.trainings.baseline_share) == ((0.75, 0.25, 0.0), 0.0)
    assert result.comparison == compare(list(result.trainings.held_out), baseline.tolist(), "AP")


def test_every_topic_is_judged_by_trainings_without_it() -> None:
    values, baseline = topic_set(1, 3, 23)
    values[0] = np.arange(23)  # tells which topics a training has
    values[1:] = [[1.0], [2.0]]
    trainings: list[frozenset[float]] = []

    def rule(training: NDArray, base: NDArray) -> int | None:
        assert base.tolist() == baseline[training[0].astype(int)].tolist()
        trainings.append(frozenset(training[0].tolist()))
        return 1 + len(trainings) % 2

    result = cross_validate(values, baseline, rule, "AP", folds=5, repeats=3)
    everything = frozenset(range(23))
    assert len(trainings) == 16
    assert trainings[-1] == everything
    expected = np.zeros(23)
    for repeat in range(3):
        folds = [sorted(everything - training) for training in trainings[5 * repeat : 5 * repeat + 5]]
        assert sorted(topic for fold in folds for topic in fold) == sorted(everything)
        assert sorted(map(len, folds)) == [4, 4, 5, 5, 5]
        for place, fold in enumerate(folds, 5 * repeat + 1):
            expected[[int(topic) for topic in fold]] += (1 + place % 2) / 3
    assert result.trainings.held_out == pytest.approx(expected.tolist())
    assert trainings[:5] != trainings[5:10]
    assert (result.trainings.shares, result.trainings.baseline_share) == (pytest.approx((0, 7 / 15, 8 / 15)), 0)


def test_staying_with_the_baseline() -> None:
    values, baseline = topic_set(2, 3, 12)
    result = cross_validate(values, baseline, lambda training, base: None, "AP", folds=3, repeats=2)
    assert (result.choice, result.trainings.shares, result.trainings.baseline_share, result.optimism) == (
        None,
        (0, 0, 0),
        1,
        0,
    )
    assert result.trainings.held_out == pytest.approx(baseline.tolist())
    assert result.apparent == baseline.mean()
    assert result.comparison.note == "no topic differs"


def test_choosing_among_noise_is_optimistic_and_cross_validation_sees_it() -> None:
    """Twenty cutoffs that are worth what the baseline is: the best of them promises the expected maximum of 20 means."""
    apparent, honest = [], []
    for seed in range(60):
        values, baseline = topic_set(seed, 20, 40)
        result = cross_validate(values, baseline, highest_mean([1] * 20), "AP", repeats=2, seed=seed)
        apparent.append(result.apparent - baseline.mean())
        honest.append(result.comparison.difference)
    # 1.867 is the expected largest of 20 standard normal numbers; the standard error of a mean of 40 is 0.2 / sqrt(40).
    assert np.mean(apparent) == pytest.approx(1.867 * 0.2 / 40**0.5, rel=0.1)
    assert np.mean(honest) == pytest.approx(0, abs=3 * 0.2 / 40**0.5 / 60**0.5)


def test_a_cutoff_that_is_best_on_every_topic_loses_nothing() -> None:
    values, baseline = topic_set(3, 3, 30)
    values[1] = 2.0
    result = cross_validate(values, baseline, BEST, "AP")
    assert (result.choice, result.trainings.shares, result.optimism, result.mean) == (1, (0, 1, 0), 0, pytest.approx(2))


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 1000), st.integers(2, 30), st.integers(1, 3), st.data())
def test_properties(seed: int, topics: int, repeats: int, data: st.DataObject) -> None:
    values, baseline = topic_set(seed, 3, topics)
    folds = data.draw(st.integers(2, topics))
    result = cross_validate(values, baseline, BEST, "AP", folds=folds, repeats=repeats, seed=seed)
    assert sum(result.trainings.shares) + result.trainings.baseline_share == pytest.approx(1)
    assert result.apparent == pytest.approx(values.mean(axis=1).max())
    assert result.optimism == pytest.approx(result.apparent - result.mean)
    assert (values.min(axis=0) - 1e-9 <= result.trainings.held_out).all()
    assert (values.max(axis=0) + 1e-9 >= result.trainings.held_out).all()
    assert cross_validate(values, baseline, BEST, "AP", folds=folds, repeats=repeats, seed=seed) == result


@pytest.mark.parametrize(("folds", "repeats"), [(1, 1), (13, 1), (2, 0)])
def test_folds_that_do_not_exist(folds: int, repeats: int) -> None:
    values, baseline = topic_set(4, 3, 12)
    with pytest.raises(ValueError, match=r"^2 to 12 folds, as there are 12 topics, and at least 1 repeat are needed$"):
        cross_validate(values, baseline, BEST, "AP", folds=folds, repeats=repeats)


def test_to_another_topic_set_by_hand() -> None:
    training = (np.array([[0.5, 0.7], [0.4, 0.6]]), np.array([0.4, 0.4]))
    held_out = (np.array([[0.2, 0.3, 0.4], [0.5, 0.5, 0.2]]), np.array([0.3, 0.3, 0.3]))
    result = transfer(training, held_out, highest_mean([1, 1]), "AP", seed=3)
    assert (result.choice, result.best) == (0, 1)
    assert (result.training, result.mean, result.apparent) == pytest.approx((0.6, 0.3, 0.4))
    assert result.optimism == pytest.approx(0.1)
    assert result.comparison == compare([0.2, 0.3, 0.4], [0.3, 0.3, 0.3], "AP", seed=3)
    assert transfer(training, training, highest_mean([1, 1]), "AP").optimism == 0
    stay = transfer(training, held_out, lambda values, base: None if len(base) == 2 else 0, "AP")
    assert (stay.choice, stay.best, stay.training, stay.mean) == (None, 0, pytest.approx(0.4), pytest.approx(0.3))


def test_another_topic_set_has_the_same_cutoffs() -> None:
    with pytest.raises(ValueError, match=r"^the training and the held-out topics need the same variants$"):
        transfer(topic_set(5, 3, 12), topic_set(6, 2, 12), BEST, "AP")


def test_values_that_do_not_fit() -> None:
    values, baseline = topic_set(7, 3, 12)
    message = r"^finite values \[variant, topic\] and a baseline \[topic\] are needed, at least one of each$"
    with pytest.raises(ValueError, match=message):
        cross_validate(values, baseline[1:], BEST, "AP")
    with pytest.raises(ValueError, match=message):
        transfer((values, baseline), (values * np.nan, baseline), BEST, "AP")


def test_the_rules() -> None:
    generator = np.random.default_rng(8)
    baseline = generator.beta(2, 3, 60)
    losses = np.array([0.0, -0.01, 0.0, 0.3])
    values = baseline - losses[:, None] + generator.normal(0, 0.01, (4, 60))
    sizes = [0.9, 0.7, 0.5, 0.1]
    assert highest_mean(sizes)(values, baseline) == 1
    assert at_knee(sizes, 1.0)(values, baseline) == 2
    assert smallest_without_loss(sizes, Margin(0.05, relative=True))(values, baseline) == 2
    assert smallest_without_loss(sizes, Margin(0.9, relative=False))(values, baseline) == 3
    assert smallest_without_loss(sizes[3:], Margin(0.05, relative=True))(values[3:], baseline) is None
    assert at_knee(sizes[2:], 1.0)(values[2:], baseline + 1) is None  # the curve bends the other way
    assert at_knee([5.0, 9.0], 1.0)(np.array([[0.4], [0.6]]), np.array([0.0])) == 0
    # The baseline is a point of the curve, and at its knee nothing is to be gained by pruning.
    assert at_knee([1.0, 9.0], 2.0)(np.array([[0.0], [1.0]]), np.array([0.9])) is None


def test_a_rule_in_the_folds_goes_by_its_own_topics() -> None:
    values, baseline = topic_set(9, 4, 60, spread=0.03)
    values[3] -= 0.2
    judge = functools.partial(non_inferiority, resamples=500)
    rule = smallest_without_loss([0.9, 0.7, 0.5, 0.1], Margin(0.05, relative=False), judge=judge)
    result = cross_validate(values, baseline, rule, "AP", folds=5, repeats=2)
    assert (result.choice, result.trainings.shares, result.trainings.baseline_share) == (2, (0, 0, 1, 0), 0)
    assert result.trainings.held_out == tuple(values[2].tolist())

"""What rules are worth on topics that had no part."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.experiments.choosing.gains import FOLDS, Splits, held_out_values, training_splits


@given(st.integers(2, 80), st.integers(1, 4))
def test_each_topic_is_held_out_once_in_a_repeat(topics: int, repeats: int) -> None:
    splits = training_splits(topics, repeats)
    folds = min(FOLDS, topics)
    assert splits.shape == (repeats * folds, topics)
    for repeat in range(repeats):
        held_out = ~splits[repeat * folds : (repeat + 1) * folds]
        assert (held_out.sum(axis=0) == 1).all()
        sizes = held_out.sum(axis=1)
        assert sizes.max() - sizes.min() <= 1


def test_a_pick_is_judged_on_what_it_did_not_see() -> None:
    values = np.arange(2 * 3 * 6, dtype=float).reshape(2, 3, 6)
    splits = np.ones((3, 6), dtype=bool)
    for fold in range(3):
        splits[fold, 2 * fold : 2 * fold + 2] = False
    picks = [2, None, 1]
    found = held_out_values(values, values[:, 0], lambda seen: picks if seen is splits else [], splits)
    expected = np.concatenate((values[:, 2, :2], values[:, 0, 2:4], values[:, 1, 4:]), axis=1)
    assert (found == expected).all()


def test_the_best_of_noise_is_worth_nothing() -> None:
    values = np.random.default_rng(1).normal(size=(1, 50, 60))

    def best(splits: Splits) -> list[int | None]:
        return [int(np.argmax(values[0][:, training].mean(axis=1))) for training in splits]

    held_out = held_out_values(values, np.zeros((1, 60)), best, training_splits(60, repeats=5))
    assert values[0].mean(axis=1).max() > 0.25
    assert held_out.mean() == pytest.approx(0, abs=0.25)

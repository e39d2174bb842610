"""Drawing blocks by weight."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from content_training.fitting import draw

WEIGHTS = st.lists(st.floats(0.01, 100), min_size=1, max_size=60).map(np.array)


def chances(weights: np.ndarray, most: int) -> list[float]:
    """Each block's chance by bisection: in proportion to its weight, at most 1, `most` in all."""
    low, high = 0.0, most / weights.min()
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (low, middle) if np.minimum(1, middle * weights).sum() > most else (middle, high)
    return np.minimum(1, low * weights).tolist()


@given(WEIGHTS, st.integers(1, 60), st.integers(0, 99))
def test_weights_drawn_are_divided_by_their_chances(weights, most, seed):
    drawn, new = draw(weights, most, seed)
    if len(weights) <= most:
        assert drawn.tolist() == [*range(len(weights))]
        assert new.tolist() == weights.tolist()
        return
    expected = chances(weights, most)
    assert (np.diff(drawn) > 0).all()
    assert {place for place, chance in enumerate(expected) if chance > 1 - 1e-9} <= {*drawn.tolist()}
    assert new.tolist() == pytest.approx([weights[place] / expected[place] for place in drawn.tolist()])


def test_as_many_as_asked_and_the_same_sum_in_the_mean():
    weights = np.random.default_rng(0).lognormal(0, 2, 1000)
    draws = [draw(weights, 400, seed) for seed in range(200)]
    assert np.mean([len(drawn) for drawn, _ in draws]) == pytest.approx(400, rel=0.01)
    assert np.mean([new.sum() for _, new in draws]) == pytest.approx(weights.sum(), rel=0.01)


def test_a_seed_draws_the_same():
    weights = np.arange(1, 101) / 10
    assert draw(weights, 20, 1)[0].tolist() == draw(weights, 20, 1)[0].tolist() != draw(weights, 20, 2)[0].tolist()

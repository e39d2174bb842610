"""Information gain and intervals against scikit-learn and a plain recursion."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import mutual_info_score

from thresher.studying.block_study import cut_points, entropy, information_gain


def plain_entropy(labels):
    return -sum(count / len(labels) * math.log2(count / len(labels)) for count in Counter(labels).values())


def plain_cuts(pairs):
    """Fayyad and Irani's rule as they write it, one cut after the other."""
    pairs = sorted(pairs)
    values = sorted({value for value, _ in pairs})
    if len(values) < 2:
        return []
    labels = [label for _, label in pairs]
    bits, n = plain_entropy(labels), len(pairs)
    best = None
    for low, high in itertools.pairwise(values):
        sides = [label for value, label in pairs if value <= low], [label for value, label in pairs if value > low]
        after = sum(len(side) / n * plain_entropy(side) for side in sides)
        if best is None or after < best[0] - 1e-12:
            best = after, (low + high) / 2, sides
    after, cut, sides = best
    k, *parts = (len(set(each)) for each in (labels, *sides))
    delta = math.log2(3**k - 2) - (k * bits - sum(c * plain_entropy(s) for c, s in zip(parts, sides, strict=True)))
    if bits - after <= (math.log2(n - 1) + delta) / n:
        return []
    left, right = [p for p in pairs if p[0] <= cut], [p for p in pairs if p[0] > cut]
    return sorted([*plain_cuts(left), cut, *plain_cuts(right)])


def test_a_feature_that_says_all_has_the_whole_entropy():
    values, labels = np.array([1.0, 2, 3, 4, 11, 12, 13, 14]), np.array([0, 0, 0, 0, 1, 1, 1, 1])
    assert cut_points(values, labels, 2).tolist() == [7.5]
    assert information_gain(values, labels, 2, np.ones(8)) == pytest.approx(1)
    # By words the classes are three to one: H = 0.8113.
    words = np.array([3.0] * 4 + [1] * 4)
    assert information_gain(values, labels, 2, words) == pytest.approx(0.811278, abs=1e-6)


def test_a_feature_that_says_nothing_is_one_interval():
    values, labels = np.arange(12.0), np.array([0, 1] * 6)
    assert cut_points(values, labels, 2).tolist() == []
    assert information_gain(values, labels, 2, np.ones(12)) == pytest.approx(0)
    assert cut_points(np.ones(5), np.array([0, 1, 0, 1, 1]), 2).tolist() == []


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 2)), min_size=2, max_size=60), st.integers(2, 8))
def test_the_gain_is_the_mutual_information_of_intervals_and_words_are_repetitions(pairs, shift):
    # Classes follow the values, so that there is something to cut.
    pairs = [(value, label if value % shift else value // 4) for value, label in pairs] * 2
    values, labels = np.array([value for value, _ in pairs], dtype=float), np.array([label for _, label in pairs])
    cuts = cut_points(values, labels, 3)
    interval = np.searchsorted(cuts, values)
    gain = information_gain(values, labels, 3, np.ones(len(values)))
    assert gain == pytest.approx(mutual_info_score(interval, labels) / math.log(2), abs=1e-9)
    weights = np.array([1 + at % 3 for at in range(len(values))])
    repeated = information_gain(np.repeat(values, weights), np.repeat(labels, weights), 3, np.ones(weights.sum()), cuts)
    assert information_gain(values, labels, 3, weights.astype(float), cuts) == pytest.approx(repeated, abs=1e-9)


@pytest.mark.parametrize("seed", range(8))
def test_cuts_of_continuous_values(seed):
    draw = np.random.default_rng(seed)
    values = draw.normal(size=300).round(2)
    labels = ((values > -0.5).astype(int) + (values > 0.8) + (draw.random(300) < 0.1)) % 3
    expected = plain_cuts([*zip(values.tolist(), labels.tolist(), strict=True)])
    assert len(expected) >= 2
    assert cut_points(values, labels, 3).tolist() == pytest.approx(expected)


def test_entropy_of_rows():
    assert entropy(np.array([[1, 1, 1, 1], [5, 0, 0, 0], [0, 0, 0, 0]])).tolist() == [2, 0, 0]

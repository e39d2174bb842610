"""Scores and information gain against scikit-learn, pairs counted one by one, a plain recursion and the paper's ZeroR."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import mutual_info_score, precision_recall_fscore_support

from block_measures import block_scores, cut_points, entropy, information_gain


def test_zero_rule_scores_what_table_2_says():
    # Content is 63.8 % of the words: precision 40.7, recall 63.8, F1 49.7, false-positive rate 63.8.
    labels, words = np.array([0, 1]), np.array([36.2, 63.8])
    scores = block_scores(labels, np.array([[0.362, 0.638]] * 2), words)
    assert [*scores.values()] == pytest.approx([0.407, 0.638, 0.497, 0.638, 0.5], abs=5e-4)


def plain_area(truth, scores, weights):
    won = total = 0.0
    for score, weight in zip(scores[truth], weights[truth], strict=True):
        for other, its in zip(scores[~truth], weights[~truth], strict=True):
            total += weight * its
            won += weight * its * (1 if score > other else 0.5 if score == other else 0)
    return won / total


@pytest.mark.parametrize("seed", range(4))
def test_means_over_classes(seed):
    draw = np.random.default_rng(seed)
    labels, words = draw.integers(0, 3, 80), draw.integers(0, 20, 80).astype(float)
    scores = draw.random((80, 3)).round(1)
    scores[np.arange(80), labels] += 0.2
    found = block_scores(labels, scores, words)
    predicted = scores.argmax(axis=1)
    expected = precision_recall_fscore_support(
        labels, predicted, average="weighted", sample_weight=words, zero_division=0
    )
    assert [found[name] for name in ("precision", "recall", "f1")] == pytest.approx(expected[:3])
    shares = [words[labels == kind].sum() / words.sum() for kind in range(3)]
    rates = [words[(labels != kind) & (predicted == kind)].sum() / words[labels != kind].sum() for kind in range(3)]
    assert found["false_positive_rate"] == pytest.approx(np.dot(shares, rates))
    areas = [plain_area(labels == kind, scores[:, kind], words) for kind in range(3)]
    assert found["roc_area"] == pytest.approx(np.dot(shares, areas))


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


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 2)), min_size=2, max_size=60), st.integers(2, 8))
def test_the_gain_is_the_mutual_information_of_intervals_and_words_are_repetitions(pairs, shift):
    # Classes follow the values, so that there is something to cut.
    pairs = [(value, label if value % shift else value // 4) for value, label in pairs] * 2
    values, labels = np.array([value for value, _ in pairs], dtype=float), np.array([label for _, label in pairs])
    cuts = cut_points(values, labels, 3)
    interval = np.searchsorted(cuts, values)
    gain = information_gain(values, labels, 3, np.ones(len(values)), cuts)
    assert gain == pytest.approx(mutual_info_score(interval, labels) / math.log(2), abs=1e-9)
    weights = np.array([1 + at % 3 for at in range(len(values))])
    repeated = information_gain(np.repeat(values, weights), np.repeat(labels, weights), 3, np.ones(weights.sum()), cuts)
    assert information_gain(values, labels, 3, weights.astype(float), cuts) == pytest.approx(repeated, abs=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_cuts_of_continuous_values(seed):
    draw = np.random.default_rng(seed)
    values = draw.normal(size=300).round(2)
    labels = ((values > -0.5).astype(int) + (values > 0.8) + (draw.random(300) < 0.1)) % 3
    expected = plain_cuts([*zip(values.tolist(), labels.tolist(), strict=True)])
    assert len(expected) >= 2
    assert cut_points(values, labels, 3).tolist() == pytest.approx(expected)


def test_entropy_of_rows():
    assert entropy(np.array([[1, 1, 1, 1], [5, 0, 0, 0], [0, 0, 0, 0]])).tolist() == [2, 0, 0]

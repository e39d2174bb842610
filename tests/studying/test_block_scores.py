"""Scores of classifications against scikit-learn, pairs counted one by one, and the paper's ZeroR."""

import numpy as np
import pytest
from sklearn.metrics import precision_recall_fscore_support

from thresher.studying.block_study import block_scores


def test_zero_rule_scores_what_table_2_says():
    # Content is 63.8 % of the words: precision 40.7, recall 63.8, F1 49.7, false-positive rate 63.8.
    labels, words = np.array([0, 1]), np.array([36.2, 63.8])
    scores = block_scores(labels, np.array([[0.362, 0.638]] * 2), words)
    assert scores.precision == pytest.approx(0.407, abs=5e-4)
    assert scores.recall == pytest.approx(0.638)
    assert scores.f1 == pytest.approx(0.497, abs=5e-4)
    assert scores.false_positive_rate == pytest.approx(0.638)
    assert scores.area == 0.5


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
    assert (found.precision, found.recall, found.f1) == pytest.approx(expected[:3])
    shares = [words[labels == kind].sum() / words.sum() for kind in range(3)]
    rates = [words[(labels != kind) & (predicted == kind)].sum() / words[labels != kind].sum() for kind in range(3)]
    assert found.false_positive_rate == pytest.approx(np.dot(shares, rates))
    areas = [plain_area(labels == kind, scores[:, kind], words) for kind in range(3)]
    assert found.area == pytest.approx(np.dot(shares, areas))


def test_one_class_has_no_area():
    found = block_scores(np.array([1, 1]), np.array([[0.0, 1], [1, 0]]), np.ones(2))
    assert (found.precision, found.recall, found.f1, found.false_positive_rate) == (1, 0.5, pytest.approx(2 / 3), 0)
    assert np.isnan(found.area)

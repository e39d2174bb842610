"""F1, intervals and McNemar's test against scikit-learn, SciPy and resampling page by page."""

import numpy as np
import pytest
from scipy.stats import binomtest

from thresher.classifying.class_measures import confusion, f1_by_class, f1_intervals, mcnemar, paired_difference


def sample(seed, pages=300):
    draw = np.random.default_rng(seed)
    labels = draw.choice(4, pages, p=(0.6, 0.25, 0.1, 0.05))
    guesses = [np.where(draw.random(pages) < share, labels, draw.integers(0, 4, pages)) for share in (0.5, 0.65)]
    return labels, *guesses


def f1_score(*arguments, **options):
    # Not while tests are collected, for which every process of the suite would import it.
    from sklearn import metrics

    return metrics.f1_score(*arguments, **options)


def test_mcnemar_is_the_exact_binomial_test():
    # Fleiss, Levin and Paik have it so: of discordant pairs either side is as likely.
    for gained, lost in ((0, 0), (1, 0), (5, 1), (1, 5), (12, 12), (40, 75), (700, 810), (2000, 1)):
        expected = binomtest(gained, gained + lost).pvalue if gained + lost else 1
        assert mcnemar(gained, lost) == pytest.approx(expected, rel=1e-9), (gained, lost)


@pytest.mark.parametrize("seed", range(3))
def test_f1_of_classes(seed):
    labels, guessed, _ = sample(seed)
    expected = f1_score(labels, guessed, average=None)
    by_class, macro = f1_intervals(confusion(labels, guessed, 4))
    assert [one.mean for one in by_class] == pytest.approx(expected)
    assert macro.mean == pytest.approx(f1_score(labels, guessed, average="macro"))
    assert macro.low < macro.mean < macro.high
    # A class that neither occurs nor is predicted.
    assert f1_by_class(confusion(labels, guessed, 5))[4] == 0


def test_intervals_are_those_of_drawing_pages():
    labels, guessed, other = sample(7)
    draw = np.random.default_rng(1)
    macros, differences = [], []
    for _ in range(2000):
        pages = draw.integers(0, len(labels), len(labels))
        both = [f1_by_class(confusion(labels[pages], one[pages], 4)).mean() for one in (other, guessed)]
        macros.append(both[0])
        differences.append(both[0] - both[1])
    _, macro = f1_intervals(confusion(labels, other, 4))
    assert (macro.low, macro.high) == pytest.approx(np.quantile(macros, (0.025, 0.975)), abs=0.01)
    difference = paired_difference(labels, other, guessed, 4)
    assert difference.mean == pytest.approx(
        f1_score(labels, other, average="macro") - f1_score(labels, guessed, average="macro")
    )
    assert (difference.low, difference.high) == pytest.approx(np.quantile(differences, (0.025, 0.975)), abs=0.01)


def test_the_same_predictions_do_not_differ():
    labels, guessed, _ = sample(3)
    found = paired_difference(labels, guessed, guessed, 4)
    assert (found.mean, found.low, found.high) == (0, 0, 0)

"""ZeroR and 1R against the example of the textbook and a plain computation."""

import numpy as np
import pytest

from thresher.studying.block_classifiers import one_rule, zero_rule

# Witten, Frank and Hall, Data Mining, 3rd ed., section 4.1: temperatures at which a game was played.
TEMPERATURES = np.array([64, 65, 68, 69, 70, 71, 72, 72, 75, 75, 80, 81, 83, 85], dtype=float)
PLAYED = np.array([1, 0, 1, 1, 1, 0, 0, 1, 1, 1, 0, 1, 1, 0])


def test_the_textbooks_temperatures_are_cut_at_77_5():
    rule = one_rule(TEMPERATURES[:, None], PLAYED, 2, np.ones(14), least=3)
    assert rule.cuts.tolist() == [77.5]
    assert rule.shares.tolist() == [[0.3, 0.7], [0.5, 0.5]]
    assert rule.predict(np.array([[77.5], [77.6]])).argmax(axis=1).tolist() == [1, 0]


def test_the_feature_that_errs_least_by_weight():
    noise = np.array([1.0, 2, 1, 2, 1, 2, 1, 2])
    good = np.array([1.0, 1, 1, 1, 5, 5, 5, 5])
    labels = np.array([0, 0, 0, 1, 1, 1, 1, 1])
    rule = one_rule(np.stack((noise, good), axis=1), labels, 2, np.ones(8), least=2)
    assert (rule.feature, rule.cuts.tolist()) == (1, [3.0])
    # The one block that it errs on outweighs all others.
    heavy = np.array([1.0, 1, 1, 100, 1, 1, 1, 1])
    assert one_rule(good[:, None], labels, 2, heavy, least=2).predict(good[:, None]).argmax(axis=1).tolist() == [1] * 8


def test_equal_values_stay_together():
    values = np.array([1.0] * 7 + [2.0] * 7)
    labels = np.array([0] * 6 + [1] + [1] * 7)
    rule = one_rule(values[:, None], labels, 2, np.ones(14))
    assert rule.cuts.tolist() == [1.5]
    assert rule.shares.tolist() == [[pytest.approx(6 / 7), pytest.approx(1 / 7)], [0, 1]]


def test_zero_rule_takes_the_class_of_most_weight():
    labels, features = np.array([0, 0, 0, 1]), np.zeros((4, 2))
    assert zero_rule(labels, 3, np.ones(4)).predict(features).tolist() == [[0.75, 0.25, 0]] * 4
    assert zero_rule(labels, 2, np.array([1.0, 1, 1, 9])).predict(features)[0].tolist() == [0.25, 0.75]

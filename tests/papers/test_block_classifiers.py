"""1R against the example of the textbook and a plain computation, reduced-error pruning against all prunings there are."""

from copy import deepcopy
from itertools import product

import numpy as np
import pytest

from block_classifiers import grow_tree, one_rule, prune_tree

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


def sample(seed, rows=400, classes=3):
    draw = np.random.default_rng(seed)
    features = draw.normal(size=(rows, 3)).round(1).astype(np.float32)
    labels = (features[:, 0] > 0).astype(int) + (features[:, 1] > 0.5) * (classes - 2)
    noisy = draw.random(rows) < 0.3
    return features, np.where(noisy, draw.integers(0, classes, rows), labels), draw.integers(1, 9, rows).astype(float)


def prunings(tree, node=0):
    """Give every set of inner nodes that may be made leaves, none of them below another."""
    yield frozenset([node])
    if tree.children_left[node] >= 0:
        below = (prunings(tree, int(tree.children_left[node])), prunings(tree, int(tree.children_right[node])))
        for left, right in product(*map(list, below)):
            yield left | right


@pytest.mark.parametrize("seed", range(4))
def test_the_pruned_tree_is_the_smallest_of_those_that_err_least(seed):
    features, labels, weights = sample(seed)
    grown = grow_tree(features, labels, weights, 25)
    others, truth, heavy = sample(seed + 100)
    best = []
    for leaves in prunings(grown.tree_):
        cut = deepcopy(grown)
        cut.tree_.children_left[[*leaves]] = cut.tree_.children_right[[*leaves]] = -1
        best.append((float(heavy[cut.predict(others) != truth].sum()), len(leaves)))
    before = len(np.unique(grown.apply(features)))
    prune_tree(grown, others, truth, heavy)
    after = len(np.unique(grown.apply(features)))
    assert (float(heavy[grown.predict(others) != truth].sum()), after) == min(best)
    assert 1 <= after < before


def test_a_tree_that_helps_is_not_pruned():
    features = np.array([[0.0], [0], [1], [1]], dtype=np.float32)
    labels = np.array([0, 0, 1, 1])
    tree = grow_tree(features, labels, np.ones(4), 1)
    prune_tree(tree, features, labels, np.ones(4))
    assert tree.apply(features).tolist() == [1, 1, 2, 2]
    # Of two classes that weigh the same, a leaf says the first.
    prune_tree(tree, features, np.zeros(4, dtype=int), np.ones(4))
    assert tree.predict(features).tolist() == [0] * 4

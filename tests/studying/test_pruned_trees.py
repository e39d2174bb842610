"""Trees against scikit-learn's, and reduced-error pruning against all prunings there are."""

from itertools import product

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from thresher.studying.block_classifiers import BlockTree, grow_tree, prune_tree


def sample(seed, rows=400, classes=3):
    draw = np.random.default_rng(seed)
    features = draw.normal(size=(rows, 3)).round(1).astype(np.float32)
    labels = (features[:, 0] > 0).astype(int) + (features[:, 1] > 0.5) * (classes - 2)
    noisy = draw.random(rows) < 0.3
    return features, np.where(noisy, draw.integers(0, classes, rows), labels), draw.integers(1, 9, rows).astype(float)


@pytest.mark.parametrize("seed", range(3))
def test_predictions_and_leaves_are_scikit_learns(seed):
    features, labels, weights = sample(seed)
    tree = grow_tree(features, labels, 4, weights, 10)
    theirs = DecisionTreeClassifier(criterion="entropy", min_samples_leaf=10, random_state=0)
    theirs.fit(features, labels, weights)
    other, _, _ = sample(seed + 10)
    assert np.allclose(tree.predict(other)[:, :3], theirs.predict_proba(other))
    assert (tree.predict(other)[:, 3] == 0).all(), "a class that does not occur"
    assert tree.leaves == theirs.get_n_leaves()
    assert np.bincount(tree.leaf_of(features)).max() < len(features)
    assert np.bincount(tree.leaf_of(features))[np.unique(tree.leaf_of(features))].min() >= 10


def prunings(tree, node=0):
    """Give every set of inner nodes that may be made leaves, none of them below another."""
    yield frozenset([node])
    if tree.left[node] >= 0:
        below = (prunings(tree, int(tree.left[node])), prunings(tree, int(tree.right[node])))
        for left, right in product(*map(list, below)):
            yield left | right


@pytest.mark.parametrize("seed", range(6))
def test_the_pruned_tree_is_the_smallest_of_those_that_err_least(seed):
    features, labels, weights = sample(seed)
    tree = grow_tree(features, labels, 3, weights, 25)
    others, truth, heavy = sample(seed + 100)
    best = []
    for leaves in prunings(tree):
        left = tree.left.copy()
        left[list(leaves)] = -1
        cut = BlockTree(tree.features, tree.thresholds, left, tree.right, tree.shares)
        wrong = cut.predict(others).argmax(axis=1) != truth
        best.append((float(heavy[wrong].sum()), len(leaves)))
    pruned = prune_tree(tree, others, truth, heavy)
    wrong = pruned.predict(others).argmax(axis=1) != truth
    assert (float(heavy[wrong].sum()), pruned.leaves) == min(best)
    assert 1 <= pruned.leaves < tree.leaves


def test_a_tree_that_helps_is_not_pruned():
    features = np.array([[0.0], [0], [1], [1]], dtype=np.float32)
    labels = np.array([0, 0, 1, 1])
    tree = grow_tree(features, labels, 2, np.ones(4), 1)
    assert prune_tree(tree, features, labels, np.ones(4)).leaves == 2
    # Of two classes that weigh the same, a leaf says the first.
    assert prune_tree(tree, features, np.zeros(4, dtype=int), np.ones(4)).leaves == 1

"""Decision trees by information gain, and reduced-error pruning.

Like C4.8, trees ask of numbers whether they are at most a threshold. Unlike it they are grown by information gain and not by
its ratio, which matters where questions have many answers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Doubles = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class BlockTree:
    """A binary tree. Nodes come before those below them; the root is number 0.

    Attributes:
        features: the column that each node asks for; shape (nodes,).
        thresholds: a block goes left if its value is at most that; shape (nodes,).
        left, right: the nodes below; -1 at a leaf; shape (nodes,).
        shares: of classes among the weight of the training blocks; shape (nodes, classes).
    """

    features: Ints
    thresholds: Doubles
    left: Ints
    right: Ints
    shares: Doubles

    def leaf_of(self, features: npt.NDArray[Any]) -> Ints:
        """Return the leaf that each block comes to; shape (blocks,)."""
        node = np.zeros(len(features), dtype=np.int64)
        rows = np.arange(len(features))
        while len(rows := rows[self.left[node[rows]] >= 0]):
            at = node[rows]
            is_left = features[rows, self.features[at]] <= self.thresholds[at]
            node[rows] = np.where(is_left, self.left[at], self.right[at])
        return node

    def predict(self, features: npt.NDArray[Any]) -> Doubles:
        """Return the shares of classes in each block's leaf; shape (blocks, classes)."""
        found: Doubles = self.shares[self.leaf_of(features)]
        return found

    @property
    def leaves(self) -> int:
        """The number of leaves that can be reached."""
        count, waiting = 0, [0]
        while waiting:
            node = waiting.pop()
            if self.left[node] < 0:
                count += 1
            else:
                waiting += [int(self.left[node]), int(self.right[node])]
        return count


def grow_tree(features: npt.NDArray[Any], labels: Ints, classes: int, weights: Doubles, least: int) -> BlockTree:
    """Grow a tree by information gain (Quinlan, C4.5, 1993), no leaf of which has fewer than `least` blocks.

    scikit-learn does the work.

    Args:
        features: shape (blocks, features).
        labels: from 0; shape (blocks,).
        classes: how many there are, whether or not all occur.
        weights: of the blocks; not all 0; shape (blocks,).
        least: blocks of a leaf.
    """
    from sklearn.tree import DecisionTreeClassifier

    grown = DecisionTreeClassifier(criterion="entropy", min_samples_leaf=least, random_state=0)
    grown.fit(features, labels, weights)
    tree = grown.tree_
    shares = np.zeros((tree.node_count, classes))
    shares[:, grown.classes_] = tree.value[:, 0, :]
    return BlockTree(tree.feature.astype(np.int64), tree.threshold, tree.children_left, tree.children_right, shares)


def prune_tree(tree: BlockTree, features: npt.NDArray[Any], labels: Ints, weights: Doubles) -> BlockTree:
    """Return the tree with each node made a leaf, from the bottom, that then errs no more on other blocks, by weight.

    Source: Quinlan, Simplifying Decision Trees, Int. J. Man-Machine Studies 27, 1987 (reduced-error pruning).

    Args:
        tree: grown on other blocks.
        features, labels, weights: of blocks it has not seen.
    """
    nodes, classes = tree.shares.shape
    table = np.bincount(tree.leaf_of(features) * classes + labels, weights, nodes * classes).reshape(nodes, classes)
    left, right = tree.left.copy(), tree.right.copy()
    errors = np.zeros(nodes)
    for node in range(nodes - 1, -1, -1):
        below = [int(left[node]), int(right[node])]
        if left[node] >= 0:
            table[node] = table[below].sum(axis=0)
        as_leaf = table[node].sum() - table[node, tree.shares[node].argmax()]
        errors[node] = as_leaf if left[node] < 0 else errors[below].sum()
        # Sums of weights in another order differ in their last digits.
        if left[node] >= 0 and as_leaf <= errors[node] + 1e-9 * max(1.0, as_leaf):
            left[node] = right[node] = -1
            errors[node] = as_leaf
    return BlockTree(tree.features, tree.thresholds, left, right, tree.shares)

"""The classifiers of Table 2 of Kohlschütter et al. (2010), and the figures they have there: ZeroR, 1R, decision trees.

Like C4.8, trees ask of numbers whether they are at most a threshold. Unlike it they are grown by information gain and not by
its ratio, which matters where questions have many answers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.studying.stored_features import FEATURES, FREQUENCY, LOCAL, NEXT, PREVIOUS, QUOTIENTS

Doubles = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
LEAST = 6
"""Of blocks of an interval's class, as Holte recommends."""
ZERO_RULE, CUTOFF, ONE_RULE, TREE, PRUNED_TREE, LINEAR, RULE = (
    "ZeroR",
    "cutoff",
    "1R",
    "tree",
    "pruned tree",
    "linear SVM",
    "rule",
)
LEAF_SHARE = 1000 / 72662
"""Of the training blocks that a leaf has at least: the paper's 1,000 of 72,662."""
SET_ASIDE = 3
"""Reduced-error pruning holds out one training page in this many, as Weka's does."""


@dataclass(frozen=True)
class OneRule:
    """Intervals of one feature.

    Attributes:
        feature: its column; -1 for ZeroR, which has a single interval.
        cuts: between the intervals; a value equal to one belongs to the interval below.
        shares: of each class's weight in each interval of the training blocks; shape (intervals, classes).
    """

    feature: int
    cuts: Doubles
    shares: Doubles

    def predict(self, features: npt.NDArray[Any]) -> Doubles:
        """Return the shares of classes in each block's interval; shape (blocks, classes)."""
        if self.feature < 0:
            return np.repeat(self.shares, len(features), axis=0)
        found: Doubles = self.shares[np.searchsorted(self.cuts, features[:, self.feature], side="left")]
        return found


def zero_rule(labels: Ints, classes: int, weights: Doubles) -> OneRule:
    """Return the rule that always predicts the class of most weight (ZeroR)."""
    return OneRule(-1, np.zeros(0), _shares(np.bincount(labels, weights, classes)[None].astype(np.float64)))


def one_rule(features: npt.NDArray[Any], labels: Ints, classes: int, weights: Doubles, least: int = LEAST) -> OneRule:
    """Return the rule of the feature whose intervals err least on the training blocks, by weight; ties: the first.

    Values are gathered, ascending, into an interval until `least` blocks in it are of one class and the next value is mostly
    of another; neighbouring intervals of the same class are joined. Source: Holte, Very Simple Classification Rules Perform
    Well on Most Commonly Used Datasets, Machine Learning 11, 1993.

    Args:
        features: shape (blocks, features).
        labels: from 0; shape (blocks,).
        classes: how many there are.
        weights: of the blocks; shape (blocks,).
        least: blocks of an interval's class.
    """
    rules = [_rule(column, features[:, column], labels, classes, weights, least) for column in range(features.shape[1])]
    _, best = min(rules, key=lambda rule: (rule[0], rule[1].feature))
    return best


def _rule(
    column: int, values: npt.NDArray[Any], labels: Ints, classes: int, weights: Doubles, least: int
) -> tuple[float, OneRule]:
    different, index = np.unique(values, return_inverse=True)
    cells = index * classes + labels
    counts = np.bincount(cells, minlength=len(different) * classes).reshape(-1, classes)
    table = np.bincount(cells, weights, len(different) * classes).reshape(-1, classes)
    # Where intervals begin, what each weighs by class, and its class.
    begins: list[int] = []
    sums: list[Doubles] = []
    at = 0
    majority = counts.argmax(axis=1).tolist()
    while at < len(different):
        begin = at
        inside = np.zeros(classes, dtype=np.int64)
        while at < len(different) and inside.max() < least:
            inside += counts[at]
            at += 1
        while at < len(different) and majority[at] == int(inside.argmax()):
            inside += counts[at]
            at += 1
        own = table[begin:at].sum(axis=0)
        if sums and int(own.argmax()) == int(sums[-1].argmax()):
            sums[-1] = sums[-1] + own
        else:
            begins.append(begin)
            sums.append(own)
    every = np.array(sums)
    cuts = np.array([(float(different[begin - 1]) + float(different[begin])) / 2 for begin in begins[1:]])
    error = float(every.sum() - every.max(axis=1).sum())
    return error, OneRule(column, cuts, _shares(every))


def _shares(table: Doubles) -> Doubles:
    result: Doubles = table / np.maximum(table.sum(axis=1, keepdims=True), np.finfo(np.float64).tiny)
    return result


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


@dataclass(frozen=True)
class PublishedFigures:
    """F1, false-positive rate and ROC area in Table 2, by words, in [0, 1]."""

    f1: float
    false_positive_rate: float
    area: float


@dataclass(frozen=True)
class BlockClassifier:
    """A row of Table 2.

    Attributes:
        name: of the row.
        kind: how it is learned.
        features: it may use; none for ZeroR and for the paper's algorithms, which are `RULES` of that name.
        cutoff: of a single feature; for link density the most that is content, else the least.
        published: by problem; empty where the paper has none.
    """

    name: str
    kind: str
    features: tuple[str, ...] = ()
    cutoff: float = 0.0
    published: tuple[PublishedFigures, ...] = ()


def _figures(*percents: float) -> tuple[PublishedFigures, ...]:
    """Take F1, false-positive rate and area, each for two and for four classes."""
    two, four = percents[::2], percents[1::2]
    return tuple(PublishedFigures(*(round(value / 100, 3) for value in values)) for values in (two, four))


def _around(*names: str) -> tuple[str, ...]:
    return tuple(f"{side}{name}" for side in ("", PREVIOUS, NEXT) for name in names)


CLASSIFIERS = (
    BlockClassifier("ZeroR", ZERO_RULE, (), 0, _figures(49.7, 44.0, 63.8, 59.2, 49.0, 48.9)),
    BlockClassifier(
        "1R: sentence length", ONE_RULE, ("sentence_length",), 0, _figures(68.0, 65.2, 21.4, 22.3, 73.3, 72.1)
    ),
    BlockClassifier(
        "tree: element frequency (P/C/N)", TREE, _around(FREQUENCY), 0, _figures(73.8, 69.8, 38.3, 34.7, 70.9, 69.8)
    ),
    BlockClassifier("1R: word length", ONE_RULE, ("word_length",), 0, _figures(77.5, 73.5, 19.5, 20.0, 78.8, 77.4)),
    BlockClassifier("words @15", CUTOFF, ("words",), 15, _figures(86.7, 82.8, 15.5, 15.5, 85.6, 84.7)),
    BlockClassifier("link density @0.33", CUTOFF, ("links",), 0.333333, _figures(87.4, 81.4, 19.2, 22.5, 84.3, 80.7)),
    BlockClassifier("text density @10.5", CUTOFF, ("density",), 10.5, _figures(87.9, 83.4, 14.3, 15.3, 86.8, 85.0)),
    BlockClassifier("1R: all features", ONE_RULE, (*LOCAL, *QUOTIENTS)),
    BlockClassifier(
        "tree: link density (P/C/N)", TREE, _around("links"), 0, _figures(91.0, 85.4, 12.1, 14.3, 94.2, 90.8)
    ),
    BlockClassifier("tree: words (P/C/N)", TREE, _around("words"), 0, _figures(90.9, 87.6, 8.9, 1.0, 94.7, 94.6)),
    BlockClassifier("tree: all local (C)", TREE, LOCAL, 0, _figures(92.9, 88.7, 8.7, 10.6, 96.6, 95.7)),
    BlockClassifier("Algorithm 2", RULE),
    BlockClassifier("Algorithm 1", RULE),
    BlockClassifier("CleanEval rule", RULE),
    BlockClassifier(
        "pruned tree: words + link density",
        PRUNED_TREE,
        _around("words", "links"),
        0,
        _figures(92.2, 86.8, 10.1, 12.1, 95.7, 93.3),
    ),
    BlockClassifier(
        "pruned tree: text + link density",
        PRUNED_TREE,
        _around("density", "links"),
        0,
        _figures(92.4, 86.7, 8.5, 11.4, 96.9, 93.2),
    ),
    BlockClassifier(
        "tree: all local (C) + quotients", TREE, (*LOCAL, *QUOTIENTS), 0, _figures(92.9, 89.1, 8.3, 9.4, 97.2, 96.1)
    ),
    BlockClassifier(
        "tree: text + link density (P/C/N)",
        TREE,
        _around("density", "links"),
        0,
        _figures(93.9, 89.5, 6.7, 8.4, 97.6, 96.1),
    ),
    BlockClassifier(
        "tree: all local (P/C/N)", TREE, (*_around(*LOCAL), *QUOTIENTS), 0, _figures(95.0, 91.4, 5.5, 7.1, 98.1, 96.7)
    ),
    BlockClassifier("tree: all local + frequency", TREE, FEATURES, 0, _figures(95.1, 91.6, 5.4, 6.8, 98.0, 96.9)),
    BlockClassifier(
        "linear SVM: all local + frequency", LINEAR, FEATURES, 0, _figures(95.3, 91.9, 5.4, 6.8, 95.0, 94.0)
    ),
)
"""In the paper's order. Its 1R over all features is the text density at 10.5; its algorithms have the figures
of the simplified trees, from which they were read off."""
ABOVE: Mapping[str, bool] = {"words": True, "density": True, "links": False}
"""Whether content has high values of the features that have cutoffs."""


@dataclass(frozen=True)
class TrainingBlocks:
    """What classifiers learn from: `features` of shape (blocks, features); the others of shape (blocks,)."""

    features: npt.NDArray[Any]
    labels: Ints
    weights: Doubles
    pages: Ints


def learn(
    classifier: BlockClassifier, train: TrainingBlocks, test: npt.NDArray[Any], classes: int
) -> tuple[Doubles, int]:
    """Return scores of the test blocks by class, and the number of leaves or intervals; 0 for a linear SVM.

    Args:
        classifier: not of the kind `RULE`.
        train: blocks, with the classifier's features alone.
        test: the same features of other blocks; shape (blocks, features).
        classes: how many there are.

    Returns:
        shape (test blocks, classes), higher for more likely classes.
    """
    if classifier.kind == ZERO_RULE:
        return zero_rule(train.labels, classes, train.weights).predict(test), 1
    if classifier.kind == ONE_RULE:
        rule = one_rule(train.features, train.labels, classes, train.weights)
        return rule.predict(test), len(rule.shares)
    if classifier.kind == CUTOFF:
        return by_cutoff(classifier, test, classes), 2
    if classifier.kind == LINEAR:
        return _linear(train, test, classes), 0
    least = max(2, round(LEAF_SHARE * len(train.labels)))
    if classifier.kind == TREE:
        tree = grow_tree(train.features, train.labels, classes, train.weights, least)
        return tree.predict(test), tree.leaves
    aside = np.unique(train.pages, return_inverse=True)[1] % SET_ASIDE == 0
    rows = train.features[~aside], train.labels[~aside]
    tree = grow_tree(*rows, classes, train.weights[~aside], least)
    tree = prune_tree(tree, train.features[aside], train.labels[aside], train.weights[aside])
    return tree.predict(test), tree.leaves


def decided(content: npt.NDArray[np.bool_], classes: int) -> Doubles:
    """Return scores of a decision: boilerplate, or class 1, which is content or full text; shape (blocks, classes)."""
    scores = np.zeros((len(content), classes))
    scores[:, 1], scores[:, 0] = content, ~content
    return scores


def by_cutoff(classifier: BlockClassifier, features: npt.NDArray[Any], classes: int) -> Doubles:
    """Return the scores of a single rule, as `decided`."""
    values = features[:, 0]
    is_above = ABOVE[classifier.features[0]]
    return decided(values >= classifier.cutoff if is_above else values <= classifier.cutoff, classes)


def _linear(train: TrainingBlocks, test: npt.NDArray[Any], classes: int) -> Doubles:
    """Score by linear support vector machines, one class against the others, over standardised features."""
    from sklearn.svm import LinearSVC

    mean, deviation = train.features.mean(axis=0, dtype=np.float64), train.features.std(axis=0, dtype=np.float64)
    deviation = np.where(deviation > 0, deviation, 1)
    machine = LinearSVC(dual=False, tol=1e-2)
    machine.fit((train.features - mean) / deviation, train.labels, train.weights / train.weights.mean())
    found = machine.decision_function((test - mean) / deviation)
    scores = np.full((len(test), classes), -np.inf)
    scores[:, machine.classes_] = found if found.ndim > 1 else np.stack((-found, found), axis=1)
    return scores

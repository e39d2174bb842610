"""The classifiers of Table 2 of Kohlschütter et al. (2010): ZeroR, 1R, decision trees, linear SVM, cross-validated by page.

Like C4.8, trees split numbers at thresholds. Unlike C4.8, they grow by information gain instead of the gain ratio. The two
differ mainly for questions with many answers.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from block_features import FEATURES, FREQUENCY, LOCAL, QUOTIENTS, Ints, Problem
from thresher import InputError

Doubles = npt.NDArray[np.float64]
Rows = npt.NDArray[Any]
"""Features of blocks; shape (blocks, features)."""
LEAST = 6
"""The fewest blocks of an interval's class, as Holte recommends."""
LEAF_SHARE = 1000 / 72662
"""The least share of the training blocks in a leaf: the paper's 1,000 of 72,662."""
SET_ASIDE = 3
"""Reduced-error pruning holds out one training page in this many, as Weka's does."""
SEED = 20100204
ZERO_RULE, CUTOFF, ONE_RULE, TREE, PRUNED, LINEAR, RULE = "ZeroR", "cutoff", "1R", "tree", "pruned tree", "SVM", "rule"
KEEPS_HIGH = {"words": True, "density": True, "links": False}
"""Whether content has high values of the features that have cutoffs."""


@dataclass(frozen=True)
class OneRule:
    """Intervals of the feature in column `feature`, and the classes' shares in each.

    A value equal to one of the `cuts` belongs to the interval below it. `shares` are the classes' shares of the training
    weight by interval; shape (intervals, classes).
    """

    feature: int
    cuts: Doubles
    shares: Doubles

    def predict(self, features: Rows) -> Doubles:
        """Return the shares of classes in each block's interval; shape (blocks, classes)."""
        shares: Doubles = self.shares[np.searchsorted(self.cuts, features[:, self.feature], side="left")]
        return shares


def one_rule(features: Rows, labels: Ints, classes: int, weights: Doubles, least: int = LEAST) -> OneRule:
    """Return the rule of the feature whose intervals err least on the training blocks, by weight; the first among equals.

    An interval takes values in ascending order until it has `least` blocks of one class and most blocks of the next value
    are of another class. Neighbouring intervals of one class are joined. Source: Holte, Very Simple Classification Rules
    Perform Well on Most Commonly Used Datasets, Machine Learning 11, 1993.
    """
    rules = [_rule(column, features[:, column], labels, classes, weights, least) for column in range(features.shape[1])]
    return min(rules, key=lambda rule: rule[0])[1]


def _rule(
    column: int, values: npt.NDArray[Any], labels: Ints, classes: int, weights: Doubles, least: int
) -> tuple[float, OneRule]:
    different, index = np.unique(values, return_inverse=True)
    cells = index * classes + labels
    counts = np.bincount(cells, minlength=len(different) * classes).reshape(-1, classes)
    table = np.bincount(cells, weights, len(different) * classes).reshape(-1, classes)
    # The first value of each interval, and the interval's weight by class.
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
    shares = every / np.maximum(every.sum(axis=1, keepdims=True), np.finfo(np.float64).tiny)
    cuts = np.array([(float(different[begin - 1]) + float(different[begin])) / 2 for begin in begins[1:]])
    return float(every.sum() - every.max(axis=1).sum()), OneRule(column, cuts, shares)


def grow_tree(features: Rows, labels: Ints, weights: Doubles, least: int) -> DecisionTreeClassifier:
    """Return a tree grown by information gain (Quinlan, C4.5, 1993), with at least `least` blocks in each leaf."""
    grown = DecisionTreeClassifier(criterion="entropy", min_samples_leaf=least, random_state=0)
    return grown.fit(features, labels, weights)


def prune_tree(grown: DecisionTreeClassifier, features: Rows, labels: Ints, weights: Doubles) -> None:
    """Turn each node of a tree into a leaf, from the bottom, if its errors on other blocks, by weight, do not increase.

    Source: Quinlan, Simplifying Decision Trees, Int. J. Man-Machine Studies 27, 1987 (reduced-error pruning).
    """
    tree = grown.tree_
    left, right = tree.children_left, tree.children_right
    decisions = grown.classes_[tree.value[:, 0, :].argmax(axis=1)]
    classes = 1 + max(int(labels.max()), int(grown.classes_.max()))
    shape = tree.node_count, classes
    table = np.bincount(grown.apply(features) * classes + labels, weights, shape[0] * classes).reshape(shape)
    errors = np.zeros(tree.node_count)
    # A node has a lower number than the nodes below it.
    for node in range(tree.node_count - 1, -1, -1):
        below = [int(left[node]), int(right[node])] if left[node] >= 0 else []
        table[node] += table[below].sum(axis=0)
        as_leaf = table[node].sum() - table[node, decisions[node]]
        errors[node] = errors[below].sum() if below else as_leaf
        # The tolerance allows for rounding, since the sums add weights in different orders.
        if below and as_leaf <= errors[node] + 1e-9 * max(1.0, as_leaf):
            left[node] = right[node] = -1
            errors[node] = as_leaf


@dataclass(frozen=True)
class BlockClassifier:
    """A row of Table 2. `cutoff` applies to its only feature. A rule is the entry of `RULES` with its name."""

    name: str
    kind: str
    features: tuple[str, ...] = ()
    cutoff: float = 0.0


def _around(*names: str) -> tuple[str, ...]:
    return tuple(f"{side}{name}" for side in ("", "previous_", "next_") for name in names)


CLASSIFIERS = (
    BlockClassifier("ZeroR", ZERO_RULE),
    BlockClassifier("1R: sentence length", ONE_RULE, ("sentence_length",)),
    BlockClassifier("tree: element frequency (P/C/N)", TREE, _around(FREQUENCY)),
    BlockClassifier("1R: word length", ONE_RULE, ("word_length",)),
    BlockClassifier("words @15", CUTOFF, ("words",), 15),
    BlockClassifier("link density @0.33", CUTOFF, ("links",), 0.333333),
    BlockClassifier("text density @10.5", CUTOFF, ("density",), 10.5),
    BlockClassifier("1R: all features", ONE_RULE, (*LOCAL, *QUOTIENTS)),
    BlockClassifier("tree: link density (P/C/N)", TREE, _around("links")),
    BlockClassifier("tree: words (P/C/N)", TREE, _around("words")),
    BlockClassifier("tree: all local (C)", TREE, LOCAL),
    BlockClassifier("Algorithm 2", RULE),
    BlockClassifier("Algorithm 1", RULE),
    BlockClassifier("CleanEval rule", RULE),
    BlockClassifier("pruned tree: words + link density", PRUNED, _around("words", "links")),
    BlockClassifier("pruned tree: text + link density", PRUNED, _around("density", "links")),
    BlockClassifier("tree: all local (C) + quotients", TREE, (*LOCAL, *QUOTIENTS)),
    BlockClassifier("tree: text + link density (P/C/N)", TREE, _around("density", "links")),
    BlockClassifier("tree: all local (P/C/N)", TREE, (*_around(*LOCAL), *QUOTIENTS)),
    BlockClassifier("tree: all local + frequency", TREE, FEATURES),
    BlockClassifier("linear SVM: all local + frequency", LINEAR, FEATURES),
)
"""Classifiers in the paper's order. The paper's 1R over all features is text density at 10.5, and its algorithms are pruned
trees written as rules."""


def folds_of_pages(blocks: pd.DataFrame, problem: Problem, folds: int) -> Ints:
    """Return the fold of each block, from 0. A page's blocks share a random fold; folds differ by at most one page in size.

    Raises:
        InputError: there are too few pages, or a fold's training blocks lack a class or have no words.
    """
    number, pages = pd.factorize(blocks.page)
    if len(pages) < folds:
        raise InputError(
            f"{len(pages)} pages with blocks are too few for {folds} folds", "lower --folds or give more pages"
        )
    fold: Ints = np.random.default_rng(SEED).permutation(np.arange(len(pages)) % folds)[number]
    labels = problem.labels(blocks)
    for out in range(folds):
        if lost := sorted({*labels.tolist()} - {*labels[fold != out].tolist()}):
            message = f"all blocks of the class {problem.classes[lost[0]]!r} are on the pages of fold {out + 1}"
            raise InputError(message, "give more pages with blocks of this class, or lower --folds")
        if not blocks.words[fold != out].any():
            raise InputError(f"without fold {out + 1} no block has a word", "give more pages")
    return fold


def cross_validate(
    blocks: pd.DataFrame, problem: Problem, classifier: BlockClassifier, fold: Ints, workers: int
) -> tuple[npt.NDArray[np.float32], float]:
    """Return scores of all blocks by classifiers trained on the other folds, and the mean number of leaves.

    The weight of a training block is its number of words. Scores have the shape (blocks, classes), higher for more likely
    classes. The leaves of 1R are its intervals; a linear SVM and rules count 0.
    """
    labels, classes = problem.labels(blocks), len(problem.classes)
    if classifier.kind == RULE:
        return decided(blocks[classifier.name].to_numpy(), classes).astype(np.float32), 0
    features = np.ascontiguousarray(blocks[[*classifier.features]].to_numpy(dtype=np.float32))
    weights, page = blocks.words.to_numpy(dtype=np.float64), pd.factorize(blocks.page)[0]
    scores = np.zeros((len(labels), classes), dtype=np.float32)

    def learn_fold(number: int) -> int:
        out = fold == number
        training = TrainingBlocks(features[~out], labels[~out], weights[~out], page[~out])
        scores[out], leaves = learn(classifier, training, features[out], classes)
        return leaves

    # Threads suffice, since scikit-learn releases Python's lock while it trains.
    with ThreadPoolExecutor(workers) as pool:
        leaves = [*pool.map(learn_fold, range(int(fold.max()) + 1))]
    return scores, float(np.mean(leaves))


class TrainingBlocks(NamedTuple):
    """The features, class, weight and page of each block to train on; the first index is the block."""

    features: Rows
    labels: Ints
    weights: Doubles
    pages: Ints


def learn(classifier: BlockClassifier, training: TrainingBlocks, test: Rows, classes: int) -> tuple[Doubles, int]:
    """Return the scores of test blocks by class, and the number of leaves or intervals; 0 for a linear SVM."""
    features, labels, weights, pages = training
    if classifier.kind == ZERO_RULE:
        shares = np.bincount(labels, weights, classes) / weights.sum()
        return np.tile(shares, (len(test), 1)), 1
    if classifier.kind == ONE_RULE:
        rule = one_rule(features, labels, classes, weights)
        return rule.predict(test), len(rule.shares)
    if classifier.kind == CUTOFF:
        values, cutoff = test[:, 0], classifier.cutoff
        return decided(values >= cutoff if KEEPS_HIGH[classifier.features[0]] else values <= cutoff, classes), 2
    if classifier.kind == LINEAR:
        return _linear(features, labels, weights, test, classes), 0
    rest = np.ones(len(labels), dtype=np.bool_)
    if classifier.kind == PRUNED:
        rest = np.unique(pages, return_inverse=True)[1] % SET_ASIDE > 0
    tree = grow_tree(features[rest], labels[rest], weights[rest], max(2, round(LEAF_SHARE * len(labels))))
    if classifier.kind == PRUNED:
        prune_tree(tree, features[~rest], labels[~rest], weights[~rest])
    scores = np.zeros((len(test), classes))
    scores[:, tree.classes_] = tree.predict_proba(test)
    return scores, len(np.unique(tree.apply(features[rest])))


def decided(content: npt.NDArray[np.bool_], classes: int) -> Doubles:
    """Return scores of a decision between boilerplate and class 1, content or full text; shape (blocks, classes)."""
    scores = np.zeros((len(content), classes))
    scores[:, 1], scores[:, 0] = content, ~content
    return scores


def _linear(features: Rows, labels: Ints, weights: Doubles, test: Rows, classes: int) -> Doubles:
    """Return scores by linear support vector machines over standardised features, one class against the others."""
    mean, deviation = features.mean(axis=0, dtype=np.float64), features.std(axis=0, dtype=np.float64)
    deviation = np.where(deviation > 0, deviation, 1)
    machine = LinearSVC(dual=False, tol=1e-2)
    machine.fit((features - mean) / deviation, labels, weights / weights.mean())
    decisions = machine.decision_function((test - mean) / deviation)
    scores = np.full((len(test), classes), -np.inf)
    scores[:, machine.classes_] = decisions if decisions.ndim > 1 else np.stack((-decisions, decisions), axis=1)
    return scores

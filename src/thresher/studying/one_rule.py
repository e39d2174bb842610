"""Classifiers by one feature at most: ZeroR and 1R."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Doubles = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

LEAST = 6
"""Of blocks of an interval's class, as Holte recommends."""


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
    different, place = np.unique(values, return_inverse=True)
    cells = place * classes + labels
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

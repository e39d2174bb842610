"""Information gain of numbers about classes, over intervals that Fayyad and Irani's rule finds."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

Doubles = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


def entropy(counts: npt.NDArray[Any]) -> Doubles:
    """Return H = - sum p log2 p in bits of each row of counts (Shannon 1948); 0 where nothing is counted.

    >>> float(entropy(np.array([3, 1])).round(4))
    0.8113
    """
    totals = counts.sum(axis=-1, keepdims=True)
    shares = counts / np.maximum(totals, np.finfo(np.float64).tiny)
    result: Doubles = -(shares * np.log2(np.where(shares > 0, shares, 1))).sum(axis=-1)
    return result


def cut_points(values: npt.NDArray[Any], labels: Ints, classes: int) -> Doubles:
    """Return where a feature is cut into intervals: recursive minimal entropy with the minimum description length.

    A cut at t separates values <= t from others; it is half way between two values. Source: Fayyad and Irani, Multi-Interval
    Discretization of Continuous-Valued Attributes, IJCAI 1993, which Weka's information gain applies.

    Args:
        values: of the feature, finite; shape (blocks,).
        labels: from 0; shape (blocks,).
        classes: how many there are.

    Returns:
        the cuts, ascending; none if no cut pays.
    """
    different, place = np.unique(values, return_inverse=True)
    table = np.bincount(place * classes + labels, minlength=len(different) * classes).reshape(-1, classes)
    before = np.vstack((np.zeros(classes, dtype=np.int64), np.cumsum(table, axis=0)))
    cuts: list[float] = []
    waiting = [(0, len(different))]
    while waiting:
        begin, end = waiting.pop()
        if end - begin < 2:
            continue
        whole = before[end] - before[begin]
        left = before[begin + 1 : end] - before[begin]
        right = whole - left
        total = whole.sum()
        sizes = left.sum(axis=1)
        left_bits, right_bits, bits = entropy(left), entropy(right), float(entropy(whole))
        after = (sizes * left_bits + (total - sizes) * right_bits) / total
        best = int(np.argmin(after))
        kinds, of_left, of_right = (int((counts > 0).sum()) for counts in (whole, left[best], right[best]))
        saved = kinds * bits - of_left * float(left_bits[best]) - of_right * float(right_bits[best])
        length = math.log2(total - 1) + math.log2(3**kinds - 2) - saved
        if bits - float(after[best]) > length / total:
            at = begin + best + 1
            cuts.append((float(different[at - 1]) + float(different[at])) / 2)
            waiting += [(begin, at), (at, end)]
    return np.sort(np.array(cuts))


def information_gain(
    values: npt.NDArray[Any], labels: Ints, classes: int, weights: Doubles, cuts: Doubles | None = None
) -> float:
    """Return IG(C, A) = H(C) - H(C|A) in bits (Kohlschütter et al. 2010, section 4.3.1), A in intervals.

    Args:
        values: of the feature; shape (blocks,).
        labels: from 0; shape (blocks,).
        classes: how many there are.
        weights: of the blocks, 1 each or their words; shape (blocks,).
        cuts: of the intervals; by default those of `cut_points`.
    """
    cuts = cut_points(values, labels, classes) if cuts is None else cuts
    interval = np.searchsorted(cuts, values, side="left")
    size = len(cuts) + 1
    table = np.bincount(interval * classes + labels, weights, size * classes).reshape(size, classes)
    total = table.sum()
    return float(entropy(table.sum(axis=0)) - (table.sum(axis=1) * entropy(table)).sum() / total)

"""Measures of the block study (Kohlschütter et al. 2010, section 4.3.1): scores of classifications, information gain."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.metrics import roc_auc_score

Doubles = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


def block_scores(labels: Ints, scores: npt.NDArray[Any], weights: Doubles) -> dict[str, float]:
    """Return precision, recall, F1, false-positive rate and ROC area, as means over classes weighted by their shares.

    The paper's Table 2 has these means: its ZeroR's precision is the square of its recall. A class that is never predicted
    has precision 0. The area compares each class with all others; it is NaN if only one class occurs.

    Args:
        labels: classes, from 0; shape (blocks,).
        scores: higher for more likely classes; shape (blocks, classes). The first of the highest is predicted.
        weights: weights of the blocks; shape (blocks,).
    """
    classes = scores.shape[1]
    cells = np.bincount(labels * classes + scores.argmax(axis=1), weights, classes * classes)
    table = cells.reshape(classes, classes).astype(np.float64)
    actual, predicted, right = table.sum(axis=1), table.sum(axis=0), np.diag(table)
    total = actual.sum()
    shares = actual / total
    precision, recall = _by(right, predicted), _by(right, actual)
    areas = [
        float(roc_auc_score(labels == kind, scores[:, kind], sample_weight=weights)) if 0 < actual[kind] < total else 0
        for kind in range(classes)
    ]
    return {
        "precision": float(shares @ precision),
        "recall": float(shares @ recall),
        "f1": float(shares @ _by(2 * precision * recall, precision + recall)),
        "false_positive_rate": float(shares @ _by(predicted - right, total - actual)),
        "roc_area": float(shares @ areas) if (actual > 0).sum() > 1 else float("nan"),
    }


def _by(part: Doubles, whole: Doubles) -> Doubles:
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)


def entropy(counts: npt.NDArray[Any]) -> Doubles:
    """Return H = - sum p log2 p in bits of each row of counts (Shannon 1948); 0 for a row of zeros.

    >>> float(entropy(np.array([3, 1])).round(4))
    0.8113
    """
    totals = counts.sum(axis=-1, keepdims=True)
    shares = counts / np.maximum(totals, np.finfo(np.float64).tiny)
    result: Doubles = -(shares * np.log2(np.where(shares > 0, shares, 1))).sum(axis=-1)
    return result


def cut_points(values: npt.NDArray[Any], labels: Ints, classes: int) -> Doubles:
    """Return the cuts of a feature into intervals, ascending, by recursive minimal entropy and minimum description length.

    A cut t, half way between two values, separates values <= t from others. Source: Fayyad and Irani, Multi-Interval
    Discretization of Continuous-Valued Attributes, IJCAI 1993, which Weka's information gain applies.
    """
    different, index = np.unique(values, return_inverse=True)
    table = np.bincount(index * classes + labels, minlength=len(different) * classes).reshape(-1, classes)
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


def information_gain(values: npt.NDArray[Any], labels: Ints, classes: int, weights: Doubles, cuts: Doubles) -> float:
    """Return IG(C, A) = H(C) - H(C|A) in bits. A is the interval of a feature between `cuts`.

    `weights` are the blocks' numbers of words, or 1 for each block.
    """
    interval = np.searchsorted(cuts, values, side="left")
    size = len(cuts) + 1
    table = np.bincount(interval * classes + labels, weights, size * classes).reshape(size, classes)
    return float(entropy(table.sum(axis=0)) - (table.sum(axis=1) * entropy(table)).sum() / table.sum())

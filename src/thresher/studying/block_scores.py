"""How good a classification of blocks is: means over classes, as Weka has them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Doubles = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class BlockScores:
    """Means over classes, each weighted by its share of the blocks or words; in [0, 1]. `area` is NaN with one class."""

    precision: float
    recall: float
    f1: float
    false_positive_rate: float
    area: float


def block_scores(labels: Ints, scores: Doubles, weights: Doubles) -> BlockScores:
    """Measure a classification; a class that is never predicted has precision 0.

    The area under the ROC curve is of each class against all others. Means are weighted as in the paper's Table 2, where
    ZeroR's precision is the square of its recall.

    Args:
        labels: from 0; shape (blocks,).
        scores: higher for more likely classes; the highest is predicted, of equals the first; shape (blocks, classes).
        weights: of the blocks; shape (blocks,).
    """
    from sklearn.metrics import roc_auc_score

    classes = scores.shape[1]
    cells = np.bincount(labels * classes + scores.argmax(axis=1), weights, classes * classes)
    table = cells.reshape(classes, classes).astype(np.float64)
    actual, predicted, right = table.sum(axis=1), table.sum(axis=0), np.diag(table)
    total = actual.sum()
    shares = _by(actual, np.full(classes, total))
    precision, recall = _by(right, predicted), _by(right, actual)
    areas = [
        float(roc_auc_score(labels == kind, scores[:, kind], sample_weight=weights)) if 0 < actual[kind] < total else 0
        for kind in range(classes)
    ]
    return BlockScores(
        float(shares @ precision),
        float(shares @ recall),
        float(shares @ _by(2 * precision * recall, precision + recall)),
        float(shares @ _by(predicted - right, total - actual)),
        float(shares @ areas) if (actual > 0).sum() > 1 else float("nan"),
    )


def _by(part: Doubles, whole: Doubles) -> Doubles:
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)

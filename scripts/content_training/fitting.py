"""Fitting oblivious trees by CatBoost, and calibrating their sums."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher import MissingDependencyError
from thresher.cleaners.content_model.trees import Calibration, Trees

Doubles = npt.NDArray[np.float64]

# Fixed for all machines, since CatBoost's order of addition depends on the number of threads.
_THREADS = 4
# Steps of a leaf's value in a unit of log odds.
_UNIT = 2**13


@dataclass(frozen=True)
class TreeSettings:
    """Settings of fitting trees.

    Each tree draws `share_of_rows` of the blocks and `share_of_features` of the features. From more than `blocks` blocks,
    `draw` takes about `blocks`. Each of the `bags` draws its own blocks and fits its own trees.
    """

    trees: int = 150
    depth: int = 6
    rate: float = 0.2
    borders: int = 64
    share_of_rows: float = 0.5
    share_of_features: float = 0.3
    regularisation: float = 3.0
    seed: int = 1
    blocks: int = 200_000
    bags: int = 3


def catboost() -> Any:
    """Import CatBoost and return it."""
    try:
        import catboost
    except ImportError as error:
        raise MissingDependencyError("training a content model needs CatBoost", "run pip install catboost") from error
    return catboost


def catboost_parameters(settings: TreeSettings, bag: int = 0) -> dict[str, Any]:
    """Return the settings under CatBoost's names, with constant ones added. Bags differ in their seed."""
    return {
        "loss_function": "CrossEntropy",
        "iterations": settings.trees,
        "depth": settings.depth,
        "learning_rate": settings.rate,
        "border_count": settings.borders,
        "bootstrap_type": "Bernoulli",
        "subsample": settings.share_of_rows,
        "rsm": settings.share_of_features,
        "l2_leaf_reg": settings.regularisation,
        "boosting_type": "Plain",
        "leaf_estimation_iterations": 1,
        "random_seed": settings.seed + bag,
        "thread_count": _THREADS,
        "allow_writing_files": False,
        "verbose": False,
    }


def draw(weights: Doubles, most: int, seed: int) -> tuple[npt.NDArray[np.int64], Doubles]:
    """Draw about `most` blocks, each with a probability proportional to its weight, at most 1 (Poisson sampling).

    The weight of a drawn block is divided by its probability, which keeps sums in expectation (Horvitz and Thompson,
    JASA 47, 1952). Most blocks are short blocks of long pages, with little weight. If there are at most `most` blocks, all
    are drawn. Returns the numbers of the drawn blocks, ascending, and their new weights.
    """
    if len(weights) <= most:
        return np.arange(len(weights)), weights
    # The `count` heaviest blocks are drawn with certainty; the others share the remaining places by weight.
    falling = np.sort(weights)[::-1]
    left = np.cumsum(falling[::-1])[::-1]
    count = int(np.argmax(left >= falling * (most - np.arange(len(weights)))))
    chances = np.minimum(1, weights * (most - count) / left[count])
    drawn = np.flatnonzero(np.random.default_rng(seed).random(len(weights)) < chances)
    return drawn, weights[drawn] / chances[drawn]


def fit_trees(
    values: npt.NDArray[np.float32],
    labels: npt.NDArray[np.float64],
    weights: npt.NDArray[np.float64],
    settings: TreeSettings,
) -> Trees:
    """Fit trees to labels by weighted cross-entropy. A leaf's value counts 8,192nds of a unit of log odds.

    The model sums the trees of all bags: the sum varies less than one bag's trees (Breiman, Bagging Predictors, Machine
    Learning 24, 1996). Values have shape (features, blocks); labels in [0, 1] and weights above 0 have shape (blocks,).
    """
    library = catboost()
    described: list[Any] = []
    for bag in range(settings.bags):
        drawn, drawn_weights = draw(weights, settings.blocks, settings.seed + bag)
        model = library.CatBoost(catboost_parameters(settings, bag))
        model.fit(library.Pool(values[:, drawn].T, labels[drawn], weight=drawn_weights))
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "trees.json"
            model.save_model(str(path), format="json")
            described += json.loads(path.read_text(encoding="utf-8"))["oblivious_trees"]
    return _trees(described, settings.depth)


def _trees(described: Sequence[Any], depth: int) -> Trees:
    """Return the trees of CatBoost's JSON, without its bias, which the calibration replaces."""
    # A question that no block answers with yes fills up trees of less depth.
    never = (0, float(np.finfo(np.float32).max))
    splits = [
        [(int(split["float_feature_index"]), float(np.float32(split["border"]))) for split in tree["splits"] or ()]
        for tree in described
    ]
    questions = sorted({never, *(split for tree in splits for split in tree)})
    number = {question: index for index, question in enumerate(questions)}
    trees = np.full((len(splits), depth), number[never], dtype=np.uint16)
    leaves = np.zeros((len(splits), 2**depth))
    for row, (own, tree) in enumerate(zip(splits, described, strict=True)):
        trees[row, : len(own)] = [number[split] for split in own]
        leaves[row, : 2 ** len(own)] = tree["leaf_values"]
    limits = np.iinfo(np.int16)
    whole = np.clip(np.rint(leaves * _UNIT), limits.min, limits.max).astype(np.int16)
    features, borders = zip(*questions, strict=True)
    return Trees(np.array(features, dtype=np.uint16), np.array(borders, dtype=np.float32), trees, whole)


KNOTS = 60
BINS = 10


@dataclass(frozen=True)
class CalibrationBin:
    """The blocks with a probability from `low` to `high`: share of the weight, mean probability, share of content."""

    low: float
    high: float
    weight: float
    predicted: float
    observed: float


def calibrate(sums: npt.NDArray[np.int64], labels: Doubles, weights: Doubles, knots: int = KNOTS) -> Calibration:
    """Return a monotone curve from sums to probabilities: the mean labels of bins of equal weight.

    Isotonic regression by pooling adjacent violators (Ayer et al. 1955), as Zadrozny and Elkan (KDD 2002) calibrate
    classifiers, here over at most `knots` bins. The curve is linear between the bins' mean sums. Sums, labels and weights
    have shape (blocks,).
    """
    order = np.argsort(sums, kind="stable")
    sums, labels, weights = sums[order], labels[order], weights[order]
    mass = np.cumsum(weights)
    bins = np.minimum((mass / mass[-1] * knots).astype(np.int64), knots - 1)
    # Blocks with equal sums share a bin.
    bins = bins[np.searchsorted(sums, sums)]
    pooled: list[list[float]] = []
    for number in np.unique(bins):
        inside = bins == number
        weight = float(weights[inside].sum())
        pooled.append([weight, float(weights[inside] @ labels[inside]), float(weights[inside] @ sums[inside])])
        while len(pooled) > 1 and pooled[-2][1] / pooled[-2][0] >= pooled[-1][1] / pooled[-1][0]:
            last = pooled.pop()
            pooled[-1] = [before + after for before, after in zip(pooled[-1], last, strict=True)]
    knots_at = np.rint([at / weight for weight, _, at in pooled]).astype(np.int64)
    shares = np.clip([share / weight for weight, share, _ in pooled], 0, 1)
    keep = np.diff(knots_at, prepend=knots_at[0] - 1) > 0
    return Calibration(knots_at[keep], np.round(shares[keep], 6))


def calibration_bins(
    probabilities: Doubles, labels: Doubles, weights: Doubles, bins: int = BINS
) -> list[CalibrationBin]:
    """Return the non-empty bins of a reliability diagram (DeGroot and Fienberg 1983)."""
    bin_of_block = np.minimum((probabilities * bins).astype(np.int64), bins - 1)
    total = float(weights.sum())
    rows = []
    for number in np.unique(bin_of_block).tolist():
        inside = bin_of_block == number
        weight = float(weights[inside].sum())
        rows.append(
            CalibrationBin(
                number / bins,
                (number + 1) / bins,
                weight / total,
                float(weights[inside] @ probabilities[inside]) / weight,
                float(weights[inside] @ labels[inside]) / weight,
            )
        )
    return rows


def calibration_error(bins: Sequence[CalibrationBin]) -> float:
    """Return the expected calibration error (Naeini et al., AAAI 2015): the weighted mean of the bins' errors, 0 to 1."""
    return sum(row.weight * abs(row.predicted - row.observed) for row in bins)

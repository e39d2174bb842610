"""A study of the blocks of a gold standard: sections 3 to 5 of Kohlschütter et al. (2010)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.cleaneval.gold import BOILERPLATE, CLASSES, GoldStandard
from thresher.cleaneval.results import UNTYPED
from thresher.progress import progress
from thresher.studying.block_classifiers import CLASSIFIERS, PublishedFigures
from thresher.studying.extra import scikit_learn
from thresher.studying.page_folds import FOLDS, Validated, validate
from thresher.studying.stored_features import FEATURES
from thresher.studying.studied_blocks import FOUR, TWO, StudiedBlocks, read_blocks
from thresher.studying.word_distribution import WriterFit, fit_one_state, fit_two_states, word_shares

Doubles = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
ANY_CONTENT = "any content"
ALL = "all"
"""Pages of all types."""


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

    The area under the ROC curve compares each class with all others. Means are weighted as in the paper's Table 2, where
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


@dataclass(frozen=True)
class ClassCount:
    """A class of blocks, one of `CLASSES` or all but boilerplate: its blocks, words and tokens, and its shares of all."""

    name: str
    blocks: int
    words: int
    tokens: int
    blocks_share: float
    words_share: float
    tokens_share: float


@dataclass(frozen=True)
class FeatureGain:
    """The information gain of a feature in bits, over its intervals, with each block counted once and by its words."""

    problem: str
    feature: str
    by_blocks: float
    by_words: float
    intervals: int


@dataclass(frozen=True)
class ClassifierRow:
    """A classifier, cross-validated by page.

    Attributes:
        problem: `two` or `four` classes.
        name: of the classifier.
        features: how many it may use.
        leaves: the mean number of leaves or intervals; 0 where there are none.
        by_blocks, by_words: each block counted once, or by its words.
        published: the paper's figures, by words, if it has them.
    """

    problem: str
    name: str
    features: int
    leaves: float
    by_blocks: BlockScores
    by_words: BlockScores
    published: PublishedFigures | None


@dataclass(frozen=True)
class TypeRow:
    """The pages of a type, or `ALL`.

    Attributes:
        page_type: its name.
        pages, blocks, words: how many there are.
        content_blocks, content_words: the share that is content.
        one, two: the random writers of one state and of two.
        scores: in two classes by words, by classifier.
    """

    page_type: str
    pages: int
    blocks: int
    words: int
    content_blocks: float
    content_words: float
    one: WriterFit
    two: WriterFit
    scores: Mapping[str, BlockScores]


@dataclass(frozen=True)
class HistogramBin:
    """The blocks of a class with a number of words, or a text density rounded to a whole number.

    `share` is that of all blocks with words.
    """

    feature: str
    value: int
    name: str
    blocks: int
    words: int
    linked_words: int
    share: float


@dataclass(frozen=True)
class BlockStudy:
    """A study. `pages` with gold were given: those with blocks, those without and those that cannot be parsed add up to it."""

    name: str
    pages: int
    blocks: StudiedBlocks
    folds: int
    classes: tuple[ClassCount, ...]
    gains: tuple[FeatureGain, ...]
    classifiers: tuple[ClassifierRow, ...]
    types: tuple[TypeRow, ...]
    histogram: tuple[HistogramBin, ...]

    def linked_words(self, density: int) -> int:
        """Return how many linked words the blocks of a rounded text density have."""
        return sum(one.linked_words for one in self.histogram if (one.feature, one.value) == ("density", density))


def study_blocks(
    name: str, standard: GoldStandard, folder: Path, folds: int = FOLDS, workers: int = 1, fresh: bool = False
) -> BlockStudy:
    """Study the blocks of a gold standard; scores and classifications are kept in the folder, and not made again.

    Args:
        name: of the set.
        standard: whole gold, read without comments, which have a class of their own.
        folder: for `scores/` and `folds/`.
        folds: of the cross-validation by page.
        workers: number of processes and threads.
        fresh: drop scores that were made otherwise.

    Raises:
        MissingDependencyError: without scikit-learn.
        InputError: as `read_blocks` and `validate`.
        StateError: if the folder has scores of other pages.
    """
    scikit_learn()
    blocks = read_blocks(standard.pages, folder / "scores", workers, fresh)
    gains: list[FeatureGain] = []
    rows: list[ClassifierRow] = []
    for problem in blocks.problems():
        validated = validate(blocks, problem, CLASSIFIERS, folds, folder / "folds", workers)
        labels = blocks.labels(problem)
        which = 0 if problem == TWO else 1
        for one in progress(validated, "measuring", len(validated), "classifiers"):
            published = one.classifier.published[which] if one.classifier.published else None
            by_blocks, by_words = (
                block_scores(labels, one.scores, weights) for weights in (np.ones(len(labels)), blocks.words)
            )
            count = len(one.classifier.features)
            rows.append(
                ClassifierRow(problem.name, one.classifier.name, count, one.leaves, by_blocks, by_words, published)
            )
        if problem == TWO:
            types = _types(blocks, validated)
        gains += sorted(
            (_gain(blocks, problem.name, feature, labels, len(problem.classes)) for feature in FEATURES),
            key=lambda gain: (-gain.by_words, gain.feature),
        )
    return BlockStudy(
        name,
        len(standard.pages),
        blocks,
        folds,
        tuple(_classes(blocks)),
        tuple(gains),
        tuple(rows),
        types,
        tuple(_histogram(blocks)),
    )


def _gain(
    blocks: StudiedBlocks, problem: str, feature: str, labels: npt.NDArray[np.int64], classes: int
) -> FeatureGain:
    values = blocks.column(feature)
    cuts = cut_points(values, labels, classes)
    by_blocks, by_words = (
        information_gain(values, labels, classes, weights, cuts) for weights in (np.ones(len(values)), blocks.words)
    )
    return FeatureGain(problem, feature, by_blocks, by_words, len(cuts) + 1)


def _classes(blocks: StudiedBlocks) -> list[ClassCount]:
    counted = (np.ones(len(blocks.classes), dtype=np.int64), blocks.words, blocks.tokens)

    def count(name: str, rows: npt.NDArray[np.bool_]) -> ClassCount:
        sums = [int(one[rows].sum()) for one in counted]
        return ClassCount(
            name, *sums, *(part / max(1, int(one.sum())) for part, one in zip(sums, counted, strict=True))
        )

    rows = blocks.classes
    every = [count(name, rows == index) for index, name in enumerate(CLASSES)]
    return [every[0], count(ANY_CONTENT, rows != BOILERPLATE), *(one for one in every[1:] if one.blocks)]


def _types(blocks: StudiedBlocks, validated: Sequence[Validated]) -> tuple[TypeRow, ...]:
    """Return all pages, and each type if there is any, that of most pages first."""
    kinds = np.array([kind or UNTYPED for kind in blocks.page_types])
    names, counts = np.unique(kinds, return_counts=True)
    ordered = [str(names[at]) for at in np.argsort(-counts, kind="stable")] if any(blocks.page_types) else []
    content = blocks.labels(TWO) > 0
    rows = []
    for name in (ALL, *ordered):
        of_page = np.ones(len(kinds), dtype=np.bool_) if name == ALL else kinds == name
        inside = of_page[blocks.page]
        words = blocks.words[inside]
        shares = word_shares(words)
        rows.append(
            TypeRow(
                name,
                int(of_page.sum()),
                int(inside.sum()),
                int(words.sum()),
                float(content[inside].mean()),
                float(words[content[inside]].sum() / max(words.sum(), 1)),
                fit_one_state(shares),
                fit_two_states(shares),
                {
                    one.classifier.name: block_scores(content[inside].astype(np.int64), one.scores[inside], words)
                    for one in validated
                },
            )
        )
    return tuple(rows)


def _histogram(blocks: StudiedBlocks) -> list[HistogramBin]:
    linked = np.rint(blocks.column("links") * blocks.words)
    with_words = max(1, int((blocks.words > 0).sum()))
    bins = []
    for feature in ("words", "density"):
        values = np.rint(blocks.column(feature)).astype(np.int64)
        for value in np.unique(values).tolist():
            for index, name in enumerate(CLASSES):
                rows = (values == value) & (blocks.classes == index)
                if rows.any():
                    count, kept = int(rows.sum()), int(blocks.words[rows].sum())
                    bins.append(
                        HistogramBin(feature, value, name, count, kept, int(linked[rows].sum()), count / with_words)
                    )
    return bins


def problem_names(study: BlockStudy) -> tuple[str, ...]:
    """Return the problems that were studied."""
    return tuple(
        problem.name for problem in (TWO, FOUR) if any(row.problem == problem.name for row in study.classifiers)
    )

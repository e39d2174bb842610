"""A study of the blocks of a gold standard: sections 3 to 5 of Kohlschütter et al. (2010)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from thresher.cleaneval.gold import GoldStandard
from thresher.cleaneval.gold_classes import BOILERPLATE, CLASSES
from thresher.cleaneval.page_types import UNTYPED
from thresher.progress import progress
from thresher.studying.block_classifiers import CLASSIFIERS, PublishedFigures
from thresher.studying.block_scores import BlockScores, block_scores
from thresher.studying.extra import scikit_learn
from thresher.studying.information import cut_points, information_gain
from thresher.studying.page_folds import FOLDS, Validated, validate
from thresher.studying.stored_features import FEATURES
from thresher.studying.studied_blocks import FOUR, TWO, StudiedBlocks, read_blocks
from thresher.studying.word_distribution import WriterFit, fit_one_state, fit_two_states, word_shares

ANY_CONTENT = "any content"
ALL = "all"
"""Pages of all types."""


@dataclass(frozen=True)
class ClassCount:
    """A class of blocks, one of `CLASSES` or all but boilerplate: its blocks, words and tokens."""

    name: str
    blocks: int
    words: int
    tokens: int


@dataclass(frozen=True)
class FeatureGain:
    """The information gain of a feature in bits, with each block counted once and by its words, over so many intervals."""

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
        published: the paper's figures, by words; None if it has no such row.
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
    """The blocks of a class with a number of words, or a text density rounded to a whole number."""

    feature: str
    value: int
    name: str
    blocks: int
    words: int
    linked_words: int


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
    def count(name: str, rows: npt.NDArray[np.bool_]) -> ClassCount:
        return ClassCount(name, int(rows.sum()), int(blocks.words[rows].sum()), int(blocks.tokens[rows].sum()))

    rows = blocks.classes
    every = [count(name, rows == place) for place, name in enumerate(CLASSES)]
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
    bins = []
    for feature in ("words", "density"):
        values = np.rint(blocks.column(feature)).astype(np.int64)
        for value in np.unique(values).tolist():
            for place, name in enumerate(CLASSES):
                rows = (values == value) & (blocks.classes == place)
                if rows.any():
                    sums = (int(one[rows].sum()) for one in (blocks.words, linked))
                    bins.append(HistogramBin(feature, value, name, int(rows.sum()), *sums))
    return bins


def problem_names(study: BlockStudy) -> tuple[str, ...]:
    """Return the problems that were studied."""
    return tuple(
        problem.name for problem in (TWO, FOUR) if any(row.problem == problem.name for row in study.classifiers)
    )

"""Training a content model: two stages by cross-validation over domains, calibration, the cutoff."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace

import numpy as np
import numpy.typing as npt

from thresher.content_models.content_files import FORMAT, KIND, digest_of
from thresher.content_models.model import ContentCard, ContentModel, TrainingSet, TreeStage, for_page, sequence_of
from thresher.content_training.calibration import CalibrationBin, calibrate, calibration_bins
from thresher.content_training.fitting import TreeSettings, fit_trees
from thresher.content_training.folds import FOLDS, folds_of
from thresher.content_training.training_pages import PageToLearn
from thresher.errors import InputError
from thresher.progress import Progress

Doubles = npt.NDArray[np.float64]

CUTOFFS = tuple(round(0.05 * step, 2) for step in range(2, 17))
"""Cutoffs tried."""


@dataclass(frozen=True)
class TrainingSettings:
    """How a model is trained: the trees of both stages, the number of folds."""

    first: TreeSettings = field(default_factory=TreeSettings)
    second: TreeSettings = field(default_factory=TreeSettings)
    folds: int = FOLDS


@dataclass(frozen=True)
class PagesOfSet:
    """A set's pages; the set as the card names it; the weight of its blocks."""

    about: TrainingSet
    pages: Sequence[PageToLearn]
    weight: float = 1.0


@dataclass(frozen=True)
class Trained:
    """A trained model, and how it did by cross-validation over domains.

    Attributes:
        model: the model, trained on all pages.
        calibration: of the second stage's probabilities.
        f1: for each set with whole gold texts the word F1 of each page at the model's cutoff; shape (pages,) each.
        curve: the mean word F1 over these sets by cutoff.
    """

    model: ContentModel
    calibration: tuple[CalibrationBin, ...]
    f1: dict[str, Doubles]
    curve: dict[float, float]


@dataclass(frozen=True)
class _Blocks:
    """All blocks of all pages.

    Attributes:
        ends: where each page's end.
        labels, weights, fold: shape (blocks,).
        known: which have a label.
    """

    pages: tuple[PageToLearn, ...]
    ends: npt.NDArray[np.int64]
    labels: Doubles
    weights: Doubles
    fold: npt.NDArray[np.int64]

    @property
    def known(self) -> npt.NDArray[np.bool_]:
        return ~np.isnan(self.labels)

    def of_pages(self, values: Doubles) -> list[Doubles]:
        """Split values of blocks by page."""
        return np.split(values, self.ends[:-1])


def train_content_model(sets: Sequence[PagesOfSet], settings: TrainingSettings | None = None) -> Trained:
    """Train a model; the same pages in the same order give the same bytes.

    The first stage is fitted without each fold in turn, so that the second sees what the first says of pages it does not
    know (stacking; Wolpert 1992). Calibration and cutoff are from the second stage's own folds.

    Raises:
        InputError: if there are no pages, or no block with a label, or all labels are of one class, or too few domains.
        MissingDependencyError: if CatBoost is not installed.
    """
    settings = settings or TrainingSettings()
    blocks = _blocks(sets, settings.folds)
    with Progress("training", 2 * (settings.folds + 1), "stages") as bar:
        values = np.concatenate([page.features.values for page in blocks.pages], axis=1)
        names = blocks.pages[0].features.names
        first, first_sums, _ = _stage(names, values, blocks, settings.first, bar.advance)
        second_values = []
        for page, probabilities in zip(blocks.pages, blocks.of_pages(first.calibration(first_sums)), strict=True):
            own_names, own_values = sequence_of(page.features, probabilities)
            second_values.append(own_values)
        values = np.concatenate((values, np.concatenate(second_values, axis=1)))
        second_names = (*names, *own_names)
        second, second_sums, gains = _stage(second_names, values, blocks, settings.second, bar.advance)
    by_page = [
        for_page(own, page.features.words)
        for page, own in zip(blocks.pages, blocks.of_pages(second.calibration(second_sums)), strict=True)
    ]
    probabilities = np.concatenate(by_page)
    cutoff, curve, f1 = _best_cutoff(sets, by_page)
    known = blocks.known
    bins = calibration_bins(probabilities[known], blocks.labels[known], blocks.weights[known])
    worth = {name: round(float(gain), 4) for name, gain in zip(second_names, gains, strict=True) if gain > 0}
    card = ContentCard(
        FORMAT,
        KIND,
        tuple(one.about for one in sets),
        first.names,
        second.names,
        cutoff,
        {name: round(float(pages.mean()), 4) for name, pages in f1.items()},
        _described(settings),
        dict(sorted(worth.items(), key=lambda item: (-item[1], item[0]))),
        digest_of(first, second),
    )
    return Trained(ContentModel(card, first, second), tuple(bins), f1, curve)


def _blocks(sets: Sequence[PagesOfSet], folds: int) -> _Blocks:
    pages = tuple(page for one in sets for page in one.pages)
    where = ", ".join(one.about.name for one in sets)
    if not pages:
        raise InputError("no page with gold has blocks", "check the folders", where)
    by_page = folds_of([page.domain for page in pages], folds)
    sizes = [len(page.labels) for page in pages]
    labels = np.concatenate([page.labels for page in pages])
    weights = np.concatenate([page.weights * one.weight for one in sets for page in one.pages])
    blocks = _Blocks(pages, np.cumsum(sizes), labels, weights, np.repeat(by_page, sizes))
    known = blocks.known
    for fold in range(folds):
        others = labels[known & (blocks.fold != fold)]
        if not (len(others) and (others >= 0.5).any() and (others < 0.5).any()):
            raise InputError(
                f"without fold {fold + 1} of {folds} there are no blocks of content, or none of anything else",
                f"give pages of more than {folds} domains whose gold leaves something out",
                where,
            )
        if not (by_page == fold).any():
            raise InputError(f"fold {fold + 1} of {folds} has no pages", "give pages of more domains", where)
    return blocks


def _stage(
    names: tuple[str, ...],
    values: npt.NDArray[np.float32],
    blocks: _Blocks,
    settings: TreeSettings,
    done: Callable[[], None],
) -> tuple[TreeStage, npt.NDArray[np.int64], Doubles]:
    """Return a stage fitted to all blocks; each block's sum by the trees that do not know its fold; the features' gains."""
    known = blocks.known
    sums = np.zeros(len(blocks.labels), dtype=np.int64)
    for fold in range(int(blocks.fold.max()) + 1):
        inside = blocks.fold == fold
        rows = known & ~inside
        trees, _ = fit_trees(values[:, rows], blocks.labels[rows], blocks.weights[rows], settings)
        sums[inside] = trees.sums(values[:, inside])
        done()
    trees, gains = fit_trees(values[:, known], blocks.labels[known], blocks.weights[known], settings)
    done()
    calibration = calibrate(sums[known], blocks.labels[known], blocks.weights[known])
    used = np.unique(trees.features)
    own = replace(trees, features=np.searchsorted(used, trees.features).astype(np.uint16))
    return TreeStage(tuple(names[feature] for feature in used), own, calibration), sums, gains


def _best_cutoff(
    sets: Sequence[PagesOfSet], probabilities: Sequence[Doubles]
) -> tuple[float, dict[float, float], dict[str, Doubles]]:
    """Return the cutoff with the highest mean over sets of the mean word F1, that mean by cutoff, and each page's F1 there.

    Sets of snippets have no part in it. Without other sets the cutoff is a half.
    """
    scores: dict[str, Doubles] = {}
    first = 0
    for one in sets:
        own = probabilities[first : first + len(one.pages)]
        first += len(one.pages)
        rows = [
            [page.bags.f1(each >= cutoff) for cutoff in CUTOFFS]
            for page, each in zip(one.pages, own, strict=True)
            if page.bags is not None
        ]
        if rows:
            scores[one.about.name] = np.array(rows)
    if not scores:
        return 0.5, {}, {}
    means = np.mean([rows.mean(axis=0) for rows in scores.values()], axis=0)
    best = int(np.argmax(means))
    curve = {cutoff: float(mean) for cutoff, mean in zip(CUTOFFS, means, strict=True)}
    return CUTOFFS[best], curve, {name: rows[:, best] for name, rows in scores.items()}


def _described(settings: TrainingSettings) -> dict[str, float]:
    return {
        "folds": float(settings.folds),
        **{f"first_{name}": float(value) for name, value in asdict(settings.first).items()},
        **{f"second_{name}": float(value) for name, value in asdict(settings.second).items()},
    }

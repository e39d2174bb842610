"""Stages of training a content model: the forum trees, the network, calibration and cutoff, all by folds of domains."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace

import numpy as np
import numpy.typing as npt

from content_training.fitting import CalibrationBin, TreeSettings, calibrate, calibration_bins, fit_trees
from content_training.networks import NetworkSettings, fit_network, scaling_of
from content_training.training_pages import FOLDS, FORUM, PageToLearn, folds_of
from thresher import InputError
from thresher.base.progress import Progress
from thresher.cleaners.content_model.features import feature_names
from thresher.cleaners.content_model.model import (
    FORMAT,
    KIND,
    ContentCard,
    ContentModel,
    NetworkStage,
    TrainingSet,
    TreeStage,
    digest_of,
)
from thresher.cleaners.content_model.network import Network
from thresher.cleaners.content_model.page_rules import block_scores, forum_features, forum_names
from thresher.cleaners.content_model.trees import Calibration, Trees

Doubles = npt.NDArray[np.float64]

CUTOFFS = tuple(round(0.05 * step, 2) for step in range(2, 17))
"""Cutoffs tried for the model's default."""
# Gain in word F1 above which comments count as content on all pages. Models of different seeds differ by as much.
_CLEARLY = 0.003


@dataclass(frozen=True)
class TrainingSettings:
    """Settings of training: the network, the trees that recognise forums, the number of folds."""

    network: NetworkSettings = field(default_factory=NetworkSettings)
    forum: TreeSettings = field(default_factory=lambda: TreeSettings(trees=100, depth=4, rate=0.1, share_of_rows=1))
    folds: int = FOLDS


@dataclass(frozen=True)
class PagesOfSet:
    """A training set: its description on the model's card, its pages, and the weight of its blocks."""

    about: TrainingSet
    pages: Sequence[PageToLearn]
    weight: float = 1.0


@dataclass(frozen=True)
class Trained:
    """A trained model, and its quality by cross-validation over domains.

    Attributes:
        model: the model, trained on all pages.
        calibration: the bins of a reliability diagram of the blocks' probabilities.
        f1: by set with whole gold texts, the word F1 of each page at the model's cutoff; shape (pages,).
        curve: by cutoff, the mean word F1 over these sets.
        without: for each fold, a model trained on the other folds, with the calibration and cutoff of `model`.
    """

    model: ContentModel
    calibration: tuple[CalibrationBin, ...]
    f1: dict[str, Doubles]
    curve: dict[float, float]
    without: tuple[ContentModel, ...]


@dataclass(frozen=True)
class _FittedTrees:
    """Trees fitted to all examples, trees fitted without each fold, and each example's probability without its fold."""

    stage: TreeStage
    without: Sequence[TreeStage]
    probabilities: Doubles


@dataclass(frozen=True)
class _FittedNetwork:
    """A network fitted to all pages, networks fitted without each fold, and each block's sum without its fold."""

    stage: NetworkStage
    without: Sequence[NetworkStage]
    sums: npt.NDArray[np.int64]


@dataclass(frozen=True)
class _Examples:
    """Examples of a stage; each array has shape (examples,). A missing label is NaN.

    Calibration uses only the `counted` examples.
    """

    labels: Doubles
    weights: Doubles
    fold: npt.NDArray[np.int64]
    counted: npt.NDArray[np.bool_]

    @property
    def known(self) -> npt.NDArray[np.bool_]:
        return ~np.isnan(self.labels)

    def has_both_classes(self, without: int) -> bool:
        """Whether the other folds have examples of both classes."""
        others = self.labels[self.known & (self.fold != without)]
        return bool(len(others) and (others >= 0.5).any() and (others < 0.5).any())


@dataclass(frozen=True)
class _Blocks(_Examples):
    """All blocks of all pages, and the end of each page's blocks."""

    pages: tuple[PageToLearn, ...]
    ends: npt.NDArray[np.int64]

    def of_pages(self, values: Doubles) -> list[Doubles]:
        """Split values of blocks by page."""
        return np.split(values, self.ends[:-1])


def train_content_model(sets: Sequence[PagesOfSet], settings: TrainingSettings | None = None) -> Trained:
    """Train a model. Equal pages in equal order give equal bytes on one machine.

    Each stage is also fitted without each fold, so calibration and cutoff come from pages that the fitted stage never saw.
    """
    settings = settings or TrainingSettings()
    blocks = _blocks(sets, settings.folds)
    with Progress("training", 2 * (settings.folds + 1), "stages") as bar:
        forums = _forums(blocks, settings, bar.advance)
        networks = _network(sets, blocks, settings, bar.advance)
    forum, network = forums.stage, networks.stage
    by_block = blocks.of_pages(network.calibration(networks.sums))
    cutoff, curve, f1, by_page = _best_cutoff(sets, blocks, by_block, forums.probabilities)
    # Some gold standards count comments as content, some do not.
    all_forums = np.ones(len(blocks.pages))
    with_comments = _best_cutoff(sets, blocks, by_block, all_forums)
    if max(with_comments[1].values(), default=0.0) > max(curve.values(), default=0.0) + _CLEARLY:
        forums, (cutoff, curve, f1, by_page) = _any_forums(blocks, settings), with_comments
        forum = forums.stage
    probabilities = np.concatenate(by_page)
    counted = blocks.known & blocks.counted
    bins = calibration_bins(probabilities[counted], blocks.labels[counted], blocks.weights[counted])
    card = ContentCard(
        FORMAT,
        KIND,
        tuple(pages_of_set.about for pages_of_set in sets),
        forum.names,
        network.names,
        cutoff,
        {name: round(float(pages.mean()), 4) for name, pages in f1.items()},
        _described(settings),
        digest_of(forum, network),
    )
    without: list[ContentModel] = []
    for own_forum, own_network in zip(forums.without, networks.without, strict=True):
        own_card = replace(card, forum=own_forum.names, digest=digest_of(own_forum, own_network))
        without.append(ContentModel(own_card, own_forum, own_network))
    return Trained(ContentModel(card, forum, network), tuple(bins), f1, curve, tuple(without))


def _blocks(sets: Sequence[PagesOfSet], folds: int) -> _Blocks:
    pages = tuple(page for pages_of_set in sets for page in pages_of_set.pages)
    where = ", ".join(pages_of_set.about.name for pages_of_set in sets)
    if not pages:
        raise InputError("no page with gold has blocks", "check the folders", where)
    by_page = folds_of([page.domain for page in pages], folds)
    sizes = [len(page.labels) for page in pages]
    labels = np.concatenate([page.labels for page in pages])
    weights = np.concatenate(
        [page.weights * pages_of_set.weight for pages_of_set in sets for page in pages_of_set.pages]
    )
    # Synthetic pages do not count: their shares of content differ from real pages' shares.
    real = np.array([page.bags is not None for page in pages])
    counted = np.repeat(real if real.any() else ~real, sizes)
    blocks = _Blocks(labels, weights, np.repeat(by_page, sizes), counted, pages, np.cumsum(sizes))
    for fold in range(folds):
        if not blocks.has_both_classes(without=fold):
            raise InputError(
                f"without fold {fold + 1} of {folds} there are no blocks of content, or none of anything else",
                f"give pages of more than {folds} domains whose gold leaves something out",
                where,
            )
        if not (by_page == fold).any():
            raise InputError(f"fold {fold + 1} of {folds} has no pages", "give pages of more domains", where)
    return blocks


def _forums(blocks: _Blocks, settings: TrainingSettings, done: Callable[[], None]) -> _FittedTrees:
    """Return the stage that recognises forums.

    It learns from the gold's page types. If they are too few, the stage takes every page for a forum's.
    """
    pages = blocks.pages
    labels = np.array([float(page.page_type == FORUM) if page.page_type else np.nan for page in pages])
    fold = blocks.fold[blocks.ends - 1]
    examples = _Examples(labels, np.ones(len(pages)), fold, np.ones(len(pages), dtype=np.bool_))
    if not all(examples.has_both_classes(without=number) for number in range(settings.folds)):
        for _ in range(settings.folds + 1):
            done()
        return _any_forums(blocks, settings)
    features = (page.features for page in pages)
    values = np.concatenate([forum_features(own.names, own.values, own.words) for own in features], axis=1)
    return _stage(forum_names(blocks.pages[0].features.names), values, examples, settings.forum, done)


def _any_forums(blocks: _Blocks, settings: TrainingSettings) -> _FittedTrees:
    """Return a stage that takes every page for a forum's."""
    question = np.zeros(1, dtype=np.uint16), np.zeros(1, dtype=np.float32)
    trees = Trees(*question, np.zeros((1, 1), dtype=np.uint16), np.zeros((1, 2), dtype=np.int16))
    stage = TreeStage(forum_names(feature_names())[:1], trees, Calibration(np.zeros(1, dtype=np.int64), np.ones(1)))
    return _FittedTrees(stage, [stage] * settings.folds, np.ones(len(blocks.pages)))


def _stage(
    names: tuple[str, ...],
    values: npt.NDArray[np.float32],
    examples: _Examples,
    settings: TreeSettings,
    done: Callable[[], None],
) -> _FittedTrees:
    """Return a stage fitted to all examples, and its versions without each fold."""
    labelled = examples.known
    sums = np.zeros(len(examples.labels), dtype=np.int64)
    without: list[Trees] = []
    for fold in range(int(examples.fold.max()) + 1):
        inside = examples.fold == fold
        rows = labelled & ~inside
        trees = fit_trees(values[:, rows], examples.labels[rows], examples.weights[rows], settings)
        sums[inside] = trees.sums(values[:, inside])
        without.append(trees)
        done()
    trees = fit_trees(values[:, labelled], examples.labels[labelled], examples.weights[labelled], settings)
    done()
    counted = labelled & examples.counted
    calibration = calibrate(sums[counted], examples.labels[counted], examples.weights[counted])
    stage = _tree_stage(names, trees, calibration)
    stages = [_tree_stage(names, own, calibration) for own in without]
    return _FittedTrees(stage, stages, calibration(sums))


def _tree_stage(names: tuple[str, ...], trees: Trees, calibration: Calibration) -> TreeStage:
    """Return a stage with the features that its trees use."""
    used = np.unique(trees.features)
    own = replace(trees, features=np.searchsorted(used, trees.features).astype(np.uint16))
    return TreeStage(tuple(names[feature] for feature in used), own, calibration)


def _network(
    sets: Sequence[PagesOfSet], blocks: _Blocks, settings: TrainingSettings, done: Callable[[], None]
) -> _FittedNetwork:
    """Return the network trained on all pages, and the networks trained without each fold."""
    weights = [pages_of_set.weight for pages_of_set in sets for _ in pages_of_set.pages]
    folds = blocks.fold[blocks.ends - 1].tolist()
    scaling = scaling_of(blocks.pages)

    def fitted_without(fold: int | None) -> Network:
        training_pages = [number for number, own in enumerate(folds) if own != fold]
        network = fit_network(
            [blocks.pages[number] for number in training_pages],
            [weights[number] for number in training_pages],
            scaling,
            settings.network,
        )
        done()
        return network

    networks = [fitted_without(fold) for fold in range(settings.folds)]
    sums = np.concatenate(
        [
            networks[fold].sums(page.features.values, page.features.words)
            for page, fold in zip(blocks.pages, folds, strict=True)
        ]
    )
    counted = blocks.known & blocks.counted
    calibration = calibrate(sums[counted], blocks.labels[counted], blocks.weights[counted])
    names = blocks.pages[0].features.names
    without = [NetworkStage(names, network, calibration) for network in networks]
    return _FittedNetwork(NetworkStage(names, fitted_without(None), calibration), without, sums)


def _best_cutoff(
    sets: Sequence[PagesOfSet], blocks: _Blocks, by_block: Sequence[Doubles], forums: Doubles
) -> tuple[float, dict[float, float], dict[str, Doubles], list[Doubles]]:
    """Return the best cutoff, the mean word F1 by cutoff, each set's F1 by page at the best cutoff, and probabilities.

    The mean word F1 is over the sets' means. Probabilities are by page and block. Sets of snippets do not count. If all
    sets are of snippets, the cutoff is a half.
    """
    by_page = [
        block_scores(own, forum, page.features)
        for page, own, forum in zip(blocks.pages, by_block, forums.tolist(), strict=True)
    ]
    scores: dict[str, Doubles] = {}
    first = 0
    for pages_of_set in sets:
        own = by_page[first : first + len(pages_of_set.pages)]
        first += len(pages_of_set.pages)
        rows = [
            [page.bags.f1(probabilities >= cutoff) for cutoff in CUTOFFS]
            for page, probabilities in zip(pages_of_set.pages, own, strict=True)
            if page.bags is not None
        ]
        if rows:
            scores[pages_of_set.about.name] = np.array(rows)
    if not scores:
        return 0.5, {}, {}, by_page
    means = np.mean([rows.mean(axis=0) for rows in scores.values()], axis=0)
    # Cutoffs with equal means, to four digits, are ranked by their distance to a half.
    best = min(range(len(CUTOFFS)), key=lambda number: (-round(float(means[number]), 4), abs(CUTOFFS[number] - 0.5)))
    curve = {cutoff: float(mean) for cutoff, mean in zip(CUTOFFS, means, strict=True)}
    return CUTOFFS[best], curve, {name: rows[:, best] for name, rows in scores.items()}, by_page


def _described(settings: TrainingSettings) -> dict[str, float]:
    stages = ("forum", settings.forum), ("network", settings.network)
    numbers = {
        f"{stage}_{name}": float(value)
        for stage, own in stages
        for name, value in asdict(own).items()
        if not isinstance(value, tuple)
    }
    return {"folds": float(settings.folds), **numbers}

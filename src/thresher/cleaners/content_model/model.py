"""Content models: a page's type, a network, the probability of its sums, and the cutoff that suits a page.

Whether a page is a forum's: what readers write is the content of a forum, and beside the content of other pages.

A page's type before its blocks: after Foley's rs-trafilatura (WCXB, 2026), whose rules depend on a learned type.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.base.archives import Array, NamedModels, array_digest, damaged, read_archive, write_archive
from thresher.base.errors import InputError, ThresherError
from thresher.base.records import RecordFile
from thresher.cleaners.content_model.features import THOUSAND, BlockFeatures, Floats, Wide, feature_names, features_of
from thresher.cleaners.content_model.network import NETWORK_ARRAYS, Network, network_of
from thresher.cleaners.content_model.older_features import (
    OlderFeatures,
    older_features,
    older_names,
    sequence_features,
    sequence_names,
)
from thresher.pages import Segments

# Blocks, whose answers fit into a core's cache; bounds the memory that pages of many blocks take.
_AT_ONCE = 512
# Of the smallest numbers.
_BITS = 8

Values = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Trees:
    """Trees of one depth.

    Attributes:
        features: the row of features that each question is about; shape (questions,).
        borders: the answer is yes above; shape (questions,).
        trees: the questions of each tree, the first for the lowest bit of the leaf's number; shape (trees, depth).
        leaves: values; shape (trees, 2 ** depth).
    """

    features: npt.NDArray[np.uint16]
    borders: Values
    trees: npt.NDArray[np.uint16]
    leaves: npt.NDArray[np.int16]

    def sums(self, values: Values, rows: npt.NDArray[np.int64] | None = None) -> npt.NDArray[np.int64]:
        """Return the sum of the leaves of each block, shape (blocks,), from features, shape (features, blocks).

        `rows` says where these trees' features are, by default all in order.
        """
        indices = self.features if rows is None else rows[self.features]
        begins = range(0, values.shape[1], _AT_ONCE)
        parts = [self._part(values[:, begin : begin + _AT_ONCE], indices) for begin in begins]
        return np.concatenate([*parts, np.zeros(0, dtype=np.int64)], dtype=np.int64)

    def _part(self, values: Values, indices: npt.NDArray[Any]) -> npt.NDArray[np.int32]:
        depth = self.trees.shape[1]
        # `take` is faster than indexing. An answer is a byte of 0 or 1.
        answers: npt.NDArray[Any] = (values.take(indices, axis=0) > self.borders[:, None]).view(np.uint8)
        if depth > _BITS:
            answers = answers.astype(np.uint16)
        leaf = answers.take(self.trees[:, -1], axis=0)
        for level in range(depth - 2, -1, -1):
            leaf += leaf
            leaf |= answers.take(self.trees[:, level], axis=0)
        first, leaves = self._all_leaves
        sums: npt.NDArray[np.int32] = leaves.take(leaf + first).sum(axis=0, dtype=np.int32)
        return sums

    @cached_property
    def _all_leaves(self) -> tuple[npt.NDArray[Any], npt.NDArray[np.int32]]:
        """The number of each tree's first leaf, in as few bytes as will do, and the values of all leaves of all trees."""
        first = np.arange(0, self.leaves.size, self.leaves.shape[1])[:, None]
        return first.astype(np.min_scalar_type(self.leaves.size)), self.leaves.ravel().astype(np.int32)


_PAGE, _AROUND = "page_", "in_"
_SHARE = "share_"
# Comments stay from this probability of a forum up, or with no more words of content besides; what has so many is their text.
_FORUM, _WORDS, _LONG_COMMENT = 0.25, 100, 10
# The share of content of a page without anything else.
_MOST_SHARE = 0.99
# Of the highest expected F1 of a page, and more.
_OF_HIGHEST, _MORE = 0.5, 0.1


@cache
def forum_names(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names of the features that tell forums, given those of blocks."""
    own, around = _rows_by_group(names)
    return (*(names[row] for row in own), *(f"{_SHARE}{names[row]}" for row in around))


def forum_features(names: tuple[str, ...], values: Floats, words: Wide) -> Floats:
    """Return a page's features, shape (features, 1): those that all its blocks share, and the share of its words in
    elements of each kind; from the features of its blocks, shape (features, blocks), and their words, shape (blocks,).
    """
    own, around = _rows_by_group(names)
    weights = words + 1
    # Sums of halves are exact, up to 2 ** 23.
    shares = np.einsum("fb,b->f", values.take(around, axis=0), weights.astype(np.float32)) / weights.sum()
    return np.concatenate((values[own, 0], shares))[:, None].astype(np.float32)


def without_comments(probabilities: Wide, words: Wide, comments: npt.NDArray[np.bool_], forum: float) -> Wide:
    """Return a page's probabilities with 0 for comments where they are beside the content.

    That is so where the page is not a forum's and 100 words of content are expected outside of comments.

    Args:
        probabilities, words: of content and of each block; shape (blocks,).
        comments: which blocks are in an element that is called a comment; shape (blocks,).
        forum: the probability that the page is a forum's.
    """
    # Whole thousandths, so that sums over blocks are exact.
    outside = float((words * np.rint(THOUSAND * probabilities))[~comments].sum()) / THOUSAND
    beside = forum < _FORUM and outside > _WORDS
    return np.where(comments, 0, probabilities) if beside else probabilities


@cache
def _rows_by_group(names: tuple[str, ...]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the rows of the page's own features, and of those that say what is around a block."""
    own, around = (
        np.array([row for row, name in enumerate(names) if name.startswith(begin)]) for begin in (_PAGE, _AROUND)
    )
    return own, around


@dataclass(frozen=True)
class Calibration:
    """Probabilities of sums of leaves: linear between knots, constant beyond them.

    Sums ascend, probabilities do not descend, in [0, 1]; shape (knots,).
    """

    sums: npt.NDArray[np.int64]
    probabilities: npt.NDArray[np.float64]

    def __call__(self, sums: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """Return the probabilities of sums; the same shape."""
        return np.interp(sums, self.sums, self.probabilities)


@dataclass(frozen=True)
class TreeStage:
    """Trees over named features, and the probability of their sums."""

    names: tuple[str, ...]
    trees: Trees
    calibration: Calibration

    def probabilities(self, names: Sequence[str], values: Values) -> Wide:
        """Return the probability of each block from features of these names, at least this stage's, (features, blocks)."""
        return self.calibration(self.trees.sums(values, _rows(self.names, tuple(names))))


@dataclass(frozen=True)
class NetworkStage:
    """A network over all features, of these names in order, and the probability of its sums."""

    names: tuple[str, ...]
    network: Network
    calibration: Calibration

    def probabilities(self, values: Floats, words: Wide) -> Wide:
        """Return the probability of each block from features, shape (features, blocks), and words, (blocks,)."""
        return self.calibration(self.network.sums(values, words))


@cache
def _rows(wanted: tuple[str, ...], names: tuple[str, ...]) -> npt.NDArray[np.int64]:
    index = {name: row for row, name in enumerate(names)}
    return np.array([index[name] for name in wanted])


@dataclass(frozen=True)
class TrainingSet:
    """A set of pages that a model was trained on."""

    name: str
    pages: int
    blocks: int
    licence: str = ""
    attribution: str = ""


@dataclass(frozen=True)
class ContentCard:
    """A model's card.

    `forum`, `first` and `second` are the features of the stages. `cutoff` is the best one of the training sets by
    cross-validation over domains, `scores` what it reaches there: mean word F1 by set. `gains`, before format 5, are the
    features' shares in the change of the trees' sums, in per cent. `digest` is the SHA-256 of the arrays.
    """

    format: int
    kind: str
    sets: tuple[TrainingSet, ...]
    forum: tuple[str, ...]
    first: tuple[str, ...]
    second: tuple[str, ...]
    cutoff: float
    scores: Mapping[str, float]
    settings: Mapping[str, float]
    gains: Mapping[str, float]
    digest: str


@dataclass(frozen=True)
class ContentModel:
    """A trained model; see `thresher.cleaners.content_model`.

    Stages: `forum`, whether a page is a forum's; `second`, whether a block is content. Models of format 3 have trees for that:
    `first`, and a second stage that sees what the first says around a block.
    """

    card: ContentCard
    forum: TreeStage
    first: TreeStage | None
    second: NetworkStage | TreeStage

    def probabilities(self, segments: Segments, comments: bool = False) -> npt.NDArray[np.float32]:
        """Return for each block the probability that it is main content, for its page; shape (blocks,), range 0 to 1.

        The page was read with its elements. With `comments`, those of readers are content too.
        """
        if not len(segments.block_ends):
            return np.zeros(0, dtype=np.float32)
        of_model = features_of if isinstance(self.second, NetworkStage) else older_features
        return self.probabilities_of(of_model(segments), comments)

    def probabilities_of(self, features: BlockFeatures, comments: bool = False) -> npt.NDArray[np.float32]:
        """Return the probabilities of blocks with these features, those that the model knows; as `probabilities`."""
        # It matters for comments alone.
        forum = self.forum_probability(features) if features.comments.any() else 1.0
        return of_page(self.before_rules(features), forum, features, comments).astype(np.float32)

    def before_rules(self, features: BlockFeatures) -> Wide:
        """Return the probabilities of blocks before what `of_page` does; shape (blocks,)."""
        if isinstance(self.second, NetworkStage):
            return self.second.probabilities(features.values, features.words)
        if self.first is None or not isinstance(features, OlderFeatures):
            raise TypeError("a model of format 3 needs `older_features`")
        first = self.first.probabilities(features.names, features.values)
        names, values = sequence_features(np.rint(THOUSAND * first), features)
        second = self.second.probabilities((*features.names, *names), np.concatenate((features.values, values)))
        return (first + second) / 2

    def forum_probability(self, features: BlockFeatures) -> float:
        """Return the probability that a page is a forum's; see `forum_features`."""
        told = forum_features(features.names, features.values, features.words)
        return float(self.forum.probabilities(forum_names(features.names), told)[0])


def with_comments(probabilities: Wide, words: Wide, comments: npt.NDArray[np.bool_]) -> Wide:
    """Return a page's probabilities with a half or more for comments of `_LONG_COMMENT` words or more; shape (blocks,)."""
    raised: Wide = np.where(comments, np.maximum(probabilities, words / (words + _LONG_COMMENT)), probabilities)
    return raised


def of_page(found: Wide, forum: float, features: BlockFeatures, comments: bool = False) -> Wide:
    """Return the probabilities of a page's blocks from those of the stages; without repeats, and without comments that are
    beside the content, unless `comments` are content too.

    `forum` is the probability that the page is a forum's. Shape (blocks,), with a half at the page's cutoff; see
    `with_share`, `for_page`.
    """
    if comments:
        found = with_comments(found, features.words, features.comments)
    else:
        found = without_comments(found, features.words, features.comments, forum)
    return without_repeats(for_page(with_share(found, features.words), features.words), features.alike)


def without_repeats(probabilities: Wide, alike: npt.NDArray[np.int64]) -> Wide:
    """Return a page's probabilities with 0 for all but one of blocks that are `alike`: the first from a half up, so that
    one copy of a passage is read whole, else the likeliest; shape (blocks,).
    """
    backwards = (-np.minimum(probabilities, 0.5)).argsort(kind="stable")[::-1]
    # Of what is put in one place the last remains.
    kept = np.empty(len(alike), dtype=np.int64)
    kept[alike[backwards]] = backwards
    return np.where(kept[alike] == np.arange(len(alike)), probabilities, 0)


def with_share(probabilities: Wide, words: Wide) -> Wide:
    """Return a page's probabilities given how much of the page is content: higher where that is more than half.

    A reference page has no template: a sentence above its lists of definitions is content, and would be a teaser
    elsewhere. Odds are multiplied by those of the page's expected share of content over even ones (Saerens, Latinne,
    Decaestecker, Adjusting the Outputs of a Classifier to New a Priori Probabilities, Neural Computation 14, 2002), by
    the root of them because the share is estimated from the same probabilities. Shape (blocks,).
    """
    expected = float((words * np.rint(THOUSAND * probabilities)).sum()) / THOUSAND
    share = min(expected / max(float(words.sum()), 0.5), _MOST_SHARE)
    if share <= 0.5:
        return probabilities
    raised: Wide = probabilities * np.sqrt(share / (1 - share))
    return raised / (raised + 1 - probabilities)


def for_page(probabilities: Wide, words: Wide) -> Wide:
    """Return a page's probabilities with a half at the cutoff that suits the page, linear from there to 0 and to 1.

    The cutoff of highest expected F1 is half that F1 (Lipton, Elkan, Naryanaswamy, Optimal Thresholding of Classifiers
    to Maximize F1 Measure, ECML PKDD 2014): low where little is sure. A tenth is added, as the blocks of a page are
    wrong together; by cross-validation on the training sets that is best. The expected F1 of the blocks from some
    probability up is twice their expected words of content, by all words in them and all that are expected on the page.
    Shape (blocks,), at least one.
    """
    order = (-probabilities).argsort(kind="stable")
    # Whole thousandths, so that sums over blocks are exact.
    expected = (words * np.rint(THOUSAND * probabilities))[order].cumsum() / THOUSAND
    highest = (2 * expected / np.maximum(words[order].cumsum() + expected[-1], 0.5)).max()
    return np.interp(probabilities, (0, _OF_HIGHEST * highest + _MORE, 1), (0, 0.5, 1))


PAGE_RULES = 3
"""The version of `of_page`; increase it when scores change without the model."""
FORMAT, FORMAT_OF_TREES = 5, 3
"""The version of files and features, increased when either changes; and that of models whose second stage is trees."""
KIND = "content"
SHIPPED = ("web",)
FOLDER = files("thresher.cleaners.content_model") / "data"
_WHAT, _FIX = "content model", "train it again with scripts/content_train"
_CARD_FILE = RecordFile(ContentCard, "the card of a content model", _FIX, indent=2)
_TREES, _CALIBRATION = ("features", "borders", "trees", "leaves"), ("sums", "probabilities")


def digest_of(*stages: TreeStage | NetworkStage | None) -> str:
    """Return the digest of a model's arrays, by its stages in order."""
    return array_digest([values for stage in stages if stage for values in _arrays(stage, "").values()])


def write_content_model(path: Path, model: ContentModel) -> None:
    """Write a model to `path` atomically; the same model has the same bytes."""
    first = _arrays(model.first, "first_") if model.first else {}
    arrays = _arrays(model.forum, "forum_") | first | _arrays(model.second, "second_")
    write_archive(path, _CARD_FILE.text(model.card), arrays)


def read_content_model(path: Traversable) -> ContentModel:
    """Read a model that `write_content_model` wrote."""
    stages = ("forum_", "first_", "second_")
    names = [stage + name for stage in stages for name in (*_TREES, *_CALIBRATION, *NETWORK_ARRAYS)]
    card, arrays = read_archive(path, names, _WHAT, _FIX)
    try:
        about = _CARD_FILE.parse(card, str(path))
        if about.kind != KIND:
            raise ValueError("another kind")
        if about.format in (FORMAT_OF_TREES, FORMAT):
            known = older_names() if about.format == FORMAT_OF_TREES else feature_names()
            forum = _stage(about.forum, arrays, "forum_", forum_names(known))
            first: TreeStage | None = None
            second: NetworkStage | TreeStage
            if about.format == FORMAT_OF_TREES:
                first = _stage(about.first, arrays, "first_", known)
                second = _stage(about.second, arrays, "second_", (*known, *sequence_names()))
            else:
                second = _network_stage(about.second, arrays, "second_")
            if digest_of(forum, first, second) != about.digest:
                raise ValueError("the arrays are not those the card was written for")
            return ContentModel(about, forum, first, second)
    except (KeyError, ValueError, ThresherError) as error:
        raise damaged(path, _WHAT, _FIX) from error
    raise InputError(
        f"it is a model of format {about.format}, and this Thresher reads {FORMAT_OF_TREES} and {FORMAT}",
        _FIX,
        str(path),
    )


_FILES = NamedModels(_WHAT, SHIPPED, FOLDER, ".content", "scripts/content_train", read_content_model)


def find_content_model(name: str, where: str | None = None) -> Traversable:
    """Return the file of a model; see `NamedModels.find`."""
    return _FILES.find(name, where)


@lru_cache(maxsize=4)
def load_content_model(name: str) -> ContentModel:
    """Load a model: `web` or a path; a process holds one copy of each of the last four."""
    return _FILES.load(name)


def _arrays(stage: TreeStage | NetworkStage, prefix: str) -> dict[str, Array]:
    if isinstance(stage, NetworkStage):
        arrays = dict(zip(NETWORK_ARRAYS, stage.network.arrays(), strict=True))
    else:
        arrays = {name: getattr(stage.trees, name) for name in _TREES}
    arrays |= {name: getattr(stage.calibration, name) for name in _CALIBRATION}
    return {f"{prefix}{name}": values for name, values in arrays.items()}


def _stage(names: tuple[str, ...], arrays: dict[str, Array], prefix: str, known: tuple[str, ...]) -> TreeStage:
    if not names or not set(names) <= set(known) or len(set(names)) < len(names):
        raise ValueError("the features are not those of this version")
    trees, calibration = ([arrays[prefix + name] for name in part] for part in (_TREES, _CALIBRATION))
    return TreeStage(names, Trees(*trees), Calibration(*calibration))


def _network_stage(names: tuple[str, ...], arrays: dict[str, Array], prefix: str) -> NetworkStage:
    if names != feature_names():
        raise ValueError("the features are not those of this version")
    network, calibration = ([arrays[prefix + name] for name in part] for part in (NETWORK_ARRAYS, _CALIBRATION))
    return NetworkStage(names, network_of(network), Calibration(*calibration))

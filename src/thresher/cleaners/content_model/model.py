"""Content models: whether a page is a forum's, by trees; whether a block is main content, by a network; and their files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

import numpy as np
import numpy.typing as npt

from thresher.base.archives import Array, NamedModels, array_digest, damaged, read_archive, write_archive
from thresher.base.errors import InputError, ThresherError
from thresher.base.records import RecordFile
from thresher.cleaners.content_model.features import BlockFeatures, Floats, Wide, feature_names, features_of
from thresher.cleaners.content_model.network import NETWORK_ARRAYS, Network, network_of
from thresher.cleaners.content_model.page_rules import block_scores, forum_features, forum_names
from thresher.cleaners.content_model.trees import CALIBRATION_ARRAYS, TREE_ARRAYS, Calibration, Trees
from thresher.pages import Segments

FORMAT = 5
"""The version of files and features; increase it when either changes."""
KIND = "content"
SHIPPED = ("web",)
FOLDER = files("thresher.cleaners.content_model") / "data"
_WHAT, _FIX = "content model", "train it again with scripts/content_train.py"
_FORUM, _NETWORK = "forum_", "second_"
"""The beginnings of the names of the arrays of each stage."""


@dataclass(frozen=True)
class TreeStage:
    """Trees over named features, and the probability of their sums."""

    names: tuple[str, ...]
    trees: Trees
    calibration: Calibration

    def probabilities(self, names: Sequence[str], values: Floats) -> Wide:
        """Return the probability of each block from features, shape (features, blocks); more features may be given."""
        return self.calibration(self.trees.sums(values, _rows(self.names, tuple(names))))


@dataclass(frozen=True)
class NetworkStage:
    """A network over all features, which have these names in order, and the probability of its sums."""

    names: tuple[str, ...]
    network: Network
    calibration: Calibration

    def probabilities(self, values: Floats, words: Wide) -> Wide:
        """Return the probability of each block from features, shape (features, blocks), and words, (blocks,)."""
        return self.calibration(self.network.sums(values, words))


@cache
def _rows(features: tuple[str, ...], names: tuple[str, ...]) -> npt.NDArray[np.int64]:
    row_by_name = {name: row for row, name in enumerate(names)}
    return np.array([row_by_name[name] for name in features])


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

    Attributes:
        format: `FORMAT`.
        kind: `KIND`.
        sets: the training sets.
        forum, second: the names of the features of the trees and of the network.
        cutoff: the best cutoff on the training sets, by cross-validation over domains.
        scores: the mean word F1 at that cutoff, by training set.
        settings: the hyperparameters of training.
        digest: the SHA-256 of the arrays.
    """

    format: int
    kind: str
    sets: tuple[TrainingSet, ...]
    forum: tuple[str, ...]
    second: tuple[str, ...]
    cutoff: float
    scores: Mapping[str, float]
    settings: Mapping[str, float]
    digest: str


_CARD_FILE = RecordFile(ContentCard, "the card of a content model", _FIX, indent=2)


@dataclass(frozen=True)
class ContentModel:
    """A trained model: trees tell whether a page is a forum's, a network whether a block is content."""

    card: ContentCard
    forum: TreeStage
    network: NetworkStage

    def probabilities(self, segments: Segments, comments: bool = False) -> npt.NDArray[np.float32]:
        """Return for each block the probability that it is main content of its page; shape (blocks,), range 0 to 1.

        The page must have been read with its elements. With `comments`, readers' comments are content too.
        """
        if not len(segments.block_ends):
            return np.zeros(0, dtype=np.float32)
        return self.probabilities_of(features_of(segments), comments)

    def probabilities_of(self, features: BlockFeatures, comments: bool = False) -> npt.NDArray[np.float32]:
        """Return the probabilities of blocks with these features; as `probabilities`."""
        # The page's type matters for comments alone.
        forum = 1.0
        if features.parts.comments.any():
            forum = self.forum_probability(features)
        of_blocks = self.network.probabilities(features.values, features.words)
        return block_scores(of_blocks, forum, features, comments).astype(np.float32)

    def forum_probability(self, features: BlockFeatures) -> float:
        """Return the probability that a page is a forum's; see `forum_features`."""
        values = forum_features(features.names, features.values, features.words)
        return float(self.forum.probabilities(forum_names(features.names), values)[0])


def digest_of(forum: TreeStage, network: NetworkStage) -> str:
    """Return the digest of a model's arrays."""
    arrays = list(_arrays_of_trees(forum).values())
    arrays += _arrays_of_network(network).values()
    return array_digest(arrays)


def write_content_model(path: Path, model: ContentModel) -> None:
    """Write a model to `path` atomically; the same model has the same bytes."""
    arrays = {**_arrays_of_trees(model.forum), **_arrays_of_network(model.network)}
    write_archive(path, _CARD_FILE.text(model.card), arrays)


def read_content_model(path: Traversable) -> ContentModel:
    """Read a model that `write_content_model` wrote.

    Raises:
        InputError: if the file is damaged, or of another format.
    """
    names = _names(_FORUM, TREE_ARRAYS) + _names(_NETWORK, NETWORK_ARRAYS)
    card, arrays = read_archive(path, names, _WHAT, _FIX)
    try:
        about = _CARD_FILE.parse(card, str(path))
        if about.kind != KIND:
            raise ValueError("another kind")
        if about.format == FORMAT:
            return _model_of(about, arrays)
    except (KeyError, ValueError, ThresherError) as error:
        raise damaged(path, _WHAT, _FIX) from error
    raise InputError(f"it is a model of format {about.format}, and this Thresher reads {FORMAT}", _FIX, str(path))


def _model_of(card: ContentCard, arrays: Mapping[str, Array]) -> ContentModel:
    """Return the model of a card and its arrays.

    Raises:
        KeyError, ValueError: if the arrays do not fit the card or each other.
    """
    forum_known = forum_names(feature_names())
    if not card.forum or not set(card.forum) <= set(forum_known) or len(set(card.forum)) < len(card.forum):
        raise ValueError("the features of forums differ from this version's")
    if card.second != feature_names():
        raise ValueError("the features of blocks differ from this version's")
    trees = Trees(
        features=arrays[f"{_FORUM}features"],
        borders=arrays[f"{_FORUM}borders"],
        trees=arrays[f"{_FORUM}trees"],
        leaves=arrays[f"{_FORUM}leaves"],
    )
    network = network_of([arrays[f"{_NETWORK}{name}"] for name in NETWORK_ARRAYS])
    forum = TreeStage(card.forum, trees, _calibration(_FORUM, arrays))
    blocks = NetworkStage(card.second, network, _calibration(_NETWORK, arrays))
    if digest_of(forum, blocks) != card.digest:
        raise ValueError("the arrays differ from the arrays that the card was written for")
    return ContentModel(card, forum, blocks)


def _calibration(stage: str, arrays: Mapping[str, Array]) -> Calibration:
    return Calibration(sums=arrays[f"{stage}sums"], probabilities=arrays[f"{stage}probabilities"])


_MODELS = NamedModels(_WHAT, SHIPPED, FOLDER, ".content", "scripts/content_train.py", read_content_model)


def find_content_model(name: str, where: str | None = None) -> Traversable:
    """Return the file of a model; see `NamedModels.find`."""
    return _MODELS.find(name, where)


@lru_cache(maxsize=4)
def load_content_model(name: str) -> ContentModel:
    """Load a model: `web` or a path; a process holds one copy of each of the last four."""
    return _MODELS.load(name)


def _names(stage: str, arrays: tuple[str, ...]) -> list[str]:
    """Return the names of a stage's arrays and of its calibration in a file."""
    return [f"{stage}{name}" for name in arrays + CALIBRATION_ARRAYS]


def _arrays_of_trees(stage: TreeStage) -> dict[str, Array]:
    trees, calibration = stage.trees, stage.calibration
    arrays = (trees.features, trees.borders, trees.trees, trees.leaves, calibration.sums, calibration.probabilities)
    return dict(zip(_names(_FORUM, TREE_ARRAYS), arrays, strict=True))


def _arrays_of_network(stage: NetworkStage) -> dict[str, Array]:
    arrays = (*stage.network.arrays(), stage.calibration.sums, stage.calibration.probabilities)
    return dict(zip(_names(_NETWORK, NETWORK_ARRAYS), arrays, strict=True))

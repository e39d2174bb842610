"""Files of content models, and models by name or path: `web`, which comes with the package, and files."""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

import numpy as np

from thresher.archives import Array, NamedModels, array_digest, damaged, read_archive, write_archive
from thresher.content_models.added_features import SCORE, sequence_names
from thresher.content_models.features import feature_names
from thresher.content_models.model import Calibration, ContentCard, ContentModel, TreeStage, forum_names
from thresher.content_models.trees import Trees
from thresher.errors import InputError, ThresherError
from thresher.records import RecordFile

FORMAT = 3
"""The version of files and features; increase it when either changes."""
KIND = "content"
SHIPPED = ("web",)
FOLDER = files("thresher.content_models") / "data"
_WHAT, _FIX = "content model", "train it again with `thresher content train`"
_CARD_FILE = RecordFile(ContentCard, "the card of a content model", _FIX, indent=2)
_ARRAYS = ("features", "borders", "trees", "leaves", "sums", "probabilities")
_STAGES = ("forum", "first", "second")


def digest_of(*stages: TreeStage) -> str:
    """Return the digest of a model's arrays, by its stages in order."""
    return array_digest([values for stage in stages for values in _arrays(stage, "").values()])


def write_content_model(path: Path, model: ContentModel) -> None:
    """Write a model to `path` atomically; the same model has the same bytes."""
    arrays = _arrays(model.forum, "forum_") | _arrays(model.first, "first_") | _arrays(model.second, "second_")
    write_archive(path, _CARD_FILE.text(model.card), arrays)


def read_content_model(path: Traversable) -> ContentModel:
    """Read a model that `write_content_model` wrote."""
    names = [f"{stage}_{name}" for stage in _STAGES for name in _ARRAYS]
    card, arrays = read_archive(path, names, _WHAT, _FIX)
    try:
        about = _CARD_FILE.parse(card, str(path))
        if about.kind != KIND:
            raise ValueError("another kind")
        if about.format == FORMAT:
            forum = _stage(about.forum, arrays, "forum_", forum_names())
            first = _stage(about.first, arrays, "first_", feature_names())
            second = _stage(about.second, arrays, "second_", (*feature_names(), *sequence_names()))
            if digest_of(forum, first, second) != about.digest:
                raise ValueError("the arrays are not those the card was written for")
            return ContentModel(about, forum, first, second)
    except (KeyError, ValueError, ThresherError) as error:
        raise damaged(path, _WHAT, _FIX) from error
    raise InputError(f"it is a model of format {about.format}, and this Thresher reads {FORMAT}", _FIX, str(path))


_FILES = NamedModels(_WHAT, SHIPPED, FOLDER, ".content", "thresher content train", read_content_model)


def find_content_model(name: str, where: str | None = None) -> Traversable:
    """Return the file of a model; see `NamedModels.find`."""
    return _FILES.find(name, where)


@lru_cache(maxsize=4)
def load_content_model(name: str) -> ContentModel:
    """Load a model: `web` or a path; a process holds one copy of each of the last four."""
    return _FILES.load(name)


def _arrays(stage: TreeStage, prefix: str) -> dict[str, Array]:
    trees, calibration = stage.trees, stage.calibration
    arrays: tuple[Array, ...] = (
        trees.features,
        trees.borders,
        trees.trees,
        trees.leaves,
        calibration.sums,
        calibration.probabilities,
    )
    return {f"{prefix}{name}": values for name, values in zip(_ARRAYS, arrays, strict=True)}


def _stage(names: tuple[str, ...], arrays: dict[str, Array], prefix: str, known: tuple[str, ...]) -> TreeStage:
    """Return a stage."""
    own = {name for name in names if not name.startswith(SCORE)}
    if not names or not own <= set(known) or len(set(names)) < len(names):
        raise ValueError("the features are not those of this version")
    features, borders, trees, leaves, sums, probabilities = (arrays[f"{prefix}{name}"] for name in _ARRAYS)
    if (
        trees.ndim != 2
        or leaves.ndim != 2
        or any(values.ndim != 1 for values in (features, borders, sums, probabilities))
    ):
        raise ValueError("the arrays have other shapes")
    stage = TreeStage(names, Trees(features, borders, trees, leaves), Calibration(sums, probabilities))
    stage.trees.check(len(names))
    stage.calibration.check()
    if sums.dtype != np.int64 or probabilities.dtype != np.float64:
        raise ValueError("the knots are of other types")
    return stage

"""Character models by name or path: `standard` and `nonlexical`, which come with the package, and files.

The two were trained once, by `scripts/ncleaner_models`, on Python's reference: clean text is the docstrings of modules of the
standard library, raw text their pages as pydoc renders them, with signatures, tables of methods and inherited members. Web
pages differ, so these are only a starting point; `thresher ncleaner train` trains one on your own pages.

Files are archives of a card and three arrays.

N-gram numbers are stored as differences, every array in the smallest sufficient type.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.archives import Array, NamedModels, array_digest, damaged, read_archive, write_archive
from thresher.errors import InputError, ThresherError
from thresher.language_models.characters.alphabet import ALPHABETS, Ints
from thresher.language_models.characters.character_counts import (
    STANDARD,
    STANDARD_NON_LEXICAL,
    CharacterModel,
    Settings,
)
from thresher.language_models.characters.scoring import SegmentScorer
from thresher.records import RecordFile

FORMAT = 1
"""The version of the file format; increase it when the format changes."""
_KIND = "ncleaner"
_FORMULA = (
    "P*(c|h) = (1-q)/(1-q^n) * sum over k of q^k * P(c|h without its first k); add-one unigrams; the dirty model by counts in "
    "raw less clean text, clamped to [0, 1] (Evert, NCleaner, 2008)"
)
_ARRAYS = ("steps", "clean", "raw")
_TYPES = (np.uint8, np.uint16, np.uint32, np.uint64)
_WHAT = "NCleaner model"
_FIX = "train it again with `thresher ncleaner train`"
SHIPPED: Mapping[str, Settings] = {"standard": STANDARD, "nonlexical": STANDARD_NON_LEXICAL}
FOLDER = files("thresher.language_models.characters") / "data"
"""The shipped models, `NAME.ncleaner`, and `card.json`: their data, licence, parameters, date and digests."""


@dataclass(frozen=True)
class Characters:
    """The numbers of characters in clean and in raw text."""

    clean: int
    raw: int


@dataclass(frozen=True)
class CharacterCard:
    """A model's card: `ngrams` is the number of distinct n-grams, `digest` the SHA-256 of the arrays."""

    format: int
    kind: str
    n: int
    q: float
    alphabet: str
    training: str
    pages: int
    ngrams: int
    characters: Characters
    formula: str
    digest: str


_CARD_FILE = RecordFile(CharacterCard, "the card of an NCleaner model", _FIX, indent=2)


def card(model: CharacterModel) -> CharacterCard:
    """Return a model's card."""
    settings = model.settings
    return CharacterCard(
        FORMAT,
        _KIND,
        settings.n,
        settings.q,
        settings.alphabet.name,
        model.training,
        model.pages,
        len(model.keys),
        Characters(int(model.clean.sum()), int(model.raw.sum())),
        _FORMULA,
        array_digest((model.keys, model.clean, model.raw)),
    )


def write_model(path: Path, model: CharacterModel) -> None:
    """Write a model to `path` atomically."""
    arrays = (np.diff(model.keys, prepend=0), model.clean, model.raw)
    write_archive(path, _CARD_FILE.text(card(model)), dict(zip(_ARRAYS, map(_narrow, arrays), strict=True)))


def read_model(path: Traversable) -> CharacterModel:
    """Read a model that `write_model` wrote."""
    about, arrays = read_archive(path, _ARRAYS, _WHAT, _FIX)
    try:
        known = _CARD_FILE.parse(about, str(path))
        if known.format == FORMAT:
            return _model(known, *(_counts(arrays[name]) for name in _ARRAYS))
    except (KeyError, ValueError, ThresherError) as error:
        raise damaged(path, _WHAT, _FIX) from error
    raise InputError(f"it is a model of format {known.format}, and this Thresher reads {FORMAT}", _FIX, str(path))


def _model(about: CharacterCard, steps: Ints, clean: Ints, raw: Ints) -> CharacterModel:
    """Return the model of a card and its arrays."""
    settings = Settings(about.n, about.q, ALPHABETS[about.alphabet])
    keys = np.cumsum(steps)
    if array_digest((keys, clean, raw)) != about.digest:
        raise ValueError("the arrays are not those the card was written for")
    whole = len(keys) == len(clean) == len(raw) > 0
    if not whole or (steps[1:] <= 0).any() or keys[0] < 0 or keys[-1] >= settings.alphabet.size**settings.n:
        raise ValueError("the arrays do not fit each other")
    return CharacterModel(settings, keys, clean, raw, about.pages, about.training)


def _counts(values: Array) -> Ints:
    if values.ndim != 1 or values.dtype.kind != "u":
        raise ValueError("not a list of counts")
    return values.astype(np.int64)


def _narrow(values: Ints) -> npt.NDArray[Any]:
    """Return values of at least 0 in the smallest type that holds them, little-endian."""
    largest = int(values.max(initial=0))
    kind = next(kind for kind in _TYPES if largest <= np.iinfo(kind).max)
    return values.astype(np.dtype(kind).newbyteorder("<"))


_FILES = NamedModels("NCleaner model", SHIPPED, FOLDER, ".ncleaner", "thresher ncleaner train", read_model)


def find_character_model(name: str, where: str | None = None) -> Traversable:
    """Return the file of a model; see `NamedModels.find`."""
    return _FILES.find(name, where)


def load_character_model(name: str) -> CharacterModel:
    """Load a model: `standard`, `nonlexical` or a path."""
    return _FILES.load(name)


@lru_cache(maxsize=4)
def load_segment_scorer(name: str, literal: bool = False) -> SegmentScorer:
    """Load a model, ready for scoring, clamped as `SegmentScorer` says; a process holds one copy of each of the last four."""
    return SegmentScorer(load_character_model(name), literal)

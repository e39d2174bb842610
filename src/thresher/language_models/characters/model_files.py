"""Files of character models: a zip of four members, `card.json` and three arrays in NumPy's format, without pickle.

N-gram numbers are stored as differences, every array in the smallest sufficient type. There are no timestamps, so that the
same model has the same bytes.
"""

from __future__ import annotations

import hashlib
import io
import zipfile
import zlib
from dataclasses import dataclass
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.errors import InputError, ThresherError
from thresher.files import atomic_path, user_error
from thresher.language_models.characters.alphabet import ALPHABETS, Ints
from thresher.language_models.characters.character_counts import CharacterModel, Settings
from thresher.records import RecordFile

FORMAT = 1
"""The version of the file format; increase it when the format changes."""
_KIND = "ncleaner"
_FORMULA = (
    "P*(c|h) = (1-q)/(1-q^n) * sum over k of q^k * P(c|h without its first k); add-one unigrams; the dirty model by counts in "
    "raw less clean text, clamped to [0, 1] (Evert, NCleaner, 2008)"
)
_CARD = "card.json"
_ARRAYS = ("steps", "clean", "raw")
_TYPES = (np.uint8, np.uint16, np.uint32, np.uint64)
_FIX = "train it again with `thresher ncleaner train`"


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
        _digest(model.keys, model.clean, model.raw),
    )


def write_model(path: Path, model: CharacterModel) -> None:
    """Write a model to `path` atomically.

    Raises:
        ThresherError: for errors of the operating system.
    """
    members = {_CARD: f"{_CARD_FILE.text(card(model))}\n".encode()}
    for name, values in zip(_ARRAYS, (np.diff(model.keys, prepend=0), model.clean, model.raw), strict=True):
        buffer = io.BytesIO()
        np.lib.format.write_array(buffer, _narrow(values), allow_pickle=False)
        members[f"{name}.npy"] = buffer.getvalue()
    with atomic_path(path) as temporary, zipfile.ZipFile(temporary, "w") as archive:
        for name, content in members.items():
            # Fixed timestamp (1980) and permissions.
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED, 9)


def read_model(path: Traversable) -> CharacterModel:
    """Read a model that `write_model` wrote.

    Raises:
        InputError: if it is missing, unreadable, damaged, of another version, or not a model.
    """
    try:
        file = path.open("rb")
    except OSError as error:
        raise user_error(error, Path(str(path))) from error
    try:
        with file, zipfile.ZipFile(file) as archive:
            about = _CARD_FILE.parse(archive.read(_CARD), str(path))
            if about.format == FORMAT:
                return _model(about, *(_array(archive.read(f"{name}.npy")) for name in _ARRAYS))
    # A wrong offset makes the seek raise OSError.
    except (
        OSError,
        zipfile.BadZipFile,
        zlib.error,
        EOFError,
        KeyError,
        ValueError,
        RuntimeError,
        ThresherError,
    ) as error:
        raise InputError("it is no NCleaner model, or a damaged one", _FIX, str(path)) from error
    raise InputError(f"it is a model of format {about.format}, and this Thresher reads {FORMAT}", _FIX, str(path))


def _model(about: CharacterCard, steps: Ints, clean: Ints, raw: Ints) -> CharacterModel:
    """Return the model of a card and its arrays.

    Raises:
        ValueError: if they do not belong together.
        KeyError: if there is no such alphabet.
        ConfigError: if the settings are invalid.
    """
    settings = Settings(about.n, about.q, ALPHABETS[about.alphabet])
    keys = np.cumsum(steps)
    if _digest(keys, clean, raw) != about.digest:
        raise ValueError("the arrays are not those the card was written for")
    whole = len(keys) == len(clean) == len(raw) > 0
    if not whole or (steps[1:] <= 0).any() or keys[0] < 0 or keys[-1] >= settings.alphabet.size**settings.n:
        raise ValueError("the arrays do not fit each other")
    return CharacterModel(settings, keys, clean, raw, about.pages, about.training)


def _array(content: bytes) -> Ints:
    values: npt.NDArray[Any] = np.lib.format.read_array(io.BytesIO(content), allow_pickle=False)
    if values.ndim != 1 or values.dtype.kind != "u":
        raise ValueError("not a list of counts")
    return values.astype(np.int64)


def _narrow(values: Ints) -> npt.NDArray[Any]:
    """Return values of at least 0 in the smallest type that holds them, little-endian."""
    largest = int(values.max(initial=0))
    kind = next(kind for kind in _TYPES if largest <= np.iinfo(kind).max)
    return values.astype(np.dtype(kind).newbyteorder("<"))


def _digest(*arrays: Ints) -> str:
    return hashlib.sha256(b"".join(values.astype("<i8").tobytes() for values in arrays)).hexdigest()

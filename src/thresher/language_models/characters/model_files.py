"""Files of character models: a zip of four members, `card.json` and three arrays in NumPy's format, without pickle.

N-gram numbers are stored as differences, every array in the smallest sufficient type. There are no timestamps, so that the
same model has the same bytes.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
import zlib
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.errors import ConfigError, InputError
from thresher.files import atomic_path, user_error
from thresher.language_models.characters.alphabet import ALPHABETS, Ints
from thresher.language_models.characters.character_counts import CharacterModel, Settings

FORMAT = 1
"""The version of the file format; increase it when the format changes."""
_CARD = "card.json"
_ARRAYS = ("steps", "clean", "raw")
_TYPES = (np.uint8, np.uint16, np.uint32, np.uint64)
_FIX = "train it again with `thresher ncleaner train`"


def card(model: CharacterModel) -> dict[str, Any]:
    """Return a model's card for JSON.

    `ngrams` is the number of distinct n-grams; `characters` that of all in clean and in raw text; `digest` the SHA-256 of the
    arrays.
    """
    settings = model.settings
    return {
        "format": FORMAT,
        "kind": "ncleaner",
        "n": settings.n,
        "q": settings.q,
        "alphabet": settings.alphabet.name,
        "training": model.training,
        "pages": model.pages,
        "ngrams": len(model.keys),
        "characters": {"clean": int(model.clean.sum()), "raw": int(model.raw.sum())},
        "formula": "P*(c|h) = (1-q)/(1-q^n) * sum over k of q^k * P(c|h without its first k); add-one unigrams; the dirty "
        "model by counts in raw less clean text, clamped to [0, 1] (Evert, NCleaner, 2008)",
        "digest": _digest(model.keys, model.clean, model.raw),
    }


def write_model(path: Path, model: CharacterModel) -> None:
    """Write a model to `path` atomically.

    Raises:
        ThresherError: for errors of the operating system.
    """
    members = {_CARD: (json.dumps(card(model), indent=2, ensure_ascii=False) + "\n").encode()}
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
            about = json.loads(archive.read(_CARD))
            version = about["format"]
            if version == FORMAT:
                arrays = [_array(archive.read(f"{name}.npy")) for name in _ARRAYS]
    # A wrong offset makes the seek raise OSError.
    except (OSError, zipfile.BadZipFile, zlib.error, EOFError, KeyError, ValueError, TypeError, RuntimeError) as error:
        raise InputError("it is no NCleaner model, or a damaged one", _FIX, str(path)) from error
    if version != FORMAT:
        raise InputError(f"it is a model of format {version!r}, and this Thresher reads {FORMAT}", _FIX, str(path))
    try:
        return _model(about, *arrays)
    except (KeyError, ValueError, TypeError, ConfigError) as error:
        raise InputError("it is a damaged NCleaner model", _FIX, str(path)) from error


def _model(about: dict[str, Any], steps: Ints, clean: Ints, raw: Ints) -> CharacterModel:
    """Return the model of a card and its arrays.

    Raises:
        ValueError: if they do not belong together.
        KeyError, TypeError, ConfigError: if the card is incomplete or invalid.
    """
    settings = Settings(int(about["n"]), float(about["q"]), ALPHABETS[about["alphabet"]])
    keys = np.cumsum(steps)
    if _digest(keys, clean, raw) != about["digest"]:
        raise ValueError("the arrays are not those the card was written for")
    whole = len(keys) == len(clean) == len(raw) > 0
    if not whole or (steps[1:] <= 0).any() or keys[0] < 0 or keys[-1] >= settings.alphabet.size**settings.n:
        raise ValueError("the arrays do not fit each other")
    return CharacterModel(settings, keys, clean, raw, int(about["pages"]), str(about["training"]))


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

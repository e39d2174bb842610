"""Language models by name or path, built on first use in the cache folder and loaded once per process."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from thresher.base.errors import ConfigError, InputError, StateError
from thresher.base.files import atomic_path, cache_folder, file_digest, locked, user_errors
from thresher.cleaners.words.tokenisers import CHARACTERS, WORDS, tokeniser
from thresher.cleaners.words.word_model import ModelCard, WordModel, read_card, read_head

SELF = "self"
"""The model that is trained on the scored collection: see `training.learn`."""
SELF_LEAST_WORDS = 1000
"""The minimum number of its training words."""
SELF_MOST_PAGES = 2
"""Sentences on more pages are boilerplate; 2 allows for duplicate pages."""
# The tokeniser is as `words` for text with spaces, so that collections of several languages need no choice.
SELF_MODEL: dict[str, Any] = {"unigram": "current", "order": 3, "tokeniser": CHARACTERS}
SELF_SETTINGS: dict[str, str | int] = {
    # Increase when the same sentences would train another model.
    "version": 1,
    "estimator": "interpolated",
    **SELF_MODEL,
    "most_pages": SELF_MOST_PAGES,
    "least_words": SELF_LEAST_WORDS,
}
"""Everything besides its sentences that the model depends on."""
ARPA = "model.arpa"
BINARY = "model.binary"
CARD = "card.json"
"""The files in a model's folder."""
MOST_MODELS = 32
"""Models cached in a process: more than one pass uses, since every page needs all of them."""
# Increase when models are built differently.
_BUILD_VERSION = 2
_FIX = "write it again with `thresher lm train` or `thresher lm import`"


def _build_books(folder: Path) -> None:
    # Imported late to save the memory of workers, which only read models.
    from thresher.cleaners.words import books

    books.build(folder)


BUILDERS: Mapping[str, Callable[[Path], None]] = {"books": _build_books}


@dataclass(frozen=True)
class ModelFiles:
    """A model's file, and its card's if it has one."""

    path: Path
    card_path: Path | None

    @cached_property
    def card(self) -> ModelCard | None:
        """The card."""
        if self.card_path is None:
            return None
        return read_card(self.card_path)

    @cached_property
    def digest(self) -> str:
        """The digest in the model's card, else that of its file."""
        if self.card is None:
            return file_digest(self.path)
        return self.card.digest

    def load(self) -> WordModel:
        """Load the model with the tokeniser that its card names, `words` if it has no card."""
        if self.card_path is None:
            return WordModel(self.path, tokeniser(WORDS, str(self.path)))
        head = read_head(self.card_path)
        tokenise = tokeniser(head.tokeniser, str(self.card_path))
        # KenLM takes fifty times as long to read the ARPA file; a binary is not read at all.
        if self.path.name == ARPA and file_digest(self.path) != head.digest:
            raise InputError("it is not the file that its card was written for", _FIX, str(self.path))
        return WordModel(self.path, tokenise, self.card_path)


def is_model_folder(folder: Path) -> bool:
    """Return whether a folder exists that holds a model's files and nothing else."""
    return folder.is_dir() and {file.name for file in folder.iterdir()} <= {ARPA, BINARY, CARD}


def model_folder(name: str) -> Path:
    """Return the folder of the model `name`, building it if necessary."""
    if name not in BUILDERS:
        raise _unknown(name, f"lm={name}")
    folder = cache_folder() / "language_models" / f"{name}-{_BUILD_VERSION}"
    if not (folder / CARD).exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        # Another process that builds it is waited for: it may not be replaced while it is read.
        with locked(folder.parent, wait=True):
            if not (folder / CARD).exists():
                with atomic_path(folder) as temporary:
                    temporary.mkdir()
                    BUILDERS[name](temporary)
    return folder


def find_model(name: str, where: str | None = None) -> Path:
    """Return the file of the model at a path: a folder that holds one, or the file itself.

    In a folder KenLM's binary is preferred, unless the ARPA file is newer. `where` is named in errors.
    """
    path = Path(name)
    where = where or f"lm={name}"
    with user_errors(path):
        if not name or not path.exists():
            raise _unknown(name, where)
        if path.is_file():
            return path
        if not path.is_dir():  # a pipe, which might never be written to
            raise ConfigError(f"{name!r} is no regular file", "name a model's file or folder", where)
        files = [file for file in (path / BINARY, path / ARPA) if file.is_file()]
    if not files:
        raise ConfigError(f"the folder {name!r} holds no language model ({ARPA} or {BINARY})", _FIX, where)
    return max(files, key=lambda file: file.stat().st_mtime_ns)


def model_files(name: str) -> ModelFiles:
    """Return the files of a model: a name of `BUILDERS`, which is built if necessary, or a path.

    `card.json` is the card of `model.arpa` and `model.binary` in its folder; other files have none.
    """
    files = _files(name)
    try:
        files.card  # noqa: B018  damage is an error here, not later
    except StateError as error:
        if name in BUILDERS:
            raise
        raise InputError(error.what, _FIX, error.where) from error
    return files


def load_model(name: str) -> WordModel:
    """Load a model, a name of `BUILDERS` or a path; a process holds one copy of each of the last `MOST_MODELS`."""
    model_files(name)
    return checked_model(name)


@lru_cache(maxsize=MOST_MODELS)
def checked_model(name: str) -> WordModel:
    """Load a model whose card was read before, as `load_model` does: workers need not read all of it again."""
    files = _files(name)
    try:
        return files.load()
    except InputError as error:
        if name not in BUILDERS:
            raise
        fix = f"delete the folder {files.path.parent}, and it is built again"
        raise StateError(error.what, fix, str(files.path)) from error


def _files(name: str) -> ModelFiles:
    if name in BUILDERS:
        folder = model_folder(name)
        return ModelFiles(folder / ARPA, folder / CARD)
    path = find_model(name)
    card = path.with_name(CARD)
    if path.name in (ARPA, BINARY) and card.is_file():
        return ModelFiles(path, card)
    return ModelFiles(path, None)


def _unknown(name: str, where: str) -> ConfigError:
    fix = f"use {', '.join(BUILDERS)}, self, or the path of a model's folder, ARPA file or KenLM binary"
    return ConfigError(f"unknown language model {name!r}", fix, where)

"""Language models by name or path, built on first use in the cache folder and loaded once per process."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from thresher.errors import ConfigError, InputError, MissingDependencyError, StateError
from thresher.files import atomic_path, file_digest, locked, user_error
from thresher.language_models.words.ngrams import BEGIN, END, UNKNOWN, WEIGHTS, write_mixture
from thresher.language_models.words.tokenisers import CHARACTERS, NORMALISATIONS, WORDS, tokeniser
from thresher.language_models.words.word_model import (
    BIGRAM_FORMULA,
    FLOOR,
    UNSEEN_WORDS,
    ModelCard,
    WordModel,
    read_card,
    read_head,
)

SELF = "self"
"""The model that is trained on the collection which it scores, see `training.learn`."""
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


def cache_folder() -> Path:
    """Return the folder for models built on first use: `$THRESHER_CACHE`, else `thresher` in the user's cache folder."""
    chosen = os.environ.get("THRESHER_CACHE")
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "thresher"


def _build_books(folder: Path) -> None:
    # Imported late to save the memory of workers, which only read models.
    from thresher.language_models.words import models

    models.build(folder)


BUILDERS: Mapping[str, Callable[[Path], None]] = {"books": _build_books}
ARPA, BINARY, CARD = "model.arpa", "model.binary", "card.json"
"""The files in a model's folder."""
MOST_MODELS = 32
"""Models cached in a process: more than one pass uses, since every page needs all of them."""
# Increase when models are built differently.
_BUILD_VERSION = 2
_FIX = "write it again with `thresher lm train` or `thresher lm import`"


@dataclass(frozen=True)
class ModelFiles:
    """A model's file, and its card's if it has one."""

    path: Path
    card_path: Path | None

    @cached_property
    def card(self) -> ModelCard | None:
        """The card."""
        return read_card(self.card_path) if self.card_path else None

    @cached_property
    def digest(self) -> str:
        """The digest in the model's card, else that of its file."""
        return self.card.digest if self.card else file_digest(self.path)

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
    path, where = Path(name), where or f"lm={name}"
    try:
        if not name or not path.exists():
            raise _unknown(name, where)
        if not path.is_dir():
            return path
        files = [file for file in (path / BINARY, path / ARPA) if file.is_file()]
    except OSError as error:
        raise user_error(error, path) from error
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
    """Return what `load_model` does, for a model whose card was read before: workers need not read all of it again."""
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
    return ModelFiles(path, card if path.name in (ARPA, BINARY) and card.is_file() else None)


def _unknown(name: str, where: str) -> ConfigError:
    fix = f"use {', '.join(BUILDERS)}, self, or the path of a model's folder, ARPA file or KenLM binary"
    return ConfigError(f"unknown language model {name!r}", fix, where)


NAME = "books"
_WORDS = "frequency_dictionary_en_82_765.txt"
_PAIRS = "frequency_bigramdictionary_en_243_342.txt"


def build(folder: Path) -> None:
    """Write `model.arpa` and `card.json` into `folder`, which exists."""
    unigrams, bigrams = read_counts()
    path = folder / "model.arpa"
    ngrams = write_counts(path, unigrams, bigrams)
    ModelCard(
        name=NAME,
        language="en",
        corpus=f"Google Books n-gram counts as shipped by symspellpy ({_WORDS}, {_PAIRS})",
        order=2,
        ngrams=ngrams,
        formula=f"{BIGRAM_FORMULA})",
        tokeniser=WORDS,
        unknown_words=UNSEEN_WORDS,
        sentence_ends="<s> begins a sentence, </s> is not scored",
        digest=file_digest(path),
        normalisation=NORMALISATIONS[WORDS],
    ).write(folder / "card.json")


def write_counts(path: Path, unigrams: Mapping[str, int], bigrams: Mapping[str, Mapping[str, int]]) -> tuple[int, int]:
    """Write P(w | v) = 0.8 · C(v w) / Σ_u C(v u) + 0.2 · C(v) / Σ_u C(u) + 1e-6 as an ARPA file.

    This is PyPlexity's bigram model (its source uses the unigram of the *previous* word), so that its cutoffs of 1K to 14K
    apply. A word's bigrams are normalised by their own sum, since bigram and unigram counts
    may be on different scales. `<s>` and `<unk>` were never counted.

    Returns:
        the number of unigrams and of bigrams.
    """
    total = sum(unigrams.values())
    vocabulary = sorted({*unigrams, *bigrams, *(word for followers in bigrams.values() for word in followers)})
    word_weight, pair_weight = WEIGHTS[2]

    def rest(history: str) -> float:
        return word_weight * (unigrams.get(history, 0) / total) + FLOOR

    def pairs() -> Iterator[tuple[str, str, float]]:
        for history, followers in sorted(bigrams.items()):
            share = pair_weight / sum(followers.values())
            for word, count in sorted(followers.items()):
                yield history, word, share * count + rest(history)

    histories = [(UNKNOWN, FLOOR), (BEGIN, FLOOR), (END, None), *((word, rest(word)) for word in vocabulary)]
    return write_mixture(path, histories, pairs(), sum(map(len, bigrams.values())))


def read_counts() -> tuple[dict[str, int], dict[str, dict[str, int]]]:
    """Return the unigram counts, and the counts of each word's followers."""
    unigrams = read_words()
    bigrams: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for line in _lines(_PAIRS):
        first, second, count = line.split()
        bigrams[first][second] = int(count)
    return unigrams, dict(bigrams)


def read_words() -> dict[str, int]:
    """Return the counts of words alone."""
    return {word: int(count) for word, count in map(str.split, _lines(_WORDS))}


def _lines(name: str) -> list[str]:
    try:
        return (files("symspellpy") / name).read_text(encoding="utf-8-sig").splitlines()
    except (ModuleNotFoundError, FileNotFoundError) as error:
        raise MissingDependencyError(
            f"the word counts {name} are missing", "install symspellpy: pip install symspellpy", "language model books"
        ) from error

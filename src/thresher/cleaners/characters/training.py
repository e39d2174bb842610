"""Training a character model on pages cleaned by hand and as they were.

Source: Evert, NCleaner, LREC 2008, section 3; StupidOS, WAC 2007, section 3.2.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from lxml.etree import LxmlError

from thresher.base.errors import InputError
from thresher.base.files import user_errors
from thresher.base.numbers import Ints
from thresher.cleaners.characters import character_counts
from thresher.pages import read_html
from thresher.pages.decoding import decode
from thresher.pages.marked_text import MarkedSegment, marked_segments, read_marked_text
from thresher.pages.plain import without_invalid

_HTML = (".html", ".htm", ".xhtml")
# N-grams counted at once; bounds memory.
_PORTION = 2_000_000
STANDARD_VOWELS = character_counts.Settings(6, 0.4, character_counts.VOWELS)
"""The papers name no settings for vowels: these are as for the non-lexical alphabet."""


class Pair(NamedTuple):
    """The files of a cleaned page and of the same page as it was."""

    clean: Path
    raw: Path


@dataclass(frozen=True)
class Pairs:
    """Pairs of files, and the number of raw pages without a cleaned page."""

    files: tuple[Pair, ...]
    unpaired: int = 0


def find_pairs(clean: Path, raw: Path, most: int | None = None, seed: int = 0) -> Pairs:
    """Pair the files of two folders by their names without endings, or two single files.

    Folders include sub-folders. `most` is the size of a random sample, None for all; larger samples contain smaller ones.
    """
    for path in (clean, raw):
        with user_errors(path):
            path.stat()
    if clean.is_dir() != raw.is_dir():
        raise InputError("one is a folder and the other is not", "give two folders or two files", f"{clean}, {raw}")
    if not clean.is_dir():
        return Pairs((Pair(clean, raw),))
    cleaned = page_files(clean)
    raws = page_files(raw)
    for name in cleaned:
        if name not in raws:
            raise InputError(
                f"the cleaned page {name!r} has no raw page in {raw}", "add one of the same name", str(cleaned[name])
            )
    names = list(cleaned)
    if most is not None:
        random.Random(seed).shuffle(names)
        names = sorted(names[:most])
    pairs = [Pair(cleaned[name], raws[name]) for name in names]
    return Pairs(tuple(pairs), unpaired=len(raws) - len(cleaned))


def page_files(folder: Path) -> dict[str, Path]:
    """Return the files below a folder by their names without endings, sorted; hidden ones are left out."""
    files: dict[str, Path] = {}
    with user_errors(folder):
        paths = sorted(path for path in folder.rglob("*") if path.is_file())
    for path in paths:
        relative = path.relative_to(folder)
        if any(part.startswith(".") for part in relative.parts):
            continue
        name = relative.with_suffix("").as_posix()
        if name in files:
            raise InputError(f"it has the name of {files[name].name}", "remove or rename one of them", str(path))
        files[name] = path
    if not files:
        raise InputError("it holds no files", "give a folder of pages", str(folder))
    return files


def read_pairs(pairs: Pairs) -> Iterator[tuple[list[str], list[str]]]:
    """Yield the segments of each pair's cleaned and raw page."""
    for pair in pairs.files:
        yield segment_texts(pair.clean), segment_texts(pair.raw)


def segment_texts(path: Path) -> list[str]:
    """Return the texts of a page's segments."""
    return [segment.text for segment in read_page_file(path)]


def read_page_file(path: Path) -> list[MarkedSegment]:
    """Return the segments of a page in any encoding: HTML by its suffix (`.html`, `.htm`, `.xhtml`), else marked text."""
    with user_errors(path):
        content = path.read_bytes()
    if path.suffix.lower() not in _HTML:
        return read_marked_text(decode(content, None).utf8.decode())
    try:
        return marked_segments(read_html(content))
    except LxmlError as error:
        raise InputError(f"it cannot be parsed ({error})".splitlines()[0], "leave the page out", str(path)) from error


def normalise(segment: str) -> str:
    """Return a segment as models are trained on it: without invalid characters, white space as single spaces."""
    return without_invalid(" ".join(segment.encode("utf-8", "replace").decode().split()))


def ngrams(text: str, n: int, alphabet: character_counts.Alphabet) -> Ints:
    """Return the numbers of `ngram_pieces` in one piece."""
    pieces = [np.zeros(0, dtype=np.int64)]
    pieces += character_counts.ngram_pieces(text, n, alphabet)
    return np.concatenate(pieces)


def usual_settings(alphabet: str | None) -> character_counts.Settings:
    """Return the papers' settings for an alphabet by its name; None is the lexical alphabet."""
    for settings in (character_counts.STANDARD_NON_LEXICAL, STANDARD_VOWELS):
        if settings.alphabet.name == alphabet:
            return settings
    return character_counts.STANDARD


def train(
    pages: Iterable[tuple[Sequence[str], Sequence[str]]], settings: character_counts.Settings, training: str
) -> character_counts.CharacterModel:
    """Count the n-grams of pages.

    Args:
        pages: the segments of each page's cleaned and raw text.
        settings: the hyperparameters of the model.
        training: a description of the pages' origin.

    Raises:
        InputError: if the cleaned pages have no text, or the raw pages have no more text than the cleaned pages.
    """
    clean_counter = _Counter(settings)
    raw_counter = _Counter(settings)
    page_count = 0
    for clean_segments, raw_segments in pages:
        clean_counter.add(clean_segments)
        raw_counter.add(raw_segments)
        page_count += 1
    clean, raw = clean_counter.counted(), raw_counter.counted()
    if not len(clean.keys):
        raise InputError("the cleaned pages hold no text", "give pages with text", training)
    if raw.counts.sum() <= clean.counts.sum():
        raise InputError(
            f"the raw pages have no more text ({raw.counts.sum()} characters) than the cleaned ones ({clean.counts.sum()})",
            "give the cleaned pages first and the raw ones second",
            training,
        )
    keys = np.union1d(clean.keys, raw.keys)
    return character_counts.CharacterModel(
        settings,
        keys,
        clean=_spread(keys, clean),
        raw=_spread(keys, raw),
        pages=page_count,
        training=training,
    )


class _Counted(NamedTuple):
    """N-grams, ascending, and how often each occurs."""

    keys: Ints
    counts: Ints


class _Counter:
    """Counts n-grams in portions."""

    def __init__(self, settings: character_counts.Settings) -> None:
        self._settings = settings
        self._waiting: list[Ints] = []
        self._waiting_ngrams = 0
        self._counted = _Counted(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))

    def add(self, segments: Sequence[str]) -> None:
        """Count the n-grams of a page's segments."""
        alphabet = self._settings.alphabet
        text = "\n".join(filter(None, map(normalise, segments)))
        numbers = ngrams(text, self._settings.n, alphabet)
        numbers = numbers[numbers % alphabet.size != character_counts.BEGIN]
        self._waiting.append(numbers)
        self._waiting_ngrams += len(numbers)
        if self._waiting_ngrams > _PORTION:
            self.counted()

    def counted(self) -> _Counted:
        """Return the n-grams so far."""
        if self._waiting:
            waiting_keys, waiting_counts = np.unique(np.concatenate(self._waiting), return_counts=True)
            keys = np.union1d(self._counted.keys, waiting_keys)
            counts = _spread(keys, self._counted)
            counts += _spread(keys, _Counted(waiting_keys, waiting_counts))
            self._counted = _Counted(keys, counts)
            self._waiting = []
            self._waiting_ngrams = 0
        return self._counted


def _spread(keys: Ints, counted: _Counted) -> Ints:
    """Return the counts of `keys`, which ascend and include the counted n-grams; 0 for n-grams that were not counted."""
    spread = np.zeros(len(keys), dtype=np.int64)
    spread[np.searchsorted(keys, counted.keys)] = counted.counts
    return spread

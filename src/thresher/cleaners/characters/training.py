"""Training a character model on pages cleaned by hand and as they were.

Source: Evert, NCleaner, LREC 2008, section 3; StupidOS, WAC 2007, section 3.2.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

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


@dataclass(frozen=True)
class Pairs:
    """Pairs of files of a cleaned and a raw page, and the number of raw pages that have no cleaned one."""

    files: tuple[tuple[Path, Path], ...]
    alone: int = 0


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
        return Pairs(((clean, raw),))
    cleaned, raws = page_files(clean), page_files(raw)
    for name in cleaned:
        if name not in raws:
            raise InputError(
                f"the cleaned page {name!r} has no raw page in {raw}", "add one of the same name", str(cleaned[name])
            )
    names = [*cleaned]
    if most is not None:
        random.Random(seed).shuffle(names)
        names = sorted(names[:most])
    return Pairs(tuple((cleaned[name], raws[name]) for name in names), len(raws) - len(cleaned))


def page_files(folder: Path) -> dict[str, Path]:
    """Return the files below a folder by their names without endings, sorted; hidden ones are left out."""
    files: dict[str, Path] = {}
    with user_errors(folder):
        paths = sorted(path for path in folder.rglob("*") if path.is_file())
    for path in paths:
        inside = path.relative_to(folder)
        if any(part.startswith(".") for part in inside.parts):
            continue
        name = inside.with_suffix("").as_posix()
        if name in files:
            raise InputError(f"it has the name of {files[name].name}", "remove or rename one of them", str(path))
        files[name] = path
    if not files:
        raise InputError("it holds no files", "give a folder of pages", str(folder))
    return files


def read_pairs(pairs: Pairs) -> Iterator[tuple[list[str], list[str]]]:
    """Yield the segments of each pair's cleaned and raw page."""
    for clean, raw in pairs.files:
        yield segment_texts(clean), segment_texts(raw)


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
    """Return what `ngram_pieces` yields in one piece."""
    return np.concatenate([np.zeros(0, dtype=np.int64), *character_counts.ngram_pieces(text, n, alphabet)])


# N-grams counted at once; bounds memory.
_PORTION = 2_000_000


STANDARD_VOWELS = character_counts.Settings(6, 0.4, character_counts.VOWELS)
"""The papers name none: as for the non-lexical alphabet."""


def usual_settings(alphabet: str | None) -> character_counts.Settings:
    """Return the papers' choice for an alphabet by its name; None is the lexical one."""
    usual = (character_counts.STANDARD, character_counts.STANDARD_NON_LEXICAL, STANDARD_VOWELS)
    return next((settings for settings in usual if settings.alphabet.name == alphabet), character_counts.STANDARD)


def train(
    pages: Iterable[tuple[Sequence[str], Sequence[str]]], settings: character_counts.Settings, training: str
) -> character_counts.CharacterModel:
    """Count the n-grams of pages: the segments of each one's cleaned and raw text. `training` describes their origin."""
    clean, raw = _Counter(settings), _Counter(settings)
    count = 0
    for clean_segments, raw_segments in pages:
        clean.add(clean_segments)
        raw.add(raw_segments)
        count += 1
    (clean_keys, clean_counts), (raw_keys, raw_counts) = clean.counts(), raw.counts()
    if not len(clean_keys):
        raise InputError("the cleaned pages hold no text", "give pages with text", training)
    if raw_counts.sum() <= clean_counts.sum():
        raise InputError(
            f"the raw pages have no more text ({raw_counts.sum()} characters) than the cleaned ones ({clean_counts.sum()})",
            "give the cleaned pages first and the raw ones second",
            training,
        )
    keys = np.union1d(clean_keys, raw_keys)
    return character_counts.CharacterModel(
        settings, keys, _spread(keys, clean_keys, clean_counts), _spread(keys, raw_keys, raw_counts), count, training
    )


class _Counter:
    """Counts n-grams in portions."""

    def __init__(self, settings: character_counts.Settings) -> None:
        self._settings = settings
        self._waiting: list[Ints] = []
        self._size = 0
        self._keys = np.zeros(0, dtype=np.int64)
        self._counts = np.zeros(0, dtype=np.int64)

    def add(self, segments: Sequence[str]) -> None:
        """Count the n-grams of a page's segments."""
        alphabet = self._settings.alphabet
        numbers = ngrams("\n".join(filter(None, map(normalise, segments))), self._settings.n, alphabet)
        self._waiting.append(numbers[numbers % alphabet.size != 0])
        self._size += len(self._waiting[-1])
        if self._size > _PORTION:
            self.counts()

    def counts(self) -> tuple[Ints, Ints]:
        """Return the n-grams so far, ascending, and how often each occurs."""
        if self._waiting:
            keys, counts = np.unique(np.concatenate(self._waiting), return_counts=True)
            both = np.union1d(self._keys, keys)
            self._counts = _spread(both, self._keys, self._counts) + _spread(both, keys, counts)
            self._keys = both
            self._waiting, self._size = [], 0
        return self._keys, self._counts


def _spread(keys: Ints, subset: Ints, counts: Ints) -> Ints:
    """Return the counts of `keys`, ascending, from those of a subset; 0 for the others."""
    spread = np.zeros(len(keys), dtype=np.int64)
    spread[np.searchsorted(keys, subset)] = counts
    return spread

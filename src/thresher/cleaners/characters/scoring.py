"""Scoring segments: the difference of two character models, looked up once for each character.

Both models interpolate (Evert, NCleaner, LREC 2008, Eq. 1)

    P*(c | h) = (1 - q) / (1 - q^n) · Σ_k q^k · P(c | h without its first k characters),  k = 0 … n - 1

and a segment's score is Σ (ln P*_clean - ln P*_dirty) over its characters. Both models have the factor before the sum, so it
cancels. An n-gram that neither model has seen contributes 0 to both sums, which leaves q times the sums of the shorter n-gram,
and q cancels as well. So a character's term depends only on the longest seen n-gram that ends at the character. A table has
one number for each seen n-gram, and scoring computes no logarithm.
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

from thresher.base.archives import NamedModels, array_digest, damaged, read_archive, write_archive
from thresher.base.errors import InputError, ThresherError
from thresher.base.numbers import Floats, Ints
from thresher.base.records import RecordFile
from thresher.cleaners.characters import character_counts as counting
from thresher.pages.plain import without_invalid

# All n-grams up to this length have an entry, seen or not: 96³ numbers of 4 bytes are 3.5 MB.
_DENSE = 3
# Slots for each entry of a hash table, at least.
_ROOM = 2
_FACTOR = np.uint64(0x9E3779B97F4A7C15)

Values = npt.NDArray[np.float32]

FORMAT = 1
"""The version of the file format; increase it when the format changes."""
_KIND = "ncleaner"
_FORMULA = (
    "P*(c|h) = (1-q)/(1-q^n) * sum over k of q^k * P(c|h without its first k); add-one unigrams; the dirty model by counts in "
    "raw less clean text, those below 0 as 0 (Evert, NCleaner, 2008; StupidOS, 2007, clamps probabilities after training)"
)
_ARRAYS = ("steps", "clean", "raw")
_TYPES = (np.uint8, np.uint16, np.uint32, np.uint64)
_WHAT = "NCleaner model"
_FIX = "train it again with `thresher ncleaner train`"
SHIPPED: Mapping[str, counting.Settings] = {
    "standard": counting.STANDARD,
    "nonlexical": counting.STANDARD_NON_LEXICAL,
}
FOLDER = files("thresher.cleaners.characters") / "data"
"""The shipped models, `NAME.ncleaner`, and `card.json`: their data, licence, parameters, date and digests."""


class SegmentScorer:
    """A model compiled to lookup tables for scoring; `literal` clamps its probabilities as StupidOS does."""

    def __init__(self, model: counting.CharacterModel, literal: bool = False) -> None:
        settings = model.settings
        self._n = settings.n
        self._alphabet = settings.alphabet
        size = settings.alphabet.size
        self._low = min(settings.n, _DENSE)
        probabilities = counting.unigrams(model, literal)
        clean, dirty = probabilities.clean, probabilities.dirty
        for length in range(2, self._low + 1):
            seen = counting.ngrams_of_length(model, length, literal)
            clean = np.tile(settings.q * clean, size)
            dirty = np.tile(settings.q * dirty, size)
            clean[seen.keys] += seen.clean
            dirty[seen.keys] += seen.dirty
        self._dense = _log_ratio(clean, dirty)
        shorter_keys = np.arange(len(clean))
        self._hashed: list[HashTable] = []
        for length in range(_DENSE + 1, settings.n + 1):
            seen = counting.ngrams_of_length(model, length, literal)
            shorter = np.searchsorted(shorter_keys, seen.keys % size ** (length - 1))
            clean = settings.q * clean[shorter] + seen.clean
            dirty = settings.q * dirty[shorter] + seen.dirty
            shorter_keys = seen.keys
            self._hashed.append(hash_table(seen.keys, _log_ratio(clean, dirty)))

    @property
    def bytes(self) -> int:
        """The size of the tables in bytes."""
        return self._dense.nbytes + sum(table.keys.nbytes + table.values.nbytes for table in self._hashed)

    def score(self, text: str) -> Floats:
        """Return for each segment (ln P*_clean - ln P*_dirty) divided by its number of characters, in nats.

        Segments are joined by line feeds, words by single spaces; shape (segments,), none if `text` is empty. A segment
        without valid characters has the score -inf. A segment that is impossible in the dirty model has the score inf, which
        happens only with `literal` clamping.
        """
        if not text:
            return np.zeros(0)
        text = without_invalid(text)
        lengths = np.array([len(segment) for segment in text.split("\n")], dtype=np.int64)
        # Each line feed became `gap` entries of value 0; the 0 at the end is for an empty last segment.
        gap = max(1, self._n - 1)
        begins = np.cumsum(lengths + gap) - lengths - gap
        values = np.zeros(begins[-1] + lengths[-1] + 1)
        begin = 0
        for numbers in counting.ngram_pieces(text, self._n, self._alphabet):
            values[begin : begin + len(numbers)] = self._values(numbers)
            begin += len(numbers)
        sums = np.add.reduceat(values, begins)
        scores: Floats = np.full(len(lengths), -np.inf)
        np.divide(sums, lengths, out=scores, where=lengths > 0)
        return scores

    def _values(self, numbers: Ints) -> Values:
        """Return the value of each n-gram's longest seen ending, the longest tables first."""
        size = self._alphabet.size
        if not self._hashed:
            return self._dense[numbers]
        values = np.empty(len(numbers), dtype=np.float32)
        missing = np.arange(len(numbers))
        for length in range(self._n, _DENSE, -1):
            table = self._hashed[length - _DENSE - 1]
            if length < self._n:
                numbers = numbers % size**length
            slots = table.find(numbers)
            seen = slots >= 0
            values[missing[seen]] = table.values[slots[seen]]
            missing = missing[~seen]
            numbers = numbers[~seen]
        values[missing] = self._dense[numbers % size**self._low]
        return values


@dataclass(frozen=True)
class HashTable:
    """Values by key, open addressing with linear probing. `keys` holds -1 in empty slots; `shift` makes a slot of a hash."""

    keys: Ints
    values: Values
    shift: np.uint64

    def find(self, searched: Ints) -> Ints:
        """Return the slot of each key, -1 for missing keys."""
        slots = _home(searched, self.shift)
        keys = self.keys[slots]
        result = np.where(keys == searched, slots, -1)
        open_searches = np.flatnonzero((keys != searched) & (keys >= 0))
        while len(open_searches):
            slots[open_searches] = (slots[open_searches] + 1) & (len(self.keys) - 1)
            keys = self.keys[slots[open_searches]]
            is_found = keys == searched[open_searches]
            result[open_searches[is_found]] = slots[open_searches[is_found]]
            open_searches = open_searches[~is_found & (keys >= 0)]
        return result


def hash_table(keys: Ints, values: Values) -> HashTable:
    """Return the table of values by their keys, which are distinct and not negative."""
    bits = max(1, int(len(keys) * _ROOM).bit_length())
    shift = np.uint64(64 - bits)
    table = np.full(1 << bits, -1, dtype=np.int64)
    slots = _home(keys, shift)
    unplaced = np.arange(len(keys))
    while len(unplaced):
        # The first key hashed to an empty slot gets it; all others probe the next one.
        probed, first_keys = np.unique(slots[unplaced], return_index=True)
        is_free = table[probed] < 0
        placed = unplaced[first_keys[is_free]]
        table[slots[placed]] = keys[placed]
        unplaced = np.setdiff1d(unplaced, placed, assume_unique=True)
        slots[unplaced] = (slots[unplaced] + 1) & (len(table) - 1)
    by_slot = np.zeros(len(table), dtype=np.float32)
    by_slot[slots] = values
    return HashTable(table, by_slot, shift)


def _home(keys: Ints, shift: np.uint64) -> Ints:
    return ((keys.view(np.uint64) * _FACTOR) >> shift).view(np.int64)


def _log_ratio(clean: Floats, dirty: Floats) -> Values:
    """Return ln(clean / dirty), inf where only `dirty` is 0; 0 for n-grams that end in `BEGIN`, where both are 0."""
    ratio = np.divide(clean, dirty, out=np.where(clean > 0, np.inf, 1.0), where=dirty > 0)
    return np.log(ratio, out=ratio).astype(np.float32)


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


def card(model: counting.CharacterModel) -> CharacterCard:
    """Return a model's card."""
    settings = model.settings
    return CharacterCard(
        format=FORMAT,
        kind=_KIND,
        n=settings.n,
        q=settings.q,
        alphabet=settings.alphabet.name,
        training=model.training,
        pages=model.pages,
        ngrams=len(model.keys),
        characters=Characters(int(model.clean.sum()), int(model.raw.sum())),
        formula=_FORMULA,
        digest=array_digest((model.keys, model.clean, model.raw)),
    )


def write_model(path: Path, model: counting.CharacterModel) -> None:
    """Write a model to `path` atomically."""
    arrays = {
        "steps": _narrow(np.diff(model.keys, prepend=0)),
        "clean": _narrow(model.clean),
        "raw": _narrow(model.raw),
    }
    write_archive(path, _CARD_FILE.text(card(model)), arrays)


def read_model(path: Traversable) -> counting.CharacterModel:
    """Read a model that `write_model` wrote."""
    about, arrays = read_archive(path, _ARRAYS, _WHAT, _FIX)
    try:
        about_model = _CARD_FILE.parse(about, str(path))
        if about_model.format == FORMAT:
            steps = arrays["steps"].astype(np.int64)
            clean = arrays["clean"].astype(np.int64)
            raw = arrays["raw"].astype(np.int64)
            return _model(about_model, steps, clean, raw)
    except (KeyError, ValueError, ThresherError) as error:
        raise damaged(path, _WHAT, _FIX) from error
    raise InputError(f"it is a model of format {about_model.format}, and this Thresher reads {FORMAT}", _FIX, str(path))


def _model(about: CharacterCard, steps: Ints, clean: Ints, raw: Ints) -> counting.CharacterModel:
    settings = counting.Settings(about.n, about.q, counting.ALPHABETS[about.alphabet])
    keys = np.cumsum(steps)
    if array_digest((keys, clean, raw)) != about.digest:
        raise ValueError("the arrays differ from the arrays that the card was written for")
    if not len(keys) or keys[-1] >= settings.alphabet.size**settings.n:
        raise ValueError("the arrays do not fit the card")
    return counting.CharacterModel(settings, keys, clean, raw, about.pages, about.training)


def _narrow(values: Ints) -> npt.NDArray[Any]:
    """Return values of at least 0 in the smallest type that holds them, little-endian."""
    largest = int(values.max(initial=0))
    large_enough = [kind for kind in _TYPES if largest <= np.iinfo(kind).max]
    return values.astype(np.dtype(large_enough[0]).newbyteorder("<"))


_FILES = NamedModels("NCleaner model", SHIPPED, FOLDER, ".ncleaner", "thresher ncleaner train", read_model)


def find_character_model(name: str, where: str | None = None) -> Traversable:
    """Return the file of a model; see `NamedModels.find`."""
    return _FILES.find(name, where)


def load_character_model(name: str) -> counting.CharacterModel:
    """Load a model: `standard`, `nonlexical` or a path."""
    return _FILES.load(name)


@lru_cache(maxsize=4)
def load_segment_scorer(name: str, literal: bool = False, _changed: int = 0) -> SegmentScorer:
    """Load a model, ready for scoring, clamped as `SegmentScorer` says; a process holds one copy of each of the last four."""
    return SegmentScorer(load_character_model(name), literal)

"""Splits whole shards into words and analyses them as an index would; hashes of 64 bits stand for terms.

The hash of the bytes b_1 ... b_n is the polynomial Σ (b_i + 1) · M^i modulo 2^64 (Karp and Rabin, "Efficient randomized
pattern-matching algorithms", 1987), then mixed so that all bits depend on all others (the finaliser of Steele, Lea and Flood,
"Fast splittable pseudorandom number generators", 2014). Two of n different terms share a hash with a probability of about
n² / 2^65. Pruning breaks ties by these hashes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.base.numbers import Ints
from thresher.base.progress import progress
from thresher.base.tables import Table, Texts
from thresher.indexes.analysis import Analysis, analyse_each, text_analyzer
from thresher.indexes.pruning.postings import Hashes, Numbers, ranges
from thresher.scores.store import read_shard, shards

ByteArray = npt.NDArray[np.uint8]

_MULTIPLIER = 0x9E3779B97F4A7C15
_INVERSE = pow(_MULTIPLIER, -1, 2**64)
_MIXING = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB))
_LAST_SHIFT = 31

_PIECE = 1 << 16
"""Bytes that are hashed at once."""

_SLOT_BITS = 20
"""2^20 slots: some ten times the words of a shard."""

_MOST_WORDS = 1 << 19
"""Words that are remembered, some 30 bytes each."""

_MOST_TOKENS = 1 << 23
"""Tokens of shards that are remembered, 16 bytes each."""

_CHARACTERS = 1 << 20
"""Characters that Java analyses at once: it holds all their tokens, some 100 bytes each."""


@dataclass(frozen=True)
class Bounds:
    """The begins of words in some bytes, ascending, and their ends; words do not overlap."""

    begins: Ints
    ends: Ints


def hash_texts(texts: Sequence[str]) -> Hashes:
    """Return the hash of each text, of its bytes in UTF-8."""
    column = Texts.of(texts)
    return _hash_words(column.utf8, Bounds(column.offsets[:-1], column.offsets[1:]))


def _hash_words(data: ByteArray, bounds: Bounds) -> Hashes:
    """Return the hash of each word in some bytes.

    All bytes are summed up, each times the power of its place. A word's polynomial is the difference of the sums at its end
    and at its begin, divided by the power of its begin.
    """
    begins = bounds.begins
    ends = bounds.ends
    size = min(_PIECE + int((ends - begins).max(initial=0)), len(data)) + 1
    powers = _powers(_MULTIPLIER, size)
    inverse_powers = _powers(_INVERSE, size)
    hashes = np.zeros(len(begins), dtype=np.uint64)
    # The sums take eight times the memory of the bytes; the sums of a piece fit into the processor's cache.
    edges = np.flatnonzero(np.diff(begins // _PIECE, prepend=-1)).tolist()
    edges.append(len(begins))
    for first, after in pairwise(edges):
        offset = begins[first]
        piece = data[offset : ends[after - 1]]
        sums = np.zeros(len(piece) + 1, dtype=np.uint64)
        np.cumsum((piece + np.uint64(1)) * powers[: len(piece)], out=sums[1:])
        begin = begins[first:after] - offset
        end = ends[first:after] - offset
        hashes[first:after] = (sums[end] - sums[begin]) * inverse_powers[begin]
    return mix(hashes)


def _powers(base: int, size: int) -> Hashes:
    """Return the first powers of a base modulo 2^64, from the power 0."""
    factors = np.full(size, base, dtype=np.uint64)
    factors[0] = 1
    return np.cumprod(factors)


@dataclass(frozen=True)
class NumberedHashes:
    """Different hashes with numbers from 0, in any order.

    Args:
        numbers: of each hash, its number; shape (hashes,).
        places: of each number, the index of a hash with this number; shape (different hashes,).
    """

    numbers: Ints
    places: Ints


def number_hashes(hashes: Hashes) -> NumberedHashes:
    """Give each different hash a number, as `numpy.unique` does, but without sorting: in a sixth of the time.

    Args:
        hashes: spread evenly, as `mix` spreads them; below 2^31 of them.
    """
    # A slot remembers the last hash with the same first bits.
    slots = (hashes >> np.uint64(64 - _SLOT_BITS)).astype(np.int64)
    place_of_slot = np.zeros(1 << _SLOT_BITS, dtype=np.int32)
    place_of_slot[slots] = np.arange(len(hashes), dtype=np.int32)
    place = place_of_slot[slots]
    # Few hashes share the slot of another hash.
    crowded_out = np.flatnonzero(hashes[place] != hashes)
    _, first, different = np.unique(hashes[crowded_out], return_index=True, return_inverse=True)
    place[crowded_out] = crowded_out[first][different]
    is_place = np.zeros(len(hashes), dtype=np.bool_)
    is_place[place] = True
    return NumberedHashes((np.cumsum(is_place) - 1)[place], np.flatnonzero(is_place))


class HashNumbers:
    """Numbers different hashes from 0 as they come."""

    def __init__(self) -> None:
        self._sorted: Hashes = np.zeros(0, dtype=np.uint64)
        self._number_of_sorted: Numbers = np.zeros(0, dtype=np.int32)

    @property
    def size(self) -> int:
        """The number of different hashes so far."""
        return len(self._sorted)

    @property
    def hashes(self) -> Hashes:
        """The hash of each number; shape (size,)."""
        by_number = np.empty_like(self._sorted)
        by_number[self._number_of_sorted] = self._sorted
        return by_number

    def numbers(self, hashes: Hashes) -> Numbers:
        """Return the numbers of different hashes; new hashes get the next numbers, in ascending order of the hashes."""
        new = np.sort(hashes[~self._has(hashes)])
        places = np.searchsorted(self._sorted, new)
        new_numbers = np.arange(self.size, self.size + len(new), dtype=np.int32)
        self._sorted = np.insert(self._sorted, places, new)
        self._number_of_sorted = np.insert(self._number_of_sorted, places, new_numbers)
        return self._number_of_sorted[np.searchsorted(self._sorted, hashes)]

    def _has(self, hashes: Hashes) -> npt.NDArray[np.bool_]:
        places = np.searchsorted(self._sorted, hashes)
        has = np.zeros(len(hashes), dtype=np.bool_)
        inside = places < self.size
        has[inside] = self._sorted[places[inside]] == hashes[inside]
        return has


def mix(hashes: Hashes) -> Hashes:
    """Mix numbers of 64 bits, so that each bit depends on all bits; different numbers stay different."""
    for shift, factor in _MIXING:
        hashes = (hashes ^ (hashes >> np.uint64(shift))) * np.uint64(factor)
    return hashes ^ (hashes >> np.uint64(_LAST_SHIFT))


@dataclass(frozen=True)
class ShardWords:
    """The words of a shard, split at spaces, at line feeds and at the ends of sentences.

    Args:
        utf8: the bytes of all texts.
        bounds: of the different words, in these bytes.
        hashes: of the different words.
        word: of each word of the texts, in order, its index into the different words.
        sentence: of each word of the texts, its sentence.
        page: row of each sentence's page.
        blank: which sentences have white space and control characters alone.
    """

    utf8: ByteArray
    bounds: Bounds
    hashes: Hashes
    word: Ints
    sentence: Ints
    page: Ints
    blank: npt.NDArray[np.bool_]

    def texts(self, words: Ints) -> list[str]:
        """Return some of the different words."""
        utf8 = self.utf8.tobytes()
        begins = self.bounds.begins[words].tolist()
        ends = self.bounds.ends[words].tolist()
        return [utf8[begin:end].decode() for begin, end in zip(begins, ends, strict=True)]


def split_words(table: Table) -> ShardWords:
    """Split the texts of a shard with the columns `text` and `sentence_ends` into words."""
    data = table.texts("text").utf8
    sentence_ends = _sentence_ends(table)
    bounds = _word_bounds(data, sentence_ends)
    hashes = _hash_words(data, bounds)
    word = number_hashes(hashes)
    words_before = np.searchsorted(bounds.begins, sentence_ends)
    visible_before = np.concatenate(([0], np.cumsum(data > ord(" "))))[sentence_ends]
    return ShardWords(
        utf8=data,
        bounds=Bounds(bounds.begins[word.places], bounds.ends[word.places]),
        hashes=hashes[word.places],
        word=word.numbers,
        sentence=np.repeat(np.arange(len(sentence_ends)), np.diff(words_before, prepend=0)),
        page=table.lists("sentence_ends").rows,
        # Anserini strips white space and control characters before it drops an empty document.
        blank=np.diff(visible_before, prepend=0) == 0,
    )


def _sentence_ends(table: Table) -> Ints:
    """Return where each sentence ends in the bytes of all texts; the column `sentence_ends` counts characters of a page."""
    texts, ends = table.texts("text"), table.lists("sentence_ends")
    continues = (texts.utf8 & 0xC0) == 0x80
    place_of_character = np.append(np.flatnonzero(~continues), len(texts.utf8))
    first_character = np.searchsorted(place_of_character, texts.offsets)
    return place_of_character[first_character[ends.rows] + ends.values]


def _word_bounds(data: ByteArray, sentence_ends: Ints) -> Bounds:
    """Return the bounds of the words of all texts: a word ends at a space, at a line feed or at the end of a sentence."""
    in_word = np.concatenate(([False], (data != ord(" ")) & (data != ord("\n")), [False]))
    # No space stands between Chinese sentences.
    is_sentence_end = np.zeros(len(data) + 1, dtype=np.bool_)
    is_sentence_end[sentence_ends] = True
    begins = in_word[1:] & (is_sentence_end | ~in_word[:-1])
    ends = in_word[:-1] & (is_sentence_end | ~in_word[1:])
    return Bounds(np.flatnonzero(begins), np.flatnonzero(ends))


@dataclass(frozen=True)
class ShardTokens:
    """The tokens of a shard, in the order of its words.

    Args:
        terms: hashes of the different terms, ascending.
        term: of each token, its index into `terms`.
        sentence: of each token.
        page: row of each sentence's page.
        blank: which sentences have white space and control characters alone.
    """

    terms: Hashes
    term: Ints
    sentence: Ints
    page: Ints
    blank: npt.NDArray[np.bool_]


class Lexicon:
    """Analyses words as an index with these options would. It remembers words, since most words recur.

    Attributes:
        text_of: with `texts`, the text of every term that was met, by its hash.

    Raises:
        ConfigError: if the language's words cannot be analysed one by one.
    """

    def __init__(self, analysis: Analysis, texts: bool = False) -> None:
        analysis.check_words()
        self.text_of: dict[int, str] | None = {} if texts else None
        self._analyzer: Any = text_analyzer(analysis)
        self._forget()

    def _forget(self) -> None:
        self._words = HashNumbers()
        # The numbers of tokens of the words by their numbers, and the tokens' hashes.
        self._counts: Ints = np.zeros(0, dtype=np.int64)
        self._tokens: Hashes = np.zeros(0, dtype=np.uint64)

    def tokens(self, words: ShardWords) -> ShardTokens:
        """Return the tokens of a shard."""
        number = self._analysed(words)
        counts = self._counts[number]
        firsts = (np.cumsum(self._counts) - self._counts)[number]
        terms, term = np.unique(self._tokens[ranges(firsts, counts)], return_inverse=True)
        firsts = np.cumsum(counts) - counts
        counts_of_word = counts[words.word]
        return ShardTokens(
            terms=terms,
            term=term[ranges(firsts[words.word], counts_of_word)],
            sentence=np.repeat(words.sentence, counts_of_word),
            page=words.page,
            blank=words.blank,
        )

    def _analysed(self, words: ShardWords) -> Numbers:
        """Return the numbers of the different words of a shard, all of them analysed."""
        remembered = self._words.size
        numbers = self._words.numbers(words.hashes)
        if self._words.size > _MOST_WORDS:
            self._forget()
            remembered = 0
            numbers = self._words.numbers(words.hashes)
        new = np.flatnonzero(numbers >= remembered)
        for piece in _pieces(words.texts(new[np.argsort(numbers[new])])):
            tokens, counts = analyse_each(self._analyzer, piece)
            hashes = hash_texts(tokens)
            self._counts = np.concatenate((self._counts, np.array(counts, dtype=np.int64)))
            self._tokens = np.concatenate((self._tokens, hashes))
            if self.text_of is not None:
                self.text_of.update(zip(hashes.tolist(), tokens, strict=True))
        return numbers


def _pieces(words: Sequence[str]) -> Iterator[Sequence[str]]:
    """Divide words into pieces of about `_CHARACTERS` characters."""
    begin = 0
    size = 0
    for index, word in enumerate(words):
        size += len(word)
        if size >= _CHARACTERS:
            yield words[begin : index + 1]
            begin = index + 1
            size = 0
    if begin < len(words):
        yield words[begin:]


@dataclass(frozen=True)
class TokenizedShard:
    """A shard of a score store, with at least one page, and its tokens."""

    table: Table
    tokens: ShardTokens


def tokenize_shard(path: Path, columns: Sequence[str], lexicon: Lexicon) -> TokenizedShard | None:
    """Read and analyse a shard, with `text` and `sentence_ends` among its columns; None for a shard without a page."""
    table = read_shard(path, columns)
    if not len(table):
        return None
    return TokenizedShard(table, lexicon.tokens(split_words(table)))


class ShardTokenizer:
    """Reads and analyses the shards of a store, which several cleaners ask for: as many shards as fit are analysed once."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self._tokens: dict[Path, ShardTokens] = {}
        self._room = _MOST_TOKENS

    def shards(self, store: Path, columns: Sequence[str]) -> Iterator[TokenizedShard]:
        """Give the shards of a store that have a page, with these columns."""
        paths = shards(store)
        for path in progress(paths, "exploring", len(paths), "shards"):
            if path in self._tokens:
                without_text = [column for column in columns if column != "text"]
                yield TokenizedShard(read_shard(path, without_text), self._tokens[path])
                continue
            shard = tokenize_shard(path, columns, self._lexicon)
            if shard is None:
                continue
            size = len(shard.tokens.term)
            if size <= self._room:
                self._tokens[path] = shard.tokens
                self._room -= size
            yield shard

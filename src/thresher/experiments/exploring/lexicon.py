"""Splits whole shards into words and analyses them, with 64-bit hashes in place of words and terms.

The hash of the bytes b_1 ... b_n is the polynomial Σ (b_i + 1) · M^i modulo 2^64, for every range of a buffer by one
subtraction of prefix sums (Karp and Rabin, "Efficient randomized pattern-matching algorithms", 1987), then mixed so that all
bits depend on all others (the finaliser of Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
Two of n different words share a hash with a probability of about n² / 2^65.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

import thresher.base.arrow as pa
from thresher.base.numbers import Ints
from thresher.base.tables import Table
from thresher.indexes.analysis import analyse_each, english_analyzer
from thresher.indexes.pruning.postings import Flags, Hashes, ranges

Bytes = npt.NDArray[np.uint8]

_MULTIPLIER = 0x9E3779B97F4A7C15
_INVERSE = pow(_MULTIPLIER, -1, 2**64)
_PIECE = 1 << 16


def hash_ranges(data: Bytes, starts: Ints, ends: Ints) -> Hashes:
    """Return the hash of each range of `data`; `starts`, where ranges begin, ascend."""
    hashes = np.zeros(len(starts), dtype=np.uint64)
    # Piece by piece: the sums take eight times the memory of the bytes, and should fit into the cache.
    pieces = np.flatnonzero(np.diff(starts // _PIECE, prepend=-1))
    for first, after in pairwise([*pieces, len(starts)]):
        some = slice(first, after)
        begin = starts[first]
        hashes[some] = _hash_piece(data[begin : ends[some].max()], starts[some] - begin, ends[some] - begin)
    return hashes


def hash_texts(texts: list[str]) -> Hashes:
    """Return the hash of each text, of its bytes in UTF-8."""
    column = pa.text_array(texts, large=True)
    _, offsets, data = column.buffers()
    ends = np.frombuffer(offsets, dtype=np.int64)[: len(texts) + 1]
    held = np.frombuffer(data, dtype=np.uint8) if data is not None else np.zeros(0, dtype=np.uint8)
    return hash_ranges(held, ends[:-1], ends[1:])


def _hash_piece(data: Bytes, starts: Ints, ends: Ints) -> Hashes:
    sums = np.zeros(len(data) + 1, dtype=np.uint64)
    np.cumsum((data + np.uint64(1)) * _powers(_MULTIPLIER, len(data)), out=sums[1:])
    mixed = (sums[ends] - sums[starts]) * _powers(_INVERSE, len(data) + 1)[starts]
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    mixed ^= mixed >> np.uint64(31)
    return mixed


_known: dict[int, Hashes] = {}


def _powers(base: int, size: int) -> Hashes:
    """Return base^0 to base^(size - 1) modulo 2^64."""
    known = _known.get(base)
    if known is None or len(known) < size:
        factors = np.full(max(size, _PIECE), base, dtype=np.uint64)
        factors[0] = 1
        known = _known[base] = np.cumprod(factors)
    return known[:size]


@dataclass(frozen=True)
class ShardWords:
    """The words of a shard, split at white space and at the ends of sentences.

    Args:
        kinds: hashes of the different words.
        texts: from indices into `kinds` to the words themselves.
        kind, sentence: of each word, in order: its index into `kinds`, and its sentence.
        page: row of each sentence's page.
        blank: which sentences have white space and control characters alone.
    """

    kinds: Hashes
    texts: Callable[[Ints], list[str]]
    kind: Ints
    sentence: Ints
    page: Ints
    blank: Flags


def split_words(table: Table) -> ShardWords:
    """Split the texts of a shard with the columns `text` and `sentence_ends` into words."""
    data = table.texts("text").utf8
    page, ends = _sentences(table)
    space = (data == ord(" ")) | (data == ord("\n"))
    # A word begins between two bytes if none spans them; a sentence may end between two Chinese characters.
    solid = np.concatenate(([False], ~space, [False]))
    inside = solid[:-1] & solid[1:]
    inside[ends] = False
    starts = np.flatnonzero(solid[1:] & ~inside)
    after = np.flatnonzero(solid[:-1] & ~inside)
    encoded = pa.number_array(hash_ranges(data, starts, after)).dictionary_encode()
    kind = pa.numpy_array(encoded.indices).astype(np.int64)
    kinds = pa.numpy_array(encoded.dictionary).astype(np.uint64)
    first = np.zeros(len(kinds), dtype=np.int64)
    first[kind[::-1]] = np.arange(len(kind))[::-1]

    def texts(numbers: Ints) -> list[str]:
        raw, words = data.tobytes(), first[numbers]
        pairs = zip(starts[words].tolist(), after[words].tolist(), strict=True)
        # Words have no line feed, so all are decoded at once.
        return b"\n".join(raw[start:end] for start, end in pairs).decode().split("\n") if len(numbers) else []

    # All words begin before the end of the last sentence.
    words = np.diff(np.searchsorted(starts, ends), prepend=0)
    blank = words == 0
    # Anserini strips characters up to the space before it drops an empty document, other control characters among them.
    if np.count_nonzero(data <= ord(" ")) > np.count_nonzero(space):
        dark = np.flatnonzero(data > ord(" "))
        blank = np.diff(np.searchsorted(dark, ends), prepend=0) == 0
    return ShardWords(kinds, texts, kind, np.repeat(np.arange(len(ends)), words), page, blank)


def _sentences(table: Table) -> tuple[Ints, Ints]:
    """Return for each sentence of a shard the row of its page, and where it ends in the bytes of all texts."""
    data, offsets = table.texts("text").utf8, table.texts("text").offsets
    page, ends = table.lists("sentence_ends").rows, table.lists("sentence_ends").values.astype(np.int64)
    if not len(data) or data.max() < 0x80:
        return page, offsets[page] + ends
    # The byte offset of a character is its number plus the continuation bytes before it.
    further = np.flatnonzero((data & 0xC0) == 0x80)
    further_at = further - np.arange(len(further))
    first = offsets[page] - np.searchsorted(further, offsets[page])
    return page, first + ends + np.searchsorted(further_at, first + ends, side="right")


_BITS = 20
"""2^20 words are remembered, in 33 MiB."""

_KEPT = 3
"""Words of more tokens are not remembered: links, lists and Chinese seldom recur."""

_CHARACTERS = 1 << 20
"""Characters that Java analyses at once: it holds all their tokens, some 100 bytes each."""


@dataclass(frozen=True)
class Analysed:
    """The tokens of words: their number for each word, and their hashes in the order of the words."""

    counts: Ints
    tokens: Hashes


def tokens_of_shard(words: ShardWords, analysed: Analysed) -> tuple[Ints, Ints]:
    """Return all tokens of a shard, in any order: indices into `analysed.tokens`, and the sentence of each."""
    counts = analysed.counts[words.kind]
    firsts = np.cumsum(analysed.counts) - analysed.counts
    # Nearly all words are one token or none.
    one, many = np.flatnonzero(counts == 1), np.flatnonzero(counts > 1)
    token = np.concatenate([firsts[words.kind[one]], ranges(firsts[words.kind[many]], counts[many])])
    return token, words.sentence[np.concatenate([one, np.repeat(many, counts[many])])]


def _pieces(texts: list[str]) -> Iterator[list[str]]:
    begin, size = 0, 0
    for index, text in enumerate(texts):
        size += len(text)
        if size >= _CHARACTERS:
            yield texts[begin : index + 1]
            begin, size = index + 1, 0
    if begin < len(texts):
        yield texts[begin:]


class Lexicon:
    """Analyses words as an index with these options would; with `texts`, every term is remembered for `text_of`."""

    def __init__(self, stemmer: str, stopwords: bool, texts: bool = False) -> None:
        self._analyzer: Any = english_analyzer(stemmer, stopwords)
        self._keys = np.zeros(1 << _BITS, dtype=np.uint64)
        self._counts = np.full(1 << _BITS, -1, dtype=np.int8)
        self._tokens = np.zeros((1 << _BITS, _KEPT), dtype=np.uint64)
        self.text_of: dict[int, str] | None = {} if texts else None

    def analyse(self, words: Hashes, texts: Callable[[Ints], list[str]]) -> Analysed:
        """Return the tokens of words, given by hashes, each once; `texts` gives the words of indices into them."""
        # Each word has one slot, which a later one may take.
        slots = (words >> np.uint64(64 - _BITS)).astype(np.int64)
        known = (self._keys[slots] == words) & (self._counts[slots] >= 0)
        missing = np.flatnonzero(~known)
        new = self._analyse(texts(missing))
        counts = np.where(known, self._counts[slots], 0).astype(np.int64)
        counts[missing] = new.counts
        firsts = np.cumsum(counts) - counts
        tokens = np.zeros(int(counts.sum()), dtype=np.uint64)
        for column in range(_KEPT):
            held = np.flatnonzero(known & (counts > column))
            tokens[firsts[held] + column] = self._tokens[slots[held], column]
        tokens[ranges(firsts[missing], new.counts)] = new.tokens
        self._remember(words[missing], slots[missing], new)
        return Analysed(counts, tokens)

    def _analyse(self, texts: list[str]) -> Analysed:
        counts, hashes = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.uint64)]
        for piece in _pieces(texts):
            tokens, of_words = analyse_each(self._analyzer, piece)
            counts.append(np.array(of_words, dtype=np.int64))
            hashes.append(hash_texts(tokens))
            if self.text_of is not None:
                self.text_of.update(zip(hashes[-1].tolist(), tokens, strict=True))
        return Analysed(np.concatenate(counts), np.concatenate(hashes))

    def _remember(self, words: Hashes, slots: Ints, new: Analysed) -> None:
        firsts = np.cumsum(new.counts) - new.counts
        # Of words that share a slot one is remembered, with its tokens.
        kept = np.flatnonzero(new.counts <= _KEPT)
        kept = kept[np.unique(slots[kept], return_index=True)[1]]
        self._keys[slots[kept]] = words[kept]
        self._counts[slots[kept]] = new.counts[kept]
        for column in range(_KEPT):
            held = kept[new.counts[kept] > column]
            self._tokens[slots[held], column] = new.tokens[firsts[held] + column]

"""What Lucene's analysis makes of words, remembered for as many as there is room for.

Lucene's tokenizer always breaks at white space, and the filters behind it look at one token at a time: what becomes of a
text is what becomes of its words, one after the other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from thresher.exploring.hashing import Hashes, hash_texts
from thresher.lucene.analysis import analyse_each, english_analyzer
from thresher.pages.plain import Ints

_BITS = 20
"""The room is for 2^20 words, in 33 MiB."""

_KEPT = 3
"""Words of more tokens are not remembered: they are links, lists and Chinese, and seldom come again."""


@dataclass(frozen=True)
class Analysed:
    """The tokens of some words: `counts` for each word, and the tokens' hashes in the order of the words."""

    counts: Ints
    tokens: Hashes


class Lexicon:
    """Analyses words as an index with these options would.

    Args:
        stemmer, stopwords: as in `thresher.lucene.indexing.IndexOptions`.

    Raises:
        MissingDependencyError: if there is no Java.
    """

    def __init__(self, stemmer: str, stopwords: bool) -> None:
        self._analyzer: Any = english_analyzer(stemmer, stopwords)
        self._keys = np.zeros(1 << _BITS, dtype=np.uint64)
        self._counts = np.full(1 << _BITS, -1, dtype=np.int8)
        self._tokens = np.zeros((1 << _BITS, _KEPT), dtype=np.uint64)

    def analyse(self, words: Hashes, texts: Callable[[Ints], list[str]]) -> Analysed:
        """Return the tokens of words.

        Args:
            words: their hashes, each once.
            texts: gives the words with the numbers asked for.
        """
        # Every word has one place; a later one may take it.
        places = (words >> np.uint64(64 - _BITS)).astype(np.int64)
        known = (self._keys[places] == words) & (self._counts[places] >= 0)
        missing = np.flatnonzero(~known)
        new = self._analyse(texts(missing))
        counts = np.where(known, self._counts[places], 0).astype(np.int64)
        counts[missing] = new.counts
        firsts = np.cumsum(counts) - counts
        tokens = np.zeros(int(counts.sum()), dtype=np.uint64)
        for column in range(_KEPT):
            held = np.flatnonzero(known & (counts > column))
            tokens[firsts[held] + column] = self._tokens[places[held], column]
        tokens[np.repeat(firsts[missing], new.counts) + _within(new.counts)] = new.tokens
        self._remember(words[missing], places[missing], new)
        return Analysed(counts, tokens)

    def _analyse(self, texts: list[str]) -> Analysed:
        tokens, counts = analyse_each(self._analyzer, texts)
        return Analysed(np.array(counts, dtype=np.int64), hash_texts(tokens))

    def _remember(self, words: Hashes, places: Ints, new: Analysed) -> None:
        firsts = np.cumsum(new.counts) - new.counts
        # Of words that share a place one is remembered, with its own tokens.
        kept = np.flatnonzero(new.counts <= _KEPT)
        kept = kept[np.unique(places[kept], return_index=True)[1]]
        self._keys[places[kept]] = words[kept]
        self._counts[places[kept]] = new.counts[kept]
        for column in range(_KEPT):
            held = kept[new.counts[kept] > column]
            self._tokens[places[held], column] = new.tokens[firsts[held] + column]


def _within(counts: Ints) -> Ints:
    """Return 0, 1 ... count - 1 for each of the counts."""
    return np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)

"""Splits whole shards into words and analyses them as an index would; hashes of 64 bits stand for terms.

The hash of the bytes b_1 ... b_n is the polynomial Σ (b_i + 1) · M^i modulo 2^64 (Karp and Rabin, "Efficient randomized
pattern-matching algorithms", 1987), then mixed so that all bits depend on all others (the finaliser of Steele, Lea and Flood,
"Fast splittable pseudorandom number generators", 2014). Two of n different terms share a hash with a probability of about
n² / 2^65. Pruning breaks ties by these hashes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, count
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.base.numbers import Ints
from thresher.base.progress import progress
from thresher.base.tables import Table
from thresher.indexes.analysis import english_analyzer, tokens_of_each
from thresher.indexes.pruning.postings import Hashes, ranges
from thresher.scores.store import read_shard, shards

_MULTIPLIER = 0x9E3779B97F4A7C15
_MIXING = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB))
_LAST_SHIFT = 31

_MARK = "\ud800"
"""Marks the end of a sentence: a lone surrogate, which no text in UTF-8 holds."""

_CONTROLS = "".join(map(chr, range(ord(" ") + 1)))
"""White space and control characters. Anserini strips them before it drops an empty document."""

_MOST_WORDS = 1 << 19
"""Words that are remembered, some 250 bytes each."""

_MOST_TOKENS = 1 << 23
"""Tokens of shards that are remembered, 16 bytes each."""

_CHARACTERS = 1 << 20
"""Characters that Java analyses at once: it holds all their tokens, some 100 bytes each."""


def hash_texts(texts: Sequence[str]) -> Hashes:
    """Return the hash of each text, of its bytes in UTF-8."""
    encoded = [text.encode() for text in texts]
    lengths = np.array([len(data) for data in encoded], dtype=np.int64)
    powers = np.full(lengths.max(initial=0) + 1, _MULTIPLIER, dtype=np.uint64)
    powers[0] = 1
    powers = np.cumprod(powers)
    data = np.frombuffer(b"".join(encoded), dtype=np.uint8)
    products = (data + np.uint64(1)) * powers[ranges(np.zeros_like(lengths), lengths)]
    sums = np.concatenate((np.zeros(1, dtype=np.uint64), np.cumsum(products)))
    ends = np.cumsum(lengths)
    return _mixed(sums[ends] - sums[ends - lengths])


def _mixed(hashes: Hashes) -> Hashes:
    for shift, factor in _MIXING:
        hashes = (hashes ^ (hashes >> np.uint64(shift))) * np.uint64(factor)
    return hashes ^ (hashes >> np.uint64(_LAST_SHIFT))


@dataclass(frozen=True)
class ShardWords:
    """The words of a shard, split at spaces, at line feeds and at the ends of sentences.

    Args:
        words: the different words, with a mark and the empty word among them, which are not in the texts.
        word: of each word of the texts, in order, its index into `words`.
        sentence: of each word of the texts, its sentence.
        page: row of each sentence's page.
        blank: which sentences have white space and control characters alone.
    """

    words: tuple[str, ...]
    word: Ints
    sentence: Ints
    page: Ints
    blank: npt.NDArray[np.bool_]


def split_words(table: Table) -> ShardWords:
    """Split the texts of a shard with the columns `text` and `sentence_ends` into words."""
    ends = table.lists("sentence_ends")
    sentences: list[str] = []
    for row, text in enumerate(table.texts("text").tolist()):
        ends_of_page = ends[row].tolist()
        sentences += [text[begin:end] for begin, end in zip([0, *ends_of_page], ends_of_page, strict=False)]
    # All sentences are split at once, with a mark behind each.
    texts = f" {_MARK} ".join([*sentences, ""]).replace("\n", " ").split(" ")
    # Each new word gets the next number.
    numbers: defaultdict[str, int] = defaultdict(count().__next__)
    mark, nothing = numbers[_MARK], numbers[""]
    word = np.fromiter(map(numbers.__getitem__, texts), dtype=np.int64, count=len(texts))
    sentence = np.cumsum(word == mark)
    is_word = (word != mark) & (word != nothing)
    word, sentence = word[is_word], sentence[is_word]
    visible = np.array([bool(text.strip(_CONTROLS)) for text in numbers])
    visible_words = np.bincount(sentence[visible[word]], minlength=len(sentences))
    return ShardWords(tuple(numbers), word, sentence, ends.rows, visible_words == 0)


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
    """Analyses words as an index with these options would.

    Attributes:
        text_of: with `texts`, the text of every term that was met, by its hash.
    """

    def __init__(self, stemmer: str, stopwords: bool, texts: bool = False) -> None:
        self.text_of: dict[int, str] | None = {} if texts else None
        self._analyzer: Any = english_analyzer(stemmer, stopwords)
        self._tokens_of: dict[str, tuple[int, ...]] = {}

    def tokens(self, words: ShardWords) -> ShardTokens:
        """Return the tokens of a shard."""
        tokens_of_words = self._analysed(words.words)
        counts = np.array([len(tokens) for tokens in tokens_of_words], dtype=np.int64)
        hashes = np.array(list(chain.from_iterable(tokens_of_words)), dtype=np.uint64)
        terms, term_of_hash = np.unique(hashes, return_inverse=True)
        firsts = np.cumsum(counts) - counts
        counts_of_word = counts[words.word]
        return ShardTokens(
            terms=terms,
            term=term_of_hash[ranges(firsts[words.word], counts_of_word)],
            sentence=np.repeat(words.sentence, counts_of_word),
            page=words.page,
            blank=words.blank,
        )

    def _analysed(self, words: Sequence[str]) -> list[tuple[int, ...]]:
        """Return the hashes of each word's tokens."""
        new = [word for word in words if word not in self._tokens_of]
        if len(self._tokens_of) + len(new) > _MOST_WORDS:
            self._tokens_of.clear()
            new = list(words)
        for piece in _pieces(new):
            tokens_of_words = tokens_of_each(self._analyzer, piece)
            tokens = list(chain.from_iterable(tokens_of_words))
            hashes = hash_texts(tokens).tolist()
            if self.text_of is not None:
                self.text_of.update(zip(hashes, tokens, strict=True))
            end = 0
            for word, of_word in zip(piece, tokens_of_words, strict=True):
                begin, end = end, end + len(of_word)
                self._tokens_of[word] = tuple(hashes[begin:end])
        return [self._tokens_of[word] for word in words]


def _pieces(words: Sequence[str]) -> Iterator[Sequence[str]]:
    """Divide words into pieces of about `_CHARACTERS` characters."""
    begin, size = 0, 0
    for index, word in enumerate(words):
        size += len(word)
        if size >= _CHARACTERS:
            yield words[begin : index + 1]
            begin, size = index + 1, 0
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

"""Collects the postings of a cleaned collection from its score store, in memory that grows with the terms alone."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from thresher.base.files import scratch_folder
from thresher.base.numbers import Ints
from thresher.cleaners.cleaner import Cleaner
from thresher.indexes.lexicon import HashNumbers, ShardTokenizer, TokenizedShard
from thresher.indexes.pruning.postings import CollectionStatistics, DocumentPostings, Flags, Hashes, Numbers
from thresher.scores.cutting import shard_columns, shard_layout, shard_mask
from thresher.scores.store import FAILED, text_store


@dataclass(frozen=True)
class CollectedPostings:
    """The postings of a cleaned collection, in files.

    Args:
        statistics: of the collection.
        indexed: documents that are not blank.
        blank: documents with nothing but white space left.
        words: kept, as `CleanedDocument` counts them.
        files: one for each shard with a page.
    """

    statistics: CollectionStatistics
    indexed: int
    blank: int
    words: int
    files: tuple[Path, ...]

    def blocks(self) -> Iterator[DocumentPostings]:
        """Give the postings of each shard, in the order of the collection."""
        for path in self.files:
            with path.open("rb") as file:
                # Only this process reads and writes it.
                block: DocumentPostings = pickle.load(file)
            yield block


@contextmanager
def collected_postings(
    store: Path, cleaner: Cleaner, tokenizer: ShardTokenizer, scratch: Path
) -> Iterator[CollectedPostings]:
    """Collect the postings that Lucene's index of a cleaned collection would have; they are there inside the with block.

    Args:
        store: the score store, with the scores that the cleaner needs.
        cleaner: with numbers for percentiles.
        scratch: a path that does not exist, beside which there is room for 8 bytes a posting.
    """
    with scratch_folder(scratch) as folder:
        vocabulary = _Vocabulary()
        files: list[Path] = []
        indexed = blank = words = tokens = documents = squares = 0
        for shard in tokenizer.shards(text_store(store, cleaner.input_name), shard_columns([cleaner])):
            mask = shard_mask(shard.table, cleaner, shard_layout(shard.table))
            postings = _postings(shard, mask, vocabulary)
            block = postings.block
            indexed += len(block.ids)
            blank += postings.blank
            words += int(shard.table.lists("words").values[mask].sum())
            tokens += int(block.lengths.sum())
            documents += int((block.lengths > 0).sum())
            squares += int((block.lengths.astype(np.int64) ** 2).sum())
            files.append(folder / str(len(files)))
            with files[-1].open("wb") as file:
                pickle.dump(block, file, protocol=5)
        statistics = CollectionStatistics(
            documents, tokens, vocabulary.cf, vocabulary.df, vocabulary.terms.hashes, squares
        )
        yield CollectedPostings(statistics, indexed, blank, words, tuple(files))


class _ShardPostings(NamedTuple):
    """The postings of a shard's documents that are not blank, and the number of blank ones; failed pages are neither."""

    block: DocumentPostings
    blank: int


def _postings(shard: TokenizedShard, mask: Flags, vocabulary: _Vocabulary) -> _ShardPostings:
    """Collect the postings of a shard; `mask` says which sentences the cleaner keeps."""
    table = shard.table
    tokens = shard.tokens
    inside = mask[tokens.sentence]
    page = tokens.page[tokens.sentence[inside]]
    has_text = np.zeros(len(table), dtype=np.bool_)
    has_text[tokens.page[mask & ~tokens.blank]] = True
    different, index = np.unique(tokens.term[inside], return_inverse=True)
    number = vocabulary.numbers(tokens.terms[different])
    size = max(vocabulary.terms.size, 1)
    keys, tf = np.unique(page * np.int64(size) + number[index], return_counts=True)
    row, term = np.divmod(keys, size)
    vocabulary.add(term, tf)
    rows = np.flatnonzero(has_text)
    bounds = np.concatenate((np.searchsorted(row, rows), [len(row)]))
    lengths = np.bincount(page, minlength=len(table))[rows]
    ids = table.texts("id").tolist()
    # A document with a token is not blank, so no posting is left out.
    block = DocumentPostings(
        tuple(ids[row] for row in rows.tolist()),
        lengths.astype(np.int64),
        bounds.astype(np.int64),
        term.astype(np.int32),
        tf.astype(np.int32),
    )
    statuses = table.texts("status").tolist()
    read = len(statuses) - statuses.count(FAILED)
    return _ShardPostings(block, read - len(rows))


class _Vocabulary:
    """Numbers terms as they come, and counts them.

    Attributes:
        terms: the numbers of the terms' hashes.
        cf: of each term, by its number.
        df: of each term, by its number.
    """

    def __init__(self) -> None:
        self.terms = HashNumbers()
        self.cf: Ints = np.zeros(0, dtype=np.int64)
        self.df: Ints = np.zeros(0, dtype=np.int64)

    def numbers(self, hashes: Hashes) -> Numbers:
        """Return the numbers of different terms, new numbers for new terms."""
        numbers = self.terms.numbers(hashes)
        more = np.zeros(self.terms.size - len(self.cf), dtype=np.int64)
        self.cf = np.concatenate((self.cf, more))
        self.df = np.concatenate((self.df, more))
        return numbers

    def add(self, term: Ints, tf: Ints) -> None:
        """Count postings."""
        self.df += np.bincount(term, minlength=self.terms.size)
        self.cf += np.bincount(term, weights=tf, minlength=self.terms.size).astype(np.int64)

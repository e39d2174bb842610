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
from thresher.indexes.pruning.postings import CollectionStatistics, DocumentPostings, Hashes, Mask, Numbers
from thresher.scores.cutting import shard_columns, shard_layout, shard_mask
from thresher.scores.store import FAILED, text_store


@dataclass(frozen=True)
class CollectedPostings:
    """The postings of a cleaned collection, in files.

    Args:
        statistics: the statistics of the cleaned collection.
        indexed: the number of documents that are not blank.
        blank: the number of documents with nothing but white space left.
        words: the number of kept words, as `CleanedDocument` counts them.
        files: a file for each shard with a page.
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
        totals = _Totals()
        for shard in tokenizer.shards(text_store(store, cleaner.input_name), shard_columns([cleaner])):
            mask = shard_mask(shard.table, cleaner, shard_layout(shard.table))
            postings = _postings(shard, mask, vocabulary)
            totals.add(postings)
            files.append(folder / str(len(files)))
            with files[-1].open("wb") as file:
                pickle.dump(postings.block, file, protocol=5)
        statistics = CollectionStatistics(
            totals.documents, totals.tokens, vocabulary.cf, vocabulary.df, vocabulary.terms.hashes, totals.squares
        )
        yield CollectedPostings(statistics, totals.indexed, totals.blank, totals.words, tuple(files))


class _ShardPostings(NamedTuple):
    """The postings of a shard.

    Attributes:
        block: the postings of the documents that are not blank.
        blank: the number of blank documents; failed pages are not among them.
        words: the number of kept words.
    """

    block: DocumentPostings
    blank: int
    words: int


@dataclass
class _Totals:
    """Counts of a cleaned collection, shard by shard.

    Attributes:
        indexed, blank, words: see `CollectedPostings`.
        documents: the number of documents with a token.
        tokens: the sum of the documents' lengths in tokens.
        squares: the sum of the squares of these lengths.
    """

    indexed: int = 0
    blank: int = 0
    words: int = 0
    documents: int = 0
    tokens: int = 0
    squares: int = 0

    def add(self, postings: _ShardPostings) -> None:
        """Add the counts of a shard."""
        lengths = postings.block.lengths
        self.indexed += len(lengths)
        self.blank += postings.blank
        self.words += postings.words
        self.documents += int(np.count_nonzero(lengths))
        self.tokens += int(lengths.sum())
        self.squares += int((lengths.astype(np.int64) ** 2).sum())


def _postings(shard: TokenizedShard, mask: Mask, vocabulary: _Vocabulary) -> _ShardPostings:
    """Collect the postings of a shard; `mask` says which sentences the cleaner keeps."""
    table = shard.table
    tokens = shard.tokens
    is_kept = mask[tokens.sentence]
    page_of_token = tokens.page[tokens.sentence[is_kept]]
    term_of_token = vocabulary.numbers_of_tokens(tokens.terms, tokens.term[is_kept])
    counts = _count_terms(page_of_token, term_of_token, vocabulary.terms.size)
    vocabulary.add(counts.terms, counts.frequencies)
    has_text = np.zeros(len(table), dtype=np.bool_)
    has_text[tokens.page[mask & ~tokens.blank]] = True
    # A document with a token is not blank, so no posting is left out.
    pages = np.flatnonzero(has_text)
    ids = table.texts("id").tolist()
    block = DocumentPostings(
        tuple(ids[page] for page in pages.tolist()),
        np.bincount(page_of_token, minlength=len(table))[pages].astype(np.int64),
        np.append(np.searchsorted(counts.pages, pages), len(counts.pages)).astype(np.int64),
        counts.terms.astype(np.int32),
        counts.frequencies.astype(np.int32),
    )
    statuses = table.texts("status").tolist()
    pages_read = len(statuses) - statuses.count(FAILED)
    words = int(table.lists("words").values[mask].sum())
    return _ShardPostings(block, pages_read - len(pages), words)


class _TermCounts(NamedTuple):
    """The page, the term and the term frequency of each posting, ascending by page and term; each of shape (postings,)."""

    pages: Ints
    terms: Ints
    frequencies: Ints


def _count_terms(page_of_token: Ints, term_of_token: Numbers, vocabulary_size: int) -> _TermCounts:
    """Count the tokens of each term in each page."""
    size = max(vocabulary_size, 1)
    posting_of_token = page_of_token * np.int64(size) + term_of_token
    postings, frequencies = np.unique(posting_of_token, return_counts=True)
    pages, terms = np.divmod(postings, size)
    return _TermCounts(pages, terms, frequencies)


class _Vocabulary:
    """Numbers terms as they come, and counts them.

    Attributes:
        terms: the number of each term, by its hash.
        cf: the collection frequency of each term, by its number.
        df: the document frequency of each term, by its number.
    """

    def __init__(self) -> None:
        self.terms = HashNumbers()
        self.cf: Ints = np.zeros(0, dtype=np.int64)
        self.df: Ints = np.zeros(0, dtype=np.int64)

    def numbers_of_tokens(self, hashes: Hashes, term_of_token: Ints) -> Numbers:
        """Return the number of each token's term, a new number for a new term.

        `hashes` are the hashes of a shard's terms, and `term_of_token` has indices of them.
        """
        distinct_terms, index_of_token = np.unique(term_of_token, return_inverse=True)
        numbers = self.terms.numbers(hashes[distinct_terms])
        new_zeros = np.zeros(self.terms.size - len(self.cf), dtype=np.int64)
        self.cf = np.concatenate((self.cf, new_zeros))
        self.df = np.concatenate((self.df, new_zeros))
        return numbers[index_of_token]

    def add(self, term: Ints, tf: Ints) -> None:
        """Count postings."""
        self.df += np.bincount(term, minlength=self.terms.size)
        self.cf += np.bincount(term, weights=tf, minlength=self.terms.size).astype(np.int64)

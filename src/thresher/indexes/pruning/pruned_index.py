"""Builds the pruned index of a collection from its postings, in memory that grows with the terms and not with the postings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import thresher.base.arrow as pa
from thresher.base.numbers import Ints
from thresher.cleaners.cleaner import Cleaner
from thresher.indexes.analysis import DELIMITER
from thresher.indexes.indexing import IndexOptions, IndexReport, Origin, PrunedDocument, build_pruned_index
from thresher.indexes.lexicon import Lexicon, ShardTokenizer
from thresher.indexes.original_statistics import TermLosses
from thresher.indexes.pruning.collected_postings import collected_postings
from thresher.indexes.pruning.method import kept_postings
from thresher.indexes.pruning.postings import DocumentPostings, Mask, Postings
from thresher.indexes.pruning.treatments import Pruning


class PrunedPostings:
    """The documents of a collection without the postings that a pruning removes, and the losses of its terms.

    Args:
        postings: of the collection.
        terms: the collection's terms by their numbers.
        pruning: a method and its cutoff.
        original: whether the index is ranked with the statistics of the unpruned collection.
    """

    def __init__(self, postings: Postings, terms: Sequence[str], pruning: Pruning, original: bool) -> None:
        self._postings, self._pruning, self._original = postings, pruning, original
        self._terms = pa.text_array(terms)
        self._lost_df: Ints = np.zeros(len(terms), dtype=np.int64)
        self._lost_cf: Ints = np.zeros(len(terms), dtype=np.int64)

    def documents(self, advance: Callable[[], None] = lambda: None) -> Iterator[PrunedDocument]:
        """Give all documents; `advance` is called for each."""
        method = self._pruning.method
        fitted = method.fit(self._postings)
        for block in self._postings.blocks():
            scores = method.scores(block, self._postings.statistics, fitted)
            stays = kept_postings(method, scores, self._pruning.threshold)
            self._count_losses(block, ~stays)
            for document in self._documents_of(block, stays):
                yield document
                advance()

    def losses(self) -> TermLosses:
        """Return the losses of all terms, once all documents are given."""
        remaining_df = self._postings.statistics.df - self._lost_df
        return TermLosses(self._terms, self._lost_df, self._lost_cf, remaining_df)

    def _count_losses(self, block: DocumentPostings, leaves: Mask) -> None:
        terms, tf = block.term[leaves], block.tf[leaves]
        self._lost_df += np.bincount(terms, minlength=len(self._terms))
        self._lost_cf += np.bincount(terms, weights=tf, minlength=len(self._terms)).astype(np.int64)

    def _documents_of(self, block: DocumentPostings, stays: Mask) -> Iterator[PrunedDocument]:
        tokens_left = np.bincount(block.document[stays], weights=block.tf[stays], minlength=len(block.ids))
        tokens_left = tokens_left.astype(np.int64)
        if self._original:
            removed = block.lengths - tokens_left
            lengths = block.lengths
        else:
            removed = np.zeros_like(tokens_left)
            lengths = tokens_left
        emptied = (block.lengths > 0) & (tokens_left == 0)
        lists = self._term_lists(block, stays)
        for row, identifier in enumerate(block.ids):
            yield PrunedDocument(
                id=identifier,
                terms=lists[row],
                removed=int(removed[row]),
                length=int(lengths[row]),
                emptied=bool(emptied[row]),
            )

    def _term_lists(self, block: DocumentPostings, stays: Mask) -> list[str]:
        """Return the list of terms of each document, as Lucene will read it."""
        tf = pa.number_array(block.tf[stays])
        terms = self._terms.take(pa.number_array(block.term[stays]))
        with_tf = pa.compute.binary_join_element_wise(terms, tf.cast(pa.string()), DELIMITER)
        entries = pa.compute.if_else(pa.compute.equal(tf, 1), terms, with_tf)
        ends = np.concatenate(([0], np.cumsum(stays)))[block.bounds]
        joined = pa.compute.binary_join(pa.ListArray.from_arrays(ends.astype(np.int32), entries), " ")
        lists: list[str] = joined.to_pylist()
        return lists


@dataclass(frozen=True)
class PrunedIndexOptions:
    """How a pruned index is built.

    Args:
        index: the analysis of the text; see `build_pruned_index` for the options that a pruned index cannot have.
        original_statistics: whether the index is ranked with the statistics of the unpruned collection.
        origin: kept with the index.
    """

    index: IndexOptions
    original_statistics: bool = True
    origin: Origin | None = None


@dataclass(frozen=True)
class PrunedBuild:
    """A pruned index, the number of documents that cleaning left blank, and the number of words in the other documents."""

    index: IndexReport
    blank: int
    words: int


def build_pruned(
    store: Path,
    cleaner: Cleaner,
    pruning: Pruning,
    folder: Path,
    options: PrunedIndexOptions,
    advance: Callable[[], None] = lambda: None,
) -> PrunedBuild:
    """Clean a collection, prune its postings, and index the remaining postings into `folder`, which is replaced on success.

    Args:
        store: the score store, with the scores that the cleaner needs.
        cleaner: with numbers for percentiles.
        pruning: a method and its cutoff.
        folder: the index.
        options: of the index.
        advance: called for each document.
    """
    lexicon = Lexicon(options.index.analysis, texts=True)
    scratch = folder.parent / f"{folder.name}.postings"
    with collected_postings(store, cleaner, ShardTokenizer(lexicon), scratch) as postings:
        texts = lexicon.text_of or {}
        terms = [texts[term_hash] for term_hash in postings.statistics.hashes.tolist()]
        pruned = PrunedPostings(postings, terms, pruning, options.original_statistics)
        losses = pruned.losses if options.original_statistics else None
        index = build_pruned_index(pruned.documents(advance), folder, options.index, losses, options.origin)
        return PrunedBuild(index, postings.blank, postings.words)

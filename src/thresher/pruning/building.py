"""Builds the pruned index of a cleaned collection from its postings, by arms that may need analysed query logs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from thresher.arms.arm import Arm, kept
from thresher.arms.postings import DocumentPostings, Flags
from thresher.arms.pruned_names import Pruning
from thresher.arms.query_logs import LoggedQuery, QueryLogs
from thresher.errors import ConfigError, InputError
from thresher.exploring.exploring import analyse_queries
from thresher.exploring.lexicon import Lexicon, hash_texts
from thresher.lucene.indexing import IndexOptions, IndexReport, Origin
from thresher.lucene.pruned_index import PrunedDocument, build_pruned_index
from thresher.lucene.term_lists import DELIMITER
from thresher.pages.plain import Ints
from thresher.pruning.collecting import CollectedPostings, collected_postings
from thresher.scorers.cleaners import Cleaner

LogTexts = Mapping[str, Sequence[str]]
"""The texts of the queries of each log, by the path that arms name it by."""


def analysed_logs(arms: Iterable[Arm], logs: LogTexts | None, options: IndexOptions) -> QueryLogs:
    """Return the logs that the arms need.

    Raises:
        ConfigError: if one is not given.
    """
    return {arm.log: _analysed(arm, logs or {}, options) for arm in arms if arm.log}


def _analysed(arm: Arm, logs: LogTexts, options: IndexOptions) -> list[LoggedQuery]:
    if arm.log not in logs:
        raise ConfigError(f"the query log {arm.log!r} is not given", "give its queries", arm.canonical_name)
    queries, terms = analyse_queries(logs[arm.log], options)
    hashes = hash_texts(terms).tolist()
    return [{hashes[term]: times for term, times in query.counts.items()} for query in queries]


@dataclass(frozen=True)
class PrunedBuild:
    """What was built, and of what: documents that were blank after cleaning, and the words of the others."""

    index: IndexReport
    blank: int
    words: int


def build_pruned(
    store: Path,
    cleaner: Cleaner,
    pruning: Pruning,
    folder: Path,
    options: IndexOptions,
    original: bool = True,
    advance: Callable[[], None] = lambda: None,
    logs: LogTexts | None = None,
    origin: Origin | None = None,
) -> PrunedBuild:
    """Clean a collection, prune its postings, and index what is left into `folder`, which is replaced on success.

    Args:
        store: the score store, with the scores that the cleaner needs.
        cleaner: with numbers for percentiles.
        pruning: the arm with its cutoff.
        folder: the index.
        options: how text is analysed; see `build_pruned_index` for what cannot be held.
        original: whether the index is ranked with the statistics of the unpruned collection.
        advance: called for each document.
        logs: with the query log that the arm needs.
        origin: kept with the index.

    Raises:
        InputError: if the cleaned collection has no postings.
        ThresherError: as `collected_postings` and `build_pruned_index`.
    """
    lexicon = Lexicon(options.stemmer, options.stopwords, texts=True)
    with collected_postings(store, cleaner, lexicon, folder.parent / f"{folder.name}.postings") as postings:
        if not postings.statistics.tokens:
            what = f"{cleaner.name} leaves nothing to prune by {pruning.name}"
            raise InputError(what, "choose a cutoff that keeps more text", str(folder))
        pruned = _Pruned(postings, pruning, analysed_logs([pruning.arm], logs, options), lexicon, original)
        changed = pruned.changed if original else None
        index = build_pruned_index(pruned.documents(advance), folder, options, changed, origin)
        return PrunedBuild(index, postings.blank, postings.words)


class _Pruned:
    """The documents without the postings that are pruned, and what terms lost."""

    def __init__(
        self, postings: CollectedPostings, pruning: Pruning, logs: QueryLogs, lexicon: Lexicon, original: bool
    ) -> None:
        self._postings, self._pruning, self._logs, self._original = postings, pruning, logs, original
        texts = lexicon.text_of or {}
        self._terms = pa.array([texts[value] for value in postings.statistics.hashes.tolist()], pa.string())
        self._lost_df: Ints = np.zeros(len(self._terms), dtype=np.int64)
        self._lost_cf: Ints = np.zeros(len(self._terms), dtype=np.int64)

    def documents(self, advance: Callable[[], None]) -> Iterator[PrunedDocument]:
        """Give all documents."""
        arm = self._pruning.arm
        fitted = arm.fit(self._postings, self._logs)
        for block in self._postings.blocks():
            stays = kept(arm, arm.scores(block, self._postings.statistics, fitted), self._pruning.threshold)
            lost = block.term[~stays]
            self._lost_df += np.bincount(lost, minlength=len(self._terms))
            self._lost_cf += np.bincount(lost, weights=block.tf[~stays], minlength=len(self._terms)).astype(np.int64)
            held = np.bincount(block.document[stays], weights=block.tf[stays], minlength=len(block.ids)).astype(
                np.int64
            )
            removed = block.lengths - held if self._original else np.zeros_like(held)
            lengths = block.lengths if self._original else held
            columns = (block.ids, self._lists(block, stays), removed.tolist(), lengths.tolist())
            for document in zip(*columns, strict=True):
                yield PrunedDocument(*document)
                advance()

    def changed(self) -> pa.Table:
        """Return the terms that lost postings, with the df and cf that they lost."""
        lost = np.flatnonzero(self._lost_df)
        return pa.table({"term": self._terms.take(lost), "df": self._lost_df[lost], "cf": self._lost_cf[lost]})

    def _lists(self, block: DocumentPostings, stays: Flags) -> list[str]:
        """Return the list of terms of each document, as Lucene will read it."""
        tf = pa.array(block.tf[stays])
        terms = self._terms.take(pa.array(block.term[stays]))
        with_tf = pc.binary_join_element_wise(terms, tf.cast(pa.string()), DELIMITER)
        entries = pc.if_else(pc.equal(tf, 1), terms, with_tf)
        ends = np.concatenate(([0], np.cumsum(stays)))[block.bounds]
        joined = pc.binary_join(pa.ListArray.from_arrays(ends.astype(np.int32), entries), " ")
        lists: list[str] = joined.to_pylist()
        return lists

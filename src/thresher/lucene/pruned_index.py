"""Pruned indexes: Lucene indexes of some of the postings of a collection.

Documents come as lists of the terms that are kept, so no text is analysed. What is written is a Lucene index like any other.
To rank with the statistics of the unpruned collection, a pruned index has two things more:

- In each document that lost tokens, a filler term occurs as often as tokens were removed. So the document's length, the tokens
  of the collection and the number of documents with a token stay what they were, to the last bit, and a document that lost
  all its terms still has its length. No query has the filler, and statistics do not count it.
- A file beside the index has the df and cf that terms lost (`original_statistics`), and a query takes them with it
  (`corrected_queries`).
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from thresher.errors import ConfigError
from thresher.lucene.analysis import FILLER, term_list, term_list_analyzer
from thresher.lucene.index_writer import IndexWriter
from thresher.lucene.indexing import (
    LENGTHS,
    IndexOptions,
    IndexReport,
    IndexSettings,
    Origin,
    open_index,
    replace_index,
    write_documents,
)
from thresher.lucene.original_statistics import ORIGINAL_STATISTICS, write_original_statistics


@dataclass(frozen=True)
class PrunedDocument:
    """A document without some of its terms.

    Attributes:
        id: its id.
        terms: what is kept, as `term_lists` describes it; empty if nothing is.
        removed: the tokens that were removed; 0 if the index is ranked with its own statistics.
        length: its exact length in tokens, for `qld(exact)`: before pruning, or of what is kept if the index is ranked with
            its own statistics.
    """

    id: str
    terms: str
    removed: int
    length: int


Changed = Callable[[], pa.Table]


def cannot_hold(options: object) -> Iterator[tuple[str, str]]:
    """Give the options, of an index or of [index], that ask for what a pruned index cannot hold, each with what is wrong."""
    for option in ("positions", "stored", "vectors"):
        if getattr(options, option):
            yield option, f"a pruned index cannot hold what {option} = true asks for"


def build_pruned_index(
    documents: Iterable[PrunedDocument],
    folder: Path,
    options: IndexOptions,
    changed: pa.Table | Changed | None,
    origin: Origin | None = None,
) -> IndexReport:
    """Index documents, in their order, into `folder`, which is replaced on success.

    If nothing was removed the index has the same bytes as that of `build_index`.

    Args:
        documents: all documents that are not blank; one of stop words only has no terms and lost nothing.
        folder: the index.
        options: how the terms were analysed, and whether exact lengths are kept. A list of terms has no positions and no text.
        changed: for ranking with the statistics of the unpruned collection, what was removed, or what to call for it after
            the last document: a row for each `term` that lost postings, even if it has none left, with the documents `df` and
            occurrences `cf` that it lost, in any order. None for ranking with the statistics of the pruned index.
        origin: kept with the index.
    """
    for option, what in cannot_hold(options):
        raise ConfigError(what, f"leave out {option}, or index pruning")
    return replace_index(folder, lambda temporary: _write(documents, temporary, options, changed), origin)


def _write(
    documents: Iterable[PrunedDocument], folder: Path, options: IndexOptions, changed: pa.Table | Changed | None
) -> IndexSettings:
    lengths, removed = array("i"), 0

    def contents() -> Iterator[tuple[str, str]]:
        nonlocal removed
        for document in documents:
            lengths.append(document.length)
            removed += document.removed
            filler = term_list([(FILLER, document.removed)]) if document.removed else ""
            yield document.id, f"{document.terms} {filler}"

    indexed, _, _ = write_documents(IndexWriter(folder, term_list_analyzer()), contents())
    if options.lengths:
        np.save(folder / LENGTHS, np.array(lengths, dtype=np.int32))
    table = changed() if callable(changed) else changed
    lost = int(table["cf"].to_numpy().sum()) if table is not None else 0
    if lost != removed:
        raise ValueError(f"documents lost {removed} tokens, but their terms {lost}")
    if table is None:
        return IndexSettings(options, indexed, 0)
    with open_index(folder) as reader:
        written = write_original_statistics(folder / ORIGINAL_STATISTICS, table, reader)
    return IndexSettings(options, indexed, 0, original_statistics=written)

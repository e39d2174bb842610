"""Original statistics: the document frequencies (df) and collection frequencies (cf) that the terms of an index lost by
pruning, and queries that carry them.

A Parquet file beside the index has these losses. The terms would take more bytes than the numbers, so the file follows the
index's dictionary. A row has the losses of a block of terms, in the dictionary's order, and the first term of the block:

    term           the first term of a block of 128
    df_removed     for each term of the block the documents that it lost
    cf_df_removed  for each term of the block the occurrences that it lost, less df_removed

A term that lost all postings is not in the index, and no query asks for its statistics.

Lucene takes df and cf of a query's terms from the index, unless the query brings them as `TermQuery(term, states)`.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import thresher.base.arrow as pa
from thresher.base.errors import StateError
from thresher.base.numbers import Ints
from thresher.indexes.analysis import FILLER, valid_unicode
from thresher.indexes.jvm import java_cast, java_class
from thresher.indexes.work import CONTENTS

ORIGINAL_STATISTICS = "statistics.parquet"
_TERM = "term"
_DF = "df_removed"
_CF_LESS_DF = "cf_df_removed"
_BLOCK = 128
BUILD_AGAIN = "build the index again with `thresher run FILE` or `thresher index PAGES`"
"""The fix for an index whose files cannot be read."""
_SEARCH = "org.apache.lucene.search."


@dataclass(frozen=True)
class TermLosses:
    """The losses of all terms of a collection, in any order.

    Args:
        terms: the terms (Arrow strings).
        df: documents that each term lost; shape (terms,).
        cf: occurrences that each term lost; shape (terms,).
        remaining_df: documents that each term is still in; shape (terms,).
    """

    terms: pa.Array
    df: Ints
    cf: Ints
    remaining_df: Ints

    @property
    def tokens(self) -> int:
        """Tokens that all terms lost together."""
        return int(self.cf.sum())


class TermLoss(NamedTuple):
    """The documents and occurrences that a term lost."""

    df: int
    cf: int


def write_original_statistics(path: Path, losses: TermLosses, reader: Any) -> bool:
    """Write the losses of the terms of an open index; return whether any has some. If none has, write no file."""
    indexed_terms = np.flatnonzero(losses.remaining_df)
    if not losses.df[indexed_terms].any():
        return False
    sorted_losses = _sorted_losses(losses, indexed_terms)
    size = _number_of_terms(reader)
    if size != len(sorted_losses.terms):
        raise ValueError(f"the index has {size} terms, but {len(sorted_losses.terms)} are left")
    numbers = [f"{name}.list.element" for name in (_DF, _CF_LESS_DF)]
    pa.parquet.write_table(
        _blocks_of_losses(sorted_losses),
        path,
        compression="zstd",
        use_dictionary=False,
        write_statistics=False,
        store_schema=False,
        column_encoding={_TERM: "DELTA_BYTE_ARRAY", **dict.fromkeys(numbers, "BYTE_STREAM_SPLIT")},
    )
    return True


class _SortedLosses(NamedTuple):
    """Terms in the order of the index's dictionary, the documents and the occurrences that each lost."""

    terms: pa.Array
    df: Ints
    cf: Ints


def _sorted_losses(losses: TermLosses, indexed_terms: Ints) -> _SortedLosses:
    """Return the losses of the terms of the index; `indexed_terms` has their positions in `losses`."""
    terms = losses.terms.take(pa.number_array(indexed_terms)).cast(pa.large_binary())
    # The filler term stands for removed tokens, and has no losses itself.
    terms = pa.concat_arrays([terms, pa.text_array([FILLER], large=True).cast(pa.large_binary())])
    df = np.append(losses.df[indexed_terms], 0)
    cf = np.append(losses.cf[indexed_terms], 0)
    order = pa.compute.sort_indices(terms)
    positions = pa.numpy_array(order)
    return _SortedLosses(terms.take(order), df[positions], cf[positions])


def _blocks_of_losses(losses: _SortedLosses) -> pa.Table:
    """Return a table with a row for each block of terms."""
    begins = np.arange(0, len(losses.terms), _BLOCK)
    bounds = pa.number_array(np.append(begins, len(losses.terms)).astype(np.int32))
    return pa.table(
        {
            _TERM: losses.terms.take(pa.number_array(begins)),
            _DF: pa.ListArray.from_arrays(bounds, pa.number_array(losses.df)),
            _CF_LESS_DF: pa.ListArray.from_arrays(bounds, pa.number_array(losses.cf - losses.df)),
        }
    )


def _number_of_terms(reader: Any) -> int:
    terms = java_class("org.apache.lucene.index.MultiTerms").getTerms(reader, CONTENTS)
    return 0 if terms is None else int(terms.size())


class OriginalStatistics:
    """Losses of the terms of a pruned index, from the file beside the open index."""

    def __init__(self, path: Path, reader: Any) -> None:
        try:
            table = pa.read_parquet(path, columns=[_TERM, _DF, _CF_LESS_DF]).combine_chunks()
        except (OSError, KeyError, pa.ArrowException) as error:
            raise StateError("the index's original statistics cannot be read", BUILD_AGAIN, str(path)) from error
        self._first_terms = table[_TERM]
        self._df = np.asarray(pa.compute.list_flatten(table[_DF]))
        self._cf_less_df = np.asarray(pa.compute.list_flatten(table[_CF_LESS_DF]))
        self._terms = java_class("org.apache.lucene.index.MultiTerms").getTerms(reader, CONTENTS)
        if self._terms is None or self._terms.size() != len(self._df):
            raise StateError("the original statistics belong to another index", BUILD_AGAIN, str(path))
        self._losses: dict[str, TermLoss] = {}

    def removed(self, term: str) -> TermLoss:
        """Return the loss of a term; zeros for a term that lost nothing or is not in the index."""
        loss = self._losses.get(term)
        if loss is None:
            loss = TermLoss(0, 0)
            ordinal = self._ordinal(term)
            if ordinal is not None:
                df = int(self._df[ordinal])
                loss = TermLoss(df, df + int(self._cf_less_df[ordinal]))
            self._losses[term] = loss
        return loss

    def _ordinal(self, term: str) -> int | None:
        """Return the number of a term in the dictionary, counted from the first term of its block."""
        new_term = java_class("org.apache.lucene.index.Term")
        term_bytes = new_term(CONTENTS, term).bytes()
        dictionary = self._terms.iterator()
        if not dictionary.seekExact(term_bytes):
            return None
        rows = range(len(self._first_terms))
        block = bisect_right(rows, term.encode(), key=lambda row: self._first_terms[row].as_py()) - 1
        dictionary.seekExact(new_term(CONTENTS, self._first_terms[block].as_py().decode()).bytes())
        ordinal = block * _BLOCK
        while not term_bytes.bytesEquals(dictionary.term()):
            dictionary.next()
            ordinal += 1
        return ordinal


class QueryBuilder:
    """Builds the queries of Anserini's `BagOfWordsQueryGenerator`, with original statistics if there are some.

    Args:
        searcher: the searcher of the queries (a Java object).
        analyzer: of queries and documents (a Java object).
        original: the losses of the index's terms; None for queries with the index's own statistics.
    """

    def __init__(self, searcher: Any, analyzer: Any, original: OriginalStatistics | None) -> None:
        self._searcher = searcher
        self._analyzer = analyzer
        self._original = original
        self._generator = java_class("io.anserini.search.query.BagOfWordsQueryGenerator")()
        self._corrected: dict[str, Any] = {}

    def build(self, text: str) -> Any:
        """Return the query (a Java object) for a text.

        The text is analysed at each call, as a search does. Its corrected query is built once, so that timed searches of an
        index with original statistics do not pay for calls from Python.
        """
        query = self._generator.buildQuery(CONTENTS, self._analyzer, valid_unicode(text))
        if self._original is None:
            return query
        if text not in self._corrected:
            self._corrected[text] = self._correct(query, self._original)
        return self._corrected[text]

    def _correct(self, query: Any, original: OriginalStatistics) -> Any:
        """Return a query whose terms carry original statistics; its clauses keep order and weights."""
        builder = java_class(_SEARCH + "BooleanQuery$Builder")()
        clauses = java_cast(_SEARCH + "BooleanQuery", query).clauses()
        for number in range(clauses.size()):
            weighted = java_cast(_SEARCH + "BoostQuery", clauses.get(number).getQuery())
            term = java_cast(_SEARCH + "TermQuery", weighted.getQuery()).getTerm()
            corrected = java_class(_SEARCH + "BoostQuery")(self._term_query(term, original), weighted.getBoost())
            builder.add(corrected, java_class(_SEARCH + "BooleanClause$Occur").SHOULD)
        return builder.build()

    def _term_query(self, term: Any, original: OriginalStatistics) -> Any:
        loss = original.removed(term.text())
        states = java_class("org.apache.lucene.index.TermStates").build(self._searcher, term, True)
        states.accumulateStatistics(loss.df, loss.cf)
        return java_class(_SEARCH + "TermQuery")(term, states)

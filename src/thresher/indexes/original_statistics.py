"""The statistics of the unpruned collection that a pruned index has lost, and queries that carry them.

They are beside the index in a Parquet file. To repeat the terms there would take more bytes than the numbers do, so the file
follows the index's dictionary: a row has what a block of terms lost, in the dictionary's order, and the block's first term.

    term           the first term of a block of 128
    df_removed     for each term of the block the documents that it lost
    cf_df_removed  for each of them the occurrences that it lost, less df_removed

Terms that lost all postings are not in the index, and no query asks for their statistics.

Lucene takes df and cf of a query's terms from the index, unless the query brings them with it: `TermQuery(term, states)`. Here
they are those of the index plus what `OriginalStatistics` says that a term lost. All of it happens in Java, in each search.
A term is looked up in the index once, as without; two look-ups in hash maps are added.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

import thresher.base.arrow as pa
from thresher.base.errors import StateError
from thresher.indexes import handles
from thresher.indexes.handles import Strings, descriptor
from thresher.indexes.jvm import java_class
from thresher.indexes.work import CONTENTS

ORIGINAL_STATISTICS = "statistics.parquet"
_TERM, _DF, _MORE = "term", "df_removed", "cf_df_removed"
_BLOCK = 128
_TERMS = "org.apache.lucene.index.TermsEnum"
_CHUNK = 1 << 16
_SEARCH = "org.apache.lucene.search."
_QUERY = descriptor(_SEARCH + "Query")
_TERM_TYPE = descriptor("org.apache.lucene.index.Term")
_STATES_CLASS = "org.apache.lucene.index.TermStates"
_STATES = descriptor(_STATES_CLASS)
_CLAUSE_CLASS, _CLAUSE = _SEARCH + "BooleanClause", descriptor(_SEARCH + "BooleanClause")
_BUILDER_CLASS, _BUILDER = _SEARCH + "BooleanQuery$Builder", descriptor(_SEARCH + "BooleanQuery$Builder")
_BOOSTED = _SEARCH + "BoostQuery"


def write_original_statistics(path: Path, changed: pa.Table, reader: Any) -> bool:
    """Write what the terms of an index lost; return whether any did; if not, there is no file.

    `changed` has the columns `term`, `df` and `cf`: what each term lost, in any order.
    """
    terms = _index_terms(reader)
    indices = pa.compute.index_in(terms, value_set=changed["term"].cast(pa.large_binary()))
    if indices.null_count == len(indices):
        return False
    df, cf = (pa.compute.fill_null(changed[name].cast(pa.int64()).take(indices), 0) for name in ("df", "cf"))
    begins = np.arange(0, len(terms), _BLOCK)
    ends = pa.number_array(np.array([*begins, len(terms)], np.int32))
    table = pa.table(
        {
            _TERM: terms.take(pa.number_array(begins)),
            _DF: pa.ListArray.from_arrays(ends, df.combine_chunks()),
            _MORE: pa.ListArray.from_arrays(ends, pa.compute.subtract(cf, df).combine_chunks()),
        }
    )
    numbers = [f"{name}.list.element" for name in (_DF, _MORE)]
    pa.parquet.write_table(
        table,
        path,
        compression="zstd",
        use_dictionary=False,
        write_statistics=False,
        store_schema=False,
        column_encoding={_TERM: "DELTA_BYTE_ARRAY", **dict.fromkeys(numbers, "BYTE_STREAM_SPLIT")},
    )
    return True


class OriginalStatistics:
    """Losses of the terms of a pruned index, from the file beside the open index."""

    def __init__(self, path: Path, reader: Any) -> None:
        fix = "build the index again"
        try:
            table = pa.read_parquet(path, columns=[_TERM, _DF, _MORE]).combine_chunks()
        except (OSError, KeyError, pa.ArrowException) as error:
            raise StateError("the index's original statistics cannot be read", fix, str(path)) from error
        self._begins, df, more = (table[name] for name in (_TERM, _DF, _MORE))
        self._df, self._more = (np.asarray(pa.compute.list_flatten(column)) for column in (df, more))
        self._terms = java_class("org.apache.lucene.index.MultiTerms").getTerms(reader, CONTENTS)
        if self._terms is None or self._terms.size() != len(self._df):
            raise StateError("the original statistics are those of another index", fix, str(path))
        self._known: dict[str, tuple[int, int]] = {}

    def removed(self, word: str) -> tuple[int, int]:
        """Return the df and cf that a word lost; zeros for one that lost nothing or is not in the index."""
        if word not in self._known:
            index = self._index(word)
            df = int(self._df[index]) if index is not None else 0
            self._known[word] = df, df + (int(self._more[index]) if index is not None else 0)
        return self._known[word]

    def _index(self, word: str) -> int | None:
        """Return the number of a word in the dictionary, counted from the first term of its block."""
        term = java_class("org.apache.lucene.index.Term")
        wanted, every = term(CONTENTS, word).bytes(), self._terms.iterator()
        if not every.seekExact(wanted):
            return None
        block = bisect_right(range(len(self._begins)), word.encode(), key=lambda row: self._begins[row].as_py()) - 1
        every.seekExact(term(CONTENTS, self._begins[block].as_py().decode()).bytes())
        index = block * _BLOCK
        while not wanted.bytesEquals(every.term()):
            every.next()
            index += 1
        return index


def _index_terms(reader: Any) -> pa.Array:
    """Return the terms of an open index in its order, copied from Java some thousand at a time."""
    terms = java_class("org.apache.lucene.index.MultiTerms").getTerms(reader, CONTENTS)
    if terms is None:
        return pa.array([], pa.large_binary())
    texts = Strings()
    following = handles.method(_TERMS, "next", f"(){handles.descriptor(handles.BYTES)}")
    text = handles.method(handles.BYTES, "utf8ToString", f"(){handles.STRING}")
    copy = handles.consumer_of_two(handles.repeat(handles.pipe(following, text, texts.note), _TERMS))
    every, left = terms.iterator(), terms.size()
    chunks = []
    while left:
        copy.accept(min(left, _CHUNK), every)
        chunks.append(pa.text_array(texts.take(), large=True).cast(pa.large_binary()))
        left -= len(chunks[-1])
    return pa.concat_arrays(chunks)


class QueryCorrection:
    """Gives the queries of `BagOfWordsQueryGenerator` original statistics; their clauses keep order and weights.

    Attributes:
        correct: the handle that takes a query and returns the corrected one. The words of a query must be known by then.
    """

    def __init__(self, searcher: Any, statistics: OriginalStatistics) -> None:
        self._statistics = statistics
        self._known: set[str] = set()
        self._df, self._cf = java_class("java.util.HashMap")(), java_class("java.util.HashMap")()
        self.correct: Any = self._loop(searcher)

    def know(self, words: Iterable[str]) -> None:
        """Copy what words lost to Java, at their first occurrence."""
        for word in set(words) - self._known:
            self._known.add(word)
            df, cf = self._statistics.removed(word)
            if df:
                term = java_class("org.apache.lucene.index.Term")(CONTENTS, word)
                self._df.put(term, java_class("java.lang.Integer")(df))
                self._cf.put(term, java_class("java.lang.Long")(cf))

    def _loop(self, searcher: Any) -> Any:
        boolean = _SEARCH + "BooleanQuery"
        clauses = handles.method(boolean, "iterator", f"(){handles.ITERATOR}")
        add = handles.method(_BUILDER_CLASS, "add", f"({_QUERY}{descriptor(_CLAUSE_CLASS + '$Occur')}){_BUILDER}")
        add = handles.bind(add, 2, java_class(_CLAUSE_CLASS + "$Occur").SHOULD)
        add = handles.before_arguments(add, 1, self._corrected_clause(searcher))
        loop = handles.collect(clauses, handles.constructor(_BUILDER_CLASS, "()V"), add)
        build = handles.method(_BUILDER_CLASS, "build", f"(){descriptor(boolean)}")
        return handles.cast(handles.pipe(loop, build), f"({_QUERY}){_QUERY}")

    def _corrected_clause(self, searcher: Any) -> Any:
        """Return the handle that takes a clause and returns its query, corrected."""
        query = handles.method(_CLAUSE_CLASS, "getQuery", f"(){_QUERY}")
        boosted = handles.cast(query, f"({_CLAUSE}){descriptor(_BOOSTED)}")
        inner = handles.method(_BOOSTED, "getQuery", f"(){_QUERY}")
        inner = handles.cast(inner, f"({descriptor(_BOOSTED)}){descriptor(_SEARCH + 'TermQuery')}")
        term = handles.pipe(boosted, inner, handles.method(_SEARCH + "TermQuery", "getTerm", f"(){_TERM_TYPE}"))
        corrected = handles.cast(self._corrected_term(searcher), f"({_TERM_TYPE}){_QUERY}")
        boost = handles.pipe(boosted, handles.method(_BOOSTED, "getBoost", "()F"))
        made = handles.cast(handles.constructor(_BOOSTED, f"({_QUERY}F)V"), f"({_QUERY}F){_QUERY}")
        made = handles.before_arguments(made, 0, handles.pipe(term, corrected), boost)
        return handles.reorder(made, f"({_CLAUSE}){_QUERY}", 0, 0)

    def _corrected_term(self, searcher: Any) -> Any:
        """Return the handle that takes a term and returns the query for it."""
        build = handles.static(
            _STATES_CLASS, "build", f"({descriptor(_SEARCH + 'IndexSearcher')}{_TERM_TYPE}Z){_STATES}"
        )
        build = handles.bind(handles.bind(build, 0, searcher), 1, True)
        correct = handles.method(_STATES_CLASS, "accumulateStatistics", "(IJ)V")
        correct = handles.before_arguments(correct, 1, _lost(self._df, "Integer", "I"), _lost(self._cf, "Long", "J"))
        correct = handles.reorder(correct, f"({_STATES}{_TERM_TYPE})V", 0, 1, 1)
        query = handles.constructor(_SEARCH + "TermQuery", f"({_TERM_TYPE}{_STATES})V")
        query = handles.reorder(query, f"({_STATES}{_TERM_TYPE}){descriptor(_SEARCH + 'TermQuery')}", 1, 0)
        return handles.with_result(build, handles.together(correct, query))


def _lost(numbers: Any, box: str, primitive: str) -> Any:
    """Return the handle that takes a term and returns its number in a Java map, or 0."""
    known = handles.method("java.util.HashMap", "getOrDefault", f"({handles.OBJECT}{handles.OBJECT}){handles.OBJECT}")
    known = handles.bind(handles.bind(known, 0, numbers), 1, java_class(f"java.lang.{box}")(0))
    return handles.cast(known, f"({_TERM_TYPE}){primitive}")

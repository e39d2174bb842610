"""Queries that carry the statistics of the unpruned collection.

Lucene takes df and cf of a query's terms from the index, unless the query brings them with it: `TermQuery(term, states)`. Here
they are those of the index plus what `OriginalStatistics` says that a term lost. All of it happens in Java, in each search.
A term is sought in the index once, as without; what is added is two look-ups in hash maps.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from thresher.lucene import handles
from thresher.lucene.handles import descriptor
from thresher.lucene.jvm import java_class
from thresher.lucene.original_statistics import OriginalStatistics
from thresher.lucene.work import CONTENTS

_SEARCH = "org.apache.lucene.search."
_QUERY = descriptor(_SEARCH + "Query")
_TERM = descriptor("org.apache.lucene.index.Term")
_STATES_CLASS = "org.apache.lucene.index.TermStates"
_STATES = descriptor(_STATES_CLASS)
_CLAUSE_CLASS, _CLAUSE = _SEARCH + "BooleanClause", descriptor(_SEARCH + "BooleanClause")
_BUILDER_CLASS, _BUILDER = _SEARCH + "BooleanQuery$Builder", descriptor(_SEARCH + "BooleanQuery$Builder")
_BOOSTED = _SEARCH + "BoostQuery"


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
        term = handles.pipe(boosted, inner, handles.method(_SEARCH + "TermQuery", "getTerm", f"(){_TERM}"))
        corrected = handles.cast(self._corrected_term(searcher), f"({_TERM}){_QUERY}")
        boost = handles.pipe(boosted, handles.method(_BOOSTED, "getBoost", "()F"))
        made = handles.cast(handles.constructor(_BOOSTED, f"({_QUERY}F)V"), f"({_QUERY}F){_QUERY}")
        made = handles.before_arguments(made, 0, handles.pipe(term, corrected), boost)
        return handles.reorder(made, f"({_CLAUSE}){_QUERY}", 0, 0)

    def _corrected_term(self, searcher: Any) -> Any:
        """Return the handle that takes a term and returns the query for it."""
        build = handles.static(_STATES_CLASS, "build", f"({descriptor(_SEARCH + 'IndexSearcher')}{_TERM}Z){_STATES}")
        build = handles.bind(handles.bind(build, 0, searcher), 1, True)
        correct = handles.method(_STATES_CLASS, "accumulateStatistics", "(IJ)V")
        correct = handles.before_arguments(correct, 1, _lost(self._df, "Integer", "I"), _lost(self._cf, "Long", "J"))
        correct = handles.reorder(correct, f"({_STATES}{_TERM})V", 0, 1, 1)
        query = handles.constructor(_SEARCH + "TermQuery", f"({_TERM}{_STATES})V")
        query = handles.reorder(query, f"({_STATES}{_TERM}){descriptor(_SEARCH + 'TermQuery')}", 1, 0)
        return handles.with_result(build, handles.together(correct, query))


def _lost(numbers: Any, box: str, primitive: str) -> Any:
    """Return the handle that takes a term and returns its number in a Java map, or 0."""
    known = handles.method("java.util.HashMap", "getOrDefault", f"({handles.OBJECT}{handles.OBJECT}){handles.OBJECT}")
    known = handles.bind(handles.bind(known, 0, numbers), 1, java_class(f"java.lang.{box}")(0))
    return handles.cast(known, f"({_TERM}){primitive}")

"""Lucene's own ranking, as Anserini sets it up: bag of words, ties by document id."""

from __future__ import annotations

from typing import Any

import numpy as np

from thresher.lucene import handles
from thresher.lucene.analysis import valid_unicode
from thresher.lucene.jvm import java_cast, java_class
from thresher.lucene.retrieval import RetrievalModel
from thresher.lucene.sinks import Integers, Strings

_SEARCHER = "org.apache.lucene.search.IndexSearcher"
_QUERY = "Lorg/apache/lucene/search/Query;"
_SORT = "Lorg/apache/lucene/search/Sort;"
_TOP = "Lorg/apache/lucene/search/TopFieldDocs;"
_HIT = "org.apache.lucene.search.ScoreDoc"


class LuceneRanking:
    """Ranks by Lucene's similarity for `qld` or `bm25`: the same hits as Anserini's `SimpleSearcher`.

    A whole query (analysis, search, collecting ids and scores) is one call into Java. The ids are those that
    Lucene compared to break ties, so no stored document is fetched.
    """

    def __init__(self, reader: Any, analyzer: Any, model: RetrievalModel, depth: int) -> None:
        similarities = "org.apache.lucene.search.similarities."
        if model.family == "qld":
            similarity = java_class(similarities + "LMDirichletSimilarity")(model.mu)
        else:
            similarity = java_class(similarities + "BM25Similarity")(model.k1, model.b)
        searcher = java_class(_SEARCHER)(reader)
        searcher.setSimilarity(similarity)
        self._ids = Strings()
        self._scores = Integers()
        self._run = handles.as_interface(self._loop(searcher, analyzer, depth), "java.util.function.Consumer")

    def rank(self, query: str) -> tuple[list[str], list[float]]:
        """Return the ids found, best first, and their scores rounded to four places as Anserini does."""
        self._run.accept(valid_unicode(query))
        scores = self._scores.take().view(np.float32).astype(np.float64)
        return self._ids.take(), (np.floor(scores * 1e4 + 0.5) / 1e4).tolist()

    def _loop(self, searcher: Any, analyzer: Any, depth: int) -> Any:
        generator = "io.anserini.search.query.BagOfWordsQueryGenerator"
        build = handles.method(
            generator,
            "buildQuery",
            f"({handles.STRING}Lorg/apache/lucene/analysis/Analyzer;{handles.STRING}){_QUERY}",
        )
        build = handles.bind(build, 0, java_class(generator)(), "contents", analyzer)
        build = handles.cast(build, f"({handles.OBJECT}){_QUERY}")
        search = handles.method(_SEARCHER, "search", f"({_QUERY}I{_SORT}){_TOP}")
        search = handles.bind(handles.bind(search, 0, searcher), 1, depth, _score_then_id())
        hits = handles.getter("org.apache.lucene.search.TopDocs", "scoreDocs", f"[L{_HIT};")
        hits = handles.cast(hits, f"({_TOP})[L{handles.slashes(_HIT)};")

        values = handles.getter("org.apache.lucene.search.FieldDoc", "fields", "[Ljava.lang.Object;")
        values = handles.cast(values, f"({handles.OBJECT})[{handles.OBJECT}")
        bits = handles.static("java.lang.Float", "floatToRawIntBits", "(F)I")
        bits = handles.cast(bits, f"({handles.OBJECT})I")
        note_score = handles.pipe(values, handles.element_at(0), bits, self._scores.note)
        text = handles.method("org.apache.lucene.util.BytesRef", "utf8ToString", f"(){handles.STRING}")
        text = handles.cast(text, f"({handles.OBJECT}){handles.STRING}")
        note_id = handles.pipe(values, handles.element_at(1), text, self._ids.note)

        following = handles.next_of(handles.OBJECT)
        one = handles.pipe(following, handles.together(note_score, note_id))
        return handles.pipe(
            build, search, hits, handles.iterate_array(f"L{handles.slashes(_HIT)};"), handles.for_all(one)
        )


def _score_then_id() -> Any:
    field = java_class("org.apache.lucene.search.SortField")
    kind = java_class("org.apache.lucene.search.SortField$Type")
    return java_class("org.apache.lucene.search.Sort")(
        java_cast("org.apache.lucene.search.SortField", field.FIELD_SCORE), field("id", kind.STRING_VAL)
    )

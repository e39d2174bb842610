"""Exact work: the counts of an index, and the work of a search engine for a query. They are equal on all machines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from thresher.indexes.analysis import FILLER
from thresher.indexes.jvm import java_class

CONTENTS = "contents"
"""The field that is indexed and searched."""
POSTINGS = "postings"
"""A value of `IndexPart.grows_with`."""


@dataclass(frozen=True)
class IndexStatistics:
    """The counts of an index.

    Args:
        documents: documents with text left and, if it is pruned, a posting.
        tokens: tokens in the index.
        postings: postings in the index: pairs of a document and a term.
        vocabulary: different terms in the index.
    """

    documents: int
    tokens: int
    postings: int
    vocabulary: int


@dataclass(frozen=True)
class QueryWork:
    """The work of searching, mean over queries.

    `postings` are the postings of a query's terms, Σ df: an evaluation that skips nothing traverses them. Once Lucene has
    enough hits, it does not score documents that cannot be among the best; `qld(exact)` scores every document with a query
    term. `by_query` and `documents_by_query` have the work of each query, in order; they are empty for a single query.

    Args:
        documents: documents scored for a query, mean over topics.
    """

    postings: float
    documents: float
    by_query: tuple[float, ...] = ()
    documents_by_query: tuple[float, ...] = ()

    def of(self, places: Sequence[int]) -> QueryWork:
        """Return the work of some of the queries, by their places."""
        return mean_work([QueryWork(self.by_query[place], self.documents_by_query[place]) for place in places])


def index_statistics(reader: Any) -> IndexStatistics:
    """Return the counts of an open index. They leave out the filler of a pruned index."""
    terms = java_class("org.apache.lucene.index.MultiTerms").getTerms(reader, CONTENTS)
    if terms is None:
        return IndexStatistics(documents=reader.numDocs(), tokens=0, postings=0, vocabulary=0)
    filler = java_class("org.apache.lucene.index.Term")(CONTENTS, FILLER)
    filler_postings = reader.docFreq(filler)
    vocabulary = terms.size()
    if filler_postings:
        vocabulary -= 1
    return IndexStatistics(
        documents=reader.numDocs(),
        tokens=terms.getSumTotalTermFreq() - reader.totalTermFreq(filler),
        postings=terms.getSumDocFreq() - filler_postings,
        vocabulary=vocabulary,
    )


def mean_work(work: Sequence[QueryWork]) -> QueryWork:
    """Return the mean over queries; zeros if there are none."""
    postings = tuple(float(query.postings) for query in work)
    documents = tuple(float(query.documents) for query in work)
    count = max(len(work), 1)
    return QueryWork(sum(postings) / count, sum(documents) / count, postings, documents)


def postings_of(reader: Any, words: Mapping[str, int]) -> int:
    """Return Σ df over different words."""
    term = java_class("org.apache.lucene.index.Term")
    return sum(reader.docFreq(term(CONTENTS, word)) for word in words)


@dataclass(frozen=True)
class IndexPart:
    """A part of an index.

    Attributes:
        types: the types of its files, as in `IndexReport.bytes_by_type`.
        purpose: its content and its readers: a phrase that stands alone.
        grows_with: `postings`, `terms` (which vanish only with their last posting), `documents` or `nothing`.
    """

    name: str
    types: tuple[str, ...]
    purpose: str
    grows_with: str


def _index_parts() -> tuple[IndexPart, ...]:
    text = files("thresher.indexes").joinpath("index_parts.tsv").read_text(encoding="utf-8")
    parts: list[IndexPart] = []
    for line in text.splitlines():
        name, types, grows_with, purpose = line.split("\t")
        parts.append(IndexPart(name, tuple(types.split()), purpose, grows_with))
    return tuple(parts)


INDEX_PARTS = _index_parts()

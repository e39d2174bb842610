"""Exact work: what is in an index, and what a query makes a search engine do. The same on every machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from thresher.indexes.analysis import FILLER
from thresher.indexes.jvm import java_class

CONTENTS = "contents"
"""The field that is indexed and searched."""


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

    `postings` are those of a query's terms, Σ df: what an evaluation traverses that skips nothing. Lucene does not score
    documents that cannot be among the best once it has enough hits; `qld(exact)` scores every document with a query term.
    `by_query` and `documents_by_query` are those of each query, in the order they came; empty for a single query.

    Args:
        documents: documents scored for a query, mean over topics.
    """

    postings: float
    documents: float
    by_query: tuple[float, ...] = ()
    documents_by_query: tuple[float, ...] = ()

    def of(self, places: Sequence[int]) -> QueryWork:
        """Return the work of some of the queries, by their places."""
        return mean_work([QueryWork(self.by_query[at], self.documents_by_query[at]) for at in places])


def index_statistics(reader: Any) -> IndexStatistics:
    """Return the counts of an open index; an index without a term has none of it.

    The filler of a pruned index is not counted.
    """
    terms = java_class("org.apache.lucene.index.MultiTerms").getTerms(reader, CONTENTS)
    if terms is None:
        return IndexStatistics(reader.numDocs(), 0, 0, 0)
    filler = java_class("org.apache.lucene.index.Term")(CONTENTS, FILLER)
    filled = reader.docFreq(filler)
    return IndexStatistics(
        reader.numDocs(),
        terms.getSumTotalTermFreq() - reader.totalTermFreq(filler),
        terms.getSumDocFreq() - filled,
        terms.size() - (filled > 0),
    )


def mean_work(work: Sequence[QueryWork]) -> QueryWork:
    """Return the mean over queries; zeros if there are none."""
    count = max(len(work), 1)
    return QueryWork(
        sum(one.postings for one in work) / count,
        sum(one.documents for one in work) / count,
        tuple(float(one.postings) for one in work),
        tuple(float(one.documents) for one in work),
    )


def postings_of(reader: Any, words: Mapping[str, int]) -> int:
    """Return Σ df over different words."""
    term = java_class("org.apache.lucene.index.Term")
    return sum(reader.docFreq(term(CONTENTS, word)) for word in words)


POSTINGS = "postings"
"""One of the values of `IndexPart.grows_with`."""


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
    rows = (line.split("\t") for line in text.splitlines())
    return tuple(IndexPart(name, tuple(types.split()), purpose, grows) for name, types, grows, purpose in rows)


INDEX_PARTS = _index_parts()


def bytes_by_part(bytes_by_type: Mapping[str, int]) -> dict[str, int]:
    """Return the bytes of each part by its name; files of other types by their type."""
    names = {kind: part.name for part in INDEX_PARTS for kind in part.types}
    found: dict[str, int] = {}
    for kind, size in bytes_by_type.items():
        name = names.get(kind, kind)
        found[name] = found.get(name, 0) + size
    return found

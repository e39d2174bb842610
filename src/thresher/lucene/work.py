"""Exact work: what is in an index, and what a query makes a search engine do. The same on every machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from thresher.columns import Declared, Show
from thresher.lucene.analysis import FILLER
from thresher.lucene.jvm import java_class

CONTENTS = "contents"
"""The field that is indexed and searched."""


@dataclass(frozen=True)
class IndexStatistics:
    """The counts of an index."""

    documents: Annotated[int, Declared("Documents with text left.", Show.COUNT)]
    tokens: Annotated[int, Declared("Tokens in the index.", Show.COUNT, "index")]
    postings: Annotated[int, Declared("Postings in the index: pairs of a document and a term.", Show.COUNT, "index")]
    vocabulary: Annotated[int, Declared("Different terms in the index.", Show.COUNT, "index", "terms")]


@dataclass(frozen=True)
class QueryWork:
    """The work of searching, mean over queries.

    `postings` are those of a query's terms, Σ df: what an evaluation traverses that skips nothing. Lucene does not score
    documents that cannot be among the best once it has enough hits; `qld(exact)` scores every document with a query term.
    `by_query` are the postings of each query, in the order they came; empty for a single query.
    """

    postings: float
    documents: Annotated[
        float,
        Declared("Documents scored for a query, mean over topics.", Show.COUNT, "a query", "scored", "query_documents"),
    ]
    by_query: tuple[float, ...] = ()


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
    )


def postings_of(reader: Any, words: Mapping[str, int]) -> int:
    """Return Σ df over different words."""
    term = java_class("org.apache.lucene.index.Term")
    return sum(reader.docFreq(term(CONTENTS, word)) for word in words)


POSTINGS, TERMS, DOCUMENTS, NOTHING = "postings", "terms", "documents", "nothing"


@dataclass(frozen=True)
class IndexPart:
    """A part of an index.

    Attributes:
        name: what it is.
        types: the types of its files, as in `IndexReport.bytes_by_type`.
        purpose: what it holds, and who reads it: a phrase that stands alone.
        grows_with: `POSTINGS`, `TERMS` (which vanish only with their last posting), `DOCUMENTS` or `NOTHING`.
    """

    name: str
    types: tuple[str, ...]
    purpose: str
    grows_with: str


INDEX_PARTS = (
    IndexPart(
        "postings", (".doc",), "for each term its documents and its tf in each; every search reads them", POSTINGS
    ),
    IndexPart("positions", (".pos",), "where words stand, for phrase queries; only if asked for", POSTINGS),
    IndexPart(
        "dictionary",
        (".tim", ".tip", ".tmd"),
        "every term with df, cf and the place of its postings, read by every search; every id, to find a document by it",
        TERMS,
    ),
    IndexPart(
        "original statistics",
        (".parquet",),
        "what terms lost of df and cf by index pruning, read by every search; only with original statistics",
        TERMS,
    ),
    IndexPart("lengths", (".nvd", ".nvm"), "document lengths in a byte each (norms), for `qld` and `bm25`", DOCUMENTS),
    IndexPart("exact lengths", (".npy",), "document lengths in tokens, for `qld(exact)`", DOCUMENTS),
    IndexPart(
        "ids", (".dvd", ".dvm"), "ids as doc values, which name hits and order ties; every search reads them", DOCUMENTS
    ),
    IndexPart(
        "stored fields",
        (".fdt", ".fdx", ".fdm"),
        "ids once more, and texts if asked for; read by Anserini and Pyserini, not by Thresher",
        DOCUMENTS,
    ),
    IndexPart(
        "vectors", (".tvd", ".tvx", ".tvm"), "terms by document, for relevance feedback; only if asked for", POSTINGS
    ),
    IndexPart("description", (".fnm", ".si", "segments"), "fields, options and version of the index", NOTHING),
)


def bytes_by_part(bytes_by_type: Mapping[str, int]) -> dict[str, int]:
    """Return the bytes of each part by its name; files of other types by their type."""
    names = {kind: part.name for part in INDEX_PARTS for kind in part.types}
    found: dict[str, int] = {}
    for kind, size in bytes_by_type.items():
        name = names.get(kind, kind)
        found[name] = found.get(name, 0) + size
    return found

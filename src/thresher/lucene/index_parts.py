"""What the files of an index are for, and what their size grows with.

File types as in Lucene's own description of its format (package `org.apache.lucene.codecs.lucene99`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

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

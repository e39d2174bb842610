"""The statistics of the unpruned collection that a pruned index has lost: df and cf of terms that lost postings.

Beside the index stands one Parquet file with a row for each term that lost postings and is still in the index: the documents
(df) and occurrences (cf) that were removed, in the order of the terms' UTF-8 bytes.
"""

from __future__ import annotations

from bisect import bisect_left
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from thresher.errors import StateError
from thresher.lucene import handles
from thresher.lucene.handles import Strings
from thresher.lucene.jvm import java_class
from thresher.lucene.work import CONTENTS

ORIGINAL_STATISTICS = "statistics.parquet"

_ENCODINGS = {"term": "DELTA_BYTE_ARRAY", "df_removed": "DELTA_BINARY_PACKED", "cf_removed": "DELTA_BINARY_PACKED"}
_TERMS = "org.apache.lucene.index.TermsEnum"
_CHUNK = 1 << 16


def write_original_statistics(path: Path, changed: pa.Table, reader: Any) -> bool:
    """Write what terms lost that are still in the index; say whether there are any: else there is no file.

    Args:
        path: the file.
        changed: columns `term`, `df` and `cf`: what each term lost, in any order.
        reader: the open index.
    """
    terms = changed["term"].cast(pa.large_binary())
    table = pa.table({"term": terms, "df_removed": changed["df"], "cf_removed": changed["cf"]})
    table = table.filter(pc.is_in(terms, value_set=_index_terms(reader))).sort_by("term")
    if not len(table):
        return False
    pq.write_table(
        table,
        path,
        compression="zstd",
        use_dictionary=False,
        write_statistics=False,
        store_schema=False,
        column_encoding=_ENCODINGS,
    )
    return True


class OriginalStatistics:
    """What the terms of a pruned index lost.

    Raises:
        StateError: if the file is missing or damaged.
    """

    def __init__(self, path: Path) -> None:
        try:
            table = pq.read_table(path, columns=list(_ENCODINGS)).combine_chunks()
        except (OSError, pa.ArrowException) as error:
            fix = "build the index again"
            raise StateError("the index's original statistics cannot be read", fix, str(path)) from error
        self._terms, self._df, self._cf = (table[name] for name in _ENCODINGS)

    def removed(self, term: str) -> tuple[int, int]:
        """Return the df and cf that a term lost; zeros for one that lost nothing or is not in the index."""
        wanted = term.encode()
        place = bisect_left(range(len(self._terms)), wanted, key=lambda index: self._terms[index].as_py())
        if place == len(self._terms) or self._terms[place].as_py() != wanted:
            return 0, 0
        return self._df[place].as_py(), self._cf[place].as_py()


def _index_terms(reader: Any) -> pa.ChunkedArray:
    """Return the terms of an open index, copied from Java some thousand at a time."""
    terms = java_class("org.apache.lucene.index.MultiTerms").getTerms(reader, CONTENTS)
    if terms is None:
        return pa.chunked_array([], pa.large_binary())
    texts = Strings()
    following = handles.method(_TERMS, "next", f"(){handles.descriptor(handles.BYTES)}")
    text = handles.method(handles.BYTES, "utf8ToString", f"(){handles.STRING}")
    step = handles.pipe(following, text, texts.note)
    copy = handles.consumer_of_two(handles.repeat(step, _TERMS))
    every, left = terms.iterator(), terms.size()
    chunks = []
    while left:
        copy.accept(min(left, _CHUNK), every)
        chunks.append(pa.array(texts.take(), pa.large_string()).cast(pa.large_binary()))
        left -= len(chunks[-1])
    return pa.chunked_array(chunks, pa.large_binary())

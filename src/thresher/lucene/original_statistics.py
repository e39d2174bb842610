"""The statistics of the unpruned collection that a pruned index has lost: df and cf of terms that lost postings.

They stand beside the index in a Parquet file. To repeat the terms there would take more bytes than the numbers do, so the file
follows the index's dictionary: a row has what a block of terms lost, in the dictionary's order, and the block's first term.

    term           the first term of a block of 128
    df_removed     for each term of the block the documents that it lost
    cf_df_removed  for each of them the occurrences that it lost, less df_removed

Terms that lost all postings are not in the index, and no query asks for their statistics.
"""

from __future__ import annotations

from bisect import bisect_right
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from thresher.errors import StateError
from thresher.lucene import handles
from thresher.lucene.handles import Strings
from thresher.lucene.jvm import java_class
from thresher.lucene.work import CONTENTS
from thresher.parquet_files import read_parquet

ORIGINAL_STATISTICS = "statistics.parquet"

_TERM, _DF, _MORE = "term", "df_removed", "cf_df_removed"
_BLOCK = 128
_TERMS = "org.apache.lucene.index.TermsEnum"
_CHUNK = 1 << 16


def write_original_statistics(path: Path, changed: pa.Table, reader: Any) -> bool:
    """Write what the terms of an index lost; say whether any did: else there is no file.

    Args:
        path: the file.
        changed: columns `term`, `df` and `cf`: what each term lost, in any order.
        reader: the open index.
    """
    terms = _index_terms(reader)
    places = pc.index_in(terms, value_set=changed["term"].cast(pa.large_binary()))
    if places.null_count == len(places):
        return False
    df, cf = (pc.fill_null(changed[name].cast(pa.int64()).take(places), 0) for name in ("df", "cf"))
    begins = np.arange(0, len(terms), _BLOCK)
    ends = pa.array([*begins, len(terms)], pa.int32())
    table = pa.table(
        {
            _TERM: terms.take(pa.array(begins)),
            _DF: pa.ListArray.from_arrays(ends, df.combine_chunks()),
            _MORE: pa.ListArray.from_arrays(ends, pc.subtract(cf, df).combine_chunks()),
        }
    )
    numbers = [f"{name}.list.element" for name in (_DF, _MORE)]
    pq.write_table(
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
    """What the terms of a pruned index lost.

    Args:
        path: the file.
        reader: the open index.

    Raises:
        StateError: if the file is missing or damaged, or of another index.
    """

    def __init__(self, path: Path, reader: Any) -> None:
        fix = "build the index again"
        try:
            table = read_parquet(path, columns=[_TERM, _DF, _MORE]).combine_chunks()
        except (OSError, KeyError, pa.ArrowException) as error:
            raise StateError("the index's original statistics cannot be read", fix, str(path)) from error
        self._begins, df, more = (table[name] for name in (_TERM, _DF, _MORE))
        self._df, self._more = (np.asarray(pc.list_flatten(column)) for column in (df, more))
        self._terms = java_class("org.apache.lucene.index.MultiTerms").getTerms(reader, CONTENTS)
        if self._terms is None or self._terms.size() != len(self._df):
            raise StateError("the original statistics are those of another index", fix, str(path))
        self._known: dict[str, tuple[int, int]] = {}

    def removed(self, word: str) -> tuple[int, int]:
        """Return the df and cf that a word lost; zeros for one that lost nothing or is not in the index."""
        if word not in self._known:
            place = self._place(word)
            df = int(self._df[place]) if place is not None else 0
            self._known[word] = df, df + (int(self._more[place]) if place is not None else 0)
        return self._known[word]

    def _place(self, word: str) -> int | None:
        """Return the number of a word in the dictionary, counted from the first term of its block."""
        term = java_class("org.apache.lucene.index.Term")
        wanted, every = term(CONTENTS, word).bytes(), self._terms.iterator()
        if not every.seekExact(wanted):
            return None
        block = bisect_right(range(len(self._begins)), word.encode(), key=lambda row: self._begins[row].as_py()) - 1
        every.seekExact(term(CONTENTS, self._begins[block].as_py().decode()).bytes())
        place = block * _BLOCK
        while not wanted.bytesEquals(every.term()):
            every.next()
            place += 1
        return place


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
        chunks.append(pa.array(texts.take(), pa.large_string()).cast(pa.large_binary()))
        left -= len(chunks[-1])
    return pa.concat_arrays(chunks)

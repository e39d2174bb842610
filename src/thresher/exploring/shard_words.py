"""The words of a shard's texts: where each stands, and which of them are the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from thresher.exploring.hashing import Bytes, Hashes, hash_parts
from thresher.pages.plain import Ints
from thresher.pruning.columns import list_column

Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class ShardWords:
    """The words of a shard, split at white space and where sentences end, so that each belongs to one sentence.

    `kinds` are the hashes of the different words; `kind` and `sentence` say for each word, in order, which of them it is and
    in which sentence of the shard it stands; `texts(numbers)` gives the words of those kinds themselves. `page` is the row
    of each sentence's page, and `blank` tells which sentences have white space and control characters alone.
    """

    kinds: Hashes
    texts: Callable[[Ints], list[str]]
    kind: Ints
    sentence: Ints
    page: Ints
    blank: Flags


def split_words(table: pa.Table) -> ShardWords:
    """Split the texts of a shard with the columns `text` and `sentence_ends` into words."""
    data, offsets = _text_bytes(table)
    page, ends = _sentences(table, data, offsets)
    space = (data == ord(" ")) | (data == ord("\n"))
    # A place between two bytes begins a word if none goes on over it; a sentence may end between two letters of Chinese.
    solid = np.concatenate(([False], ~space, [False]))
    inside = solid[:-1] & solid[1:]
    inside[ends] = False
    starts = np.flatnonzero(solid[1:] & ~inside)
    after = np.flatnonzero(solid[:-1] & ~inside)
    hashes = hash_parts(data, starts, after)
    encoded = pa.array(hashes).dictionary_encode()
    kind = encoded.indices.to_numpy().astype(np.int64)
    kinds = encoded.dictionary.to_numpy().astype(np.uint64)
    place = np.zeros(len(kinds), dtype=np.int64)
    place[kind[::-1]] = np.arange(len(kind))[::-1]

    def texts(numbers: Ints) -> list[str]:
        raw, places = data.tobytes(), place[numbers]
        pairs = zip(starts[places].tolist(), after[places].tolist(), strict=True)
        # Words hold no line feed: all are decoded at once.
        return b"\n".join(raw[start:end] for start, end in pairs).decode().split("\n") if len(numbers) else []

    # White space and control characters up to the space are what Anserini strips before it drops an empty document.
    dark = np.concatenate(([0], np.cumsum(data > ord(" "))))
    blank = np.diff(dark[ends], prepend=0) == 0
    return ShardWords(kinds, texts, kind, np.searchsorted(ends, starts, side="right"), page, blank)


def _text_bytes(table: pa.Table) -> tuple[Bytes, Ints]:
    """Return all texts of a shard in UTF-8, one behind the other, and where each begins, with the end of the last."""
    column = pa.concat_arrays([*table["text"].chunks, pa.array([], pa.large_string())])
    _, offsets, data = column.buffers()
    places = np.frombuffer(offsets, dtype=np.int64)[column.offset : column.offset + len(column) + 1]
    if data is None:
        return np.zeros(0, dtype=np.uint8), places
    return np.frombuffer(data, dtype=np.uint8)[places[0] : places[-1]], places - places[0]


def _sentences(table: pa.Table, data: Bytes, offsets: Ints) -> tuple[Ints, Ints]:
    """Return for each sentence of a shard the row of its page, and where it ends among the bytes of all texts."""
    firsts, ends = list_column(table, "sentence_ends")
    page = np.repeat(np.arange(len(table)), np.diff(firsts))
    ends = ends.astype(np.int64)
    if not len(data) or data.max() < 0x80:
        return page, offsets[page] + ends
    # A character stands as many bytes behind its number as bytes before it go on a character.
    further = np.flatnonzero((data & 0xC0) == 0x80)
    further_at = further - np.arange(len(further))
    first = offsets[page] - np.searchsorted(further, offsets[page])
    return page, first + ends + np.searchsorted(further_at, first + ends, side="right")

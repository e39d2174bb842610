"""The words of a model and their numbers, in bounded memory: sorted runs on disk, merged, then ranked block by block."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from operator import methodcaller
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from thresher.language_models.words.word_files import (
    WordWriter,
    blocks,
    common_ranges,
    read_array,
    read_words,
    scratch_array,
)
from thresher.pages.plain import Ints

UNKNOWN, BEGIN, END = 0, 1, 2
SPECIAL = (b"<unk>", b"<s>", b"</s>")
"""The words numbered 0, 1 and 2."""
MOST_RUNS = 128
"""How many runs are merged at once; each has four files open."""

_as_bytes = methodcaller("as_py")


@dataclass(frozen=True)
class Vocabulary:
    """The words of a model by number, as an Arrow array of UTF-8, and their counts; both are in files.

    `counts[UNKNOWN]` is that of all words that were cut.
    """

    words: Any
    counts: Ints


def write_word_run(path: Path, words: Any, counts: Ints) -> None:
    """Write distinct words, an Arrow array ascending by their bytes, and their counts.

    The files are those of `WordWriter`, and `.counts`.
    """
    with WordWriter(path) as out:
        out.write(words)
    counts.astype(np.int64).tofile(path.with_suffix(".counts"))


def merge_words(runs: Sequence[Path], merged: Path) -> None:
    """Merge runs that `write_word_run` wrote into one, adding the counts of equal words.

    Each run gets a file `.indices`: the index of each of its words among the merged ones.
    """
    if len(runs) <= MOST_RUNS:
        _merge(runs, merged)
        return
    groups = [runs[at : at + MOST_RUNS] for at in range(0, len(runs), MOST_RUNS)]
    parts = [group[0].with_stem(f"{group[0].stem}-merged") for group in groups]
    for group, part in zip(groups, parts, strict=True):
        _merge(group, part)
    merge_words(parts, merged)
    for group, part in zip(groups, parts, strict=True):
        indices = read_array(part.with_suffix(".indices"))
        for run in group:
            path = run.with_suffix(".indices")
            indices[np.fromfile(path, dtype=np.int64)].tofile(path)
        for suffix in (".text", ".ends", ".counts", ".indices"):
            part.with_suffix(suffix).unlink()


def _merge(runs: Sequence[Path], merged: Path) -> None:
    words = [read_words(run) for run in runs]
    counts = [read_array(run.with_suffix(".counts")) for run in runs]
    size = 0
    with ExitStack() as files, WordWriter(merged) as out:
        count_file = files.enter_context(merged.with_suffix(".counts").open("wb"))
        index_files = [files.enter_context(run.with_suffix(".indices").open("wb")) for run in runs]
        for slices in common_ranges(words, _as_bytes):
            parts = [run[at] for run, at in zip(words, slices, strict=True)]
            encoded = pa.concat_arrays(parts).dictionary_encode()
            order = pc.sort_indices(encoded.dictionary)
            out.write(encoded.dictionary.take(order))
            ranks = np.empty(len(order), dtype=np.int64)
            ranks[order.to_numpy()] = np.arange(len(order))
            indices = ranks[encoded.indices.to_numpy()]
            sums = np.zeros(len(order), dtype=np.int64)
            np.add.at(sums, indices, np.concatenate([run[at] for run, at in zip(counts, slices, strict=True)]))
            sums.tofile(count_file)
            edges = np.cumsum([len(part) for part in parts])[:-1]
            for file, part_indices in zip(index_files, np.split(indices + size, edges), strict=True):
                part_indices.tofile(file)
            size += len(order)


def vocabulary(merged: Path, sentences: int, least: int = 1, most: int | None = None) -> Vocabulary:
    """Return the special words and the most frequent others, ties in the order of their bytes.

    A file `.numbers` beside the merged words gets the number of each in the vocabulary, `UNKNOWN` for one that is cut.

    Args:
        merged: the words as `merge_words` wrote them.
        sentences: their number, which is the count of `</s>`; that of `<s>`, which is not predicted, is 0.
        least: rarer words are cut.
        most: the number of words to keep, not counting the special ones; None keeps all.
    """
    words, counts = read_words(merged), read_array(merged.with_suffix(".counts"))
    indices = _ranked(words, counts, merged, max(1, least), most)
    ranked_counts = scratch_array(merged.parent, len(SPECIAL) + len(indices), np.int64)
    ranked = merged.with_name(f"{merged.stem}-ranked")
    with WordWriter(ranked) as out:
        out.write(pa.array(SPECIAL, pa.large_binary()))
        for at in blocks(len(indices)):
            out.write(words.take(pa.array(indices[at])))
            ranked_counts[at.start + len(SPECIAL) : at.stop + len(SPECIAL)] = counts[indices[at]]
    ranked_counts[: len(SPECIAL)] = counts.sum() - ranked_counts.sum(), 0, sentences
    return Vocabulary(read_words(ranked), ranked_counts)


def _ranked(words: Any, counts: Ints, merged: Path, least: int, most: int | None) -> Ints:
    """Return where the words to keep are, the most frequent first, and write the number of each word."""
    special = [bisect_left(words, word, key=_as_bytes) for word in SPECIAL]
    found = [at for at, word in zip(special, SPECIAL, strict=True) if at < len(words) and words[at].as_py() == word]

    def wanted(at: slice) -> Ints:
        positions: Ints = np.flatnonzero(counts[at] >= least) + at.start
        return positions[~np.isin(positions, found)]

    by_count: Counter[int] = Counter()
    for at in blocks(len(words)):
        values, sizes = np.unique(counts[wanted(at)], return_counts=True)
        by_count.update(dict(zip(values.tolist(), sizes.tolist(), strict=True)))
    distinct = np.array(sorted(by_count), dtype=np.int64)
    sizes = np.array([by_count[count] for count in distinct.tolist()], dtype=np.int64)
    # The rank of the next word of each count: after all that are more frequent.
    ranks = sizes.sum() - np.cumsum(sizes)
    kept = int(sizes.sum()) if most is None else min(most, int(sizes.sum()))
    indices: Ints = scratch_array(merged.parent, kept, np.int64)
    with merged.with_suffix(".numbers").open("wb") as out:
        for at in blocks(len(words)):
            positions = wanted(at)
            counted = np.searchsorted(distinct, counts[positions])
            order = np.argsort(counted, kind="stable")
            positions, counted = positions[order], counted[order]
            sizes = np.bincount(counted, minlength=len(distinct))
            own = ranks[counted] + np.arange(len(counted)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
            ranks += sizes
            positions, own = positions[own < kept], own[own < kept]
            indices[own] = positions
            numbers = np.full(at.stop - at.start, UNKNOWN, dtype=np.int64)
            numbers[positions - at.start] = own + len(SPECIAL)
            numbers.tofile(out)
    return indices

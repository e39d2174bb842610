"""The matches of a whole collection, in files of one chunk each, so that memory does not grow with the collection."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from thresher.base.numbers import Ints
from thresher.experiments.exploring.counts import HashedTerms, ShardCounts, add_vocabularies
from thresher.experiments.exploring.matching import Matches, match_terms
from thresher.experiments.exploring.similarity import StepStatistics
from thresher.experiments.exploring.steps import SweepStatistics, sweep_statistics
from thresher.indexes.pruning.postings import Numbers


@dataclass(frozen=True)
class StoredChunk:
    """The matches of a chunk of a collection in a file, and the numbers of its documents in the whole collection."""

    file: Path
    numbers: Numbers

    def read(self) -> Matches:
        """Read the matches."""
        with np.load(self.file) as arrays:
            return Matches(numbers=self.numbers, **{name: arrays[name] for name in arrays.files})


@dataclass(frozen=True)
class MatchChunks:
    """The matches of a collection, chunk by chunk in files.

    A chunk is some neighbouring shards of the store, counted together.

    Args:
        chunks: at least one.
        ids: by chunk, the ids of its documents, ascending.
        statistics: by sweep, the statistics of the whole collection.
        vocabulary: the vocabulary of the whole collection.
        pairs: number of documents with each query term in their whole text; shape (terms,).
    """

    chunks: tuple[StoredChunk, ...]
    ids: tuple[tuple[str, ...], ...]
    statistics: tuple[SweepStatistics, ...]
    vocabulary: HashedTerms
    pairs: Ints

    @property
    def documents(self) -> int:
        """The number of documents with a query term."""
        return sum(len(ids) for ids in self.ids)

    def numbers(self, ids: Iterable[str]) -> dict[str, int]:
        """Return the numbers of documents in the whole collection by id; documents without a query term are left out."""
        distinct_ids = set(ids)
        numbers: dict[str, int] = {}
        for chunk, ids_of_chunk in zip(self.chunks, self.ids, strict=True):
            for identifier, number in zip(ids_of_chunk, chunk.numbers.tolist(), strict=True):
                if identifier in distinct_ids:
                    numbers[identifier] = number
        return numbers


def store_matches(
    terms: int, counted_chunks: Iterable[ShardCounts], folder: Path, fixed: StepStatistics | None = None
) -> MatchChunks:
    """Match the query terms in each chunk and write the matches to files.

    Args:
        terms: number of query terms.
        counted_chunks: counts of each chunk, read one by one; there is at least one chunk.
        folder: the folder for the files.
        fixed: statistics to rank by at every step, as one step; None to rank by the statistics of each step.
    """
    files: list[Path] = []
    ids: list[tuple[str, ...]] = []
    statistics: list[SweepStatistics] = []
    vocabulary: HashedTerms | None = None
    pairs = np.zeros(terms, dtype=np.int64)
    for counted in counted_chunks:
        matches = match_terms(counted, terms)
        for sweep, counts in enumerate(counted.counts):
            added = sweep_statistics(matches, sweep, counts, fixed)
            if vocabulary is None:
                statistics.append(added)
            else:
                statistics[sweep] = statistics[sweep].plus(added)
        if vocabulary is None:
            vocabulary = counted.vocabulary
        else:
            vocabulary = add_vocabularies([vocabulary, counted.vocabulary], len(statistics))
        pairs += np.diff(matches.pair_bounds)
        ids.append(counted.ids)
        files.append(folder / f"chunk-{len(files):06}.npz")
        _write(matches, files[-1])
        # Their memory is free before the next chunk is counted.
        del counted, matches
    if vocabulary is None:
        raise ValueError("there is no chunk")
    stored = map(StoredChunk, files, _numbered(ids))
    return MatchChunks(tuple(stored), tuple(ids), tuple(statistics), vocabulary, pairs)


def _write(matches: Matches, file: Path) -> None:
    arrays: dict[str, Any] = {}
    for field in fields(matches):
        # Documents get their numbers when all chunks are written.
        if field.name != "numbers":
            arrays[field.name] = getattr(matches, field.name)
    np.savez(file, **arrays)


def _numbered(ids: Sequence[Sequence[str]]) -> list[Numbers]:
    """Number documents over all chunks by id; return the numbers by chunk."""
    joint = list(chain.from_iterable(ids))
    # Python compares code points and Lucene bytes of UTF-8; both give one order.
    order = sorted(range(len(joint)), key=joint.__getitem__)
    numbers = np.empty(len(joint), dtype=np.int32)
    numbers[order] = np.arange(len(joint), dtype=np.int32)
    ends = np.cumsum([len(ids_of_chunk) for ids_of_chunk in ids])
    return np.split(numbers, ends[:-1])

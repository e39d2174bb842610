"""Postings of small collections for tests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np

from thresher.indexes.pruning.postings import CollectionStatistics, DocumentPostings


@dataclass(frozen=True)
class SamplePostings:
    """The postings of a collection, in blocks."""

    statistics: CollectionStatistics
    given: tuple[DocumentPostings, ...]

    def blocks(self) -> Iterable[DocumentPostings]:
        return self.given


def hash_of(term: str) -> int:
    return int.from_bytes(blake2b(term.encode(), digest_size=8).digest(), "little")


def postings_of(
    documents: Mapping[str, Sequence[str]], block: int | None = None
) -> tuple[SamplePostings, tuple[str, ...]]:
    """Return the postings of documents, given as tokens by id, and the terms by number; `block` documents a block, or all."""
    terms = tuple(sorted({token for tokens in documents.values() for token in tokens}))
    numbers = {term: number for number, term in enumerate(terms)}
    counts = {id_: Counter(numbers[token] for token in tokens) for id_, tokens in documents.items()}
    cf, df = np.zeros(len(terms), dtype=np.int64), np.zeros(len(terms), dtype=np.int64)
    for counted in counts.values():
        for number, times in counted.items():
            cf[number] += times
            df[number] += 1
    lengths = [len(tokens) for tokens in documents.values()]
    hashes = [hash_of(term) for term in terms]
    statistics = CollectionStatistics(
        documents=sum(length > 0 for length in lengths),
        tokens=sum(lengths),
        cf=cf,
        df=df,
        hashes=np.array(hashes, dtype=np.uint64),
        squares=sum(length**2 for length in lengths),
    )
    ids, size = list(documents), block or max(len(documents), 1)
    blocks = (ids[start : start + size] for start in range(0, len(ids), size))
    return SamplePostings(statistics, tuple(_block({id_: counts[id_] for id_ in part}) for part in blocks)), terms


def _block(counts: Mapping[str, Counter[int]]) -> DocumentPostings:
    pairs = [pair for counted in counts.values() for pair in sorted(counted.items())]
    return DocumentPostings(
        ids=tuple(counts),
        lengths=np.array([counted.total() for counted in counts.values()], dtype=np.int64),
        bounds=np.cumsum([0, *map(len, counts.values())]),
        term=np.array([number for number, _ in pairs], dtype=np.int32),
        tf=np.array([times for _, times in pairs], dtype=np.int32),
    )

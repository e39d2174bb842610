"""What is counted of some shards: parts that add up, in whatever order the shards come."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from thresher.exploring.families import Family, Steps
from thresher.exploring.lexicon import Hashes
from thresher.pages.plain import Ints

_Kind = TypeVar("_Kind", bound=np.generic)

MOST_TERMS = 1 << 16
"""Of the vocabulary, so many terms are held; the whole is estimated from their share (0.4 % off, typically)."""


@dataclass(frozen=True)
class Counts:
    """What a collection has at each step of one family: what the steps before it have not.

    Shapes are (steps + 1,); the last place is for what no cleaner keeps. `documents` are those with more than white space,
    `with_tokens` those with a token, `postings` the different terms of each document.
    """

    words: Ints
    tokens: Ints
    documents: Ints
    with_tokens: Ints
    postings: Ints


@dataclass(frozen=True)
class Vocabulary:
    """The terms whose hash is at most `limit`, rising, with the step at which each comes in, by family.

    Shapes: `terms` (terms,), each of `steps` (terms,).
    """

    terms: Hashes
    steps: tuple[Steps, ...]
    limit: int


@dataclass(frozen=True)
class Partial:
    """What is known of the documents that hold a query term, and what is counted of all.

    `ids` are those documents; `document`, `tokens` and each family's `steps` are by sentence (only sentences with a token are
    listed), `document` as a place in `ids`; an occurrence is a `term` (its number among the query terms) in a `sentence`
    (a place in `document`), `times` over.
    """

    ids: tuple[str, ...]
    document: npt.NDArray[np.int32]
    tokens: npt.NDArray[np.int32]
    steps: tuple[Steps, ...]
    sentence: npt.NDArray[np.int32]
    term: npt.NDArray[np.int32]
    times: npt.NDArray[np.int32]
    counts: tuple[Counts, ...]
    vocabulary: Vocabulary


def add_up(parts: Iterable[Partial], families: Sequence[Family]) -> Partial:
    """Return the sum of partial results; documents are ordered by id, as Lucene compares ids."""
    held = list(parts)
    firsts = np.cumsum([0, *(len(part.ids) for part in held)])
    sentences = np.cumsum([0, *(len(part.document) for part in held)])
    ids = [identifier for part in held for identifier in part.ids]
    # Python compares code points, Lucene bytes of UTF-8: the order is the same.
    order = sorted(range(len(ids)), key=ids.__getitem__)
    rank = np.empty(len(ids), dtype=np.int32)
    rank[order] = np.arange(len(ids))
    return Partial(
        tuple(ids[place] for place in order),
        _joined([rank[part.document + first] for part, first in zip(held, firsts, strict=False)], np.int32),
        _joined([part.tokens for part in held], np.int32),
        tuple(_joined([part.steps[place] for part in held], np.uint16) for place in range(len(families))),
        _joined([part.sentence + np.int32(first) for part, first in zip(held, sentences, strict=False)], np.int32),
        _joined([part.term for part in held], np.int32),
        _joined([part.times for part in held], np.int32),
        tuple(
            add_counts([part.counts[place] for part in held], len(family.cleaners))
            for place, family in enumerate(families)
        ),
        add_vocabularies([part.vocabulary for part in held], len(families)),
    )


def add_counts(every: Sequence[Counts], steps: int) -> Counts:
    """Return the sum of the counts of one family that has so many steps."""
    names = ("words", "tokens", "documents", "with_tokens", "postings")
    none = np.zeros(steps + 1, dtype=np.int64)
    return Counts(*(sum((getattr(counts, name) for counts in every), none) for name in names))


def add_vocabularies(every: Sequence[Vocabulary], families: int) -> Vocabulary:
    """Return the vocabulary of several, with at most `MOST_TERMS` terms."""
    limit = min([2**64 - 1, *(vocabulary.limit for vocabulary in every)])
    terms, places = np.unique(_joined([found.terms for found in every], np.uint64), return_inverse=True)
    steps = []
    for family in range(families):
        first = np.full(len(terms), np.iinfo(np.uint16).max, dtype=np.uint16)
        np.minimum.at(first, places, _joined([found.steps[family] for found in every], np.uint16))
        steps.append(first)
    if len(terms) > MOST_TERMS:
        limit = min(limit, int(terms[MOST_TERMS - 1]))
    held = int(np.searchsorted(terms, np.uint64(limit), side="right"))
    return Vocabulary(terms[:held], tuple(first[:held] for first in steps), limit)


def _joined(arrays: Sequence[npt.NDArray[_Kind]], kind: type[_Kind]) -> npt.NDArray[_Kind]:
    return np.concatenate([np.zeros(0, dtype=kind), *arrays])

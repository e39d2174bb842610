"""Counts of a store's shards for exploring. The counts of several shards add up, in any order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from thresher.base.numbers import Ints
from thresher.indexes.pruning.postings import Hashes, Numbers

_Kind = TypeVar("_Kind", bound=np.generic)

ALL_HASHES = 2**64 - 1
"""The largest hash of a term."""

MOST_TERMS = 1 << 16
"""Most terms of a vocabulary that are listed; its size is estimated from their share (0.4 % off, typically)."""

Steps = npt.NDArray[np.uint16]
"""The index of the first cleaner of a sweep that keeps a sentence; the number of cleaners if none does."""


@dataclass(frozen=True)
class StepCounts:
    """Counts that each step of a sweep adds; shapes are (steps + 1,), with text that no cleaner keeps in the last entry.

    Args:
        words: the number of words.
        tokens: the number of tokens.
        documents: the number of documents with more than white space.
        with_tokens: the number of documents with a token.
        postings: the number of pairs of a document and a term.
    """

    words: Ints
    tokens: Ints
    documents: Ints
    with_tokens: Ints
    postings: Ints


@dataclass(frozen=True)
class HashedTerms:
    """The terms with a hash of at most `limit`, ascending, and by sweep the first step of each term; shapes (terms,)."""

    terms: Hashes
    steps: tuple[Steps, ...]
    limit: int


@dataclass(frozen=True)
class Sentences:
    """The sentences with a token of the documents with a query term.

    Args:
        document: row of each sentence's document.
        tokens: number of tokens of each sentence.
        steps: by sweep, the step at which each sentence comes in; shape (sweeps, sentences).
    """

    document: Numbers
    tokens: Numbers
    steps: Steps


@dataclass(frozen=True)
class Occurrences:
    """The query terms in sentences: the row of the sentence, the number of the term, and its tf in the sentence."""

    sentence: Numbers
    term: Numbers
    tf: Numbers


@dataclass(frozen=True)
class ShardCounts:
    """The documents of some shards with a query term, and counts of all documents.

    Args:
        ids: ids of the documents with a query term.
        sentences: the sentences of these documents.
        occurrences: the query terms in these sentences.
        counts: by sweep, counts of all documents.
        vocabulary: the vocabulary of all documents.
    """

    ids: tuple[str, ...]
    sentences: Sentences
    occurrences: Occurrences
    counts: tuple[StepCounts, ...]
    vocabulary: HashedTerms


def add_up(counted: Sequence[ShardCounts], steps: Sequence[int]) -> ShardCounts:
    """Return the sum of the counts of several shards; documents are ordered by id, as Lucene compares ids.

    `steps` has the number of steps of each sweep.
    """
    ids: list[str] = []
    for shard in counted:
        ids.extend(shard.ids)
    # Python compares code points and Lucene bytes of UTF-8; both give one order.
    order = sorted(range(len(ids)), key=ids.__getitem__)
    row_of_document = np.empty(len(ids), dtype=np.int32)
    row_of_document[order] = np.arange(len(ids))
    counts: list[StepCounts] = []
    for sweep, size in enumerate(steps):
        counts_of_sweep = [shard.counts[sweep] for shard in counted]
        counts.append(add_counts(counts_of_sweep, size))
    return ShardCounts(
        ids=tuple(ids[place] for place in order),
        sentences=_joined_sentences(counted, row_of_document, len(steps)),
        occurrences=_joined_occurrences(counted),
        counts=tuple(counts),
        vocabulary=add_vocabularies([shard.vocabulary for shard in counted], len(steps)),
    )


def _joined_sentences(counted: Sequence[ShardCounts], row_of_document: Numbers, sweeps: int) -> Sentences:
    """Return the sentences of several shards; `row_of_document` has the row of each document, shard after shard."""
    document: list[Numbers] = []
    tokens: list[Numbers] = []
    steps = [np.zeros((sweeps, 0), dtype=np.uint16)]
    documents_before = 0
    for shard in counted:
        document.append(row_of_document[shard.sentences.document + documents_before])
        tokens.append(shard.sentences.tokens)
        steps.append(shard.sentences.steps)
        documents_before += len(shard.ids)
    return Sentences(_joined(document, np.int32), _joined(tokens, np.int32), np.concatenate(steps, axis=1))


def _joined_occurrences(counted: Sequence[ShardCounts]) -> Occurrences:
    """Return the query terms in the sentences of several shards, which are numbered shard after shard."""
    sentence: list[Numbers] = []
    term: list[Numbers] = []
    tf: list[Numbers] = []
    sentences_before = 0
    for shard in counted:
        sentence.append(shard.occurrences.sentence + np.int32(sentences_before))
        term.append(shard.occurrences.term)
        tf.append(shard.occurrences.tf)
        sentences_before += len(shard.sentences.document)
    return Occurrences(_joined(sentence, np.int32), _joined(term, np.int32), _joined(tf, np.int32))


def add_counts(counted: Sequence[StepCounts], steps: int) -> StepCounts:
    """Return the sum of counts of one sweep, which has `steps` steps."""
    total: dict[str, Ints] = {}
    for field in fields(StepCounts):
        total[field.name] = np.zeros(steps + 1, dtype=np.int64)
        for counts in counted:
            total[field.name] += getattr(counts, field.name)
    return StepCounts(**total)


def add_vocabularies(vocabularies: Sequence[HashedTerms], sweeps: int) -> HashedTerms:
    """Return the joint vocabulary, with at most `MOST_TERMS` terms."""
    limit = ALL_HASHES
    hashes: list[Hashes] = []
    for vocabulary in vocabularies:
        limit = min(limit, vocabulary.limit)
        hashes.append(vocabulary.terms)
    terms, term_of_hash = np.unique(_joined(hashes, np.uint64), return_inverse=True)
    if len(terms) > MOST_TERMS:
        limit = min(limit, int(terms[MOST_TERMS - 1]))
    terms_within_limit = int(np.searchsorted(terms, np.uint64(limit), side="right"))
    steps: list[Steps] = []
    for sweep in range(sweeps):
        steps_of_sweep = _joined([vocabulary.steps[sweep] for vocabulary in vocabularies], np.uint16)
        steps.append(first_steps(steps_of_sweep, term_of_hash, len(terms))[:terms_within_limit])
    return HashedTerms(terms[:terms_within_limit], tuple(steps), limit)


def first_steps(steps: Steps, numbers: Ints, size: int) -> Steps:
    """Return the lowest step of each number below `size`; the largest 16-bit number for a number without a step.

    `numbers` has the number of each step.
    """
    first = np.full(size, np.iinfo(np.uint16).max, dtype=np.uint16)
    np.minimum.at(first, numbers, steps)
    return first


def _joined(arrays: Sequence[npt.NDArray[_Kind]], kind: type[_Kind]) -> npt.NDArray[_Kind]:
    if not arrays:
        return np.zeros(0, dtype=kind)
    return np.concatenate(arrays)

"""The documents with the queries' terms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from thresher.base.numbers import Ints
from thresher.experiments.exploring.counts import ShardCounts
from thresher.indexes.pruning.postings import Numbers


@dataclass(frozen=True)
class Query:
    """A topic's query: tf by the number of each term, and its number of tokens, with tokens that no document has."""

    counts: Mapping[int, int]
    size: int

    @property
    def terms(self) -> Ints:
        """The numbers of the terms."""
        return np.array(list(self.counts), dtype=np.int64)


@dataclass(frozen=True)
class Matches:
    """The pairs of a query term and a document whose whole text has it, by term, then by document id.

    Documents are rows of the chunk, by ascending id.

    Args:
        numbers: the numbers of the documents in the whole collection, ascending.
        pair_document: the document of each pair.
        pair_bounds: the first pair of each term, then the number of pairs; shape (terms + 1,).
        sentence_document: the document of each sentence.
        sentence_tokens: the number of tokens of each sentence.
        sentence_steps: by sweep and sentence, the step at which the sentence comes in.
        occurrence_pair: the pair of each occurrence of a term in a sentence.
        occurrence_sentence: the sentence of each occurrence.
        occurrence_tf: the frequency of the term in this sentence.
    """

    numbers: Numbers
    pair_document: Ints
    pair_bounds: Ints
    sentence_document: Numbers
    sentence_tokens: Numbers
    sentence_steps: npt.NDArray[np.uint16]
    occurrence_pair: Numbers
    occurrence_sentence: Numbers
    occurrence_tf: Numbers

    def pairs(self, term: int) -> slice:
        """Return the slice of a term's pairs."""
        return slice(int(self.pair_bounds[term]), int(self.pair_bounds[term + 1]))


def match_terms(counted: ShardCounts, terms: int) -> Matches:
    """Return the pairs of `terms` query terms and documents; documents are numbered as in the chunk."""
    documents = max(len(counted.ids), 1)
    occurrences = counted.occurrences
    sentences = counted.sentences
    keys = occurrences.term * np.int64(documents) + sentences.document[occurrences.sentence]
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    begins = np.diff(keys, prepend=-1) != 0
    pair_keys = keys[begins]
    return Matches(
        numbers=np.arange(len(counted.ids), dtype=np.int32),
        pair_document=pair_keys % documents,
        pair_bounds=np.searchsorted(pair_keys, np.arange(terms + 1) * np.int64(documents)),
        sentence_document=sentences.document,
        sentence_tokens=sentences.tokens,
        sentence_steps=sentences.steps,
        # Occurrences are in the order of their pairs.
        occurrence_pair=np.cumsum(begins, dtype=np.int32) - np.int32(1),
        occurrence_sentence=occurrences.sentence[order],
        occurrence_tf=occurrences.tf[order],
    )

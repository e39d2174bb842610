"""Query likelihood with Dirichlet smoothing as published: float64, exact document lengths, no clamping.

Zhai and Lafferty, "A study of smoothing methods for language models applied to information retrieval", ACM
TOIS 22(2), 2004; in the form

    score(q, d) = Σ_{w ∈ q∩d} c(w,q) · ln(1 + c(w,d) / (µ · p(w|C))) + |q| · ln(µ / (µ + |d|))

with c(w,q) and c(w,d) the tf of w in the query and the document, |d| the document's tokens, and p(w|C) the share of w among
all tokens of the collection (the unpruned one, if the index was pruned and keeps its statistics). |q| counts every token of
the analysed query, including those not in the index. Documents with at least one query word are ranked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.lucene.analysis import analyse
from thresher.lucene.jvm import java_class
from thresher.lucene.original_statistics import OriginalStatistics
from thresher.lucene.score_inputs import Numbers, PostingLists, document_ids, exact_lengths
from thresher.lucene.work import QueryWork

Floats = npt.NDArray[np.float64]

_TIES = 10
"""Scores that agree to this many decimals are ties, since sums may differ in their last bits."""


def dirichlet_scores(
    query: Mapping[str, int],
    postings: Mapping[str, tuple[Numbers, Numbers]],
    lengths: Numbers,
    tokens: int,
    mu: float,
    lost: Mapping[str, int] = MappingProxyType({}),
) -> tuple[Numbers, Floats]:
    """Return the numbers of the documents with a query word, ascending, and their scores.

    Args:
        query: c(w,q) of the query's tokens.
        postings: for each of them that occurs, the numbers of its documents, ascending, and its tf there.
        lengths: |d| by document number.
        tokens: the tokens of the whole collection.
        mu: the smoothing parameter µ, above 0.
        lost: by how much the collection has more tokens of a word than its postings.
    """
    matching = [postings[word][0] for word in query if word in postings]
    if not matching:
        return np.zeros(0, dtype=np.int32), np.zeros(0)
    documents = np.unique(np.concatenate(matching))
    matched = np.zeros(len(documents))
    for word, times in query.items():
        if word in postings:
            numbers, counts = postings[word]
            share = (counts.sum(dtype=np.int64) + lost.get(word, 0)) / tokens
            matched[np.searchsorted(documents, numbers)] += times * np.log1p(counts / (mu * share))
    size = sum(query.values())
    return documents, matched - size * np.log1p(lengths[documents] / mu)


class ExactRanking:
    """Ranks by `dirichlet_scores` over the postings of a Lucene index; the arguments are as `LuceneRanking`'s."""

    def __init__(
        self,
        reader: Any,
        analyzer: Any,
        mu: float,
        depth: int,
        lengths: Path,
        original: OriginalStatistics | None = None,
    ) -> None:
        self._lengths = exact_lengths(lengths)
        self._reader, self._analyzer, self._mu, self._depth = reader, analyzer, mu, depth
        terms = java_class("org.apache.lucene.index.MultiTerms").getTerms(reader, "contents")
        self._tokens: int = terms.getSumTotalTermFreq() if terms is not None else 0
        self._original = original
        self._ids = document_ids(reader)
        self._lists = PostingLists(reader)

    def rank(self, query: str) -> tuple[list[str], list[float]]:
        """Return the ids of the best documents, best first, and their scores; ties by ascending id."""
        counts, postings = self._read(query)
        lost = {word: self._original.removed(word)[1] for word in postings} if self._original else {}
        documents, scores = dirichlet_scores(counts, postings, self._lengths, self._tokens, self._mu, lost)
        scores = np.round(scores, _TIES)
        if len(scores) > self._depth:
            worst = np.partition(scores, len(scores) - self._depth)[len(scores) - self._depth]
            documents, scores = documents[scores >= worst], scores[scores >= worst]
        ids = [self._ids[number] for number in documents.tolist()]
        order = sorted(range(len(ids)), key=lambda index: (-scores[index], ids[index]))[: self._depth]
        return [ids[index] for index in order], scores[order].tolist()

    def search(self, query: str) -> None:
        """Search and drop the hits."""
        self.rank(query)

    def forget(self) -> None:
        """Do nothing: no hits are left behind."""

    def work(self, query: str) -> QueryWork:
        """Return the work of a query."""
        postings = [numbers for numbers, _ in self._read(query)[1].values()]
        documents = len(np.unique(np.concatenate(postings))) if postings else 0
        return QueryWork(sum(map(len, postings)), documents)

    def _read(self, query: str) -> tuple[Counter[str], dict[str, tuple[Numbers, Numbers]]]:
        counts = Counter(analyse(self._analyzer, query))
        return counts, {word: posting for word in counts if (posting := self._lists.of(word)) is not None}

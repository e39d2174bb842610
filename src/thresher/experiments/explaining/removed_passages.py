"""The removed passages of a page with words of a topic, and the kinds of block that lost topic words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from thresher.experiments.explaining.explanations import Drop, Passage, TermChange
from thresher.indexes.analysis import tokens_of_each
from thresher.scores.block_kinds import BlockKind
from thresher.scores.cutting import CleanedDocument
from thresher.scores.removed import PageVerdicts, SegmentVerdict


@dataclass(frozen=True)
class CutPage:
    """A page after cleaning.

    Args:
        cleaned_by_kind: tf of the query terms in the cleaned text, by kind of block.
        removed: the removed segments with a query term, in order, with tf of the query terms.
        weighted: tf of the query terms in the weighted text; None without weights.
    """

    cleaned_by_kind: Mapping[BlockKind, Mapping[str, int]]
    removed: tuple[Passage, ...]
    weighted: Mapping[str, int] | None = None

    @property
    def indexed(self) -> Mapping[str, int]:
        """The tf of the query terms in the text that is indexed, before pruning."""
        return self.cleaned if self.weighted is None else self.weighted

    @cached_property
    def cleaned(self) -> Mapping[str, int]:
        """The tf of the query terms in the cleaned text."""
        total: Counter[str] = Counter()
        for counts in self.cleaned_by_kind.values():
            total.update(counts)
        return dict(total)

    def with_words(self, terms: Collection[str]) -> tuple[Passage, ...]:
        """Return the removed segments with any of these terms, with tf of only these terms."""
        passages: list[Passage] = []
        for passage in self.removed:
            counts: dict[str, int] = {}
            for term in terms:
                if term in passage.terms:
                    counts[term] = passage.terms[term]
            if counts:
                passages.append(replace(passage, terms=counts))
        return tuple(passages)


def cut_page(page: PageVerdicts, analyzer: Any, query_terms: Collection[str]) -> CutPage:
    """Analyse a page segment by segment, as its index does.

    Args:
        page: the page with the verdicts of the cleaner.
        analyzer: the analyser of the index (a Java object).
        query_terms: the terms to count.
    """
    cleaned_by_kind: dict[BlockKind, Counter[str]] = {}
    removed: list[Passage] = []
    tokens_of_segments = tokens_of_each(analyzer, [segment.text for segment in page.segments])
    for segment, tokens in zip(page.segments, tokens_of_segments, strict=True):
        kind = page.kinds[segment.block]
        counts = _counts_of(query_terms, tokens)
        if segment.is_kept:
            cleaned_by_kind.setdefault(kind, Counter()).update(counts)
        elif counts:
            drops = tuple(map(_drop, segment.dropped_by))
            removed.append(Passage(segment.block, kind, segment.text, len(tokens), dict(counts), drops))
    return CutPage(cleaned_by_kind, tuple(removed))


def _counts_of(terms: Collection[str], tokens: Iterable[str]) -> Counter[str]:
    counts = Counter[str]()
    for token in tokens:
        if token in terms:
            counts[token] += 1
    return counts


def with_weights(
    pages: Mapping[str, CutPage], documents: Iterable[CleanedDocument], analyzer: Any, query_terms: Collection[str]
) -> dict[str, CutPage]:
    """Return pages, by id, with the tf of query terms in their weighted text; `documents` are of the weighted store."""
    weighted: dict[str, CutPage] = {}
    for document in documents:
        if document.id in pages:
            (tokens,) = tokens_of_each(analyzer, [document.text])
            weighted[document.id] = replace(pages[document.id], weighted=_counts_of(query_terms, tokens))
    return weighted


def _drop(verdict: SegmentVerdict) -> Drop:
    cut = verdict.cut
    return Drop(cut.name, verdict.score, cut.threshold, cut.quota, verdict.returns, verdict.outcome)


def lost_in(terms: Sequence[TermChange], page: CutPage) -> dict[BlockKind, float]:
    """Return the share of each kind of block in the topic words that a document lost; empty if it lost none.

    A term's part of the change of the score is shared equally by its lost occurrences. Lost are the occurrences in
    removed passages and, if the posting was pruned, all other occurrences. If every part is 0, all lost occurrences
    have equal weights.
    """
    pruned: list[str] = []
    weights: dict[str, float] = {}
    for term in terms:
        lost = term.before - term.after
        if lost <= 0:
            continue
        weights[term.term] = abs(term.part) / lost
        if term.cleaned > term.after:
            pruned.append(term.term)
    shares = _shares_of_kinds(page, pruned, weights)
    return shares or _shares_of_kinds(page, pruned, dict.fromkeys(weights, 1.0))


def _shares_of_kinds(page: CutPage, pruned: Sequence[str], weights: Mapping[str, float]) -> dict[BlockKind, float]:
    """Return shares that add up to 1; empty if all weights are 0.

    Args:
        page: the page.
        pruned: the terms whose postings were pruned.
        weights: by term, the weight of a lost occurrence.
    """
    weight_by_kind: dict[BlockKind, float] = {}
    for passage in page.removed:
        weight = 0.0
        for term, count in passage.terms.items():
            weight += weights.get(term, 0.0) * count
        weight_by_kind[passage.kind] = weight_by_kind.get(passage.kind, 0.0) + weight
    for kind, counts in page.cleaned_by_kind.items():
        weight = 0.0
        for term in pruned:
            weight += weights[term] * counts.get(term, 0)
        weight_by_kind[kind] = weight_by_kind.get(kind, 0.0) + weight
    total = sum(weight_by_kind.values())
    shares: dict[BlockKind, float] = {}
    for kind, weight in weight_by_kind.items():
        if weight:
            shares[kind] = weight / total
    return shares

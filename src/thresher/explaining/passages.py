"""What a cleaner removed from pages and kept of them, in index terms, by kind of block."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from thresher.explaining.explanations import Drop, Passage, TermChange
from thresher.lucene.analysis import analyse_each
from thresher.scoring.block_kinds import BlockKind
from thresher.scoring.removed import PageVerdicts, SegmentVerdict

_AROUND = (BlockKind.TITLE, BlockKind.MENU, BlockKind.FOOTER)
"""Kinds that say nothing of what a page is."""


@dataclass(frozen=True)
class CutPage:
    """A page after cleaning.

    Args:
        kept_in: tf of the terms asked for in what cleaning keeps, by kind of block.
        tokens, removed_tokens: by kind of block, before cleaning and of what it removes, most first.
        removed: the removed segments that hold one of these terms, in order, with tf of these alone.
    """

    kept_in: Mapping[BlockKind, Mapping[str, int]]
    tokens: Mapping[BlockKind, int]
    removed_tokens: Mapping[BlockKind, int]
    removed: tuple[Passage, ...]

    @cached_property
    def kept(self) -> Mapping[str, int]:
        """The tf of the terms asked for in what cleaning keeps."""
        return dict(sum((Counter(held) for held in self.kept_in.values()), Counter[str]()))

    @property
    def kind(self) -> BlockKind | None:
        """The kind of most of its tokens, those of title, menus and footers apart; None without others."""
        return next((kind for kind in self.tokens if kind not in _AROUND), None)

    def with_words(self, terms: Collection[str]) -> tuple[Passage, ...]:
        """Return the removed segments that hold one of some of the terms, with tf of these alone."""
        return tuple(
            replace(one, terms=held)
            for one in self.removed
            if (held := {term: one.terms[term] for term in terms if term in one.terms})
        )


def cut_page(page: PageVerdicts, analyzer: Any, asked: Collection[str]) -> CutPage:
    """Analyse a page segment by segment, as its index does.

    Args:
        page: with the verdicts of the cleaner.
        analyzer: of the index (a Java object).
        asked: the terms that matter.
    """
    kept: dict[BlockKind, Counter[str]] = {}
    tokens: Counter[BlockKind] = Counter()
    removed_tokens: Counter[BlockKind] = Counter()
    removed = []
    for segment, terms in zip(page.segments, _terms([one.text for one in page.segments], analyzer), strict=True):
        kind = page.kinds[segment.block]
        tokens[kind] += terms.total()
        held = {term: count for term, count in terms.items() if term in asked}
        if segment.kept:
            kept.setdefault(kind, Counter()).update(held)
            continue
        removed_tokens[kind] += terms.total()
        if held:
            drops = tuple(map(_drop, segment.dropped_by))
            removed.append(Passage(segment.block, kind, segment.text, terms.total(), held, drops))
    return CutPage(kept, _most_first(tokens), _most_first(removed_tokens), tuple(removed))


def _most_first(tokens: Mapping[BlockKind, int]) -> dict[BlockKind, int]:
    order = [*BlockKind]
    return {
        kind: tokens[kind] for kind in sorted(tokens, key=lambda one: (-tokens[one], order.index(one))) if tokens[kind]
    }


def lost_in(terms: Sequence[TermChange], page: CutPage) -> dict[BlockKind, float]:
    """Return the share of each kind of block in what terms lost by cleaning and pruning; empty if they lost nothing.

    A term's part of the change of the score is shared equally by its lost occurrences: those in removed passages, and, if its
    posting was pruned, all others. If no part is other than 0, all lost occurrences count the same.
    """
    found: dict[BlockKind, float] = {}
    lost = [term for term in terms if term.before > term.after]
    for each in (
        {term.term: abs(term.part) / (term.before - term.after) for term in lost},
        {term.term: 1.0 for term in lost},
    ):
        pruned = [term.term for term in lost if term.cleaned > term.after]
        for passage in page.removed:
            held = sum(each.get(term, 0.0) * count for term, count in passage.terms.items())
            found[passage.kind] = found.get(passage.kind, 0.0) + held
        for kind, counts in page.kept_in.items():
            held = sum(each[term] * counts.get(term, 0) for term in pruned)
            found[kind] = found.get(kind, 0.0) + held
        total = sum(found.values())
        if total:
            return {kind: held / total for kind, held in found.items() if held}
    return {}


def _terms(texts: list[str], analyzer: Any) -> Iterator[Counter[str]]:
    tokens, counts = analyse_each(analyzer, texts)
    begin = 0
    for count in counts:
        yield Counter(tokens[begin : begin + count])
        begin += count


def _drop(verdict: SegmentVerdict) -> Drop:
    cut = verdict.cut
    return Drop(cut.name, verdict.score, cut.threshold, cut.quota, verdict.returns, verdict.outcome)

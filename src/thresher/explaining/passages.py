"""What a cleaner removed from pages and kept of them, in index terms."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from thresher.explaining.block_kinds import Kinds
from thresher.explaining.explanations import BlockKind, Drop, Passage
from thresher.lucene.analysis import analyse_each
from thresher.scoring.removed import JudgedPage, SegmentVerdict


@dataclass(frozen=True)
class CutPage:
    """A page after cleaning.

    Args:
        kept: tf of the terms asked for in what cleaning keeps.
        removed_tokens: of what it removes, by kind of block.
        removed: the removed segments that hold one of these terms, in order, with tf of these alone.
    """

    kept: Mapping[str, int]
    removed_tokens: Mapping[BlockKind, int]
    removed: tuple[Passage, ...]

    def with_words(self, terms: Collection[str]) -> tuple[Passage, ...]:
        """Return the removed segments that hold one of some of the terms, with tf of these alone."""
        return tuple(
            replace(one, terms=held)
            for one in self.removed
            if (held := {term: one.terms[term] for term in terms if term in one.terms})
        )


def cut_page(page: JudgedPage, kinds: Kinds | None, analyzer: Any, asked: Collection[str]) -> CutPage:
    """Analyse a page segment by segment, as its index does.

    Args:
        page: with the verdicts of the cleaner.
        kinds: of its blocks; None where they do not matter, and all are text.
        analyzer: of the index (a Java object).
        asked: the terms that matter.
    """
    kept: Counter[str] = Counter()
    tokens: Counter[BlockKind] = Counter()
    removed = []
    for segment, terms in zip(page.segments, _terms([one.text for one in page.segments], analyzer), strict=True):
        held = {term: count for term, count in terms.items() if term in asked}
        if segment.kept:
            kept.update(held)
            continue
        kind = kinds[segment.block] if kinds else BlockKind.TEXT
        tokens[kind] += terms.total()
        if held:
            drops = tuple(map(_drop, segment.dropped_by))
            removed.append(Passage(segment.block, kind, segment.text, terms.total(), held, drops))
    return CutPage(dict(kept), {kind: count for kind, count in tokens.most_common() if count}, tuple(removed))


def _terms(texts: list[str], analyzer: Any) -> Iterator[Counter[str]]:
    tokens, counts = analyse_each(analyzer, texts)
    begin = 0
    for count in counts:
        yield Counter(tokens[begin : begin + count])
        begin += count


def _drop(verdict: SegmentVerdict) -> Drop:
    cut = verdict.cut
    return Drop(cut.name, verdict.score, cut.threshold, cut.quota, verdict.returns, verdict.outcome)

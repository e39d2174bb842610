"""What a cleaner removed from pages and kept of them, in index terms, by kind of block: the first of these that holds.

- title, heading: the page's title; H1 to H6.
- link: more than half of the block's words are in links.
- table, list: of the elements around the block, the innermost of those in `_KINDS` is a cell or caption, or a list item.
- text: all the rest, also a paragraph within a cell.

The score store has titles and headings. For the rest, pages are read again from the collection; of a page that is not there
any more, or has changed, all blocks but title and headings count as text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lxml.etree import LxmlError

from thresher.collections.sources import PageError, Source
from thresher.explaining.explanations import BlockKind, Drop, Passage
from thresher.lucene.analysis import analyse_each
from thresher.pages import Detail, PageOptions, Segments, read_page
from thresher.pages.parsing import TITLE_LEVEL
from thresher.scoring.removed import JudgedPage, SegmentVerdict
from thresher.scoring.score_pass import ScorePlan
from thresher.scoring.store import read_shard, shard_path, shards

Kinds = tuple[BlockKind, ...]
_KINDS: Mapping[str, BlockKind] = {
    **dict.fromkeys(("td", "th", "caption"), BlockKind.TABLE),
    **dict.fromkeys(("li", "dt", "dd"), BlockKind.LIST),
    **dict.fromkeys(("p", "blockquote", "pre", "body"), BlockKind.TEXT),
}


def kinds_of(segments: Segments) -> Kinds:
    """Return the kind of each block of a page that was read with its elements."""
    elements = segments.elements
    tags = [description.split(" ", 1)[0] for description in elements.descriptions]
    linked = segments.linked_words_in_blocks * 2 > segments.words_in_blocks

    def around(element: int) -> BlockKind:
        while element > 0:
            if tags[element] in _KINDS:
                return _KINDS[tags[element]]
            element = int(elements.parents[element])
        return BlockKind.TEXT

    return tuple(
        _of_level(level) if level else BlockKind.LINK if link else around(innermost)
        for level, link, innermost in zip(
            segments.levels.tolist(), linked.tolist(), elements.innermost.tolist(), strict=True
        )
    )


def _of_level(level: int) -> BlockKind:
    return BlockKind.TITLE if level == TITLE_LEVEL else BlockKind.HEADING


def block_kinds(store: Path, plan: ScorePlan, ids: Collection[str]) -> tuple[dict[str, Kinds], set[str]]:
    """Return the kinds of the blocks of some pages, by id, and those of which the page could not be read again.

    Args:
        store: the score store.
        plan: what it was scored by.
        ids: of the pages; those that are not in the store are left out.
    """
    found: dict[str, Kinds] = {}
    missing: dict[str, dict[tuple[str, int | None], tuple[str, str]]] = {}
    wanted = set(ids)
    for path in shards(store):
        if not wanted.intersection(read_shard(path, ["id"])["id"].to_pylist()):
            continue
        columns = ["id", "file", "offset", "text", "levels"]
        rows = read_shard(path, columns).to_pylist()
        for row in rows:
            if row["id"] in wanted and row["text"]:
                found[row["id"]] = tuple(_of_level(level) if level else BlockKind.TEXT for level in row["levels"])
                missing.setdefault(path.name, {})[row["file"], row["offset"]] = row["id"], row["text"]
    for part in plan.collection.parts(plan.shard_pages) if missing else ():
        at = missing.get(shard_path(store, part).name)
        if not at:
            continue
        for source in _readable(plan.collection.read(part)):
            if (known := at.get((source.file, source.offset))) is not None:
                kinds = _kinds_again(source, plan.options, known[1])
                if kinds is not None:
                    found[known[0]] = kinds
                    del at[source.file, source.offset]
            if not at:
                break
    return found, {identifier for at in missing.values() for identifier, _ in at.values()}


def _readable(sources: Iterator[Source]) -> Iterator[Source]:
    """Give sources until a file cannot be read."""
    try:
        yield from sources
    except OSError:
        return


def _kinds_again(source: Source, options: PageOptions, text: str) -> Kinds | None:
    """Return the kinds of the blocks of a page, if it still has this text."""
    try:
        segments, _ = read_page(source.page(), options, Detail.ELEMENTS)
    except (OSError, LxmlError, PageError):
        return None
    return kinds_of(segments) if segments.text == text else None


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

"""Segments that a cleaner removes from each page and why: every segment with its scores and the outcome of each cut."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from thresher.base.tables import Table
from thresher.cleaners.cleaner import DROP, Cleaner, Cut
from thresher.cleaners.scorer import BLOCK, SENTENCE, Scores
from thresher.scores import cutting
from thresher.scores.block_kinds import KINDS, BlockKind
from thresher.scores.percentiles import resolved
from thresher.scores.store import FAILED, read_shard, shards, text_store

PASSED = "passed"
DROPPED = "dropped"
HEADING = "kept as heading"
FLOORED = "kept by the floor"
DROPPED_HEADING = "dropped as heading"
_DROPPING = (DROPPED, DROPPED_HEADING)


@dataclass(frozen=True)
class SegmentVerdict:
    """The outcome of a cut for a segment.

    Attributes:
        cut: the cut.
        score: the score of the segment, or of its block.
        outcome: `PASSED`, `DROPPED`, `HEADING` if only `headings=keep` or `headline` keeps it, `FLOORED` if only the cut's
            floor keeps it, or `DROPPED_HEADING` if `headings=drop` drops it.
        returns: the strictest cutoff with which the cut would keep a dropped segment, all other cuts being equal: the score
            itself, or the smallest quota. None for kept segments, and if no cutoff keeps it: a scorer that decides, a
            dropped heading, a score that no number reaches.
    """

    cut: Cut
    score: float
    outcome: str
    returns: float | None = None


@dataclass(frozen=True)
class ScoredSegment:
    """A block or sentence of a page: the number of its block, its text, and the verdict of each cut in order."""

    block: int
    text: str
    verdicts: tuple[SegmentVerdict, ...]

    @property
    def dropped_by(self) -> tuple[SegmentVerdict, ...]:
        """The verdicts of all cuts that drop it."""
        return tuple(verdict for verdict in self.verdicts if verdict.outcome in _DROPPING)

    @property
    def is_kept(self) -> bool:
        """Whether no cut drops it."""
        return not self.dropped_by


@dataclass(frozen=True)
class PageVerdicts:
    """A page, its segments in order (sentences if a cut scores sentences, else blocks), and its blocks' kinds, if any.

    If a cleaner cuts another text of the page, the page's segments that are not in the text come first, then the segments of
    the text.
    """

    id: str
    segments: tuple[ScoredSegment, ...]
    kinds: tuple[BlockKind, ...]


def explained_pages(folder: Path, cleaner: Cleaner, only: Collection[str] | None = None) -> Iterator[PageVerdicts]:
    """Yield the pages of a score store with their verdicts, in order, without failed pages.

    Args:
        folder: the folder of the store.
        cleaner: the cleaner, with cutoffs as numbers or percentiles of this store.
        only: the ids of the pages to yield; None for all.
    """
    cleaner = resolved(folder, cleaner)
    on_page = cleaner.on_page
    columns_of_page = cutting.shard_columns([on_page])
    columns_of_page.append("kinds")
    columns_of_text = cutting.shard_columns([cleaner])
    columns_of_text.append("kinds")
    for path in shards(folder):
        rows: list[int] = []
        for row, document_id in enumerate(read_shard(path, ["id"]).texts("id").tolist()):
            if only is None or document_id in only:
                rows.append(row)
        if not rows:
            continue
        table = read_shard(path, columns_of_page)
        text_table: Table | None = None
        if cleaner.input_name:
            text_table = read_shard(text_store(folder, cleaner.input_name) / path.name, columns_of_text)
        for row in rows:
            if table.texts("status")[row] == FAILED:
                continue
            page = _explained(table, row, on_page)
            if text_table is not None:
                page = _joined(page, _explained(text_table, row, cleaner))
            yield page


def _joined(page: PageVerdicts, text: PageVerdicts) -> PageVerdicts:
    """Return the segments of a page that another text of it lacks, then that text, whose blocks are of the kind `TEXT`."""
    blocks_of_page = _blocks(page)
    blocks_of_text = _blocks(text)
    segments = [segment for segment in page.segments if not segment.is_kept]
    for segment in text.segments:
        segments.append(replace(segment, block=blocks_of_page + segment.block))
    kinds = page.kinds
    if kinds:
        kinds += (BlockKind.TEXT,) * blocks_of_text
    return PageVerdicts(page.id, tuple(segments), kinds)


def _blocks(page: PageVerdicts) -> int:
    if not page.segments:
        return 0
    return page.segments[-1].block + 1


def _explained(table: Table, row: int, cleaner: Cleaner) -> PageVerdicts:
    text = table.texts("text")[row]
    block_ends = table.lists("block_ends")[row]
    sentence_ends = table.lists("sentence_ends")[row]
    words = table.lists("words")[row].astype(np.int64)
    if any(scorer.segment == SENTENCE for scorer in cleaner.scorers):
        ends = sentence_ends
    else:
        ends = block_ends
        words = np.bincount(np.searchsorted(block_ends, sentence_ends), weights=words, minlength=len(ends))
    blocks = np.searchsorted(block_ends, ends)
    levels = table.lists("levels")[row]
    pages = np.array([0, len(block_ends)])
    layout = cutting.Layout(blocks, words, levels > 0, pages, partial(cutting.headlines_of, [text], levels, pages))
    verdicts_by_cut: list[list[SegmentVerdict]] = []
    stays = np.ones(len(ends), dtype=np.bool_)
    for cut in cleaner.cuts:
        verdicts_of_cut = _verdicts(cut, table.lists(f"score:{cut.scorer.canonical_name}")[row], layout, stays)
        stays &= np.array([verdict.outcome not in _DROPPING for verdict in verdicts_of_cut], dtype=np.bool_)
        verdicts_by_cut.append(verdicts_of_cut)
    segments: list[ScoredSegment] = []
    begin = 0
    for index, (block, end) in enumerate(zip(blocks.tolist(), ends.tolist(), strict=True)):
        verdicts = tuple(verdicts_of_cut[index] for verdicts_of_cut in verdicts_by_cut)
        segments.append(ScoredSegment(block, text[begin:end].rstrip(" \n"), verdicts))
        begin = end
    kinds = tuple(KINDS[number] for number in table.lists("kinds")[row].tolist())
    return PageVerdicts(table.texts("id")[row], tuple(segments), kinds)


def _verdicts(cut: Cut, scores: Scores, layout: cutting.Layout, kept_before: cutting.Mask) -> list[SegmentVerdict]:
    headings = layout.headings[layout.blocks]
    always = layout.always_kept(cut)[layout.blocks]
    by_floor = cutting.kept_by_floor(cut, scores, layout, kept_before)
    within = cutting.within_cutoff(cut, scores, layout, kept_before)
    shares = None
    if cut.quota:
        shares = cutting.shares_before(cut, scores, layout, kept_before)
    if cut.scorer.segment == BLOCK:
        scores = scores[layout.blocks]
    outcomes = np.select(
        [headings & (cut.headings == DROP), within, always, by_floor],
        [DROPPED_HEADING, PASSED, HEADING, FLOORED],
        DROPPED,
    ).tolist()
    returns = _returns(cut, scores, shares)
    verdicts: list[SegmentVerdict] = []
    for score, outcome, cutoff in zip(scores, outcomes, returns, strict=True):
        if outcome != DROPPED:
            cutoff = None
        verdicts.append(SegmentVerdict(cut, _decimal(score), outcome, cutoff))
    return verdicts


def _decimal(score: np.float32) -> float:
    """Return the shortest decimal that rounds to a 32-bit float: 0.1, not 0.10000000149."""
    return float(str(score))


def _returns(cut: Cut, scores: Scores, shares: cutting.Shares | None) -> list[float | None]:
    """Return for each segment the strictest cutoff that keeps it; None where no cutoff does.

    `shares` are the words before each, for a quota: a segment stays if the quota exceeds them.
    """
    cutoffs: list[float | None] = [None] * len(scores)
    if cut.scorer.decides:
        return cutoffs
    # An infinity at the bad end of the scores, and NaN, pass no cutoff; an infinity at the good end passes all.
    if shares is None:
        for segment in np.flatnonzero(np.isfinite(scores)).tolist():
            cutoffs[segment] = _decimal(scores[segment])
    else:
        for segment in np.flatnonzero(np.isfinite(shares)).tolist():
            cutoffs[segment] = float(np.nextafter(shares[segment], np.inf))
    return cutoffs


def record(page: PageVerdicts) -> dict[str, Any]:
    """Return a page for JSON; an infinite score, of a sentence without words, is null."""
    segments: list[dict[str, Any]] = []
    for segment in page.segments:
        cuts = [_record_of_verdict(verdict) for verdict in segment.verdicts]
        segments.append({"block": segment.block, "text": segment.text, "kept": segment.is_kept, "cuts": cuts})
    return {"id": page.id, "segments": segments}


def _record_of_verdict(verdict: SegmentVerdict) -> dict[str, Any]:
    score: float | None = None
    if np.isfinite(verdict.score):
        score = verdict.score
    return {
        "cut": verdict.cut.name,
        "score": score,
        "cutoff": verdict.cut.threshold,
        "outcome": verdict.outcome,
    }


def score_text(score: float) -> str:
    """Print a score for people: whole numbers and large ones without decimals, others with two at most.

    >>> short(12.0), short(9.3333), short(23114.6), short(float("inf"))
    ('12', '9.33', '23,115', '∞')
    """
    if score > 0 and not np.isfinite(score):
        return "∞"
    if not np.isfinite(score):
        return "−∞"
    if score == int(score) or abs(score) >= 1000:
        return f"{score:,.0f}"
    return f"{score:.2f}"

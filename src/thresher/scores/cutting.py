"""Applying cutoffs: stored scores in, cleaned documents out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from thresher.base.numbers import Ints
from thresher.base.tables import Table
from thresher.cleaners.cleaner import DROP, HEADLINE, KEEP, Cleaner, Cut
from thresher.cleaners.scorer import BLOCK, KEEP_HIGH, Scores
from thresher.pages import Segments
from thresher.pages.headlines import find_headline
from thresher.pages.parsing import TITLE_LEVEL
from thresher.scores import store as stores
from thresher.scores.percentiles import resolved

Mask = npt.NDArray[np.bool_]
Shares = npt.NDArray[np.float64]
# A segment after all words of its page is kept at 100 % alone.
_LAST = np.nextafter(100.0, 0.0)
_LARGEST = float(np.finfo(np.float32).max)
Decision = TypeVar("Decision", bound=np.generic)


@dataclass(frozen=True)
class Layout:
    """The sentences of one or several pages.

    Args:
        blocks: for each sentence, the index of its block, never falling.
        words: the number of words of each sentence.
        headings: for each block, whether it is the title or a heading.
        pages: the first block of each page and, at the end, the number of blocks; shape (pages + 1,).
        headlines: returns the place of each page's headline among all blocks; called only if a cut keeps headlines.
        origins: for each sentence of weighted text, the sentence that it is or copies, negative for a sentence that is always
            kept; None for other text.
    """

    blocks: Ints
    words: Ints
    headings: Mask
    pages: Ints
    headlines: Callable[[], Sequence[int]] = tuple
    origins: Ints | None = None

    def always_kept(self, cut: Cut) -> Mask:
        """Return for each block whether a cut keeps it at any score."""
        if cut.headings == KEEP:
            return self.headings
        is_headline = np.zeros_like(self.headings)
        if cut.headings == HEADLINE:
            is_headline[list(self.headlines())] = True
        return is_headline

    def shared(self, decisions: npt.NDArray[Decision], always: Decision) -> npt.NDArray[Decision]:
        """Return a decision for each sentence, and for a copy the decision on its original; `always` keeps a sentence
        in any case.
        """
        if self.origins is None:
            return decisions
        return np.where(self.origins < 0, always, decisions[self.origins])


@dataclass(frozen=True)
class BestFirst:
    """The blocks or sentences that a cut scores, in the document's order; each array has one entry for each of them.

    Attributes:
        before: the words of the page's segments with better scores.
        all_words: the words of the page.
        dropped: whether the segment is a heading that the cut drops.
        bad: the scores, turned so that the best is lowest.
    """

    before: Ints
    all_words: Ints
    dropped: Mask
    bad: Scores


def best_first(cut: Cut, scores: Scores, layout: Layout, kept_before: Mask) -> BestFirst:
    """Return the words before each segment in its page, kept headings first, then the best scores.

    Args:
        cut: its cutoff does not matter.
        scores: one per block or sentence, as the cut's scorer scores.
        layout: the layout of the sentences.
        kept_before: for each sentence, whether the earlier cuts keep it; only words of these sentences are counted.
    """
    pages = np.repeat(np.arange(len(layout.pages) - 1), np.diff(layout.pages))
    headings = layout.headings
    always = layout.always_kept(cut)
    words = layout.words * kept_before
    if cut.scorer.segment == BLOCK:
        words = np.bincount(layout.blocks, weights=words, minlength=len(headings)).astype(np.int64)
    else:
        pages = pages[layout.blocks]
        headings = headings[layout.blocks]
        always = always[layout.blocks]
    bad = scores
    if cut.scorer.keep == KEEP_HIGH:
        bad = -scores
    dropped = headings & (cut.headings == DROP)
    words = np.where(dropped, 0, words)
    # The last key sorts first. Sorting is stable, and NaN sorts last.
    keys = [bad, ~always, pages]
    if cut.scorer.decides:
        keys.insert(0, -words)
    order = np.lexsort(keys)
    reached = np.concatenate(([0], np.cumsum(words[order])))
    # Pages are in order, so that the words before a page are the words before its first segment.
    first = np.searchsorted(pages, pages)
    after = np.searchsorted(pages, pages, side="right")
    before = np.empty(len(order), dtype=np.int64)
    before[order] = reached[:-1]
    return BestFirst(before - reached[first], reached[after] - reached[first], dropped, bad)


def kept_by_floor(cut: Cut, scores: Scores, layout: Layout, kept_before: Mask) -> Mask:
    """Return the sentences that the floor of a cut keeps, none for a floor of 0; for the arguments see `best_first`."""
    if not cut.floor:
        return np.zeros(len(layout.blocks), dtype=np.bool_)
    order = best_first(cut, scores, layout, kept_before)
    within_floor = (order.before < cut.floor) & ~order.dropped
    if cut.scorer.segment == BLOCK:
        return within_floor[layout.blocks]
    return within_floor


def shares_before(cut: Cut, scores: Scores, layout: Layout, kept_before: Mask) -> Shares:
    """Return for each sentence the per cent of its page's words that come before it, or before its block if blocks are scored.

    Shares are below 100, and infinite for sentences that no quota keeps. Dropped headings are not marked. The arguments
    are as for `best_first`.
    """
    order = best_first(cut, scores, layout, kept_before)
    # A page without words has 0 / 1.
    shares = np.minimum(100 * order.before / np.maximum(order.all_words, 1), _LAST)
    shares[~(order.bad < np.inf)] = np.inf
    if cut.scorer.segment == BLOCK:
        return shares[layout.blocks]
    return shares


@dataclass(frozen=True)
class CleanedDocument:
    """A cleaned page.

    Attributes:
        id: the id of the document.
        text: the kept text, perhaps empty.
        words: the number of words of the cleaned text.
        url: its address.
        lost: the page's text if the cleaner drops all of it, else empty.
        title: the page's title, kept or not.
        problem: the reason why the page failed; a failed page has no text.
        sentences: the numbers of the kept sentences.
        markdown: the kept part of the page as Markdown, if that was asked for.
    """

    id: str
    text: str = field(repr=False)
    words: int
    url: str | None = None
    lost: str = field(default="", repr=False)
    title: str = ""
    problem: str = ""
    sentences: Sequence[int] = field(default=(), compare=False, repr=False)
    markdown: str = field(default="", repr=False)


def passes(cut: Cut, scores: Scores) -> Mask:
    """Return which segments a cut at a number keeps: score >= cutoff, or <= where low scores are content."""
    # Larger cutoffs become the largest finite float32, not infinity, which is a possible score.
    cutoff = np.float32(np.clip(cut.threshold, -_LARGEST, _LARGEST))
    if cut.scorer.keep == KEEP_HIGH:
        return scores >= cutoff
    return scores <= cutoff


def within_cutoff(cut: Cut, scores: Scores, layout: Layout, kept_before: Mask) -> Mask:
    """Return which sentences the cutoff of a cut keeps, without regard to headings and floors.

    The cutoff is a number or a quota, not a percentile. For the arguments see `best_first`.
    """
    if cut.quota:
        return shares_before(cut, scores, layout, kept_before) < cut.threshold
    passed = passes(cut, scores)
    if cut.scorer.segment == BLOCK:
        return passed[layout.blocks]
    return passed


def sentence_mask(cleaner: Cleaner, scores: Mapping[str, Scores], layout: Layout) -> Mask:
    """Return which sentences pass all cuts of a cleaner; scores are by scorer's canonical name, one per block or sentence."""
    mask = np.ones(len(layout.blocks), dtype=np.bool_)
    for cut in cleaner.cuts:
        scores_of_cut = scores[cut.scorer.canonical_name]
        passed = within_cutoff(cut, scores_of_cut, layout, mask) | layout.always_kept(cut)[layout.blocks]
        if cut.headings == DROP:
            passed &= ~layout.headings[layout.blocks]
        if cut.floor:
            passed |= kept_by_floor(cut, scores_of_cut, layout, mask)
        mask &= passed
    return layout.shared(mask, np.True_)


def kept_text(text: str, sentence_ends: Sequence[int], block_of_sentence: Sequence[int], mask: Mask) -> str:
    """Return the kept sentences of a page, with a line feed where a block ends."""
    if mask.all():
        return text
    edges = np.flatnonzero(np.diff(mask, prepend=False, append=False)).tolist()
    pieces: list[str] = []
    last = 0
    for first, after in zip(edges[::2], edges[1::2], strict=True):
        if pieces:
            pieces.append("\n" if block_of_sentence[first] != block_of_sentence[last] else " ")
        last = after - 1
        begin = 0
        if first:
            begin = sentence_ends[first - 1]
        pieces.append(text[begin : sentence_ends[last]].rstrip(" \n"))
    return "".join(pieces)


def clean_page(page: stores.PageScores, cleaner: Cleaner) -> CleanedDocument:
    """Clean a page scored by the cleaner's scorers."""
    page = page.of(cleaner.input_name)
    segments = page.segments
    if segments is None:
        return CleanedDocument(page.id, "", 0, page.url, problem=page.reason)
    page_ends = np.array([0, len(segments.block_ends)])
    headlines = partial(headlines_of, [segments.text], segments.levels, page_ends)
    layout = Layout(segments.block_of_sentence, segments.words_in_sentences, segments.is_heading, page_ends, headlines)
    mask = sentence_mask(cleaner, page.scores, layout)
    words = int(segments.words_in_sentences[mask].sum())
    lost = "" if mask.any() else segments.text
    title = _title(segments.text, segments.levels, segments.block_ends)
    text = kept_text(segments.text, segments.sentence_ends.tolist(), segments.block_of_sentence.tolist(), mask)
    sentences = np.flatnonzero(mask).tolist()
    return CleanedDocument(page.id, text, words, page.url, lost, title, sentences=sentences)


def left_by(cleaner: Cleaner, segments: Segments) -> str:
    """Score a page and return the text that a cleaner leaves of it."""
    scores: dict[str, Scores] = {}
    for scorer in cleaner.scorers:
        scores[scorer.canonical_name] = scorer.score(segments)
    return clean_page(stores.PageScores("", stores.SCORED, segments=segments, scores=scores), cleaner).text


def cleaned_documents(folder: Path, cleaner: Cleaner) -> Iterator[CleanedDocument]:
    """Yield the cleaned pages of a score store in the collection's order; percentiles are of this store."""
    cleaner = resolved(folder, cleaner)
    for path in stores.shards(stores.text_store(folder, cleaner.input_name)):
        for _, document, _ in cut_shard(stores.read_shard(path, shard_columns([cleaner])), cleaner):
            yield document


def shard_columns(cleaners: Sequence[Cleaner]) -> list[str]:
    """Return the columns of a shard that cleaners need."""
    score_columns: set[str] = set()
    for cleaner in cleaners:
        for scorer in cleaner.scorers:
            score_columns.add(f"score:{scorer.canonical_name}")
    columns = ["id", "url", "status", "text", "block_ends", "sentence_ends", "levels", "words", stores.ORIGINS]
    return columns + sorted(score_columns)


def shard_layout(table: Table) -> Layout:
    """Return the layout of a shard's sentences, from the columns `shard_columns` names."""
    levels = table.lists("levels")
    words = table.lists("words").values
    blocks = stores.blocks_of_sentences(table)
    origins = _origins(table)

    def headlines() -> Sequence[int]:
        is_own = None if origins is None else np.isin(np.arange(len(levels.values)), blocks[_are_own(origins)])
        return headlines_of(table.texts("text").tolist(), levels.values, levels.offsets, is_own)

    return Layout(blocks, words, levels.values > 0, levels.offsets, headlines, origins)


def _origins(table: Table) -> Ints | None:
    """Return the column `ORIGINS` with numbers of sentences within the shard; None if the shard is not weighted."""
    if stores.ORIGINS not in table.columns:
        return None
    origins = table.lists(stores.ORIGINS)
    return np.where(origins.values < 0, -1, origins.values + origins.offsets[origins.rows])


def _are_own(origins: Ints) -> Mask:
    """Return for each sentence whether it is no copy."""
    is_own: Mask = origins == np.arange(len(origins))
    return is_own


def headlines_of(
    texts: Sequence[str], levels: npt.NDArray[np.int8], pages: Ints, is_own: Mask | None = None
) -> list[int]:
    """Return the headlines of pages, in their places among all blocks.

    `is_own` says of each block whether it is the page's own, as are the first blocks of each page; None if all are.
    """
    headlines: list[int] = []
    for text, (first, after) in zip(texts, pairwise(pages.tolist()), strict=True):
        own_blocks = after - first if is_own is None else int(is_own[first:after].sum())
        headline = find_headline(text.split("\n")[:own_blocks], levels[first : first + own_blocks].tolist())
        if headline is not None:
            headlines.append(first + headline)
    return headlines


def shard_mask(table: Table, cleaner: Cleaner, layout: Layout) -> Mask:
    """Return which sentences of a shard a cleaner keeps, from the columns `shard_columns` names."""
    scores: dict[str, Scores] = {}
    for scorer in cleaner.scorers:
        scores[scorer.canonical_name] = table.lists(f"score:{scorer.canonical_name}").values
    return sentence_mask(cleaner, scores, layout)


class CutPage(NamedTuple):
    """A page of a shard that is cut: its row, its document, and for each kept sentence its block's number in the shard."""

    row: int
    document: CleanedDocument
    blocks: Ints


def cut_shard(table: Table, cleaner: Cleaner) -> Iterator[CutPage]:
    """Yield the pages of a shard, cut by a cleaner, except failed ones.

    All sentences of a shard are handled at once, to save numpy calls. The table has the columns that `shard_columns`
    names; the cleaner is resolved.
    """
    if not len(table):
        return
    layout = shard_layout(table)
    mask = shard_mask(table, cleaner, layout)
    words_kept_before = np.concatenate(([0], np.cumsum(layout.words * mask)))
    sentence_ends = table.lists("sentence_ends")
    block_ends = table.lists("block_ends")
    levels = table.lists("levels")
    ids = table.texts("id").tolist()
    urls = table.texts("url").tolist()
    statuses = table.texts("status").tolist()
    for row, text in enumerate(table.texts("text").tolist()):
        if statuses[row] == stores.FAILED:
            continue
        first, after = sentence_ends.offsets[row : row + 2].tolist()
        mask_of_page = mask[first:after]
        blocks_of_page = layout.blocks[first:after]
        sentences = np.flatnonzero(mask_of_page)
        document = CleanedDocument(
            ids[row],
            kept_text(text, sentence_ends[row].tolist(), blocks_of_page.tolist(), mask_of_page) if text else "",
            words=int(words_kept_before[after] - words_kept_before[first]),
            url=urls[row] or None,
            lost="" if len(sentences) else text,
            title=_title(text, levels[row], block_ends[row]),
            sentences=sentences.tolist(),
        )
        yield CutPage(row, document, blocks_of_page[sentences])


def _title(text: str, levels: npt.NDArray[np.int8] | Ints, block_ends: Ints) -> str:
    """Return a page's title, mostly its first block: text may stand before TITLE."""
    titles = np.flatnonzero(levels == TITLE_LEVEL)
    if not len(titles):
        return ""
    title = titles[0]
    begin = block_ends[title - 1] if title else 0
    return text[begin : block_ends[title]].rstrip("\n")

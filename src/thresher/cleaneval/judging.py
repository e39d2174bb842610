"""Cleaning pages that have gold texts, from a score store, and comparing every cleaned page with its gold text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np

from thresher.cleaneval.cleaning_measures import (
    PageWords,
    SegmentCounts,
    SnippetCounts,
    TokenCounts,
    compare_segments,
    compare_tokens,
    compare_words,
    count_snippets,
)
from thresher.cleaneval.gold import GoldPage
from thresher.cleaneval.gold_texts import LabelledText
from thresher.cleaneval.reliability import PageStatistics, page_statistics
from thresher.cleaneval.rouge import RougeCounts, rouge_lsum
from thresher.collections import IdRule, Part, ReadOptions, Source
from thresher.collections.ids import escape_id
from thresher.collections.sources import FileState, Reading, Span
from thresher.files import digest, file_digest, user_error
from thresher.kept_results import Keeper
from thresher.passes.backends import Backend, run_tasks
from thresher.scorers.base import Scorer
from thresher.scorers.cleaners import Cleaner
from thresher.scoring.cutting import block_labels, cut_shard, shard_columns
from thresher.scoring.percentiles import resolve_all
from thresher.scoring.score_pass import ScorePlan, score_collection
from thresher.scoring.store import read_shard, shards
from thresher.streams import COMPRESSIONS, open_stream

Text = tuple[LabelledText, ...]
Compared = TypeVar("Compared")

SHARD_PAGES = 16
"""Gold standards are small: with shards of the usual size, workers would be idle."""


@dataclass(frozen=True)
class CleanedPage:
    """A page's id and its text by each cleaner, in order; `problem` says why it could not be cleaned."""

    id: str
    texts: tuple[Text, ...]
    problem: str = ""


def cleaned_pages(path: Path, cleaners: Sequence[Cleaner]) -> Iterator[CleanedPage]:
    """Yield every page of a shard that was scored with labels, cleaned by every cleaner.

    Title and headings are labelled `h`, the first block of a list item `l`, all other blocks `p`. A block of which only some
    sentences are kept is one text. All text, which nothing cut into segments, has no labels. The cleaners' cutoffs are
    numbers, not percentiles.

    Raises:
        StateError: if the shard is damaged or lacks scores or labels.
    """
    table = read_shard(path, [*shard_columns(cleaners), "reason", "list_items"])
    kinds = block_labels(table)
    texts: list[list[Text]] = [[()] * len(cleaners) for _ in range(len(table))]
    for column, cleaner in enumerate(cleaners):
        for row, document, blocks in cut_shard(table, cleaner):
            if document.text:
                labels = kinds[np.unique(blocks)].tolist()
                texts[row][column] = tuple(
                    LabelledText(label if cleaner.cuts else None, text)
                    for label, text in zip(labels, document.text.split("\n"), strict=True)
                )
    for document_id, reason, page in zip(table["id"].to_pylist(), table["reason"].to_pylist(), texts, strict=True):
        yield CleanedPage(document_id, tuple(page), reason)


@dataclass(frozen=True)
class GoldCollection:
    """Pages with gold, in order; the id of a page is its escaped stem."""

    path: Path
    pages: Sequence[GoldPage]
    options: ReadOptions = field(default_factory=lambda: ReadOptions(IdRule(ids="stem", escape=True)))

    def fingerprint(self) -> str:
        """Return a digest of the names, sizes and modification times of the pages."""
        states = ((source.id, source.listed) for source in self._sources())
        return digest([(name, state.size, state.modified) for name, state in states if state])

    def files(self) -> dict[str, FileState]:
        """Return the files of the pages as they are now."""
        return {str(source.path): source.listed for source in self._sources() if source.listed}

    def parts(self, pages: int) -> Iterator[Part]:
        """Yield parts of at most that many pages.

        Raises:
            InputError: if a page's file is missing.
        """
        sources = tuple(self._sources())
        for number, first in enumerate(range(0, len(sources), pages)):
            yield Part(0, number, self.path, "", sources=sources[first : first + pages])

    def read(self, part: Part) -> Reading:
        """Read the pages of a part; a page whose compressed file is damaged has a problem."""
        yield from map(_unpacked, part.sources or ())
        return Span(None, part.begin)

    def _sources(self) -> Iterator[Source]:
        for page in self.pages:
            try:
                state = FileState.of(page.path.stat())
            except OSError as error:
                raise user_error(error, page.path) from error
            name, url = page.path.name, page.url or None
            yield Source(page_id(page), name, state.size, path=page.path, url=url, listed=state)


def page_id(page: GoldPage) -> str:
    """Return the document id of a page with gold."""
    return escape_id(page.stem)


def _unpacked(source: Source) -> Source:
    if source.path is None or not source.path.name.lower().endswith(COMPRESSIONS):
        return source
    with open_stream(source.path) as stream:
        content = stream.read()
        return replace(source, size=len(content), content=content, problem=stream.damage or None)


@dataclass(frozen=True)
class PageQuality:
    """A cleaned page against its gold text: words, tokens, segments (None if the gold text has none), ROUGE-LSum.

    `statistics` describe the cleaned page alone; None if it has no words. `snippets` is None where the gold has none.
    """

    words: PageWords
    tokens: TokenCounts
    segments: SegmentCounts | None
    rouge: RougeCounts
    statistics: PageStatistics | None
    snippets: SnippetCounts | None = None


@dataclass(frozen=True)
class PartialQuality:
    """The number of words of a cleaned page, and its snippets (None where the gold has none)."""

    words: int
    snippets: SnippetCounts | None


def page_quality(cleaned: Sequence[LabelledText], gold: GoldPage) -> PageQuality:
    """Compare a cleaned page with all that its gold says."""
    return replace(compare_page(cleaned, gold.segments), snippets=_snippets(joined(cleaned), gold))


def partial_quality(cleaned: Sequence[LabelledText], gold: GoldPage) -> PartialQuality:
    """Compare a cleaned page with its gold's snippets alone."""
    text = joined(cleaned)
    return PartialQuality(len(text.split()), _snippets(text, gold))


def _snippets(cleaned: str, gold: GoldPage) -> SnippetCounts | None:
    return count_snippets(cleaned, gold.required, gold.forbidden)


def compare_page(cleaned: Sequence[LabelledText], gold: Sequence[LabelledText]) -> PageQuality:
    """Compare a cleaned page with its gold text."""
    text, gold_text = joined(cleaned), joined(gold)
    return PageQuality(
        compare_words(text, gold_text),
        compare_tokens(text, gold_text),
        compare_segments(cleaned, gold),
        rouge_lsum(text, gold_text),
        page_statistics([part.text for part in cleaned]),
    )


def joined(parts: Sequence[LabelledText]) -> str:
    """Return the texts of the parts, each starting a new line."""
    return "\n".join(part.text for part in parts)


@dataclass(frozen=True)
class PageJudgement(Generic[Compared]):
    """A page's quality by each cleaner, in order; `problem` says why the page could not be parsed or scored.

    Such a page counts as emptied by every cleaner.
    """

    stem: str
    quality: tuple[Compared, ...]
    problem: str = ""


def score_gold(
    pages: Sequence[GoldPage], scorers: Sequence[Scorer], folder: Path, workers: int = 1, fresh: bool = False
) -> None:
    """Score pages with gold into the score store `folder`, unless they are scored already.

    Args:
        pages: at least one.
        scorers: all that the cleaners need; duplicates by canonical name are scored once.
        folder: the score store.
        workers: number of processes.
        fresh: replace scores that were made otherwise, instead of refusing.

    Raises:
        InputError: if a page's file is missing.
        StateError: if the folder holds scores of other pages or made in another way.
        ThresherError: if a scorer's model is missing.
    """
    distinct = tuple({scorer.canonical_name: scorer for scorer in scorers}.values())
    collection = GoldCollection(pages[0].path.parent, pages)
    plan = ScorePlan(collection, distinct, labels=True, most_pages=SHARD_PAGES)
    score_collection(plan, folder, Backend(workers=workers), fresh)


def judge_pages(
    pages: Sequence[GoldPage], folder: Path, cleaners: Sequence[Cleaner], workers: int = 1, keep: Path | None = None
) -> Iterator[PageJudgement[PageQuality]]:
    """Compare every page of the score store `folder`, cleaned by every cleaner, with its gold text, in order.

    Percentile cutoffs are over all pages of the store. What is finished is kept in the folder `keep`, if there is one.

    Raises:
        StateError: if the store is damaged or lacks scores.
    """
    kind = list[PageJudgement[PageQuality]]
    return _over_shards(partial(_judge_shard, page_quality), kind, pages, folder, cleaners, workers, keep)


def judge_snippets(
    pages: Sequence[GoldPage], folder: Path, cleaners: Sequence[Cleaner], workers: int = 1, keep: Path | None = None
) -> Iterator[PageJudgement[PartialQuality]]:
    """Compare with the gold's snippets alone; otherwise like `judge_pages`."""
    kind = list[PageJudgement[PartialQuality]]
    return _over_shards(partial(_judge_shard, partial_quality), kind, pages, folder, cleaners, workers, keep)


def judge_words(
    pages: Sequence[GoldPage], folder: Path, cleaners: Sequence[Cleaner], workers: int = 1, keep: Path | None = None
) -> Iterator[tuple[PageWords, ...]]:
    """Compare words only, which is much faster for many cutoffs; otherwise like `judge_pages`."""
    return _over_shards(_words_of_shard, list[tuple[PageWords, ...]], pages, folder, cleaners, workers, keep)


def judge_texts(
    texts: Sequence[Sequence[Text]], gold: Sequence[GoldPage], workers: int = 1, keep: Path | None = None
) -> Iterator[tuple[PageQuality, ...]]:
    """Compare texts that other packages extracted, by page and package, with the gold pages in the same order."""
    return _over_texts(page_quality, tuple[PageQuality, ...], texts, gold, workers, keep)


def judge_text_snippets(
    texts: Sequence[Sequence[Text]], gold: Sequence[GoldPage], workers: int = 1, keep: Path | None = None
) -> Iterator[tuple[PartialQuality, ...]]:
    """Compare with the gold's snippets alone; otherwise like `judge_texts`."""
    return _over_texts(partial_quality, tuple[PartialQuality, ...], texts, gold, workers, keep)


def _over_texts(
    compare: Callable[[Text, GoldPage], Compared],
    kind: Any,
    texts: Sequence[Sequence[Text]],
    gold: Sequence[GoldPage],
    workers: int,
    keep: Path | None,
) -> Iterator[tuple[Compared, ...]]:
    tasks = ((page, wanted, compare, kind, keep) for page, wanted in zip(texts, gold, strict=True))
    yield from run_tasks(
        Backend(workers=workers), _texts_of_page, tasks, "comparing texts", "the gold pages", ordered=True
    )


def _texts_of_page(
    texts: Sequence[Text], gold: GoldPage, compare: Callable[[Text, GoldPage], Compared], kind: Any, keep: Path | None
) -> tuple[Compared, ...]:
    keeper: Keeper[tuple[Compared, ...]] = Keeper(keep, kind)
    made_from = [_said(gold), [[[part.label, part.text] for part in text] for text in texts]]
    return keeper.find(made_from) or keeper.keep(made_from, _compare_all(texts, gold, compare))


def _over_shards(
    judge: Callable[[Path, Mapping[str, GoldPage], Sequence[Cleaner]], list[Compared]],
    kind: Any,
    pages: Sequence[GoldPage],
    folder: Path,
    cleaners: Sequence[Cleaner],
    workers: int,
    keep: Path | None,
) -> Iterator[Compared]:
    gold = {page_id(page): page for page in pages}
    cleaners = resolve_all(folder, cleaners)
    tasks = (
        (judge, kind, path, {name: gold[name] for name in read_shard(path, ["id"])["id"].to_pylist()}, cleaners, keep)
        for path in shards(folder)
    )
    for judged in run_tasks(Backend(workers=workers), _over_shard, tasks, "comparing pages", str(folder), ordered=True):
        yield from judged


def _over_shard(
    judge: Callable[[Path, Mapping[str, GoldPage], Sequence[Cleaner]], list[Compared]],
    kind: Any,
    path: Path,
    gold: Mapping[str, GoldPage],
    cleaners: Sequence[Cleaner],
    keep: Path | None,
) -> list[Compared]:
    keeper: Keeper[list[Compared]] = Keeper(keep, kind)
    names = [[cleaner.name, cleaner.resolved_cutoffs] for cleaner in cleaners]
    # A shard's bytes depend on its pages and the scorers alone.
    made_from = [file_digest(path), names, *map(_said, gold.values())]
    return keeper.find(made_from) or keeper.keep(made_from, judge(path, gold, cleaners))


def _said(gold: GoldPage) -> list[Any]:
    return [gold.stem, [[part.label, part.text] for part in gold.segments], gold.required, gold.forbidden]


def _judge_shard(
    compare: Callable[[Text, GoldPage], Compared], path: Path, gold: Mapping[str, GoldPage], cleaners: Sequence[Cleaner]
) -> list[PageJudgement[Compared]]:
    return [
        PageJudgement(gold[page.id].stem, _compare_all(page.texts, gold[page.id], compare), page.problem)
        for page in cleaned_pages(path, cleaners)
    ]


def _words_of_shard(
    path: Path, gold: Mapping[str, GoldPage], cleaners: Sequence[Cleaner]
) -> list[tuple[PageWords, ...]]:
    def words(cleaned: Text, gold: GoldPage) -> PageWords:
        return compare_words(joined(cleaned), gold.text)

    return [_compare_all(page.texts, gold[page.id], words) for page in cleaned_pages(path, cleaners)]


def _compare_all(
    texts: Sequence[Text], gold: GoldPage, compare: Callable[[Text, GoldPage], Compared]
) -> tuple[Compared, ...]:
    # Cleaners often leave the same text, and comparing is expensive.
    compared: dict[Text, Compared] = {}
    for text in texts:
        if text not in compared:
            compared[text] = compare(text, gold)
    return tuple(compared[text] for text in texts)

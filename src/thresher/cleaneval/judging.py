"""What cleaners leave of the pages of a score store, block by block, with what each block is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import numpy as np
from joblib import Parallel, delayed

from thresher.cleaneval.gold import GoldPage, LabelledText
from thresher.cleaneval.measures import PageWords, compare_words
from thresher.cleaneval.reliability import PageStatistics, page_statistics
from thresher.cleaneval.rouge import RougeCounts, rouge_lsum
from thresher.cleaneval.segmentation import SegmentCounts, compare_segments
from thresher.collections import IdRule, Part, ReadOptions, Source
from thresher.collections.base import read_sources
from thresher.collections.ids import escape_id
from thresher.collections.records import Reading
from thresher.files import digest, user_error
from thresher.pages.marked_text import HEADING, LIST_ITEM, PARAGRAPH
from thresher.passes.backends import Backend
from thresher.scorers.base import Scorer
from thresher.scorers.cleaners import Cleaner
from thresher.scoring.cutting import cut_shard, shard_columns
from thresher.scoring.percentiles import resolve_all
from thresher.scoring.score_pass import ScorePlan, score_collection
from thresher.scoring.store import list_column, read_shard, shards

Text = tuple[LabelledText, ...]


@dataclass(frozen=True)
class CleanedPage:
    """A page's id and its text by each cleaner, in their order; `problem` says why it has none."""

    id: str
    texts: tuple[Text, ...]
    problem: str = ""


def cleaned_pages(path: Path, cleaners: Sequence[Cleaner]) -> Iterator[CleanedPage]:
    """Give every page of a shard that was scored with labels, cleaned by every cleaner.

    Title and headings are `h`; of a list item the first block is `l`; all other blocks are `p`. A block of which some
    sentences are kept is one text. The cleaners are resolved.

    Raises:
        StateError: if the shard is damaged or lacks scores or labels.
    """
    table = read_shard(path, [*shard_columns(cleaners), "reason", "list_items"])
    kinds = np.where(list_column(table, "list_items")[1], LIST_ITEM, PARAGRAPH)
    kinds[list_column(table, "levels")[1] > 0] = HEADING
    texts: list[list[Text]] = [[()] * len(cleaners) for _ in range(len(table))]
    for place, cleaner in enumerate(cleaners):
        for row, document, blocks in cut_shard(table, cleaner):
            if document.text:
                labels = kinds[np.unique(blocks)].tolist()
                texts[row][place] = tuple(
                    LabelledText(label, text) for label, text in zip(labels, document.text.split("\n"), strict=True)
                )
    for document_id, reason, page in zip(table["id"].to_pylist(), table["reason"].to_pylist(), texts, strict=True):
        yield CleanedPage(document_id, tuple(page), reason)


@dataclass(frozen=True)
class GoldCollection:
    """Pages with gold, in their order; the id of a page is its stem, escaped."""

    path: Path
    pages: Sequence[GoldPage]
    options: ReadOptions = field(default_factory=lambda: ReadOptions(IdRule(ids="stem", escape=True)))

    def fingerprint(self) -> str:
        """Return a digest over names, sizes and modification times of the pages."""
        return digest([(source.id, source.size, _modified(source.path)) for source in self._sources()])

    def parts(self, pages: int) -> Iterator[Part]:
        """Give the pages, which are read later, some at a time.

        Raises:
            InputError: if the file of a page is gone.
        """
        sources = tuple(self._sources())
        for number, first in enumerate(range(0, len(sources), pages)):
            yield Part(0, number, self.path, "", sources=sources[first : first + pages])

    def read(self, part: Part) -> Reading:
        """Give the pages of a part."""
        return read_sources(part)

    def _sources(self) -> Iterator[Source]:
        for page in self.pages:
            try:
                size = page.path.stat().st_size
            except OSError as error:
                raise user_error(error, page.path) from error
            yield Source(page_id(page), page.path.name, size, path=page.path)


def page_id(page: GoldPage) -> str:
    """Return the document id of a page with gold."""
    return escape_id(page.stem)


def _modified(path: Path | None) -> int:
    return path.stat().st_mtime_ns if path else 0


@dataclass(frozen=True)
class PageQuality:
    """How well a page was cleaned: its words, its segments (None where the gold text has none), ROUGE-LSum.

    `statistics` are of the cleaned page alone; None if it holds no word.
    """

    words: PageWords
    segments: SegmentCounts | None
    rouge: RougeCounts
    statistics: PageStatistics | None


def compare_page(cleaned: Sequence[LabelledText], gold: Sequence[LabelledText]) -> PageQuality:
    """Compare a cleaned page with its gold text."""
    text, wanted = joined(cleaned), joined(gold)
    return PageQuality(
        compare_words(text, wanted),
        compare_segments(cleaned, gold),
        rouge_lsum(text, wanted),
        page_statistics([part.text for part in cleaned]),
    )


def joined(parts: Sequence[LabelledText]) -> str:
    """Return the text of the parts, each on lines of its own."""
    return "\n".join(part.text for part in parts)


SHARD_PAGES = 16
"""Gold standards are small: a shard of the usual size would leave workers without work."""

Compared = TypeVar("Compared")


@dataclass(frozen=True)
class JudgedPage:
    """How well one page was cleaned by each cleaner, in the order asked; `problem` says why it has no text at all.

    A page that cannot be parsed or scored counts as emptied by every cleaner.
    """

    stem: str
    quality: tuple[PageQuality, ...]
    problem: str = ""


def score_gold(
    pages: Sequence[GoldPage], scorers: Sequence[Scorer], folder: Path, workers: int = 1, fresh: bool = False
) -> None:
    """Score pages with gold into the score store `folder`; what is there already is kept.

    Args:
        pages: at least one.
        scorers: all that the cleaners to come need; of those with the same canonical name the first serves.
        folder: the score store.
        workers: how many processes.
        fresh: drop scores that were made otherwise, instead of refusing.

    Raises:
        InputError: if a page's file is gone.
        StateError: if the folder holds scores that were made from other pages or in another way.
        ThresherError: what a scorer raises that lacks its model.
    """
    distinct = tuple({scorer.canonical_name: scorer for scorer in scorers}.values())
    collection = GoldCollection(pages[0].path.parent, pages)
    plan = ScorePlan(collection, distinct, labels=True, shard_pages=SHARD_PAGES)
    score_collection(plan, folder, Backend(workers=workers), fresh)


def judge_pages(
    pages: Sequence[GoldPage], folder: Path, cleaners: Sequence[Cleaner], workers: int = 1
) -> Iterator[JudgedPage]:
    """Compare every page of the score store `folder`, cleaned by every cleaner, with its gold text, in the pages' order.

    Percentiles are of all pages of the store.

    Raises:
        StateError: if the store is damaged or lacks scores.
    """
    return _over_shards(_judge_shard, pages, folder, cleaners, workers)


def judge_words(
    pages: Sequence[GoldPage], folder: Path, cleaners: Sequence[Cleaner], workers: int = 1
) -> Iterator[tuple[PageWords, ...]]:
    """Compare the words alone: for many cutoffs that is much sooner. Otherwise as `judge_pages`."""
    return _over_shards(_words_of_shard, pages, folder, cleaners, workers)


def judge_texts(
    texts: Sequence[Sequence[Text]], gold: Sequence[GoldPage], workers: int = 1
) -> Iterator[tuple[PageQuality, ...]]:
    """Compare texts that came from elsewhere.

    Args:
        texts: for each page its text by each of its cleaners.
        gold: the pages, in the same order.
        workers: how many processes.
    """
    pool = Parallel(n_jobs=workers, return_as="generator")
    yield from pool(delayed(_compare_all)(page, wanted, compare_page) for page, wanted in zip(texts, gold, strict=True))


def _over_shards(
    judge: Callable[[Path, Mapping[str, GoldPage], Sequence[Cleaner]], list[Compared]],
    pages: Sequence[GoldPage],
    folder: Path,
    cleaners: Sequence[Cleaner],
    workers: int,
) -> Iterator[Compared]:
    gold = {page_id(page): page for page in pages}
    cleaners = resolve_all(folder, cleaners)
    pool = Parallel(n_jobs=workers, return_as="generator", batch_size=1)
    tasks = (
        delayed(judge)(path, {found: gold[found] for found in read_shard(path, ["id"])["id"].to_pylist()}, cleaners)
        for path in shards(folder)
    )
    for judged in pool(tasks):
        yield from judged


def _judge_shard(path: Path, gold: Mapping[str, GoldPage], cleaners: Sequence[Cleaner]) -> list[JudgedPage]:
    return [
        JudgedPage(gold[page.id].stem, _compare_all(page.texts, gold[page.id], compare_page), page.problem)
        for page in cleaned_pages(path, cleaners)
    ]


def _words_of_shard(
    path: Path, gold: Mapping[str, GoldPage], cleaners: Sequence[Cleaner]
) -> list[tuple[PageWords, ...]]:
    def words(cleaned: Text, wanted: Text) -> PageWords:
        return compare_words(joined(cleaned), joined(wanted))

    return [_compare_all(page.texts, gold[page.id], words) for page in cleaned_pages(path, cleaners)]


def _compare_all(
    texts: Sequence[Text], gold: GoldPage, compare: Callable[[Text, Text], Compared]
) -> tuple[Compared, ...]:
    # Cleaners often leave the same text, and comparing is what takes time.
    compared: dict[Text, Compared] = {}
    for text in texts:
        if text not in compared:
            compared[text] = compare(text, gold.segments)
    return tuple(compared[text] for text in texts)

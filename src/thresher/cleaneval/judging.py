"""Cleaners over a gold standard: every page scored once by the scoring pass, cleaned by each, compared with its gold text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from joblib import Parallel, delayed

from thresher.cleaneval.cleaned import Text, cleaned_pages
from thresher.cleaneval.collection import GoldCollection, page_id
from thresher.cleaneval.comparing import PageQuality, compare_page, joined
from thresher.cleaneval.gold import GoldPage
from thresher.cleaneval.measures import PageWords, compare_words
from thresher.pruning.backends import Backend
from thresher.pruning.percentiles import resolve_all
from thresher.pruning.score_pass import ScorePlan, score_collection
from thresher.pruning.store import read_shard, shards
from thresher.scorers.base import Scorer
from thresher.scorers.cleaners import Cleaner

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

"""Cleaners on partial gold: which snippets they keep, without a measure of whole texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from thresher.cleaneval.gold import GoldStandard
from thresher.cleaneval.judging import PartialQuality, judge_snippets, judge_text_snippets, score_gold
from thresher.cleaneval.peers import Peer
from thresher.cleaneval.results import SnippetSummary, summarize_snippets
from thresher.cleaneval.running import GoldSet, peer_texts
from thresher.errors import InputError
from thresher.progress import progress
from thresher.scorers.cleaners import Cleaner


@dataclass(frozen=True)
class PartialResult:
    """A cleaner, or another package (`is_peer`), over all pages in the gold standard's order.

    Pages on which a package crashed (`crashes`) count as emptied.
    """

    cleaner: str
    is_peer: bool
    crashes: int
    pages: tuple[PartialQuality, ...]
    summary: SnippetSummary

    @property
    def emptied(self) -> int:
        """The number of pages without words left."""
        return sum(page.words == 0 for page in self.pages)


@dataclass(frozen=True)
class PartialRun:
    """The results of a run on partial gold; `problems` and `crashes` are those of `CleaningRun`."""

    name: str
    standard: GoldStandard
    results: tuple[PartialResult, ...]
    problems: tuple[tuple[str, str], ...]
    crashes: tuple[tuple[str, str, str], ...]


def run_partial(
    gold: GoldSet, cleaners: Sequence[Cleaner], peers: Sequence[Peer] = (), workers: int = 1, fresh: bool = False
) -> PartialRun:
    """Count the snippets that cleaners and other packages keep.

    Raises:
        InputError: if no page has a snippet.
        ThresherError: as `score_gold`, `judge_snippets` and `run_peers` do.
    """
    pages = gold.standard.pages
    if not any(page.required or page.forbidden for page in pages):
        raise InputError("no page has a snippet", "add snippets `with` or `without`", str(gold.folder))
    score_gold(pages, [scorer for cleaner in cleaners for scorer in cleaner.scorers], gold.store, workers, fresh)
    found = judge_snippets(pages, gold.store, cleaners, workers, gold.keep)
    judged = list(progress(found, "comparing", len(pages), "pages"))
    by_cleaner = zip(*(page.quality for page in judged), strict=True)
    results = [_result(cleaner.name, False, 0, quality) for cleaner, quality in zip(cleaners, by_cleaner, strict=True)]
    crashes: tuple[tuple[str, str, str], ...] = ()
    if peers:
        texts, crashes = peer_texts(gold, peers, workers)
        compared = progress(judge_text_snippets(texts, pages, workers, gold.keep), "comparing", len(pages), "pages")
        for peer, quality in zip(peers, zip(*compared, strict=True), strict=True):
            crashed = sum(name == peer.name for name, _, _ in crashes)
            results.append(_result(peer.name, True, crashed, quality))
    problems = tuple((page.stem, page.problem) for page in judged if page.problem)
    return PartialRun(gold.name, gold.standard, tuple(results), problems, crashes)


def _result(name: str, is_peer: bool, crashes: int, pages: tuple[PartialQuality, ...]) -> PartialResult:
    summary = summarize_snippets([page.snippets for page in pages])
    assert summary is not None  # there is a snippet
    return PartialResult(name, is_peer, crashes, pages, summary)

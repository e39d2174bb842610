"""A whole run over a gold standard: cleaners, other packages, sweeps, cutoffs tried on another gold standard."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from thresher.cleaneval.gold import GoldStandard
from thresher.cleaneval.judging import judge_pages, judge_texts, judge_words, score_gold
from thresher.cleaneval.labels import LabelledText
from thresher.cleaneval.peer_process import run_peers
from thresher.cleaneval.peers import Peer
from thresher.cleaneval.reliability import LEAST_PAGES, Reliability, measure_reliability
from thresher.cleaneval.results import CleanerPages, CleanerResult, compare_cleaners
from thresher.cleaneval.sweeps import Sweep, Transfer, sweep_curve, transfer
from thresher.evaluation.significance import holm
from thresher.pages.marked_text import PARAGRAPH
from thresher.progress import progress
from thresher.scorers.base import Scorer
from thresher.scorers.cleaners import Cleaner, Cut, sweep_name
from thresher.scorers.relative_cutoffs import Cutoff, Percentile


@dataclass(frozen=True)
class CutoffSweep:
    """A cut without its cutoff, and the cutoffs to try: at least one, all numbers or all percentiles of one kind."""

    template: Cut
    cutoffs: tuple[Cutoff, ...]

    @property
    def name(self) -> str:
        """The scorer's canonical name, with `@p` or `@r` behind it where cutoffs are percentiles."""
        return sweep_name(self.template, self.cutoffs[0])

    @property
    def values(self) -> tuple[float, ...]:
        """The cutoffs as numbers: percentiles are from 0 to 100."""
        return tuple(cutoff.value if isinstance(cutoff, Percentile) else cutoff for cutoff in self.cutoffs)

    @property
    def cleaners(self) -> tuple[Cleaner, ...]:
        """One cleaner a cutoff."""
        return tuple(Cleaner((self.template.at(cutoff, self.name),)) for cutoff in self.cutoffs)


@dataclass(frozen=True)
class GoldSet:
    """A gold standard with its folder and the score store of its pages."""

    folder: Path
    standard: GoldStandard
    store: Path

    @property
    def name(self) -> str:
        """The folder's own name."""
        return self.folder.resolve().name


@dataclass(frozen=True)
class CleaningRun:
    """All that a run found.

    `problems` are of pages that no cleaner could take, `crashes` of packages: (peer, page, why). `reliability` is by cleaner,
    of those that leave enough pages.
    """

    name: str
    standard: GoldStandard
    results: tuple[CleanerResult, ...]
    problems: tuple[tuple[str, str], ...]
    crashes: tuple[tuple[str, str, str], ...]
    reliability: tuple[tuple[str, Reliability], ...]
    sweeps: tuple[Sweep, ...]
    transfers: tuple[Transfer, ...]


def run_cleaners(
    gold: GoldSet,
    cleaners: Sequence[Cleaner],
    peers: Sequence[Peer] = (),
    sweeps: Sequence[CutoffSweep] = (),
    other: GoldSet | None = None,
    workers: int = 1,
    floor: float | None = None,
    fresh: bool = False,
) -> CleaningRun:
    """Measure cleaners, the baseline first, and other packages; sweep cutoffs, and try the best of each on `other`.

    `floor` is the predicted precision of pages that count as reliable; without one they are the better half.

    Raises:
        ConfigError: if `other` is the same folder.
        ThresherError: as `score_gold`, `judge_pages` and `run_peers` do.
    """
    pages = gold.standard.pages
    swept = [cleaner for sweep in sweeps for cleaner in sweep.cleaners]
    score_gold(pages, _scorers([*cleaners, *swept]), gold.store, workers, fresh)
    judged = list(progress(judge_pages(pages, gold.store, cleaners, workers), "comparing", len(pages), "pages"))
    columns = [
        CleanerPages(cleaner.name, tuple(page.quality[place] for page in judged))
        for place, cleaner in enumerate(cleaners)
    ]
    crashes: list[tuple[str, str, str]] = []
    if peers:
        found, crashes = _run_peers(gold, peers, workers)
        columns += found
    results = compare_cleaners(columns)
    baseline = tuple(page.words.alignment.f1 for page in results[0].pages)
    here = _sweep(gold, sweeps, baseline, workers)
    return CleaningRun(
        gold.name,
        gold.standard,
        results,
        tuple((page.stem, page.problem) for page in judged if page.problem),
        tuple(crashes),
        tuple(_reliability(results, floor)),
        here,
        _transfers(here, other, sweeps, workers, fresh) if other and sweeps else (),
    )


def _run_peers(
    gold: GoldSet, peers: Sequence[Peer], workers: int
) -> tuple[list[CleanerPages], list[tuple[str, str, str]]]:
    pages = gold.standard.pages
    ran = list(progress(run_peers(pages, peers, workers), "other packages", len(pages), "pages"))
    texts = [
        tuple(tuple(LabelledText(PARAGRAPH, text) for text in paragraphs) for paragraphs in page.texts) for page in ran
    ]
    compared = list(progress(judge_texts(texts, pages, workers), "comparing", len(pages), "pages"))
    crashes = [
        (peer.name, page.stem, page.problems[place])
        for place, peer in enumerate(peers)
        for page in ran
        if page.problems[place]
    ]
    columns = [
        CleanerPages(
            peer.name,
            tuple(page[place] for page in compared),
            is_peer=True,
            crashes=sum(bool(page.problems[place]) for page in ran),
        )
        for place, peer in enumerate(peers)
    ]
    return columns, crashes


def _sweep(
    gold: GoldSet, sweeps: Sequence[CutoffSweep], baseline: tuple[float, ...], workers: int
) -> tuple[Sweep, ...]:
    found = []
    for sweep in sweeps:
        name = sweep.name
        pages = gold.standard.pages
        words = judge_words(pages, gold.store, sweep.cleaners, workers)
        rows = list(progress(words, f"sweeping {name}", len(pages), "pages"))
        by_cutoff = {cutoff: [row[place] for row in rows] for place, cutoff in enumerate(sweep.values)}
        found.append(Sweep(name, gold.name, gold.folder, sweep_curve(by_cutoff, sweep.template.scorer.keep), baseline))
    return tuple(found)


def _transfers(
    here: Sequence[Sweep], other: GoldSet, sweeps: Sequence[CutoffSweep], workers: int, fresh: bool
) -> tuple[Transfer, ...]:
    pages = other.standard.pages
    score_gold(
        pages, _scorers([cleaner for sweep in sweeps for cleaner in sweep.cleaners]), other.store, workers, fresh
    )
    whole = tuple(row[0].alignment.f1 for row in judge_words(pages, other.store, [Cleaner()], workers))
    there = _sweep(other, sweeps, whole, workers)
    found = [transfer(tuned, tested) for tuned, tested in zip(here, there, strict=True)]
    corrected = holm([item.comparison.p for item in found])
    return tuple(
        replace(item, comparison=replace(item.comparison, p_holm=p)) for item, p in zip(found, corrected, strict=True)
    )


def _reliability(results: Sequence[CleanerResult], floor: float | None) -> Iterator[tuple[str, Reliability]]:
    for result in results:
        statistics = [page.statistics for page in result.pages]
        # Cross-validation fits models to parts of the pages.
        if not result.is_peer and sum(page is not None for page in statistics) >= 2 * LEAST_PAGES:
            precisions = [page.words.alignment.precision for page in result.pages]
            yield result.cleaner, measure_reliability(statistics, precisions, floor)


def _scorers(cleaners: Sequence[Cleaner]) -> list[Scorer]:
    return [scorer for cleaner in cleaners for scorer in cleaner.scorers]

"""Running a cleaning evaluation: cleaners and sweeps, measured on a gold standard that is whole or partial."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import TypeVar

from thresher.cleaneval.gold import GoldStandard
from thresher.cleaneval.gold_texts import LabelledText
from thresher.cleaneval.judging import (
    PartialQuality,
    Text,
    judge_pages,
    judge_snippets,
    judge_text_snippets,
    judge_texts,
    judge_words,
    score_gold,
)
from thresher.cleaneval.peer_process import PeerPage, run_peers
from thresher.cleaneval.peers import Peer
from thresher.cleaneval.reliability import LEAST_PAGES, Reliability, measure_reliability
from thresher.cleaneval.results import CleanerPages, CleanerResult, SnippetSummary, compare_cleaners, summarize_snippets
from thresher.cleaneval.sweeps import GoldSweep, GoldTransfer, best_cutoff, sweep_points, transfer
from thresher.defaults import ALPHA, HOLM
from thresher.errors import ConfigError, ConfigErrors, InputError
from thresher.evaluation.significance import corrected
from thresher.files import file_digest
from thresher.kept_results import Keeper
from thresher.pages.marked_text import PARAGRAPH
from thresher.progress import progress
from thresher.scorers.base import Scorer
from thresher.scorers.cleaners import BASELINE, Cleaner, Cut, parse_cleaner, parse_sweep, sweep_name
from thresher.scorers.relative_cutoffs import Cutoff, parse_cutoff, same_kind, value_of

ROWS = (
    "bars",
    "ncleaner@0",
    "ncleaner(model=nonlexical)@0",
    "justext",
    "boilerpipe(rules=words)",
    "boilerpipe(rules=density)",
    "boilerpipe(rules=cleaneval)",
    "boilerpipe(rules=words,filter=article)",
    "bte",
    "words@10",
    "density@10.5",
    "perplexity(lm=books)@8000",
    "perplexity(lm=books)@10000",
)
"""The cleaners of the papers' tables besides all text: heuristics only, NCleaner's models, jusText, Boilerpipe's rules, BTE,
minimum words and text density of a block, the perplexity paper's two cutoffs."""
MOST_CUTOFFS = 20
Parsed = TypeVar("Parsed")
_SWEEP = re.compile(r"(?P<name>[^()=]+(?:\([^()]*\))?)\s*(?:=(?P<cutoffs>.*))?")


def asked(names: Sequence[str], sweeps: Sequence[str]) -> tuple[tuple[Cleaner, ...], tuple[CutoffSweep, ...]]:
    """Return the cleaners to measure, all text first, and the sweeps; without names the cleaners of `ROWS`.

    Spellings of the same name count once; two sweeps of a scorer become one over the cutoffs of both.

    Raises:
        ConfigErrors: all errors: names that do not parse or are unknown, cutoffs that are not numbers or out of range, a sweep
            over a scorer without a cutoff.
    """
    problems: list[ConfigError] = []
    cleaners = _each((BASELINE, *(names or ROWS)), lambda name: parse_cleaner(name).checked(), problems)
    swept = _each(sweeps, asked_sweep, problems)
    if problems:
        raise ConfigErrors(problems)
    by_name = {cleaner.name: cleaner for cleaner in cleaners}
    merged: dict[str, CutoffSweep] = {}
    for sweep in swept:
        earlier = merged[sweep.name].cutoffs if sweep.name in merged else ()
        merged[sweep.name] = CutoffSweep(sweep.template, tuple(dict.fromkeys((*earlier, *sweep.cutoffs))))
    return tuple(by_name.values()), tuple(merged.values())


def asked_sweep(text: str) -> CutoffSweep:
    """Parse a sweep: `density` over the scorer's grid, `density=5,8,10.5` or `density=doc25,doc50` over these.

    Of a long grid `MOST_CUTOFFS` are taken at even steps, since every cutoff aligns every page again.

    Raises:
        ConfigError: if the name does not parse, the scorer has no cutoff, a cutoff is not a number or out of range, or
            numbers, percentiles and quotas are mixed.
    """
    match = _SWEEP.fullmatch(text.strip())
    if not match:
        raise ConfigError(f"the sweep {text!r} does not parse", "write it like density or density=5,8,10.5", "--sweep")
    template = parse_sweep(match["name"], "--sweep").checked()
    if match["cutoffs"] is None:
        grid = template.scorer.grid
        steps = dict.fromkeys(round(step * (len(grid) - 1) / (MOST_CUTOFFS - 1)) for step in range(MOST_CUTOFFS))
        cutoffs: tuple[Cutoff, ...] = tuple(float(grid[step]) for step in steps)
    else:
        cutoffs = tuple(_cutoff(part, text) for part in match["cutoffs"].split(","))
    if not same_kind(cutoffs):
        raise ConfigError(
            f"the sweep {text!r} mixes numbers, percentiles and quotas, or two kinds of percentiles",
            "sweep over one kind",
            "--sweep",
        )
    for cutoff in cutoffs:
        template.at(cutoff, "--sweep").checked()
    return CutoffSweep(template, tuple(dict.fromkeys(cutoffs)))


def _each(texts: Sequence[str], parse: Callable[[str], Parsed], problems: list[ConfigError]) -> list[Parsed]:
    parsed = []
    for text in texts:
        try:
            parsed.append(parse(text))
        except ConfigError as problem:
            problems.append(problem)
    return parsed


def _cutoff(part: str, text: str) -> Cutoff:
    try:
        return parse_cutoff(part, text, "--sweep")
    except ConfigError as error:
        raise ConfigError(
            f"the cutoff {part.strip()!r} of {text!r} is not a number", "write it like density=5,8,10.5", "--sweep"
        ) from error


@dataclass(frozen=True)
class CutoffSweep:
    """A scorer and the cutoffs to try: at least one, all numbers, all percentiles of one kind, or all quotas."""

    template: Cut
    cutoffs: tuple[Cutoff, ...]

    @property
    def name(self) -> str:
        """The scorer's canonical name, followed by `@p` or `@r` where cutoffs are percentiles, `@doc` where quotas."""
        return sweep_name(self.template, self.cutoffs[0])

    @property
    def values(self) -> tuple[float, ...]:
        """The cutoffs as numbers; percentiles and quotas are in [0, 100]."""
        return tuple(map(value_of, self.cutoffs))

    @property
    def cleaners(self) -> tuple[Cleaner, ...]:
        """One cleaner per cutoff."""
        return tuple(Cleaner((self.template.at(cutoff, self.name),)) for cutoff in self.cutoffs)


@dataclass(frozen=True)
class GoldSet:
    """A gold standard, its folder, and the score store of its pages.

    What is finished of comparisons, and of other packages' pages, is kept in the folder `keep`, if there is one.
    """

    folder: Path
    standard: GoldStandard
    store: Path
    keep: Path | None = None

    @property
    def name(self) -> str:
        """The folder's own name."""
        return self.folder.resolve().name


@dataclass(frozen=True)
class CleaningRun:
    """The results of a run.

    `problems` are pages that could not be parsed or scored: (page, reason); `crashes` are of other packages: (peer, page,
    reason). `reliability` is by cleaner, for those that leave enough pages. `tested` are the sweeps on the gold standard that
    their best cutoffs are tested on, in the same order; empty without one.
    """

    name: str
    standard: GoldStandard
    results: tuple[CleanerResult, ...]
    problems: tuple[tuple[str, str], ...]
    crashes: tuple[tuple[str, str, str], ...]
    reliability: tuple[tuple[str, Reliability], ...]
    sweeps: tuple[GoldSweep, ...]
    tested: tuple[GoldSweep, ...]
    transfers: tuple[GoldTransfer, ...]


def run_cleaners(
    gold: GoldSet,
    cleaners: Sequence[Cleaner],
    peers: Sequence[Peer] = (),
    sweeps: Sequence[CutoffSweep] = (),
    other: GoldSet | None = None,
    workers: int = 1,
    floor: float | None = None,
    fresh: bool = False,
    alpha: float = ALPHA,
    correction: str = HOLM,
) -> CleaningRun:
    """Measure cleaners, the baseline first, and other packages; sweep cutoffs, and test the best of each on `other`.

    `floor` is the least predicted precision of a reliable page; without it the better half of the pages is reliable. `alpha`
    and `correction` are those of `thresher.evaluation.significance.compare_all`.

    Raises:
        ConfigError: if `other` is the same folder.
        ThresherError: as `score_gold`, `judge_pages` and `run_peers` do.
    """
    pages = gold.standard.pages
    swept = [cleaner for sweep in sweeps for cleaner in sweep.cleaners]
    score_gold(pages, _scorers([*cleaners, *swept]), gold.store, workers, fresh)
    compared = judge_pages(pages, gold.store, cleaners, workers, gold.keep)
    judged = list(progress(compared, "comparing", len(pages), "pages"))
    by_cleaner = zip(*(page.quality for page in judged), strict=True)
    measured = [CleanerPages(cleaner.name, quality) for cleaner, quality in zip(cleaners, by_cleaner, strict=True)]
    crashes: tuple[tuple[str, str, str], ...] = ()
    if peers:
        other_packages, crashes = _run_peers(gold, peers, workers)
        measured += other_packages
    results = compare_cleaners(measured, alpha, correction)
    baseline = tuple(page.words.alignment.f1 for page in results[0].pages)
    measured_sweeps = _sweep(gold, sweeps, baseline, workers)
    tested = _tested(other, sweeps, workers, fresh) if other and sweeps else ()
    return CleaningRun(
        gold.name,
        gold.standard,
        results,
        tuple((page.stem, page.problem) for page in judged if page.problem),
        crashes,
        tuple(_reliability(results, floor)),
        measured_sweeps,
        tested,
        _transfers(measured_sweeps, tested, alpha, correction) if tested else (),
    )


def _run_peers(
    gold: GoldSet, peers: Sequence[Peer], workers: int
) -> tuple[list[CleanerPages], tuple[tuple[str, str, str], ...]]:
    pages = gold.standard.pages
    texts, crashes = peer_texts(gold, peers, workers)
    compared = list(progress(judge_texts(texts, pages, workers, gold.keep), "comparing", len(pages), "pages"))
    measured = []
    for number, peer in enumerate(peers):
        crashed = sum(name == peer.name for name, _, _ in crashes)
        measured.append(
            CleanerPages(peer.name, tuple(page[number] for page in compared), is_peer=True, crashes=crashed)
        )
    return measured, crashes


def peer_texts(
    gold: GoldSet, peers: Sequence[Peer], workers: int
) -> tuple[list[tuple[Text, ...]], tuple[tuple[str, str, str], ...]]:
    """Return what other packages leave, by page and package, and their crashes by package: (peer, page, reason).

    Raises:
        ThresherError: as `run_peers` does.
    """
    pages = gold.standard.pages
    keeper: Keeper[PeerPage] = Keeper(gold.keep, PeerPage)
    packages = [[peer.name, version(peer.distribution)] for peer in peers] if gold.keep else []
    made_from = [[packages, page.stem, file_digest(page.path)] for page in pages]
    found = [*map(keeper.find, made_from)]
    missing = [index for index, page in enumerate(found) if page is None]
    by_packages = run_peers([pages[index] for index in missing], peers, workers)
    now = progress(by_packages, "other packages", len(missing), "pages")
    for index, page in zip(missing, now, strict=True):
        found[index] = keeper.keep(made_from[index], page)
    ran = [page for page in found if page is not None]
    texts = [
        tuple(tuple(LabelledText(PARAGRAPH, text) for text in paragraphs) for paragraphs in page.texts) for page in ran
    ]
    crashes = (
        (peer.name, page.stem, page.problems[number])
        for number, peer in enumerate(peers)
        for page in ran
        if page.problems[number]
    )
    return texts, tuple(crashes)


def _sweep(
    gold: GoldSet, sweeps: Sequence[CutoffSweep], baseline: tuple[float, ...], workers: int
) -> tuple[GoldSweep, ...]:
    swept = []
    pages = gold.standard.pages
    for sweep in sweeps:
        words = judge_words(pages, gold.store, sweep.cleaners, workers, gold.keep)
        by_cutoff = zip(*progress(words, f"sweeping {sweep.name}", len(pages), "pages"), strict=True)
        stricter = sweep.cleaners[0].cuts[0].higher_is_stricter
        points = sweep_points(dict(zip(sweep.values, by_cutoff, strict=True)), stricter)
        swept.append(GoldSweep(sweep.name, gold.name, gold.folder, points, best_cutoff(points), baseline))
    return tuple(swept)


def _tested(other: GoldSet, sweeps: Sequence[CutoffSweep], workers: int, fresh: bool) -> tuple[GoldSweep, ...]:
    pages = other.standard.pages
    scorers = _scorers([cleaner for sweep in sweeps for cleaner in sweep.cleaners])
    score_gold(pages, scorers, other.store, workers, fresh)
    unclean = judge_words(pages, other.store, [Cleaner()], workers, other.keep)
    baseline = tuple(words.alignment.f1 for (words,) in unclean)
    return tuple(replace(sweep, is_tested=True) for sweep in _sweep(other, sweeps, baseline, workers))


def _transfers(
    tuned: Sequence[GoldSweep], tested: Sequence[GoldSweep], alpha: float, correction: str
) -> tuple[GoldTransfer, ...]:
    transfers = [transfer(here, there, alpha) for here, there in zip(tuned, tested, strict=True)]
    comparisons = corrected([item.comparison for item in transfers], correction)
    return tuple(replace(item, comparison=new) for item, new in zip(transfers, comparisons, strict=True))


def _reliability(results: Sequence[CleanerResult], floor: float | None) -> Iterator[tuple[str, Reliability]]:
    for result in results:
        statistics = [page.statistics for page in result.pages]
        # Cross-validation fits models to parts of the pages.
        if not result.is_peer and sum(page is not None for page in statistics) >= 2 * LEAST_PAGES:
            precisions = [page.words.alignment.precision for page in result.pages]
            yield result.cleaner, measure_reliability(statistics, precisions, floor)


def _scorers(cleaners: Sequence[Cleaner]) -> list[Scorer]:
    return [scorer for cleaner in cleaners for scorer in cleaner.scorers]


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

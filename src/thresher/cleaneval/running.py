"""Running a cleaning evaluation: cleaners and sweeps, measured on a gold standard."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from thresher.cleaneval import results as outcomes
from thresher.cleaneval.comparing import compare_cleaned, compare_words_alone, page_id, score_gold
from thresher.cleaneval.gold import GoldStandard
from thresher.cleaneval.results import CleanerPages, CleanerResult, GoldSweep, GoldTransfer
from thresher.defaults import ALPHA, HOLM
from thresher.errors import ConfigError, ConfigErrors
from thresher.evaluation.significance import corrected
from thresher.progress import progress
from thresher.scorers.base import Scorer
from thresher.scorers.cleaners import BASELINE, Cleaner, Cut, parse_cleaner, parse_sweep, sweep_name
from thresher.scorers.relative_cutoffs import Cutoff, parse_cutoff, same_kind, value_of
from thresher.scoring.lost_pages import failures

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
"""Cleaners, most of them of the papers' tables, besides all text: heuristics only, NCleaner's models, jusText, Boilerpipe's
rules, BTE, minimum words and text density of a block, the perplexity paper's two cutoffs."""
MOST_CUTOFFS = 20
Parsed = TypeVar("Parsed")
_SWEEP = re.compile(r"(?P<name>[^()=]+(?:\([^()]*\))?)\s*(?:=(?P<cutoffs>.*))?")


def asked(names: Sequence[str], sweeps: Sequence[str]) -> tuple[tuple[Cleaner, ...], tuple[CutoffSweep, ...]]:
    """Return the cleaners to measure, all text first, and the sweeps; without names the cleaners of `ROWS`.

    Spellings of the same name count once; two sweeps of a scorer become one over the cutoffs of both. All problems are raised
    together.
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
        try:
            cutoffs = tuple(parse_cutoff(part, text, "--sweep") for part in match["cutoffs"].split(","))
        except ConfigError as error:
            raise ConfigError(error.what, "write it like density=5,8,10.5", "--sweep") from error
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

    What is finished of comparisons is kept in the folder `keep`, if there is one.
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

    `problems` are pages that could not be parsed or scored: (page, reason); `crashes` are of other packages: (extractor, page,
    reason). `tested` are the sweeps on the gold standard that their best cutoffs are tested on, in the same order; empty
    without one.
    """

    name: str
    standard: GoldStandard
    results: tuple[CleanerResult, ...]
    problems: tuple[tuple[str, str], ...]
    crashes: tuple[tuple[str, str, str], ...]
    sweeps: tuple[GoldSweep, ...]
    tested: tuple[GoldSweep, ...]
    transfers: tuple[GoldTransfer, ...]


def run_cleaners(
    gold: GoldSet,
    cleaners: Sequence[Cleaner],
    sweeps: Sequence[CutoffSweep] = (),
    other: GoldSet | None = None,
    workers: int = 1,
    fresh: bool = False,
    alpha: float = ALPHA,
    correction: str = HOLM,
) -> CleaningRun:
    """Measure cleaners, the baseline first; sweep cutoffs, and test the best of each on `other`."""
    pages = gold.standard.pages
    swept = [cleaner for sweep in sweeps for cleaner in sweep.cleaners]
    score_gold(pages, _scorers([*cleaners, *swept]), gold.store, workers, fresh)
    found = compare_cleaned(pages, gold.store, cleaners, workers, gold.keep)
    compared = list(progress(found, "comparing", len(pages), "pages"))
    by_cleaner = zip(*(page.quality for page in compared), strict=True)
    crashes = _crashes(gold, cleaners)
    crashed = Counter(text for text, _, _ in crashes)
    measured = [
        CleanerPages(cleaner.name, quality, bool(cleaner.text), crashed[cleaner.text])
        for cleaner, quality in zip(cleaners, by_cleaner, strict=True)
    ]
    results = outcomes.compare_cleaners(measured, alpha, correction)
    baseline = tuple(page.words.alignment.f1 for page in results[0].pages)
    measured_sweeps = _sweep(gold, sweeps, baseline, workers)
    tested = _tested(other, sweeps, workers, fresh) if other and sweeps else ()
    return CleaningRun(
        gold.name,
        gold.standard,
        results,
        tuple((page.stem, page.problem) for page in compared if page.problem),
        crashes,
        measured_sweeps,
        tested,
        _transfers(measured_sweeps, tested, alpha, correction) if tested else (),
    )


def _crashes(gold: GoldSet, cleaners: Sequence[Cleaner]) -> tuple[tuple[str, str, str], ...]:
    """Return the pages on which other packages failed, with the reasons, which begin with the package's name."""
    stems = {page_id(page): page.stem for page in gold.standard.pages}
    return tuple(
        (text, stems[failure.id], failure.reason.removeprefix(f"{text}: "))
        for text in dict.fromkeys(cleaner.text for cleaner in cleaners if cleaner.text)
        for failure in failures(gold.store, text)
    )


def _sweep(
    gold: GoldSet, sweeps: Sequence[CutoffSweep], baseline: tuple[float, ...], workers: int
) -> tuple[GoldSweep, ...]:
    swept = []
    pages = gold.standard.pages
    for sweep in sweeps:
        words = compare_words_alone(pages, gold.store, sweep.cleaners, workers, gold.keep)
        by_cutoff = zip(*progress(words, f"sweeping {sweep.name}", len(pages), "pages"), strict=True)
        stricter = sweep.cleaners[0].cuts[0].higher_is_stricter
        points = outcomes.sweep_points(dict(zip(sweep.values, by_cutoff, strict=True)), stricter)
        swept.append(GoldSweep(sweep.name, gold.name, gold.folder, points, outcomes.best_cutoff(points), baseline))
    return tuple(swept)


def _tested(other: GoldSet, sweeps: Sequence[CutoffSweep], workers: int, fresh: bool) -> tuple[GoldSweep, ...]:
    pages = other.standard.pages
    scorers = _scorers([cleaner for sweep in sweeps for cleaner in sweep.cleaners])
    score_gold(pages, scorers, other.store, workers, fresh)
    unclean = compare_words_alone(pages, other.store, [Cleaner()], workers, other.keep)
    baseline = tuple(words.alignment.f1 for (words,) in unclean)
    return tuple(replace(sweep, is_tested=True) for sweep in _sweep(other, sweeps, baseline, workers))


def _transfers(
    tuned: Sequence[GoldSweep], tested: Sequence[GoldSweep], alpha: float, correction: str
) -> tuple[GoldTransfer, ...]:
    transfers = [outcomes.transfer(here, there, alpha) for here, there in zip(tuned, tested, strict=True)]
    comparisons = corrected([item.comparison for item in transfers], correction)
    return tuple(replace(item, comparison=new) for item, new in zip(transfers, comparisons, strict=True))


def _scorers(cleaners: Sequence[Cleaner]) -> list[Scorer]:
    return [scorer for cleaner in cleaners for scorer in cleaner.scorers]

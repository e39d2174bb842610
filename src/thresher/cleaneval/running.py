"""Running a cleaning evaluation: cleaners, measured on a gold standard."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from thresher.cleaneval.comparing import compare_cleaned, page_id, score_gold
from thresher.cleaneval.gold import GoldStandard
from thresher.cleaneval.results import CleanerPages, CleanerResult, compare_cleaners
from thresher.defaults import ALPHA, HOLM
from thresher.errors import ConfigError, ConfigErrors
from thresher.progress import progress
from thresher.scorers.cleaners import BASELINE, Cleaner, parse_cleaner
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


def asked(names: Sequence[str]) -> tuple[Cleaner, ...]:
    """Return the cleaners to measure, all text first; without names those of `ROWS`.

    Spellings of the same name count once. All problems are raised together.
    """
    problems: list[ConfigError] = []
    cleaners: dict[str, Cleaner] = {}
    for name in (BASELINE, *(names or ROWS)):
        try:
            cleaner = parse_cleaner(name).checked()
            cleaners[cleaner.name] = cleaner
        except ConfigError as problem:
            problems.append(problem)
    if problems:
        raise ConfigErrors(problems)
    return tuple(cleaners.values())


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
    reason).
    """

    name: str
    standard: GoldStandard
    results: tuple[CleanerResult, ...]
    problems: tuple[tuple[str, str], ...]
    crashes: tuple[tuple[str, str, str], ...]


def run_cleaners(
    gold: GoldSet,
    cleaners: Sequence[Cleaner],
    workers: int = 1,
    fresh: bool = False,
    alpha: float = ALPHA,
    correction: str = HOLM,
) -> CleaningRun:
    """Measure cleaners, the baseline first."""
    pages = gold.standard.pages
    score_gold(pages, [scorer for cleaner in cleaners for scorer in cleaner.scorers], gold.store, workers, fresh)
    found = compare_cleaned(pages, gold.store, cleaners, workers, gold.keep)
    compared = list(progress(found, "comparing", len(pages), "pages"))
    by_cleaner = zip(*(page.quality for page in compared), strict=True)
    crashes = _crashes(gold, cleaners)
    crashed = Counter(text for text, _, _ in crashes)
    measured = [
        CleanerPages(cleaner.name, quality, bool(cleaner.text), crashed[cleaner.text])
        for cleaner, quality in zip(cleaners, by_cleaner, strict=True)
    ]
    return CleaningRun(
        gold.name,
        gold.standard,
        compare_cleaners(measured, alpha, correction),
        tuple((page.stem, page.problem) for page in compared if page.problem),
        crashes,
    )


def _crashes(gold: GoldSet, cleaners: Sequence[Cleaner]) -> tuple[tuple[str, str, str], ...]:
    """Return the pages on which other packages failed, with the reasons, which begin with the package's name."""
    stems = {page_id(page): page.stem for page in gold.standard.pages}
    return tuple(
        (text, stems[failure.id], failure.reason.removeprefix(f"{text}: "))
        for text in dict.fromkeys(cleaner.text for cleaner in cleaners if cleaner.text)
        for failure in failures(gold.store, text)
    )

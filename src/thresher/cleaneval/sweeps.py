"""Sweeps against gold texts: a scorer at its cutoffs, the best cutoff, and how good that one is on other pages."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from statistics import fmean, stdev

from thresher.cleaneval.cleaning_measures import Agreement, PageWords, agreement
from thresher.cleaneval.results import TESTED
from thresher.defaults import ALPHA
from thresher.errors import ConfigError
from thresher.evaluation.significance import TOLERANCE, Comparison, compare


@dataclass(frozen=True)
class SweepPoint:
    """Word precision, recall and F1 by alignment at one cutoff.

    `macro` are means over pages: its F1 is the mean of the pages' F1, not the F1 of the other two. `micro` pools the words of
    all pages. `f1s` are the pages' F1, in their order.
    """

    cutoff: float
    macro: Agreement
    micro: Agreement
    f1s: tuple[float, ...]


@dataclass(frozen=True)
class BestCutoff:
    """The cutoff of the best mean F1, and its plateau, the cutoffs from `low` to `high` that are about as good."""

    cutoff: float
    f1: float
    low: float
    high: float


@dataclass(frozen=True)
class GoldSweep:
    """A scorer at its cutoffs on one gold standard: its name, folder, and each page's F1 without cleaning (`baseline`).

    `is_tested` where cutoffs chosen on another gold standard are tested.
    """

    scorer: str
    gold: str
    folder: Path
    points: tuple[SweepPoint, ...]
    best: BestCutoff
    baseline: tuple[float, ...]
    is_tested: bool = False


@dataclass(frozen=True)
class GoldTransfer:
    """A cutoff chosen on one gold standard and tested on another; every F1 is a mean over pages.

    On the pages tested on, `best_f1` at `best_cutoff` is the highest of the sweep, `baseline_f1` that of all text, and
    `comparison` compares the pages' F1 at `cutoff` with that of all text.
    """

    scorer: str
    cutoff: float
    tuned_on: str
    tuned_f1: float
    tested_on: str
    tested_f1: float
    best_cutoff: float
    best_f1: float
    baseline_f1: float
    comparison: Comparison


def sweep_points(pages: Mapping[float, Sequence[PageWords]], higher_is_stricter: bool) -> tuple[SweepPoint, ...]:
    """Return the points of a sweep, from the cutoff that removes least to the one that removes most.

    Args:
        pages: by cutoff, each cleaned page; the same pages in the same order, at least one.
        higher_is_stricter: whether higher cutoffs remove more.
    """
    return tuple(_point(cutoff, pages[cutoff]) for cutoff in sorted(pages, reverse=not higher_is_stricter))


def best_cutoff(points: Sequence[SweepPoint]) -> BestCutoff:
    """Return the cutoff of the best mean F1 (ties: the one that removes least) and its plateau.

    The plateau is the unbroken range of cutoffs around the best whose mean F1 is at most one standard error lower: s/√n of
    the difference to the best, paired by page.

    Args:
        points: at least one, as `sweep_points` orders them.
    """
    highest = max(point.macro.f1 for point in points)
    index, best = next((index, one) for index, one in enumerate(points) if one.macro.f1 >= highest - TOLERANCE)
    before = takewhile(lambda point: _as_good(point, best), reversed(points[:index]))
    after = takewhile(lambda point: _as_good(point, best), points[index + 1 :])
    plateau = [best.cutoff, *(point.cutoff for point in (*before, *after))]
    return BestCutoff(best.cutoff, best.macro.f1, min(plateau), max(plateau))


def transfer(tuned: GoldSweep, tested: GoldSweep, alpha: float = ALPHA) -> GoldTransfer:
    """Test the best cutoff of the gold standard `tuned` on `tested`; `alpha` is the significance level."""
    if tuned.folder.resolve() == tested.folder.resolve():
        raise ConfigError(
            "a cutoff cannot be tested on the pages that it was chosen on", "give two folders", str(tested.folder)
        )
    point = next((point for point in tested.points if point.cutoff == tuned.best.cutoff), None)
    if point is None:
        raise ConfigError(
            f"the cutoff {tuned.best.cutoff:g} was not tried", "sweep over the same cutoffs in both", str(tested.folder)
        )
    return GoldTransfer(
        scorer=tuned.scorer,
        cutoff=tuned.best.cutoff,
        tuned_on=tuned.gold,
        tuned_f1=tuned.best.f1,
        tested_on=tested.gold,
        tested_f1=point.macro.f1,
        best_cutoff=tested.best.cutoff,
        best_f1=tested.best.f1,
        baseline_f1=fmean(tested.baseline),
        comparison=compare(point.f1s, tested.baseline, TESTED, alpha=alpha),
    )


def _point(cutoff: float, pages: Sequence[PageWords]) -> SweepPoint:
    aligned = [page.alignment for page in pages]
    macro = Agreement(*(fmean(getattr(page, name) for page in aligned) for name in ("precision", "recall", "f1")))
    micro = agreement(*(sum(getattr(page, name) for page in pages) for name in ("aligned", "words", "gold")))
    return SweepPoint(cutoff, macro, micro, tuple(page.f1 for page in aligned))


def _as_good(point: SweepPoint, best: SweepPoint) -> bool:
    lost = [highest - f1 for highest, f1 in zip(best.f1s, point.f1s, strict=True)]
    error = stdev(lost) / math.sqrt(len(lost)) if len(lost) > 1 else 0.0
    return fmean(lost) <= error + TOLERANCE

"""One scorer over its cutoffs against gold texts: the precision-recall curve, the best cutoff, its worth on other pages."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from statistics import fmean, stdev

from thresher.cleaneval.measures import Agreement, PageWords, agreement
from thresher.cleaneval.results import TESTED
from thresher.errors import ConfigError
from thresher.evaluation.records import Comparison
from thresher.evaluation.significance import compare
from thresher.evaluation.wilcoxon import TOLERANCE
from thresher.scorers.base import KEEP_LOW


@dataclass(frozen=True)
class SweepPoint:
    """What one cutoff comes to, in words by alignment.

    `macro` holds means over pages: its F1 is the mean of the pages' F1, not the F1 of the other two. `micro` pools the words
    of all pages. `f1s` are the pages' F1, in their order.
    """

    cutoff: float
    macro: Agreement
    micro: Agreement
    f1s: tuple[float, ...]


@dataclass(frozen=True)
class BestCutoff:
    """The cutoff of the best mean F1, and the range of cutoffs that are as good: `low` and `high`, by size."""

    cutoff: float
    f1: float
    low: float
    high: float


@dataclass(frozen=True)
class Sweep:
    """A scorer's curve on one gold standard, with that one's name and folder and the F1 of each page's whole text."""

    scorer: str
    gold: str
    folder: Path
    curve: tuple[SweepPoint, ...]
    baseline: tuple[float, ...]


@dataclass(frozen=True)
class Transfer:
    """A cutoff that was chosen on one gold standard, on another: mean F1 over pages everywhere.

    `best_f1` at `best_cutoff` is the most that any cutoff of the curve could reach there, `baseline_f1` that of all text;
    `comparison` is of the pages' F1 at `cutoff` with all text's, there.
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


def sweep_curve(pages: Mapping[float, Sequence[PageWords]], keep: str) -> tuple[SweepPoint, ...]:
    """Return a scorer's curve, from the cutoff that removes least to the one that removes most.

    Args:
        pages: by cutoff, what is left of each page; the same pages in the same order, at least one.
        keep: which scores are content, `KEEP_HIGH` or `KEEP_LOW`.
    """
    return tuple(_point(cutoff, pages[cutoff]) for cutoff in sorted(pages, reverse=keep == KEEP_LOW))


def best_cutoff(curve: Sequence[SweepPoint]) -> BestCutoff:
    """Return the cutoff of the best mean F1, of equals the one that removes least, and its plateau.

    The plateau is the unbroken range of cutoffs around the best whose mean F1 is at most one standard error lower: of the
    difference to the best, paired by page, s/√n.

    Args:
        curve: at least one point, as `sweep_curve` orders them.
    """
    most = max(point.macro.f1 for point in curve)
    place = next(place for place, point in enumerate(curve) if point.macro.f1 >= most - TOLERANCE)
    best = curve[place]
    before = takewhile(lambda point: _as_good(point, best), reversed(curve[:place]))
    after = takewhile(lambda point: _as_good(point, best), curve[place + 1 :])
    plateau = [best.cutoff, *(point.cutoff for point in (*before, *after))]
    return BestCutoff(best.cutoff, best.macro.f1, min(plateau), max(plateau))


def transfer(tuned: Sweep, tested: Sweep) -> Transfer:
    """Choose a cutoff on one gold standard and test it on another, which has had no part in the choice.

    Args:
        tuned: where to choose.
        tested: where to test; its curve has the cutoff.

    Raises:
        ConfigError: if both are one folder, or the curve of `tested` lacks the cutoff.
    """
    if tuned.folder.resolve() == tested.folder.resolve():
        raise ConfigError(
            "a cutoff cannot be tested on the pages that it was chosen on", "give two folders", str(tested.folder)
        )
    chosen, possible = best_cutoff(tuned.curve), best_cutoff(tested.curve)
    there = next((point for point in tested.curve if point.cutoff == chosen.cutoff), None)
    if there is None:
        raise ConfigError(
            f"the cutoff {chosen.cutoff:g} was not tried", "sweep over the same cutoffs in both", str(tested.folder)
        )
    return Transfer(
        scorer=tuned.scorer,
        cutoff=chosen.cutoff,
        tuned_on=tuned.gold,
        tuned_f1=chosen.f1,
        tested_on=tested.gold,
        tested_f1=there.macro.f1,
        best_cutoff=possible.cutoff,
        best_f1=possible.f1,
        baseline_f1=fmean(tested.baseline),
        comparison=compare(there.f1s, tested.baseline, TESTED),
    )


def _point(cutoff: float, pages: Sequence[PageWords]) -> SweepPoint:
    found = [page.alignment for page in pages]
    macro = Agreement(*(fmean(getattr(page, name) for page in found) for name in ("precision", "recall", "f1")))
    micro = agreement(*(sum(getattr(page, name) for page in pages) for name in ("aligned", "words", "gold")))
    return SweepPoint(cutoff, macro, micro, tuple(page.f1 for page in found))


def _as_good(point: SweepPoint, best: SweepPoint) -> bool:
    lost = [most - f1 for most, f1 in zip(best.f1s, point.f1s, strict=True)]
    error = stdev(lost) / math.sqrt(len(lost)) if len(lost) > 1 else 0.0
    return fmean(lost) <= error + TOLERANCE

"""At the same size: the best variant of each family with an index of at most a share of the baseline's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from thresher.choosing.decisions import Decision, JudgedVariant
from thresher.costs import MeasuredTime
from thresher.pruning_methods.treatments import Family
from thresher.scorers.cleaners import BASELINE

SHARES = (0.9, 0.75, 0.5, 0.35, 0.25, 0.1)
"""Of the baseline's size, that are looked at."""


@dataclass(frozen=True)
class BestOfFamily:
    """The variant of a family with the highest mean among those of at most a size.

    Args:
        family: see `Family`.
        most: the largest size, as a share of the baseline's.
        variant: with its mean, and its bounds, which hold together with those of all variants.
        share: its size as a share of the baseline's; see `Decision.size_kind`.
        query_postings: of a query's terms, Σ df, mean over the topics; None where unknown.
        build: the time of building its index beside the baseline's; None where that was not measured.
    """

    family: Family
    most: float
    variant: JudgedVariant
    share: float
    query_postings: float | None
    build: MeasuredTime | None = None


@dataclass(frozen=True)
class SameSize:
    """What is best at the same size by one measure and retrieval model.

    Args:
        retrieval, measure: names.
        baseline_postings: as `BestOfFamily.query_postings`, of the baseline.
        best: by size, the largest first, then by family; none of a family without a variant of at most that size.
    """

    retrieval: str
    measure: str
    baseline_postings: float | None
    best: tuple[BestOfFamily, ...]


def same_size(
    decision: Decision, query_postings: Mapping[str, float], builds: Mapping[str, MeasuredTime]
) -> SameSize | None:
    """Return the best of each family at each of `SHARES`; None if there is only one family.

    Args:
        decision: with all variants judged.
        query_postings: by variant, see `BestOfFamily`; of the baseline by its name.
        builds: times of building an index, by variant, as far as they were measured.
    """
    if len(decision.families) < 2:
        return None
    best = []
    for most in SHARES:
        for family, points in decision.frontiers.items():
            inside = [point for point in points if point.size <= most * decision.baseline_size]
            if inside:
                # The last of a frontier is its best.
                variant = inside[-1]
                postings = query_postings.get(variant.name)
                best.append(BestOfFamily(family, most, variant, decision.size_share(variant.size), postings))
    found = SameSize(decision.retrieval, decision.measure, query_postings.get(BASELINE), tuple(best))
    return with_builds(found, builds)


def with_builds(same: SameSize, builds: Mapping[str, MeasuredTime]) -> SameSize:
    """Return the same with other times of building, by variant."""
    return replace(same, best=tuple(replace(one, build=builds.get(one.variant.name)) for one in same.best))

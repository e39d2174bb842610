"""What a cutoff saves over many queries: bytes, seconds, CO2, and after how many queries it pays off.

Seconds come from one function, `saved_per_query`, and from what was measured for all variants together.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from thresher.choosing.decisions import Basis, Decision, Savings, SizedVariant, SizeKind
from thresher.costs import Interval, MeasuredTime, break_even
from thresher.costs.repeats import measurable

FEWEST = 4
"""Fewest indexes to fit a line of times through, the baseline's among them."""


@dataclass(frozen=True)
class Timed:
    """An index that was built and timed.

    Args:
        clean_seconds: wall time of cleaning.
        index_seconds: wall time of building; the baseline's where the difference is noise.
        query: the time of a query.
    """

    variant: str
    scorers: tuple[str, ...]
    bytes: int
    clean_seconds: float
    index_seconds: float
    query: MeasuredTime


@dataclass(frozen=True)
class TimeLine:
    """Seconds by bytes of an index, `fixed` + `per_byte` · bytes, neither negative, by least squares.

    `spread` is the standard deviation of the indexes' seconds around the line.
    """

    fixed: float
    per_byte: float
    spread: float

    @classmethod
    def through(cls, sizes: Sequence[float], seconds: Sequence[float]) -> TimeLine:
        """Fit the line; bytes are scaled, so that both coefficients count."""
        from scipy.optimize import nnls  # of the extra `retrieval`

        scale = max(sizes)
        (fixed, slope), norm = nnls(np.array([[1.0, size / scale] for size in sizes]), np.array(seconds))
        return cls(float(fixed), float(slope) / scale, float(norm) / math.sqrt(max(len(sizes) - 2, 1)))

    def at(self, size: float) -> float:
        """Return the seconds for an index of so many bytes."""
        return self.fixed + self.per_byte * size


def saved_per_query(variant: str, size: float, timed: Sequence[Timed], twin: Interval) -> tuple[Basis, Interval | None]:
    """Return how many wall seconds a query takes less than the baseline's, and how that is known.

    For a variant that was timed, it is what was measured. For others it is read off the line through all that were timed, with
    an interval of twice their spread around it. It is None where the difference cannot be told from noise.

    Args:
        variant: its canonical name.
        size: bytes of its index.
        timed: what was timed, the baseline first.
        twin: the noise floor, a ratio.
    """
    base, known = timed[0], next((row for row in timed if row.variant == variant), None)
    if known:
        return (Basis.MEASURED, known.query.saved) if known.query.measurable else (Basis.NOT_MEASURABLE, None)
    if len(timed) < FEWEST:
        return Basis.NOT_RUN, None
    line = TimeLine.through([row.bytes for row in timed], [row.query.wall.value for row in timed])
    value, reach = line.per_byte * (base.bytes - size), 2 * line.spread
    saved, whole = Interval(value, value - reach, value + reach), line.at(base.bytes)
    ratio = Interval(*((whole - seconds) / whole for seconds in (saved.value, saved.high, saved.low)))
    return (Basis.ESTIMATED, saved) if measurable(ratio, saved, twin) else (Basis.NOT_MEASURABLE, None)


def savings(
    decision: Decision,
    variant: SizedVariant,
    scorers: tuple[str, ...],
    timed: Sequence[Timed],
    twin: Interval | None,
    queries: int,
    grams: Callable[[float], float | None],
) -> Savings:
    """Return what a variant saves against the baseline over so many queries.

    Times and bytes of a variant that was run are those measured. For others, building is read off a line through all indexes
    that were run, and cleaning is the mean of the variants with the same scorer: a cutoff costs nothing.

    Args:
        decision: has the baseline's size.
        variant: one of the decision's.
        scorers: the names of the variant's scorers.
        timed: what was timed, the baseline first; empty if nothing was.
        twin: the noise floor, a ratio; None if nothing was timed.
        queries: at least 1.
        grams: CO2 of wall seconds, None below resolution.
    """
    known = next((row for row in timed if row.variant == variant.name), None)
    exact = decision.size_kind is not SizeKind.POSTINGS
    # Bytes of indexes that were built go before estimates.
    base_size, size = (timed[0].bytes, known.bytes) if known else (decision.baseline_size, variant.size)
    saved = Savings(
        retrieval=decision.retrieval,
        variant=variant.name,
        queries=queries,
        bytes=base_size - size if known or exact else None,
        share=1 - size / base_size if base_size else 0.0,
        basis=Basis.NOT_RUN,
        indexes=len(timed),
    )
    extra = _extra_seconds(variant, scorers, timed) if known or exact else None
    if twin is None or extra is None:
        return saved
    basis, per_query = saved_per_query(variant.name, variant.size, timed, twin)
    if basis is Basis.NOT_RUN:
        return saved
    saved = replace(saved, basis=basis, extra_seconds=extra, break_even=break_even(extra, per_query))
    if per_query is None:
        return saved
    seconds = Interval(*(queries * bound for bound in (per_query.value, per_query.low, per_query.high)))
    emitted = grams(abs(seconds.value - extra))
    kg = None
    if emitted is not None:
        factor = emitted / 1000 / abs(seconds.value - extra)
        kg = Interval(*(factor * (bound - extra) for bound in (seconds.value, seconds.low, seconds.high)))
    return replace(saved, query_seconds=seconds, co2_kg=kg)


def _extra_seconds(variant: SizedVariant, scorers: tuple[str, ...], timed: Sequence[Timed]) -> float | None:
    """Return what cleaning and building take beyond the baseline's; None if too little was run."""
    known = next((row for row in timed if row.variant == variant.name), None)
    if known:
        return known.clean_seconds - timed[0].clean_seconds + known.index_seconds - timed[0].index_seconds
    same = [row.clean_seconds for row in timed if row.scorers == scorers]
    if len(timed) < FEWEST or not same:
        return None
    line = TimeLine.through([row.bytes for row in timed], [row.index_seconds for row in timed])
    # The baseline's own deviation from the line is no saving.
    return sum(same) / len(same) - timed[0].clean_seconds + line.at(variant.size) - line.at(timed[0].bytes)

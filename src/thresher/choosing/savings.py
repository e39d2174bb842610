"""What a cutoff saves over many queries: bytes, seconds, CO2, and after how many queries it pays off.

Seconds come from one function, `Timings.saved_per_query`, and from what was measured for all variants together.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

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
        """Return the seconds for an index of that many bytes."""
        return self.fixed + self.per_byte * size


@dataclass(frozen=True)
class Timings:
    """What was timed with one retrieval model.

    Args:
        rows: the baseline first; empty if nothing was.
        twin: the noise floor, a ratio; None if nothing was timed.
    """

    rows: tuple[Timed, ...] = ()
    twin: Interval | None = None

    @cached_property
    def by_name(self) -> Mapping[str, Timed]:
        """By variant."""
        return {row.variant: row for row in self.rows}

    @cached_property
    def query_line(self) -> TimeLine:
        """Seconds of a query by bytes of the index, through all that was timed."""
        return TimeLine.through([row.bytes for row in self.rows], [row.query.wall.value for row in self.rows])

    def saved_per_query(self, variant: str, size: float) -> tuple[Basis, Interval | None]:
        """Return how many wall seconds a query takes less than the baseline's, and how that is known.

        For a variant that was timed, it is what was measured. For others it is read off the line through all that were timed,
        with an interval of twice their spread around it. It is None where the difference cannot be told from noise.

        Args:
            variant: its canonical name.
            size: bytes of its index.
        """
        known = self.by_name.get(variant)
        if known:
            return (Basis.MEASURED, known.query.saved) if known.query.measurable else (Basis.NOT_MEASURABLE, None)
        if len(self.rows) < FEWEST or self.twin is None:
            return Basis.NOT_RUN, None
        line, base = self.query_line, self.rows[0]
        value, reach = line.per_byte * (base.bytes - size), 2 * line.spread
        saved, whole = Interval(value, value - reach, value + reach), line.at(base.bytes)
        ratio = Interval(*((whole - seconds) / whole for seconds in (saved.value, saved.high, saved.low)))
        return (Basis.ESTIMATED, saved) if measurable(ratio, saved, self.twin) else (Basis.NOT_MEASURABLE, None)

    def extra_seconds(self, variant: SizedVariant, scorers: tuple[str, ...]) -> float | None:
        """Return what cleaning and building take beyond the baseline's; None if too little was run.

        For a variant that was not run, building is read off a line through all indexes that were, and cleaning is the mean of
        the variants with the same scorers: a cutoff costs nothing.
        """
        known = self.by_name.get(variant.name)
        if known:
            base = self.rows[0]
            return known.clean_seconds - base.clean_seconds + known.index_seconds - base.index_seconds
        same = [row.clean_seconds for row in self.rows if row.scorers == scorers]
        if len(self.rows) < FEWEST or not same:
            return None
        base = self.rows[0]
        line = TimeLine.through([row.bytes for row in self.rows], [row.index_seconds for row in self.rows])
        # The baseline's own deviation from the line is not a saving.
        return sum(same) / len(same) - base.clean_seconds + line.at(variant.size) - line.at(base.bytes)


def savings(
    decision: Decision,
    variant: SizedVariant,
    scorers: tuple[str, ...],
    timings: Timings,
    queries: int,
    grams: Callable[[float], float | None],
) -> Savings:
    """Return what a variant saves against the baseline over `queries` queries.

    Args:
        decision: has the baseline's size.
        variant: one of the decision's.
        scorers: the names of the variant's scorers.
        timings: with the decision's retrieval model.
        queries: at least 1.
        grams: CO2 of wall seconds, None below resolution.
    """
    known = timings.by_name.get(variant.name)
    exact = decision.size_kind is not SizeKind.POSTINGS
    # Bytes of indexes that were built go before estimates.
    base_size, size = (timings.rows[0].bytes, known.bytes) if known else (decision.baseline_size, variant.size)
    saved = Savings(
        retrieval=decision.retrieval,
        variant=variant.name,
        queries=queries,
        bytes=base_size - size if known or exact else None,
        share=1 - size / base_size if base_size else 0.0,
        basis=Basis.NOT_RUN,
        indexes=len(timings.rows),
    )
    extra = timings.extra_seconds(variant, scorers) if known or exact else None
    if extra is None:
        return saved
    basis, per_query = timings.saved_per_query(variant.name, variant.size)
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

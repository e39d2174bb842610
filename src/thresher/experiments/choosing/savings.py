"""What an index saves over many queries: bytes, seconds, CO₂, and after how many queries it pays off.

Seconds come from one function, `Timings.saved_per_query`, and from what was measured for all built variants together.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import Annotated

import numpy as np

from thresher.base.columns import Declared, Show
from thresher.base.numbers import Interval
from thresher.base.repeats import BreakEven, break_even, measurable
from thresher.experiments.table import Built, NoiseFloor, Row, VariantTable

FEWEST = 4
"""Fewest indexes to fit a line of times through, the baseline's among them."""


class Basis(StrEnum):
    """Where the time that a variant saves comes from."""

    MEASURED = "measured"
    ESTIMATED = "estimated"
    NOT_MEASURABLE = "not measurable here"
    NOT_RUN = "not run"


@dataclass(frozen=True)
class Savings:
    """What an index saves against the baseline over `queries` queries, searched by a retrieval model.

    Args:
        bytes, share: of the index; None where bytes are not known.
        basis: where the times come from.
        indexes: how many were timed.
        query_seconds: wall time that all the queries save, negative where they take longer; None unless it is known.
        extra_seconds: wall time that cleaning and building take more before the first query; None where nothing was run.
        co2_kg: of the net seconds, negative for a loss; None unless they are known, and below resolution.
        break_even: None where nothing was run.
    """

    queries: Annotated[int, Declared("Over how many queries.", Show.COUNT)]
    bytes: Annotated[float | None, Declared("Bytes of index that are saved.", Show.MEGABYTES, "MB", "index saved")]
    share: Annotated[
        float | None, Declared("The same as a share of the baseline's.", Show.PERCENT, "% of baseline", "saved")
    ]
    basis: Annotated[Basis, Declared("Where the times come from.", Show.TEXT, header="times")]
    indexes: int
    query_seconds: Annotated[
        Interval | None, Declared("Wall time that searching saves.", Show.SECONDS, "s", "searching saved", bounds=True)
    ] = None
    extra_seconds: Annotated[
        float | None, Declared("Wall time that cleaning and building take more.", Show.SECONDS, "s", "more to build")
    ] = None
    co2_kg: Annotated[Interval | None, Declared("CO₂ that is saved.", Show.FIGURE, "kg", "CO₂ saved", bounds=True)] = (
        None
    )
    break_even: BreakEven | None = None


@dataclass(frozen=True)
class TimeLine:
    """Seconds by postings of an index, `fixed` + `per_posting` · postings, neither negative, by least squares.

    `spread` is the standard deviation of the indexes' seconds around the line.
    """

    fixed: float
    per_posting: float
    spread: float

    @classmethod
    def through(cls, sizes: Sequence[float], seconds: Sequence[float]) -> TimeLine:
        """Fit the line; sizes are scaled, so that both coefficients count."""
        from scipy.optimize import nnls  # of the extra `retrieval`

        scale = max(sizes)
        (fixed, slope), norm = nnls(np.array([[1.0, size / scale] for size in sizes]), np.array(seconds))
        return cls(float(fixed), float(slope) / scale, float(norm) / math.sqrt(max(len(sizes) - 2, 1)))

    def at(self, size: float) -> float:
        """Return the seconds for an index of that many postings."""
        return self.fixed + self.per_posting * size


@dataclass(frozen=True)
class Timings:
    """What was timed with one retrieval model.

    Args:
        rows: with the times of a query, the baseline first; empty if nothing was timed.
        floor: the noise floor, a ratio; None if nothing was timed.
    """

    rows: tuple[tuple[Row, Built], ...] = ()
    floor: Interval | None = None

    @classmethod
    def of(cls, table: VariantTable, noise: Sequence[NoiseFloor]) -> Timings:
        """Return the times of a table's built variants; `noise` has the floors of all models."""
        floor = next((one for one in noise if one.retrieval == table.retrieval), None)
        timed = [(row, row.built) for row in table.rows if row.built and row.built.query]
        return cls(tuple(timed), floor.copy.ratio) if floor and timed and timed[0][0] is table.baseline else cls()

    @cached_property
    def query_line(self) -> TimeLine:
        """Seconds of a query by postings of the index, through all that was timed."""
        return self._line([built.query.wall.value for _, built in self.rows if built.query])

    def saved_per_query(self, row: Row) -> tuple[Basis, Interval | None]:
        """Return how many wall seconds a query takes less than the baseline's, and how that is known.

        For a variant that was timed, it is what was measured. For others it is read off the line through all that were timed,
        with an interval of twice their spread around it. It is None where the difference cannot be told from noise.
        """
        if row.built and row.built.query and self.rows:
            known = row.built.query
            return (Basis.MEASURED, known.saved) if known.measurable else (Basis.NOT_MEASURABLE, None)
        if len(self.rows) < FEWEST or self.floor is None:
            return Basis.NOT_RUN, None
        line, base = self.query_line, self._base_size
        value, reach = line.per_posting * (base - row.index.postings), 2 * line.spread
        saved, whole = Interval(value, value - reach, value + reach), line.at(base)
        ratio = Interval(*((whole - seconds) / whole for seconds in (saved.value, saved.high, saved.low)))
        return (Basis.ESTIMATED, saved) if measurable(ratio, saved, self.floor) else (Basis.NOT_MEASURABLE, None)

    def extra_seconds(self, row: Row) -> float | None:
        """Return what cleaning and building take beyond the baseline's; None if too little was run.

        For a variant that was not run, building is read off a line through all indexes that were, and cleaning is the mean of
        the variants with the same scorers: a cutoff costs nothing.
        """
        if not self.rows:
            return None
        base = self.rows[0][1]
        if row.built and row.built.query:
            return row.built.clean.wall - base.clean.wall + self._index_seconds(row.built) - self._index_seconds(base)
        same = [built.clean.wall for one, built in self.rows if _scorers(one) == _scorers(row)]
        if len(self.rows) < FEWEST or not same:
            return None
        line = self._line([self._index_seconds(built) for _, built in self.rows])
        # The baseline's own deviation from the line is not a saving.
        return sum(same) / len(same) - base.clean.wall + line.at(row.index.postings) - line.at(self._base_size)

    def _line(self, seconds: Sequence[float]) -> TimeLine:
        return TimeLine.through([row.index.postings for row, _ in self.rows], seconds)

    @property
    def _base_size(self) -> int:
        return self.rows[0][0].index.postings

    def _index_seconds(self, built: Built) -> float:
        """Return the wall time of building; the baseline's where the difference is noise."""
        base = self.rows[0][1]
        if built.indexing is None or base.indexing is None:
            return built.index.wall
        return built.indexing.wall.value if built.indexing.measurable else base.indexing.wall.value


def savings(
    table: VariantTable, index: int, timings: Timings, queries: int, grams: Callable[[float], float | None]
) -> Savings:
    """Return what a variant saves against the baseline over `queries` queries.

    Args:
        table, index: the variant's.
        timings: of the table.
        queries: at least 1.
        grams: CO₂ of wall seconds, None below resolution.
    """
    row, base = table.rows[index], table.baseline
    known = row.bytes is not None and base.bytes
    saved = Savings(
        queries=queries,
        bytes=base.bytes - row.bytes if base.bytes and row.bytes is not None else None,
        share=1 - float(table.bytes_shares[index]) if known else None,
        basis=Basis.NOT_RUN,
        indexes=len(timings.rows),
    )
    extra = timings.extra_seconds(row)
    if extra is None:
        return saved
    basis, per_query = timings.saved_per_query(row)
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


def _scorers(row: Row) -> frozenset[str]:
    return frozenset(scorer.canonical_name for scorer in row.variant.cleaner.scorers)

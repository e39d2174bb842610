"""The savings of an index over many queries: bytes, seconds, CO₂, and the number of queries after which it pays off."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import NamedTuple

import numpy as np

from thresher.base.machine import RESOLUTION_SECONDS, Power
from thresher.base.numbers import Interval
from thresher.base.repeats import BreakEven, ExtraSeconds, MeasuredTime, break_even, co2_break_even, measurable
from thresher.experiments.table import Built, NoiseFloor, Row, VariantTable

FEWEST = 4
"""The fewest indexes, with the baseline, for fitting a line of times."""


class Basis(StrEnum):
    """The source of the time that a variant saves."""

    MEASURED = "measured"
    ESTIMATED = "estimated"
    NOT_MEASURABLE = "not measurable here"
    NOT_RUN = "not run"


@dataclass(frozen=True)
class Savings:
    """Savings against the baseline over `queries` queries, searched by a retrieval model.

    Args:
        queries: the number of queries.
        bytes: the saved bytes of the index, by measured or estimated sizes.
        share: the saved bytes over the baseline's bytes.
        basis: the source of the times.
        indexes: the number of timed indexes.
        query_seconds: the wall time that all queries save, negative if they take longer; None if noise hides it.
        extra_seconds: the additional wall time of cleaning and building before the first query; None if nothing was run.
        co2_kg: the saved CO₂, negative for a loss; None without a measurable time and below resolution.
        break_even: the break-even of seconds; None if nothing was run.
        co2_break_even: the break-even of CO₂; None if nothing was run, or if one machine cleans, which makes it equal.
    """

    queries: int
    bytes: int
    share: float
    basis: Basis
    indexes: int
    query_seconds: Interval | None = None
    extra_seconds: float | None = None
    co2_kg: Interval | None = None
    break_even: BreakEven | None = None
    co2_break_even: BreakEven | None = None


@dataclass(frozen=True)
class TimeLine:
    """Seconds by postings of an index: `fixed` + `per_posting` · postings, by least squares; neither is negative.

    `spread` is the standard deviation of the indexes' seconds around the line.
    """

    fixed: float
    per_posting: float
    spread: float

    @classmethod
    def through(cls, sizes: Sequence[float], seconds: Sequence[float]) -> TimeLine:
        """Fit the line; sizes are scaled, so that both coefficients count."""
        from scipy.optimize import nnls  # part of the extra `retrieval`

        scale = max(sizes)
        coordinates = np.column_stack((np.ones(len(sizes)), np.array(sizes) / scale))
        (fixed, slope), norm = nnls(coordinates, np.array(seconds))
        degrees_of_freedom = max(len(sizes) - 2, 1)
        return cls(float(fixed), float(slope) / scale, float(norm) / math.sqrt(degrees_of_freedom))

    def at(self, size: float) -> float:
        """Return the seconds for an index of `size` postings."""
        return self.fixed + self.per_posting * size


class TimedVariant(NamedTuple):
    """A variant whose queries were timed."""

    row: Row
    built: Built
    query: MeasuredTime


class SavedTime(NamedTuple):
    """The seconds that a query saves against the baseline, and their source; None if noise hides them."""

    basis: Basis
    seconds: Interval | None


@dataclass(frozen=True)
class Timings:
    """The times that were measured with one retrieval model.

    Args:
        timed: the timed variants, the baseline first; empty if nothing was timed.
        floor: the noise floor, a ratio; None if nothing was timed.
    """

    timed: tuple[TimedVariant, ...] = ()
    floor: Interval | None = None

    @classmethod
    def of(cls, table: VariantTable, noise: Sequence[NoiseFloor]) -> Timings:
        """Return the times of a table's built variants; `noise` has the noise floors of all retrieval models."""
        timed = []
        for row in table.rows:
            if row.built is not None and row.built.query is not None:
                timed.append(TimedVariant(row, row.built, row.built.query))
        for floor in noise:
            if floor.retrieval == table.retrieval and timed and timed[0].row is table.baseline:
                return cls(tuple(timed), floor.copy.ratio)
        return cls()

    @cached_property
    def query_line(self) -> TimeLine:
        """Seconds of a query by postings of the index, through all timed variants."""
        seconds: list[float] = []
        for variant in self.timed:
            seconds.append(variant.query.wall.value)
        return self._line(seconds)

    def saved_per_query(self, row: Row) -> SavedTime:
        """Return the wall seconds that a query saves against the baseline.

        A timed variant has its measured time. For another variant the time is read off the line through all timed variants,
        with an interval of twice their spread around it.
        """
        if row.built is not None and row.built.query is not None and self.timed:
            measured = row.built.query
            if not measured.measurable:
                return SavedTime(Basis.NOT_MEASURABLE, None)
            return SavedTime(Basis.MEASURED, measured.saved)
        if len(self.timed) < FEWEST or self.floor is None:
            return SavedTime(Basis.NOT_RUN, None)
        line = self.query_line
        baseline_size = self._baseline_size
        value = line.per_posting * (baseline_size - row.index.postings)
        reach = 2 * line.spread
        saved = Interval(value, value - reach, value + reach)
        baseline_seconds = line.at(baseline_size)
        ratio = Interval(
            value=(baseline_seconds - saved.value) / baseline_seconds,
            low=(baseline_seconds - saved.high) / baseline_seconds,
            high=(baseline_seconds - saved.low) / baseline_seconds,
        )
        if not measurable(ratio, saved, self.floor):
            return SavedTime(Basis.NOT_MEASURABLE, None)
        return SavedTime(Basis.ESTIMATED, saved)

    def extra_seconds(self, row: Row) -> ExtraSeconds | None:
        """Return the seconds of cleaning and building beyond the baseline's seconds; None if too few variants were timed.

        For a variant that was not built, building is read off a line through all timed variants. Its cleaning takes the mean
        time of the variants with the same scorers: the cutoff costs nothing.
        """
        if not self.timed:
            return None
        baseline = self.timed[0].built
        if row.built is not None and row.built.query is not None:
            cleaning = row.built.clean.wall - baseline.clean.wall
            return ExtraSeconds(cleaning, self._index_seconds(row.built) - self._index_seconds(baseline))
        cleaning_seconds: list[float] = []
        for variant in self.timed:
            if _scorers(variant.row) == _scorers(row):
                cleaning_seconds.append(variant.built.clean.wall)
        if len(self.timed) < FEWEST or not cleaning_seconds:
            return None
        index_seconds: list[float] = []
        for variant in self.timed:
            index_seconds.append(self._index_seconds(variant.built))
        line = self._line(index_seconds)
        cleaning = sum(cleaning_seconds) / len(cleaning_seconds) - baseline.clean.wall
        # The baseline's deviation from the line is not a saving.
        return ExtraSeconds(cleaning, line.at(row.index.postings) - line.at(self._baseline_size))

    def _line(self, seconds: Sequence[float]) -> TimeLine:
        return TimeLine.through([variant.row.index.postings for variant in self.timed], seconds)

    @property
    def _baseline_size(self) -> int:
        return self.timed[0].row.index.postings

    def _index_seconds(self, built: Built) -> float:
        """Return the wall time of building; the baseline's where the difference is noise."""
        baseline = self.timed[0].built
        if built.indexing is None or baseline.indexing is None:
            return built.index.wall
        if not built.indexing.measurable:
            return baseline.indexing.wall.value
        return built.indexing.wall.value


def savings(table: VariantTable, index: int, timings: Timings, queries: int, power: Power) -> Savings:
    """Return the savings of a variant against the baseline over `queries` queries.

    Args:
        table: the variants.
        index: the variant's position in the table.
        timings: the times of the table's variants.
        queries: at least 1.
        power: the power of a machine, and the number of machines that clean at the same time.
    """
    row = table.rows[index]
    saved = Savings(
        queries=queries,
        bytes=int(table.index_bytes[0] - table.index_bytes[index]),
        share=1 - float(table.bytes_shares[index]),
        basis=Basis.NOT_RUN,
        indexes=len(timings.timed),
    )
    extra = timings.extra_seconds(row)
    if extra is None:
        return saved
    per_query = timings.saved_per_query(row)
    seconds_before = extra.cleaning + extra.indexing
    saved = replace(
        saved,
        basis=per_query.basis,
        extra_seconds=seconds_before,
        break_even=break_even(seconds_before, per_query.seconds),
        co2_break_even=co2_break_even(extra, per_query.seconds, power, power.machines),
    )
    if per_query.seconds is None:
        return saved
    seconds = Interval(
        value=queries * per_query.seconds.value,
        low=queries * per_query.seconds.low,
        high=queries * per_query.seconds.high,
    )
    return replace(saved, query_seconds=seconds, co2_kg=_saved_co2(seconds, extra, power))


def _saved_co2(seconds: Interval, extra: ExtraSeconds, power: Power) -> Interval | None:
    """Return the kg of CO₂ that searching saves, less the kg of cleaning and building; None below resolution.

    Cleaning takes its seconds on each of the machines; one machine indexes and searches.
    """
    before = extra.of_all(power.machines)
    if abs(seconds.value - before) < RESOLUTION_SECONDS:
        return None
    return Interval(
        value=power.kg(seconds.value - before),
        low=power.kg(seconds.low - before),
        high=power.kg(seconds.high - before),
    )


def _scorers(row: Row) -> frozenset[str]:
    return frozenset(scorer.canonical_name for scorer in row.variant.cleaner.scorers)

"""Makes columns of costs: of stages, of measured times, of energy and CO₂, and of break-even points."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Generic, NamedTuple

from thresher.base.machine import BELOW_RESOLUTION, Footprint
from thresher.base.repeats import BreakEven, MeasuredTime, Payoff
from thresher.experiments.table import Built, Cost
from thresher.reports import formats
from thresher.reports.columns import Column, Row, field_of, middle_of
from thresher.reports.formatting import fixed
from thresher.reports.number_formats import Format
from thresher.reports.variant_rows import VariantRow

FOOTPRINTS = ("tag removal", "scoring", "indexing", "10,000 searches", "1,000,000 searches")
"""The work that a variant has footprints of; of searches only where queries were timed."""
NOT_MEASURABLE = "not measurable here"
"""The text in place of a difference that noise may have made."""

VariantColumn = Column[VariantRow]


class CostColumns(NamedTuple):
    """The columns of the cost of a stage."""

    wall: VariantColumn
    cpu: VariantColumn
    peak: VariantColumn
    co2: VariantColumn


def cost_columns(stage: str, prefix: str, cost: Callable[[Built], Cost]) -> CostColumns:
    """Return the columns of the cost of a stage; `prefix` goes before their names, `cost` returns the stage's cost."""

    def cost_of(row: VariantRow) -> Cost | None:
        return cost(row.built) if row.built else None

    return CostColumns(
        wall=VariantColumn(
            f"{prefix}wall_seconds",
            field_of(cost_of, "wall"),
            f"{stage}: wall seconds.",
            formats.SECONDS,
            f"{stage.lower()} wall",
            "s",
        ),
        cpu=VariantColumn(
            f"{prefix}cpu_seconds",
            field_of(cost_of, "cpu"),
            f"{stage}: CPU seconds, user and system.",
            formats.SECONDS,
            f"{stage.lower()} CPU",
            "s",
        ),
        peak=VariantColumn(
            f"{prefix}peak_mib",
            field_of(cost_of, "peak"),
            f"{stage}: peak memory in MiB (2²⁰ bytes).",
            formats.SECONDS,
            f"{stage.lower()} peak",
            "MiB",
        ),
        co2=VariantColumn(
            f"{prefix}co2_grams",
            field_of(cost_of, "co2_grams"),
            f"{stage}: grams of CO₂ equivalents; empty below resolution.",
            formats.FIGURE,
            f"{stage.lower()} CO₂",
            "g",
            missing=BELOW_RESOLUTION,
            source=cost_of,
        ),
    )


class TimeColumns(NamedTuple):
    """The columns of a time that was measured for all variants together; `verdict` is not in CSV files."""

    seconds: VariantColumn
    cpu_seconds: VariantColumn
    ratio: VariantColumn
    cpu_ratio: VariantColumn
    saved_seconds: VariantColumn
    measurable: VariantColumn
    verdict: VariantColumn


def time_columns(about: str, title: str, prefix: str, time: Callable[[Built], MeasuredTime | None]) -> TimeColumns:
    """Return the columns of a time.

    Args:
        about: the work that was timed, before the meanings.
        title: the work in headers.
        prefix: the beginning of the columns' names.
        time: returns the time of a built variant; None where it was not timed.
    """

    def time_of(row: VariantRow) -> MeasuredTime | None:
        return time(row.built) if row.built else None

    def interval_column(name: str, field: str, meaning: str, format: Format) -> VariantColumn:
        interval = field_of(time_of, field)
        value = middle_of(interval)
        return VariantColumn(f"{prefix}{name}", value, f"{about}: {meaning}", format, interval=interval)

    def verdict(row: VariantRow) -> str | None:
        measured = time_of(row)
        return _verdict(measured) if measured else None

    wall = interval_column("seconds", "wall", "wall seconds, mean over topics.", formats.MILLISECONDS)
    cpu = interval_column("cpu_seconds", "cpu", "CPU seconds of the thread or process.", formats.MILLISECONDS)
    of_baseline = "time by the baseline's, geometric mean over topics."
    ratio = interval_column("ratio", "ratio", f"wall {of_baseline}", formats.RATIO)
    cpu_ratio = interval_column("cpu_ratio", "cpu_ratio", f"CPU {of_baseline}", formats.RATIO)
    saved = "wall seconds less than the baseline's; negative for more."
    return TimeColumns(
        seconds=replace(wall, header=f"{title} wall", unit="ms"),
        cpu_seconds=replace(cpu, header=f"{title} CPU", unit="ms"),
        ratio=replace(ratio, header=f"{title} ratio", unit="by baseline's"),
        cpu_ratio=replace(cpu_ratio, header=f"{title} CPU ratio", unit="by baseline's"),
        saved_seconds=interval_column("saved_seconds", "saved", saved, formats.RATIO),
        measurable=VariantColumn(
            f"{prefix}measurable",
            field_of(time_of, "measurable"),
            f"{about}: 1 if the ratio differs from 1 by more than noise, else 0.",
            formats.COUNT,
        ),
        verdict=VariantColumn(
            f"{prefix}verdict",
            verdict,
            f"{about}: whether the difference from the baseline is more than noise.",
            formats.TEXT,
            f"{title} difference",
            in_csv=False,
        ),
    )


def _verdict(time: MeasuredTime) -> str:
    if time.ratio.low == time.ratio.high == 1:  # the baseline
        return ""
    if time.measurable:
        return "measurable"
    return NOT_MEASURABLE


def break_even_text(point: BreakEven) -> str:
    """Return when cleaning pays off, in words."""
    if point.payoff is Payoff.AFTER and point.queries:
        value = fixed(point.queries.value, 0)
        low = fixed(point.queries.low, 0)
        high = fixed(point.queries.high, 0)
        return f"after {value} queries ({low} to {high})"
    texts = {
        Payoff.AT_ONCE: "at once: costs no more to build, faster to search",
        Payoff.NEVER: "never: no cheaper to build, slower to search",
        Payoff.USED_UP: f"at once, but slower to search: used up after {fixed(point.until, 0)} queries",
        Payoff.UNKNOWN: f"{NOT_MEASURABLE}: the difference in search time is within noise",
        Payoff.NO_COSTLIER: f"costs no more to build; the difference in search time is {NOT_MEASURABLE}",
    }
    return texts[point.payoff]


class BreakEvenColumns(NamedTuple, Generic[Row]):
    """The columns of a break-even point; `words` is not in CSV files."""

    payoff: Column[Row]
    queries: Column[Row]
    until: Column[Row]
    words: Column[Row]


def break_even_columns(point: Callable[[Row], BreakEven | None], of: str = "") -> BreakEvenColumns[Row]:
    """Return the columns of a break-even point.

    Args:
        point: returns the break-even point of a row, or None.
        of: `CO₂` where the point is not of seconds.
    """
    prefix = "co2_break_even" if of else "break_even"
    header = f"break-even of {of}" if of else "break-even"
    pays_off = f"cleaning pays off in {of}" if of else "cleaning pays off"

    queries = field_of(point, "queries")

    def words(row: Row) -> str | None:
        reached = point(row)
        return break_even_text(reached) if reached else None

    return BreakEvenColumns(
        payoff=Column(prefix, field_of(point, "payoff"), f"When {pays_off}.", formats.TEXT),
        queries=Column(
            f"{prefix}_queries",
            middle_of(queries),
            f"Queries after which {pays_off}; empty if it never does or is not measurable.",
            formats.COUNT,
            header,
            "queries",
            interval=queries,
            source=point,
        ),
        until=Column(
            f"{prefix}_until",
            field_of(point, "until"),
            "Queries after which slower searching cancels the gain.",
            formats.COUNT,
            source=point,
        ),
        words=Column(f"{prefix}_words", words, f"When {pays_off}, in words.", formats.TEXT, header, in_csv=False),
    )


class FootprintColumns(NamedTuple):
    """The columns of the energy and CO₂ of a piece of work."""

    hours: VariantColumn
    kwh: VariantColumn
    kg: VariantColumn


def footprint_columns(work: str) -> FootprintColumns:
    """Return the columns of the footprint of a piece of work, one of `FOOTPRINTS`."""

    def footprint(row: VariantRow) -> Footprint | None:
        if row.built is not None:
            for footprint in row.built.footprints:
                if footprint.work == work:
                    return footprint
        return None

    hours = field_of(footprint, "hours")
    kwh = field_of(footprint, "kwh")
    kg = field_of(footprint, "kg")
    prefix = work.replace(",", "").replace(" ", "_")
    about = work.capitalize()
    return FootprintColumns(
        hours=VariantColumn(
            f"{prefix}_hours",
            middle_of(hours),
            f"{about}: hours of all machines together.",
            formats.FIGURE,
            work,
            "h",
            interval=hours,
        ),
        kwh=VariantColumn(
            f"{prefix}_kwh",
            middle_of(kwh),
            f"{about}: energy; empty below resolution.",
            formats.FIGURE,
            work,
            "kWh",
            interval=kwh,
            missing=BELOW_RESOLUTION,
            source=footprint,
        ),
        kg=VariantColumn(
            f"{prefix}_kg",
            middle_of(kg),
            f"{about}: CO₂ equivalents; empty below resolution.",
            formats.FIGURE,
            work,
            "kg CO₂",
            interval=kg,
            missing=BELOW_RESOLUTION,
            source=footprint,
        ),
    )


def time_ratio_text(row: VariantRow) -> str:
    """Return the time of a query by the baseline's, or that the difference is within noise."""
    if row.built is None or row.built.query is None:
        return ""
    time = row.built.query
    if time.measurable or row.is_baseline:
        return fixed(time.ratio.value, 3)
    return NOT_MEASURABLE

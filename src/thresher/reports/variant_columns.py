"""The columns of the table of variants, as their records declare them, and those of each measure."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache, cached_property

from thresher.base.columns import Show
from thresher.base.machine import Footprint
from thresher.base.repeats import BreakEven, MeasuredTime, Payoff
from thresher.evaluation.significance import Comparison, is_tested
from thresher.experiments.results import Results
from thresher.experiments.table import Built, Cost, Row, Variant, VariantTable
from thresher.indexes.work import IndexStatistics, QueryWork
from thresher.reports.formatting import MARKS, direction, fixed
from thresher.reports.table import FORMATS, Column, columns_of, measure_header, pick, within

FOOTPRINTS = ("tag removal", "scoring", "indexing", "10,000 searches", "1,000,000 searches")
"""The work that a variant has footprints of; the last two only where queries were timed."""
NOT_MEASURABLE = "not measurable here"
"""The text in place of a difference that noise may have made."""


@dataclass(frozen=True, eq=False)
class Entry:
    """A line about a variant: its table, and its row there."""

    table: VariantTable
    index: int

    @cached_property
    def row(self) -> Row:
        """The row."""
        return self.table.rows[self.index]

    @cached_property
    def built(self) -> Built | None:
        """What building took, if it was built."""
        return self.row.built

    def comparison(self, measure: str) -> Comparison | None:
        """Return the comparison with the baseline over the topics, if there is one."""
        return self.built.comparisons.get(measure) if self.built else None


def tested_measures(table: VariantTable, main: str) -> tuple[str, ...]:
    """Return the measures of effectiveness, the main one first."""
    return (main, *(measure for measure in table.measures if measure != main and is_tested(measure)))


def entries(results: Results) -> list[Entry]:
    """Return all variants of all retrieval models."""
    return [Entry(table, index) for table in results.tables for index in range(len(table.rows))]


@cache
def variant_columns(measures: tuple[str, ...]) -> list[Column[Entry]]:
    """Return all columns of `results.csv`, and those that only tables show."""
    columns: list[Column[Entry]] = within(columns_of(Variant), lambda entry: entry.row.variant)
    return [
        Column("retrieval", lambda entry: entry.table.retrieval, "The retrieval model.", align="left"),
        *pick(columns, "variant", "family", "sweep", "cutoff", "cleaner_cutoff"),
        *(column for measure in measures for column in _of_measure(measure)),
        *(column for measure in measures for column in _of_held_out(measure)),
        *columns_of(Row, lambda entry, name: getattr(entry.row, name)),
        *columns_of(VariantTable, lambda entry, name: getattr(entry.table, name)[entry.index].item()),
        *within(columns_of(IndexStatistics), lambda entry: entry.row.index),
        *within(columns_of(QueryWork), lambda entry: entry.built and entry.built.work),
        *within(columns_of(Cost), lambda entry: entry.built and entry.built.clean, "clean_", "Cleaning"),
        *within(columns_of(Cost), lambda entry: entry.built and entry.built.index, "index_", "Indexing"),
        *within(TIMES, lambda entry: entry.built and entry.built.query, "query_", "Searching"),
        *within(TIMES, lambda entry: entry.built and entry.built.indexing, "indexing_", "Indexing"),
        *within(BREAK_EVEN, lambda entry: entry.built and entry.built.break_even),
        *(column for work in FOOTPRINTS for column in _footprint(work)),
    ]


def measure_column(measure: str) -> Column[Entry]:
    """Return the column of means over the topics, marked where they differ significantly from the baseline's."""

    return Column(
        measure,
        lambda entry: entry.table.mean(measure)[entry.index].item(),
        f"Mean {measure} over the topics.",
        *measure_header(measure),
        mark=lambda entry: MARKS[direction(entry.comparison(measure))],
    )


def _of_measure(measure: str) -> Iterator[Column[Entry]]:
    yield measure_column(measure)

    def difference(entry: Entry) -> float | None:
        means = entry.table.mean(measure)
        return (means[entry.index] - means[0]).item() if entry.index else None

    yield _difference(measure, difference, "over the topics")
    yield from within(_compared(), lambda entry: entry.comparison(measure), f"{measure} ", measure)


def _of_held_out(measure: str) -> Iterator[Column[Entry]]:
    name = f"held_out {measure}"
    about = f"{measure} on the held-out topics"
    yield Column(
        name,
        lambda entry: entry.table.held_out_mean(measure)[entry.index].item(),
        f"Mean {measure} over the held-out topics.",
        measure_header(measure)[0],
        "held out",
    )

    def difference(entry: Entry) -> float | None:
        means = entry.table.held_out_mean(measure)
        return (means[entry.index] - means[0]).item() if entry.index else None

    yield replace(_difference(name, difference, "over the held-out topics"), unit="held out")
    yield from within(_compared(), lambda entry: entry.built and entry.built.held_out.get(measure), f"{name} ", about)


def _difference(name: str, read: Callable[[Entry], float | None], over: str) -> Column[Entry]:
    meaning = f"Mean difference from the baseline {over}."
    return Column(f"{name} difference", read, meaning, "difference", format=FORMATS[Show.DIFFERENCE])


def _compared() -> list[Column[Comparison]]:
    """Return the columns of a comparison but the difference, which explored variants have too."""
    return [column for column in columns_of(Comparison) if column.name != "difference"]


def _is_measurable(time: MeasuredTime) -> str:
    if time.ratio.low == time.ratio.high == 1:  # the baseline
        return ""
    return "measurable" if time.measurable else NOT_MEASURABLE


def _break_even(point: BreakEven) -> str:
    if point.payoff is Payoff.AFTER and point.queries:
        value, low, high = (fixed(number, 0) for number in (point.queries.value, point.queries.low, point.queries.high))
        return f"after {value} queries ({low} to {high})"
    return {
        Payoff.AT_ONCE: "at once: costs no more to build, faster to search",
        Payoff.NEVER: "never: no cheaper to build, slower to search",
        Payoff.USED_UP: f"at once, but slower to search: used up after {fixed(point.until, 0)} queries",
        Payoff.UNKNOWN: f"{NOT_MEASURABLE}: the difference in searching is within noise",
        Payoff.NO_COSTLIER: f"costs no more to build; the difference in searching is {NOT_MEASURABLE}",
    }[point.payoff]


TIMES: tuple[Column[MeasuredTime], ...] = (
    *columns_of(MeasuredTime),
    Column(
        "verdict",
        _is_measurable,
        "Whether the difference from the baseline is more than noise.",
        "difference",
        align="left",
        exact=False,
    ),
)
BREAK_EVEN: tuple[Column[BreakEven], ...] = (
    *columns_of(BreakEven),
    Column(
        "break_even_words", _break_even, "When cleaning pays off, in words.", "break-even", align="left", exact=False
    ),
)


def _footprint(work: str) -> list[Column[Entry]]:
    def part(entry: Entry) -> Footprint | None:
        return next((one for one in (entry.built.footprints if entry.built else ()) if one.work == work), None)

    columns: list[Column[Entry]] = within(columns_of(Footprint), part, f"{slug(work)}_", work.capitalize())
    return [replace(column, header=work) for column in columns]


def slug(work: str) -> str:
    """Return the name of a piece of work in the names of columns."""
    return work.replace(",", "").replace(" ", "_")

"""Variants that keep title and headings beside the same without any: whether they clean well, or index keywords."""

from __future__ import annotations

from dataclasses import dataclass

from thresher.reports.formatting import MARKS, correction_text, marks_text
from thresher.reports.table import DIFFERENCE, PERCENT, Column, Table, measure_header, pick
from thresher.results.experiment_results import Results, VariantResult
from thresher.results.selection import direction, main_measure, relative_bytes, retrievals

TWINS_FILE = "results.without-headings.csv"


@dataclass(frozen=True)
class Twins:
    """A variant that keeps title and headings, or the baseline, and the same without title and headings."""

    variant: VariantResult
    twin: VariantResult


def twins(results: Results) -> tuple[Twins, ...]:
    """Return the baseline and each variant with `headings=keep` beside its twin, in the order of the results."""
    if results.without_headings is None:
        return ()
    by_name = {(row.retrieval, row.variant): row for row in results.without_headings.rows}
    found = ((row, by_name.get((row.retrieval, results.twins.get(row.variant, "")))) for row in results.rows)
    return tuple(Twins(row, twin) for row, twin in found if twin is not None)


def twin_columns(measure: str) -> list[Column[Twins]]:
    """Return the columns of a variant beside its twin, all in one measure."""
    header, _ = measure_header(measure)
    return [
        Column("variant", lambda row: row.variant.variant, "The cleaner, by its canonical name.", align="left"),
        Column("retrieval", lambda row: row.variant.retrieval, "The retrieval model.", align="left"),
        Column(
            "with",
            lambda row: row.variant.measures.get(measure),
            f"Mean {measure} with title and headings indexed.",
            header,
            "with headings",
            mark=lambda row: MARKS[direction(row.variant.comparisons.get(measure))],
        ),
        Column(
            "with difference",
            lambda row: _difference(row.variant, measure),
            "Its difference from all text.",
            "difference",
            "from all text",
            DIFFERENCE,
        ),
        Column(
            "with index",
            lambda row: relative_bytes(row.variant),
            "Index bytes over those of all text.",
            "index",
            "% of all text",
            PERCENT,
        ),
        Column(
            "without",
            lambda row: row.twin.measures.get(measure),
            f"Mean {measure} without title and headings in any index.",
            header,
            "without headings",
            mark=lambda row: MARKS[direction(row.twin.comparisons.get(measure))],
        ),
        Column(
            "without difference",
            lambda row: _difference(row.twin, measure),
            "Its difference from all text but title and headings.",
            "difference",
            "from all other text",
            DIFFERENCE,
        ),
        Column(
            "without index",
            lambda row: relative_bytes(row.twin),
            "Index bytes over those of all text but title and headings.",
            "index",
            "% of all other text",
            PERCENT,
        ),
    ]


def twins_table(results: Results) -> Table | None:
    """Return the baseline and the variants with `headings=keep`, each with and without title and headings; None if none is.

    Raises:
        InputError: if the results hold no measure.
    """
    rows = twins(results)
    if not rows or results.without_headings is None:
        return None
    measure = main_measure(results)
    columns = twin_columns(measure)
    several = len(retrievals(results)) > 1
    names = [column.name for column in columns if several or column.name != "retrieval"]
    correction = correction_text(results.correction, "variants and measures of each")
    caption = (
        f"{measure}, {results.topics} topics. Variants with headings=keep, and the same with headings=drop. What is lost "
        f"without title and headings was found by these, not by what the cleaner keeps. {results.test} against all text, and "
        f"against all text but title and headings, {correction}, α = "
        f"{results.alpha}: {marks_text(())}"
    )
    return Table.of(pick(columns, *names), rows, caption, keys=1 + several, group=lambda row: row.variant.retrieval)


def _difference(row: VariantResult, measure: str) -> float | None:
    comparison = row.comparisons.get(measure)
    return comparison.difference if comparison else None

"""What is best at the same size, as tables and CSV files: families beside each other, and their frontiers."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from thresher.choosing.choices import Choice
from thresher.choosing.decisions import Decision
from thresher.choosing.same_size import BestOfFamily, SameSize
from thresher.files import write_text
from thresher.pruning_methods.treatments import Family
from thresher.reports.choice_tables import TESTED, JudgedRow, judged_columns, margin_text
from thresher.reports.formatting import fixed, measure_text, percent_text
from thresher.reports.table import COUNT, PERCENT, Column, Table, csv_table, each, pick, within

TABLE_FILE, FRONTIERS_FILE = "same-size.csv", "frontiers.csv"


@dataclass(frozen=True)
class FamilyRow(JudgedRow):
    """The best variant of a family at a size."""

    best: BestOfFamily


def _family_rows(same: SameSize, decision: Decision) -> list[FamilyRow]:
    return [FamilyRow(decision, best.variant, best) for best in same.best]


def same_size_columns(measure: str = "mean") -> list[Column[FamilyRow]]:
    """Return the columns of what is best at the same size: all of `same-size.csv`; `measure` is the decision's."""
    judged: list[Column[FamilyRow]] = within(judged_columns(measure), lambda row: row)
    return [
        *pick(judged, "retrieval", "measure"),
        Column(
            "at_most",
            lambda row: row.best.most,
            "Largest size of the index over that of the baseline.",
            "index at most",
            "% of baseline",
            PERCENT,
        ),
        Column(
            "family",
            lambda row: row.best.family.value,
            "What makes the index smaller: cleaners, methods of index pruning, or combinations of both.",
            align="left",
        ),
        Column(
            "variant",
            lambda row: row.variant.name,
            "The variant of the family with the highest mean at no more than that size.",
            align="left",
        ),
        *pick(judged, "share", "size_kind", "mean", *(column.name for column in TESTED)),
        Column(
            "emptied",
            lambda row: row.decision.emptied_share(row.variant),
            "Share of the pages that cleaning leaves without text, and which no search finds.",
            unit="% of pages",
            format=PERCENT,
        ),
        Column(
            "query_postings",
            lambda row: row.best.query_postings,
            "Postings of a query's terms in the index, the sum of their df, as the mean over the evaluated topics.",
            "postings",
            "per query",
            COUNT,
        ),
        Column(
            "build",
            lambda row: row.best.build.ratio.value if row.best.build else None,
            "Time of building the index over that of the baseline, where the variant was run and timed.",
            "building",
            "time, baseline 1",
            each(lambda value: fixed(value, 2)),
            text=_build_text,
        ),
    ]


def _build_text(row: FamilyRow) -> str:
    build = row.best.build
    if build is None or not build.measurable:
        return "not measurable here"
    low, high = fixed(build.ratio.low, 2), fixed(build.ratio.high, 2)
    return f"{fixed(build.ratio.value, 2)} ({low} to {high})"


def same_size_table(same: SameSize, decision: Decision) -> Table:
    """Return a row for each size and family; the decision has the same measure and retrieval model."""
    hidden = {"retrieval", "measure", "size_kind"} | (set() if any(best.build for best in same.best) else {"build"})
    caption = (
        f"{same.retrieval}, {same.measure}: the best of each family with an index of at most a share of the baseline's. "
        f"Sizes are {decision.size_kind}."
    )
    whole = "" if same.baseline_postings is None else f", with {same.baseline_postings:,.0f} postings per query"
    note = (
        f"The baseline has {measure_text(decision.baseline_mean)}{whole}. Non-inferior: the loss is shown to be "
        f"less than {margin_text(decision)}. The bounds hold for all {len(decision.variants)} variants at once, with "
        f"{percent_text(decision.confidence)} confidence on either side: the best may be picked after looking. "
        "Its mean is still slightly optimistic."
    )
    columns = [column for column in same_size_columns(same.measure) if column.name not in hidden]
    return Table.of(columns, _family_rows(same, decision), caption, note, keys=3, group=lambda row: row.best.most)


@dataclass(frozen=True)
class FrontierPoint(JudgedRow):
    """A variant on the frontier of its family."""

    family: Family


_JUDGED: list[Column[FrontierPoint]] = within(judged_columns(), lambda row: row)
FRONTIERS: tuple[Column[FrontierPoint], ...] = (
    *pick(_JUDGED, "retrieval", "measure"),
    Column("family", lambda row: row.family.value, "Cleaners, pruning methods or combinations."),
    Column(
        "variant",
        lambda row: row.variant.name,
        "A variant with a higher mean than all of its family that are as small.",
    ),
    *pick(_JUDGED, "size", "size_kind", "share", "mean"),
)
"""The columns of `frontiers.csv`."""


def write_same_size_csv(choice: Choice, folder: Path) -> None:
    """Write `same-size.csv` and `frontiers.csv`, each whole or not at all; neither if all variants are of one family."""
    if not choice.same_size:
        return
    pairs = [(found, choice.decision_of(found)) for found in choice.same_size]
    rows = [row for pair in pairs for row in _family_rows(*pair)]
    write_text(folder / TABLE_FILE, csv_table(same_size_columns(), rows))
    points = [
        FrontierPoint(decision, variant, family)
        for _, decision in pairs
        for family, variants in decision.frontiers.items()
        for variant in variants
    ]
    write_text(folder / FRONTIERS_FILE, csv_table(FRONTIERS, points))

"""The table of variants as the rows that charts and pages read: a dictionary for each variant, rounded to what is shown.

Its keys: `name`, `sweep`, `family`; `cutoff`, or `pair` and `cleaner` for those of scorer and pruning method; `at`, where it
stands by cutoff or else by size; `step`, its number in the sweep; `size` in postings, and `share` in % of the baseline's;
`words` kept, in %; `documents` with text; `postings` of a query; `means` and `held`, by measure, on the topics and on held-
out ones; `mean` and `difference` by the main measure; `low` and `high`, bounds of that difference, and `bound`, the lower one
of the test that recommends it; `saved`, wall seconds a query: value, low, high; `front`, `recommended`; `line`,
whether a line joins it with its neighbours; `drawn` among all variants; `marked` there by a point; `best` of its family among
those as small.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from thresher.experiments.choosing.choices import Choice
from thresher.experiments.table import VariantTable
from thresher.reports.charts import MOST_MARKED, Row, Variants
from thresher.reports.formatting import MEASURE_DECIMALS
from thresher.reports.table import measure_header
from thresher.reports.variant_columns import tested_measures

SINGLES = "variants without a sweep"
"""The heading of variants without a cutoff, or alone in their sweep."""
MOST_POINTS = 150
"""The most points of a line, besides those on the front: more cannot be seen, and make a chart slow."""


def variants_of(
    table: VariantTable, main: str | None = None, recommended: str | None = None, margin: float | None = None
) -> Variants:
    """Return the variants of a table as charts read them, without controls.

    Args:
        main: the measure that comes first; None for the table's main one.
        recommended: the variant that is marked as such.
        margin: the largest accepted loss of the main measure; None where nothing was chosen.
    """
    main = main or table.main
    measures = tested_measures(table, main)
    front = set(table.front(main, (0, *table.candidates)))
    best = {index for members in table.families.values() for index in table.frontier(main, members)}
    rows: list[Row] = []
    for sweep, members in table.sweeps.items():
        combined = any(table.rows[one].variant.cleaner_cutoff is not None for one in members)
        joined = set(table.frontier(main, members) if combined else members)
        rows += _together(sweep, [_row(table, measures, one) for one in members], members, joined, front, recommended)
    singles = [{**_row(table, measures, index), "cutoff": None} for index in table.singles]
    rows += _together(SINGLES, singles, table.singles, None, front, recommended)
    names = {table.rows[index].name for index in best}
    base = [table.mean(measure)[0].item() for measure in measures]
    held = [table.held_out_mean(measure)[0].item() for measure in measures]
    return Variants(
        table.retrieval,
        tuple(measure_header(measure)[0] for measure in measures),
        tuple(map(exact, base)),
        tuple(map(exact, held)),
        "postings",
        margin,
        tuple({**row, "best": row["name"] in names} for row in rows),
    )


def answered_variants(table: VariantTable, choice: Choice | None) -> tuple[str, Variants]:
    """Return the main measure of a choice, or else of the table, and the variants with what the choice names first."""
    if choice is None:
        return table.main, variants_of(table)
    model = choice.of(table.retrieval)
    pick = model.first if model else None
    margin = choice.criteria.margin.loss(table.of(choice.measure)[0])
    found = variants_of(table, choice.measure, pick.variant if pick else None, margin)
    rows = (
        {**row, "bound": rounded(pick.effects[0].low)} if pick and row["recommended"] else row for row in found.rows
    )
    return choice.measure, replace(found, rows=tuple(rows))


def topic_rows(table: VariantTable, main: str, index: int) -> list[Row]:
    """Return each topic's value with the baseline and with a variant, from the most gained to the most lost."""
    values = table.of(main)
    found = sorted(
        zip(table.topics, values[0].tolist(), values[index].tolist(), strict=True),
        key=lambda one: (one[1] - one[2], one[0]),
    )
    return [
        {"topic": topic, "a": before, "b": after, "difference": after - before, "rank": rank}
        for rank, (topic, before, after) in enumerate(found, 1)
    ]


def _row(table: VariantTable, measures: Sequence[str], index: int) -> dict[str, Any]:
    row = table.rows[index]
    means = [table.mean(measure)[index].item() for measure in measures]
    difference = means[0] - table.mean(measures[0])[0].item()
    pair = row.variant.cleaner_cutoff is not None
    low, high = None, None
    time = row.built.query if row.built else None
    if row.built and measures[0] in row.built.comparisons:
        low, high = row.built.comparisons[measures[0]].interval
    return {
        "name": row.name,
        "family": row.variant.family.value,
        "cutoff": None if pair else row.variant.cutoff,
        "pair": [row.variant.cleaner_cutoff, row.variant.cutoff] if pair else None,
        "cleaner": row.variant.cleaner.name if pair else None,
        "size": row.index.postings,
        "share": _percent(table.shares[index]),
        "words": _percent(table.word_shares[index]),
        "documents": row.index.documents,
        "postings": rounded(table.mean_query_postings[index].item(), 0),
        "means": [exact(mean) for mean in means],
        "held": [exact(table.held_out_mean(measure)[index].item()) for measure in measures],
        "mean": exact(means[0]),
        "difference": exact(difference),
        "low": rounded(low),
        "high": rounded(high),
        "bound": None,
        "saved": [time.saved.value, time.saved.low, time.saved.high] if time and time.measurable else None,
    }


def _together(
    sweep: str,
    rows: list[dict[str, Any]],
    indices: Sequence[int],
    joined: Collection[int] | None,
    front: Collection[int],
    recommended: str | None,
) -> list[Row]:
    """Return the rows of a sweep with what charts need; `joined` are those that the line joins, None if there is none."""
    each = -(-len(rows) // MOST_POINTS)  # rounded up
    for step, (row, index) in enumerate(zip(rows, indices, strict=True)):
        row |= {"sweep": sweep, "step": step, "at": row["share"] if row["cutoff"] is None else row["cutoff"]}
        row |= {"front": index in front, "recommended": row["name"] == recommended}
        line, named = joined is not None and index in joined, row["front"] or row["recommended"]
        kept = step % each == 0 or step == len(rows) - 1 or named
        row |= {"kept": kept, "line": line, "drawn": kept and (line or joined is None)}
        row["marked"] = named or len(rows) <= MOST_MARKED
    return list(rows)


def exact(value: float | None) -> float | None:
    """Return a number whose differences from others are shown rounded; None for None and what is not finite."""
    return rounded(value, 6 + MEASURE_DECIMALS)


def rounded(value: float | None, decimals: int = MEASURE_DECIMALS) -> float | None:
    """Return what is shown of a number; None for None and what is not finite, which JSON cannot hold."""
    return None if value is None or not math.isfinite(value) else round(value, decimals)


def _percent(share: float) -> float | None:
    return rounded(100 * float(share), 1)

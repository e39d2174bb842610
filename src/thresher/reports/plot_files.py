"""The plots of a finished experiment as files for papers; their data are the CSV files beside `report.html`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from thresher.choosing.choices import Choice
from thresher.number_texts import number_text
from thresher.pruning_methods.treatments import BAR
from thresher.reports.chart_rows import answered_variants, topic_rows
from thresher.reports.charts import Variants, cutoffs, on_held_out, overview, roomy, topics
from thresher.reports.drawing import Plot
from thresher.reports.formatting import change_text, plain
from thresher.reports.table import measure_header
from thresher.reports.variant_columns import Entry
from thresher.variants.results import Results
from thresher.variants.table import VariantTable

_ENDINGS = ("svg", "pdf")
_LEFT, _WHOLE = 4, 99
"""Sizes, in % of the baseline's, beyond which cutoffs would only stretch the axis."""
_MOST_TOPICS = 6
"""Variants whose topics are drawn."""


def all_plot(model: Variants, field: str = "sweep", title: str = "") -> Plot:
    """Return all variants by size, a line for each sweep or, with the `field` `family`, the best of each family."""
    return Plot(overview(model, field, legend=True), model.rows, title)


def sweep_plot(model: Variants, sweep: str) -> Plot:
    """Return a sweep by its cutoffs, without those that leave next to nothing or all.

    A combination is drawn by size, a line for each cutoff of the scorer.
    """
    rows = [row for row in model.rows if row["sweep"] == sweep]
    if rows[0]["pair"]:
        scorer = sweep.partition(BAR)[0]
        named = {"line": True, "drawn": True, "marked": True, "front": False}
        lines = [{**row, **named, "sweep": f"{scorer}@{number_text(row['pair'][0])}"} for row in rows]
        return all_plot(replace(model, rows=tuple(lines)), title=plain(sweep))
    inside = [number for number, row in enumerate(rows) if _LEFT <= row["share"] <= _WHOLE or row["recommended"]]
    # With the neighbours, so that the line reaches both ends.
    shown = rows[max(0, min(inside) - 1) : max(inside) + 2] if inside else rows
    return Plot(cutoffs(replace(model, rows=tuple(shown)), sweep), shown, plain(sweep))


def topic_plots(table: VariantTable, main: str) -> Iterator[tuple[str, Plot]]:
    """Give the topics of the best variant of each sweep and of singles, of those that were built, by variant, on one scale."""
    built = set(table.built)
    sweeps = [[index for index in members if index in built] for members in table.sweeps.values()]
    best = [table.best(main, members) for members in sweeps if members]
    best += [index for index in table.singles if index in built]
    means = table.mean(main)
    shown = sorted(best, key=lambda index: (-means[index], table.sizes[index], index))[:_MOST_TOPICS]
    rows = {index: topic_rows(table, main, index) for index in shown}
    ends = roomy([0.0, *(one["difference"] for of_one in rows.values() for one in of_one)])
    for index, of_one in rows.items():
        name, found = table.rows[index].name, Entry(table, index).comparison(main)
        said = f": {change_text(found.difference)}, W/T/L {found.wins}/{found.ties}/{found.losses}" if found else ""
        yield name, Plot(topics(measure_header(main)[0], 220, ends), of_one, plain(name) + said)


def write_plots(results: Results, choice: Choice | None, folder: Path) -> list[Path]:
    """Write every plot as SVG and as PDF, each file whole or not at all; return the files."""
    written = []
    for table in results.tables:
        for names, plot in _of_table(table, choice):
            for ending in _ENDINGS:
                written.append(folder / f"{'-'.join(map(_stem, names))}.{ending}")
                plot.save(written[-1])
    return written


def _of_table(table: VariantTable, choice: Choice | None) -> Iterator[tuple[tuple[str, ...], Plot]]:
    main, model = answered_variants(table, choice)
    yield ("variants", table.retrieval), all_plot(model)
    if table.held_out_topics:
        yield ("variants", table.retrieval, "held-out"), all_plot(on_held_out(model))
    if len(table.families) > 1:
        yield ("families", table.retrieval), all_plot(model, "family")
    for sweep in table.sweeps:
        yield ("sweep", table.retrieval, sweep), sweep_plot(model, sweep)
    for name, plot in topic_plots(table, main):
        yield ("topics", table.retrieval, name), plot


def _stem(name: str) -> str:
    """Return a name for files; characters with a meaning to file systems or shells become hyphens."""
    return re.sub(r"[^\w.@=]+", "-", name).strip("-")

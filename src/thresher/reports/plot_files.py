"""The plots of a finished experiment as files for papers; their data are the CSV files beside `report.html`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from thresher.choosing.choices import Choice
from thresher.choosing.decisions import ModelDecisions
from thresher.number_texts import number_text
from thresher.pruning_methods.treatments import BAR
from thresher.reports.chart_rows import of_choice, of_results, topic_rows
from thresher.reports.charts import Variants, cutoffs, on_held_out, overview, roomy, topics
from thresher.reports.drawing import Plot
from thresher.reports.formatting import change_text, plain
from thresher.reports.table import measure_header
from thresher.results.experiment_results import Results
from thresher.results.selection import finalists, main_measure, retrievals

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


def topic_plots(results: Results, retrieval: str) -> Iterator[tuple[str, Plot]]:
    """Give the topics of the best variant of each sweep and of singles, by variant, on one scale."""
    measure = main_measure(results)
    shown = [(row, topic_rows(results, row, measure)) for row in finalists(results, retrieval)[:_MOST_TOPICS]]
    ends = roomy([0.0, *(one["difference"] for _, rows in shown for one in rows)])
    for row, rows in shown:
        if rows:
            title = plain(row.variant)
            if found := row.comparisons.get(measure):
                title += f": {change_text(found.difference)}, {found.wins} won, {found.ties} tied, {found.losses} lost"
            yield row.variant, Plot(topics(measure_header(measure)[0], 220, ends), rows, title)


def write_plots(results: Results, choice: Choice | None, folder: Path) -> list[Path]:
    """Write every plot as SVG and as PDF, each file whole or not at all; return the files.

    Raises:
        InputError: if the results hold no measure, or a file cannot be written.
        MissingDependencyError: without vl-convert.
    """
    plots = [plot for retrieval in retrievals(results) for plot in _of_runs(results, retrieval)]
    if choice:
        plots += [plot for one in choice.models for plot in _of_choice(choice, one)]
        for found in choice.same_size:
            model = of_choice(choice, ModelDecisions(choice.decision_of(found), ()))
            plots.append((("same-size", found.retrieval, found.measure), all_plot(model, "family")))
    written = []
    for names, plot in plots:
        for ending in _ENDINGS:
            written.append(folder / f"{'-'.join(map(_stem, names))}.{ending}")
            plot.save(written[-1])
    return written


def _of_runs(results: Results, retrieval: str) -> Iterator[tuple[tuple[str, ...], Plot]]:
    model = of_results(results, retrieval)
    yield ("runs", retrieval), all_plot(model)
    if results.held_out:
        yield ("runs", retrieval, "held-out"), all_plot(on_held_out(model))
    for sweep in dict.fromkeys(row["sweep"] for row in model.rows if row["cutoff"] is not None):
        yield ("sweep", retrieval, sweep), sweep_plot(model, sweep)
    for variant, plot in topic_plots(results, retrieval):
        yield ("topics", retrieval, variant), plot


def _of_choice(choice: Choice, one: ModelDecisions) -> Iterator[tuple[tuple[str, ...], Plot]]:
    model = of_choice(choice, one)
    yield ("cutoffs", model.name), all_plot(model)
    for sweep in dict.fromkeys(row["sweep"] for row in model.rows if row["pair"] or row["cutoff"] is not None):
        yield ("cutoffs", model.name, sweep), sweep_plot(model, sweep)


def _stem(name: str) -> str:
    """Return a name for files; characters with a meaning to file systems or shells become hyphens."""
    return re.sub(r"[^\w.@=]+", "-", name).strip("-")

"""The plots of a finished experiment as files for papers; their data are the CSV files beside `report.html`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from matplotlib.figure import Figure

from thresher.choosing.choices import Choice
from thresher.reports.choice_plots import judged_sweep_figure, overview_figure
from thresher.reports.plot_style import write_plot
from thresher.reports.plots import common_scale, shown_topics, sweep_figure, topics_figure, trade_off_figure
from thresher.reports.same_size_plots import combination_figure, frontier_figure
from thresher.reports.same_size_tables import decision_of
from thresher.results.experiment_results import Results
from thresher.results.selection import main_measure, retrievals, sweep_rows, sweeps


def write_paper_plots(
    results: Results | None, choice: Choice | None, folder: Path, formats: Sequence[str]
) -> list[Path]:
    """Write every plot in each format (`svg`, `pdf`, `png`), whole or not at all; return the files.

    Raises:
        InputError: if the results hold no measure, or a file cannot be written.
    """
    written = []
    for name, figure in _plots(results, choice):
        for ending in formats:
            path = folder / f"{name}.{ending}"
            write_plot(figure, path)
            written.append(path)
    return written


def _plots(results: Results | None, choice: Choice | None) -> Iterator[tuple[str, Figure]]:
    """Give the plots with the stems of their files."""
    for retrieval in retrievals(results) if results else ():
        assert results is not None
        measure, shown = main_measure(results), shown_topics(results, retrieval)
        yield _stem("runs", retrieval), trade_off_figure(results, retrieval)
        if results.held_out:
            yield _stem("runs", retrieval, "held-out"), trade_off_figure(results, retrieval, results.held_out)
        for sweep in sweeps(results):
            if sweep_rows(results, sweep, retrieval):
                yield _stem("sweep", retrieval, sweep), sweep_figure(results, sweep, retrieval)
        scale = common_scale(shown)
        for topics in shown:
            yield _stem("topics", retrieval, topics.row.variant), topics_figure(measure, topics, scale)
    for one in choice.models if choice else ():
        main = one.main
        yield _stem("cutoffs", main.retrieval), overview_figure(main)
        for ordered in main.ordered_sweeps:
            figure = judged_sweep_figure(main, ordered, one.others)
            yield _stem("cutoffs", main.retrieval, ordered.name), figure
        for combination in main.combinations:
            yield _stem("cutoffs", main.retrieval, combination.name), combination_figure(main, combination)
    for found in choice.same_size if choice else ():
        assert choice is not None
        figure = frontier_figure(decision_of(choice, found))
        yield _stem("same-size", found.retrieval, found.measure), figure


def _stem(*parts: str) -> str:
    """Return a file name's stem of names; signs that file systems or shells take amiss become hyphens."""
    return "-".join(re.sub(r"[^\w.@=]+", "-", part).strip("-") for part in parts)

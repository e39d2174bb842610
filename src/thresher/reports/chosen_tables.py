"""The table and CSV file of what was chosen on the training topics and tested on held-out ones."""

from __future__ import annotations

from dataclasses import replace

from thresher.defaults import HOLM
from thresher.reports.formatting import MARKS, correction_text, marks_text, p_text, percent_text
from thresher.reports.results_tables import COMPARED
from thresher.reports.table import Column, Table, csv_table, each, pick, within
from thresher.results.experiment_results import Best, Chosen, Results
from thresher.results.selection import direction, main_measure, retrievals

CHOSEN_FILE = "chosen.csv"


def chosen_columns(measure: str) -> list[Column[Chosen]]:
    """Return the columns of what was chosen and tested on held-out topics, all in one measure."""
    best = [
        Column[Best](
            "best",
            lambda best: best.variant,
            "The variant of the sweep with the best mean over the held-out topics.",
            "best possible",
            "variant",
            align="left",
        ),
        Column("best held_out", lambda best: best.mean, "That variant's mean over the held-out topics."),
        *within(COMPARED, lambda best: best.comparison, "best ", "The best variant on the held-out topics"),
    ]
    return [
        Column("retrieval", lambda item: item.retrieval, "The retrieval model.", align="left"),
        Column("sweep", lambda item: item.sweep, "The sweep; empty for a single cleaner."),
        Column("chosen", lambda item: item.variant, "The variant chosen on the training topics.", align="left"),
        Column("measure", lambda _: measure, "The measure that all other columns are about."),
        Column("training", lambda item: item.training, "The chosen variant's mean over the training topics."),
        Column(
            "held_out",
            lambda item: item.held_out,
            "The chosen variant's mean over the held-out topics.",
            "held out",
            mark=lambda item: MARKS[direction(item.comparison)],
        ),
        Column(
            "baseline",
            lambda item: item.baseline,
            "The baseline's mean over the held-out topics.",
            unit="held out",
            exact=False,
        ),
        *within(COMPARED, lambda item: item.comparison, "held_out ", "The chosen variant on the held-out topics"),
        *within(best, lambda item: item.best),
        Column(
            "optimism",
            lambda item: item.optimism,
            "How much lower the chosen variant's held-out mean is than the best one's.",
        ),
    ]


def chosen_table(results: Results) -> Table | None:
    """Return one row per sweep and single cleaner; None where nothing was chosen."""
    if results.held_out is None or not results.chosen:
        return None
    several = len(retrievals(results)) > 1
    p = "held_out p_holm" if results.correction == HOLM else "held_out p"
    names = ["chosen", *["retrieval"] * several, "training", "held_out", "baseline", "held_out difference"]
    names += ["held_out interval", "held_out W/T/L", p, "best", "best difference", "optimism"]
    columns = [
        replace(column, header="p", format=each(p_text))
        if column.name == p
        else replace(column, header="best possible", unit="difference")
        if column.name == "best difference"
        else column
        for column in pick(chosen_columns(main_measure(results)), *names)
    ]
    return Table.of(columns, results.chosen, _chosen_caption(results, results.held_out), keys=1 + several)


def chosen_csv(results: Results) -> str:
    """Return one line per sweep and single cleaner, with all numbers of the main measure, those of `best` too."""
    return csv_table(chosen_columns(main_measure(results)), results.chosen)


def _chosen_caption(results: Results, held_out: Results) -> str:
    rows = len(results.chosen)
    over = f"{rows} row" if rows == 1 else f"{rows} rows"
    text = (
        f"{main_measure(results)}. Of each sweep the cutoff of the best mean over the {results.topics} training topics, of "
        f"equals that with the smallest index, and the single cleaners, tested on {held_out.topics} held-out topics, "
        f"which had no part in the choice. Difference, {percent_text(1 - results.alpha)} interval and p against the baseline "
        f"on the held-out topics. {results.test}, {correction_text(results.correction, over)}, α = {results.alpha}: "
        f"{marks_text(direction(item.comparison) for item in results.chosen)}"
    )
    return f"{text} Optimism: what the best cutoff on the held-out topics would have promised beyond the chosen one."

"""Further tables: what was chosen and tested held-out, runs of other systems, variants without headings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from thresher.defaults import HOLM
from thresher.evaluation.significance import Comparison
from thresher.reports.compared_runs import COMPARED
from thresher.reports.formatting import MARKS, correction_text, marks_text, p_text, percent_text
from thresher.reports.results_tables import caption, measure_column
from thresher.reports.table import (
    COUNT,
    DIFFERENCE,
    PERCENT,
    Column,
    Table,
    csv_table,
    each,
    measure_header,
    pick,
    within,
)
from thresher.results.experiment_results import Best, Chosen, Results, SystemResult, VariantResult
from thresher.results.selection import (
    Twins,
    baseline_row,
    compared_measures,
    direction,
    main_measure,
    relative_bytes,
    relative_size,
    retrievals,
    twins,
)

CHOSEN_FILE = "chosen.csv"
SYSTEMS_FILE = "systems.csv"
TWINS_FILE = "results.without-headings.csv"


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


def system_columns(measures: Sequence[str], tested: Sequence[str], whole: int) -> list[Column[SystemResult]]:
    """Return the columns of other systems, in the file and in tables; `whole` are the bytes of the baseline's index."""
    return [
        Column("system", lambda row: row.name, "The system, as the experiment names it.", align="left"),
        *(measure_column(name, True) for name in measures),
        *(column for name in tested for column in within(COMPARED, _comparison(name), f"{name} ", name)),
        Column("retrieved", lambda row: row.retrieved, "Topics with a document.", unit="topics", format=COUNT),
        Column("index_bytes", lambda row: row.index_bytes, "Size of its index in bytes, if known.", format=COUNT),
        Column(
            "index_bytes_relative",
            lambda row: relative_size(row.index_bytes, whole),
            "The same over that of the baseline.",
            "index",
            "% of baseline",
            PERCENT,
        ),
    ]


def _columns(results: Results) -> list[Column[SystemResult]]:
    whole = baseline_row(results, retrievals(results)[0]).index_bytes
    return system_columns(results.measures, compared_measures(results), whole)


def _comparison(name: str) -> Callable[[SystemResult], Comparison | None]:
    return lambda row: row.comparisons.get(name)


def systems_table(results: Results) -> Table | None:
    """Return a row for each other system, compared with the baseline; None without any."""
    if not results.systems:
        return None
    main = main_measure(results)
    compared = [f"{main} {name}" for name in ("difference", "W/T/L")] if main in compared_measures(results) else []
    columns = _columns(results)
    shown = pick(columns, "system", main, *compared, "index_bytes_relative", "retrieved")
    others = pick(columns, *(name for name in results.measures if name != main))
    return Table.of([*shown, *others], results.systems, f"Runs of other systems. {caption(results)}")


def systems_csv(results: Results) -> str:
    """Return one line per system."""
    return csv_table(_columns(results), results.systems)


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

"""`report.html`: the whole experiment on one page that needs nothing else."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, replace

from thresher.choosing.choices import Choice
from thresher.explaining.explanations import ExplainedTopics
from thresher.exploring.exploration import Exploration
from thresher.reports.choice_html import ModelChoice, choice_methods, model_choice, same_size_tables
from thresher.reports.chosen_tables import chosen_table
from thresher.reports.first_screen import FirstScreen, first_screens
from thresher.reports.html_parts import chart_library, packed, render_template
from thresher.reports.page_data import page_data
from thresher.reports.results_tables import (
    HELD_OUT_FILE,
    STAGES,
    break_even_table,
    bytes_table,
    effectiveness_table,
    footprint_tables,
    main_table,
    stage_table,
    times_tables,
    work_table,
)
from thresher.reports.summary import model_summary
from thresher.reports.system_tables import systems_table
from thresher.reports.table import Table, measure_header
from thresher.reports.without_headings import twins_table
from thresher.results.experiment_results import Results
from thresher.results.selection import main_measure

MOST_FAILED = 200
"""Failed pages that are listed one by one."""


@dataclass(frozen=True)
class ModelTables:
    """What the page shows of one retrieval model's runs."""

    sentences: tuple[str, ...]
    main: Table
    systems: Table | None
    work: Table
    bytes: Table
    times: tuple[Table, ...]
    footprints: tuple[Table, ...]
    stages: tuple[Table, ...]
    break_even: Table
    twins: Table | None
    chosen: Table | None
    held_out: Table | None


@dataclass(frozen=True)
class ModelPage:
    """What the page shows of one retrieval model; without a choice or results there is nothing of these."""

    name: str
    screen: FirstScreen
    choice: ModelChoice | None
    same_size: tuple[Table, ...]
    tables: ModelTables | None


def render_report(
    results: Results | None,
    choice: Choice | None = None,
    exploration: Exploration | None = None,
    explained: ExplainedTopics | None = None,
) -> str:
    """Return the page: one HTML document with its styles, figures and scripts inside, the same bytes every time.

    Without results the page is about the choice alone; without an exploration the choice was made from the runs. Topics link
    to the pages that explain them, where there are any.

    Raises:
        InputError: if the results hold no measure, or a retrieval model without a baseline.
        MissingDependencyError: without the library of the charts.
        ValueError: if there are neither results nor a choice.
    """
    if results is None and choice is None:
        raise ValueError("there is nothing to report")
    screens = first_screens(results, choice, exploration)
    models = [_model(screen, results, choice, exploration) for screen in screens]
    failed = results.failed_pages if results else ()
    notices = (*(results.notices if results else ()), *(choice.notices if choice else ()))
    methods = (*(results.methods if results else ()), *(choice_methods(choice) if choice else ()))
    data = page_data(choice, exploration, results, explained)
    library = chart_library()
    return render_template(
        "report.html.j2",
        parts=("choice.css", "charts.js", "reading.js", "page.js"),
        library=library,
        data=packed(json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))),
        title=results.title if results else choice.title if choice else "",
        sub=_sub(results, choice),
        models=models,
        chosen=choice is not None,
        results=results,
        why=explained,
        notices=tuple(dict.fromkeys(notices)),
        reasons=Counter(reason for _, reason in failed).most_common(),
        failed=failed[:MOST_FAILED],
        known=len(failed),
        failed_count=max(len(failed), *(row.failed for row in results.rows)) if results else 0,
        methods=methods,
    )


def _sub(results: Results | None, choice: Choice | None) -> str:
    """Return the line below the title: how many topics and variants there are."""
    if choice is not None:
        decision = choice.decisions[0]
        topics, variants = decision.topics, len(decision.variants)
    else:
        assert results is not None
        topics, variants = results.topics, len({row.variant for row in results.rows}) - 1
    return f"{topics} topics · {variants:,} variants"


def _model(
    screen: FirstScreen, results: Results | None, choice: Choice | None, exploration: Exploration | None
) -> ModelPage:
    name = screen.retrieval
    return ModelPage(
        name,
        screen,
        model_choice(choice, name, exploration, results) if choice else None,
        same_size_tables(choice, name) if choice else (),
        _tables(alone) if (alone := results and results_of(results, name)) and alone.rows else None,
    )


def results_of(results: Results, retrieval: str) -> Results:
    """Return the results with the rows of one retrieval model alone."""

    def inner(part: Results | None) -> Results | None:
        return part and results_of(part, retrieval)

    return replace(
        results,
        rows=tuple(row for row in results.rows if row.retrieval == retrieval),
        per_topic=tuple(value for value in results.per_topic if value.retrieval == retrieval),
        held_out=inner(results.held_out),
        chosen=tuple(one for one in results.chosen if one.retrieval == retrieval),
        noise=tuple(floor for floor in results.noise if floor.retrieval in ("", retrieval)),
        without_headings=inner(results.without_headings),
    )


def _tables(results: Results) -> ModelTables:
    return ModelTables(
        tuple(model_summary(results, results.rows[0].retrieval)),
        _costs_first(main_table(results), main_measure(results)),
        systems_table(results),
        work_table(results),
        bytes_table(results),
        tuple(times_tables(results)),
        tuple(footprint_tables(results)),
        tuple(stage_table(results, stage) for stage in STAGES),
        break_even_table(results),
        twins_table(results),
        chosen_table(results),
        effectiveness_table(results.held_out, HELD_OUT_FILE) if results.held_out else None,
    )


def _costs_first(table: Table, measure: str) -> Table:
    """Return the main table with what pages show at first in front: the main measure, then sizes and work."""
    first = ("variant", measure_header(measure)[0], "W/T/L", "index", "words kept", "emptied", "postings")
    order = sorted(
        range(len(table.columns)),
        key=lambda index: first.index(header) if (header := table.columns[index].header) in first else len(first),
    )
    return table.ordered(order)

"""`report.html`: the whole experiment on one page that needs nothing else. Its first screen says what is recommended."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from thresher.choosing.choices import Choice, ModelChoice, Pick
from thresher.defaults import DEFAULT_INDEX
from thresher.explaining.explanations import ExplainedTopics
from thresher.reports.chart_rows import answered_variants, exact, rounded
from thresher.reports.charts import LOOK, cutoffs, frontier, on_held_out, overview, topics
from thresher.reports.drawing import chart_library
from thresher.reports.formatting import (
    MINUS,
    change_text,
    fixed,
    measure_text,
    megabytes,
    percent,
    percent_text,
    significant_digits,
)
from thresher.reports.further_tables import (
    answers_table,
    chosen_table,
    families_tables,
    headings_table,
    same_size_table,
    systems_table,
)
from thresher.reports.html_parts import packed, render_template
from thresher.reports.methods import methods
from thresher.reports.notices import notices
from thresher.reports.summary import assumptions, first_pick, margin_text, model_answer, model_findings, use, warnings
from thresher.reports.table import Table, measure_header
from thresher.reports.variant_columns import tested_measures
from thresher.reports.variant_tables import (
    bytes_table,
    footprint_table,
    held_out_table,
    main_table,
    stage_table,
    times_tables,
    work_table,
)
from thresher.variants.results import Results
from thresher.variants.table import VariantTable, Verdict

QUERIES = 1_000_000
"""Queries that savings are first shown for, where the choice has none."""


def page_data(results: Results, choice: Choice | None, explained: ExplainedTopics | None = None) -> dict[str, Any]:
    """Return what the page's scripts read: an object for each retrieval model."""
    return {
        "queries": choice.queries if choice else QUERIES,
        "models": [_model(results, table, choice) for table in results.tables],
        "pages": explained.files if explained else {},
        "look": LOOK,
    }


def _model(results: Results, table: VariantTable, choice: Choice | None) -> dict[str, Any]:
    main, model = answered_variants(table, choice)
    first = next((row["name"] for row in model.rows if row["recommended"]), None)
    families = [family.value for family in table.families]
    sweeps = list(dict.fromkeys(row["sweep"] for row in model.rows))
    built = table.baseline.built
    return {
        "name": model.name,
        "measures": list(tested_measures(table, main)),
        "base": {
            "means": model.base,
            "held": model.held,
            "postings": rounded(table.mean_query_postings[0].item(), 0),
            "size": table.baseline.index.postings,
            "documents": table.baseline.index.documents,
        },
        "rows": model.rows,
        "sweeps": sweeps,
        "frontier": frontier(model),
        "held": frontier(on_held_out(model), 400) if table.held_out_topics else None,
        "all": overview(model),
        "bars": topics(model.measures[0]),
        "cutoffs": [cutoffs(model, sweep) for sweep in sweeps],
        "kinds": families,
        "families": overview(model, "family", 320) if len(families) > 1 else None,
        "recommended": first,
        "words": _words(choice) if choice else None,
        "sure": percent_text(1 - (choice.terms.alpha if choice else results.facts.alpha)),
        "seconds": built.query.wall.value if built and built.query else None,
        "topics": _topics(results, table, main, first),
    }


def _topics(results: Results, table: VariantTable, main: str, first: str | None) -> dict[str, Any]:
    """Return each topic's value with every variant that was built or is recommended, or on the front if none was built."""
    shown = set(table.built) if len(table.built) > 1 else {0, *table.front(main, (0, *table.candidates))}
    shown |= {table.position[first]} if first else set()
    values = table.of(main)
    return {
        "ids": list(table.topics),
        "queries": [results.facts.topics.get(topic, "") for topic in table.topics],
        "variants": [table.rows[index].name for index in sorted(shown)],
        "values": [list(map(exact, values[index].tolist())) for index in sorted(shown)],
    }


def _words(choice: Choice) -> dict[str, str]:
    margin = margin_text(choice.terms.margin)
    return {
        Verdict.SHOWN.value: f"Shown to lose less than {margin}.",
        Verdict.UNDECIDED.value: f"Undecided: shown to lose neither less nor more than {margin}.",
        Verdict.LOSES.value: f"Shown to lose more than {margin}.",
    }


MOST_FAILED = 200
"""Failed pages that are listed one by one."""


@dataclass(frozen=True)
class KeyFigure:
    """A figure, what it measures, and its interval or source."""

    label: str
    value: str
    detail: str


@dataclass(frozen=True)
class FirstScreen:
    """What a retrieval model's first screen says, beside its chart.

    Args:
        sentences: the most important one first.
        command: how to use what is recommended; None where nothing is.
    """

    sentences: tuple[str, ...]
    command: str | None
    figures: tuple[KeyFigure, ...]
    warnings: tuple[str, ...]


@dataclass(frozen=True)
class Why:
    """What an answer rests on: sentences, the indexes that it names, and what was tested."""

    sentences: tuple[str, ...]
    tables: tuple[Table, ...]


@dataclass(frozen=True)
class BuiltTables:
    """What the page shows of indexes that were built."""

    bytes: Table
    times: tuple[Table, ...]
    timed: bool
    footprints: Table
    stages: Table


@dataclass(frozen=True)
class ModelPage:
    """What the page shows of one retrieval model; None where there is nothing to show."""

    name: str
    screen: FirstScreen
    why: Why | None
    findings: tuple[str, ...]
    main: Table
    systems: Table | None
    same_size: Table | None
    headings: Table | None
    chosen: Table | None
    held_out: Table | None
    work: Table
    built: BuiltTables | None


def render_report(results: Results, choice: Choice | None = None, explained: ExplainedTopics | None = None) -> str:
    """Return the page: one HTML document with its styles, figures and scripts inside, the same bytes every time.

    Topics link to the pages that explain them, where there are any.
    """
    facts, pages = results.facts, results.facts.pages
    data = page_data(results, choice, explained)
    return render_template(
        "report.html.j2",
        parts=("choice.css", "charts.js", "reading.js", "page.js"),
        library=chart_library(),
        data=packed(json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))),
        title=facts.title,
        sub=f"{len(facts.topics)} topics · {len(results.tables[0].rows) - 1:,} variants",
        models=[model_page(_alone(results, table), choice) for table in results.tables],
        figures=data["models"],
        chosen=choice is not None,
        ran=results.was_run,
        folder=facts.experiment,
        why=explained,
        notices=notices(results),
        reasons=Counter(reason for _, reason in pages.reasons).most_common(),
        failed=pages.reasons[:MOST_FAILED],
        known=len(pages.reasons),
        failed_count=max(pages.failed, len(pages.reasons)),
        methods=methods(results),
    )


def _alone(results: Results, table: VariantTable) -> Results:
    """Return the results of one retrieval model."""
    noise = tuple(floor for floor in results.facts.noise if floor.retrieval in ("", table.retrieval))
    return Results(replace(results.facts, noise=noise), (table,))


def model_page(results: Results, choice: Choice | None) -> ModelPage:
    """Return what the page shows of results with one retrieval model."""
    (table,) = results.tables
    model = choice.of(table.retrieval) if choice else None
    return ModelPage(
        name=table.retrieval,
        screen=_recommended(results, choice, model) if choice and model else _not_chosen(results),
        why=_why(choice, model) if choice and model else None,
        findings=tuple(model_findings(table)),
        main=main_table(results),
        systems=systems_table(results),
        same_size=same_size_table(table),
        headings=headings_table(table),
        chosen=chosen_table(results),
        held_out=held_out_table(results) if table.held_out_topics else None,
        work=work_table(results),
        built=_built(results) if results.was_run else None,
    )


def _built(results: Results) -> BuiltTables:
    times = tuple(times_tables(results))
    return BuiltTables(
        bytes_table(results), times, bool(results.facts.noise), footprint_table(results), stage_table(results)
    )


def _recommended(results: Results, choice: Choice, model: ModelChoice) -> FirstScreen:
    (table,) = results.tables
    pick = first_pick(model)
    figures = _figures(table, model, pick) if pick else _baseline_figures(table)
    said = [*warnings(results)][len(notices(results)) :]
    if pick and pick.emptied:
        said.insert(0, f"{pick.emptied:,} of {model.documents:,} pages are left without text.")
    if pick and not table.rows[table.position[pick.variant]].built:
        said.insert(0, f"{pick.variant} was explored, not built.")
    command = use(pick.variant) if pick else None
    return FirstScreen(tuple(model_answer(choice, model, brief=True)), command, tuple(figures), tuple(said))


def _figures(table: VariantTable, model: ModelChoice, pick: Pick) -> Iterator[KeyFigure]:
    row = table.rows[table.position[pick.variant]]
    size = "" if row.bytes is None else f", {significant_digits(megabytes(row.bytes))} MB"
    yield KeyFigure("Index size", _change(pick.share), f"postings{size}")
    gain = next((one for one in (model.gain, model.dominating) if one and one.pick == pick), None)
    effect = gain.held_out if gain else pick.effects[0]
    short = measure_header(effect.measure)[0]
    where = "topics without a part in the pick" if gain else f"{effect.topics} topics"
    least = f"at worst {change_text(effect.low)}"
    accepted = "" if effect.margin is None else f", {MINUS}{measure_text(effect.margin)} is accepted"
    yield KeyFigure(f"{short}, {where}", change_text(effect.difference), least + accepted)
    if pick.work is not None:
        share = pick.work.share
        yield KeyFigure("Postings per query", _change(share.value), f"{_change(share.low)} to {_change(share.high)}")


def _baseline_figures(table: VariantTable) -> Iterator[KeyFigure]:
    base = table.baseline
    yield KeyFigure("Index size", fixed(base.index.postings, 0), "postings, no cleaning")
    yield KeyFigure(measure_header(table.main)[0], measure_text(table.mean(table.main)[0]), "no cleaning")
    yield KeyFigure("Postings per query", fixed(table.mean_query_postings[0], 0), "no cleaning")


def _not_chosen(results: Results) -> FirstScreen:
    (table,) = results.tables
    said = [*warnings(results)][len(notices(results)) :]
    sentences = ["Nothing is recommended yet: run `thresher choose`.", *model_findings(table)]
    usual = table.position.get(DEFAULT_INDEX)
    if usual is not None:
        means = table.mean(table.main)
        sentences.insert(
            1,
            f"The usual index, `{DEFAULT_INDEX}`, has {percent(table.shares[usual])} % of the postings and "
            f"{measure_header(table.main)[0]} {measure_text(means[usual])}.",
        )
    return FirstScreen(tuple(sentences), None, tuple(_baseline_figures(table)), tuple(said))


def _why(choice: Choice, model: ModelChoice) -> Why:
    named = answers_table(replace(choice, models=(model,)))
    return Why(tuple(assumptions(choice, model)), (*([named] if named else []), *families_tables(choice, model)))


def _change(share: float) -> str:
    change = share - 1
    sign = "" if round(1000 * change) == 0 else "+" if change > 0 else MINUS
    return f"{sign}{percent(abs(change))} %"

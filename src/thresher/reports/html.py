"""`report.html`: the whole experiment on one page that needs nothing else. Its first screen says what is recommended."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from thresher.base.defaults import DEFAULT_INDEX
from thresher.base.number_text import counted
from thresher.experiments.choosing.choices import Choice, ChosenIndex, ModelChoice
from thresher.experiments.results import Results
from thresher.experiments.table import VariantTable
from thresher.reports import formatting, further_tables, summary, variant_tables
from thresher.reports.chart_rows import answered_variants, exact, rounded
from thresher.reports.charts import LOOK, cutoffs, frontier, leading, on_held_out, overview, topics
from thresher.reports.drawing import chart_library
from thresher.reports.html_parts import packed, render_template
from thresher.reports.methods import methods
from thresher.reports.notices import notices
from thresher.reports.table import measure_header
from thresher.reports.variant_columns import tested_measures

QUERIES = 1_000_000
"""Queries that savings are first shown for, where the choice has none."""


def page_data(results: Results, choice: Choice | None) -> dict[str, Any]:
    """Return what the page's scripts read: an object for each retrieval model."""
    return {
        "queries": choice.queries if choice else QUERIES,
        "models": [_model(results, table, choice) for table in results.tables],
        "pages": {},
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
        "leading": leading(model),
        "frontier": frontier(model),
        "held": frontier(on_held_out(model), 400) if table.held_out_topics else None,
        "all": overview(model),
        "bars": topics(model.measures[0]),
        "cutoffs": [cutoffs(model, sweep) for sweep in sweeps],
        "kinds": families,
        "families": overview(model, "family", 320) if len(families) > 1 else None,
        "recommended": first,
        "sure": formatting.percent_text(1 - (choice.criteria.alpha if choice else results.facts.alpha)),
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


MOST_FAILED = 200
"""Failed pages that are listed one by one."""


def render_report(
    results: Results,
    choice: Choice | None = None,
) -> str:
    """Return the page: one HTML document with its styles, figures and scripts inside, the same bytes every time."""
    facts, pages = results.facts, results.facts.pages
    data = page_data(results, choice)
    bias = facts.title_bias
    relevant = f" with {bias.relevant:,} relevant pages" if bias else ""
    return render_template(
        "report.html.j2",
        parts=("choice.css", "charts.js", "reading.js", "page.js"),
        library=chart_library(),
        data=packed(json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))),
        title=facts.title,
        sub=f"{counted(len(facts.topics), 'topic')}{relevant} · {len(results.tables[0].rows) - 1:,} variants",
        models=[_page(_alone(results, table), choice) for table in results.tables],
        figures=data["models"],
        chosen=choice is not None,
        ran=results.was_run,
        folder=facts.experiment,
        notices=notices(results),
        reasons=Counter(reason for _, reason in pages.reasons).most_common(),
        failed=pages.reasons[:MOST_FAILED],
        known=len(pages.reasons),
        failed_count=max(pages.failed, len(pages.reasons)),
        methods=methods(results),
    )


def _alone(results: Results, table: VariantTable) -> Results:
    noise = tuple(floor for floor in results.facts.noise if floor.retrieval in ("", table.retrieval))
    return Results(replace(results.facts, noise=noise), (table,))


def _page(results: Results, choice: Choice | None) -> dict[str, Any]:
    """Return what the page shows of results with one retrieval model; None where there is nothing to show."""
    (table,) = results.tables
    model = choice.of(table.retrieval) if choice else None
    screen = _recommended(results, choice, model) if choice and model else _not_chosen(results)
    return {
        "name": table.retrieval,
        "screen": screen,
        "why": _why(choice, model) if choice and model else None,
        "findings": [*summary.model_findings(table)],
        "main": variant_tables.main_table(results),
        "systems": further_tables.systems_table(results),
        "same_size": len(table.families) > 1,
        "chosen": further_tables.chosen_table(results),
        "held_out": variant_tables.held_out_table(results) if table.held_out_topics else None,
        "work": variant_tables.work_table(results),
        "built": _built(results) if results.was_run else None,
    }


def _built(results: Results) -> dict[str, Any]:
    return {
        "bytes": variant_tables.bytes_table(results),
        "times": variant_tables.times_tables(results),
        "timed": bool(results.facts.noise),
        "footprints": variant_tables.footprint_table(results),
        "stages": variant_tables.stage_table(results),
    }


def _recommended(results: Results, choice: Choice, model: ModelChoice) -> dict[str, Any]:
    """Return what the first screen says beside its chart, the most important sentence first."""
    (table,) = results.tables
    pick = model.first
    said = [*summary.warnings(results)][len(notices(results)) :]
    if pick and pick.emptied:
        said.insert(0, f"{pick.emptied:,} of {model.documents:,} pages are left without text.")
    if pick and not table.rows[table.position[pick.variant]].built:
        said.insert(0, f"{pick.variant} was explored, not built: `{choice.check}` builds and measures it.")
    return {
        "sentences": [*summary.model_answer(choice, model, brief=True)],
        "commands": choice.commands[pick.variant] if pick else (),
        "figures": [*(_figures(table, model, pick) if pick else _baseline_figures(table))],
        "warnings": [*summary.measured(replace(choice, models=(model,)), results), *said],
    }


KeyFigure = tuple[str, str, str]
"""A label, a figure, and its interval or source."""


def _figures(table: VariantTable, model: ModelChoice, pick: ChosenIndex) -> Iterator[KeyFigure]:
    row = table.rows[table.position[pick.variant]]
    size = "" if row.bytes is None else f", {formatting.significant_digits(formatting.megabytes(row.bytes))} MB"
    yield "Index size", _change(pick.share), f"postings{size}"
    gain = model.gain if model.gain and model.gain.index == pick else None
    effect = gain.held_out if gain else pick.effects[0]
    short = measure_header(effect.measure)[0]
    where = "topics without a part in the pick" if gain else f"{effect.topics} topics"
    least = "" if effect.low is None else f"at worst {formatting.change_text(effect.low)}"
    more = "" if effect.margin is None else f", {formatting.MINUS}{formatting.measure_text(effect.margin)} is accepted"
    yield f"{short}, {where}", formatting.change_text(effect.difference), least + more
    if pick.work is not None:
        share = pick.work.share
        yield "Postings per query", _change(share.value), f"{_change(share.low)} to {_change(share.high)}"


def _baseline_figures(table: VariantTable) -> Iterator[KeyFigure]:
    yield "Index size", formatting.fixed(table.baseline.index.postings, 0), "postings, no cleaning"
    yield measure_header(table.main)[0], formatting.measure_text(table.mean(table.main)[0]), "no cleaning"
    yield "Postings per query", formatting.fixed(table.mean_query_postings[0], 0), "no cleaning"


def _not_chosen(results: Results) -> dict[str, Any]:
    (table,) = results.tables
    sentences = ["Nothing is recommended yet: run `thresher choose`.", *summary.model_findings(table)]
    usual = table.position.get(DEFAULT_INDEX)
    if usual is not None:
        share, mean = formatting.percent(table.shares[usual]), formatting.measure_text(table.mean(table.main)[usual])
        known = f"has {share} % of the postings and {measure_header(table.main)[0]} {mean}"
        sentences.insert(1, f"The usual index, `{DEFAULT_INDEX}`, {known}.")
    return {
        "sentences": sentences,
        "commands": (),
        "figures": [*_baseline_figures(table)],
        "warnings": [*summary.warnings(results)][len(notices(results)) :],
    }


def _why(choice: Choice, model: ModelChoice) -> dict[str, Any]:
    """Return what an answer rests on: sentences, the indexes that it names, and what was tested."""
    named = further_tables.answers_table(replace(choice, models=(model,)))
    tables = [*([named] if named else []), *further_tables.families_tables(choice, model)]
    return {"sentences": [*summary.assumptions(choice, model)], "tables": tables}


def _change(share: float) -> str:
    change = share - 1
    sign = "" if round(1000 * change) == 0 else "+" if change > 0 else formatting.MINUS
    return f"{sign}{formatting.percent(abs(change))} %"

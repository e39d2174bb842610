"""`report.html`: the whole experiment on one page that needs nothing else. Its first screen names the recommended index."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from markupsafe import Markup

from thresher.base.defaults import DEFAULT_INDEX
from thresher.base.number_text import counted
from thresher.experiments.choosing.choices import Choice, ChosenIndex, ModelChoice
from thresher.experiments.held_out import chosen_on_topics
from thresher.experiments.manifest import Software
from thresher.experiments.results import BaselineRun, Results
from thresher.experiments.table import VariantTable
from thresher.reports import choice_tables, summary, variant_tables
from thresher.reports.chart_data import ChartData, chart_data
from thresher.reports.charts import topics_chart
from thresher.reports.chosen_sentences import held_out_findings
from thresher.reports.drawing import Plot, frontier_plot, shown_measure, shown_variant, variants_plot
from thresher.reports.formatting import (
    MINUS,
    change_text,
    fixed,
    measure_text,
    megabytes,
    percent,
    significant_digits,
    size_mark,
)
from thresher.reports.further_tables import report_table
from thresher.reports.html_parts import render_template
from thresher.reports.methods import methods
from thresher.reports.notices import notices
from thresher.reports.table import Table, measure_header
from thresher.reports.topic_rows import topic_changes

WIDE = 640
NARROW = 350
"""Pixels of a chart on a desktop and on a phone; the page shows one of both."""
FRONTIER_ROWS = 24
"""Variants of the table of the frontier."""


def render_report(results: Results, choice: Choice | None = None, software: Software | None = None) -> str:
    """Return the page: one HTML document with its styles, charts and script inside, the same bytes every time.

    `software` made the results; None where it is not known.
    """
    facts = results.facts
    sub = f"{counted(len(facts.topics), 'topic')} · {len(results.tables[0].rows) - 1:,} variants"
    if facts.title_bias:
        sub += f" · {facts.title_bias.relevant:,} relevant pages"
    chosen = chosen_on_topics(results)
    models: list[ModelPage] = []
    for number, table in enumerate(results.tables):
        chosen_of_model = [variant for variant in chosen if variant.retrieval == table.retrieval]
        held_out = tuple(held_out_findings(facts, chosen_of_model, len(chosen)))
        models.append(_model_page(_alone(results, table), choice, number, held_out))
    return render_template(
        "report.html.j2",
        styles=("choice.css",),
        scripts=("tables.js",),
        title=facts.title,
        sub=sub,
        models=models,
        notices=notices(results),
        explain=facts.experiment if results.was_run else "",
        methods=methods(results, software),
    )


def _alone(results: Results, table: VariantTable) -> Results:
    """Return the results of one retrieval model."""
    noise = tuple(floor for floor in results.facts.noise if floor.retrieval in ("", table.retrieval))
    systems: tuple[BaselineRun, ...] = ()
    if table is results.tables[0]:
        systems = results.facts.systems
    return Results(replace(results.facts, noise=noise, systems=systems), (table,))


@dataclass(frozen=True)
class Chart:
    """A chart in two widths, with its caption."""

    wide: Markup
    narrow: Markup
    caption: str = ""


@dataclass(frozen=True)
class KeyFigure:
    """A figure of the first screen: its label, the figure, and its interval or source."""

    label: str
    figure: str
    detail: str


@dataclass(frozen=True)
class FirstScreen:
    """The first screen of a retrieval model: sentences, shell commands, three figures, notes, warnings, the answers."""

    sentences: tuple[str, ...]
    commands: tuple[str, ...]
    figures: tuple[KeyFigure, ...]
    warnings: tuple[str, ...]
    notes: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    answers: Table | None = None


@dataclass(frozen=True)
class TopicsSection:
    """The topics that gain and lose with a variant."""

    variant: str
    chart: Chart
    table: Table


@dataclass(frozen=True)
class ModelPage:
    """The parts of the page about one retrieval model; None for a part that has nothing to show."""

    name: str
    screen: FirstScreen
    frontier_chart: Chart
    findings: tuple[str, ...]
    variants_chart: Chart
    variants: Table
    frontier: Table
    topics: TopicsSection | None
    costs: Table | None


def _model_page(results: Results, choice: Choice | None, number: int, held_out: tuple[str, ...]) -> ModelPage:
    """Return the parts of the page about one retrieval model; `held_out` are its findings on held-out topics."""
    (table,) = results.tables
    data = chart_data(table, choice)
    return ModelPage(
        name=table.retrieval,
        screen=_first_screen(results, choice),
        frontier_chart=_chart(
            f"frontier-{number}", frontier_plot(data), frontier_plot(data, width=NARROW), _caption(data, choice)
        ),
        findings=(*summary.model_findings(table), *held_out),
        variants_chart=_chart(f"variants-{number}", variants_plot(data), variants_plot(data, width=NARROW)),
        variants=report_table(results),
        frontier=variant_tables.frontier_table(results, FRONTIER_ROWS, _named(table, choice)),
        topics=_topics(results, choice, number),
        costs=variant_tables.costs_table(results) if results.was_run else None,
    )


def _chart(name: str, wide: Plot, narrow: Plot, caption: str = "") -> Chart:
    return Chart(wide.inside(name), narrow.inside(f"{name}-narrow"), caption)


def _caption(data: ChartData, choice: Choice | None) -> str:
    model = None
    if choice:
        model = choice.of(data.retrieval)
    return summary.frontier_caption(data.measure, choice, model)


def _named(table: VariantTable, choice: Choice | None) -> tuple[str, ...]:
    if not choice:
        return ()
    return choice.named_variants(table.retrieval)


def _topics(results: Results, choice: Choice | None, number: int) -> TopicsSection | None:
    (table,) = results.tables
    index = shown_variant(table, choice)
    if index == 0:
        return None
    measure = shown_measure(table, choice)
    name = table.rows[index].name
    changes = topic_changes(results, table, measure, index)
    spec = topics_chart(changes, measure)
    chart = _chart(f"topics-{number}", Plot(spec, width=WIDE), Plot(spec, width=NARROW))
    return TopicsSection(name, chart, variant_tables.topics_table(changes, measure, name))


# The first screen


def _first_screen(results: Results, choice: Choice | None) -> FirstScreen:
    (table,) = results.tables
    model = None
    if choice:
        model = choice.of(table.retrieval)
    warnings = tuple(summary.warnings(results))[len(notices(results)) :]
    if choice and model:
        return _recommended(results, choice, model, warnings)
    return FirstScreen(tuple(_nothing_chosen(table)), (), tuple(_baseline_figures(table)), warnings)


def _nothing_chosen(table: VariantTable) -> Iterator[str]:
    yield "Nothing is recommended yet: run `thresher choose`."
    default = table.position.get(DEFAULT_INDEX)
    if default is not None:
        share = percent(table.bytes_shares[default])
        mean = measure_text(table.mean(table.main)[default])
        mark = size_mark(table.rows[default].bytes is not None)
        measure = measure_header(table.main).name
        yield f"The default index, `{DEFAULT_INDEX}`, has {mark}{share} % of the bytes and {measure} {mean}."
    yield from summary.model_findings(table)


def _recommended(results: Results, choice: Choice, model: ModelChoice, warnings: tuple[str, ...]) -> FirstScreen:
    (table,) = results.tables
    alone = replace(choice, models=(model,))
    index = model.first
    notes = list(summary.measured(alone, results, is_same=True))
    if index and not table.rows[table.position[index.variant]].built:
        notes.append(f"{index.variant} was explored, not built: `{choice.check}` builds and measures it.")
    all_warnings = list(summary.measured(alone, results, is_same=False))
    if index and index.emptied:
        all_warnings.append(f"{index.emptied:,} of {model.documents:,} pages are left without text.")
    all_warnings += warnings
    figures = _figures(table, index) if index else _baseline_figures(table)
    return FirstScreen(
        sentences=tuple(summary.model_answer(choice, model)),
        commands=choice.commands[index.variant] if index else (),
        figures=tuple(figures),
        warnings=tuple(all_warnings),
        notes=tuple(notes),
        assumptions=tuple(summary.assumptions(choice, model)),
        answers=choice_tables.answers_table(alone),
    )


def _figures(table: VariantTable, index: ChosenIndex) -> Iterator[KeyFigure]:
    position = table.position[index.variant]
    size = table.index_bytes[position]
    share = float(table.bytes_shares[position])
    mark = size_mark(table.rows[position].bytes is not None)
    detail = f"{mark}{significant_digits(megabytes(size))} MB; postings {_change(index.share)}"
    yield KeyFigure("Index size", mark + _change(share), detail)
    yield _effect_figure(index)
    if index.work is not None:
        ratio = index.work.share
        yield KeyFigure("Postings per query", _change(ratio.value), f"{_change(ratio.low)} to {_change(ratio.high)}")


def _effect_figure(index: ChosenIndex) -> KeyFigure:
    """Return the change of the main measure."""
    effect = index.effects[0]
    detail = "" if effect.low is None else f"at worst {change_text(effect.low)}"
    if effect.margin is not None:
        detail += f", {MINUS}{measure_text(effect.margin)} is accepted"
    return KeyFigure(
        f"{measure_header(effect.measure).name}, {effect.topics} topics", change_text(effect.difference), detail
    )


def _baseline_figures(table: VariantTable) -> Iterator[KeyFigure]:
    detail = "no cleaning"
    size = size_mark(table.baseline.bytes is not None) + significant_digits(megabytes(table.index_bytes[0]))
    yield KeyFigure("Index size", f"{size} MB", f"{fixed(table.baseline.index.postings, 0)} postings, {detail}")
    yield KeyFigure(measure_header(table.main).name, measure_text(table.mean(table.main)[0]), detail)
    yield KeyFigure("Postings per query", fixed(table.mean_query_postings[0], 0), detail)


def _change(share: float) -> str:
    """Return a share of the baseline as a change: −60.0 % for 0.4."""
    change = share - 1
    size = f"{percent(abs(change))} %"
    if round(1000 * change) == 0:
        return size
    if change > 0:
        return f"+{size}"
    return f"{MINUS}{size}"

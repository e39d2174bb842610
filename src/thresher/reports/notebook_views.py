"""How results, choices and compared runs look in Python and notebooks: see `thresher.base.shown`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from operator import itemgetter
from typing import Any

from markupsafe import Markup

from thresher.base.number_text import counted
from thresher.base.shown import VIEWS, View
from thresher.evaluation.comparing import ComparedRuns
from thresher.experiments.choosing.choices import Choice
from thresher.experiments.choosing.shared import SharedChoice
from thresher.experiments.explaining.explanations import Explanation
from thresher.experiments.results import Results
from thresher.reports import formats
from thresher.reports.chart_data import chart_data
from thresher.reports.choice_tables import (
    answer_columns,
    answers_table,
    shared_columns,
    shared_rows,
    shared_table,
)
from thresher.reports.columns import Column
from thresher.reports.compared_rows import compared_rows
from thresher.reports.compared_runs import AT_MARGIN, RUNS, runs_table
from thresher.reports.drawing import Plot, variants_plot
from thresher.reports.explanation_text import topics_columns, topics_table, variant_text
from thresher.reports.html_parts import coded
from thresher.reports.named_indexes import named_indexes
from thresher.reports.summary import answer, commands, findings, shared_answer, warnings
from thresher.reports.table import Table, data_frame, filled, measure_named
from thresher.reports.variant_columns import variant_columns
from thresher.reports.variant_rows import variant_rows
from thresher.reports.variant_tables import frontier_table
from thresher.scores.store import PageScores

ROWS = 12
"""Rows of a table in a notebook."""
WIDTH = 240
"""Columns that a query may have: notebooks can be scrolled."""


def _html(sentences: Iterable[str], *tables: Table) -> str:
    items = Markup("")
    for sentence in sentences:
        items += Markup("<li>{}</li>").format(coded(sentence))
    return str(Markup("<ul>{}</ul>{}").format(items, Markup("").join(map(_table_html, tables))))


def _table_html(table: Table) -> Markup:
    head = _row_html("th", [f"{column.header} {column.unit}".strip() for column in table.columns])
    body = Markup("")
    for row in table.rows:
        body += _row_html("td", [cell.text + cell.mark for cell in row])
    below = Markup("<p>{} {}</p>").format(table.caption, table.note)
    return Markup("<table><thead>{}</thead><tbody>{}</tbody></table>{}").format(head, body, below)


def _row_html(tag: str, cells: Iterable[str]) -> Markup:
    inner = Markup("")
    for cell in cells:
        inner += Markup(f"<{tag}>{{}}</{tag}>").format(cell)
    return Markup("<tr>{}</tr>").format(inner)


def _results_line(results: Results) -> str:
    variants = counted(len(results.tables[0].rows) - 1, "variant")
    topics = counted(len(results.facts.topics), "topic")
    return f"{results.facts.title}, {variants}, {topics}"


def _results_html(results: Results) -> str:
    return _html(chain(findings(results), warnings(results)), frontier_table(results, ROWS))


def _results_frame(results: Results) -> Any:
    rows = variant_rows(results)
    return data_frame(filled(variant_columns(results.measures), rows), rows)


def _results_plot(results: Results, retrieval: str | None, measure: str | None) -> Plot:
    other_measure = measure and measure_named(measure, results.measures)
    return variants_plot(chart_data(results.table(retrieval), None, other_measure))


def _choice_html(choice: Choice) -> str:
    sentences = chain(answer(choice), _as_code(commands(choice)))
    table = answers_table(choice)
    if table is None:
        return _html(sentences)
    return _html(sentences, table)


def _shared_html(choice: SharedChoice) -> str:
    return _html(chain(shared_answer(choice), _as_code(choice.commands)), shared_table(choice))


def _as_code(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        yield f"`{line}`"


def _runs_line(runs: ComparedRuns) -> str:
    return f"{counted(len(runs.values), 'run')}, {counted(len(runs.topics), 'topic')}"


def _runs_frame(runs: ComparedRuns) -> Any:
    columns = list(RUNS)
    if runs.margin:
        columns += AT_MARGIN
    return data_frame(columns, compared_rows(runs))


def _explanation_line(explanation: Explanation) -> str:
    return f"{counted(len(explanation.topics), 'topic')}, {variant_text(explanation)}"


def _explanation_html(explanation: Explanation) -> str:
    topics = explanation.moved or explanation.topics
    return _html([variant_text(explanation)], topics_table(explanation, topics[:ROWS], WIDTH))


def _explanation_frame(explanation: Explanation) -> Any:
    return data_frame(topics_columns(explanation.measure, WIDTH), explanation.topics)


def _page_line(page: PageScores) -> str:
    parts = [page.reason or counted(len(page.rows), "row")]
    parts += page.scores
    return ", ".join(parts)


def _choice_line(choice: Choice) -> str:
    return next(answer(choice))


def _choice_frame(choice: Choice) -> Any:
    return data_frame(answer_columns(choice.measures), named_indexes(choice))


def _shared_line(choice: SharedChoice) -> str:
    return next(shared_answer(choice))


def _shared_frame(choice: SharedChoice) -> Any:
    return data_frame(shared_columns(choice), shared_rows(choice))


def _runs_html(runs: ComparedRuns) -> str:
    return _html([], runs_table(runs))


def _page_html(page: PageScores) -> str:
    return _html([], Table.of(_page_columns(page), page.rows, page.reason))


def _page_frame(page: PageScores) -> Any:
    return data_frame(_page_columns(page), page.rows)


def _page_columns(page: PageScores) -> list[Column[Mapping[str, Any]]]:
    if not page.rows:
        return []
    return [Column(name, itemgetter(name), "", formats.FIGURE) for name in page.rows[0]]


VIEWS.update(
    {
        "Results": View(_results_line, _results_html, _results_frame, _results_plot),
        "Choice": View(_choice_line, _choice_html, _choice_frame),
        "SharedChoice": View(_shared_line, _shared_html, _shared_frame),
        "ComparedRuns": View(_runs_line, _runs_html, _runs_frame),
        "Explanation": View(_explanation_line, _explanation_html, _explanation_frame),
        "PageScores": View(_page_line, _page_html, _page_frame),
    }
)

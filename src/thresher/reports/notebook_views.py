"""How results, choices and compared runs look in Python and notebooks: see `thresher.base.shown`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any

from markupsafe import Markup

from thresher.base.number_text import counted
from thresher.base.shown import VIEWS, View
from thresher.reports.chart_rows import variants_of
from thresher.reports.compared_runs import AT_MARGIN, RUNS, compared_rows, runs_table
from thresher.reports.drawing import all_plot
from thresher.reports.explanation_text import topics_columns, topics_table, variant_text
from thresher.reports.formatting import significant_digits
from thresher.reports.further_tables import answer_columns, answered, answers_table, shared_columns, shared_table
from thresher.reports.html_parts import coded
from thresher.reports.summary import answer, commands, findings, shared_answer, warnings
from thresher.reports.table import Column, Table, data_frame, each, filled
from thresher.reports.variant_columns import entries, variant_columns
from thresher.reports.variant_tables import answer_table
from thresher.scores.store import PageScores

_ROWS, _WIDTH = 12, 240


def _html(sentences: Iterable[str], tables: Sequence[Table]) -> str:
    items = Markup("").join(Markup("<li>{}</li>").format(coded(sentence)) for sentence in sentences)
    return str(Markup("<ul>{}</ul>{}").format(items, Markup("").join(map(_table, tables))))


def _table(table: Table) -> Markup:
    def row(kind: str, cells: Iterable[str]) -> Markup:
        inner = Markup("").join(Markup(f"<{kind}>{{}}</{kind}>").format(cell) for cell in cells)
        return Markup("<tr>{}</tr>").format(inner)

    head = row("th", (" ".join(filter(None, (column.header, column.unit))) for column in table.columns))
    body = Markup("").join(row("td", (cell.text + cell.mark for cell in cells)) for cells in table.rows)
    below = Markup("<p>{} {}</p>").format(table.caption, table.note)
    return Markup("<table><thead>{}</thead><tbody>{}</tbody></table>{}").format(head, body, below)


def _scored_columns(page: PageScores) -> list[Column[Mapping[str, Any]]]:
    names = page.rows[0] if page.rows else ()
    return [Column(name, itemgetter(name), "", format=each(significant_digits)) for name in names]


VIEWS.update(
    {
        "Results": View(
            lambda results: (
                f"{results.facts.title}, {counted(len(results.tables[0].rows) - 1, 'variant')}, "
                f"{counted(len(results.facts.topics), 'topic')}"
            ),
            lambda results: _html([*findings(results), *warnings(results)], [answer_table(results, _ROWS)]),
            lambda results: data_frame(filled(variant_columns(results.measures), entries(results)), entries(results)),
            lambda results, retrieval: all_plot(variants_of(results.table(retrieval))),
        ),
        "Choice": View(
            lambda choice: next(answer(choice)),
            lambda choice: _html(
                [*answer(choice), *(f"`{line}`" for line in commands(choice))], [*filter(None, [answers_table(choice)])]
            ),
            lambda choice: data_frame(answer_columns(choice.measures), answered(choice)),
        ),
        "SharedChoice": View(
            lambda choice: next(shared_answer(choice)),
            lambda choice: _html(
                [*shared_answer(choice), *(f"`{line}`" for line in choice.commands)], [shared_table(choice)]
            ),
            lambda choice: data_frame(shared_columns(choice), [*zip(choice.tried, choice.left_out, strict=True)]),
        ),
        "ComparedRuns": View(
            lambda runs: f"{counted(len(runs.values), 'run')}, {counted(len(runs.topics), 'topic')}",
            lambda runs: _html([], [runs_table(runs)]),
            lambda runs: data_frame((*RUNS, *AT_MARGIN) if runs.margin else RUNS, compared_rows(runs)),
        ),
        "Explanation": View(
            lambda why: f"{counted(len(why.topics), 'topic')}, {variant_text(why)}",
            lambda why: _html([variant_text(why)], [topics_table(why, (why.moved or why.topics)[:_ROWS], _WIDTH)]),
            lambda why: data_frame(topics_columns(why.measure, _WIDTH), why.topics),
        ),
        "PageScores": View(
            lambda page: ", ".join([page.reason or counted(len(page.rows), "row"), *page.scores]),
            lambda page: _html([], [Table.of(_scored_columns(page), page.rows, page.reason)]),
            lambda page: data_frame(_scored_columns(page), page.rows),
        ),
    }
)

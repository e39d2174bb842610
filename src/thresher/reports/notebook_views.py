"""What Python and notebooks show of results, choices and compared runs: see `thresher.shown`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from markupsafe import Markup

from thresher.choosing.choices import Choice
from thresher.reports.chart_rows import variants_of
from thresher.reports.compared_runs import AT_MARGIN, RUNS, compared_rows, runs_table
from thresher.reports.drawing import Plot, all_plot
from thresher.reports.further_tables import answer_columns, answered, answers_table, shared_columns, shared_table
from thresher.reports.html_parts import coded
from thresher.reports.summary import answer, commands, findings, shared_answer, warnings
from thresher.reports.table import Table, data_frame, filled
from thresher.reports.variant_columns import entries, variant_columns
from thresher.reports.variant_tables import answer_table
from thresher.shown import VIEWS, View
from thresher.variants.results import Results

_ROWS = 12


def _results_line(results: Results) -> str:
    facts = results.facts
    return f"{facts.title}, {len(results.tables[0].rows) - 1:,} variants, {len(facts.topics)} topics"


def _results_html(results: Results) -> str:
    return _html([*findings(results), *warnings(results)], [answer_table(results, _ROWS)])


def _results_frame(results: Results) -> object:
    rows = entries(results)
    return data_frame(filled(variant_columns(results.measures), rows), rows)


def _results_plot(results: Results, retrieval: str | None) -> Plot:
    return all_plot(variants_of(results.table(retrieval)))


def _choice_html(choice: Choice) -> str:
    table = answers_table(choice)
    lines = [f"`{command}`" for command in commands(choice)]
    return _html([*answer(choice), *lines], [table] if table else [])


def _choice_frame(choice: Choice) -> object:
    return data_frame(answer_columns(choice.measures), answered(choice))


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


VIEWS.update(
    {
        "Results": View(_results_line, _results_html, _results_frame, _results_plot),
        "Choice": View(lambda choice: next(answer(choice)), _choice_html, _choice_frame),
        "SharedChoice": View(
            lambda choice: next(shared_answer(choice)),
            lambda choice: _html(
                [*shared_answer(choice), *(f"`{line}`" for line in choice.commands)], [shared_table(choice)]
            ),
            lambda choice: data_frame(shared_columns(choice), [*zip(choice.tried, choice.left_out, strict=True)]),
        ),
        "ComparedRuns": View(
            lambda runs: f"{len(runs.values)} runs, {len(runs.topics)} topics",
            lambda runs: _html([], [runs_table(runs)]),
            lambda runs: data_frame((*RUNS, *AT_MARGIN) if runs.margin else RUNS, compared_rows(runs)),
        ),
    }
)

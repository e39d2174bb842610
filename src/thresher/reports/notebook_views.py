"""What notebooks show of results, explorations and choices: see `thresher.shown`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from markupsafe import Markup

from thresher.choosing.choices import Choice
from thresher.errors import ConfigError
from thresher.exploring.exploration import Exploration
from thresher.reports.chart_rows import of_choice, of_exploration, of_results
from thresher.reports.choice_tables import choice_csv, picks_table
from thresher.reports.drawing import Plot
from thresher.reports.explored import explored_csv, explored_sentences, explored_table
from thresher.reports.plot_files import all_plot
from thresher.reports.recommendation import answer
from thresher.reports.results_tables import answer_table, results_csv
from thresher.reports.summary import summary
from thresher.reports.table import Table
from thresher.results.experiment_results import Results
from thresher.results.selection import main_of, retrievals
from thresher.shown import VIEWS, RecordView

_ROWS = 12


class ResultsView(RecordView):
    """Of a finished experiment: its answer, and the variants on the Pareto front."""

    def html(self, record: Results) -> str:
        """Return sentences and a table."""
        return _html(summary(record), [answer_table(record, _ROWS)])

    def csv(self, record: Results) -> str:
        """Return `results.csv`."""
        return results_csv(record)

    def plot(self, record: Results, retrieval: str | None) -> Plot:
        """Return size against the main measure."""
        models = retrievals(record)
        return all_plot(of_results(record, models[_model(models, retrieval)]))


class ExplorationView(RecordView):
    """Of an exploration: how much was explored, and the best cutoff of each scorer."""

    def html(self, record: Exploration) -> str:
        """Return sentences and a table for each retrieval model."""
        measure = record.measures.index(main_of(record.measures))
        tables = [explored_table(record, model, measure) for model in range(len(record.retrieval))]
        return _html(explored_sentences(record, measure), tables)

    def csv(self, record: Exploration) -> str:
        """Return `explored.csv`."""
        return explored_csv(record)

    def plot(self, record: Exploration, retrieval: str | None) -> Plot:
        """Return postings against the main measure, a line for each scorer."""
        return all_plot(of_exploration(record, _model(record.retrieval, retrieval)))


class ChoiceView(RecordView):
    """Of a choice: what is recommended, and what the rules pick."""

    def html(self, record: Choice) -> str:
        """Return the answer and a table for each retrieval model."""
        return _html(answer(record), [table for one in record.models if (table := picks_table(one.main))])

    def csv(self, record: Choice) -> str:
        """Return `choice.csv`."""
        return choice_csv(record)

    def plot(self, record: Choice, retrieval: str | None) -> Plot:
        """Return size against the main measure, with what is recommended."""
        models = record.models
        return all_plot(of_choice(record, models[_model([one.main.retrieval for one in models], retrieval)]))


def _model(models: Sequence[str], name: str | None) -> int:
    if name is None:
        return 0
    if name not in models:
        raise ConfigError(f"there is no retrieval model {name!r}", f"use one of {', '.join(models)}", "retrieval")
    return models.index(name)


def _html(sentences: Iterable[str], tables: Sequence[Table]) -> str:
    items = Markup("").join(Markup("<li>{}</li>").format(sentence) for sentence in sentences)
    return str(Markup("<ul>{}</ul>{}").format(items, Markup("").join(map(_table, tables))))


def _table(table: Table) -> Markup:
    def row(kind: str, cells: Iterable[str]) -> Markup:
        inner = Markup("").join(Markup(f"<{kind}>{{}}</{kind}>").format(cell) for cell in cells)
        return Markup("<tr>{}</tr>").format(inner)

    head = row("th", (" ".join(filter(None, (column.header, column.unit))) for column in table.columns))
    body = Markup("").join(row("td", (cell.text + cell.mark for cell in cells)) for cells in table.rows)
    below = Markup("<p>{} {}</p>").format(table.caption, table.note)
    return Markup("<table><thead>{}</thead><tbody>{}</tbody></table>{}").format(head, body, below)


VIEWS.update({"Results": ResultsView(), "Exploration": ExplorationView(), "Choice": ChoiceView()})

"""The printed answers of experiments: findings and recommendation, a choice, one setting for several experiments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from thresher.cli import options

if TYPE_CHECKING:
    from thresher.experiments.choosing.choices import Choice
    from thresher.experiments.choosing.shared import SharedChoice
    from thresher.experiments.config import Experiment
    from thresher.experiments.results import Results
    from thresher.reports.table import Table


def show_results(
    results: Results,
    folder: Path,
    style: options.OutputStyle,
    files: Sequence[tuple[str, Path]] = (),
    experiment: Experiment | None = None,
    answers: bool = False,
) -> None:
    """Print the findings, and the recommendation if it was chosen from the same evidence.

    The table is that of the sweeps of an explored `experiment`, or else that of the Pareto front. With `answers`, the choice
    and its table stand in place of findings.
    """
    from thresher.evaluation.significance import is_tested
    from thresher.experiments.chooser import ChooseOptions, last_choice
    from thresher.experiments.results import RESULTS_FILE
    from thresher.reports.choice_tables import answers_table
    from thresher.reports.files import REPORT_FILE
    from thresher.reports.summary import commands
    from thresher.reports.sweep_tables import sweeps_table
    from thresher.reports.variant_tables import frontier_table

    choice = last_choice(folder, results.facts.key)
    recommended: list[str] = []
    shell_commands: Sequence[str] = ()
    if choice:
        recommended = [name for model in results.retrievals for name in choice.named_variants(model)]
        shell_commands = commands(choice)
    table_of_choice = answers_table(choice) if choice and answers else None
    full = _full_tables(results)
    short_table: Callable[[int], Table] = partial(frontier_table, results, recommended=recommended)
    if table_of_choice is not None:
        short_table = partial(_whole, table_of_choice)
        full.insert(0, table_of_choice)
    elif experiment is not None and any(is_tested(measure) for measure in results.measures):
        choose_options = ChooseOptions()
        criteria = choose_options.criteria(experiment)
        short_table = partial(sweeps_table, results, choose_options.measures(experiment, criteria), criteria)
        full.insert(0, short_table(None))
    shown = options.Answer(
        sentences=_sentences(results, choice, with_findings=table_of_choice is None),
        short_table=short_table,
        full=full,
        files=[("report", folder / REPORT_FILE), *files],
        record=folder / RESULTS_FILE,
        commands=shell_commands,
    )
    options.print_answer(shown, style)


def _sentences(results: Results, choice: Choice | None, with_findings: bool) -> list[str]:
    from thresher.reports.chosen_sentences import agreement, other_engines
    from thresher.reports.summary import answer, findings, warnings

    sentences: list[str] = []
    if choice:
        sentences += answer(choice)
        sentences += agreement(choice, results)
        sentences += other_engines(choice)
    if with_findings:
        sentences += findings(results)
    sentences += warnings(results)
    return sentences


def _full_tables(results: Results) -> list[Table]:
    from thresher.reports.further_tables import systems_table
    from thresher.reports.variant_tables import main_table

    tables = [main_table(results)]
    systems = systems_table(results)
    if systems is not None:
        tables.append(systems)
    return tables


def _whole(table: Table, _rows: int) -> Table:
    """Return the table itself: it has few rows, so any terminal has room for it."""
    return table


def answer_of_choice(choice: Choice, folder: Path) -> options.Answer:
    """Return the answer for one experiment, as `choose` prints it."""
    from thresher.experiments.choosing.choices import CHOICE_FILE
    from thresher.reports.choice_tables import answers_table, families_tables, savings_table
    from thresher.reports.chosen_sentences import other_engines
    from thresher.reports.files import REPORT_FILE
    from thresher.reports.notices import notice_text
    from thresher.reports.summary import answer, commands

    answers = answers_table(choice)
    tables = [answers, savings_table(choice)]
    for model in choice.models:
        tables += families_tables(choice, model)
    sentences = [*answer(choice), *other_engines(choice)]
    for notice in choice.notices:
        sentences.append(notice_text(notice))
    return options.Answer(
        sentences=sentences,
        short_table=None if answers is None else partial(_whole, answers),
        full=[table for table in tables if table],
        files=[("report", folder / REPORT_FILE)],
        record=folder / CHOICE_FILE,
        commands=commands(choice),
    )


def answer_of_shared(choice: SharedChoice, results: Path) -> options.Answer:
    """Return the answer for several experiments, as `choose` prints it."""
    from thresher.experiments.choosing.shared import SHARED_FILE
    from thresher.reports.choice_tables import shared_table
    from thresher.reports.summary import shared_answer

    table = shared_table(choice)
    file = results / SHARED_FILE
    return options.Answer(
        sentences=list(shared_answer(choice)),
        short_table=partial(_whole, table),
        full=[table],
        files=[("record", file)],
        record=file,
        commands=choice.commands,
    )

"""`thresher choose`: a cutoff, why, what it is worth on other topics, and what it saves."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

import click

from thresher.errors import ConfigError

if TYPE_CHECKING:
    from thresher.evaluation.non_inferiority import Margin

_FILE = click.Path(path_type=Path)


@click.command()
@click.argument("experiment", type=_FILE)
@click.option("--results", type=_FILE, default=Path("results"), show_default=True, help="Where results are.")
@click.option(
    "--margin",
    default="5%",
    show_default=True,
    help="The loss that is accepted: a share of the baseline's mean such as 5%, or a number in units of the measure.",
)
@click.option("--measure", "-m", help="What must not be lost [default: the first nDCG, or else the last measure].")
@click.option(
    "--alpha",
    type=click.FloatRange(0, 0.5, min_open=True, max_open=True),
    default=0.05,
    show_default=True,
    help="How likely a cutoff may be called non-inferior that is not, over all that are looked at.",
)
@click.option("--scorer", "scorers", multiple=True, help="Choose among this scorer's cutoffs alone; may be repeated.")
@click.option("--measured", is_flag=True, help="Choose among the variants that were run, not the explored cutoffs.")
@click.option(
    "--queries",
    type=click.IntRange(1),
    default=1_000_000,
    show_default=True,
    help="Over how many queries savings are reckoned.",
)
@click.option(
    "--folds", type=click.IntRange(2), default=10, show_default=True, help="Of the cross-validation over topics."
)
@click.option("--repeats", type=click.IntRange(1), default=10, show_default=True, help="Of the cross-validation.")
def choose(
    experiment: Path,
    results: Path,
    margin: str,
    measure: str | None,
    alpha: float,
    scorers: tuple[str, ...],
    measured: bool,
    queries: int,
    folds: int,
    repeats: int,
) -> None:
    """Choose a cutoff for an EXPERIMENT that was explored or run, and defend it.

    Recommends the smallest index that is shown to lose less than the margin, corrected for all cutoffs looked at, and says
    what the choice is worth on topics that had no part in it: the held-out ones, or by cross-validation. Writes choice.csv,
    choice.json and the report.
    """
    import shutil

    from thresher.choosing.deciding import Terms
    from thresher.evaluation import parse_measure
    from thresher.experiments.chooser import Question, choose_experiment
    from thresher.experiments.config import load_experiment
    from thresher.reports.choice_sentences import choice_sentences
    from thresher.reports.choice_tables import decision_table, picks_table, savings_table
    from thresher.reports.formats import render_text

    config = load_experiment(experiment)
    terms = Terms(_margin(margin), alpha, folds, repeats)
    named = str(parse_measure(measure)) if measure else None
    question = Question(named, terms, queries, scorers, measured)
    choice = choose_experiment(config, results, question, lambda line: click.echo(line, err=True))
    columns = shutil.get_terminal_size((160, 40)).columns
    for decision in choice.decisions:
        if decision.measure == choice.measure:
            click.echo(render_text(decision_table(decision), columns))
            click.echo(render_text(picks_table(decision), columns))
    table = savings_table(choice)
    if table is not None:
        click.echo(render_text(table, columns))
    for sentence in choice_sentences(choice):
        click.echo(f"- {sentence}")
    click.echo(f"\nreport: {(results / config.name / 'report.html').resolve()}")


def _margin(text: str) -> Margin:
    """Read `5%` as a share of the baseline's mean and `0.01` as units of the measure."""
    from thresher.evaluation.non_inferiority import Margin

    relative = text.rstrip().endswith("%")
    try:
        value = float(text.rstrip().removesuffix("%")) / (100 if relative else 1)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value > 0 and not (relative and value >= 1)):
        raise ConfigError(
            f"{text!r} is no margin",
            "write a share above 0% and below 100%, such as 5%, or a number above 0",
            "--margin",
        )
    return Margin(value, relative)

"""The command line of scripts/content_train.py."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import click

from content_training.fitting import calibration_error, catboost
from content_training.gold_sets import read_gold_sets
from content_training.plots import calibration_plot
from content_training.stages import TrainingSettings, train_content_model
from thresher import ConfigError
from thresher.cleaners.content_model.model import write_content_model
from thresher.cli.options import FILE, group, print_line, print_message, workers_option
from thresher.reports.drawing import ENDINGS, converter


def _plot_path(_context: click.Context, _parameter: click.Parameter, plot: Path | None) -> Path | None:
    if plot is not None:
        if plot.suffix.lower() not in ENDINGS:
            problem, fix = "a plot is written as SVG, PDF or PNG", "end the file name in .svg, .pdf or .png"
            raise ConfigError(problem, fix, f"--plot {plot}")
        converter()
    return plot


@dataclass(frozen=True)
class TrainingFiles:
    """The gold standards to train on, the model file and the diagram to write."""

    gold: tuple[Path, ...]
    output: Path
    plot: Path | None


@dataclass(frozen=True)
class TrainingOptions:
    """How a model is trained."""

    rounds: int
    folds: int
    comments: bool
    synthetic: bool


@click.command()
@click.argument("gold", type=FILE, nargs=-1, required=True)
@click.option("--output", "-o", required=True, type=FILE, help="The model file to write.")
@click.option(
    "--rounds", type=click.IntRange(1, 500), default=14, show_default=True, help="Training rounds over all pages."
)
@click.option("--folds", type=click.IntRange(2, 50), default=5, show_default=True, help="Number of folds of domains.")
@click.option("--comments", is_flag=True, help="Count readers' comments (Dragnet, L3S-GN1) as content.")
@click.option(
    "--synthetic",
    is_flag=True,
    help="Also train on synthetic pages: the gold's articles with threads and sidebars of other pages.",
)
@click.option("--plot", type=FILE, callback=_plot_path, help="Reliability diagram to draw, a .svg, .pdf or .png file.")
@workers_option
@group("files", TrainingFiles)
@group("training", TrainingOptions)
def train(files: TrainingFiles, training: TrainingOptions, workers: int) -> None:
    """Train a model on GOLD standards, folders as for `thresher cleaneval`, and write it (needs catboost).

    Prints the word F1 of each set by cross-validation over domains. Every set counts equally in the choice of the cutoff.
    In a set of snippets, the blocks that contain a snippet get labels. Training is reproducible to the byte on one machine.
    """
    catboost()
    output = files.output
    folds = training.folds
    sets, left_out = read_gold_sets(files.gold, training.comments, workers, folds if training.synthetic else 0)
    settings = TrainingSettings(folds=folds)
    trained = train_content_model(sets, replace(settings, network=replace(settings.network, rounds=training.rounds)))
    write_content_model(output, trained.model)
    if files.plot is not None:
        calibration_plot(output.name, trained.calibration).save(files.plot)
    for name, stems in left_out.items():
        print_message(f"{name}: skipped {len(stems)} pages without text or gold text: {', '.join(stems[:5])}")
    card = trained.model.card
    for gold_set in card.sets:
        f1 = card.scores.get(gold_set.name)
        score = "snippets" if f1 is None else f"word F1 {f1:.4f} by cross-validation"
        print_line(f"{gold_set.name}: {gold_set.pages:,} pages, {gold_set.blocks:,} blocks, {score}")
    print_line(
        f"cutoff {card.cutoff:g}; mean error of probabilities {calibration_error(trained.calibration):.3f}; "
        f"{output}: {output.stat().st_size:,} bytes; use it as 'content(model={output})@{card.cutoff:g}'"
    )

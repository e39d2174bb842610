"""The verbs of `thresher content`: training models for the scorer `content`, and what their features are worth."""

from __future__ import annotations

from pathlib import Path

import click

from thresher.cli.options import FILE, plot_option, say, show, tell, workers_option

_GOLD = click.argument("gold", type=FILE, nargs=-1, required=True)
_COMMENTS = click.option("--comments", is_flag=True, help="Readers' comments (Dragnet's, L3S-GN1's) are content too.")


@click.group()
def content() -> None:
    """Make models for the scorer `content` from gold standards: `train`, `importance`."""


@content.command()
@_GOLD
@click.option("--output", "-o", required=True, type=FILE, help="The model file to write.")
@click.option(
    "--trees",
    type=click.IntRange(1, 5000),
    default=150,
    show_default=True,
    help="Trees in each of the three bags of a stage.",
)
@click.option(
    "--folds", type=click.IntRange(2, 50), default=5, show_default=True, help="Folds of the cross-validation by domain."
)
@_COMMENTS
@click.option(
    "--threads",
    is_flag=True,
    help="Train on articles with other pages' comments and posts below them too, as no content.",
)
@click.option(
    "--scorer",
    "scorers",
    multiple=True,
    metavar="NAME",
    help="A scorer whose scores are features too, such as 'perplexity(lm=books)'; cleaning then takes its time as well. "
    "Repeatable.",
)
@plot_option
@workers_option
def train(
    gold: tuple[Path, ...],
    output: Path,
    trees: int,
    folds: int,
    comments: bool,
    threads: bool,
    scorers: tuple[str, ...],
    plot: Path | None,
    workers: int,
) -> None:
    """Train a model on GOLD standards, folders as for `thresher cleaneval`, and write it (needs the extra `training`).

    Every set counts the same in the choice of the cutoff. Sets of snippets label the blocks that hold these. The same pages
    give the same bytes. The plot is a reliability diagram. It prints word F1 of each set by cross-validation over domains.
    """
    from thresher.content_models.content_files import write_content_model
    from thresher.content_training.calibration import calibration_error
    from thresher.content_training.fitting import TreeSettings, catboost
    from thresher.content_training.gold_sets import read_gold_sets
    from thresher.content_training.stacking import TrainingSettings, train_content_model
    from thresher.reports.drawing import converter
    from thresher.scorers.content import other_scorers

    catboost()
    if plot is not None:
        converter()
    others = other_scorers(scorers, "--scorer")
    sets, left_out = read_gold_sets(gold, comments, workers, folds if threads else 0, others)
    settings = TreeSettings(trees=trees)
    trained = train_content_model(sets, TrainingSettings(settings, settings, folds=folds))
    write_content_model(output, trained.model)
    if plot is not None:
        from thresher.reports.cleaning_charts import calibration_plot

        calibration_plot(output.name, trained.calibration).save(plot)
    for name, stems in left_out.items():
        say(f"{name}: {len(stems)} pages without text or gold text are left out: {', '.join(stems[:5])}")
    card = trained.model.card
    for one in card.sets:
        score = f"word F1 {card.scores[one.name]:.4f} by cross-validation" if one.name in card.scores else "snippets"
        tell(f"{one.name}: {one.pages:,} pages, {one.blocks:,} blocks, {score}")
    tell(
        f"cutoff {card.cutoff:g}; probabilities are {calibration_error(trained.calibration):.3f} off in the mean; "
        f"{output}: {output.stat().st_size:,} bytes; use it as 'content(model={output})@{card.cutoff:g}'"
    )


@content.command()
@click.argument("model")
@_GOLD
@_COMMENTS
@workers_option
def importance(model: str, gold: tuple[Path, ...], comments: bool, workers: int) -> None:
    """Print what groups of features are worth to a MODEL (`web` or a file) on the pages of GOLD standards, by page type.

    Gain is their share in the change of the second stage's sums, from training; the other columns are the word F1 that is lost
    when the group's features are taken from other blocks (permutation).
    """
    from thresher.content_models.content_files import load_content_model
    from thresher.content_training.gold_sets import read_gold_sets
    from thresher.content_training.importance import measure_importance
    from thresher.reports.model_tables import importance_table
    from thresher.scorers.content import other_scorers

    loaded = load_content_model(model)
    sets, _ = read_gold_sets(gold, comments, workers, scorers=other_scorers(loaded.scorers, model))
    before, groups = measure_importance(loaded, [page for one in sets for page in one.pages])
    show(importance_table(before, groups))

"""The verb `thresher cleaneval`: cleaners measured on gold standards."""

from __future__ import annotations

import shutil
from contextlib import nullcontext
from pathlib import Path

import click

from thresher.cli.options import FILE, gold_options, keys, say, say_stems, show, tell, workers_option
from thresher.experiments.schema import EvaluationTable


@click.command()
@click.argument("folder", type=FILE)
@click.option(
    "--cleaners",
    "-c",
    multiple=True,
    metavar="NAME",
    help="A cleaner's canonical name, such as words@11; may be repeated [default: 13, most of the papers' tables].",
)
@gold_options
@click.option("--extractors", is_flag=True, help="Measure other packages too (needs the extra `extractors`).")
@keys("evaluation", "correction", "alpha")
@click.option(
    "--output", "-o", type=FILE, help="Write tables, plots and every number into this folder; keep the scores there."
)
@workers_option
@click.option("--fresh", is_flag=True, help="Drop scores in the output folder that were made otherwise.")
def cleaneval(
    folder: Path,
    cleaners: tuple[str, ...],
    gold: Path | None,
    comments: bool,
    extractors: bool,
    evaluation: EvaluationTable,
    output: Path | None,
    workers: int,
    fresh: bool,
) -> None:
    """Measure how well cleaners clean: the pages of FOLDER (`input/`, `original/`, `html/`) against gold of the same stem.

    Gold is in `GoldStandard/`, `gold/`, `annotated/`, `ground-truth/` or `ground-truth.json`.
    """
    from thresher.cleaneval.gold import read_whole_gold
    from thresher.cleaneval.running import ROWS, GoldSet, asked, run_cleaners
    from thresher.files import temporary_folder
    from thresher.reports.cleaning_tables import cleaning_tables, sentences
    from thresher.scorers.extractor import EXTRACTORS

    chosen = asked((*(cleaners or ROWS), *EXTRACTORS) if extractors else cleaners)
    standard = read_whole_gold(folder, gold, comments)
    for what, stems in standard.left_out.items():
        say_stems(what, stems)
    with temporary_folder() if output is None else nullcontext(output) as store:
        keep = output / "comparisons" if output else None
        measured_on = GoldSet(folder, standard, store / "scores", keep)
        run = run_cleaners(measured_on, chosen, workers, fresh, evaluation.alpha, evaluation.correction)
    for stem, problem in run.problems:
        say(f"failed: {stem}: {problem}")
    for extractor, stem, problem in run.crashes:
        say(f"crashed: {extractor}: {stem}: {problem}")
    if output is not None:
        from thresher.reports.cleaning_charts import write_cleaning_report

        write_cleaning_report(run, output)
        # What is finished is not continued.
        shutil.rmtree(output / "comparisons", ignore_errors=True)
    for sentence in sentences(run):
        tell(f"- {sentence}")
    click.echo()
    show(*cleaning_tables(run))
    if output is not None:
        click.echo()
        tell(f"report: {(output / 'report.html').resolve()}")

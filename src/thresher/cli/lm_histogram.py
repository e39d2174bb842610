"""The verb `thresher lm histogram`: the distribution of a collection's perplexities under a model."""

from __future__ import annotations

import os
from pathlib import Path

import click

from thresher.errors import ConfigError

_FILE = click.Path(path_type=Path)
_PLOTS = (".svg", ".png")


@click.command()
@click.argument("model")
@click.argument("collection", type=_FILE)
@click.option("--plot", type=_FILE, metavar="FILE", help="Draw the histogram into this .svg or .png file.")
@click.option(
    "--csv", "table", type=_FILE, metavar="FILE", help="Write the tables into this CSV file, sentences whole."
)
@click.option("--blocks", type=click.Choice(["join", "split"]), default="join", show_default=True, help="Block rule.")
@click.option("--language", default="en", show_default=True, help="Language of the sentence splitter.")
@click.option("--workers", type=click.IntRange(1), default=os.cpu_count() or 1, help="Processes [default: one a core].")
def histogram(
    model: str, collection: Path, plot: Path | None, table: Path | None, blocks: str, language: str, workers: int
) -> None:
    """Show the perplexities of a COLLECTION's sentences (any input of `thresher clean`) under a MODEL: `books` or a path.

    Percentiles with example sentences, and what the perplexity paper's cutoffs would remove: to choose a cutoff.
    """
    import shutil
    import tempfile

    from thresher.collections import IdRule, ReadOptions, open_collection
    from thresher.pages import PageOptions
    from thresher.passes.backends import Backend
    from thresher.reports.formats import render_text
    from thresher.reports.histograms import histogram_figure, percentile_table, removed_table, write_histogram_csv
    from thresher.scorers.perplexity import Perplexity
    from thresher.scoring.distribution import read_distribution
    from thresher.scoring.score_pass import ScorePlan, score_collection

    if plot is not None and plot.suffix.lower() not in _PLOTS:
        raise ConfigError("a plot is written as SVG or PNG", "end the file name in .svg or .png", f"--plot {plot}")
    scorer = Perplexity(lm=model)
    scorer.check(model)
    reference = scorer.reference_percentiles()
    # Ids are not shown, so any will do.
    pages = open_collection(collection, ReadOptions(IdRule(escape=True)))
    with tempfile.TemporaryDirectory(prefix="thresher-") as store:
        scores = score_collection(
            ScorePlan(pages, (scorer,), PageOptions(blocks, language)), Path(store), Backend(workers=workers)
        )
        distribution = read_distribution(Path(store), scorer)
    width = shutil.get_terminal_size((160, 40)).columns
    tables = (percentile_table(distribution, reference, width), removed_table(distribution))
    click.echo("\n".join(render_text(one, width) for one in tables), nl=False)
    if scores.failed:
        click.echo(f"{scores.failed} of {scores.documents} pages failed and are not counted", err=True)
    if table is not None:
        write_histogram_csv(distribution, reference, table)
    if plot is not None:
        from thresher.reports.plot_style import write_plot

        write_plot(histogram_figure(distribution, f"{collection.name}: {scorer.canonical_name}"), plot)

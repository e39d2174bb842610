"""`thresher explore`: every cutoff of an experiment's scorers, without an index."""

from __future__ import annotations

from pathlib import Path

import click

from thresher.cli.options import backend_options, with_backend

_FILE = click.Path(path_type=Path)


@click.command()
@click.argument("experiment", type=_FILE)
@click.option("--results", type=_FILE, default=Path("results"), show_default=True, help="Where results go.")
@backend_options
@click.option("--fresh", is_flag=True, help="Drop scores that were made with another configuration.")
def explore(
    experiment: Path, results: Path, workers: int | None, backend: str | None, scheduler: str, fresh: bool
) -> None:
    """Explore every cutoff of an EXPERIMENT's scorers in one pass, without building indexes.

    Prints the best cutoff of each scorer and writes all of them to explored.csv and explored.json. Options go before what the
    file says.
    """
    import shutil

    from thresher.experiments.config import load_experiment
    from thresher.experiments.explorer import explore_experiment
    from thresher.reports.explored import CSV_FILE, explored_table
    from thresher.reports.formats import render_text
    from thresher.results.selection import main_of

    config = with_backend(load_experiment(experiment), backend, workers, scheduler)
    found = explore_experiment(config, results, fresh, lambda line: click.echo(line, err=True))
    columns = shutil.get_terminal_size((160, 40)).columns
    measure = found.measures.index(main_of(found.measures))
    for model in range(len(found.retrieval)):
        click.echo(render_text(explored_table(found, model, measure), columns))
    click.echo(f"all cutoffs: {(results / config.name / CSV_FILE).resolve()}")

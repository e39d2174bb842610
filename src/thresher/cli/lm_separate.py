"""The verb `thresher lm separate`: which language model separates content from boilerplate best."""

from __future__ import annotations

from pathlib import Path

import click

_FILE = click.Path(path_type=Path)


@click.command()
@click.argument("gold_folder", type=_FILE)
@click.option(
    "--model",
    "-m",
    "models",
    multiple=True,
    help="A language model: books, self (learnt from these pages), or a path as in perplexity(lm=PATH); may be repeated.",
)
@click.option(
    "--scorer",
    "-s",
    "names",
    multiple=True,
    metavar="NAME",
    help="Any other scorer, such as 'ncleaner(model=nonlexical)'; may be repeated.",
)
@click.option("--gold", type=_FILE, help='Gold elsewhere: a folder, or JSON of {"stem": {"articleBody": "text"}}.')
@click.option("--rough", is_flag=True, help="A sentence is content if its text occurs in the gold text; no alignment.")
@click.option("--comments", is_flag=True, help="Readers' comments (Dragnet's, L3S-GN1's) are content too.")
@click.option("--csv", "csv_file", type=_FILE, help="Write every number to this file.")
def separate(
    gold_folder: Path,
    models: tuple[str, ...],
    names: tuple[str, ...],
    gold: Path | None,
    rough: bool,
    comments: bool,
    csv_file: Path | None,
) -> None:
    """Print how well language models separate content from boilerplate on the pages of GOLD_FOLDER, at any cutoff.

    GOLD_FOLDER is as for `thresher cleaneval`. The measure is the area under the ROC curve over sentences: 0.5 is chance, 1 is
    perfect. A sentence is content if at least half of its words are aligned with the gold text. The number of words and
    the text density are given for comparison.
    """
    import shutil

    from thresher.cleaneval.gold import read_gold
    from thresher.cleaneval.separation import asked_scorers, measure_separation
    from thresher.files import write_text
    from thresher.reports.cleaning_tables import separation_csv, separation_table
    from thresher.reports.formats import render_text

    scorers = asked_scorers(models, names)
    standard = read_gold(gold_folder, gold, comments)
    if standard.without_gold:
        click.echo(f"pages without gold ({len(standard.without_gold)}): {', '.join(standard.without_gold)}", err=True)
    run = measure_separation(standard.pages, scorers, rough)
    for stem, reason in run.failed:
        click.echo(f"failed: {stem}: {reason}", err=True)
    if csv_file is not None:
        write_text(csv_file, separation_csv(run))
    click.echo(render_text(separation_table(run), shutil.get_terminal_size((160, 40)).columns), nl=False)

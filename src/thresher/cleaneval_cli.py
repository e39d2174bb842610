"""The verb `thresher cleaneval`: cleaners against pages that people cleaned."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import click

from thresher.errors import ConfigError

_FILE = click.Path(path_type=Path)


@click.command()
@click.argument("folder", type=_FILE)
@click.option("--cleaner", "-c", "cleaners", multiple=True, help="A canonical name, such as words@11; may be repeated.")
@click.option("--gold", type=_FILE, help='Gold elsewhere: a folder, or JSON of {"stem": {"articleBody": "text"}}.')
@click.option("--comments", is_flag=True, help="Readers' comments (below Dragnet's mark) are content too.")
@click.option("--workers", type=click.IntRange(1), default=os.cpu_count() or 1, help="Processes [default: one a core].")
@click.option("--csv", "csv_file", type=_FILE, help="Write all numbers, macro and micro, to this file.")
@click.option("--markdown", type=_FILE, help="Write the table as Markdown to this file.")
def cleaneval(
    folder: Path,
    cleaners: tuple[str, ...],
    gold: Path | None,
    comments: bool,
    workers: int,
    csv_file: Path | None,
    markdown: Path | None,
) -> None:
    """Measure how well cleaners clean: a FOLDER of pages (`input/`) against its `GoldStandard/` or `gold/`, by file stem."""
    import shutil

    from thresher.cleaneval.gold import read_gold
    from thresher.cleaneval.judging import compare_cleaners, judge_pages
    from thresher.files import write_text
    from thresher.progress import progress
    from thresher.reports.cleaning_table import cleaning_csv, cleaning_table
    from thresher.reports.table_markup import render_markdown
    from thresher.reports.table_text import render_text
    from thresher.scorers.cleaners import BASELINE, parse_cleaner

    if csv_file is not None and markdown is not None and csv_file.resolve() == markdown.resolve():
        raise ConfigError("two of the files to write are the same", "give each a name of its own", str(csv_file))
    # Two spellings of one name are one cleaner.
    chosen = {cleaner.name: cleaner for cleaner in map(parse_cleaner, (BASELINE, *cleaners))}
    standard = read_gold(folder, gold, comments)
    _list("pages without gold", standard.without_gold)
    _list("gold without a page", standard.without_page)
    pages = judge_pages(standard.pages, tuple(chosen.values()), workers)
    judged = list(progress(pages, "cleaning", len(standard.pages), "pages"))
    for page in judged:
        if page.problem:
            click.echo(f"failed: {page.stem}: {page.problem}", err=True)
    results = compare_cleaners(tuple(chosen), judged)
    table = cleaning_table(results)
    if csv_file is not None:
        write_text(csv_file, cleaning_csv(results))
    if markdown is not None:
        write_text(markdown, render_markdown(table))
    click.echo(render_text(table, shutil.get_terminal_size((160, 40)).columns), nl=False)


def _list(what: str, stems: Sequence[str]) -> None:
    if stems:
        click.echo(f"{what} ({len(stems)}): {', '.join(stems)}", err=True)

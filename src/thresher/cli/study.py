"""The verb `thresher study`: features of blocks on a gold standard."""

from __future__ import annotations

from pathlib import Path

import click

from thresher.cli.options import FILE, say, tell, terminal_width, workers_option


@click.command()
@click.argument("folder", type=FILE)
@click.option("--gold", type=FILE, help="Gold elsewhere, as for `thresher cleaneval`.")
@click.option(
    "--output",
    "-o",
    type=FILE,
    required=True,
    help="Write tables, plots and blocks into this folder; keep scores there.",
)
@click.option(
    "--folds",
    type=click.IntRange(2, 1000),
    default=10,
    show_default=True,
    help="Folds of the cross-validation by page.",
)
@workers_option
@click.option("--fresh", is_flag=True, help="Drop scores in the output folder that were made otherwise.")
def study(folder: Path, gold: Path | None, output: Path, folds: int, workers: int, fresh: bool) -> None:
    """Study the blocks of a gold standard, as Kohlschütter et al. (2010), sections 3 to 5 (needs the extra `classification`).

    FOLDER has pages and gold, as for `thresher cleaneval`. Each block gets its features, those of its neighbours, and its
    class by the gold. Printed are classes, classifiers cross-validated by page, the features of most information, and what
    fits the blocks' numbers of words, beside the paper's figures.
    """
    from thresher.cleaneval.gold import read_whole_gold
    from thresher.reports.formats import render_text
    from thresher.reports.study_report import write_study
    from thresher.reports.study_tables import study_tables
    from thresher.studying.block_study import study_blocks
    from thresher.studying.extra import scikit_learn

    scikit_learn()
    standard = read_whole_gold(folder, gold)
    found = study_blocks(folder.resolve().name, standard, output, folds, workers, fresh)
    for what, stems in (
        ("pages without gold", standard.without_gold),
        ("gold without a page", standard.without_page),
        ("gold without the page's content", standard.without_content),
        ("pages without blocks", found.blocks.without_blocks),
        ("pages that cannot be parsed", found.blocks.failed),
    ):
        if stems:
            say(f"{what} ({len(stems)}): {', '.join(stems)}")
    write_study(found, output)
    width = terminal_width()
    click.echo("\n".join(render_text(table, width) for table in study_tables(found)), nl=False)
    click.echo()
    tell(f"blocks: {(output / 'blocks.parquet').resolve()}")

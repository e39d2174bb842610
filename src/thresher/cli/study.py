"""The verb `thresher study`: features of blocks on a gold standard."""

from __future__ import annotations

from pathlib import Path

import click

from thresher.cli.options import FILE, say_stems, show, tell, workers_option


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
    from thresher.reports.study_tables import study_tables, write_study
    from thresher.studying.block_study import study_blocks
    from thresher.studying.extra import scikit_learn

    scikit_learn()
    standard = read_whole_gold(folder, gold)
    found = study_blocks(folder.resolve().name, standard, output, folds, workers, fresh)
    for what, stems in standard.left_out.items():
        say_stems(what, stems)
    say_stems("pages without blocks", found.blocks.without_blocks)
    say_stems("pages that cannot be parsed", found.blocks.failed)
    write_study(found, output)
    show(*study_tables(found))
    click.echo()
    tell(f"blocks: {(output / 'blocks.parquet').resolve()}")

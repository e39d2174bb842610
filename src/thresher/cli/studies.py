"""The verbs of the extra `classification`: `study`, the features of blocks, and `classify`, of cleaned pages."""

from __future__ import annotations

from pathlib import Path

import click

from thresher.cli.options import FILE, say, say_stems, show, tell, workers_option

_FRESH = click.option("--fresh", is_flag=True, help="Drop scores in the output folder that were made otherwise.")


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
@_FRESH
def study(folder: Path, gold: Path | None, output: Path, folds: int, workers: int, fresh: bool) -> None:
    """Study the blocks of a gold standard, as Kohlschütter et al. (2010), sections 3 to 5 (needs the extra `classification`).

    FOLDER has pages and gold, as for `thresher cleaneval`. Each block gets its features, those of its neighbours, and its
    class by the gold. It prints the classes, classifiers cross-validated by page, the features of most information, and what
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


@click.command()
@click.argument("labelled", type=FILE)
@click.option(
    "--cleaner",
    "-c",
    "cleaners",
    multiple=True,
    metavar="NAME",
    help="A cleaner's canonical name, such as words@11; may be repeated [default: the rows of the papers' tables].",
)
@click.option(
    "--output",
    "-o",
    type=FILE,
    required=True,
    help="Write tables, plot and predictions into this folder; keep scores there.",
)
@click.option(
    "--transformer",
    type=FILE,
    help="Classify by a transformer instead, whose weights are in this folder (needs the extra `transformers`).",
)
@workers_option
@_FRESH
def classify(
    labelled: Path, cleaners: tuple[str, ...], output: Path, transformer: Path | None, workers: int, fresh: bool
) -> None:
    """Classify pages after each cleaner and without (needs the extra `classification`).

    LABELLED is a folder, or a tar archive of one, with pages as class/group/page, such as WebKB's by university; HTTP headers
    before pages are left out. The pages of each group are classified by a linear classifier over TF-IDF that learns from all
    other groups. It prints F1 by class, and tests against the uncleaned pages.
    """
    from thresher.classifying.page_classification import classify_pages
    from thresher.classifying.text_classifiers import LinearClassifier, TextClassifier
    from thresher.cleaneval.running import asked
    from thresher.reports.classification_report import classification_tables, write_classification

    classifier: TextClassifier = LinearClassifier()
    if transformer is not None:
        from thresher.classifying.text_classifiers import TransformerClassifier

        classifier = TransformerClassifier(transformer)
    found = classify_pages(labelled, asked(cleaners, ())[0], classifier, output, workers, fresh)
    for name, reason in found.failed:
        say(f"failed: {name}: {reason}")
    write_classification(found, output)
    show(*classification_tables(found))
    click.echo()
    tell(f"pages: {(output / 'pages.csv').resolve()}")

"""The verb `thresher classify`: does cleaning help a classifier of pages?"""

from __future__ import annotations

from pathlib import Path

import click

from thresher.cli.options import FILE, say, show, tell, workers_option


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
@click.option("--fresh", is_flag=True, help="Drop scores in the output folder that were made otherwise.")
def classify(
    labelled: Path, cleaners: tuple[str, ...], output: Path, transformer: Path | None, workers: int, fresh: bool
) -> None:
    """Classify pages after each cleaner and without (needs the extra `classification`).

    LABELLED is a folder, or a tar archive of one, with pages as class/group/page, such as WebKB's by university; HTTP headers
    before pages are left out. The pages of each group are classified by a linear classifier over TF-IDF that learns from all
    other groups. Printed are F1 by class, and tests against the uncleaned pages.
    """
    from thresher.classifying.page_classification import classify_pages
    from thresher.classifying.text_classifiers import LinearClassifier, TextClassifier
    from thresher.cleaneval.running import asked
    from thresher.reports.classification_report import classification_tables, write_classification

    classifier: TextClassifier = LinearClassifier()
    if transformer is not None:
        from thresher.classifying.transformer_classifier import TransformerClassifier

        classifier = TransformerClassifier(transformer)
    found = classify_pages(labelled, asked(cleaners, ())[0], classifier, output, workers, fresh)
    for name, reason in found.failed:
        say(f"failed: {name}: {reason}")
    write_classification(found, output)
    show(*classification_tables(found))
    click.echo()
    tell(f"pages: {(output / 'pages.csv').resolve()}")

"""`thresher pseudo-topics`: topics and judgments for a collection that has none."""

from __future__ import annotations

from pathlib import Path

import click

from thresher.cli.options import FILE, READING_KEYS, AskedBackend, backend_options, keys, say
from thresher.experiments.schema import CollectionTable, read_options


@click.command("pseudo-topics")
@click.argument("source", metavar="COLLECTION", type=FILE)
@click.option("--output", "-o", required=True, type=FILE, help="The folder to write topics and qrels to.")
@click.option(
    "--from",
    "origin",
    type=click.Choice(["titles", "anchors", "both"]),
    default="both",
    show_default=True,
    help="Titles of pages, text of links to them.",
)
@click.option("--topics", "most", type=int, default=500, show_default=True, help="At most this many topics.")
@click.option("--seed", type=int, default=0, show_default=True, help="Chooses the sample.")
@click.option(
    "--stop-list", default="English", show_default=True, help="Whose stop words don't count in a text's length."
)
@keys("collection", *READING_KEYS, "ids", "prefix", "keep_suffix", "id_pattern", "id_replacement")
@backend_options
def pseudo_topics(
    source: Path,
    output: Path,
    origin: str,
    most: int,
    seed: int,
    stop_list: str,
    collection: CollectionTable,
    backend: AskedBackend,
) -> None:
    """Make topics with one relevant page each of a COLLECTION without judgments.

    Topics are titles of pages, and the text of links to them. Writes topics.tsv, qrels.txt and pseudo-topics.json. The options
    of ids are those of [collection] in experiment files, and must be the same there.
    """
    from thresher.passes.parts import Limits
    from thresher.pseudo_topics import SOURCES, PseudoOptions, make_pseudo_topics
    from thresher.pseudo_topics.topic_files import next_step, summary

    made = make_pseudo_topics(
        source,
        output,
        PseudoOptions(SOURCES if origin == "both" else (origin,), most, seed, stop_list),
        format=collection.format,
        reading=read_options(collection),
        limits=Limits(collection.page_seconds, collection.max_page_mib),
        backend=backend.backend(),
    )
    for line in summary(made):
        say(line)
    click.echo(next_step(output))

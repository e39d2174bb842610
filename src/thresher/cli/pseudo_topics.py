"""`thresher pseudo-topics`: topics and judgments for a collection that has none."""

from __future__ import annotations

from pathlib import Path

import click

from thresher.cli.options import COLLECTION_KEYS, FILE, backend_options, chosen_backend, keys, say


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
@keys("collection", *COLLECTION_KEYS)
@keys("collection", "ids", "prefix", "keep_suffix", "id_pattern", "id_replacement")
@backend_options
def pseudo_topics(
    source: Path,
    output: Path,
    origin: str,
    most: int,
    seed: int,
    stop_list: str,
    format: str,
    id_field: str,
    html_field: str,
    text_field: str,
    url_field: str,
    ids: str,
    prefix: str,
    keep_suffix: bool,
    id_pattern: str,
    id_replacement: str,
    escape_ids: bool,
    workers: int | None,
    backend: str | None,
    scheduler: str,
    max_page_mib: float,
    page_seconds: float,
) -> None:
    """Make topics with one relevant page each of a COLLECTION without judgments.

    Topics are titles of pages, and the text of links to them. Writes topics.tsv, qrels.txt and pseudo-topics.json. The options
    of ids are those of [collection] in experiment files, and must be the same there.
    """
    from thresher.collections import IdRule, JsonFields, ReadOptions
    from thresher.passes.parts import Limits
    from thresher.pseudo_topics import SOURCES, PseudoOptions, make_pseudo_topics
    from thresher.pseudo_topics.topic_files import next_step, summary

    made = make_pseudo_topics(
        source,
        output,
        PseudoOptions(SOURCES if origin == "both" else (origin,), most, seed, stop_list),
        format=format,
        reading=ReadOptions(
            IdRule(ids, prefix, keep_suffix, escape_ids, id_pattern, id_replacement),
            fields=JsonFields((id_field,), (html_field,), (text_field,), (url_field,)),
        ),
        limits=Limits(page_seconds, max_page_mib),
        backend=chosen_backend(backend, workers, scheduler),
    )
    for line in summary(made):
        say(line)
    click.echo(next_step(output))

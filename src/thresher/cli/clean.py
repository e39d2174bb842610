"""`thresher clean`: any collection into cleaned files; `thresher cleaners` and `thresher pruning-methods`: what there is."""

from __future__ import annotations

import json
from pathlib import Path

import click

from thresher.cli.options import FILE, AskedBackend, backend_options, keys, say
from thresher.defaults import DEFAULT_CLEANER, OUTPUT_FORMATS
from thresher.experiments.schema import ID_KEYS, PAGES_KEYS, READING_KEYS, CollectionTable, PagesTable, read_options


@click.command()
@click.argument("source", metavar="INPUT", type=FILE)
@click.option(
    "--cleaner", "-c", default=DEFAULT_CLEANER, show_default=True, help="One that `thresher cleaners` explains."
)
@click.option(
    "--output",
    "-o",
    required=True,
    type=FILE,
    help=f"The file to write; its ending says the format: {', '.join('.' + name for name in OUTPUT_FORMATS)}. `-` for "
    "standard output.",
)
@click.option("--output-format", default="", help="The format to write, one of these; JSONL to pipes if not given.")
@click.option("--metadata", is_flag=True, help="Also write file, offset, bytes, encoding and words.")
@click.option("--valid", is_flag=True, help="Leave out private, unassigned and invisible characters, and U+FFFD.")
@click.option("--removed", type=FILE, help="A JSONL file of every segment with its scores and what dropped it.")
@click.option(
    "--side-by-side",
    type=FILE,
    help="An HTML page of the texts with what is dropped and all scores, to try other cutoffs.",
)
@click.option("--failures", type=FILE, help="A JSONL file of the pages that failed: file, offset, id, reason.")
@keys("collection", *READING_KEYS, *ID_KEYS)
@keys("pages", *PAGES_KEYS)
@backend_options
def clean(
    source: Path,
    cleaner: str,
    output: Path,
    output_format: str,
    metadata: bool,
    valid: bool,
    removed: Path | None,
    side_by_side: Path | None,
    failures: Path | None,
    collection: CollectionTable,
    pages: PagesTable,
    backend: AskedBackend,
) -> None:
    """Clean any INPUT: a folder or file of HTML, text, WARC, TREC-web, JSONL, Parquet or tar archives, `ir_datasets:ID`, or
    `-` for standard input: JSONL, or one page with `--format html` or `text`.
    """
    from thresher.cleaning import Extras, Output, clean_collection
    from thresher.columns import exact_number
    from thresher.pages import PageOptions
    from thresher.passes.parts import Limits
    from thresher.scorers.cleaners import parse_cleaner

    counts = clean_collection(
        source,
        cleaner,
        output,
        format=collection.format,
        how=Output(output_format, metadata, valid),
        reading=read_options(collection, address=True),
        options=PageOptions(pages.blocks, pages.language),
        limits=Limits(collection.page_seconds, collection.max_page_mib),
        backend=backend.backend(),
        extras=Extras(removed, side_by_side, failures),
    )
    say(
        f"{output}: {counts.documents} pages = {counts.kept} with text + {counts.emptied} emptied + {counts.failed} failed; "
        f"{counts.words} words kept"
    )
    for cut in parse_cleaner(cleaner).cuts:
        if cut.cutoff is not None and cut.cutoff == cut.scorer.usual and (meaning := cut.scorer.meaning(cut.cutoff)):
            say(f"{cut.name}: {meaning}")
    for name, cutoff in counts.cutoffs.items():
        say(f"{name} = {exact_number(cutoff)}")
    for name, reason in counts.failures:
        say(f"failed: {name}: {reason}")
    if counts.failed > len(counts.failures):
        say(f"failed: {counts.failed - len(counts.failures)} more; --failures FILE lists all")
    for warning in counts.warnings:
        say(f"warning: {warning}")


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print the declarations as JSON.")
def cleaners(as_json: bool) -> None:
    """List the cleaners with their parameters, defaults, cutoffs and sources."""
    from thresher.scorers.cleaners import declarations, describe

    click.echo(json.dumps(declarations(), indent=2, ensure_ascii=False) if as_json else describe())


@click.command("pruning-methods")
@click.option("--json", "as_json", is_flag=True, help="Print the declarations as JSON.")
def methods(as_json: bool) -> None:
    """List the methods of index pruning with their parameters, defaults, cutoffs and sources."""
    from thresher.pruning_methods.treatments import describe_methods, method_declarations

    click.echo(json.dumps(method_declarations(), indent=2, ensure_ascii=False) if as_json else describe_methods())

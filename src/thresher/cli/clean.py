"""`thresher clean`: any collection to cleaned JSON lines or WARC."""

from __future__ import annotations

from pathlib import Path

import click

from thresher.cli.options import backend_options, chosen_backend, json_field_options

_FILE = click.Path(path_type=Path)


@click.command()
@click.argument("source", metavar="INPUT", type=_FILE)
@click.option("--cleaner", "-c", required=True, help="A canonical name, such as words@11; see `thresher cleaners`.")
@click.option(
    "--output", "-o", required=True, type=_FILE, help="JSONL with `id` and `contents`, or .warc, .warc.gz to write."
)
@click.option("--removed", type=_FILE, help="A JSONL file of every segment with its scores and what dropped it.")
@click.option("--side-by-side", type=_FILE, help="An HTML page of every text with what was dropped struck through.")
@click.option("--failures", type=_FILE, help="A JSONL file of the pages that failed: file, offset, id, reason.")
@click.option("--format", default="", help="html, warc, trec-web, jsonl or tar [default: by names and first bytes].")
@json_field_options
@click.option("--blocks", type=click.Choice(["join", "split"]), default="join", show_default=True, help="Block rule.")
@click.option("--language", default="en", show_default=True, help="Language of the sentence splitter.")
@backend_options
@click.option(
    "--max-page-mib", type=click.FloatRange(min=0.001), default=16.0, show_default=True, help="Larger pages fail."
)
@click.option(
    "--page-seconds", type=click.FloatRange(min=0.01), default=30.0, show_default=True, help="Slower pages fail."
)
@click.option("--escape-ids", is_flag=True, help="Write characters that a run cannot hold as %XX.")
def clean(
    source: Path,
    cleaner: str,
    output: Path,
    removed: Path | None,
    side_by_side: Path | None,
    failures: Path | None,
    format: str,
    id_field: str,
    html_field: str,
    text_field: str,
    url_field: str,
    blocks: str,
    language: str,
    workers: int | None,
    backend: str | None,
    scheduler: str,
    max_page_mib: float,
    page_seconds: float,
    escape_ids: bool,
) -> None:
    """Clean any INPUT: a folder or file of HTML, WARC, TREC-web, JSONL or tar archives, or `ir_datasets:ID`."""
    from thresher.cleaning import Extras, clean_collection
    from thresher.collections import IdRule, JsonFields, ReadOptions
    from thresher.pages import PageOptions
    from thresher.reports.formatting import exact_number
    from thresher.scoring.worker import Limits

    fields = JsonFields((id_field,), (html_field,), (text_field,), (url_field,))
    counts = clean_collection(
        source,
        cleaner,
        output,
        format=format,
        reading=ReadOptions(IdRule(escape=escape_ids), fields=fields),
        options=PageOptions(blocks, language),
        limits=Limits(page_seconds, max_page_mib),
        backend=chosen_backend(backend, workers, scheduler),
        extras=Extras(removed, side_by_side, failures),
    )
    click.echo(
        f"{output}: {counts.documents} pages = {counts.kept} with text + {counts.emptied} emptied + {counts.failed} failed; "
        f"{counts.words} words kept",
        err=True,
    )
    for name, cutoff in counts.cutoffs.items():
        click.echo(f"{name} = {exact_number(cutoff)}", err=True)
    for name, reason in counts.failures:
        click.echo(f"failed: {name}: {reason}", err=True)
    if counts.failed > len(counts.failures):
        click.echo(f"failed: {counts.failed - len(counts.failures)} more; --failures FILE lists all", err=True)

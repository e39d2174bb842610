"""`thresher clean`: any collection into cleaned files; `cleaneval`: cleaners measured on gold standards; `cleaners` and
`pruning-methods`: their lists.
"""

from __future__ import annotations

import dataclasses
import json
import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import click

from thresher.base.defaults import DEFAULT_CLEANER, LANGUAGE, OUTPUT_FORMATS, SEARCH_CLEANER, TEXT_NAME
from thresher.cli.options import (
    FILE,
    BackendOptions,
    Verb,
    backend_options,
    check_failed,
    check_new,
    complete_cleaner,
    keys,
    max_failed_option,
    print_left_out,
    print_line,
    print_message,
    replace_option,
    show,
    workers_option,
)
from thresher.experiments import schema

if TYPE_CHECKING:
    from thresher.evaluation.cleaneval.gold import GoldStandard
    from thresher.evaluation.cleaneval.results import CleaningRun, GoldSet
    from thresher.scores.cleaning import Output
    from thresher.scores.cleaning.clean_counts import CleanCounts

_COMPARISONS = "comparisons"
"""The folder of finished comparisons in the output of `cleaneval`."""
_DOCUMENT_OPTIONS = ("html", "markdown", "with_language", "fields", "text_name", "min_words", "language", "valid")
"""The options of `clean` that are fields of an `Output`."""


def _document_options(verb: Verb) -> Verb:
    """Add the options of the written documents; the verb gets them as `documents`, an `Output` of no format."""

    @click.option("--html", is_flag=True, help="Also write the page's HTML without the dropped text.")
    @click.option("--markdown", is_flag=True, help="Also write Markdown (needs the extra `markdown`).")
    @click.option("--with-language", is_flag=True, help="Also write the language of the text (ISO 639-1).")
    @click.option(
        "--fields",
        is_flag=True,
        help="Write title, headings, text, repeated text and texts of links to the page as separate members, for engines "
        "that weigh fields. Prints the weights.",
    )
    @click.option("--text-name", default=TEXT_NAME, show_default=True, help="Name of the text's member.")
    @click.option("--drop-empty", is_flag=True, help="Leave out pages without words.")
    @click.option(
        "--min-words",
        type=click.IntRange(min=0),
        default=0,
        help="Leave out pages with fewer words (separated by spaces).",
    )
    @click.option(
        "--language",
        default="",
        help="Leave out pages in other languages (ISO 639-1). Its abbreviations end no sentence.",
    )
    @click.option("--valid", is_flag=True, help="Leave out private, unassigned and invisible characters, and U+FFFD.")
    @wraps(verb)
    def with_documents(*args: Any, drop_empty: bool, **named: Any) -> Any:
        from thresher.scores.cleaning import Output

        values: dict[str, Any] = {}
        for name in _DOCUMENT_OPTIONS:
            values[name] = named.pop(name)
        if drop_empty:
            values["min_words"] = max(values["min_words"], 1)
        return verb(*args, documents=Output(**values), **named)

    return with_documents


@click.command()
@click.argument("source", metavar="INPUT", type=FILE)
@click.option(
    "--cleaner",
    "-c",
    default=DEFAULT_CLEANER,
    show_default=True,
    shell_complete=complete_cleaner,
    help="Cleaner to apply. List them with `thresher cleaners`.",
)
@click.option(
    "--output",
    "-o",
    default="-",
    show_default=True,
    help="File, folder with a file per page (`cleaned/`), or `-` for standard output. The ending sets the format: "
    f".{', .'.join([*OUTPUT_FORMATS, 'txt', 'md', 'html'])}.",
)
@click.option(
    "--output-format",
    default="",
    help="Format, if no ending sets it [default: JSONL to standard output, text into folders]. A file of HTML has one page.",
)
@replace_option
@_document_options
@click.option(
    "--removed", type=FILE, help="Write every segment, its scores and the cuts that dropped it to this JSONL file."
)
@click.option("--failures", type=FILE, help="Write file, offset, id and reason of each failed page to this JSONL file.")
@max_failed_option
@keys("collection", schema.READING_KEYS + schema.ID_KEYS)
@keys("pages", ["blocks"])
@backend_options
def clean(  # noqa: PLR0913, click passes every option
    source: Path,
    cleaner: str,
    output: str,
    output_format: str,
    replaces: bool,
    documents: Output,
    removed: Path | None,
    failures: Path | None,
    max_failed: int | str | None,
    collection: schema.CollectionTable,
    pages: schema.PagesTable,
    backend: BackendOptions,
) -> None:
    """Clean the pages of INPUT: HTML, text, WARC, TREC-web, JSONL, Parquet, tar.

    INPUT is a folder, a file, `ir_datasets:ID`, or `-` for standard input: JSONL, one page of HTML, or one of text with
    `--format text`.
    """
    from thresher.pages import PageOptions
    from thresher.scores.cleaning import Extras, clean_collection
    from thresher.scores.limits import Limits

    written = Path(output)
    _check_files(written, (removed, failures), replaces)
    begin = perf_counter()
    counts = clean_collection(
        source,
        cleaner,
        output,
        format=collection.format,
        how=dataclasses.replace(documents, format=output_format),
        reading=schema.read_options(collection, address=True),
        options=PageOptions(pages.blocks, documents.language or LANGUAGE),
        limits=Limits(collection.page_seconds, collection.max_page_mib),
        backend=backend.backend(),
        extras=Extras(removed, failures),
    )
    _print_outcomes(counts, output)
    print_left_out(source, collection.format)
    _print_pages(counts)
    _print_purpose(cleaner)
    _print_cutoffs(cleaner, counts)
    if documents.fields:
        _print_boosts(documents.text_name)
    _print_problems(counts)
    _print_speed(counts, perf_counter() - begin, written)
    check_failed(counts.failed, counts.documents, max_failed, failures)


def _check_files(output: Path, extras: Sequence[Path | None], replaces: bool) -> None:
    """Check that no file exists, unless it may be replaced or a killed command began to write it."""
    from thresher.base.files import real_path
    from thresher.scores.cleaning import begun_outputs

    begun = begun_outputs(output)
    for path in (output, *extras):
        check_new(path, replaces or (path is not None and real_path(path) in begun))


def _print_outcomes(counts: CleanCounts, output: str) -> None:
    from thresher.base.number_text import counted

    print_message(
        f"{output}: {counted(counts.documents, 'page')} = {counts.kept:,} with text + {counts.emptied:,} emptied + "
        f"{counts.failed:,} failed; {counted(counts.words, 'word')} kept"
    )


def _print_pages(counts: CleanCounts) -> None:
    """Say how many pages are left out, are written as paragraphs, or have ids that runs cannot hold."""
    from thresher.base.number_text import counted

    if counts.left_out:
        print_message(f"{counted(counts.left_out, 'page')} left out")
    if counts.blocks_not_found:
        print_message(
            f"{counted(counts.blocks_not_found, 'page')} as paragraphs: their blocks are not found in their HTML"
        )
    if counts.unfit_ids:
        print_message(
            f"{counted(counts.unfit_ids, 'id')} that a TREC run cannot hold: to index the pages, clean with --escape-ids"
        )


def _print_purpose(cleaner: str) -> None:
    """Say what the default cleaner is for, since another cleaner suits pages that go into a search index."""
    if cleaner == DEFAULT_CLEANER:
        print_message(
            f"{cleaner} keeps the main text; to index the pages for search: --cleaner {shlex.quote(SEARCH_CLEANER)}"
        )


def _print_cutoffs(cleaner: str, counts: CleanCounts) -> None:
    """Print the meaning of usual cutoffs, and the cutoffs that percentiles became."""
    from thresher.base.number_text import exact_number
    from thresher.cleaners.cleaner import parse_cleaner

    for cut in parse_cleaner(cleaner).cuts:
        if cut.cutoff is None or cut.cutoff != cut.scorer.usual:
            continue
        meaning = cut.scorer.meaning(cut.cutoff)
        if meaning:
            print_message(f"{cut.name}: {meaning}")
    for name, cutoff in counts.cutoffs.items():
        print_message(f"{name} = {exact_number(cutoff)}")


def _print_boosts(text_name: str) -> None:
    from thresher.base.number_text import exact_number
    from thresher.scores.cleaning.page_fields import boosts

    weights = [f"{name}^{exact_number(weight)}" for name, weight in boosts(text_name).items()]
    print_message(f"weights of fields: {' '.join(weights)}")


def _print_problems(counts: CleanCounts) -> None:
    for name, reason in counts.failures:
        print_message(f"failed: {name}: {reason}")
    if counts.failed > len(counts.failures):
        print_message(f"failed: {counts.failed - len(counts.failures)} more; --failures FILE lists all")
    for warning in counts.warnings:
        print_message(f"warning: {warning}")


def _print_speed(counts: CleanCounts, seconds: float, output: Path) -> None:
    size = ""
    if output.is_file():
        size = f", {output.stat().st_size:,} written"
    print_message(f"{counts.documents / seconds:,.1f} pages a second; {counts.bytes:,} bytes of pages read{size}")


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print the declarations as JSON.")
def cleaners(as_json: bool) -> None:
    """List the cleaners with their parameters, defaults, cutoffs and sources."""
    from thresher.cleaners.cleaner import declarations, describe

    if as_json:
        click.echo(json.dumps(declarations(), indent=2, ensure_ascii=False))
    else:
        click.echo(describe())


@click.command("pruning-methods")
@click.option("--json", "as_json", is_flag=True, help="Print the declarations as JSON.")
def methods(as_json: bool) -> None:
    """List the methods of index pruning with their parameters, defaults, cutoffs and sources."""
    from thresher.indexes.pruning.treatments import describe_methods, method_declarations

    if as_json:
        click.echo(json.dumps(method_declarations(), indent=2, ensure_ascii=False))
    else:
        click.echo(describe_methods())


@click.command()
@click.argument("folder", type=FILE)
@click.option(
    "--cleaners",
    "-c",
    multiple=True,
    metavar="NAME",
    shell_complete=complete_cleaner,
    help="Cleaner to measure, such as words@11. May be repeated. [default: 13 cleaners of the papers]",
)
@click.option(
    "--gold", type=FILE, help='Gold in another place: a folder, or JSON of {"stem": {"articleBody": "text"}}.'
)
@click.option("--comments", is_flag=True, help="Count readers' comments (Dragnet, L3S-GN1) as content.")
@click.option("--extractors", is_flag=True, help="Also measure other packages (needs the extra `extractors`).")
@keys("evaluation", ["test", "correction", "alpha"])
@click.option(
    "--output", "-o", type=FILE, help="Write tables, plots and figures into this folder, and keep scores there."
)
@workers_option
@click.option("--fresh", is_flag=True, help="Drop the output folder's scores of other options.")
def cleaneval(  # noqa: PLR0913, click passes every option
    folder: Path,
    cleaners: tuple[str, ...],
    gold: Path | None,
    comments: bool,
    extractors: bool,
    evaluation: schema.EvaluationTable,
    output: Path | None,
    workers: int,
    fresh: bool,
) -> None:
    """Measure how well cleaners clean pages with gold text.

    FOLDER has pages in `input/`, `original/` or `html/`, and gold of the same stem in `GoldStandard/`, `gold/`,
    `annotated/`, `ground-truth/` or `ground-truth.json`; or it has another gold standard's layout.
    """
    from thresher.base.student import check_installed
    from thresher.cleaners.scorers.extractor import EXTRACTORS
    from thresher.evaluation.cleaneval.comparing import remove_compared
    from thresher.evaluation.cleaneval.gold import read_gold
    from thresher.evaluation.cleaneval.results import ROWS, SignificanceOptions, parse_cleaners, run_cleaners
    from thresher.reports.cleaning_tables import cleaning_tables, sentences, write_cleaning_tables

    check_installed()
    if extractors:
        cleaners = (cleaners or ROWS) + tuple(EXTRACTORS)
    names = parse_cleaners(cleaners)
    standard = read_gold(folder, gold, comments)
    for what, stems in standard.left_out.items():
        if stems:
            print_message(f"{what} ({len(stems)}): {', '.join(stems)}")
    testing = SignificanceOptions(evaluation.alpha, evaluation.correction, evaluation.test)
    with _gold_set(folder, standard, output) as gold_set:
        run = run_cleaners(gold_set, names, workers, fresh, testing)
    _print_lost_pages(run)
    if output is not None:
        write_cleaning_tables(run, output)
        # A finished run is not continued.
        remove_compared(output / _COMPARISONS)
    for sentence in sentences(run):
        print_line(f"- {sentence}")
    click.echo()
    show(cleaning_tables(run))
    if output is not None:
        click.echo()
        print_line(f"tables: {(output / 'table.md').resolve()}")


@contextmanager
def _gold_set(folder: Path, standard: GoldStandard, output: Path | None) -> Iterator[GoldSet]:
    """Give a gold standard with its score store and comparisons in `output`; without it, with a temporary store."""
    from thresher.base.files import temporary_folder
    from thresher.evaluation.cleaneval.results import GoldSet

    if output is None:
        with temporary_folder() as store:
            yield GoldSet(folder, standard, store / "scores")
    else:
        yield GoldSet(folder, standard, output / "scores", output / _COMPARISONS)


def _print_lost_pages(run: CleaningRun) -> None:
    for stem, problem in run.problems:
        print_message(f"counts as emptied: {stem}: {problem}")
    for extractor, stem, problem in run.crashes:
        print_message(f"crashed: {extractor}: {stem}: {problem}")

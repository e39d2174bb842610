"""The stages of experiments one by one: `index`, `search`, `evaluate`."""

from __future__ import annotations

import sys
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from thresher.base.defaults import LANGUAGE, RETRIEVAL_MODEL, STATISTICS
from thresher.base.errors import ConfigError
from thresher.cli.options import (
    FILE,
    BackendOptions,
    backend_options,
    check_failed,
    check_new,
    group,
    keys,
    max_failed_option,
    print_left_out,
    print_message,
    replace_option,
    show,
)
from thresher.experiments import schema

if TYPE_CHECKING:
    from thresher.experiments.applying import IndexedPages
    from thresher.reports.table import Table

_PAGE_KEYS = schema.READING_KEYS + schema.ID_KEYS
_OF_PAGES = ("failures", "max_failed", *_PAGE_KEYS, "blocks", "workers", "backend", "scheduler")
"""Options of `index` that only pages have."""


@click.command()
@click.argument("source", metavar="INPUT", type=FILE)
@click.option("--output", "-o", required=True, type=FILE, help="Folder to write the index to.")
@replace_option
@keys("index", schema.INDEX_KEYS)
@click.option("--lengths", is_flag=True, help="Keep exact document lengths, for qld(exact).")
@click.option("--keep-stopwords", is_flag=True, help="Index stop words too.")
@click.option("--prune", help="Pruning method, such as dcp@0.5. List them with `thresher pruning-methods`.")
@keys("pruning", ["statistics"])
@click.option(
    "--treatment",
    "-t",
    metavar="NAME",
    help="Index pages, read as by `thresher clean`, with this treatment: content@0.3|weights|dcp@0.5. The options below "
    "are for pages.",
)
@click.option("--failures", type=FILE, help="Write file, offset, id and reason of each failed page to this JSONL file.")
@max_failed_option
@keys("collection", _PAGE_KEYS)
@keys("pages", ["blocks"])
@backend_options
def index(  # noqa: PLR0913, click passes every option
    source: Path,
    output: Path,
    replaces: bool,
    index: schema.IndexTable,
    lengths: bool,
    keep_stopwords: bool,
    prune: str | None,
    pruning: schema.PruningTable,
    treatment: str | None,
    failures: Path | None,
    max_failed: int | str | None,
    collection: schema.CollectionTable,
    pages: schema.PagesTable,
    backend: BackendOptions,
) -> None:
    """Build a Lucene index of cleaned JSON lines or Parquet (`id`, `contents`), or of pages (also `-`) with --treatment."""
    from thresher.api import index_json_lines
    from thresher.indexes.indexing import IndexOptions, is_other_folder

    # Even with `replaces`, the index writer refuses to replace a folder that is no index.
    check_new(output, replaces or is_other_folder(output))
    options = {**asdict(index), "stopwords": not keep_stopwords, "lengths": lengths}
    original_statistics = pruning.statistics == STATISTICS[0]
    if treatment is None:
        _check_no_pages()
        indexed = index_json_lines(source, output, prune, original_statistics, **options)
        counts = f"{indexed.documents} documents indexed, {indexed.empty} empty, {indexed.bytes:,} bytes"
        print_message(f"{output}: {counts}")
        return
    if prune is not None:
        raise ConfigError("the treatment names its pruning", f"write --treatment '{treatment}|{prune}'", "--prune")
    check_new(failures, replaces)
    # Imported here, since cleaned text is indexed without these modules.
    from thresher.experiments.applying import IndexContent, PagesToIndex, index_pages
    from thresher.indexes.pruning.treatments import parse_treatment
    from thresher.pages import PageOptions

    indexed_pages = index_pages(
        PagesToIndex.of(replace(collection, path=str(source)), PageOptions(pages.blocks, LANGUAGE)),
        parse_treatment(treatment),
        output,
        IndexContent(IndexOptions(**options), original_statistics),
        backend.backend(),
        failures,
    )
    _print_indexed_pages(indexed_pages, output)
    print_left_out(source, collection.format)
    _print_failures(indexed_pages)
    check_failed(indexed_pages.failed, indexed_pages.pages, max_failed, failures)


def _check_no_pages() -> None:
    """Refuse options that only pages have."""
    context = click.get_current_context()
    for name in _OF_PAGES:
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            fix = "add --treatment NAME, or leave the option out"
            raise ConfigError("the option is for pages, and INPUT is cleaned text", fix, schema.option_name(name))


def _print_indexed_pages(indexed: IndexedPages, output: Path) -> None:
    from thresher.base.number_text import counted

    print_message(
        f"{output}: {counted(indexed.pages, 'page')} = {indexed.index.documents:,} indexed + {indexed.emptied:,} emptied + "
        f"{indexed.failed:,} failed; {indexed.index.bytes:,} bytes"
    )


def _print_failures(indexed: IndexedPages) -> None:
    for failure in indexed.failures:
        print_message(f"failed: {failure.name}: {failure.reason}")
    if indexed.failed > len(indexed.failures):
        print_message(f"failed: {indexed.failed - len(indexed.failures)} more; --failures FILE lists all")


@dataclass(frozen=True)
class _RunOptions:
    """The run that `search` writes."""

    output: Path
    replaces: bool
    tag: str


@click.command()
@click.argument("folder", metavar="INDEX", type=FILE)
@click.argument("queries", metavar="TOPICS", type=FILE)
@click.option("--output", "-o", required=True, type=FILE, help="TREC run to write; `-` for standard output.")
@replace_option
@click.option(
    "--model",
    default=RETRIEVAL_MODEL,
    show_default=True,
    help="qld, qld(mu=1000), qld(exact), bm25, bm25(b=0.3,k1=1.2), classic.",
)
@keys("retrieval", ["depth"])
@keys("topics", ["field"])
@click.option("--tag", default="thresher", show_default=True, help="Run's tag.")
@group("run", _RunOptions)
def search(
    folder: Path,
    queries: Path,
    model: str,
    retrieval: schema.RetrievalTable,
    topics: schema.TopicsTable,
    run: _RunOptions,
) -> None:
    """Search an INDEX with TOPICS and write a TREC run."""
    from statistics import median

    from thresher.base.number_text import counted
    from thresher.evaluation.topics import read_topics
    from thresher.evaluation.trec_files import write_run
    from thresher.indexes.analysis import parse_retrieval
    from thresher.indexes.searching import Searcher

    output = run.output
    if run.tag.split() != [run.tag]:
        raise ConfigError(f"the tag {run.tag!r} is not one word", "give a tag without white space", "--tag")
    if output.exists() and output.samefile(queries):
        raise ConfigError("these are the topics", "give the run another name", str(output))
    check_new(output, run.replaces)
    topic_set = read_topics(queries, field=topics.field)
    with Searcher(folder, parse_retrieval(model), retrieval.depth) as searcher:
        searched = searcher.search_topics([(topic.id, topic.query) for topic in topic_set.values()])
    write_run(output, searched.hits, run.tag)
    topic_count = counted(len(topic_set), "topic")
    hit_count = counted(sum(map(len, searched.hits.values())), "hit")
    print_message(f"{output}: {topic_count}, {hit_count}, median {median(searched.latencies_ms):.2f} ms a query")


@click.command()
@click.argument("judgments", metavar="QRELS", type=FILE)
@click.argument("runs", type=FILE, nargs=-1, required=True)
@click.option("--measure", "-m", "measures", multiple=True, help="Measure, as ir-measures names it. May be repeated.")
@click.option("--baseline", type=FILE, help="Run to compare with [default: the first].")
@keys("evaluation", ["test", "correction", "alpha"])
@keys("qrels", ["column"])
@click.option("--margin", help="Test which runs lose less than this: 5% of the baseline's mean, or 0.01.")
@click.option("--per-topic", is_flag=True, help="Print lines of run, measure, topic and value instead of the table.")
@click.option("--pairs", is_flag=True, help="Test every two runs; letters name the worse ones.")
@click.option("--markdown", "form", flag_value="markdown", help="Print a row per run in Markdown.")
@click.option("--latex", "form", flag_value="latex", help="Print a row per run in LaTeX.")
def evaluate(  # noqa: PLR0913, click passes every option
    judgments: Path,
    runs: tuple[Path, ...],
    measures: tuple[str, ...],
    baseline: Path | None,
    evaluation: schema.EvaluationTable,
    qrels: schema.QrelsTable,
    margin: str | None,
    per_topic: bool,
    pairs: bool,
    form: str | None,
) -> None:
    """Evaluate TREC RUNS over all topics with a judgment, and test them against the baseline."""
    from thresher.evaluation.comparing import compare_runs
    from thresher.evaluation.trec_files import read_qrels
    from thresher.reports.compared_runs import marked_table, runs_table, table_lines, topic_lines

    _check_form(form, per_topic, pairs, margin)
    compared = compare_runs(
        read_qrels(judgments, qrels.column),
        runs,
        measures,
        baseline,
        alpha=evaluation.alpha,
        correction=evaluation.correction,
        margin=margin,
        test=evaluation.test,
        pairs=pairs,
    )
    table = runs_table(compared)
    if pairs or (form and not margin):
        table = marked_table(compared)
    if form:
        click.echo(_rendered(table, form), nl=False)
    elif sys.stdout.isatty() and not per_topic:
        show([table])
    else:
        for line in topic_lines(compared) if per_topic else table_lines(table):
            click.echo(line)


def _check_form(form: str | None, per_topic: bool, pairs: bool, margin: str | None) -> None:
    """Refuse an option that another one leaves without effect."""
    if per_topic and (form or pairs):
        raise ConfigError("its lines have no tests and only one format", "leave the other options out", "--per-topic")
    if pairs and margin:
        raise ConfigError(
            "a margin is tested against the baseline alone", "leave one of the two out", "--pairs --margin"
        )


def _rendered(table: Table, form: str) -> str:
    from thresher.reports.latex import render_latex
    from thresher.reports.text_tables import render_markdown

    return render_latex(table) if form == "latex" else render_markdown(table)

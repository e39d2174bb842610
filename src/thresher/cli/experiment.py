"""The verbs of experiments and of crawls: `init`, `run`, `explore`, `choose`, `advise` and others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from thresher.base.errors import StateError
from thresher.base.files import real_path
from thresher.cli import options
from thresher.cli.answers import answer_of_choice, answer_of_shared, show_results
from thresher.cli.paper import PaperFiles, paper_options
from thresher.experiments import schema

if TYPE_CHECKING:
    from thresher.experiments.config import Experiment
    from thresher.experiments.results import Results


_RESULTS = click.option("--results", type=options.FILE, default="results", show_default=True, help="Folder of results.")
_INDEXES = click.option("--indexes", type=options.FILE, default="indexes", show_default=True, help="Folder of indexes.")
_SECONDS = click.option(
    "--seconds",
    type=click.FloatRange(0),
    help="Seconds to time queries, and again to time indexing; 0 times nothing.",
)
_FRESH = click.option("--fresh", is_flag=True, help="Drop the scores of another configuration.")


@click.command()
@click.argument("pages", type=options.FILE)
@click.option("--topics", required=True, type=options.FILE, help="Topics in TSV, TREC, XML or JSON.")
@click.option("--qrels", required=True, type=options.FILE, help="TREC qrels.")
@click.option("--name", help="Experiment's name [default: the name of PAGES].")
@click.option("-o", "--output", type=options.FILE, help="File to write [default: NAME.toml here].")
def init(pages: Path, topics: Path, qrels: Path, name: str | None, output: Path | None) -> None:
    """Write a first experiment file for your PAGES, topics and qrels.

    Reads the first 20,000 pages to find the ids and JSON fields that match the qrels.
    """
    import re

    from thresher.base.errors import InputError
    from thresher.base.files import write_text
    from thresher.experiments.starting import starting_file
    from thresher.reports.starting import starting_sentences

    stem = real_path(pages).name.split(".")[0]
    name = name or re.sub(r"[^A-Za-z0-9._-]+", "-", stem).strip("-._") or "experiment"
    file = output or Path(f"{name}.toml")
    if file.exists():
        raise InputError("the file is there already", "name another one with -o, or remove it", str(file))
    started = starting_file(pages, topics, qrels, name, file)
    write_text(file, started.text)
    options.print_left_out(pages, "")
    for sentence in starting_sentences(started):
        options.print_line(f"- {sentence}")
    click.echo()
    options.print_line(f"experiment: {file.resolve()}")


def _check_installed(verb: str) -> None:
    """Name all packages that a verb needs and that are missing, before anything is read."""
    from thresher.indexes.jvm import check_installed

    check_installed(verb)


def _loaded(file: Path, results: Path) -> Experiment:
    """Read an experiment file; say which files are left out, and where results are if the command would begin new ones."""
    from thresher.experiments.config import load_experiment

    experiment = load_experiment(file)
    options.print_left_out(str(experiment.collection.location), experiment.collection.format)
    beside = file.parent / results / experiment.name
    if beside.is_dir() and not (results / experiment.name).exists():
        options.print_message(f"it has results in {beside}: to use them, add --results {beside.parent}")
    return experiment


@click.command()
@click.argument("experiment", type=options.FILE)
@_RESULTS
@_INDEXES
@_SECONDS
@options.backend_options
@_FRESH
@options.max_failed_option
@click.option(
    "--chosen", is_flag=True, help="Run the indexes that `thresher choose` named, instead of all variants of the file."
)
@options.style_options
def run(  # noqa: PLR0913, click passes every option
    experiment: Path,
    results: Path,
    indexes: Path,
    seconds: float | None,
    backend: options.BackendOptions,
    fresh: bool,
    max_failed: int | str | None,
    chosen: bool,
    style: options.OutputStyle,
) -> None:
    """Run an EXPERIMENT file, or the rest of an interrupted run, and write the report.

    Scores the pages, builds and searches an index for each variant, and evaluates the runs. Options override the file.
    """
    _check_installed("run")
    from thresher.experiments.runner import run_experiment

    config = options.with_seconds(backend.of(_loaded(experiment, results)), seconds)
    outcome = run_experiment(config, results, indexes, fresh, options.announce, chosen)
    _report(outcome, results / config.name, style, answers=chosen)
    _check_failed(outcome, results / config.name, max_failed)


def _check_failed(results: Results, folder: Path, max_failed: int | str | None) -> None:
    from thresher.experiments.inputs import FAILURES_FILE

    pages = results.facts.pages
    options.check_failed(pages.failed, pages.documents, max_failed, folder / FAILURES_FILE)


@click.command()
@click.argument("experiment", type=options.FILE)
@_RESULTS
@_INDEXES
@_SECONDS
@options.style_options
def measure(experiment: Path, results: Path, indexes: Path, seconds: float | None, style: options.OutputStyle) -> None:
    """Measure the times of a finished EXPERIMENT again, and write the report.

    Pages are scored again only if the experiment's files have changed. Indexes built for timing are removed.
    """
    _check_installed("measure")
    from thresher.experiments.runner import measure_experiment

    config = options.with_seconds(_loaded(experiment, results), seconds)
    _report(measure_experiment(config, results, indexes, options.announce), results / config.name, style)


@click.command()
@click.argument("folder", type=options.FILE)
@click.option(
    "--plots",
    type=options.FILE,
    metavar="FOLDER",
    help="Also write every plot to this folder, as SVG and PDF.",
)
@paper_options
@options.style_options
def report(folder: Path, plots: Path | None, paper: PaperFiles, style: options.OutputStyle) -> None:
    """Write the reports of a results FOLDER again, and tables and plots for a paper.

    Reads results.json, variants.parquet, perhaps choice.json, and the labels of the experiment file.
    """
    from thresher.experiments.chooser import last_choice
    from thresher.experiments.results import read_results

    results = paper.labelled(read_results(folder), folder)
    files = paper.write(results, folder)
    if plots:
        from thresher.reports.drawing import write_plots

        files.append(("plots", plots))
        write_plots(results, last_choice(folder, results.facts.key), plots)
    _report(results, folder, style, files)


def _report(
    results: Results,
    folder: Path,
    style: options.OutputStyle,
    files: Sequence[tuple[str, Path]] = (),
    answers: bool = False,
) -> None:
    """Write the reports into the results' folder, and print the answer."""
    from thresher.reports.files import write_reports

    write_reports(results, folder)
    show_results(results, folder, style, files, answers=answers)


@click.command()
@click.argument("experiment", type=options.FILE)
@_RESULTS
@options.backend_options
@_FRESH
@options.max_failed_option
@options.style_options
def explore(
    experiment: Path,
    results: Path,
    backend: options.BackendOptions,
    fresh: bool,
    max_failed: int | str | None,
    style: options.OutputStyle,
) -> None:
    """Explore every cutoff of an EXPERIMENT's scorers and pruning methods in one pass, without building indexes.

    Adds the explored variants to the experiment's results and report. Options override the file.
    """
    _check_installed("explore")
    from thresher.experiments.explorer import explore_experiment
    from thresher.reports.files import write_reports

    config = backend.of(_loaded(experiment, results))
    outcome = explore_experiment(config, results, fresh, options.announce)
    write_reports(outcome, results / config.name)
    show_results(outcome, results / config.name, style, experiment=config)
    _check_failed(outcome, results / config.name, max_failed)


@click.command()
@click.argument("experiments", type=options.FILE, nargs=-1, required=True)
@_RESULTS
@click.option("--measure", "-m", help="Main measure [default: the first nDCG, or else the last measure].")
@click.option(
    "--queries",
    type=click.IntRange(1),
    default=1_000_000,
    show_default=True,
    help="Number of queries to compute savings for.",
)
@options.instead_of("choose", "families", "engine", "margin", "bytes", "alpha", "deciding", "emptied")
@options.style_options
def choose(
    experiments: tuple[Path, ...],
    results: Path,
    measure: str | None,
    queries: int,
    style: options.OutputStyle,
    **overrides: Any,
) -> None:
    """Choose an index for an explored or run experiment, or one setting for three or more EXPERIMENTS.

    Names the smallest index that is shown to lose less than the margin in every deciding measure and that empties few pages.
    Names the best index, if a gain over no cleaning is shown, and a conservative index, which allows for topic types that
    the sample lacks. Writes choice.json and the reports.

    For three or more experiments, chooses the smallest setting whose prediction bound is within the margin, and tests this
    rule by leaving out each experiment in turn. Writes shared-choice.json.
    """
    _check_installed("choose")
    from thresher.experiments.chooser import ChooseOptions, choose_experiment, choose_for_all
    from thresher.experiments.results import read_results
    from thresher.reports.files import write_reports

    configs = [_loaded(experiment, results) for experiment in experiments]
    first = configs[0]
    choose_options = ChooseOptions(measure, queries, **overrides)
    if len(configs) == 1:
        folder = results / first.name
        choice = choose_experiment(first, results, choose_options, options.announce)
        write_reports(read_results(folder), folder)
        answer = answer_of_choice(choice, folder)
    else:
        answer = answer_of_shared(choose_for_all(configs, results, choose_options, options.announce), results)
    options.print_answer(answer, style)


@click.command()
@click.argument("folder", metavar="RESULTS/NAME", type=options.FILE)
@click.argument("topic", required=False)
@click.option(
    "--variant",
    help="Variant [default: the recommended variant, or else the largest change of the main measure].",
)
@click.option("--document", help="Explain only this document of the topic, even if it is unjudged or kept its rank.")
@click.option("--model", "retrieval", help="Retrieval model [default: the experiment's first].")
@click.option("--experiment", type=options.FILE, help="Experiment file [default: its path when it was run].")
@_INDEXES
@click.option("--json", "as_json", is_flag=True, help="Print the record as JSON.")
def explain(folder: Path, experiment: Path | None, indexes: Path, as_json: bool, **named: str | None) -> None:
    """Explain why a TOPIC of finished results won or lost against the baseline, or the loss of all topics.

    For each judged document that rose or fell, shows its ranks, the parts of its score's change (removed text, pruned
    postings, length, statistics), the removed passages with topic words, and the cutoffs that would keep them. For all
    topics, shows the share of the loss by kind of block.
    """
    from thresher.experiments.explainer import ExplainOptions, experiment_of, explain_experiment
    from thresher.experiments.explaining.explanations import RECORD
    from thresher.reports.explanation_text import explanation_lines

    explain_options = ExplainOptions(**named)
    config = experiment_of(folder, experiment)
    explained = explain_experiment(config, folder, indexes, explain_options, options.announce)
    if as_json:
        options.print_text(RECORD.text(explained))
        return
    for line in explanation_lines(explained, options.terminal_width()):
        options.print_line(line)


@dataclass(frozen=True)
class _Sampled:
    """The pages that `play` shows, and the scorers of them."""

    page_ids: tuple[str, ...]
    count: int
    scorers: tuple[str, ...]


@click.command()
@click.argument("source", metavar="PAGES|RESULTS/NAME", type=options.FILE)
@click.argument("page_ids", metavar="[ID]...", nargs=-1)
@click.option("--output", "-o", required=True, type=options.FILE, help="HTML file to write.")
@click.option("--replace", "replaces", is_flag=True, help="Replace the file if it exists.")
@click.option(
    "--pages",
    "count",
    type=click.IntRange(1),
    default=30,
    show_default=True,
    help="Number of pages, evenly spread over the collection, if no ID is given.",
)
@click.option("--scorer", "-s", "scorers", multiple=True, help="Also show this scorer's scores. May be repeated.")
@options.keys("collection", schema.READING_KEYS + schema.ID_KEYS)
@options.keys("pages", schema.PAGES_KEYS)
@options.group("sampled", _Sampled)
def play(
    source: Path,
    sampled: _Sampled,
    output: Path,
    replaces: bool,
    collection: schema.CollectionTable,
    pages: schema.PagesTable,
) -> None:
    """Write an HTML file to try two cleaners side by side on a sample of pages, with scores and sliders for cutoffs.

    PAGES is any collection that `clean` reads. For finished results, the file also shows the pages' ranks, and pages are
    read as in the experiment. The file needs no network and no server.
    """
    from thresher.base.number_text import counted
    from thresher.collections import open_collection
    from thresher.experiments.page_samples import SampleOptions, sample_collection, sample_results
    from thresher.experiments.results import RESULTS_FILE
    from thresher.pages import PageOptions
    from thresher.reports.try_page import write_try_page
    from thresher.scores.cleaning.output_formats import check_apart, check_writable
    from thresher.scores.limits import Limits

    if output.exists() and not replaces:
        raise StateError("it exists already", "choose another name, or add --replace", str(output))
    check_writable(output)
    sample_options = SampleOptions(
        ids=sampled.page_ids,
        count=sampled.count,
        scorers=sampled.scorers,
        pages=PageOptions(pages.blocks, pages.language),
        limits=Limits(collection.page_seconds, collection.max_page_mib),
    )
    if (source / RESULTS_FILE).exists():
        sample = sample_results(source, sample_options)
    else:
        reading = replace(schema.read_options(collection, address=True), max_bytes=int(collection.max_page_mib * 2**20))
        opened = open_collection(source, reading, collection.format)
        check_apart([output], opened, collection.format)
        sample = sample_collection(opened, sample_options)
    written = write_try_page(sample, output)
    options.print_message(f"{output}: {counted(written.pages, 'page')}, {written.size / 1e6:.1f} MB")
    for page in written.failed:
        options.print_message(f"failed: {page.id}: {page.reason}")


@dataclass(frozen=True)
class _QueryExperiment:
    """The queries of `advise`, and the folder for the experiment with them."""

    queries: Path | None
    output: Path


@click.command()
@click.argument("source", metavar="PAGES", type=options.FILE)
@click.option(
    "--queries", type=options.FILE, help="File with a query, a tab and the id or URL of its page on each line."
)
@click.option(
    "--sample",
    type=click.IntRange(1),
    default=20_000,
    show_default=True,
    help="Read this many pages at most; with --queries, all pages are read.",
)
@click.option(
    "--output",
    "-o",
    type=options.FILE,
    default="advice",
    show_default=True,
    help="With --queries, the folder for topics, experiment file and results.",
)
@options.keys("collection", schema.READING_KEYS + schema.ID_KEYS)
@options.backend_options
@options.style_options
@options.group("experiment", _QueryExperiment)
def advise(
    source: Path,
    experiment: _QueryExperiment,
    sample: int,
    collection: schema.CollectionTable,
    backend: options.BackendOptions,
    style: options.OutputStyle,
) -> None:
    """Recommend an index for PAGES without judgments.

    Without queries, shows the default index, its changes on other collections, and the words that it would remove from
    PAGES. With queries, chooses an index as `choose` does.
    """
    from thresher.experiments.adviser import ADVICE, EXPERIMENT, advise_on, choose_by_queries
    from thresher.experiments.results import read_results
    from thresher.reports.choice_tables import removed_words_table
    from thresher.reports.files import write_reports
    from thresher.reports.summary import advised

    table = replace(collection, path=str(source))
    options.print_left_out(source, collection.format)
    if experiment.queries is not None:
        _check_installed("advise --queries")
        output = experiment.output
        choice = choose_by_queries(table, experiment.queries, output, backend.backend(), options.announce)
        folder = output / EXPERIMENT
        write_reports(read_results(folder), folder)
        options.print_answer(answer_of_choice(choice, folder), style)
        return
    advice = advise_on(table, sample, backend.backend())
    if style is options.OutputStyle.JSON:
        options.print_text(ADVICE.text(advice))
        return
    removed = removed_words_table(advice)
    answer = options.Answer(
        sentences=list(advised(advice)),
        short_table=lambda _: removed,
        full=[removed],
        files=[],
        record=Path(),
        commands=advice.commands,
    )
    options.print_answer(answer, style)

"""The command line: verbs that tie the folders together. Nothing heavy is imported before a verb needs it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from thresher import __version__
from thresher.cli.choose import choose
from thresher.cli.clean import clean
from thresher.cli.cleaneval import cleaneval
from thresher.cli.explore import explore
from thresher.cli.lm import lm
from thresher.cli.ncleaner import ncleaner
from thresher.cli.options import backend_options, with_backend
from thresher.cli.pseudo_topics import pseudo_topics
from thresher.errors import ConfigError, ResourceError, ThresherError
from thresher.files import user_error

if TYPE_CHECKING:
    from thresher.results.records import Results

_ROWS_SHOWN = 40
_FILE = click.Path(path_type=Path)


def main() -> None:
    """Run the command line; errors become one line each and an exit code by their class."""
    try:
        cli.main(standalone_mode=False)
    except ThresherError as error:
        _fail(error.lines(), error.exit_code)
    except click.UsageError as error:
        hint = f" Fix: see `{error.ctx.command_path} --help`." if error.ctx else ""
        _fail([f"{error.format_message().rstrip('.')}.{hint}"], ConfigError.exit_code)
    except click.ClickException as error:
        _fail([error.format_message()], ConfigError.exit_code)
    except (click.Abort, KeyboardInterrupt):
        _fail(["interrupted. Fix: run the same command again, it goes on where it was."], 130)
    except MemoryError:
        _fail(["no memory left. Fix: use fewer workers or a machine with more memory."], ResourceError.exit_code)
    except OSError as error:
        found = user_error(error, error.filename or Path.cwd())
        _fail(found.lines(), found.exit_code)


def _fail(lines: list[str], code: int) -> None:
    for line in lines:
        click.echo(f"error: {line}", err=True)
    sys.exit(code)


def _say(line: str) -> None:
    click.echo(line, err=True)


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}, no_args_is_help=False)
@click.version_option(__version__, prog_name="thresher")
def cli() -> None:
    """Prune a web collection, search it, and see what the pruning cost and saved."""


@cli.command()
@click.argument("experiment", type=_FILE)
@click.option("--results", type=_FILE, default=Path("results"), show_default=True, help="Where results go.")
@click.option("--indexes", type=_FILE, default=Path("indexes"), show_default=True, help="Where indexes go.")
@backend_options
@click.option("--fresh", is_flag=True, help="Drop scores that were made with another configuration.")
def run(
    experiment: Path,
    results: Path,
    indexes: Path,
    workers: int | None,
    backend: str | None,
    scheduler: str,
    fresh: bool,
) -> None:
    """Run an experiment file, or what is missing of it, and report. Options go before what the file says."""
    from thresher.experiments.config import load_experiment
    from thresher.experiments.runner import run_experiment

    config = with_backend(load_experiment(experiment), backend, workers, scheduler)
    _show(run_experiment(config, results, indexes, fresh, _say), results / config.name)


@cli.command()
@click.argument("folder", type=_FILE)
def report(folder: Path) -> None:
    """Write the reports of a results FOLDER again, from its results.json."""
    from thresher.reports import read_results, write_all

    found = read_results(folder)
    write_all(found, folder)
    _show(found, folder)


@cli.command()
@click.argument("source", metavar="INPUT", type=_FILE)
@click.option("--output", "-o", required=True, type=_FILE, help="The folder to write the index to.")
@click.option("--positions", is_flag=True, help="Store positions.")
@click.option("--stored", is_flag=True, help="Store the text.")
@click.option("--vectors", is_flag=True, help="Store document vectors.")
@click.option("--lengths", is_flag=True, help="Keep exact document lengths, for qld(exact).")
@click.option(
    "--stemmer", type=click.Choice(["porter", "krovetz", "none"]), default="porter", show_default=True, help="Stemmer."
)
@click.option("--keep-stopwords", is_flag=True, help="Index stop words too.")
def index(
    source: Path,
    output: Path,
    positions: bool,
    stored: bool,
    vectors: bool,
    lengths: bool,
    stemmer: str,
    keep_stopwords: bool,
) -> None:
    """Index cleaned JSON lines (`id`, `contents`) with Lucene."""
    from thresher.api import index_json_lines
    from thresher.lucene.indexing import IndexOptions

    done = index_json_lines(
        source, output, IndexOptions(positions, stored, vectors, stemmer, not keep_stopwords, lengths)
    )
    _say(f"{output}: {done.documents} documents indexed, {done.empty} empty, {done.bytes:,} bytes")


@cli.command()
@click.argument("folder", metavar="INDEX", type=_FILE)
@click.argument("topics", type=_FILE)
@click.option("--output", "-o", required=True, type=_FILE, help="The TREC run to write.")
@click.option(
    "--model", default="qld", show_default=True, help="qld, qld(mu=1000), qld(exact), bm25, bm25(b=0.3,k1=1.2)."
)
@click.option("--depth", type=click.IntRange(1), default=1000, show_default=True, help="Hits a topic.")
@click.option("--field", default="title", show_default=True, help="The query field of TREC or XML topics.")
@click.option("--tag", default="thresher", show_default=True, help="The run's tag.")
def search(folder: Path, topics: Path, output: Path, model: str, depth: int, field: str, tag: str) -> None:
    """Search an INDEX with TOPICS and write a TREC run."""
    from statistics import median

    from thresher.evaluation import read_topics, write_run
    from thresher.lucene.retrieval import parse_retrieval
    from thresher.lucene.searching import Searcher

    if tag.split() != [tag]:
        raise ConfigError(f"the tag {tag!r} is not one word", "give a tag without white space", "--tag")
    found = read_topics(topics, field=field)
    with Searcher(folder, parse_retrieval(model), depth) as searcher:
        done = searcher.search_topics([(topic.id, topic.query) for topic in found.values()])
    write_run(output, done.hits, tag)
    hits = sum(map(len, done.hits.values()))
    _say(f"{output}: {len(found)} topics, {hits} hits, median {median(done.latencies_ms):.2f} ms a query")


@cli.command()
@click.argument("qrels", type=_FILE)
@click.argument("runs", type=_FILE, nargs=-1, required=True)
@click.option("--measure", "-m", "measures", multiple=True, help="An ir-measures name; may be repeated.")
@click.option("--baseline", type=_FILE, help="The run to compare with [default: the first].")
@click.option("--per-topic", is_flag=True, help="Print `run, measure, topic, value` lines instead of the table.")
def evaluate(
    qrels: Path, runs: tuple[Path, ...], measures: tuple[str, ...], baseline: Path | None, per_topic: bool
) -> None:
    """Evaluate TREC RUNS over all topics with a judgment, and test them against the baseline."""
    from thresher.api import compare_runs

    table = compare_runs(qrels, runs, measures, baseline)
    for line in table.topic_lines() if per_topic else table.lines():
        click.echo(line)


@cli.command()
@click.option("--json", "as_json", is_flag=True, help="Print the declarations as JSON.")
def cleaners(as_json: bool) -> None:
    """List what cleaners there are: parameters, defaults, cutoffs, source."""
    from thresher.scorers.describe import declarations, describe

    click.echo(json.dumps(declarations(), indent=2, ensure_ascii=False) if as_json else describe())


@cli.command()
def doctor() -> None:
    """Say what is there and what is missing, each with its fix."""
    from thresher.doctor import examine

    findings = examine()
    width = max(len(finding.what) for finding in findings)
    for finding in findings:
        click.echo(f"{finding.mark} {finding.what:{width}}  {finding.state}")
        if finding.fix:
            click.echo(f"  {'':{width}}  fix: {finding.fix}")
    if any(finding.missing for finding in findings):
        sys.exit(4)


cli.add_command(clean)
cli.add_command(explore)
cli.add_command(choose)
cli.add_command(ncleaner)
cli.add_command(cleaneval)
cli.add_command(lm)
cli.add_command(pseudo_topics)


def _show(results: Results, folder: Path) -> None:
    import shutil

    from thresher.reports.formats import render_text
    from thresher.reports.results_tables import main_table
    from thresher.reports.summary import summary

    columns = shutil.get_terminal_size((160, 40)).columns
    click.echo(render_text(main_table(results, limit=_ROWS_SHOWN), columns))
    for line in (*summary(results), *results.notices):
        click.echo(f"- {line}")
    click.echo(f"\nreport: {(folder / 'report.html').resolve()}")

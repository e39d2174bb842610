"""The stages of an experiment one by one: `index`, `search`, `evaluate`."""

from __future__ import annotations

from pathlib import Path

import click

from thresher.cli.options import FILE, keys, say
from thresher.defaults import RETRIEVAL_MODEL
from thresher.errors import ConfigError


@click.command()
@click.argument("source", metavar="INPUT", type=FILE)
@click.option("--output", "-o", required=True, type=FILE, help="The folder to write the index to.")
@keys("index", "positions", "stored", "vectors")
@click.option("--lengths", is_flag=True, help="Keep exact document lengths, for qld(exact).")
@keys("index", "stemmer")
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

    options = IndexOptions(positions, stored, vectors, stemmer, not keep_stopwords, lengths)
    done = index_json_lines(source, output, options)
    say(f"{output}: {done.documents} documents indexed, {done.empty} empty, {done.bytes:,} bytes")


@click.command()
@click.argument("folder", metavar="INDEX", type=FILE)
@click.argument("topics", type=FILE)
@click.option("--output", "-o", required=True, type=FILE, help="The TREC run to write.")
@click.option(
    "--model",
    default=RETRIEVAL_MODEL,
    show_default=True,
    help="qld, qld(mu=1000), qld(exact), bm25, bm25(b=0.3,k1=1.2), classic.",
)
@keys("retrieval", "depth")
@keys("topics", "field")
@click.option("--tag", default="thresher", show_default=True, help="The run's tag.")
def search(folder: Path, topics: Path, output: Path, model: str, depth: int, field: str, tag: str) -> None:
    """Search an INDEX with TOPICS and write a TREC run."""
    from statistics import median

    from thresher.evaluation import read_topics, write_run
    from thresher.lucene.retrieval import parse_retrieval
    from thresher.lucene.searching import Searcher

    if tag.split() != [tag]:
        raise ConfigError(f"the tag {tag!r} is not one word", "give a tag without white space", "--tag")
    queries = [(topic.id, topic.query) for topic in read_topics(topics, field=field).values()]
    with Searcher(folder, parse_retrieval(model), depth) as searcher:
        done = searcher.search_topics(queries)
    write_run(output, done.hits, tag)
    hits = sum(map(len, done.hits.values()))
    say(f"{output}: {len(queries)} topics, {hits} hits, median {median(done.latencies_ms):.2f} ms a query")


@click.command()
@click.argument("qrels", type=FILE)
@click.argument("runs", type=FILE, nargs=-1, required=True)
@click.option("--measure", "-m", "measures", multiple=True, help="An ir-measures name; may be repeated.")
@click.option("--baseline", type=FILE, help="The run to compare with [default: the first].")
@keys("evaluation", "correction", "alpha")
@click.option("--per-topic", is_flag=True, help="Print `run, measure, topic, value` lines instead of the table.")
def evaluate(
    qrels: Path,
    runs: tuple[Path, ...],
    measures: tuple[str, ...],
    baseline: Path | None,
    correction: str,
    alpha: float,
    per_topic: bool,
) -> None:
    """Evaluate TREC RUNS over all topics with a judgment, and test them against the baseline."""
    from thresher.api import compare_runs

    table = compare_runs(qrels, runs, measures, baseline, alpha, correction)
    for line in table.topic_lines() if per_topic else table.lines():
        click.echo(line)

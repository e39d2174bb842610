"""Thresher from Python: score a page, clean a text or a collection, run an experiment.

import thresher

page = thresher.score_html(html, ["words", "perplexity"])
text = thresher.clean_html(html, "perplexity@8000")
documents = thresher.clean_pages(pages, "content@0.5")
results = thresher.run("experiments/pydoc.toml")
curves = thresher.explore("experiments/pydoc.toml")
choice = thresher.choose("experiments/pydoc.toml")
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from thresher.choosing.choices import Choice
from thresher.cleaning import CleanCounts, Extras, Output, clean_collection, clean_pages
from thresher.cleaning.page_streams import page_of
from thresher.collections import documents, open_collection
from thresher.collections.file_collection import Files
from thresher.collections.ids import unique
from thresher.collections.json_lines import JsonLines
from thresher.defaults import ALPHA, HOLM
from thresher.errors import InputError, StateError
from thresher.evaluation import (
    DEFAULT_MEASURES,
    check_overlap,
    compare_all,
    evaluate,
    parse_measure,
    read_qrels,
    read_run,
)
from thresher.experiments.chooser import Question, choose_experiment
from thresher.experiments.config import load_experiment
from thresher.experiments.explorer import explore_experiment
from thresher.experiments.runner import run_experiment
from thresher.exploring.exploration import Exploration
from thresher.lucene.indexing import IndexOptions, IndexReport, build_index
from thresher.pages import DEFAULT_OPTIONS, PageOptions, read_text_page
from thresher.pseudo_topics import PseudoOptions, make_pseudo_topics
from thresher.reports.compared_runs import ComparedRuns
from thresher.results.experiment_results import Results
from thresher.scorers.cleaners import Cleaner, parse_cleaner, parse_scorer
from thresher.scoring.cutting import clean_page
from thresher.scoring.percentiles import resolved_without_collection
from thresher.scoring.store import SCORED, PageScores, score_page


def score_html(html: str | bytes, scorers: Sequence[str], options: PageOptions = DEFAULT_OPTIONS) -> PageScores:
    """Parse a page and score its blocks or sentences.

    Args:
        html: the page; bytes are decoded as a browser would.
        scorers: names such as `words` or `perplexity(lm=books)`.
        options: block rule and language.

    Returns:
        the page's segments, and by each scorer's canonical name one float32 for each block or sentence.

    Raises:
        ConfigError: if a name does not parse.
    """
    chosen = [parse_scorer(name).scorer for name in scorers]
    return score_page(page_of(html), chosen, options)


def clean_html(html: str | bytes, cleaner: str, options: PageOptions = DEFAULT_OPTIONS) -> str:
    """Return what a cleaner leaves of a page: one block a line.

    Raises:
        ConfigError: if the name does not parse, or has a percentile of a collection, which one page is not.
        InputError: if the page cannot be parsed.
    """
    parsed = resolved_without_collection(parse_cleaner(cleaner))
    scored = score_page(page_of(html), parsed.scorers, options)
    if scored.segments is None:
        raise InputError(f"the page {scored.reason}", "check that it is HTML")
    return clean_page(scored, parsed).text


def clean_text(text: str, cleaner: str, options: PageOptions = DEFAULT_OPTIONS) -> str:
    """Return what a cleaner leaves of a plain text, whose lines are its blocks.

    Raises:
        ConfigError: if the name does not parse, or has a percentile of a collection, which one text is not.
    """
    parsed = resolved_without_collection(parse_cleaner(cleaner))
    segments = read_text_page(text, options)
    scores = {scorer.canonical_name: scorer.score(segments) for scorer in parsed.scorers}
    return clean_page(PageScores("", SCORED, segments=segments, scores=scores), parsed).text


def run(experiment: str | Path, results: str | Path = "results", indexes: str | Path = "indexes") -> Results:
    """Run an experiment file and return its results; see `thresher.experiments.runner.run_experiment`.

    Raises:
        ThresherError: as `load_experiment` and `run_experiment`.
    """
    return run_experiment(load_experiment(Path(experiment)), Path(results), Path(indexes))


def explore(experiment: str | Path, results: str | Path = "results") -> Exploration:
    """Explore every cutoff of an experiment's scorers; see `thresher.experiments.explorer.explore_experiment`.

    Raises:
        ThresherError: as `load_experiment` and `explore_experiment`.
    """
    return explore_experiment(load_experiment(Path(experiment)), Path(results))


def choose(experiment: str | Path, results: str | Path = "results", question: Question | None = None) -> Choice:
    """Choose a cutoff for an explored or finished experiment; see `thresher.experiments.chooser.choose_experiment`.

    Raises:
        ThresherError: as `load_experiment` and `choose_experiment`.
    """
    return choose_experiment(load_experiment(Path(experiment)), Path(results), question or Question())


def index_json_lines(source: Path, output: Path, options: IndexOptions | None = None) -> IndexReport:
    """Index the documents of a JSON lines file with `id` and `contents` into the folder `output`.

    Raises:
        InputError: if the file is missing, broken, holds pages in place of text, or an id is unfit or not unique.
        StateError: if `output` is a folder with other things in it than an index.
    """
    collection = open_collection(source)
    if not isinstance(collection, Files) or collection.format != JsonLines.name:
        raise InputError("this is no file of JSON lines", "clean the collection first: `thresher clean`", str(source))
    if output.is_dir() and any(output.iterdir()) and not any(output.glob("segments_*")):
        raise StateError("the folder holds something else than an index", "choose a new folder", str(output))
    return build_index(_texts(collection), output, options or IndexOptions())


def compare_runs(
    qrels: Path,
    runs: Sequence[Path],
    measures: Sequence[str] = (),
    baseline: Path | None = None,
    alpha: float = ALPHA,
    correction: str = HOLM,
) -> ComparedRuns:
    """Evaluate runs over all topics with a judgment and test each against the baseline, the first run by default.

    `alpha` is the significance level, and `correction` how p is corrected for the number of tests: "holm" or "none".

    Raises:
        ConfigError: if a measure does not parse.
        InputError: if a file is broken, or a run retrieved no judged document.
    """
    names = [str(parse_measure(name)) for name in measures or DEFAULT_MEASURES]
    judged = read_qrels(qrels)
    topics = tuple(topic for topic in judged if judged[topic])
    first = baseline or runs[0]
    paths = list(dict.fromkeys([first, *runs]))
    values = {}
    for path in paths:
        retrieved = read_run(path)
        check_overlap(retrieved, judged, topics)
        values[str(path)] = evaluate(judged, retrieved, names, topics)
    pairs = {str(path): str(first) for path in paths if path != first}
    comparisons = compare_all(values, pairs, alpha=alpha, correction=correction)
    return ComparedRuns(str(first), topics, values, comparisons, alpha, correction)


def _texts(collection: Files) -> Iterator[tuple[str, str]]:
    for source in unique(documents(collection)):
        if not source.is_text:
            raise InputError(
                "the line holds a page, not text", "clean the collection first: `thresher clean`", source.where
            )
        yield source.id, (source.content or b"").decode("utf-8")


__all__ = [
    "CleanCounts",
    "Cleaner",
    "ComparedRuns",
    "Extras",
    "Output",
    "PseudoOptions",
    "Question",
    "choose",
    "clean_collection",
    "clean_html",
    "clean_pages",
    "clean_text",
    "compare_runs",
    "explore",
    "index_json_lines",
    "make_pseudo_topics",
    "run",
    "score_html",
]

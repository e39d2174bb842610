"""The functions of `thresher` for Python; the docstring of `thresher` has examples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, overload

from thresher.base.defaults import DEFAULT_CLEANER, DEPTH, RETRIEVAL_MODEL
from thresher.base.errors import InputError, StateError
from thresher.base.processes import Backend
from thresher.base.shown import LOADERS
from thresher.cleaners.cleaner import Cleaner, parse_scorer
from thresher.cleaners.functions import AnyCleaner, AnyScorer, take_cleaner, take_scorer
from thresher.cleaners.scorer import (
    BLOCK,
    KEEP_HIGH,
    KEEP_LOW,
    SENTENCE,
    PageScorer,
    Parameter,
    Scorer,
    TrainingData,
)
from thresher.collections import open_collection
from thresher.collections.file_collection import Files
from thresher.collections.interface import unique
from thresher.collections.isolated import documents_apart
from thresher.collections.json_lines import JsonLines
from thresher.collections.parquet_rows import ParquetRows
from thresher.collections.sources import Page
from thresher.evaluation.comparing import ComparedRuns, Topics, compare_runs, evaluate, take_topics
from thresher.pages import Detail, PageOptions, Segments, read_text_page
from thresher.scores.cleaning import CleanCounts, Extras, Output, clean_pages
from thresher.scores.cleaning import clean_collection as clean_whole
from thresher.scores.cleaning.cleaned_html import markdown_of
from thresher.scores.cleaning.page_streams import html_of, page_of
from thresher.scores.cutting import clean_page
from thresher.scores.limits import Limits
from thresher.scores.percentiles import resolved_without_collection
from thresher.scores.scoring import score_page
from thresher.scores.store import SCORED, PageScores

if TYPE_CHECKING:
    from thresher.experiments.adviser import Advice
    from thresher.experiments.applying import IndexedPages
    from thresher.experiments.choosing.choices import Choice
    from thresher.experiments.choosing.shared import SharedChoice
    from thresher.experiments.config import Experiment
    from thresher.experiments.explaining.explanations import Explanation
    from thresher.experiments.memory import Source
    from thresher.experiments.results import Results
    from thresher.indexes.indexing import IndexOptions, IndexReport
    from thresher.indexes.pruning.treatments import Treatment

__all__ = [
    "BLOCK",
    "KEEP_HIGH",
    "KEEP_LOW",
    "SENTENCE",
    "CleanCounts",
    "Cleaner",
    "ComparedRuns",
    "Detail",
    "Extras",
    "Output",
    "PageScorer",
    "Parameter",
    "Scorer",
    "Segments",
    "TrainingData",
    "advise",
    "choose",
    "clean_collection",
    "clean_html",
    "clean_pages",
    "clean_text",
    "compare_runs",
    "evaluate",
    "explain",
    "explore",
    "index_collection",
    "index_json_lines",
    "load_experiment",
    "read_results",
    "run",
    "score_html",
    "score_text",
    "scorer",
    "search",
]
"""The public names of `thresher`."""

LOADERS.append(partial(import_module, "thresher.reports.notebook_views"))

Several: TypeAlias = "list[Any] | tuple[Any, ...]"


def score_html(html: str | bytes, scorers: Sequence[AnyScorer] | AnyScorer, **pages: str) -> PageScores:
    """Parse a page and score its blocks or sentences.

    Args:
        html: the page; bytes are decoded as a browser would.
        scorers: names such as `words` or `perplexity(lm=books)`, or functions that return for each block of a page's
            `Segments` a number.
        pages: how pages become blocks, by the keys of [pages] in an experiment file: `blocks="split"`, `language="de"`.

    Returns:
        the page's segments, and by each scorer's canonical name one float32 for each block or sentence.

    Raises:
        ConfigError: if a name does not parse.
    """
    return score_page(page_of(html), _parsed(scorers), PageOptions(**pages), with_kinds=True)


def clean_html(
    html: str | bytes | Page,
    cleaner: AnyCleaner = DEFAULT_CLEANER,
    *,
    as_html: bool = False,
    markdown: bool = False,
    url: str | None = None,
    **pages: str,
) -> str:
    """Return the text that a cleaner leaves of a page, one block per line.

    Args:
        html: the page; bytes are decoded as a browser would.
        cleaner: a canonical name, or a function that returns for each block of a page's `Segments` whether it stays:
            `lambda page: [len(block.split()) > 9 for block in page.blocks]`.
        as_html: return the page itself instead, without the text that the cleaner drops.
        markdown: return that page as Markdown, which needs the extra `markdown`.
        url: of the page, which makes links in Markdown absolute.
        pages: as in `score_html`.

    Raises:
        ConfigError: if the name does not parse, or has a percentile of a collection, which one page is not.
        InputError: if the page cannot be parsed.
    """
    parsed = resolved_without_collection(take_cleaner(cleaner))
    if as_html or markdown:
        parsed.check_own_text()
    options = PageOptions(**pages)
    page = page_of(html)
    scored = score_page(page, parsed.scorers, options, with_html=as_html or markdown)
    if scored.segments is None:
        raise InputError(
            f"the page is no text to clean: {scored.reason}", "give HTML that is not packed, nor that long"
        )
    cleaned = clean_page(scored, parsed)
    if not as_html and not markdown:
        return cleaned.text
    tree = html_of(scored, cleaned, options)
    return markdown_of(tree, url or page.url) if markdown else tree


def score_text(text: str, scorers: Sequence[AnyScorer] | AnyScorer, **pages: str) -> PageScores:
    """Score the blocks or sentences of a plain text, where `<` is no markup; see `clean_text` and `score_html`."""
    return _scored_text(text, _parsed(scorers), PageOptions(**pages))


def clean_text(text: str, cleaner: AnyCleaner = DEFAULT_CLEANER, **pages: str) -> str:
    """Return the part of a plain text that a cleaner keeps, as `thresher clean` does with text pages.

    Its blocks end at blank lines; in a text without any each line is one. A line that begins with `# ` or `<h>` is a heading.

    Raises:
        ConfigError: if the name does not parse, or has a percentile of a collection, which one text is not.
    """
    parsed = resolved_without_collection(take_cleaner(cleaner))
    return clean_page(_scored_text(text, parsed.scorers, PageOptions(**pages)), parsed).text


def scorer(name: str) -> Scorer:
    """Return the scorer of a name such as `content` or `perplexity(lm=books)`; scorers that build on another scorer
    call it.

    Raises:
        ConfigError: if the name does not parse.
    """
    return parse_scorer(name).scorer


def _parsed(scorers: Sequence[AnyScorer] | AnyScorer) -> list[Scorer]:
    if isinstance(scorers, Sequence) and not isinstance(scorers, str):
        return [take_scorer(scorer) for scorer in scorers]
    return [take_scorer(scorers)]


def _scored_text(text: str, scorers: Sequence[Scorer], options: PageOptions) -> PageScores:
    segments = read_text_page(text, options, by_blank_lines=True)
    scores = {scorer.canonical_name: scorer.score(segments) for scorer in scorers}
    return PageScores("", SCORED, segments=segments, scores=scores)


def clean_collection(
    source: str | Path,
    cleaner: AnyCleaner,
    output: str | Path,
    *,
    how: Output | None = None,
    extras: Extras | None = None,
    workers: int = 0,
    **keys: Any,
) -> CleanCounts:
    """Clean a collection into a file; see `thresher.scores.cleaning.clean_collection`.

    `workers` are processes, 0 for one per core; `keys` are of [collection] and [pages] in an experiment file:
    `text_field="text"`, `page_seconds=10`, `language="de"`.
    """
    from thresher.experiments.schema import PAGES_KEYS, CollectionTable, read_options

    options = PageOptions(**{key: keys.pop(key) for key in PAGES_KEYS if key in keys})
    table = CollectionTable(str(source), **keys)
    return clean_whole(
        source,
        cleaner,
        output,
        format=table.format,
        how=how or Output(),
        reading=read_options(table, address=True),
        options=options,
        limits=Limits(table.page_seconds, table.max_page_mib),
        backend=Backend(workers=workers) if workers else None,
        extras=extras or Extras(),
    )


def index_collection(
    source: str | Path,
    treatment: str | Treatment,
    output: str | Path,
    *,
    index: IndexOptions | None = None,
    original_statistics: bool = True,
    workers: int = 0,
    **keys: Any,
) -> IndexedPages:
    """Index the pages of a collection, cleaned, weighted and pruned, as `thresher index --treatment` does.

    Args:
        source: the collection; `-` is standard input.
        treatment: such as `content@0.3|weights|dcp@0.5`.
        output: the folder of the index, which is replaced if it holds one.
        index: contents of the index.
        original_statistics: whether a pruned index is ranked with the statistics of the unpruned one.
        workers: processes, 0 for one per core.
        keys: of [collection] and [pages] in an experiment file, as in `clean_collection`.

    Raises:
        ConfigError: if the treatment does not parse, the index cannot hold it, or `output` is in the collection.
        InputError: if there are no pages, or all failed.
        StateError: if `output` is a folder with other things in it than an index.
    """
    from thresher.experiments.applying import IndexContent, PagesToIndex, index_pages
    from thresher.experiments.schema import PAGES_KEYS, CollectionTable
    from thresher.indexes.indexing import IndexOptions
    from thresher.indexes.pruning.treatments import parse_treatment

    options = PageOptions(**{key: keys.pop(key) for key in PAGES_KEYS if key in keys})
    pages = PagesToIndex.of(CollectionTable(str(source), **keys), options)
    parsed = parse_treatment(treatment) if isinstance(treatment, str) else treatment
    content = IndexContent(index or IndexOptions(), original_statistics)
    return index_pages(pages, parsed, Path(output), content, Backend(workers=workers))


def load_experiment(experiment: Source, results: str | Path = "results", fresh: bool = False) -> Experiment:
    """Return a checked experiment for `run`, `explore` and `choose`, which take the `experiment` argument in each of
    its forms.

    Args:
        experiment: its file, or its tables by name. A value that is not a table is the table's first key: `{"experiment":
            "mine", "collection": pages, "topics": topics, "qrels": qrels, "cleaners": ["words@5"]}`. Pages are HTML by id,
            `Page`s, or a data frame with `doc_id` and `html` or `text`; topics and qrels as `search` and `evaluate` take
            them, and so for other tables. Paths are relative to the working directory.
        results: the folder whose `NAME/inputs/` gets data in memory as files, and an experiment file that names them.
        fresh: whether pages in memory may replace others that were scored.

    Raises:
        ConfigErrors, InputError: if tables, or pages, topics or qrels are wrong.
        StateError: if other pages were scored.
    """
    from thresher.experiments.memory import take_experiment

    return take_experiment(experiment, Path(results), fresh)


def run(  # noqa: PLR0913, keywords of the public API
    experiment: Source,
    results: str | Path = "results",
    indexes: str | Path = "indexes",
    *,
    fresh: bool = False,
    chosen: bool = False,
    seconds: float | None = None,
    workers: int | None = None,
) -> Results:
    """Run an experiment, as `load_experiment` takes it, and return its results.

    See `thresher.experiments.runner.run_experiment`. `seconds` are of timing, 0 for none, and `workers` processes, both
    instead of the experiment's.
    """
    from thresher.experiments.runner import run_experiment
    from thresher.reports.files import write_reports

    loaded = _with_workers(load_experiment(experiment, results, fresh), workers)
    if seconds is not None:
        loaded = replace(loaded, measure_seconds=seconds)
    outcome = run_experiment(loaded, Path(results), Path(indexes), fresh, chosen=chosen)
    write_reports(outcome, Path(results) / loaded.name)
    return outcome


def explore(
    experiment: Source, results: str | Path = "results", *, fresh: bool = False, workers: int | None = None
) -> Results:
    """Explore every cutoff of an experiment's scorers; see `run` and `thresher.experiments.explorer.explore_experiment`."""
    from thresher.experiments.explorer import explore_experiment
    from thresher.reports.files import write_reports

    loaded = _with_workers(load_experiment(experiment, results, fresh), workers)
    outcome = explore_experiment(loaded, Path(results), fresh)
    write_reports(outcome, Path(results) / loaded.name)
    return outcome


def _with_workers(experiment: Experiment, workers: int | None) -> Experiment:
    if workers is None:
        return experiment
    return replace(experiment, backend=replace(experiment.backend, workers=workers))


@overload
def advise(pages: str | Path, queries: None = ..., **reading: Any) -> Advice: ...
@overload
def advise(pages: str | Path, queries: str | Path, *, output: str | Path = ..., **reading: Any) -> Choice: ...
def advise(
    pages: str | Path,
    queries: str | Path | None = None,
    *,
    sample: int = 20_000,
    output: str | Path = "advice",
    **reading: Any,
) -> Advice | Choice:
    """Advise which index to begin with for pages without judgments; with queries, choose one as `choose` does.

    Args:
        pages: the collection.
        queries: a file with a query, a tab and the id or URL of its page on each line.
        sample: the most pages that are looked at without queries.
        output: with queries, the folder for topics, experiment file and results.
        reading: keys of [collection], such as `prefix="pages"`.

    Raises:
        InputError: if no page can be read, or too few queries have a page of the collection.
    """
    from thresher.experiments.adviser import EXPERIMENT, advise_on, choose_by_queries
    from thresher.experiments.results import read_results as read_result_file
    from thresher.experiments.schema import CollectionTable
    from thresher.reports.files import write_reports

    table = CollectionTable(str(pages), **reading)
    if queries is None:
        return advise_on(table, sample)
    choice = choose_by_queries(table, Path(queries), Path(output))
    folder = Path(output) / EXPERIMENT
    write_reports(read_result_file(folder), folder)
    return choice


@overload
def choose(experiment: Source, results: str | Path = ..., **criteria: Any) -> Choice: ...
@overload
def choose(experiment: Several, results: str | Path = ..., **criteria: Any) -> SharedChoice: ...
def choose(experiment: Source | Several, results: str | Path = "results", **criteria: Any) -> Choice | SharedChoice:
    """Choose an index for an experiment, or one setting for several; see `thresher.experiments.chooser`.

    `criteria` are the options of `thresher choose`: measure, queries, margin="2%", alpha, emptied, families, deciding.
    """
    from thresher.experiments.chooser import ChooseOptions, choose_experiment, choose_for_all
    from thresher.experiments.results import read_results as read_result_file
    from thresher.reports.files import write_reports

    if isinstance(experiment, list | tuple):
        several = [load_experiment(each, results) for each in experiment]
        return choose_for_all(several, Path(results), ChooseOptions(**criteria))
    loaded = load_experiment(experiment, results)
    choice = choose_experiment(loaded, Path(results), ChooseOptions(**criteria))
    folder = Path(results) / loaded.name
    write_reports(read_result_file(folder), folder)
    return choice


def explain(  # noqa: PLR0913, keywords of the public API
    results: str | Path,
    topic: str | None = None,
    variant: str | None = None,
    document: str | None = None,
    retrieval: str | None = None,
    experiment: str | Path | None = None,
    indexes: str | Path = "indexes",
) -> Explanation:
    """Explain why a topic of finished results won or lost, or all topics; see `thresher.experiments.explainer`.

    Args:
        results: the folder of a finished run.
        topic: None for all of them together.
        variant: None for the recommended one, or else that with the largest change of the main measure.
        document: of the topic; None for all judged documents that rose or fell.
        retrieval: the retrieval model; None for the first.
        experiment: the experiment file; None to look for it where it was when it was run.
        indexes: the folder of indexes; by default also the folder beside the results.
    """
    from thresher.experiments.explainer import ExplainOptions, experiment_of, explain_experiment

    folder = Path(results)
    file = None if experiment is None else Path(experiment)
    options = ExplainOptions(topic, variant, document, retrieval)
    return explain_experiment(experiment_of(folder, file), folder, Path(indexes), options)


def read_results(results: str | Path) -> Results:
    """Return the results in a folder, `results/NAME`.

    Raises:
        InputError: if the folder has no results, or they are damaged or of another version.
    """
    from thresher.experiments.results import read_results as read_result_file

    return read_result_file(Path(results))


def search(
    index: str | Path, topics: Topics, model: str = RETRIEVAL_MODEL, depth: int = DEPTH
) -> dict[str, dict[str, float]]:
    """Search an index that `index_json_lines` or an experiment made.

    Args:
        index: its folder.
        topics: a file, or queries by topic.
        model: of retrieval, such as `bm25(b=0.3)`.
        depth: the most hits of a topic.

    Returns:
        score by document by topic, best first: a run that `evaluate` and `compare_runs` take.
    """
    from thresher.indexes.analysis import parse_retrieval
    from thresher.indexes.searching import Searcher

    with Searcher(Path(index), parse_retrieval(model), depth) as searcher:
        result = searcher.search_topics(take_topics(topics))
    return {topic: dict(hits) for topic, hits in result.hits.items()}


def index_json_lines(
    source: str | Path, output: str | Path, prune: str | None = None, original_statistics: bool = True, **index: Any
) -> IndexReport:
    """Index the documents of a JSON lines or Parquet file with `id` and `contents` into the folder `output`.

    Args:
        source: the file.
        output: the folder, which is replaced if it holds an index.
        prune: a pruning method with its cutoff, such as `dcp@0.41`; None to keep all postings.
        original_statistics: whether a pruned index is ranked with the statistics of the unpruned one.
        index: contents of the index, by the keys of [index] in an experiment file: `positions=True`, `stemmer="none"`.

    Raises:
        ConfigError: if the pruning method does not parse, or a pruned index cannot hold the positions, texts or
            vectors.
        InputError: if the file is missing, broken, holds pages instead of text, or an id is unfit or not unique.
        StateError: if `output` is a folder with other files than an index; the folder stays as it is.
    """
    from thresher.indexes.indexing import IndexOptions, build_index, is_other_folder

    source, output, options = Path(source), Path(output), IndexOptions(**index)
    collection = open_collection(source)
    if not isinstance(collection, Files) or collection.format not in (JsonLines.name, ParquetRows.name):
        what = "this is not a file of JSON lines or Parquet"
        raise InputError(what, "clean the collection first: `thresher clean`", str(source))
    if is_other_folder(output):
        raise StateError("the folder holds other files than an index", "choose a new folder", str(output))
    if prune is None:
        return build_index(_texts(collection), output, options)
    # The pruning methods are imported only if the index is to be pruned.
    from thresher.experiments.applying import prune_texts

    return prune_texts(collection, prune, output, options, original_statistics)


def _texts(collection: Files) -> Iterator[tuple[str, str]]:
    for source in unique(documents_apart(collection)):
        if not source.is_text:
            raise InputError("it holds a page, not text", "clean the collection first: `thresher clean`", source.where)
        yield source.id, (source.content or b"").decode("utf-8")

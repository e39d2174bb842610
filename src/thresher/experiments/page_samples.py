"""A sample of pages with their scores, cleaners and ranks, which `thresher play` shows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from thresher.base.errors import ConfigError, InputError, StateError, ThresherError
from thresher.base.isolation import call_silently, run_isolated
from thresher.base.progress import progress
from thresher.base.tables import Table
from thresher.cleaners.cleaner import Cleaner, parse_cleaner, parse_scorer
from thresher.cleaners.registry import scorers
from thresher.cleaners.scorer import Scorer, Scores
from thresher.collections import Collection, Source
from thresher.collections.isolated import documents_apart
from thresher.collections.sources import too_large
from thresher.evaluation.trec_files import read_run
from thresher.experiments.chooser import last_choice
from thresher.experiments.explainer import experiment_of
from thresher.experiments.explaining.rank_changes import by_rank
from thresher.experiments.inputs import Folders
from thresher.experiments.results import Results, read_results
from thresher.indexes.analysis import parse_retrieval
from thresher.indexes.pruning.treatments import parse_treatment
from thresher.pages import PageOptions, Segments, shown_page
from thresher.pages.headlines import find_headline
from thresher.pages.parsing import TITLE_LEVEL
from thresher.scores.limits import DEFAULT_LIMITS, Limits, alarm, exit_reason
from thresher.scores.percentiles import resolve_all, resolved
from thresher.scores.scoring import score_page
from thresher.scores.store import FAILED, PageScores, read_shard, written_shards

DEFAULT_PAGES = 30
START_CLEANERS = ("content@0.5", "words@11")
"""The cleaners that a page of a collection begins with."""
_SCORE_PREFIX = "score:"
# A systematic sample holds up to this many candidates for each item that it returns.
_CANDIDATES = 4
Item = TypeVar("Item")


@dataclass(frozen=True)
class ScoredPage:
    """A page's text with its scores.

    Attributes:
        id: the document's id.
        text: the blocks, joined by line feeds.
        sentence_ends: the offset in the text where each sentence ends; shape (sentences,).
        block_of_sentence: the block of each sentence, from 0; shape (sentences,).
        words: the number of words of each sentence; shape (sentences,).
        levels: the level of each block: 0 for text, 1 to 6 for a heading, 7 for the title; shape (blocks,).
        scores: the scores by scorer; shape (sentences,) or (blocks,), by the scorer's segment.
        original: the page as HTML that runs, loads and links nothing; empty if it is not at hand.
        original_problem: why there is no `original`.
        ranks: the page's rank from 1 in runs that have the page, by topic and variant.
    """

    id: str
    text: str
    sentence_ends: npt.NDArray[Any]
    block_of_sentence: npt.NDArray[Any]
    words: npt.NDArray[Any]
    levels: npt.NDArray[Any]
    scores: Mapping[str, npt.NDArray[Any]]
    original: str = ""
    original_problem: str = ""
    ranks: Mapping[str, Mapping[str, int]] = field(default_factory=dict)

    @property
    def blocks(self) -> list[str]:
        """The texts of the blocks."""
        if not self.text:
            return []
        return self.text.split("\n")

    @property
    def title(self) -> str:
        """The page's title, empty without one."""
        for block, level in zip(self.blocks, self.levels.tolist(), strict=True):
            if level == TITLE_LEVEL:
                return block
        return ""

    @property
    def headline(self) -> int | None:
        """The block that is the page's headline, if any."""
        return find_headline(self.blocks, self.levels.tolist())

    @property
    def sentences(self) -> list[str]:
        """The sentences, with the spaces and line feeds between them: joined, they are the text."""
        sentences: list[str] = []
        begin = 0
        for end in self.sentence_ends.tolist():
            sentences.append(self.text[begin:end])
            begin = end
        return sentences


@dataclass(frozen=True)
class FailedPage:
    """A page of the sample that cannot be shown, with the reason."""

    id: str
    reason: str


class Sides(NamedTuple):
    """The two cleaners that are compared, side by side."""

    first: Cleaner
    second: Cleaner


@dataclass(frozen=True)
class PageSample:
    """Sampled pages of a collection or of an experiment's results.

    Attributes:
        source: the collection, or the folder of results.
        pages: the pages that were scored.
        failed: the other pages of the sample.
        scorers: all scorers with scores of the pages.
        sides: the two cleaners to begin with.
        variants: the cleaners of an experiment's variants without pruning, by name, with percentiles resolved.
        queries: the queries of the experiment, by topic.
    """

    source: str
    pages: tuple[ScoredPage, ...]
    failed: tuple[FailedPage, ...]
    scorers: tuple[Scorer, ...]
    sides: Sides
    variants: Mapping[str, Cleaner] = field(default_factory=dict)
    queries: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class SampleOptions:
    """How pages are sampled and scored.

    Attributes:
        ids: the pages to show; if empty, `count` pages, evenly spread over the collection's order.
        count: the number of pages.
        scorers: names of further scorers; scorers without a model are always there.
        pages: how a collection's pages become blocks; an experiment has its own options.
        limits: limits of time and size for each page.
    """

    ids: tuple[str, ...] = ()
    count: int = DEFAULT_PAGES
    scorers: tuple[str, ...] = ()
    pages: PageOptions = field(default_factory=PageOptions)
    limits: Limits = DEFAULT_LIMITS


def sample_collection(collection: Collection, options: SampleOptions) -> PageSample:
    """Sample and score pages of a collection.

    Raises:
        InputError: if the collection is empty, has no page of a given id, or no page of the sample can be read.
    """
    shown = model_free_scorers(options.scorers)
    sources = progress(documents_apart(collection), "sampling", None, "pages")
    if options.ids:
        sampled = list(find_sources(sources, options.ids).values())
    else:
        sampled = every_kth(sources, options.count)
    if not sampled:
        raise InputError("the collection is empty", "check the path", str(collection.path))
    pages = _by_outcome(score_sources(sampled, shown, options.pages, options.limits))
    sides = Sides(*map(parse_cleaner, START_CLEANERS))
    sample = PageSample(str(collection.path), tuple(pages.scored), tuple(pages.failed), shown, sides)
    _check_any(sample)
    return sample


class _Outcomes(NamedTuple):
    """Pages by outcome, each list in the order of the sample."""

    scored: list[ScoredPage]
    failed: list[FailedPage]


def _by_outcome(pages: Sequence[ScoredPage | FailedPage]) -> _Outcomes:
    scored = [page for page in pages if isinstance(page, ScoredPage)]
    failed = [page for page in pages if isinstance(page, FailedPage)]
    return _Outcomes(scored, failed)


def sample_results(folder: Path, options: SampleOptions) -> PageSample:
    """Sample pages of a finished experiment, with its stored scores, and with the ranks by its first retrieval model.

    A page that the experiment's collection still has unchanged also gets the scores of the other scorers.

    Raises:
        StateError: if the scores are missing.
        InputError: if there is no page of a given id.
    """
    results = read_results(folder)
    paths = written_shards(folder / "scores")
    if not paths:
        fix = "run the experiment again: `thresher run`"
        raise StateError("the stored scores are missing", fix, str(folder / "scores"))
    ids = _stored_ids(paths)
    stored = _by_outcome(_stored_pages(paths, _sampled_ids(ids, options)))
    stored_scorers = _stored_scorers(paths[0])
    stored_names = {scorer.canonical_name for scorer in stored_scorers}
    further: list[Scorer] = []
    for scorer in model_free_scorers(options.scorers):
        if scorer.canonical_name not in stored_names:
            further.append(scorer)
    pages = _with_originals(stored.scored, folder, further, options.limits)
    variants = _plain_variants(results, folder)
    sample = PageSample(
        source=str(folder),
        pages=tuple(_with_ranks(pages, results, folder)),
        failed=tuple(stored.failed),
        scorers=tuple(stored_scorers + further),
        sides=_sides(results, folder, variants),
        variants=variants,
        queries=dict(results.facts.topics),
    )
    _check_any(sample)
    return sample


def model_free_scorers(names: Iterable[str] = ()) -> tuple[Scorer, ...]:
    """Return each scorer that needs no collection and no other package, with default parameters, and the scorers of `names`.

    Their models are loaded once, so that an error of a model is raised here.

    Raises:
        ConfigError: if a named scorer needs a whole collection.
    """
    chosen: dict[str, Scorer] = {}
    for kind in scorers().values():
        scorer = kind()
        if not scorer.needs_collection and not scorer.required_texts:
            chosen[scorer.canonical_name] = scorer
    for name in names:
        scorer = parse_scorer(name).checked().scorer
        if scorer.needs_collection:
            fix = "leave it out, or give `thresher play` the results of an experiment with this scorer"
            raise ConfigError("the scorer needs a whole collection, not a sample of it", fix, name)
        chosen[scorer.canonical_name] = scorer
    for scorer in chosen.values():
        scorer.prepare()
    return tuple(chosen.values())


def every_kth(items: Iterable[Item], count: int) -> list[Item]:
    """Return at most `count` items, evenly spread: a systematic sample of a stream of any length.

    Memory holds at most 4 × `count` items. The same stream gives the same sample.

    >>> every_kth(range(1000), 5), every_kth(range(3), 5)
    ([0, 192, 384, 576, 768], [0, 1, 2])
    """
    candidates: list[Item] = []
    step = 1
    for number, item in enumerate(items):
        if number % step:
            continue
        if len(candidates) == _CANDIDATES * count:
            candidates = candidates[::2]
            step *= 2
            if number % step:
                continue
        candidates.append(item)
    if len(candidates) <= count:
        return candidates
    return [candidates[place * len(candidates) // count] for place in range(count)]


def find_sources(sources: Iterable[Source], ids: Sequence[str]) -> dict[str, Source]:
    """Return the first document of each id, in the order of `ids`; read no further than necessary.

    Raises:
        InputError: if there is no document of an id.
    """
    distinct_ids = set(ids)
    documents: dict[str, Source] = {}
    for source in sources:
        if source.id in distinct_ids:
            documents.setdefault(source.id, source)
        if len(documents) == len(distinct_ids):
            break
    for document_id in ids:
        if document_id not in documents:
            raise _no_page(document_id)
    return {document_id: documents[document_id] for document_id in ids}


def score_sources(
    sources: Sequence[Source], scorers: Sequence[Scorer], options: PageOptions, limits: Limits
) -> list[ScoredPage | FailedPage]:
    """Read and score documents in a separate process: a page that ends the process, or exceeds its time, has failed."""

    def retry(task: _Task, code: int | None) -> _Task:
        return replace(task, problem=exit_reason(code, limits))

    function = partial(call_silently, function=partial(_score, scorers=scorers, options=options, limits=limits))
    tasks = [_Task(source, source.problem or "") for source in sources]
    pages = run_isolated(1, function, tasks, retry)
    return list(progress(pages, "scoring", len(tasks), "pages"))


@dataclass(frozen=True)
class _Task:
    """A document to score, or the problem with it."""

    source: Source
    problem: str


def _score(task: _Task, scorers: Sequence[Scorer], options: PageOptions, limits: Limits) -> ScoredPage | FailedPage:
    """Return a page with its scores, or the reason why there are none."""
    source = task.source
    name = source.id or source.where
    if task.problem:
        return FailedPage(name, task.problem)
    most_bytes = int(limits.mib * 2**20)
    if source.size > most_bytes:
        return FailedPage(name, too_large(source.size, most_bytes))
    try:
        with alarm(limits.seconds):
            page = source.page()
            scored = score_page(page, scorers, options)
            if scored.segments is None:
                return FailedPage(name, scored.reason)
            return scored_page(scored, scored.segments, shown_page(page, options))
    except ThresherError as error:
        return FailedPage(name, error.what)
    except OSError as error:
        return FailedPage(name, f"cannot be read: {error.strerror}")
    except Exception as error:  # A page may make a parser or a scorer fail with any error.
        return FailedPage(name, f"cannot be read: {type(error).__name__}: {error}")


def scored_page(scored: PageScores, segments: Segments, original: str = "") -> ScoredPage:
    """Return a page that was scored, with its segments."""
    return ScoredPage(
        id=scored.id,
        text=segments.text,
        sentence_ends=segments.sentence_ends,
        block_of_sentence=segments.block_of_sentence,
        words=segments.words_in_sentences,
        levels=segments.levels,
        scores=scored.scores,
        original=original,
    )


def _check_any(sample: PageSample) -> None:
    """Check that a sample has a page to show."""
    if sample.pages:
        return
    first = sample.failed[0]
    what = f"none of the {len(sample.failed)} sampled pages can be shown; the first is {first.id}: {first.reason}"
    raise InputError(what, "name other pages by their ids", sample.source)


def _no_page(document_id: str) -> InputError:
    return InputError("there is no page of this id", "name a page of the collection", document_id)


def _stored_ids(paths: Sequence[Path]) -> list[str]:
    """Return the different ids of all pages, in the collection's order."""
    ids: dict[str, None] = {}
    for path in paths:
        ids.update(dict.fromkeys(read_shard(path, ["id"]).texts("id").tolist()))
    return list(ids)


def _sampled_ids(ids: Sequence[str], options: SampleOptions) -> list[str]:
    if not options.ids:
        return every_kth(ids, options.count)
    ids_of_collection = set(ids)
    for document_id in options.ids:
        if document_id not in ids_of_collection:
            raise _no_page(document_id)
    return list(dict.fromkeys(options.ids))


def _stored_scorers(path: Path) -> list[Scorer]:
    stored: list[Scorer] = []
    for name in read_shard(path).columns:
        if name.startswith(_SCORE_PREFIX):
            stored.append(parse_scorer(name.removeprefix(_SCORE_PREFIX)).scorer)
    return stored


def _stored_pages(paths: Sequence[Path], ids: Sequence[str]) -> list[ScoredPage | FailedPage]:
    """Return pages as they were scored, in the order of `ids`."""
    distinct_ids = set(ids)
    pages: dict[str, ScoredPage | FailedPage] = {}
    for path in paths:
        ids_of_shard = read_shard(path, ["id"]).texts("id").tolist()
        if distinct_ids.isdisjoint(ids_of_shard):
            continue
        table = read_shard(path)
        for row, document_id in enumerate(ids_of_shard):
            # Among pages with equal ids, the first counts.
            if document_id in distinct_ids and document_id not in pages:
                pages[document_id] = _stored_page(table, row)
    return [pages[document_id] for document_id in ids]


def _stored_page(table: Table, row: int) -> ScoredPage | FailedPage:
    document_id = table.texts("id")[row]
    if table.texts("status")[row] == FAILED:
        return FailedPage(document_id, table.texts("reason")[row] or "the page failed")
    scores: dict[str, Scores] = {}
    for name in table.columns:
        if name.startswith(_SCORE_PREFIX):
            scores[name.removeprefix(_SCORE_PREFIX)] = table.lists(name)[row]
    sentence_ends = table.lists("sentence_ends")[row]
    return ScoredPage(
        id=document_id,
        text=table.texts("text")[row],
        sentence_ends=sentence_ends,
        block_of_sentence=np.searchsorted(table.lists("block_ends")[row], sentence_ends),
        words=table.lists("words")[row],
        levels=table.lists("levels")[row],
        scores=scores,
    )


def _with_originals(
    pages: Sequence[ScoredPage], folder: Path, further: Sequence[Scorer], limits: Limits
) -> list[ScoredPage]:
    """Return stored pages with their HTML and the scores of further scorers, if the collection still has the pages."""
    try:
        experiment = experiment_of(folder)
        documents = progress(documents_apart(experiment.collection.open()), "finding", None, "pages")
        sources = list(find_sources(documents, [page.id for page in pages]).values())
    except ThresherError as error:
        return [replace(page, original_problem=error.what) for page in pages]
    read_again = score_sources(sources, further, experiment.pages, limits)
    return list(map(_with_original, pages, read_again))


def _with_original(stored: ScoredPage, read: ScoredPage | FailedPage) -> ScoredPage:
    if isinstance(read, FailedPage):
        return replace(stored, original_problem=read.reason)
    if read.text != stored.text:
        return replace(stored, original_problem="the page has changed since it was scored")
    return replace(stored, original=read.original, scores={**read.scores, **stored.scores})


def _plain_variants(results: Results, folder: Path) -> dict[str, Cleaner]:
    """Return the cleaner of each variant that was built without a pruning method, percentiles resolved."""
    cleaners: dict[str, Cleaner] = {}
    for row in results.only_built().tables[0].rows:
        if row.variant.pruning is None:
            cleaners[row.name] = row.variant.cleaner
    numbers = resolve_all(folder / "scores", list(cleaners.values()))
    return dict(zip(cleaners, numbers, strict=True))


def _sides(results: Results, folder: Path, variants: Mapping[str, Cleaner]) -> Sides:
    """Return all text and the recommended cleaner, or else the first and the last variant that cleans."""
    choice = last_choice(folder, results.facts.key)
    recommended = choice.models[0].first if choice else None
    if recommended is not None:
        cleaner = resolved(folder / "scores", parse_treatment(recommended.variant).cleaner)
        if cleaner.cuts:
            return Sides(Cleaner(), cleaner)
    cleaning = [cleaner for cleaner in variants.values() if cleaner.cuts]
    if cleaning:
        return Sides(cleaning[0], cleaning[-1])
    return Sides(*map(parse_cleaner, START_CLEANERS))


def _with_ranks(pages: Sequence[ScoredPage], results: Results, folder: Path) -> list[ScoredPage]:
    """Return pages with their ranks in the runs of the first retrieval model, for built variants without pruning."""
    built = results.only_built().tables[0]
    model = parse_retrieval(built.retrieval)
    # By page, topic and variant.
    ranks: dict[str, dict[str, dict[str, int]]] = {page.id: {} for page in pages}
    unpruned = [row.variant for row in built.rows if row.built and row.variant.pruning is None]
    for variant in progress(unpruned, "ranks", len(unpruned), "runs"):
        path = Folders(folder, folder).run(variant, model, len(results.tables) == 1, held_out=False)
        for topic, scores in read_run(path).items():
            retrieved = ranks.keys() & scores.keys()
            if not retrieved:
                continue
            order = by_rank(scores)
            for document_id in retrieved:
                ranks[document_id].setdefault(topic, {})[variant.name] = order.index(document_id) + 1
    return [replace(page, ranks=ranks[page.id]) for page in pages]

"""The pages that one can pick in `thresher play`: of a collection, or of an experiment's results with their ranks."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from contextvars import ContextVar
from functools import cached_property, lru_cache, partial
from html import unescape
from itertools import islice
from pathlib import Path
from threading import Event, Lock, Semaphore
from typing import Any, Protocol, TypeVar

from thresher.base.errors import InputError, ResourceError, StateError, ThresherError
from thresher.cleaners.cleaner import Cleaner, parse_scorer
from thresher.cleaners.scorer import Scorer
from thresher.collections import Collection, Page, Source, open_collection
from thresher.collections.isolated import documents_apart
from thresher.collections.sources import too_large
from thresher.evaluation import read_run
from thresher.experiments.chooser import last_choice
from thresher.experiments.explainer import experiment_of
from thresher.experiments.explaining.rank_changes import by_rank
from thresher.experiments.inputs import Folders
from thresher.experiments.results import RESULTS_FILE, read_results
from thresher.indexes.analysis import RetrievalModel, parse_retrieval
from thresher.indexes.pruning.treatments import parse_treatment
from thresher.pages import PageOptions
from thresher.pages.decoding import decode
from thresher.pages.parsing import TITLE_LEVEL
from thresher.reports.playing.page_views import View, cuts_view, page_view, stored_view
from thresher.scores.cutting import clean_page
from thresher.scores.parts import DEFAULT_LIMITS, Limits
from thresher.scores.percentiles import resolve_all, resolved
from thresher.scores.store import read_shard, score_page, shards
from thresher.scores.workers import Worker, WorkerDied, alarm, exit_reason

_TITLE = re.compile(rb"<title[^>]*>([^<]*)", re.IGNORECASE)
_LARGE = 2**20
LISTED = 500
"""Pages in the list that a browser gets at once."""
MOST_PAGES = 10_000
MOST_BYTES = 256 * 2**20
"""The bytes of a collection's pages that are kept at hand."""


class Pages(Protocol):
    """Pages to pick from."""

    @property
    def ids(self) -> tuple[str, ...]:
        """Their ids in the collection's order."""

    def view(self, page_id: str) -> View:
        """Return a page with its scores; an `InputError` if there is no such page, or it cannot be read."""

    def page(self, page_id: str) -> tuple[Page, PageOptions | None, list[str] | None]:
        """Return a page itself, how it was read, and the blocks that were found, if these are known."""

    def title(self, page_id: str) -> str:
        """Return a page's title, empty without one."""


def found(pages: Pages | None, text: str) -> View:
    """Return the first `LISTED` pages whose ids hold `text`, whatever the case, with titles, and how many there are."""
    ids = [one for one in (pages.ids if pages else ()) if text.casefold() in one.casefold()]
    return {"pages": [(one, pages and pages.title(one)) for one in ids[:LISTED]], "count": len(ids)}


class CollectionPages:
    """The first pages of a collection, at most `MOST_PAGES`, and as many as `MOST_BYTES` hold."""

    def __init__(self, collection: Collection, score: Callable[[Page], View]) -> None:
        self._score = score
        self._sources: dict[str, Source] = {}
        size = 0
        for source in islice(documents_apart(collection, MOST_PAGES, MOST_BYTES), MOST_PAGES):
            size += len(source.content or b"")
            if size > MOST_BYTES:
                break
            self._sources.setdefault(source.id, source)
        if not self._sources:
            raise InputError("the collection is empty", "check the path", str(collection.path))

    @property
    def ids(self) -> tuple[str, ...]:
        """Their ids in the collection's order."""
        return tuple(self._sources)

    def view(self, page_id: str) -> View:
        """Return a page, read and scored now."""
        return self._score(self.page(page_id)[0])

    def page(self, page_id: str) -> tuple[Page, PageOptions | None, list[str] | None]:
        """Return a page itself."""
        source = self._sources.get(page_id)
        if source is None:
            raise no_page(page_id)
        if source.problem:
            raise InputError(source.problem, "pick another page", source.where)
        try:
            return source.page(), None, None
        except OSError as error:
            raise InputError(f"the page cannot be read: {error.strerror}", "pick another page", source.where) from error

    def title(self, page_id: str) -> str:
        """Return a page's title, as it stands in a page that is not large; empty without one."""
        source = self._sources[page_id]
        with suppress(OSError, ThresherError):
            content = source.page().content if source.size < _LARGE else b""
            if match := _TITLE.search(decode(content, source.charset).utf8):
                return " ".join(unescape(match[1].decode()).split())
        return ""


class ResultPages:
    """The pages of a finished experiment with the scores that it stored, its cleaners, topics and ranks.

    Ranks are those of the experiment's first retrieval model.
    """

    def __init__(self, folder: Path) -> None:
        self.results = read_results(folder)
        self._built = self.results.only_built().tables[0]
        self._folders = Folders(folder, folder)
        self._shards = shards(folder / "scores")
        if not self._shards:
            fix = "run the experiment again: `thresher run`"
            raise StateError("the stored scores are missing", fix, str(folder / "scores"))
        self._rows_by_id = {
            page_id: (path, row)
            for path in self._shards
            for row, page_id in enumerate(read_shard(path, ["id"]).texts("id").tolist())
        }
        self._model: RetrievalModel = parse_retrieval(self._built.retrieval)
        self._only_model = len(self.results.tables) == 1
        self._run = lru_cache(maxsize=16)(self._read_run)
        self._shard = lru_cache(maxsize=2)(read_shard)

    @cached_property
    def _experiment(self) -> tuple[CollectionPages, PageOptions]:
        experiment = experiment_of(self._folders.results)
        collection = open_collection(Path(str(experiment.collection)), experiment.reading, experiment.format)
        return CollectionPages(collection, lambda _: {}), experiment.pages

    @property
    def ids(self) -> tuple[str, ...]:
        """Their ids in the collection's order."""
        return tuple(self._rows_by_id)

    def view(self, page_id: str) -> View:
        """Return a page as it was scored."""
        if page_id not in self._rows_by_id:
            raise no_page(page_id)
        path, row = self._rows_by_id[page_id]
        return stored_view(self._shard(path), row)

    def page(self, page_id: str) -> tuple[Page, PageOptions | None, list[str] | None]:
        """Return a page itself, if the experiment's file and collection are where they were."""
        pages, options = self._experiment
        path, row = self._rows_by_id[page_id]
        return pages.page(page_id)[0], options, self._shard(path).texts("text")[row].split("\n")

    def title(self, page_id: str) -> str:
        """Return a page's title, empty without one."""
        path, row = self._rows_by_id[page_id]
        table = self._shard(path)
        levels = table.lists("levels")[row].tolist()
        return table.texts("text")[row].split("\n")[levels.index(TITLE_LEVEL)] if TITLE_LEVEL in levels else ""

    def scorers(self) -> tuple[Scorer, ...]:
        """Return the scorers of the stored scores."""
        names = read_shard(self._shards[0]).columns
        return tuple(parse_scorer(name.removeprefix("score:")).scorer for name in names if name.startswith("score:"))

    def cleaners(self) -> dict[str, list[View]]:
        """Return the cuts of each cleaner that was run without a pruning method, by name, percentiles resolved."""
        plain = {row.name: row.variant.cleaner for row in self._built.rows if row.variant.pruning is None}
        made = resolve_all(self._folders.scores, [*plain.values()])
        return {name: cuts_view(cleaner) for name, cleaner in zip(plain, made, strict=True)}

    def chosen(self) -> list[View]:
        """Return the cuts of the recommended index's cleaner; none if there is no recommendation, or it keeps all text."""
        choice = last_choice(self._folders.scores.parent, self.results.facts.key)
        pick = choice.models[0].recommended if choice else None
        if pick is None:
            return []
        return cuts_view(resolved(self._folders.scores, parse_treatment(pick.variant).cleaner))

    def topics(self, page_id: str) -> list[View]:
        """Return the topics with the page's rank in the baseline's run, best first, those that did not retrieve it last."""
        queries = self.results.facts.topics
        ranks = {topic: self.rank(page_id, topic, Cleaner().name) for topic in queries}
        order = sorted(queries, key=lambda topic: ranks[topic] or len(self._rows_by_id) + 1)
        return [{"id": topic, "query": queries[topic], "rank": ranks[topic]} for topic in order]

    def rank(self, page_id: str, topic: str, variant: str) -> int | None:
        """Return the page's rank for a topic in a variant's run, from 1; None if it was not retrieved."""
        ranking = self._run(variant).get(topic, ())
        return ranking.index(page_id) + 1 if page_id in ranking else None

    def _read_run(self, variant: str) -> Mapping[str, tuple[str, ...]]:
        if variant not in self._built.position:
            raise InputError(f"the variant {variant!r} was not run", "name one of the results", variant)
        of_variant = self._built.rows[self._built.position[variant]].variant
        path = self._folders.run(of_variant, self._model, self._only_model, held_out=False)
        return {topic: by_rank(scores) for topic, scores in read_run(path).items()}


def no_page(page_id: str) -> InputError:
    """Return the error for a page that is not there."""
    return InputError("there is no page of this id", "pick one of the list", page_id)


def open_pages(path: Path, score: Callable[[Page], View]) -> Pages:
    """Return the pages of results, if `path` is a folder of them, or else of a collection, which `score` scores one by one."""
    if (path / RESULTS_FILE).exists():
        return ResultPages(path)
    return CollectionPages(open_collection(path), score)


Result = TypeVar("Result")

_OTHER = "try another page"
MOST_WAITING = 8
"""Pages that wait for their turn, the one at work included."""
LEFT: ContextVar[Event] = ContextVar("left")
"""Is set when the client that asks for a page has left: then it is not read, or no further."""
_LOOK_SECONDS = 0.2


class PageProcess:
    """Does one page at a time; a page that is too large, or takes too long, is refused, and one for which too many wait."""

    def __init__(self, limits: Limits = DEFAULT_LIMITS, waiting: int = MOST_WAITING) -> None:
        self.limits = limits
        self._room, self._lock = Semaphore(waiting), Lock()
        self._worker: Worker | None = None
        self._stopped = False

    def call(self, work: Callable[..., Result], page: Page, *more: Any) -> Result:
        """Return `work(page, *more)`; `work` is a function of a module, and arguments and result can be pickled."""
        most = self.limits.mib * 2**20
        if len(page.content) > most:
            raise InputError(f"the page is {too_large(len(page.content), most)}", _OTHER)
        if not self._room.acquire(blocking=False):
            raise ResourceError("too many pages wait already", "try again later")
        try:
            result: Result = self._call(work, page, more)
        finally:
            self._room.release()
        return result

    def _call(self, work: Callable[..., Any], page: Page, more: tuple[Any, ...]) -> Any:
        with self._lock:
            left = LEFT.get(Event())
            unwanted = ResourceError("the server ends, or nobody waits any more", "start it again")
            if self._stopped or left.is_set():
                raise unwanted
            worker = self._worker = self._worker or Worker(1, partial(_done, seconds=self.limits.seconds))
            worker.begin((work, page, more))
            while not worker.connection.poll(_LOOK_SECONDS):
                if left.is_set():
                    worker.terminate()
            try:
                result, problem = worker.result()
            except WorkerDied as end:
                self._worker = None
                if left.is_set():
                    raise unwanted from end
                raise InputError(f"the page {exit_reason(end.code, self.limits.seconds, 'process')}", _OTHER) from end
        if problem:
            raise InputError(problem, _OTHER)
        return result

    def stop(self) -> None:
        """End the page that is being done, and take no other; it may be called by a handler of signals."""
        self._stopped = True
        if (worker := self._worker) is not None:
            worker.terminate()

    def close(self) -> None:
        """End the process for good."""
        self.stop()
        with self._lock:
            if self._worker is not None:
                self._worker.end()
            self._worker = None


def _done(task: tuple[Callable[..., Any], Page, tuple[Any, ...]], seconds: float) -> tuple[Any, str]:
    work, page, more = task
    try:
        with alarm(seconds):
            return work(page, *more), ""
    except Exception as error:  # the next page may be a better one
        return None, f"the page cannot be read: {type(error).__name__}: {error}"


def scored_view(page: Page, scorers: Sequence[Scorer], options: PageOptions) -> View:
    """Score a page for a browser."""
    return page_view(score_page(page, scorers, options))


def cleaned_text(page: Page, cleaner: Cleaner, options: PageOptions) -> str:
    """Return what a cleaner leaves of a page."""
    cleaned = clean_page(score_page(page, cleaner.scorers, options), cleaner)
    if cleaned.problem:
        raise ValueError(cleaned.problem)
    return cleaned.text

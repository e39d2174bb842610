"""Cleaning pages that have gold texts, from a score store, and comparing every cleaned page with its gold text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from thresher import __version__
from thresher.base.errors import ThresherError
from thresher.base.files import digest, file_digest, read_text, user_errors, write_text
from thresher.base.processes import Backend, run_tasks
from thresher.base.streams import COMPRESSIONS, open_stream
from thresher.cleaners.cleaner import Cleaner
from thresher.cleaners.scorer import Scorer
from thresher.collections import IdRule, Part, ReadOptions, Source
from thresher.collections.interface import escape_id
from thresher.collections.sources import FileState, Reading, Span
from thresher.evaluation.cleaneval import cleaning_measures
from thresher.evaluation.cleaneval.gold import GoldPage
from thresher.evaluation.cleaneval.rouge_n import rouge_5
from thresher.scores.cutting import cut_shard, shard_columns
from thresher.scores.percentiles import resolve_all
from thresher.scores.score_pass import ScorePlan, score_collection
from thresher.scores.store import read_shard, shards, text_store

SHARD_PAGES = 16
"""Gold standards are small: with shards of the usual size, workers would be idle."""
_STORED = re.compile(r"[0-9a-f]{16}\.json")
"""The files of stored comparisons."""


@dataclass(frozen=True)
class CleanedPage:
    """A page's id and its text by each cleaner, in order; `problem` is the reason if it could not be cleaned."""

    id: str
    texts: tuple[str, ...]
    problem: str = ""


def cleaned_pages(path: Path, cleaners: Sequence[Cleaner]) -> Iterator[CleanedPage]:
    """Yield every page of a scored shard, cleaned by every cleaner; cutoffs are numbers, not percentiles."""
    table = read_shard(path, ["id", "reason"])
    # By page and cleaner; a page that could not be scored has no text.
    texts = [[""] * len(cleaners) for _ in range(len(table))]
    for input_name, cleaners_of_input in _by_input(cleaners).items():
        needed = shard_columns(list(cleaners_of_input.values()))
        shard = read_shard(text_store(path.parent, input_name) / path.name, needed)
        for number, cleaner in cleaners_of_input.items():
            for row, document, _ in cut_shard(shard, cleaner):
                texts[row][number] = document.text
    ids = table.texts("id").tolist()
    reasons = table.texts("reason").tolist()
    for document_id, reason, page_texts in zip(ids, reasons, texts, strict=True):
        yield CleanedPage(document_id, tuple(page_texts), reason)


def _by_input(cleaners: Sequence[Cleaner]) -> dict[str, dict[int, Cleaner]]:
    """Return the cleaners with their numbers, by the name of the text that their scorers read."""
    by_input: dict[str, dict[int, Cleaner]] = {}
    for number, cleaner in enumerate(cleaners):
        by_input.setdefault(cleaner.input_name, {})[number] = cleaner
    return by_input


@dataclass(frozen=True)
class GoldCollection:
    """Pages with gold, in order; the id of a page is its escaped stem."""

    path: Path
    pages: Sequence[GoldPage]
    options: ReadOptions = field(default_factory=lambda: ReadOptions(IdRule(ids="stem", escape=True)))

    def fingerprint(self) -> str:
        """Return a digest of the names, sizes and modification times of the pages."""
        states: list[tuple[str, int, int]] = []
        for source in self._sources():
            if source.listed_state:
                states.append((source.id, source.listed_state.size, source.listed_state.modified))
        return digest(states)

    def files(self) -> dict[str, FileState]:
        """Return the files of the pages as they are now."""
        states: dict[str, FileState] = {}
        for source in self._sources():
            if source.listed_state:
                states[str(source.path)] = source.listed_state
        return states

    def parts(self, pages: int) -> Iterator[Part]:
        """Yield parts of at most `pages` pages."""
        sources = tuple(self._sources())
        for number, first in enumerate(range(0, len(sources), pages)):
            yield Part(0, number, self.path, "", sources=sources[first : first + pages])

    def read(self, part: Part) -> Reading:
        """Read the pages of a part; a page whose compressed file is damaged has a problem."""
        for source in part.sources or ():
            yield _unpacked(source)
        return Span(None, part.begin)

    def _sources(self) -> Iterator[Source]:
        for page in self.pages:
            with user_errors(page.path):
                state = FileState.of(page.path.stat())
            yield Source(
                page_id(page),
                page.path.name,
                state.size,
                path=page.path,
                url=page.url or None,
                is_text=page.is_text,
                listed_state=state,
            )


def page_id(page: GoldPage) -> str:
    """Return the document id of a page with gold."""
    return escape_id(page.stem)


def _unpacked(source: Source) -> Source:
    if source.path is None or not source.path.name.lower().endswith(COMPRESSIONS):
        return source
    with open_stream(source.path) as stream:
        content = stream.read()
        return replace(source, size=len(content), content=content, problem=stream.damage or None)


@dataclass(frozen=True)
class PageQuality:
    """A cleaned page against its gold text: words, tokens, ROUGE-LSum, ROUGE-5."""

    words: cleaning_measures.PageWords
    tokens: cleaning_measures.TokenCounts
    rouge: cleaning_measures.RougeCounts
    rouge_5: cleaning_measures.RougeCounts


def compare_page(cleaned: str, gold: str) -> PageQuality:
    """Compare a cleaned page with its gold text."""
    return PageQuality(
        cleaning_measures.compare_words(cleaned, gold),
        cleaning_measures.compare_tokens(cleaned, gold),
        cleaning_measures.rouge_lsum(cleaned, gold),
        rouge_5(cleaned, gold),
    )


@dataclass(frozen=True)
class ComparedPage:
    """A page's quality by each cleaner, in order; `problem` is the reason if the page could not be parsed or scored.

    A page with a problem counts as emptied by every cleaner.
    """

    stem: str
    quality: tuple[PageQuality, ...]
    problem: str = ""


def score_gold(
    pages: Sequence[GoldPage], scorers: Sequence[Scorer], folder: Path, workers: int = 1, fresh: bool = False
) -> None:
    """Score pages with gold, at least one, into the score store `folder`, unless they are scored already.

    Duplicate scorers are scored once. `fresh` replaces scores of other pages or scorers, instead of refusing them.
    """
    distinct = {scorer.canonical_name: scorer for scorer in scorers}
    collection = GoldCollection(pages[0].path.parent, pages)
    plan = ScorePlan(collection, tuple(distinct.values()), most_pages=SHARD_PAGES, kinds=False)
    score_collection(plan, folder, Backend(workers=workers), fresh)


def compare_cleaned(
    pages: Sequence[GoldPage], folder: Path, cleaners: Sequence[Cleaner], workers: int = 1, keep: Path | None = None
) -> Iterator[ComparedPage]:
    """Compare every page of the score store `folder`, cleaned by every cleaner, with its gold text, in order.

    Percentile cutoffs are over all pages of the store. Finished shards are stored in the folder `keep`, if there is one.
    """
    gold = {page_id(page): page for page in pages}
    tasks = _shard_tasks(folder, gold, resolve_all(folder, cleaners), keep)
    backend = Backend(workers=workers)
    for compared in run_tasks(backend, _compare_shard, tasks, "comparing pages", str(folder), ordered=True):
        yield from compared


def remove_compared(keep: Path) -> None:
    """Remove the stored comparisons of shards from a folder, and the folder if nothing else is in it."""
    for path in keep.glob("*.json"):
        if _STORED.fullmatch(path.name):
            path.unlink()
    with suppress(OSError):
        keep.rmdir()


def _shard_tasks(
    folder: Path, gold: Mapping[str, GoldPage], cleaners: Sequence[Cleaner], keep: Path | None
) -> Iterator[tuple[Path, dict[str, GoldPage], Sequence[Cleaner], Path | None]]:
    """Yield the arguments of `_compare_shard` for each shard."""
    for path in shards(folder):
        pages_of_shard: dict[str, GoldPage] = {}
        for document_id in read_shard(path, ["id"]).texts("id").tolist():
            pages_of_shard[document_id] = gold[document_id]
        yield path, pages_of_shard, cleaners, keep


def _compare_shard(
    path: Path, gold: Mapping[str, GoldPage], cleaners: Sequence[Cleaner], keep: Path | None
) -> list[ComparedPage]:
    """Compare the pages of a shard, unless an interrupted command stored the comparison in `keep`."""
    if keep is None:
        return _compare_pages(path, gold, cleaners)
    from pydantic import TypeAdapter, ValidationError

    adapter = TypeAdapter(list[ComparedPage])
    stored = keep / f"{_shard_key(path, gold, cleaners)}.json"
    try:
        return adapter.validate_json(read_text(stored), strict=True)
    except (ThresherError, ValidationError):  # The file is missing or damaged.
        compared = _compare_pages(path, gold, cleaners)
        write_text(stored, adapter.dump_json(compared).decode())
        return compared


def _shard_key(path: Path, gold: Mapping[str, GoldPage], cleaners: Sequence[Cleaner]) -> str:
    """Return a digest of the inputs of a comparison: a shard's bytes depend only on its pages and the scorers."""
    names: list[list[object]] = []
    for cleaner in cleaners:
        names.append([cleaner.name, cleaner.resolved_cutoffs])
    shard_digests: list[str] = []
    for input_name in sorted(_by_input(cleaners)):
        shard_digests.append(file_digest(text_store(path.parent, input_name) / path.name))
    texts: list[list[str]] = []
    for page in gold.values():
        texts.append([page.stem, page.text])
    return digest([__version__, shard_digests, names, texts])


def _compare_pages(path: Path, gold: Mapping[str, GoldPage], cleaners: Sequence[Cleaner]) -> list[ComparedPage]:
    compared: list[ComparedPage] = []
    for page in cleaned_pages(path, cleaners):
        gold_page = gold[page.id]
        # Cleaners often leave the same text, and comparing is expensive.
        quality_of: dict[str, PageQuality] = {}
        for text in page.texts:
            if text not in quality_of:
                quality_of[text] = compare_page(text, gold_page.text)
        qualities = tuple(quality_of[text] for text in page.texts)
        compared.append(ComparedPage(gold_page.stem, qualities, page.problem))
    return compared

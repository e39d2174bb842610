"""Advice for a crawl without judgments: the index to begin with and the words that it removes, or an index by queries."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import NamedTuple

import numpy as np

from thresher.base import student
from thresher.base.defaults import ALPHA, DEFAULT_FAMILIES, DEFAULT_INDEX, LEFT_OUT, SEARCH_CLEANER
from thresher.base.errors import InputError, StateError
from thresher.base.files import atomic_path, fit_text, temporary_folder, write_text
from thresher.base.numbers import Floats, Interval, Ints
from thresher.base.processes import Backend
from thresher.base.records import RecordFile
from thresher.base.tables import Table
from thresher.cleaners.cleaner import Cleaner
from thresher.collections import Collection, open_collection
from thresher.collections.isolated import documents_apart
from thresher.evaluation.non_inferiority import MINIMUM
from thresher.evaluation.significance import ratio_interval
from thresher.experiments import schema
from thresher.experiments.announcements import Announce, Announcement, Step, ignore_announcement
from thresher.experiments.chooser import choose_experiment
from thresher.experiments.choosing.choices import Choice
from thresher.experiments.choosing.shared import prediction_bounds
from thresher.experiments.config import load_experiment
from thresher.experiments.explorer import explore_experiment
from thresher.experiments.inputs import check_apart
from thresher.experiments.query_pages import find_pages, read_answers
from thresher.experiments.shell_commands import treatment_commands
from thresher.experiments.starting import in_toml
from thresher.indexes.pruning.treatments import parse_treatment
from thresher.pages.decoding import decode
from thresher.scores.block_kinds import KINDS
from thresher.scores.cutting import shard_columns, shard_layout, shard_mask
from thresher.scores.limits import Limits
from thresher.scores.percentiles import resolved
from thresher.scores.score_pass import ScorePlan, score_collection
from thresher.scores.store import read_shard, shards

SAMPLE = 20_000
"""The most pages that are looked at without queries."""
EXPERIMENT = "advice"
"""The name of the experiment that queries choose by."""
TOPICS_FILE = "topics.tsv"
QRELS_FILE = "qrels.txt"


@dataclass(frozen=True)
class RemovedWords:
    """The words that cleaning removes from blocks of a kind.

    Args:
        kind: kind of blocks.
        words: words of these blocks before cleaning.
        removed: share of these words that cleaning removes.
    """

    kind: str
    words: int
    removed: float


@dataclass(frozen=True)
class Advice:
    """The index to begin with for pages without queries or judgments.

    Args:
        pages: the documents of the collection that can be read.
        sampled: the pages that the figures are computed from.
        failed: the sampled pages that could not be scored.
        variant: the index to begin with: a cleaner, weights and a pruning method.
        elsewhere: the change of exp-nDCG@10 by collection, as a share of its mean without cleaning; each time the index was
            chosen on the other collections.
        change: the change to expect on a further collection, with a 95 % prediction interval.
        words: the share of the words that cleaning keeps, with the 95 % interval of the sampling error.
        blocks: the removed words by kind of block.
        commands: lines for a shell: one makes the index of the whole collection, one writes its cleaned text.
    """

    pages: int
    sampled: int
    failed: int
    variant: str
    elsewhere: Mapping[str, float]
    change: Interval
    words: Interval
    blocks: tuple[RemovedWords, ...]
    commands: tuple[str, ...]


ADVICE = RecordFile(Advice, "saved advice", "run `thresher advise` again", "thresher-advice", 2, StateError)


def advise_on(collection: schema.CollectionTable, sample: int = SAMPLE, backend: Backend | None = None) -> Advice:
    """Advise which index to begin with for a crawl without queries; nothing is written.

    Args:
        collection: where the pages are, and how they are read.
        sample: the most pages to read; a larger collection is sampled by the hashes of its ids.
        backend: the workers.

    Raises:
        InputError: if no page can be read.
    """
    student.check_installed()
    source = Path(collection.path)
    opened = open_collection(source, schema.read_options(collection), collection.format)
    ids: list[str] = []
    for document in documents_apart(opened):
        if not document.problem:
            ids.append(document.id)
    if not ids:
        raise InputError(
            "it has no page that can be read", "check the path, the format and the options of ids", str(source)
        )
    cleaner = parse_treatment(DEFAULT_INDEX).cleaner
    limits = Limits(collection.page_seconds, collection.max_page_mib)
    with temporary_folder() as folder:
        if len(ids) > sample:
            sampled_ids = sorted(ids, key=_hash)[:sample]
            opened = _written_sample(opened, set(sampled_ids), folder / "pages.jsonl.gz")
        report = score_collection(ScorePlan(opened, cleaner.scorers, limits=limits), folder / "scores", backend)
        cleaned = _cleaned_words(folder / "scores", cleaner)
    return Advice(
        pages=len(ids),
        sampled=min(len(ids), sample),
        failed=report.failed,
        variant=DEFAULT_INDEX,
        elsewhere=LEFT_OUT,
        change=expected_change(list(LEFT_OUT.values())),
        words=cleaned.share,
        blocks=cleaned.removed,
        commands=_commands(collection),
    )


def choose_by_queries(
    collection: schema.CollectionTable,
    queries: Path,
    folder: Path,
    backend: Backend | None = None,
    announce: Announce = ignore_announcement,
) -> Choice:
    """Choose an index, as `thresher choose` does, by queries that are each answered by a page of the collection.

    Args:
        collection: where the pages are, and how they are read.
        queries: a file with a query, a tab and a page's id or URL on each line; at least `MINIMUM` queries must have a page
            of the collection.
        folder: gets topics, qrels and an experiment file, and in `advice/` the results.
        backend: the workers.
        announce: called with each step that begins.

    Raises:
        InputError: if a line is not a query with its page, or too few queries have a page of the collection.
        StateError: if `folder` holds other files.
    """
    if fit_text(collection.path) != collection.path:
        fix = "rename the folder, or name it by a symbolic link"
        raise InputError("its path is no text in UTF-8, which an experiment file needs", fix, collection.path)
    backend = backend or Backend()
    opened = open_collection(Path(collection.path), schema.read_options(collection), collection.format)
    check_apart(folder, opened, "-o")
    _check_folder(folder)
    announce(Announcement(Step.READING, {"collection": collection.path}))
    pages = find_pages(collection, opened, read_answers(queries))
    matched = len(pages.documents)
    if matched < MINIMUM:
        what = f"only {matched} of its queries name a page of the collection"
        if not matched:
            what = (
                f"none of its pages is in the collection; its first page is {pages.first_named}, the first id of the "
                f"collection {pages.first_id}"
            )
        raise InputError(what, f"give at least {MINIMUM}, with ids or URLs of pages", str(queries))
    if pages.dropped:
        announce(Announcement(Step.MATCHING_ENDS, {"dropped": pages.dropped, "queries": matched}))
    if pages.by_canonical:
        announce(Announcement(Step.MATCHING_CANONICAL, {"queries": matched}))
    experiment_file = _write_experiment(collection, pages.documents, folder)
    experiment = replace(load_experiment(experiment_file), backend=backend)
    explore_experiment(experiment, folder, True, announce)
    return choose_experiment(experiment, folder, announce=announce)


def expected_change(elsewhere: Sequence[float]) -> Interval:
    """Return the mean change on other collections, and the 95 % prediction interval for a new collection like them."""
    changes = np.array(elsewhere)
    low = -prediction_bounds(-changes, ALPHA / 2)
    high = prediction_bounds(changes, ALPHA / 2)
    return Interval(float(changes.mean()), float(low), float(high))


def _check_folder(folder: Path) -> None:
    """Check that a folder is new, or has only files of earlier advice."""
    if not folder.exists():
        return
    written = {TOPICS_FILE, QRELS_FILE, f"{EXPERIMENT}.toml", EXPERIMENT}
    for path in folder.iterdir():
        if path.name not in written and not path.name.startswith("."):
            raise StateError("it has other files than a saved recommendation", "name a new folder with -o", str(folder))


def _hash(document_id: str) -> bytes:
    return hashlib.blake2b(document_id.encode("utf-8", "surrogatepass"), digest_size=8).digest()


def _written_sample(collection: Collection, ids: set[str], file: Path) -> Collection:
    """Write the pages with these ids as compressed JSON lines, and open them."""
    remaining_ids = set(ids)
    with atomic_path(file) as temporary, gzip.open(temporary, "wb", compresslevel=1) as packed:
        for source in documents_apart(collection):
            if source.problem or source.id not in remaining_ids:
                continue
            remaining_ids.remove(source.id)
            page = source.page()
            text = decode(page.content, page.charset).utf8.decode("utf-8", "replace")
            member = "contents" if page.is_text else "html"
            line = json.dumps({"id": source.id, "url": page.url, member: text}, ensure_ascii=False)
            packed.write(f"{line}\n".encode("utf-8", "replace"))
    return open_collection(file)


class _CleanedWords(NamedTuple):
    """The words of sampled pages after cleaning.

    Attributes:
        removed: the words that the cleaner removes from blocks of each kind.
        share: the share of all words that the cleaner keeps, with the interval of a ratio of two sums over the sampled pages
            (95 %, bootstrap).
    """

    removed: tuple[RemovedWords, ...]
    share: Interval


def _cleaned_words(store: Path, cleaner: Cleaner) -> _CleanedWords:
    """Count the words of a store's pages before and after cleaning."""
    cleaner = resolved(store, cleaner)
    columns = shard_columns([cleaner])
    columns.append("kinds")
    words_before: list[Floats] = []
    words_after: list[Floats] = []
    for path in shards(store):
        table = read_shard(path, columns)
        layout = shard_layout(table)
        words_left = layout.words * shard_mask(table, cleaner, layout)
        words_before.append(_words_by_kind(table, layout.blocks, layout.words))
        words_after.append(_words_by_kind(table, layout.blocks, words_left))
    before = np.concatenate(words_before)
    after = np.concatenate(words_after)
    total = before.sum()
    if not total:
        raise InputError("none of its pages has a word", "check the path and the format", str(store))
    removed: list[RemovedWords] = []
    words_of_kinds = zip(KINDS, before.sum(axis=0).tolist(), after.sum(axis=0).tolist(), strict=True)
    for kind, kind_before, kind_after in words_of_kinds:
        if kind_before:
            removed.append(RemovedWords(kind.value, int(kind_before), (kind_before - kind_after) / kind_before))
    low, high = ratio_interval(after.sum(axis=1), before.sum(axis=1))
    return _CleanedWords(tuple(removed), Interval(float(after.sum() / total), low, high))


def _words_by_kind(table: Table, block_of_segment: Ints, words: Ints) -> Floats:
    """Return the words of each page of a shard in blocks of each kind; shape (pages, kinds)."""
    kinds = table.lists("kinds")
    words_of_block = np.bincount(block_of_segment, weights=words, minlength=len(kinds.values))
    cells = kinds.rows * len(KINDS) + kinds.values
    counts = np.bincount(cells, words_of_block, len(table) * len(KINDS))
    return counts.reshape(-1, len(KINDS)).astype(np.float64)


def _write_experiment(collection: schema.CollectionTable, relevant: Mapping[str, Sequence[str]], folder: Path) -> Path:
    """Write topics, qrels and the experiment file that sweeps the families of `thresher choose`; return the file."""
    topics: list[str] = []
    qrels: list[str] = []
    for number, (query, ids) in enumerate(relevant.items(), start=1):
        topics.append(f"query-{number}\t{query}\n")
        for document_id in ids:
            qrels.append(f"query-{number} 0 {document_id} 1\n")
    folder.mkdir(parents=True, exist_ok=True)
    write_text(folder / TOPICS_FILE, "".join(topics))
    write_text(folder / QRELS_FILE, "".join(qrels))
    file = folder / f"{EXPERIMENT}.toml"
    values = {
        "title": fit_text(f"Advice for {Path(collection.path).name}"),
        "topics": TOPICS_FILE,
        "qrels": QRELS_FILE,
        "cleaners": [SEARCH_CLEANER, DEFAULT_INDEX],
        "families": list(DEFAULT_FAMILIES),
    }
    template = files("thresher.experiments").joinpath("advising.toml").read_text(encoding="utf-8")
    absolute = replace(collection, path=str(Path(collection.path).resolve()))
    write_text(file, Template(template).substitute(in_toml(values), collection=_table_lines(absolute)))
    return file


def _table_lines(table: schema.CollectionTable) -> str:
    """Return the lines of a TOML file for the keys of [collection] that differ from their defaults."""
    lines: list[str] = []
    for field in fields(table):
        value = getattr(table, field.name)
        if value not in (field.default, (field.default,)):
            # JSON writes a tuple as a list.
            lines.append(f"{field.name} = {json.dumps(value, ensure_ascii=False)}\n")
    return "".join(lines)


def _commands(table: schema.CollectionTable) -> tuple[str, ...]:
    """Return the shell commands that index the collection, and that write its cleaned text for another engine."""
    document = schema.Document(schema.ExperimentTable(EXPERIMENT), table, schema.TopicsTable(""), schema.QrelsTable(""))
    return treatment_commands(document, table.path, parse_treatment(DEFAULT_INDEX))

"""Treatments of collections without topics: pages are scored, weighted, pruned and indexed; texts are pruned and indexed."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass, replace
from io import BufferedIOBase
from itertools import islice
from pathlib import Path
from typing import cast

from thresher.base.errors import ConfigError, InputError, StateError
from thresher.base.files import scratch_folder
from thresher.base.processes import Backend
from thresher.cleaners.cleaner import BASELINE
from thresher.cleaners.functions import check_for_workers
from thresher.cleaners.scorer import input_names
from thresher.collections import Collection, JsonFields, ReadOptions, open_collection
from thresher.collections.file_collection import Files
from thresher.experiments.inputs import check_apart
from thresher.experiments.measuring import build_variant
from thresher.experiments.schema import CollectionTable, read_options
from thresher.indexes.indexing import IndexOptions, IndexReport, cannot_hold, is_other_folder
from thresher.indexes.pruning.treatments import Treatment, parse_treatment
from thresher.pages import PageOptions
from thresher.scores.cleaning.clean_counts import kind_of_failure, nothing_read
from thresher.scores.cleaning.output_formats import STANDARD
from thresher.scores.cleaning.page_streams import piped_lines
from thresher.scores.limits import Limits
from thresher.scores.lost_pages import Failure, failures, write_failures
from thresher.scores.percentiles import resolved
from thresher.scores.score_pass import ScorePlan, score_collection

_SHOWN_FAILURES = 10
_NO_LIMITS = Limits(1e6, 1e6)


@dataclass(frozen=True)
class PagesToIndex:
    """The pages of a collection or of standard input.

    Args:
        source: the collection, or `STANDARD`.
        reading, format: how documents are read.
        options: how pages become blocks.
        limits: limits of time and size for each page.
    """

    source: Path
    reading: ReadOptions
    format: str
    options: PageOptions
    limits: Limits

    @classmethod
    def of(cls, table: CollectionTable, options: PageOptions) -> PagesToIndex:
        """Return the pages of a table [collection]; they have the ids of `thresher clean`, if TREC runs can hold these ids."""
        reading = replace(read_options(table, address=True), any_ids=False)
        return cls(Path(table.path), reading, table.format, options, Limits(table.page_seconds, table.max_page_mib))


@dataclass(frozen=True)
class IndexContent:
    """The content of an index, and whether a pruned index is ranked with the statistics of the unpruned index."""

    options: IndexOptions
    original_statistics: bool = True


@dataclass(frozen=True)
class IndexedPages:
    """An index of pages.

    Args:
        index: the index, without the pages that the treatment leaves without text.
        pages: the number of pages of the collection: indexed, emptied and failed.
        emptied: the number of pages without text.
        failed: the number of pages that could not be read.
        failures: the first pages that could not be read.
    """

    index: IndexReport
    pages: int
    emptied: int
    failed: int
    failures: tuple[Failure, ...]


def index_pages(
    pages: PagesToIndex,
    treatment: Treatment,
    output: Path,
    content: IndexContent,
    backend: Backend,
    failed: Path | None = None,
) -> IndexedPages:
    """Index a treated collection into `output`, which is replaced; a run of an experiment builds the same index.

    Scores are stored beside `output` until the index is built.

    Args:
        pages: the pages to index.
        treatment: the treatment of the pages.
        output: the folder of the index.
        content: the content of the index.
        backend: the workers that score.
        failed: a file for the pages that failed, as JSON lines; None to write no file.

    Raises:
        ConfigError: if the index cannot hold positions, texts or vectors as asked, or `output` is in the collection.
        InputError: if there are no pages, or all failed.
        StateError: if `output` is a folder with other files than an index.
    """
    treatment = replace(treatment, cleaner=treatment.cleaner.checked())
    check_for_workers(treatment.cleaner)
    _check_content(treatment, content.options)
    is_piped = pages.source == STANDARD
    collection = None if is_piped else open_collection(pages.source, pages.reading, pages.format)
    _check_outputs(collection, output, failed)
    # The new index is also made beside `output`, under another name.
    with scratch_folder(output.with_name(f"{output.name}.scores")) as folder:
        store = folder / "scores"
        plan = ScorePlan(collection or _piped(pages, folder), treatment.cleaner.scorers, pages.options, pages.limits)
        if treatment.weights is not None and treatment.weights.anchors:
            plan = plan.with_links()
        report = score_collection(plan, store, backend)
        if failed is not None:
            write_failures(store, failed, input_names(plan.scorers))
        if report.failed == report.documents:
            kinds: Counter[str] = Counter()
            for failure in failures(store):
                kinds[kind_of_failure(failure.reason)] += 1
            raise nothing_read(pages.source, plan.collection, kinds, report.documents)
        treatment = replace(treatment, cleaner=resolved(store, treatment.cleaner))
        built = build_variant(store, treatment, output, content.options, content.original_statistics)
        first_failures = tuple(islice(failures(store), _SHOWN_FAILURES))
    return IndexedPages(built.index, report.documents, built.emptied, report.failed, first_failures)


def prune_texts(
    texts: Files, prune: str, output: Path, options: IndexOptions, original_statistics: bool = True
) -> IndexReport:
    """Index the texts of a file of JSON lines or Parquet into `output`, pruned.

    Args:
        texts: documents with an id and text.
        prune: a pruning method with its cutoff.
        output: the folder, which is replaced.
        options: the content of the index.
        original_statistics: whether the index is ranked with the statistics of the unpruned index.

    Raises:
        ConfigError: if the method does not parse, or the index cannot hold positions, texts or vectors as asked.
        InputError: if the file is broken, or an id is unfit or not unique.
    """
    treatment = parse_treatment(f"{BASELINE}|{prune}")
    texts = replace(texts, options=replace(texts.options, fields=JsonFields(html=())))
    with scratch_folder(output) as folder:
        store = folder / "texts"
        score_collection(ScorePlan(texts, (), limits=_NO_LIMITS), store)
        for failure in failures(store):
            raise InputError(failure.reason, "clean the collection first: `thresher clean`", failure.name)
        built = build_variant(store, treatment, output, options, original_statistics)
    return replace(built.index, empty=built.emptied)


def _piped(pages: PagesToIndex, folder: Path) -> Collection:
    """Copy standard input to a file in `folder`, and return it as a collection."""
    pipe = cast(BufferedIOBase, sys.stdin.buffer)
    for lines in piped_lines(pipe, folder, pages.reading, pages.format, window=None):
        # Without a window the first piece has all lines.
        return lines.collection
    raise InputError("standard input is empty", "give lines of JSON, or a page with --format html", str(STANDARD))


def _check_content(treatment: Treatment, options: IndexOptions) -> None:
    """Check, before the pages are scored, that the index can hold the positions, texts and vectors that are asked for."""
    if options.stored and treatment.weights is not None:
        what = "the text of an index with weights has titles and headings several times"
        raise ConfigError(what, "leave out --stored, or the weights", "--stored")
    if treatment.pruning is None:
        return
    for option, what in cannot_hold(options):
        raise ConfigError(what, f"leave out --{option}, or the pruning method", f"--{option}")


def _check_outputs(collection: Collection | None, output: Path, failed: Path | None) -> None:
    """Check, before the pages are scored, that no file of the user is replaced and no output becomes a page."""
    if is_other_folder(output):
        raise StateError("the folder holds other files than an index", "choose a new folder", str(output))
    if collection is None:
        return
    check_apart(output, collection, "--output")
    if failed is not None:
        check_apart(failed, collection, "--failures")

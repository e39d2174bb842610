"""A treatment applied to a collection without topics: its pages are scored, weighted, pruned and indexed."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from thresher.base.errors import ConfigError, StateError
from thresher.base.files import scratch_folder
from thresher.base.processes import Backend
from thresher.cleaners.functions import check_for_workers
from thresher.cleaners.scorer import input_names
from thresher.collections import Collection
from thresher.experiments.inputs import check_apart
from thresher.experiments.measuring import build_variant
from thresher.indexes.indexing import IndexOptions, IndexReport, cannot_hold, is_other_folder
from thresher.indexes.pruning.treatments import Treatment
from thresher.pages import PageOptions
from thresher.scores.cleaning.clean_counts import kind_of_failure, nothing_read
from thresher.scores.limits import Limits
from thresher.scores.lost_pages import Failure, failures, write_failures
from thresher.scores.percentiles import resolved
from thresher.scores.score_pass import ScorePlan, score_collection

_SHOWN_FAILURES = 10


@dataclass(frozen=True)
class PagesToIndex:
    """A collection, how its pages become blocks, and the limits of each."""

    collection: Collection
    options: PageOptions
    limits: Limits


@dataclass(frozen=True)
class IndexContent:
    """What an index holds, and whether a pruned one is ranked with the statistics of the unpruned one."""

    options: IndexOptions
    original_statistics: bool = True


@dataclass(frozen=True)
class IndexedPages:
    """An index of pages.

    Args:
        index: without the pages that the treatment leaves without text.
        pages: of the collection: the index's documents, those that are emptied and those that failed.
        emptied: pages without text.
        failed: pages that could not be read.
        failures: the first of these.
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
    """Index a treated collection into `output`, which is replaced; the index is the one that a run of an experiment builds.

    Scores are beside `output` while this works.

    Args:
        pages: to index.
        treatment: of the pages.
        output: the folder of the index.
        content: of the index.
        backend: the workers that score.
        failed: gets the pages that failed as JSON lines; None for no such file.

    Raises:
        ConfigError: if the index cannot hold what is asked for, or `output` is in the collection.
        InputError: if all pages failed.
        StateError: if `output` is a folder with other things in it than an index.
    """
    treatment = replace(treatment, cleaner=treatment.cleaner.checked())
    check_for_workers(treatment.cleaner)
    _check_content(treatment, content.options)
    _check_outputs(pages.collection, output, failed)
    plan = ScorePlan(pages.collection, treatment.cleaner.scorers, pages.options, pages.limits)
    if treatment.weights is not None and treatment.weights.anchors:
        plan = plan.with_links()
    # A name of its own: the new index is made beside `output` too.
    with scratch_folder(output.with_name(f"{output.name}.scores")) as folder:
        store = folder / "scores"
        report = score_collection(plan, store, backend)
        if failed is not None:
            write_failures(store, failed, input_names(plan.scorers))
        if report.failed == report.documents:
            kinds = Counter(kind_of_failure(failure.reason) for failure in failures(store))
            raise nothing_read(pages.collection.path, pages.collection, kinds, report.documents)
        treatment = replace(treatment, cleaner=resolved(store, treatment.cleaner))
        built = build_variant(store, treatment, output, content.options, content.original_statistics)
        first_failures = tuple(islice(failures(store), _SHOWN_FAILURES))
    return IndexedPages(built.index, report.documents, built.emptied, report.failed, first_failures)


def _check_content(treatment: Treatment, options: IndexOptions) -> None:
    """Check, before the pages are scored, that the index can hold what is asked for."""
    if options.stored and treatment.weights is not None:
        what = "the text of an index with weights has titles and headings several times"
        raise ConfigError(what, "leave out --stored, or the weights", "--stored")
    if treatment.pruning is None:
        return
    for option, what in cannot_hold(options):
        raise ConfigError(what, f"leave out --{option}, or the pruning method", f"--{option}")


def _check_outputs(collection: Collection, output: Path, failed: Path | None) -> None:
    """Check, before the pages are scored, that nothing of the user's is replaced or becomes a page."""
    if is_other_folder(output):
        raise StateError("the folder holds something else than an index", "choose a new folder", str(output))
    check_apart(output, collection, "--output")
    if failed is not None:
        check_apart(failed, collection, "--failures")

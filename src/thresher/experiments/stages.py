"""Finished stages: the record of each stage, and the key of its inputs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar

from thresher.base.files import digest, file_digest
from thresher.base.records import RecordFile
from thresher.experiments.config import Experiment
from thresher.experiments.inputs import Scored, TopicSet
from thresher.experiments.measuring import Measurements
from thresher.experiments.results import TitleBias
from thresher.experiments.table import Cost, Variant
from thresher.indexes.analysis import RetrievalModel
from thresher.indexes.indexing import IndexOptions, Origin, is_built_from
from thresher.indexes.pruning.treatments import Treatment
from thresher.indexes.work import IndexStatistics, QueryWork

RowKey = tuple[str, str]
# Raised when a stage would give other results from the same inputs.
STAGE_VERSION = 2
StageRecord = TypeVar("StageRecord", "IndexRecord", "SearchRecord", "MeasureRecord", "BiasRecord")


def index_origin(scored: Scored, treatment: Treatment, options: IndexOptions, original: bool) -> Origin:
    """Return the origin of a variant's index; `treatment` is the variant's, with numbers for percentiles.

    `original` says which statistics a pruned index is ranked with.
    """
    cutoffs = treatment.cleaner.resolved_cutoffs
    # A model's card may change under the same scores.
    resolved: dict[str, Any] = {}
    if cutoffs:
        resolved["cutoffs"] = cutoffs
    if treatment.pruning:
        resolved["original"] = original
    report = scored.report
    key = stage_key(
        scores=scored.key,
        variant=treatment.name,
        options=asdict(options),
        totals=[report.documents, report.scored, report.emptied, report.failed, report.words],
        pyserini=version("pyserini"),
        **resolved,
    )
    return Origin(key, scored.inputs.digests["collection"], digest(scored.key), treatment.name, cutoffs)


def search_key(index: str, model: RetrievalModel, depth: int, topics: TopicSet) -> str:
    """Return the key of the stage that searches an index, whose key is `index`."""
    # 2: records have the documents of each query.
    topics_and_field = {"topics": topics.digests["topics"], "field": topics.source.field}
    return stage_key(record=2, index=index, model=model.name, depth=depth, **topics_and_field)


def evidence_key(experiment: Experiment, scored: Scored) -> str:
    """Return a digest of exactly the inputs that decide the value of a measure at a cutoff.

    Explorations with the same key agree on every shared cutoff, under any workers and beside any other cutoffs.
    """
    read = [[experiment.topics.field, experiment.topics.column]]
    if experiment.held_out is not None:
        read.append([experiment.held_out.field, experiment.held_out.column])
    return stage_key(
        scores=scored.key,
        inputs=dict(scored.inputs.digests),
        read=read,
        options=asdict(experiment.index),
        models=experiment.retrieval.names,
        depth=experiment.retrieval.depth,
        measures=experiment.evaluation.measures,
        original=experiment.pruning.original_statistics,
    )


def stage_key(**depends_on: Any) -> str:
    """Return the digest of the inputs of a stage."""
    return digest({"version": STAGE_VERSION, **depends_on})


@dataclass(frozen=True)
class IndexRecord:
    """A finished index.

    Args:
        key: the key of all inputs of the index.
        indexed, emptied: numbers of documents.
        words: the number of words after cleaning.
        bytes: the bytes of the index.
        bytes_by_type: the bytes by the types of files.
        statistics: the counts of the index.
        cut_wall, cut_cpu: seconds to find and apply the cutoffs, which is cleaning and no part of `cost`.
        cost: the cost of indexing.
        cutoffs: the resolved percentiles, by the names of the cuts.
        emptied_languages: the emptied documents by language (see `thresher.scores.lost_pages`); they add up to `emptied`.
    """

    key: str
    indexed: int
    emptied: int
    words: int
    bytes: int
    bytes_by_type: Mapping[str, int]
    statistics: IndexStatistics
    cut_wall: float
    cut_cpu: float
    cost: Cost
    cutoffs: Mapping[str, float]
    emptied_languages: Mapping[str, int]


@dataclass(frozen=True)
class SearchRecord:
    """A finished search.

    Args:
        key: the key of all inputs of the search.
        run: the digest of its run file.
        work: the work of a query, a mean over the topics.
        cost: the cost of searching.
    """

    key: str
    run: str
    work: QueryWork
    cost: Cost


@dataclass(frozen=True)
class MeasureRecord:
    """The times of the finished stage `measure`, with the key of all its inputs."""

    key: str
    measured: Measurements


@dataclass(frozen=True)
class BiasRecord:
    """The title bias of topics, with the key of all its inputs."""

    key: str
    bias: TitleBias


@dataclass(frozen=True)
class VariantRun:
    """A variant searched by a model, for the topics or the held-out topics: the run file, and records of index and search."""

    variant: Variant
    model: RetrievalModel
    path: Path
    index: IndexRecord
    search: SearchRecord
    held_out: bool = False

    @property
    def key(self) -> RowKey:
        """The variant and the retrieval model, which identify a row of the results."""
        return self.variant.name, self.model.name


INDEXES = RecordFile(IndexRecord, "a record of an index", "run the experiment again")
SEARCHES = RecordFile(SearchRecord, "a record of a search", "run the experiment again")
MEASURES = RecordFile(MeasureRecord, "a record of times", "measure the experiment again")
BIASES = RecordFile(BiasRecord, "a record of a title bias", "run the experiment again")


def finished(file: RecordFile[StageRecord], path: Path, key: str) -> StageRecord | None:
    """Return the record of a stage; None if it was never finished with this key, or its file is damaged."""
    record = file.find(path)
    if record is None or record.key != key:
        return None
    return record


def finished_index(path: Path, key: str, folder: Path) -> IndexRecord | None:
    """Return the record of an index in `path`, if `folder` has the whole index and it was built from this origin."""
    record = finished(INDEXES, path, key)
    if record is None or not is_built_from(folder, key, record.bytes_by_type):
        return None
    return record


def finished_run(path: Path, key: str, run: Path) -> SearchRecord | None:
    """Return the record of a search in `path`, if the file `run` has the recorded digest."""
    record = finished(SEARCHES, path, key)
    if record is None or not run.is_file() or file_digest(run) != record.run:
        return None
    return record

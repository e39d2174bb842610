"""An experiment file, read and checked: every problem is found before anything runs, each with its line."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import NamedTuple

from thresher.base.defaults import DASK, DEFAULT_FAMILIES, STATISTICS
from thresher.base.errors import ConfigError, ConfigErrors
from thresher.base.files import digest, read_text
from thresher.base.processes import Backend
from thresher.cleaners.name_paths import moved_paths
from thresher.cleaners.scorer import Scorer
from thresher.cleaners.scorers.extractor import FileText
from thresher.collections import Collection, IdRule, ReadOptions, open_collection
from thresher.evaluation.measures import parse_measure
from thresher.evaluation.non_inferiority import parse_margin
from thresher.evaluation.significance import tested_measures
from thresher.experiments.choosing.criteria import ChoiceCriteria
from thresher.experiments.choosing.families import DeclaredFamily, families_for, parse_family, swept_families
from thresher.experiments.choosing.sizes import parse_size
from thresher.experiments.locations import CatalogueId, Location, Locations, TopicSource, with_catalogue
from thresher.experiments.problems import Problems, key_lines, read_document
from thresher.experiments.schema import (
    CollectionTable,
    CostsTable,
    Document,
    EvaluationTable,
    RunTable,
    SweepTable,
    read_options,
)
from thresher.experiments.table import Variant
from thresher.experiments.variants import read_variants
from thresher.indexes.analysis import RetrievalModel, parse_retrieval
from thresher.indexes.indexing import IndexOptions, cannot_hold
from thresher.pages import PageOptions
from thresher.scores.limits import Limits

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
"""The names of experiments, which name folders."""
_MOST_BYTES = 2**20
"""The largest experiment file that is read, in bytes: hundreds of times the longest known file."""


@dataclass(frozen=True)
class SystemRun:
    """The baseline run of another system.

    Args:
        name: its name in the report.
        path: the file of the TREC run.
        bytes: the size of its index; 0 if it is not known.
    """

    name: str
    path: Path
    bytes: int


@dataclass(frozen=True)
class CollectionSource:
    """The collection of an experiment.

    Args:
        location: a folder, a file, or a dataset of ir_datasets.
        format: the format of the files; empty to detect it.
        reading: how documents and their ids are read.
        limits: the limits of time and size for each page.
    """

    location: Location
    format: str
    reading: ReadOptions
    limits: Limits

    def open(self) -> Collection:
        """Open the collection."""
        return open_collection(Path(str(self.location)), self.reading, self.format)


@dataclass(frozen=True)
class PruningOptions:
    """Options of pruned indexes.

    Args:
        original_statistics: whether a pruned index is ranked with the collection statistics from before pruning.
        combined: the number of a scorer's cutoffs that exploring combines with a pruning method.
    """

    original_statistics: bool
    combined: int


@dataclass(frozen=True)
class RetrievalOptions:
    """The retrieval models, and the number of hits for a topic."""

    models: tuple[RetrievalModel, ...]
    depth: int

    @property
    def names(self) -> list[str]:
        """The names of the models."""
        return [model.name for model in self.models]


@dataclass(frozen=True)
class EvaluationOptions:
    """Measures and tests.

    Args:
        measures: canonical names.
        alpha: significance level; intervals have the level 1 − alpha.
        correction: the correction of p-values for the number of tests.
        test: the test of differences.
        seed: the seed of the bootstrap and of random signs.
    """

    measures: tuple[str, ...]
    alpha: float
    correction: str
    test: str
    seed: int


@dataclass(frozen=True, repr=False)
class Experiment:
    """A checked experiment.

    Args:
        name: the name of the experiment and of its folders.
        title: the heading of the report.
        file: the experiment file.
        document: the content of the file.
        collection: the pages.
        pages: how pages are split into blocks and sentences.
        topics: topics and judgments to choose on.
        held_out: further topics and judgments to test the choice on; None without any.
        variants: the variants, each once, the baseline first.
        families: the families to choose from: the families of [choose], or else the file's sweeps, or else the default ones.
        systems: baseline runs of other systems.
        index: the content of indexes.
        pruning: options of pruned indexes.
        retrieval: models and depth.
        evaluation: measures and tests.
        criteria: the criteria of a choice.
        measure_seconds: how long queries are timed, and how long indexing; 0 to time nothing.
        costs: the factors of energy and CO₂.
        backend: the worker processes.
        labels: labels instead of names in tables and plots for papers.
    """

    name: str
    title: str
    file: Path
    document: Document
    collection: CollectionSource
    pages: PageOptions
    topics: TopicSource
    held_out: TopicSource | None
    variants: tuple[Variant, ...]
    families: tuple[DeclaredFamily, ...]
    systems: tuple[SystemRun, ...]
    index: IndexOptions
    pruning: PruningOptions
    retrieval: RetrievalOptions
    evaluation: EvaluationOptions
    criteria: ChoiceCriteria
    measure_seconds: float
    costs: CostsTable
    backend: Backend
    labels: Mapping[str, str]

    def __repr__(self) -> str:
        return f"<Experiment: {self.title}, {len(self.variants)} variants, {self.file}>"

    @property
    def digest(self) -> str:
        """The digest of all values in the experiment file, defaults included."""
        return digest(asdict(self.document))

    @property
    def scorers(self) -> tuple[Scorer, ...]:
        """The scorers of all variants, and of the families in the file, each once, by name."""
        needed: list[Scorer] = []
        for family in self._families_in_file:
            needed.extend(family.scorers)
        for variant in self.variants:
            needed.extend(variant.cleaner.scorers)
        by_name = {scorer.canonical_name: scorer for scorer in needed}
        return tuple(by_name[name] for name in sorted(by_name))

    @property
    def needs_links(self) -> bool:
        """Whether a variant, or a family in the file, counts the texts of links."""
        all_weights = [variant.weights for variant in self.variants]
        for family in self._families_in_file:
            all_weights.append(family.weights)
        return any(weights is not None and weights.anchors > 0 for weights in all_weights)

    @property
    def _families_in_file(self) -> tuple[DeclaredFamily, ...]:
        """The families that [choose] names; none if they follow from the sweeps or are the default ones."""
        return self.families if self.document.choose.families else ()


def load_experiment(path: Path) -> Experiment:
    """Read and check an experiment file.

    Raises:
        ConfigErrors: if anything in the file is wrong: all problems, each with its line.
        InputError: if there is no such file, or it is too large.
    """
    read = _read(path)
    document = _with_paths_from(path.parent, read.document)
    return _Reading(document, path, read.problems).experiment()


def read_labels(path: Path) -> Mapping[str, str]:
    """Return the labels of an experiment file by name; a name with a path also stands as commands have it.

    Raises:
        ConfigErrors: if a table or key of the file is wrong.
        InputError: if there is no such file, or it is too large.
    """
    read = _read(path)
    read.problems.check()
    return labels_of(read.document, path.parent)


def labels_of(document: Document, folder: Path) -> Mapping[str, str]:
    """Return the labels of a document whose paths are relative to a folder: see `read_labels`."""
    labels = dict(document.report.labels)
    for name, label in document.report.labels.items():
        labels.setdefault(moved_paths(name, folder, Path()), label)
    return labels


class _ReadFile(NamedTuple):
    """The document of an experiment file, and its problems so far."""

    document: Document
    problems: Problems


def _read(path: Path) -> _ReadFile:
    text = read_text(path, _MOST_BYTES)
    problems = Problems(path, key_lines(text))
    try:
        tables = _parsed(path, text)
        document = read_document(with_catalogue(tables), problems)
    except RecursionError as error:
        fix = "write them as the documentation shows them"
        problem = ConfigError("tables or lists are nested too deeply", fix, str(path))
        raise ConfigErrors([problem]) from error
    return _ReadFile(document, problems)


def _with_paths_from(folder: Path, document: Document) -> Document:
    """Return a document whose names have the paths of models relative to the working folder, as commands have them."""

    def moved(names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(moved_paths(name, folder, Path()) for name in names)

    sweeps: list[SweepTable] = []
    for sweep in document.sweep:
        sweeps.append(replace(sweep, scorer=moved_paths(sweep.scorer, folder, Path())))
    return replace(
        document,
        sweep=tuple(sweeps),
        cleaners=replace(document.cleaners, names=moved(document.cleaners.names)),
        choose=replace(document.choose, families=moved(document.choose.families)),
    )


def _parsed(path: Path, text: str) -> dict[str, object]:
    try:
        return tomllib.loads(text)
    except ValueError as error:  # broken TOML, and numbers of more digits than Python reads
        line = re.search(r"line (\d+)", str(error))
        number = line[1] if line else len(text.splitlines())
        message = re.sub(r"\s*\(at .*\)$", "", str(error))
        problem = ConfigError(f"this is not TOML: {message}", "correct the line", f"{path}:{number}")
        raise ConfigErrors([problem]) from error


class _Reading:
    """Makes an experiment of a document, and collects all problems on the way."""

    def __init__(self, document: Document, file: Path, problems: Problems) -> None:
        self._document = document
        self._file = file
        self._problems = problems
        self._locations = Locations(file.parent, problems, document.experiment.source)

    def experiment(self) -> Experiment:
        """Return the experiment, or raise all problems of the file as `ConfigErrors`."""
        document = self._document
        problems = self._problems
        self._check_name(document.experiment.name)
        model_names = document.retrieval.models
        models = problems.parse_list("retrieval model", model_names, parse_retrieval, ("retrieval", "models"))
        measure_names = document.evaluation.measures
        measures = problems.parse_list("measure", measure_names, _canonical_measure, ("evaluation", "measures"))
        declared = problems.parse_distinct("family", document.choose.families, parse_family, ("choose", "families"))
        pages = problems.parse([document.pages], lambda table: PageOptions(**asdict(table)), ("pages", "language"))
        self._check_costs()
        self._check_workers(document.run)
        location = self._collection_location(document.collection)
        topics = self._locations.topics(document.topics, document.qrels)
        held_out = self._held_out(topics)
        variants = read_variants(document, problems)
        families = declared or swept_families(variants) or [parse_family(name) for name in DEFAULT_FAMILIES]
        criteria = self._criteria(measures, families)
        index = self._index_options(models, variants)
        systems = self._systems(variants)
        self._locate_texts(variants, families)
        problems.check()
        assert criteria is not None  # else there are problems
        return Experiment(
            name=document.experiment.name,
            title=document.experiment.title or document.experiment.name,
            file=self._file,
            document=document,
            collection=_collection_source(location, document.collection),
            pages=pages[0],
            topics=topics,
            held_out=held_out,
            variants=variants,
            families=tuple(families),
            systems=tuple(systems),
            index=index[0],
            pruning=PruningOptions(document.pruning.statistics == STATISTICS[0], document.pruning.combined),
            retrieval=RetrievalOptions(tuple(models), document.retrieval.depth),
            evaluation=_evaluation_options(measures, document.evaluation),
            criteria=criteria,
            measure_seconds=document.measure.seconds,
            costs=document.costs,
            backend=Backend(document.run.backend, document.run.workers or os.cpu_count() or 1, document.run.scheduler),
            labels=labels_of(document, self._file.parent),
        )

    def _check_name(self, name: str) -> None:
        if not NAME.fullmatch(name):
            fix = "use letters, digits, `.`, `_` and `-`"
            self._problems.add(f"the name {name!r} cannot name a folder", fix, ("experiment", "name"))

    def _criteria(self, measures: Sequence[str], families: Sequence[DeclaredFamily]) -> ChoiceCriteria | None:
        """Return the criteria of a choice; None if a key of [choose] has a problem."""
        table = self._document.choose
        deciding = self._problems.parse(
            table.deciding, lambda measure: checked_measure(measure, measures), ("choose", "deciding")
        )
        margins = self._problems.parse([table.margin], parse_margin, ("choose", "margin"))
        sizes = self._problems.parse(filter(None, [table.bytes]), parse_size, ("choose", "bytes"))
        chosen_from = self._problems.parse(
            [table.engine], lambda engine: families_for(engine, families), ("choose", "engine")
        )
        if not margins or not chosen_from:
            return None
        return ChoiceCriteria(
            margin=margins[0],
            alpha=table.alpha,
            emptied=table.emptied,
            families=tuple(family.name for family in chosen_from[0]),
            deciding=tuple(deciding),
            bytes=sizes[0] if sizes else None,
            engine=table.engine,
        )

    def _check_costs(self) -> None:
        costs = self._document.costs
        if costs.tdp_watts and costs.measured_watts:
            what = "a machine has either its TDP or its measured power"
            self._problems.add(what, "leave one of them out", ("costs", "measured_watts"))

    def _check_workers(self, run: RunTable) -> None:
        if run.scheduler and run.backend != DASK:
            fix = f'write backend = "{DASK}"'
            self._problems.add("only the backend dask has a scheduler", fix, ("run", "scheduler"))
        if run.backend == DASK and not run.scheduler:
            fix = "give the address of one in `scheduler`"
            self._problems.add("dask has no scheduler", fix, ("run", "backend"))

    def _collection_location(self, table: CollectionTable) -> Location:
        location = self._locations.find(table.path, ("collection", "path"))
        if table.format and isinstance(location, CatalogueId):
            what = "documents of ir_datasets have their own format"
            self._problems.add(what, "leave it out", ("collection", "format"))
        try:
            IdRule(pattern=table.id_pattern, replacement=table.id_replacement)
        except ConfigError as error:
            self._problems.add(error.what, error.fix, ("collection", "id_pattern"))
        for key in ("id_field", "html_field", "text_field", "url_field"):
            names: str | tuple[str, ...] = getattr(table, key)
            if not names or not all(names):
                self._problems.add(f"{key!r} names no field", "give a name or a list of names", ("collection", key))
        return location

    def _held_out(self, topics: TopicSource) -> TopicSource | None:
        table = self._document.held_out
        if table is None:
            return None
        held_out = self._locations.held_out(table)
        if (held_out.file, held_out.qrels) == (topics.file, topics.qrels):
            what = "cutoffs are chosen on these topics"
            self._problems.add(what, "give other topics or other qrels", ("held_out", "topics"))
        return held_out

    def _index_options(self, models: Sequence[RetrievalModel], variants: Sequence[Variant]) -> list[IndexOptions]:
        """Return the options of all indexes; empty if a key of [index] has a problem."""
        at = ("index", "language")
        parsed = self._problems.parse([self._document.index], lambda table: IndexOptions(**asdict(table)), at)
        self._check_index(variants)
        stores_lengths = any(model.exact for model in models)
        if stores_lengths or any(variant.pruning for variant in variants):
            self._problems.parse(parsed, lambda options: options.analysis.check_words(), at)
        return [replace(options, lengths=stores_lengths) for options in parsed]

    def _check_index(self, variants: Sequence[Variant]) -> None:
        if self._document.index.stored and any(variant.weights for variant in variants):
            what = "the text of an index with weights has titles and headings several times"
            self._problems.add(what, "leave out stored, or the weights", ("index", "stored"))
        if not any(variant.pruning for variant in variants):
            return
        for option, what in cannot_hold(self._document.index):
            self._problems.add(what, f"leave out {option}, or the pruning methods", ("index", option))

    def _systems(self, variants: Iterable[Variant]) -> list[SystemRun]:
        systems = []
        names = {variant.name for variant in variants}
        for number, table in enumerate(self._document.system):
            if table.name in names:
                fix = "give each system a name of its own, other than the variants'"
                self._problems.add(f"two rows are named {table.name}", fix, ("system", number, "name"))
            names.add(table.name)
            if not table.name.strip():
                self._problems.add("the name is empty", "name the system", ("system", number, "name"))
            location = self._locations.find(table.path, ("system", number, "path"))
            if isinstance(location, CatalogueId):
                self._problems.add("ir_datasets has no runs", "name a file", ("system", number, "path"))
            else:
                systems.append(SystemRun(table.name, location, table.bytes))
        return systems

    def _locate_texts(self, variants: Iterable[Variant], families: Iterable[DeclaredFamily]) -> None:
        """Give the scorers of other texts the files of [[text]]."""
        paths: dict[str, Path] = {}
        for number, table in enumerate(self._document.text):
            location = self._locations.find(table.path, ("text", number, "path"))
            if isinstance(location, Path):
                paths[table.name] = location
        scorers: list[Scorer] = []
        for variant in variants:
            scorers.extend(variant.cleaner.scorers)
        for family in families:
            scorers.extend(family.scorers)
        for scorer in scorers:
            for text in scorer.required_texts:
                if isinstance(text, FileText):
                    text.path = paths.get(str(text.values["name"]))


def _collection_source(location: Location, table: CollectionTable) -> CollectionSource:
    limits = Limits(table.page_seconds, table.max_page_mib)
    return CollectionSource(location, table.format, read_options(table), limits)


def _evaluation_options(measures: Sequence[str], table: EvaluationTable) -> EvaluationOptions:
    return EvaluationOptions(tuple(measures), table.alpha, table.correction, table.test, table.seed)


def _canonical_measure(name: str) -> str:
    return str(parse_measure(name))


def checked_measure(name: str, measures: Sequence[str], where: str = "") -> str:
    """Return the canonical name of a measure that variants can be chosen by.

    Args:
        name: the measure, as ir-measures names it.
        measures: canonical names of the experiment's measures.
        where: the place of the name, for errors.

    Raises:
        ConfigError: if the measure is not among the experiment's, or does not measure effectiveness.
    """
    tested = tested_measures(measures)
    measure = _canonical_measure(name)
    if measure not in tested:
        what = f"{measure!r} is not a measure of the experiment"
        raise ConfigError(what, f"use one of {', '.join(tested)}", where)
    return measure

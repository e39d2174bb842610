"""An experiment file, read and checked: every problem is found before anything runs, each with its line."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from thresher.base.defaults import DASK, DEFAULT_FAMILIES, GRADES, STATISTICS
from thresher.base.errors import ConfigError, ConfigErrors
from thresher.base.files import digest, read_text
from thresher.cleaners.scorer import Scorer
from thresher.cleaners.scorers.extractor import FileText
from thresher.collections.catalogue import CATALOGUE_PREFIX
from thresher.collections.interface import IdRule, ReadOptions
from thresher.evaluation import is_tested, parse_measure
from thresher.evaluation.non_inferiority import parse_margin
from thresher.experiments.choosing.criteria import ChoiceCriteria
from thresher.experiments.choosing.families import parse_family
from thresher.experiments.problems import KeyPath, Problems, key_lines, read_document
from thresher.experiments.schema import CollectionTable, CostsTable, Document, read_options
from thresher.experiments.table import Variant
from thresher.experiments.variants import read_variants
from thresher.indexes.analysis import RetrievalModel, parse_retrieval
from thresher.indexes.indexing import IndexOptions, cannot_hold
from thresher.pages import PageOptions
from thresher.scores.parts import Limits

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_VARIABLE = re.compile(r"\$\{(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?::-(?P<default>[^}]*))?\}")
# A key that is left out has the value of the key before it, if that is an id of the catalogue.
_FOLLOWS = (
    (("collection", "path"), ("topics", "path")),
    (("topics", "path"), ("qrels", "path")),
    (("held_out", "topics"), ("held_out", "qrels")),
)


@dataclass(frozen=True)
class CatalogueId:
    """An id of ir_datasets, such as `clueweb12/trec-web-2013`: documents, topics and qrels that belong together."""

    id: str

    @property
    def name(self) -> str:
        """As it is written in an experiment file; a path has a `name` as well."""
        return str(self)

    def __str__(self) -> str:
        return f"{CATALOGUE_PREFIX}{self.id}"


Location = Path | CatalogueId


@dataclass(frozen=True)
class TopicSource:
    """Topics and their qrels, the field of topics that is the query, and the column of qrels that is the grade."""

    file: Location
    qrels: Location
    field: str
    column: str = GRADES[0]


@dataclass(frozen=True)
class SystemRun:
    """The baseline run of another system; `bytes` of its index, 0 where they are not known."""

    name: str
    path: Path
    bytes: int


@dataclass(frozen=True, repr=False)
class Experiment:
    """A checked experiment. `variants` begins with the baseline; no two are the same.

    `format` is the kind of the collection's files, empty to detect it. Pruned indexes are ranked with `original_statistics`,
    or else their own; `combined` cutoffs of a scorer are explored with a pruning method. `held_out` are topics on which what
    is chosen on `topics` is tested, by `criteria`. `scheduler` is the address of Dask's, empty without it.
    `texts` are files of other texts of the pages by name.
    `document` is the experiment file as it was read.
    """

    name: str
    title: str
    file: Path
    collection: Location
    format: str
    reading: ReadOptions
    limits: Limits
    topics: TopicSource
    held_out: TopicSource | None
    pages: PageOptions
    variants: tuple[Variant, ...]
    texts: Mapping[str, Path]
    systems: tuple[SystemRun, ...]
    index: IndexOptions
    original_statistics: bool
    combined: int
    retrieval: tuple[RetrievalModel, ...]
    depth: int
    measures: tuple[str, ...]
    alpha: float
    correction: str
    seed: int
    criteria: ChoiceCriteria
    measure_seconds: float
    costs: CostsTable
    workers: int
    backend: str
    scheduler: str
    digest: str
    document: Document

    def __repr__(self) -> str:
        return f"<Experiment: {self.title}, {len(self.variants)} variants, {self.file}>"

    @property
    def scorers(self) -> tuple[Scorer, ...]:
        """The scorers that the variants need, and families that are not the default ones, each once, by name."""
        families = () if self.criteria.families == DEFAULT_FAMILIES else map(parse_family, self.criteria.families)
        every = [*(variant.cleaner.scorers for variant in self.variants), *(family.scorers for family in families)]
        scorers = {scorer.canonical_name: scorer for scorers in every for scorer in scorers}
        for maker in (maker for scorer in scorers.values() for maker in scorer.required_texts):
            if isinstance(maker, FileText):
                maker.path = self.texts.get(str(maker.values["name"]))
        return tuple(scorers[name] for name in sorted(scorers))


_MOST_BYTES = 2**20
"""The largest experiment file that is read: hundreds of times the longest."""


def load_experiment(path: Path) -> Experiment:
    """Read and check an experiment file."""
    try:
        return _load(path, read_text(path, _MOST_BYTES))
    except RecursionError as error:
        what, fix = "tables or lists are nested too deeply", "write them as the documentation shows them"
        raise ConfigErrors([ConfigError(what, fix, str(path))]) from error


def _load(path: Path, text: str) -> Experiment:
    try:
        values = tomllib.loads(text)
    except ValueError as error:  # what is not TOML, and numbers of more digits than Python reads
        line = re.search(r"line (\d+)", str(error))
        where = f"{path}:{line[1] if line else len(text.splitlines())}"
        message = re.sub(r"\s*\(at .*\)$", "", str(error))
        raise ConfigErrors([ConfigError(f"this is not TOML: {message}", "correct the line", where)]) from error
    problems = Problems(path, key_lines(text))
    return _build(read_document(_with_catalogue(values), problems), path, problems)


def _build(document: Document, file: Path, problems: Problems) -> Experiment:
    table, run, evaluation, choose = document.collection, document.run, document.evaluation, document.choose
    name = document.experiment.name
    problems.source = document.experiment.source
    if not NAME.fullmatch(name):
        fix = "use letters, digits, `.`, `_` and `-`"
        problems.add(f"the name {name!r} cannot name a folder", fix, ("experiment", "name"))
    models = problems.parse_list("retrieval model", document.retrieval.models, parse_retrieval, ("retrieval", "models"))
    measures = problems.parse_list(
        "measure", evaluation.measures, lambda item: str(parse_measure(item)), ("evaluation", "measures")
    )
    families = problems.parse_list(
        "family", choose.families, lambda item: parse_family(item).name, ("choose", "families")
    )
    deciding = problems.parse(choose.deciding, lambda item: checked_measure(item, measures), ("choose", "deciding"))
    margins = problems.parse([choose.margin], parse_margin, ("choose", "margin"))
    pages = problems.parse([document.pages], lambda page: PageOptions(**asdict(page)), ("pages", "language"))
    if document.costs.tdp_watts and document.costs.measured_watts:
        what, fix = "a machine has either its TDP or its measured power", "leave one of them out"
        problems.add(what, fix, ("costs", "measured_watts"))
    if run.scheduler and run.backend != DASK:
        problems.add("only the backend dask has a scheduler", f'write backend = "{DASK}"', ("run", "scheduler"))
    if run.backend == DASK and not run.scheduler:
        problems.add("dask has no scheduler", "give the address of one in `scheduler`", ("run", "backend"))
    places = _Places(file.parent, problems)
    collection = places.of(table.path, ("collection", "path"))
    if table.format and isinstance(collection, CatalogueId):
        problems.add("documents of ir_datasets have their own format", "leave it out", ("collection", "format"))
    _check_ids(table, problems)
    topics = places.topics(("topics", "path"), ("qrels", "path"), document)
    held_out = places.topics(("held_out", "topics"), ("held_out", "qrels"), document) if document.held_out else None
    if held_out and (held_out.file, held_out.qrels) == (topics.file, topics.qrels):
        what, fix = "these are the topics that cutoffs are chosen on", "give other topics or other qrels"
        problems.add(what, fix, ("held_out", "topics"))
    variants = read_variants(document, problems)
    for option, what in cannot_hold(document.index) if any(variant.pruning for variant in variants) else ():
        problems.add(what, f"leave out {option}, or the pruning methods", ("index", option))
    systems = tuple(_systems(document, variants, places))
    texts = {table.name: places.of(table.path, ("text", at, "path")) for at, table in enumerate(document.text)}
    problems.check()
    return Experiment(
        name=name,
        title=document.experiment.title or name,
        file=file,
        collection=collection,
        format=table.format,
        reading=read_options(table),
        limits=Limits(table.page_seconds, table.max_page_mib),
        topics=topics,
        held_out=held_out,
        pages=pages[0],
        variants=variants,
        texts={name: path for name, path in texts.items() if isinstance(path, Path)},
        systems=systems,
        index=IndexOptions(**asdict(document.index), lengths=any(model.exact for model in models)),
        original_statistics=document.pruning.statistics == STATISTICS[0],
        combined=document.pruning.combined,
        retrieval=tuple(models),
        depth=document.retrieval.depth,
        measures=tuple(measures),
        alpha=evaluation.alpha,
        correction=evaluation.correction,
        seed=evaluation.seed,
        criteria=ChoiceCriteria(margins[0], choose.alpha, choose.emptied, tuple(families), tuple(deciding)),
        measure_seconds=document.measure.seconds,
        costs=document.costs,
        workers=run.workers or os.cpu_count() or 1,
        backend=run.backend,
        scheduler=run.scheduler,
        digest=digest(asdict(document)),
        document=document,
    )


def checked_measure(name: str, measures: Sequence[str], where: str = "") -> str:
    """Return the canonical name of a measure that variants can be chosen by.

    `measures` are the experiment's, by canonical names; `where` is for errors.
    """
    tested = [measure for measure in measures if is_tested(measure)]
    measure = str(parse_measure(name))
    if measure not in tested:
        what = f"{measure!r} is none of the experiment's measures"
        raise ConfigError(what, f"use one of {', '.join(tested)}", where)
    return measure


def _check_ids(table: CollectionTable, problems: Problems) -> None:
    try:
        IdRule(pattern=table.id_pattern, replacement=table.id_replacement)
    except ConfigError as error:
        problems.add(error.what, error.fix, ("collection", "id_pattern"))
    for key in ("id_field", "html_field", "text_field", "url_field"):
        value: str | tuple[str, ...] = getattr(table, key)
        if not value or not all(value):
            problems.add(f"{key!r} names no field", "give a name or a list of names", ("collection", key))


@dataclass(frozen=True)
class _Places:
    """Resolves paths in an experiment file, which are relative to its folder."""

    folder: Path
    problems: Problems

    def topics(self, topics: tuple[str, str], qrels: tuple[str, str], document: Document) -> TopicSource:
        """Return topics and their qrels, which are named at these keys."""
        field, column = getattr(document, topics[0]).field, getattr(document, qrels[0]).column
        file, judged = (self.of(getattr(getattr(document, table), key), (table, key)) for table, key in (topics, qrels))
        if isinstance(judged, CatalogueId) and column != GRADES[0]:
            what, fix = "qrels of ir_datasets have one grade here", f"use the column {GRADES[0]}"
            self.problems.add(what, fix, (qrels[0], "column"))
        return TopicSource(file, judged, field, column)

    def of(self, value: str, path: KeyPath) -> Location:
        """Return what the value of the key at `path` stands for."""
        add = self.problems.add
        matches = list(_VARIABLE.finditer(value))
        missing = [match["name"] for match in matches if match["default"] is None and not os.environ.get(match["name"])]
        for name in missing:
            add(f"the environment variable {name} is not set", f"set {name} to the folder it stands for", path)
        location = _locate(value, self.folder)
        if isinstance(location, CatalogueId):
            if not location.id:
                add(f"{CATALOGUE_PREFIX!r} has no id behind it", f"write one, such as {CATALOGUE_PREFIX}vaswani", path)
        elif not missing and not os.path.exists(location):  # noqa: PTH110, since a name too long raises there
            source = f"; {self.problems.source}" if self.problems.source else ""
            add(f"there is no {location}", f"correct the path, which is relative to the experiment file{source}", path)
        return location


def _systems(document: Document, variants: Sequence[Variant], places: _Places) -> Iterator[SystemRun]:
    taken = {variant.name for variant in variants}
    for number, table in enumerate(document.system):
        if table.name in taken:
            fix = "give each system a name of its own, other than the variants'"
            places.problems.add(f"two rows are named {table.name}", fix, ("system", number, "name"))
        taken.add(table.name)
        if not table.name.strip():
            places.problems.add("the name is empty", "name the system", ("system", number, "name"))
        location = places.of(table.path, ("system", number, "path"))
        if isinstance(location, CatalogueId):
            places.problems.add("ir_datasets has no runs", "name a file", ("system", number, "path"))
        else:
            yield SystemRun(table.name, location, table.bytes)


def _locate(value: str, folder: Path) -> Location:
    """Return what `value` stands for, with `${NAME}` and `${NAME:-default}` expanded; paths are relative to `folder`."""
    expanded = _VARIABLE.sub(lambda match: os.environ.get(match["name"]) or match["default"] or "", value)
    if expanded.startswith(CATALOGUE_PREFIX):
        return CatalogueId(expanded.removeprefix(CATALOGUE_PREFIX).strip())
    return Path(os.path.normpath(folder / expanded))


def _with_catalogue(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the experiment file with the topics and qrels that the catalogue gives with a collection, or with topics.

    What the file says itself stays; what is not a table is left for the check.
    """
    filled = dict(values)
    for (table, key), (other, missing) in _FOLLOWS:
        known, wanted = filled.get(table), filled.get(other, {})
        value = known.get(key) if isinstance(known, dict) else None
        if not isinstance(value, str) or not isinstance(_locate(value, Path()), CatalogueId):
            continue
        if isinstance(wanted, dict) and missing not in wanted:
            filled[other] = {**wanted, missing: value}
    return filled

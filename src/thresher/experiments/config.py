"""An experiment file, read and checked: every problem is found before anything runs, each with its line."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from thresher.choosing.families import parse_family
from thresher.choosing.terms import Terms
from thresher.collections.catalogue import CATALOGUE_PREFIX
from thresher.collections.ids import IdRule
from thresher.collections.interface import JsonFields, ReadOptions
from thresher.defaults import DASK, DEFAULT_FAMILIES, GRADES, STATISTICS
from thresher.errors import ConfigError, ConfigErrors
from thresher.evaluation import is_tested, parse_measure
from thresher.evaluation.non_inferiority import parse_margin
from thresher.experiments.problems import KeyPath, Problems, key_lines, read_document
from thresher.experiments.schema import ChooseTable, CollectionTable, CostsTable, Document, HeldOutTable
from thresher.experiments.variants import read_variants, twins
from thresher.files import digest, read_text
from thresher.lucene.indexing import IndexOptions
from thresher.lucene.pruned_index import cannot_hold
from thresher.lucene.retrieval import RetrievalModel, parse_retrieval
from thresher.pages import DEFAULT_OPTIONS, PageOptions
from thresher.passes.parts import Limits
from thresher.scorers.base import Scorer
from thresher.variants.table import Variant

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
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
    """Where topics and the qrels that judge them are; which field of topics is the query, which column of qrels the grade."""

    file: Location
    qrels: Location
    field: str
    column: str = GRADES[0]


@dataclass(frozen=True)
class OtherSystem:
    """A system whose run is compared with the baseline; `bytes` of its index, 0 where they are not known."""

    name: str
    path: Path
    bytes: int


@dataclass(frozen=True)
class Experiment:
    """A checked experiment. `variants` begins with the baseline; no two are the same.

    `format` is the kind of the collection's files, empty to detect it. Pruned indexes are ranked with `original_statistics`,
    or else their own; `combined` cutoffs of a scorer are explored with a pruning method. `held_out` are topics on which what
    is chosen on `topics` is tested, by `terms`. `scheduler` is the address of Dask's, empty without it.
    """

    name: str
    title: str
    file: Path
    collection: Location
    generate: str
    format: str
    reading: ReadOptions
    limits: Limits
    topics: TopicSource
    held_out: TopicSource | None
    pages: PageOptions
    variants: tuple[Variant, ...]
    systems: tuple[OtherSystem, ...]
    index: IndexOptions
    original_statistics: bool
    combined: int
    retrieval: tuple[RetrievalModel, ...]
    depth: int
    measures: tuple[str, ...]
    alpha: float
    correction: str
    seed: int
    terms: Terms
    measure_seconds: float
    costs: CostsTable
    workers: int
    backend: str
    scheduler: str
    digest: str

    @property
    def scorers(self) -> tuple[Scorer, ...]:
        """The scorers that the variants need, and families that are not the default ones, each once, by name."""
        families = () if self.terms.families == DEFAULT_FAMILIES else map(parse_family, self.terms.families)
        every = [*(variant.cleaner.scorers for variant in self.variants), *(family.scorers for family in families)]
        scorers = {scorer.canonical_name: scorer for scorers in every for scorer in scorers}
        return tuple(scorers[name] for name in sorted(scorers))


_MOST_BYTES = 2**20
"""Of an experiment file: hundreds of times the longest."""


def load_experiment(path: Path) -> Experiment:
    """Read and check an experiment file.

    Raises:
        InputError: if the file cannot be read.
        ConfigErrors: all its problems, each with its line.
    """
    text = read_text(path, _MOST_BYTES)
    try:
        values = tomllib.loads(text)
    except ValueError as error:  # what is not TOML, and numbers of more digits than Python reads
        line = re.search(r"line (\d+)", str(error))
        where = f"{path}:{line[1] if line else len(text.splitlines())}"
        message = re.sub(r"\s*\(at .*\)$", "", str(error))
        raise ConfigErrors([ConfigError(f"this is not TOML: {message}", "correct the line", where)]) from error
    except RecursionError as error:
        raise _too_deep(path) from error
    try:
        problems = Problems(path, key_lines(text))
        document = read_document(_with_catalogue(values), problems)
    except RecursionError as error:
        raise _too_deep(path) from error
    experiment = _build(document, path, problems)
    if problems:
        raise problems.error()
    return experiment


def _too_deep(path: Path) -> ConfigErrors:
    what = "tables or lists are nested too deeply"
    return ConfigErrors([ConfigError(what, "write them as the documentation shows them", str(path))])


def _build(document: Document, file: Path, problems: Problems) -> Experiment:
    """Return the experiment; it is meaningless if there are problems."""
    table, run, costs = document.collection, document.run, document.costs
    name = document.experiment.name
    problems.source = document.experiment.source or ""
    if name is not None and not _NAME.fullmatch(name):
        fix = "use letters, digits, `.`, `_` and `-`"
        problems.add(f"the name {name!r} cannot name a folder", fix, ("experiment", "name"))
    models = problems.parse_list("retrieval model", document.retrieval.models, parse_retrieval, ("retrieval", "models"))
    measures = problems.parse_list(
        "measure", document.evaluation.measures, lambda item: str(parse_measure(item)), ("evaluation", "measures")
    )
    topics = _topics(
        (document.topics.path, ("topics", "path")),
        (document.qrels.path, ("qrels", "path")),
        document.topics.field,
        document.qrels.column,
        (file.parent, problems),
    )
    if costs.tdp_watts and costs.measured_watts:
        what, fix = "a machine has either its TDP or its measured power", "leave one of them out"
        problems.add(what, fix, ("costs", "measured_watts"))
    if run.scheduler and run.backend != DASK:
        problems.add("only the backend dask has a scheduler", f'write backend = "{DASK}"', ("run", "scheduler"))
    if run.backend == DASK and not run.scheduler:
        problems.add("dask has no scheduler", "give the address of one in `scheduler`", ("run", "backend"))
    location = _location(table.path, ("collection", "path"), file.parent, problems, not table.generate)
    if table.generate and isinstance(location, CatalogueId):
        problems.add("a collection of ir_datasets cannot be generated", "leave it out", ("collection", "generate"))
    pages = problems.parse([asdict(document.pages)], lambda options: PageOptions(**options), ("pages", "language"))
    if table.format and isinstance(location, CatalogueId):
        problems.add("documents of ir_datasets have their own format", "leave it out", ("collection", "format"))
    variants = read_variants(document, problems)
    for option, what in cannot_hold(document.index) if any(variant.pruning for variant in variants) else ():
        problems.add(what, f"leave out {option}, or the pruning methods", ("index", option))
    return Experiment(
        name=name,
        title=document.experiment.title or name,
        file=file,
        collection=location,
        generate=table.generate,
        format=table.format,
        reading=_reading(table, problems),
        limits=Limits(table.page_seconds, table.max_page_mib),
        topics=topics,
        held_out=_held_out(document.held_out, topics, file.parent, problems) if document.held_out else None,
        pages=next(iter(pages), DEFAULT_OPTIONS),
        variants=(*variants, *twins(variants)) if document.evaluation.without_headings else variants,
        systems=tuple(_systems(document, variants, file.parent, problems)),
        index=IndexOptions(**asdict(document.index), lengths=any(model.exact for model in models)),
        original_statistics=document.pruning.statistics == STATISTICS[0],
        combined=document.pruning.combined,
        retrieval=tuple(models),
        depth=document.retrieval.depth,
        measures=tuple(measures),
        alpha=document.evaluation.alpha,
        correction=document.evaluation.correction,
        seed=document.evaluation.seed,
        terms=_terms(document.choose, measures, problems),
        measure_seconds=document.measure.seconds,
        costs=costs,
        workers=run.workers or os.cpu_count() or 1,
        backend=run.backend,
        scheduler=run.scheduler,
        digest=digest(asdict(document)),
    )


def checked_measure(name: str, measures: Sequence[str], where: str = "") -> str:
    """Return the canonical name of a measure that variants can be chosen by.

    Args:
        name: an ir-measures name.
        measures: canonical names of those of the experiment.
        where: for errors.

    Raises:
        ConfigError: if it does not parse, is not one of the experiment's, or does not measure effectiveness.
    """
    tested = [measure for measure in measures if is_tested(measure)]
    measure = str(parse_measure(name))
    if measure not in tested:
        what = f"{measure!r} is none of the experiment's measures"
        raise ConfigError(what, f"use one of {', '.join(tested)}", where)
    return measure


def _terms(table: ChooseTable, measures: Sequence[str], problems: Problems) -> Terms:
    at = "choose"
    names = problems.parse_list("family", table.families, lambda item: parse_family(item).name, (at, "families"))
    deciding = problems.parse(table.deciding, lambda item: checked_measure(item, measures), (at, "deciding"))
    margins = problems.parse([table.margin], parse_margin, (at, "margin"))
    return Terms(next(iter(margins), Terms().margin), table.alpha, table.emptied, tuple(names), tuple(deciding))


def _reading(table: CollectionTable, problems: Problems) -> ReadOptions:
    try:
        re.sub(table.id_pattern, table.id_replacement, "")
    except (re.error, IndexError) as error:
        what = f"this is not a regular expression with its replacement ({error})"
        problems.add(what, "correct it", ("collection", "id_pattern"))
    names = []
    for key in ("id_field", "html_field", "text_field", "url_field"):
        value: str | tuple[str, ...] = getattr(table, key)
        names.append((value,) if isinstance(value, str) else value)
        if not all(names[-1]) or not names[-1]:
            problems.add(f"{key!r} names no field", "give a name or a list of names", ("collection", key))
    rule = IdRule(table.ids, table.prefix, table.keep_suffix, table.escape_ids, table.id_pattern, table.id_replacement)
    return ReadOptions(rule, int(table.max_page_mib * 2**20), JsonFields(*names))


def _held_out(table: HeldOutTable, topics: TopicSource, folder: Path, problems: Problems) -> TopicSource:
    held_out = _topics(
        (table.topics, ("held_out", "topics")),
        (table.qrels, ("held_out", "qrels")),
        table.field,
        table.column,
        (folder, problems),
    )
    if table.topics is not None and (held_out.file, held_out.qrels) == (topics.file, topics.qrels):
        what, fix = "these are the topics that cutoffs are chosen on", "give other topics or other qrels"
        problems.add(what, fix, ("held_out", "topics"))
    return held_out


def _topics(
    file: tuple[str, KeyPath], qrels: tuple[str, KeyPath], field: str, column: str, reading: tuple[Path, Problems]
) -> TopicSource:
    """Return the source of topics; `file` and `qrels` are values with the paths of their keys."""
    source = TopicSource(_location(*file, *reading), _location(*qrels, *reading), field, column)
    if isinstance(source.qrels, CatalogueId) and column != GRADES[0]:
        what, fix = "qrels of ir_datasets have one grade here", f"use the column {GRADES[0]}"
        reading[1].add(what, fix, (qrels[1][0], "column"))
    return source


def _location(value: str | None, path: KeyPath, folder: Path, problems: Problems, must_exist: bool = True) -> Location:
    """Return what the value of the key at `path` stands for; None, an earlier problem, is not a new one."""
    if value is None:
        return Path()
    matches = list(_VARIABLE.finditer(value))
    missing = [match["name"] for match in matches if match["default"] is None and not os.environ.get(match["name"])]
    for name in missing:
        problems.add(f"the environment variable {name} is not set", f"set {name} to the folder it stands for", path)
    location = _locate(value, folder)
    if isinstance(location, CatalogueId):
        if not location.id:
            fix = f"write one, such as {CATALOGUE_PREFIX}vaswani"
            problems.add(f"{CATALOGUE_PREFIX!r} has no id behind it", fix, path)
    elif must_exist and not missing and not os.path.exists(location):  # noqa: PTH110, since a name too long raises there
        fix = "correct the path, which is relative to the experiment file"
        problems.add(f"there is no {location}", f"{fix}; {problems.source}" if problems.source else fix, path)
    return location


def _systems(
    document: Document, variants: Sequence[Variant], folder: Path, problems: Problems
) -> Iterator[OtherSystem]:
    taken = {variant.name for variant in variants}
    for number, table in enumerate(document.system):
        given: tuple[Any, ...] = (table.name, table.path)
        if not all(isinstance(value, str) for value in given):
            # An earlier problem.
            continue
        if table.name in taken:
            fix = "give each system a name of its own, other than the variants'"
            problems.add(f"two rows are named {table.name}", fix, ("system", number, "name"))
        taken.add(table.name)
        location = _location(table.path, ("system", number, "path"), folder, problems)
        if isinstance(location, CatalogueId):
            problems.add("ir_datasets has no runs", "name a file", ("system", number, "path"))
        else:
            yield OtherSystem(table.name, location, table.bytes)


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

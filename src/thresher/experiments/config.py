"""An experiment file, read and checked: every problem is found before anything runs, each with its line."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from thresher.collections.base import IdRule, JsonFields, ReadOptions
from thresher.errors import ConfigError, ConfigErrors
from thresher.evaluation import GRADES, parse_measure
from thresher.experiments.locations import CatalogueId, Location, TopicSource, with_catalogue
from thresher.experiments.problems import Problems
from thresher.experiments.schema_check import check
from thresher.experiments.toml_lines import key_lines
from thresher.experiments.variants import Variant, read_variants
from thresher.files import digest, read_text
from thresher.lucene.indexing import IndexOptions
from thresher.lucene.retrieval import RetrievalModel, parse_retrieval
from thresher.pages import PageOptions
from thresher.passes.backends import DASK
from thresher.scoring.worker import Limits

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_FIELD_KEYS = ("id_field", "html_field", "text_field", "url_field")


@dataclass(frozen=True)
class CostOptions:
    """How costs are reckoned: kg CO2 a kWh, watts (None to look them up), the method."""

    carbon_intensity: float
    tdp_watts: float | None
    co2: str


@dataclass(frozen=True)
class Experiment:
    """A checked experiment. `variants` begins with the baseline; no two are the same.

    `format` is the kind of the collection's files, empty to tell it by name and content. `held_out` are topics on which what
    is chosen on `topics` is tested. `scheduler` is the address of Dask's, empty without it.
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
    index: IndexOptions
    retrieval: tuple[RetrievalModel, ...]
    depth: int
    measures: tuple[str, ...]
    seed: int
    costs: CostOptions
    workers: int
    backend: str
    scheduler: str
    digest: str

    @property
    def scorers(self) -> tuple[Any, ...]:
        """The scorers that the variants need, each once, by name."""
        found = {scorer.canonical_name: scorer for variant in self.variants for scorer in variant.cleaner.scorers}
        return tuple(found[name] for name in sorted(found))


def load_experiment(path: Path) -> Experiment:
    """Read and check an experiment file.

    Raises:
        InputError: if the file cannot be read.
        ConfigErrors: all its problems, each with its line.
    """
    text = read_text(path)
    try:
        document = tomllib.loads(text)
    except ValueError as error:  # what is no TOML, and numbers of more digits than Python reads
        line = re.search(r"line (\d+)", str(error))
        where = f"{path}:{line[1]}" if line else f"{path}:{len(text.splitlines())}"
        message = re.sub(r"\s*\(at .*\)$", "", str(error))
        raise ConfigErrors([ConfigError(f"this is not TOML: {message}", "correct the line", where)]) from error
    problems = Problems(path, key_lines(text))
    tables = check(with_catalogue(document), problems.add)
    experiment = _build(tables, path, problems)
    if experiment is None:
        raise problems.error()
    return experiment


def _build(tables: Mapping[str, Any], path: Path, problems: Problems) -> Experiment | None:
    name = tables["experiment"]["name"]
    if name is not None and not _NAME.fullmatch(name):
        problems.add(
            f"the name {name!r} cannot name a folder",
            "use letters, digits, `.`, `_` and `-`",
            ("experiment", "name"),
        )
    evaluation, run = tables["evaluation"], tables["run"]
    models = problems.parse_each(tables["retrieval"]["models"], parse_retrieval, ("retrieval", "models"))
    problems.check_list("retrieval model", [model.name for model in models], ("retrieval", "models"))
    names = evaluation["measures"]
    measures = problems.parse_each(names, lambda item: str(parse_measure(item)), ("evaluation", "measures"))
    problems.check_list("measure", measures, ("evaluation", "measures"))
    variants = read_variants(tables, problems)
    collection, reading = _collection(tables["collection"], problems)
    topics = _topics(tables, ("topics", "path"), ("qrels", "path"), problems)
    held_out = _topics(tables, ("held_out", "topics"), ("held_out", "qrels"), problems)
    is_held_out = tables["held_out"]["topics"] is not None
    if is_held_out and (held_out.file, held_out.qrels) == (topics.file, topics.qrels):
        problems.add(
            "these are the topics that cutoffs are chosen on",
            "give other topics or other qrels",
            ("held_out", "topics"),
        )
    if run["scheduler"] and run["backend"] != DASK:
        problems.add("a scheduler is of use to dask alone", f'write backend = "{DASK}"', ("run", "scheduler"))
    if run["backend"] == DASK and not run["scheduler"]:
        problems.add("dask has no scheduler", "give the address of one in `scheduler`", ("run", "backend"))
    if problems:
        return None
    costs = tables["costs"]
    lengths = any(model.exact for model in models)
    return Experiment(
        name=name,
        title=tables["experiment"]["title"] or name,
        file=path,
        collection=collection,
        generate=tables["collection"]["generate"],
        format=tables["collection"]["format"],
        reading=reading,
        limits=Limits(float(tables["collection"]["page_seconds"]), float(tables["collection"]["max_page_mib"])),
        topics=topics,
        held_out=held_out if is_held_out else None,
        pages=PageOptions(**tables["pages"]),
        variants=variants,
        index=IndexOptions(**tables["index"], lengths=lengths),
        retrieval=tuple(models),
        depth=tables["retrieval"]["depth"],
        measures=tuple(measures),
        seed=evaluation["seed"],
        costs=CostOptions(float(costs["carbon_intensity"]), float(costs["tdp_watts"]) or None, costs["co2"]),
        workers=run["workers"] or os.cpu_count() or 1,
        backend=run["backend"],
        scheduler=run["scheduler"],
        digest=digest(tables),
    )


def _topics(
    tables: Mapping[str, Any], file: tuple[str, str], qrels: tuple[str, str], problems: Problems
) -> TopicSource:
    """Read the keys at the paths `file` and `qrels`, and those that belong to them, of the same tables."""
    own, judging = tables[file[0]], tables[qrels[0]]
    source = TopicSource(
        problems.location(own[file[1]], file),
        problems.location(judging[qrels[1]], qrels),
        own["field"],
        judging["column"],
    )
    if isinstance(source.qrels, CatalogueId) and source.column != GRADES[0]:
        problems.add("qrels of ir_datasets have one grade here", f"use the column {GRADES[0]}", (qrels[0], "column"))
    return source


def _collection(table: Mapping[str, Any], problems: Problems) -> tuple[Location, ReadOptions]:
    location = problems.location(table["path"], ("collection", "path"), not table["generate"])
    if table["generate"] and isinstance(location, CatalogueId):
        problems.add("a collection of ir_datasets cannot be generated", "leave it out", ("collection", "generate"))
    try:
        re.sub(table["id_pattern"], table["id_replacement"], "")
    except (re.error, IndexError) as error:
        problems.add(
            f"this is no regular expression with its replacement ({error})", "correct it", ("collection", "id_pattern")
        )
    rule = IdRule(
        table["ids"],
        table["prefix"],
        table["keep_suffix"],
        table["escape_ids"],
        table["id_pattern"],
        table["id_replacement"],
    )
    fields = [_names(table, key, problems) for key in _FIELD_KEYS]
    return location, ReadOptions(rule, int(table["max_page_mib"] * 2**20), JsonFields(*fields))


def _names(table: Mapping[str, Any], key: str, problems: Problems) -> tuple[str, ...]:
    names = (table[key],) if isinstance(table[key], str) else tuple(table[key])
    if not all(names) or not names:
        problems.add(f"{key!r} names no field", "give a name or a list of names", ("collection", key))
    return names

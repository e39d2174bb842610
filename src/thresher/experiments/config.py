"""An experiment file, read and checked: every problem is found before anything runs, each with its line."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from thresher.collections import IdRule
from thresher.errors import ConfigError, ConfigErrors
from thresher.evaluation import parse_measure
from thresher.experiments.cutoffs import read_cutoffs
from thresher.experiments.schema import check
from thresher.experiments.toml_lines import key_lines, line_of
from thresher.files import digest, read_text, safe_name
from thresher.lucene.indexing import IndexOptions
from thresher.lucene.retrieval import RetrievalModel, parse_retrieval
from thresher.pages import PageOptions
from thresher.pruning.worker import Limits
from thresher.scorers.cleaners import Cleaner, Cut, parse_cleaner, parse_sweep, sweep_name
from thresher.scorers.relative_cutoffs import Percentile

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_VARIABLE = re.compile(r"\$\{(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?::-(?P<default>[^}]*))?\}")

Parsed = TypeVar("Parsed")


@dataclass(frozen=True)
class Variant:
    """A cleaner applied to the collection. `sweep` is its sweep's name, `cutoff` its place there.

    A sweep is named by its scorer, with `@p` or `@r` behind it where cutoffs are percentiles, of 0 to 100.
    """

    cleaner: Cleaner
    sweep: str | None = None
    cutoff: float | None = None

    @property
    def name(self) -> str:
        """The cleaner's canonical name."""
        return self.cleaner.name

    @property
    def folder(self) -> str:
        """The name as a file name."""
        return safe_name(self.name)


@dataclass(frozen=True)
class CostOptions:
    """How costs are reckoned: kg CO2 a kWh, watts (None to look them up), the method."""

    carbon_intensity: float
    tdp_watts: float | None
    co2: str


@dataclass(frozen=True)
class Experiment:
    """A checked experiment. `variants` begins with the baseline; no two are the same."""

    name: str
    title: str
    file: Path
    collection: Path
    generate: str
    ids: IdRule
    limits: Limits
    topics: Path
    topic_field: str
    qrels: Path
    pages: PageOptions
    variants: tuple[Variant, ...]
    index: IndexOptions
    retrieval: tuple[RetrievalModel, ...]
    depth: int
    measures: tuple[str, ...]
    seed: int
    costs: CostOptions
    workers: int
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
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"line (\d+)", str(error))
        where = f"{path}:{line[1]}" if line else f"{path}:{len(text.splitlines())}"
        message = re.sub(r"\s*\(at .*\)$", "", str(error))
        raise ConfigErrors([ConfigError(f"this is not TOML: {message}", "correct the line", where)]) from error
    reader = _Reader(path, key_lines(text))
    tables = check(document, reader.add)
    experiment = _build(tables, path, reader)
    if reader.problems:
        raise ConfigErrors(sorted(reader.problems, key=lambda problem: _line(problem.where)))
    assert experiment is not None
    return experiment


class _Reader:
    """Collects problems with the lines they are on."""

    def __init__(self, path: Path, lines: dict[tuple[str | int, ...], int]) -> None:
        self.path, self.lines = path, lines
        self.problems: list[ConfigError] = []

    def add(self, what: str, fix: str, path: tuple[str | int, ...]) -> None:
        self.problems.append(ConfigError(what, fix, self.where(path)))

    def where(self, path: tuple[str | int, ...]) -> str:
        line = line_of(self.lines, path)
        return f"{self.path}:{line}" if line else str(self.path)

    def parse(self, function: Callable[[], Parsed], path: tuple[str | int, ...]) -> Parsed | None:
        """Call `function`; an error it raises becomes a problem at `path`."""
        try:
            return function()
        except ConfigError as error:
            self.problems.append(ConfigError(error.what, error.fix, self.where(path)))
            return None

    def file(self, value: str | None, path: tuple[str | int, ...], must_exist: bool = True) -> Path:
        """Return a path of the experiment file, which is relative to it; `${NAME}` and `${NAME:-default}` are expanded."""
        if value is None:
            return Path()
        missing = [
            found["name"]
            for found in _VARIABLE.finditer(value)
            if found["default"] is None and not os.environ.get(found["name"])
        ]
        for name in missing:
            self.add(f"the environment variable {name} is not set", f"set {name} to the folder it stands for", path)
        expanded = _VARIABLE.sub(lambda found: os.environ.get(found["name"]) or found["default"] or "", value)
        resolved = Path(os.path.normpath(self.path.parent / expanded))
        if must_exist and not missing and not resolved.exists():
            self.add(f"there is no {resolved}", "correct the path, which is relative to the experiment file", path)
        return resolved


def _build(tables: dict[str, Any], path: Path, reader: _Reader) -> Experiment | None:
    name = tables["experiment"]["name"]
    if name is not None and not _NAME.fullmatch(name):
        reader.add(
            f"the name {name!r} cannot name a folder",
            "use letters, digits, `.`, `_` and `-`",
            ("experiment", "name"),
        )
    collection, topics, evaluation = tables["collection"], tables["topics"], tables["evaluation"]
    models = _each(tables["retrieval"]["models"], parse_retrieval, ("retrieval", "models"), reader)
    measures = _each(evaluation["measures"], lambda item: str(parse_measure(item)), ("evaluation", "measures"), reader)
    _check_list("retrieval model", [model.name for model in models], ("retrieval", "models"), reader)
    _check_list("measure", measures, ("evaluation", "measures"), reader)
    variants = _variants(tables, reader)
    try:
        re.sub(collection["id_pattern"], collection["id_replacement"], "")
    except (re.error, IndexError) as error:
        reader.add(
            f"this is no regular expression with its replacement ({error})", "correct it", ("collection", "id_pattern")
        )
    files = [
        reader.file(collection["path"], ("collection", "path"), not collection["generate"]),
        reader.file(topics["path"], ("topics", "path")),
        reader.file(tables["qrels"]["path"], ("qrels", "path")),
    ]
    if reader.problems:
        return None
    costs = tables["costs"]
    lengths = any(model.exact for model in models)
    return Experiment(
        name=name,
        title=tables["experiment"]["title"] or name,
        file=path,
        collection=files[0],
        generate=collection["generate"],
        ids=IdRule(
            collection["ids"],
            collection["prefix"],
            collection["keep_suffix"],
            collection["escape_ids"],
            collection["id_pattern"],
            collection["id_replacement"],
        ),
        limits=Limits(float(collection["page_seconds"]), float(collection["max_page_mib"])),
        topics=files[1],
        topic_field=topics["field"],
        qrels=files[2],
        pages=PageOptions(**tables["pages"]),
        variants=variants,
        index=IndexOptions(**tables["index"], lengths=lengths),
        retrieval=tuple(models),
        depth=tables["retrieval"]["depth"],
        measures=tuple(measures),
        seed=evaluation["seed"],
        costs=CostOptions(float(costs["carbon_intensity"]), float(costs["tdp_watts"]) or None, costs["co2"]),
        workers=tables["run"]["workers"] or os.cpu_count() or 1,
        digest=digest(tables),
    )


def _check_list(what: str, names: Sequence[str], at: tuple[str | int, ...], reader: _Reader) -> None:
    if not names and not any(problem.where == reader.where(at) for problem in reader.problems):
        reader.add(f"there is no {what}", "list at least one", at)
    for double in sorted({name for name in names if names.count(name) > 1}):
        reader.add(f"the {what} {double!r} is listed twice", "list it once", at)


def _variants(tables: dict[str, Any], reader: _Reader) -> tuple[Variant, ...]:
    variants: list[tuple[Variant, tuple[str | int, ...]]] = [(Variant(Cleaner()), ("experiment",))]
    for number, sweep in enumerate(tables["sweep"]):
        variants += [(variant, ("sweep", number)) for variant in _sweep(sweep, number, reader)]
    at: tuple[str | int, ...] = ("cleaners", "names")
    for cleaner in _each(tables["cleaners"]["names"], lambda name: parse_cleaner(name).checked(), at, reader):
        variants.append((Variant(cleaner), at))
    seen: dict[str, str] = {}
    for variant, at in variants:
        if variant.folder in seen:
            reader.add(f"the variant {variant.name!r} comes twice", "leave one out", at)
        seen[variant.folder] = variant.name
    return tuple(variant for variant, _ in variants)


def _sweep(sweep: dict[str, Any], number: int, reader: _Reader) -> list[Variant]:
    at = ("sweep", number)
    template: Cut | None = None
    if sweep["scorer"] is not None:
        template = reader.parse(lambda: parse_sweep(sweep["scorer"]).checked(), (*at, "scorer"))
    cutoffs = read_cutoffs(sweep["cutoffs"], (*at, "cutoffs"), reader.add)
    if template is None:
        return []
    found = []
    for cutoff in cutoffs:
        cut = reader.parse(lambda cutoff=cutoff: template.at(cutoff, "").checked(), (*at, "cutoffs"))  # type: ignore[misc]
        if cut is not None:
            place = cutoff.value if isinstance(cutoff, Percentile) else cutoff
            found.append(Variant(Cleaner((cut,)), sweep_name(template, cutoff), place))
    return found


def _each(
    items: Sequence[str], parse: Callable[[str], Parsed], at: tuple[str | int, ...], reader: _Reader
) -> list[Parsed]:
    parsed = [reader.parse(lambda item=item: parse(item), at) for item in items]  # type: ignore[misc]
    return [item for item in parsed if item is not None]


def _line(where: str | None) -> int:
    number = (where or "").rpartition(":")[2]
    return int(number) if number.isdigit() else 0

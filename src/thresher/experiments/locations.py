"""The files and datasets that an experiment file names."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from thresher.base.defaults import GRADES
from thresher.collections.catalogue import CATALOGUE_PREFIX
from thresher.experiments.problems import KeyPath, Problems
from thresher.experiments.schema import HeldOutTable, QrelsTable, TopicsTable

_VARIABLE = re.compile(r"\$\{(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?::-(?P<default>[^}]*))?\}")


@dataclass(frozen=True)
class CatalogueId:
    """An id of ir_datasets, such as `clueweb12/trec-web-2013`: documents, topics and qrels that belong together."""

    id: str

    @property
    def name(self) -> str:
        """The id as an experiment file has it; a path has a `name` as well."""
        return str(self)

    def __str__(self) -> str:
        return f"{CATALOGUE_PREFIX}{self.id}"


Location = Path | CatalogueId


@dataclass(frozen=True)
class TopicSource:
    """Topics and their qrels.

    Args:
        file: the topics.
        qrels: the judgments.
        field: the field of topics that is the query.
        column: the column of qrels that is the grade.
    """

    file: Location
    qrels: Location
    field: str
    column: str = GRADES[0]


class _Inherited(NamedTuple):
    """A key that, if left out, takes the id of another key: the dataset has both."""

    source: tuple[str, str]
    target: tuple[str, str]


_INHERITED = (
    _Inherited(source=("collection", "path"), target=("topics", "path")),
    _Inherited(source=("topics", "path"), target=("qrels", "path")),
    _Inherited(source=("held_out", "topics"), target=("held_out", "qrels")),
)


def with_catalogue(tables: Mapping[str, Any]) -> dict[str, Any]:
    """Return the tables of an experiment file with the topics and qrels that a dataset of ir_datasets brings along.

    Keys of the file itself stay. Values that are not tables stay too, for the check that follows.
    """
    filled = dict(tables)
    for (source_table, source_key), (table, key) in _INHERITED:
        source = filled.get(source_table)
        target = filled.get(table, {})
        if not isinstance(source, dict) or not isinstance(target, dict) or key in target:
            continue
        value = source.get(source_key)
        if isinstance(value, str) and isinstance(locate(value, Path()), CatalogueId):
            filled[table] = {**target, key: value}
    return filled


def locate(value: str, folder: Path) -> Location:
    """Return the location that a value names: `${NAME}` and `${NAME:-default}` expanded, paths relative to `folder`."""
    expanded = _VARIABLE.sub(lambda match: os.environ.get(match["name"]) or match["default"] or "", value)
    if expanded.startswith(CATALOGUE_PREFIX):
        return CatalogueId(expanded.removeprefix(CATALOGUE_PREFIX).strip())
    return Path(os.path.normpath(folder / expanded))


@dataclass(frozen=True)
class Locations:
    """Finds the files and datasets that an experiment file names, and notes which are missing.

    Args:
        folder: the file's folder, which paths are relative to.
        problems: collects the problems.
        source: where to get the files; empty if the experiment file does not say it.
    """

    folder: Path
    problems: Problems
    source: str

    def find(self, value: str, path: KeyPath) -> Location:
        """Return the location that the value of the key at `path` names."""
        unset = []
        for match in _VARIABLE.finditer(value):
            name = match["name"]
            if match["default"] is None and not os.environ.get(name):
                unset.append(name)
                fix = f"set {name} to a folder"
                self.problems.add(f"the environment variable {name} is not set", fix, path)
        location = locate(value, self.folder)
        if isinstance(location, CatalogueId):
            if not location.id:
                fix = f"write one, such as {CATALOGUE_PREFIX}vaswani"
                self.problems.add(f"{CATALOGUE_PREFIX!r} has no id behind it", fix, path)
        elif not unset and not os.path.exists(location):  # noqa: PTH110, since a name too long raises there
            fix = "correct the path, which is relative to the experiment file"
            if self.source:
                fix = f"{fix}; {self.source}"
            self.problems.add(f"there is no {location}", fix, path)
        return location

    def topics(self, topics: TopicsTable, qrels: QrelsTable) -> TopicSource:
        """Return the topics of [topics] and [qrels]."""
        judgments = self.find(qrels.path, ("qrels", "path"))
        self._check_column(judgments, qrels.column, "qrels")
        return TopicSource(self.find(topics.path, ("topics", "path")), judgments, topics.field, qrels.column)

    def held_out(self, table: HeldOutTable) -> TopicSource:
        """Return the topics of [held_out]."""
        judgments = self.find(table.qrels, ("held_out", "qrels"))
        self._check_column(judgments, table.column, "held_out")
        return TopicSource(self.find(table.topics, ("held_out", "topics")), judgments, table.field, table.column)

    def _check_column(self, judgments: Location, column: str, table: str) -> None:
        if isinstance(judgments, CatalogueId) and column != GRADES[0]:
            fix = f"use the column {GRADES[0]}"
            self.problems.add("qrels of ir_datasets have one grade here", fix, (table, "column"))

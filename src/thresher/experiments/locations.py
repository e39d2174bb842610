"""Where inputs lie: in a file or folder, or in the catalogue of ir_datasets under an id."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from thresher.collections.catalogue_records import CATALOGUE_PREFIX
from thresher.evaluation import GRADES

_VARIABLE = re.compile(r"\$\{(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?::-(?P<default>[^}]*))?\}")
# What has no location of its own is where the key before it is, if that is the catalogue.
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


def unset_variables(value: str) -> list[str]:
    """Return the environment variables that `${NAME}` in `value` needs and that are not set."""
    return [
        found["name"]
        for found in _VARIABLE.finditer(value)
        if found["default"] is None and not os.environ.get(found["name"])
    ]


def locate(value: str, folder: Path) -> Location:
    """Return what `value` stands for, with `${NAME}` and `${NAME:-default}` expanded; paths are relative to `folder`."""
    expanded = _VARIABLE.sub(lambda found: os.environ.get(found["name"]) or found["default"] or "", value)
    if expanded.startswith(CATALOGUE_PREFIX):
        return CatalogueId(expanded.removeprefix(CATALOGUE_PREFIX).strip())
    return Path(os.path.normpath(folder / expanded))


def with_catalogue(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the experiment file with the topics and qrels that the catalogue gives with a collection, or with topics.

    What the file says itself stays; tables that are none are left for the check to find.
    """
    filled = dict(document)
    for (table, key), (other, missing) in _FOLLOWS:
        known, wanted = filled.get(table), filled.get(other, {})
        value = known.get(key) if isinstance(known, dict) else None
        if not isinstance(value, str) or not isinstance(locate(value, Path()), CatalogueId):
            continue
        if isinstance(wanted, dict) and missing not in wanted:
            filled[other] = {**wanted, missing: value}
    return filled

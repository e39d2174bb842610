"""Results as two files: `variants.parquet`, the tables of all retrieval models, and `results.json`, the facts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from thresher.errors import StateError
from thresher.files import atomic_path, file_digest
from thresher.lucene.work import IndexStatistics
from thresher.parquet_files import open_parquet
from thresher.pruning_methods.treatments import parse_treatment
from thresher.records import RecordFile
from thresher.variants.costs import Built
from thresher.variants.results import Facts, Results
from thresher.variants.table import Bounds, Floats, Row, Variant, VariantTable

TABLE_FILE = "variants.parquet"
RESULTS_FILE = "results.json"
_FIX = "run or explore the experiment again, or use the version of thresher that wrote the file"
_VERSION = 5


@dataclass(frozen=True)
class _Kept:
    """The facts, and the digest of the tables that belong to them."""

    table: str
    measures: tuple[str, ...]
    facts: Facts


@dataclass(frozen=True)
class _Details:
    """What the table has as JSON: figures that only tables of costs show."""

    built: Built | None
    bounds: Bounds | None


_FILE = RecordFile(_Kept, "a results file", _FIX, "thresher-results", _VERSION)
_DETAILS = RecordFile(_Details, "what building took", _FIX)

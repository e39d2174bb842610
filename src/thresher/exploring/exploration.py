"""What exploring returns, and `explored.json`."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.errors import StateError
from thresher.records import RecordFile


@dataclass(frozen=True)
class Size:
    """The counts of an index: documents that are not blank, tokens, postings (pairs of a document and a term), and different
    terms.
    """

    documents: int
    tokens: int
    postings: int
    vocabulary: int


@dataclass(frozen=True)
class SizeErrors:
    """Errors of estimating each of `indexes` built indexes from the others, as shares of its bytes.

    Only of indexes with at least a tenth of the largest one's bytes.
    """

    indexes: int
    mean: float
    largest: float


@dataclass(frozen=True)
class ExploredSweep:
    """Variants, the strictest first: the cutoffs of one scorer, or a single variant.

    Args:
        name: the scorer's canonical name with headings kept or not, or the single variant's.
        variants: canonical names.
        cutoffs: by variant; None for a single variant.
        words: kept of the collection, by variant.
        sizes: by variant.
        bytes: of the index, estimated, by variant; None where there is nothing to estimate them by.
        values: shape (models, measures, variants, topics), in the order of `Exploration`'s lists.
        held_out: the same on the held-out topics; None if there are none.
    """

    name: str
    variants: tuple[str, ...]
    cutoffs: tuple[float, ...] | None
    words: tuple[int, ...]
    sizes: tuple[Size, ...]
    bytes: tuple[int, ...] | None
    values: npt.NDArray[np.float64]
    held_out: npt.NDArray[np.float64] | None = None

    def means(self, model: int, measure: int) -> npt.NDArray[np.float64]:
        """Return the mean over topics of a measure by variant; shape (variants,)."""
        return _means(self.values, model, measure)

    def held_out_means(self, model: int, measure: int) -> npt.NDArray[np.float64] | None:
        """Return the mean over the held-out topics of a measure by variant, shape (variants,); None if there are none."""
        return None if self.held_out is None else _means(self.held_out, model, measure)


@dataclass(frozen=True)
class Exploration:
    """All sweeps and single variants that were asked for, the baseline among them.

    Args:
        documents: with text before cleaning.
        words: of those.
        depth: of the rankings.
        size_errors: None if too few indexes were built to estimate bytes.
        held_out: topics; their ids may be among `topics` too.
        key: of all that the values rest on, see `thresher.experiments.stages`.
    """

    retrieval: tuple[str, ...]
    measures: tuple[str, ...]
    topics: tuple[str, ...]
    documents: int
    words: int
    depth: int
    sweeps: tuple[ExploredSweep, ...]
    size_errors: SizeErrors | None
    held_out: tuple[str, ...] = ()
    key: str = ""

    def sweep(self, name: str) -> ExploredSweep:
        """Return the sweep of that name.

        Raises:
            KeyError: if there is none.
        """
        for sweep in self.sweeps:
            if sweep.name == name:
                return sweep
        raise KeyError(name)


def _means(values: npt.NDArray[np.float64], model: int, measure: int) -> npt.NDArray[np.float64]:
    means: npt.NDArray[np.float64] = values[model, measure].mean(axis=1)
    return means


FILE = "explored.json"

_Means = tuple[tuple[tuple[float, ...], ...], ...]
_Values = tuple[tuple[tuple[tuple[float, ...], ...], ...], ...]
_SHARED = ("name", "variants", "cutoffs", "words", "bytes")
_COUNTS = ("documents", "tokens", "postings", "vocabulary")


@dataclass(frozen=True)
class _StoredSweep:
    """A sweep as the file has it: counts as lists by variant, and means over topics beside the values."""

    name: str
    variants: tuple[str, ...]
    cutoffs: tuple[float, ...] | None
    words: tuple[int, ...]
    bytes: tuple[int, ...] | None
    documents: tuple[int, ...]
    tokens: tuple[int, ...]
    postings: tuple[int, ...]
    vocabulary: tuple[int, ...]
    means: _Means
    values: _Values
    held_out_means: _Means | None
    held_out: _Values | None


@dataclass(frozen=True)
class _StoredExploration:
    key: str
    retrieval: tuple[str, ...]
    measures: tuple[str, ...]
    topics: tuple[str, ...]
    held_out: tuple[str, ...]
    documents: int
    words: int
    depth: int
    size_errors: SizeErrors | None
    sweeps: tuple[_StoredSweep, ...]


_FIX = "run `thresher explore` again"
_RECORDS = RecordFile(_StoredExploration, "an exploration", _FIX, "thresher-exploration", 3, StateError)
_FIELDS = tuple(field.name for field in fields(_StoredExploration) if field.name != "sweeps")


def write_exploration(exploration: Exploration, folder: Path) -> None:
    """Write an exploration to `explored.json` in a folder, whole or not at all."""
    sweeps = tuple(map(_stored, exploration.sweeps))
    shared = {name: getattr(exploration, name) for name in _FIELDS}
    _RECORDS.write(folder / FILE, _StoredExploration(**shared, sweeps=sweeps))


def read_exploration(folder: Path) -> Exploration:
    """Read what `write_exploration` wrote.

    Raises:
        StateError: if it is missing, damaged, or of another version.
    """
    path = folder / FILE
    if not path.exists():
        raise StateError("nothing was explored yet", "run `thresher explore` first", str(path))
    stored = _RECORDS.read(path)
    try:
        sweeps = tuple(map(_sweep, stored.sweeps))
    except ValueError as error:
        raise StateError("lists of the exploration differ in length", _FIX, str(path)) from error
    return Exploration(**{name: getattr(stored, name) for name in _FIELDS}, sweeps=sweeps)


def _stored(sweep: ExploredSweep) -> _StoredSweep:
    lists: dict[str, Any] = {name: getattr(sweep, name) for name in _SHARED}
    lists |= {name: tuple(getattr(size, name) for size in sweep.sizes) for name in _COUNTS}
    return _StoredSweep(
        **lists,
        means=sweep.values.mean(axis=3).tolist(),
        values=sweep.values.tolist(),
        held_out_means=None if sweep.held_out is None else sweep.held_out.mean(axis=3).tolist(),
        held_out=None if sweep.held_out is None else sweep.held_out.tolist(),
    )


def _sweep(stored: _StoredSweep) -> ExploredSweep:
    counts = zip(*(getattr(stored, name) for name in _COUNTS), strict=True)
    return ExploredSweep(
        **{name: getattr(stored, name) for name in _SHARED},
        sizes=tuple(Size(*row) for row in counts),
        values=np.array(stored.values, dtype=np.float64),
        held_out=None if stored.held_out is None else np.array(stored.held_out, dtype=np.float64),
    )

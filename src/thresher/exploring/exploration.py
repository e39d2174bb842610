"""What exploring returns, and `explored.json`."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.errors import StateError
from thresher.files import write_text


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

_FORMAT, _VERSION = "thresher-exploration", 3
_FIELDS = ("key", "retrieval", "measures", "topics", "held_out", "documents", "words", "depth")
_COUNTS = ("documents", "tokens", "postings", "vocabulary")


def write_exploration(exploration: Exploration, folder: Path) -> None:
    """Write an exploration to `explored.json` in a folder, whole or not at all.

    Each sweep has its lists by variant, and beside the values of topics their means by retrieval model, measure and variant;
    and the same of the held-out topics, null if there are none.
    """
    sweeps = [
        {
            **{name: getattr(sweep, name) for name in ("name", "variants", "cutoffs", "words", "bytes")},
            **{name: [getattr(size, name) for size in sweep.sizes] for name in _COUNTS},
            "means": sweep.values.mean(axis=3).tolist(),
            "values": sweep.values.tolist(),
            "held_out_means": None if sweep.held_out is None else sweep.held_out.mean(axis=3).tolist(),
            "held_out": None if sweep.held_out is None else sweep.held_out.tolist(),
        }
        for sweep in exploration.sweeps
    ]
    fields = {name: getattr(exploration, name) for name in _FIELDS}
    errors = asdict(exploration.size_errors) if exploration.size_errors else None
    written = {"format": _FORMAT, "version": _VERSION, **fields, "size_errors": errors, "sweeps": sweeps}
    write_text(folder / FILE, json.dumps(written, ensure_ascii=False) + "\n")


def read_exploration(folder: Path) -> Exploration:
    """Read what `write_exploration` wrote.

    Raises:
        StateError: if it is missing, damaged, or of another version.
    """
    path = folder / FILE
    fix = "run `thresher explore` again"
    try:
        fields = json.loads(path.read_bytes())
        if (fields.pop("format"), fields.pop("version")) != (_FORMAT, _VERSION):
            raise StateError("the exploration is of another version", fix, str(path))
        sweeps = tuple(map(_sweep, fields.pop("sweeps")))
        errors = fields.pop("size_errors")
        for name in ("retrieval", "measures", "topics", "held_out"):
            fields[name] = tuple(fields[name])
        return Exploration(**fields, sweeps=sweeps, size_errors=SizeErrors(**errors) if errors else None)
    except FileNotFoundError as error:
        raise StateError("nothing was explored yet", "run `thresher explore` first", str(path)) from error
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise StateError("the exploration cannot be read", fix, str(path)) from error


def _sweep(fields: dict[str, Any]) -> ExploredSweep:
    counts = zip(*(fields.pop(name) for name in _COUNTS), strict=True)
    del fields["means"], fields["held_out_means"]
    for name in ("variants", "cutoffs", "words", "bytes"):
        fields[name] = None if fields[name] is None else tuple(fields[name])
    for name in ("values", "held_out"):
        fields[name] = None if fields[name] is None else np.array(fields[name], dtype=np.float64)
    return ExploredSweep(**fields, sizes=tuple(Size(*row) for row in counts))

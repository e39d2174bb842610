"""Explorations as JSON files and back, exactly."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from thresher.errors import StateError
from thresher.exploring.records import Curve, Exploration, Size, SizeErrors
from thresher.files import write_text

FILE = "explored.json"

_FORMAT, _VERSION = "thresher-exploration", 2
_FIELDS = ("key", "retrieval", "measures", "topics", "held_out", "documents", "words", "depth")
_COUNTS = ("documents", "tokens", "postings", "vocabulary")


def write_exploration(exploration: Exploration, folder: Path) -> None:
    """Write an exploration to `explored.json` in a folder, whole or not at all.

    Each curve has its lists by point, and beside the values of topics their means by retrieval model, measure and point; and
    the same of the held-out topics, null if there are none.
    """
    curves = [
        {
            **{name: getattr(curve, name) for name in ("name", "cleaners", "cutoffs", "words", "bytes")},
            **{name: [getattr(size, name) for size in curve.sizes] for name in _COUNTS},
            "means": curve.values.mean(axis=3).tolist(),
            "values": curve.values.tolist(),
            "held_out_means": None if curve.held_out is None else curve.held_out.mean(axis=3).tolist(),
            "held_out": None if curve.held_out is None else curve.held_out.tolist(),
        }
        for curve in exploration.curves
    ]
    fields = {name: getattr(exploration, name) for name in _FIELDS}
    errors = asdict(exploration.size_errors) if exploration.size_errors else None
    written = {"format": _FORMAT, "version": _VERSION, **fields, "size_errors": errors, "curves": curves}
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
        curves = tuple(map(_curve, fields.pop("curves")))
        errors = fields.pop("size_errors")
        for name in ("retrieval", "measures", "topics", "held_out"):
            fields[name] = tuple(fields[name])
        return Exploration(**fields, curves=curves, size_errors=SizeErrors(**errors) if errors else None)
    except FileNotFoundError as error:
        raise StateError("nothing was explored yet", "run `thresher explore` first", str(path)) from error
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise StateError("the exploration cannot be read", fix, str(path)) from error


def _curve(fields: dict[str, Any]) -> Curve:
    counts = zip(*(fields.pop(name) for name in _COUNTS), strict=True)
    del fields["means"], fields["held_out_means"]
    for name in ("cleaners", "cutoffs", "words", "bytes"):
        fields[name] = None if fields[name] is None else tuple(fields[name])
    for name in ("values", "held_out"):
        fields[name] = None if fields[name] is None else np.array(fields[name], dtype=np.float64)
    return Curve(**fields, sizes=tuple(Size(*row) for row in counts))

"""The declarations of all arms, for people and programs."""

from __future__ import annotations

from typing import Any

from thresher.arms.arm import KEEP_SHARE, Arm
from thresher.arms.arm_registry import arms
from thresher.arms.pruned_names import example_cutoff
from thresher.scorers.base import span
from thresher.scorers.cleaners import number
from thresher.scorers.describe import parameter_declarations, parameter_lines

ORDER = "cleaner|arm first cleans, then prunes: words@5|dcp@0.5; none|dcp@0.5 prunes alone."


def arm_declarations() -> list[dict[str, Any]]:
    """Return the declarations of all arms, by name, as JSON values."""
    return [_declaration(kind) for kind in arms().values()]


def describe_arms() -> str:
    """Return the declarations as text for a terminal."""
    lines = []
    for entry in arm_declarations():
        lines += [f"{entry['name']}@CUTOFF", f"    {entry['description']}"]
        lines.append(f"    cutoffs {entry['cutoffs']} ({entry['unit']}), such as {entry['example']}")
        lines += [*parameter_lines(entry), f"    source: {entry['source']}", ""]
    return "\n".join([*lines, ORDER])


def _declaration(kind: type[Arm]) -> dict[str, Any]:
    example = kind(**kind.example)
    return {
        "name": kind.name,
        "description": " ".join((kind.__doc__ or "").split()),
        "keep": kind.keep,
        "unit": kind.unit,
        "cutoffs": "above 0 to 1" if kind.keep == KEEP_SHARE else span(kind.low, kind.high),
        "grid": [number(cutoff) for cutoff in kind.grid],
        "example": f"{example.canonical_name}@{example_cutoff(example)}",
        "parameters": parameter_declarations(kind.parameters),
        "source": kind.source,
    }

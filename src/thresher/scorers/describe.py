"""The declarations of all scorers, for people and programs."""

from __future__ import annotations

from typing import Any

from thresher.scorers.base import Parameter, Scorer
from thresher.scorers.cleaners import BASELINE, CUT_PARAMETERS, number
from thresher.scorers.registry import scorers


def declarations() -> list[dict[str, Any]]:
    """Return what every scorer declares, in the order of names, as plain values."""
    return [_declaration(kind) for kind in scorers().values()]


def describe() -> str:
    """Return the declarations as text for a terminal."""
    lines = [f"{BASELINE}", "    The baseline: tags, scripts and styles removed, all text kept.", ""]
    for entry in declarations():
        lines += [f"{entry['name']}@CUTOFF", f"    {entry['description']}"]
        lines.append(
            f"    scores each {entry['segment']}; {entry['keep']}; cutoffs {entry['cutoffs']}, such as {entry['example']}"
        )
        for parameter in entry["parameters"]:
            lines.append(
                f"    {parameter['name']}={parameter['default']}: {parameter['description']} ({parameter['values']})"
            )
        lines += [f"    source: {entry['source']}", ""]
    lines.append("a+b applies both: a segment stays if it passes each.")
    return "\n".join(lines)


def _declaration(kind: type[Scorer]) -> dict[str, Any]:
    middle = kind.grid[len(kind.grid) // 2] if kind.grid else 1
    return {
        "name": kind.name,
        "description": " ".join((kind.__doc__ or "").split()),
        "segment": kind.segment,
        "keep": kind.keep,
        "unit": kind.unit,
        "cutoffs": _span(kind.low, kind.high),
        "grid": [number(cutoff) for cutoff in kind.grid],
        "example": f"{kind().canonical_name}@{number(middle)}",
        "parameters": [_parameter(parameter) for parameter in (*kind.parameters, *CUT_PARAMETERS)],
        "source": kind.source,
    }


def _parameter(parameter: Parameter) -> dict[str, Any]:
    values = " or ".join(map(str, parameter.choices)) or _span(parameter.low, parameter.high)
    return {
        "name": parameter.name,
        "default": parameter.default,
        "description": parameter.description,
        "values": values,
    }


def _span(low: float | None, high: float | None) -> str:
    if low is None and high is None:
        return "of any size"
    if high is None:
        return f"from {low:g}"
    return f"up to {high:g}" if low is None else f"from {low:g} to {high:g}"

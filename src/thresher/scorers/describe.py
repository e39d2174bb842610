"""The declarations of all scorers, for people and programs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from thresher.number_texts import number_text
from thresher.scorers.base import Parameter, Scorer, printed, span
from thresher.scorers.cleaners import BASELINE, CUT_PARAMETERS, middle_cutoff
from thresher.scorers.registry import scorers

RELATIVE_CUTOFFS = (
    "A cutoff may be a percentile: @p70 of the collection's words, perplexity(lm=MODEL)@r70 of the reference text in "
    "the model's card. Or a quota: @doc50 keeps the best-scored segments of each page that hold half of its words."
)


def declarations() -> list[dict[str, Any]]:
    """Return the declarations of all scorers, by name, as JSON values."""
    return [_declaration(kind) for kind in scorers().values()]


def describe() -> str:
    """Return the declarations as text for a terminal."""
    lines = [f"{BASELINE}", "    The baseline: tags, scripts and styles removed, all text kept.", ""]
    for entry in declarations():
        lines += [entry["name"] if entry["decides"] else f"{entry['name']}@CUTOFF", f"    {entry['description']}"]
        rule = "decides: no cutoff" if entry["decides"] else f"{entry['keep']}; cutoffs {entry['cutoffs']}"
        lines.append(f"    scores each {entry['segment']}; {rule}, such as {entry['example']}")
        lines += [*parameter_lines(entry), f"    source: {entry['source']}", ""]
    lines.append("a+b applies both: a segment stays if it passes each.")
    lines.append(RELATIVE_CUTOFFS)
    return "\n".join(lines)


def parameter_declarations(parameters: Iterable[Parameter]) -> list[dict[str, Any]]:
    """Return the declarations of parameters as JSON values."""
    return [
        {
            "name": parameter.name,
            "default": parameter.default,
            "description": parameter.description,
            "values": parameter.spelling,
            "choices": [*parameter.choices],
        }
        for parameter in parameters
    ]


def parameter_lines(entry: Mapping[str, Any]) -> Iterable[str]:
    """Give the lines on the parameters of a declaration for a terminal."""
    for parameter in entry["parameters"]:
        yield f"    {parameter['name']}={printed(parameter['default'])}: {parameter['description']} ({parameter['values']})"


def _declaration(kind: type[Scorer]) -> dict[str, Any]:
    cutoff = "" if kind.decides else f"@{middle_cutoff(kind)}"
    return {
        "name": kind.name,
        "description": " ".join((kind.__doc__ or "").split()),
        "segment": kind.segment,
        "keep": kind.keep,
        "decides": kind.decides,
        "unit": kind.unit,
        "cutoffs": "none"
        if kind.decides
        else span(kind.low, kind.high) + (f", {number_text(kind.usual)} by default" if kind.usual else ""),
        "grid": [number_text(cutoff) for cutoff in kind.grid],
        "example": f"{kind().canonical_name}{cutoff}",
        "parameters": parameter_declarations((*kind.parameters, *CUT_PARAMETERS)),
        "source": kind.source,
    }

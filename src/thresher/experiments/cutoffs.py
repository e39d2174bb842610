"""The cutoffs of a sweep in an experiment file: numbers, percentiles, or a range of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from thresher.errors import ConfigError
from thresher.experiments.schema import RANGE_KEYS
from thresher.experiments.schema_check import AddProblem
from thresher.scorers.relative_cutoffs import Cutoff, Percentile, parse_cutoff, same_kind

# A sweep of more than this is a slip of the step.
_MOST_CUTOFFS = 1000
_BEYOND_SCORES = 1e100


def read_cutoffs(value: Any, at: tuple[str | int, ...], add: AddProblem) -> Sequence[Cutoff]:
    """Return the cutoffs that a sweep lists or gives as a range; what is wrong with them is told to `add`.

    Args:
        value: a list, a table with `RANGE_KEYS`, or None where there was neither.
        at: the path of the key.
        add: called with (what, fix, path) for each problem.
    """
    if value is None:
        return []
    if isinstance(value, list):
        if not value:
            add("there is no cutoff", "list at least one", at)
        return _listed(value, at, add)
    if (
        not set(value) <= set(RANGE_KEYS)
        or not {"from", "to"} <= set(value)
        or not all(map(_is_number, value.values()))
    ):
        add("this is no range of cutoffs", "write { from = 1, to = 100, step = 1 }", at)
        return []
    low, high, step = float(value["from"]), float(value["to"]), float(value.get("step", 1))
    if step <= 0 or high < low or (high - low) / step >= _MOST_CUTOFFS:
        add(
            f"the range {low:g} to {high:g} by {step:g} has no cutoffs or more than {_MOST_CUTOFFS}",
            "write { from = 1, to = 100, step = 1 }",
            at,
        )
        return []
    # By counting, not adding up, so that 0.1 steps stay on the grid.
    return [round(low + step * index, 10) for index in range(int((high - low) / step + 1e-9) + 1)]


def _listed(value: list[Any], at: tuple[str | int, ...], add: AddProblem) -> Sequence[Cutoff]:
    fix = 'list numbers, or percentiles such as "p70"'
    parsed = [
        float(item) if _is_number(item) else _percentile(item) if isinstance(item, str) else None for item in value
    ]
    cutoffs = [cutoff for cutoff in parsed if cutoff is not None]
    if len(cutoffs) < len(parsed):
        add("a cutoff is no finite number and no percentile", fix, at)
        return []
    if not same_kind(cutoffs):
        add("the cutoffs mix numbers and percentiles, or two kinds of these", "make a sweep of each kind", at)
        return []
    return cutoffs


def _percentile(text: str) -> Percentile | None:
    try:
        cutoff = parse_cutoff(text, "", "")
    except ConfigError:
        return None
    return cutoff if isinstance(cutoff, Percentile) else None


def _is_number(value: Any) -> bool:
    # NaN, infinity and whole numbers beyond any float are none.
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _BEYOND_SCORES

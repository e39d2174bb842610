"""Sizes of indexes as people write them, and the best index within a size."""

from __future__ import annotations

import re

from thresher.base.errors import ConfigError
from thresher.experiments.choosing.gains import BoundedVariant, simultaneous_bounds
from thresher.experiments.choosing.problem import ChoiceProblem
from thresher.experiments.table import IndexSize

_SIZE = re.compile(r"([0-9][0-9_]*(?:\.[0-9]+)?)\s*([kmgt]?)(i?)b?", re.IGNORECASE)
_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}


def parse_size(text: str | int, where: str = "--bytes") -> int:
    """Read `4M`, `4 MB`, `500k` and `4000000` as bytes; M is 10⁶, and Mi is 2²⁰.

    >>> parse_size("4M"), parse_size("1.5 GB"), parse_size("500k"), parse_size("1 MiB")
    (4000000, 1500000000, 500000, 1048576)
    """
    match = _SIZE.fullmatch(str(text).strip())
    size = 0
    if match is not None:
        number, unit, binary = match.groups()
        size = round(float(number.replace("_", "")) * (1024 if binary else 1000) ** _POWERS[unit.lower()])
    if size < 1:
        raise ConfigError(f"{str(text)!r} is not a size", "write bytes, such as 4M, 500k or 4000000", where)
    return size


def best_within(problem: ChoiceProblem, size: int) -> BoundedVariant | None:
    """Return the variant with the highest main mean whose bytes are within a size; None where there is none.

    Candidates are no cleaning and all variants of the families that leave enough pages with text. Among equal means,
    the variant with the fewest bytes counts, then the first by name. The bounds hold for all candidates together, with
    confidence 1 − alpha.
    """
    table = problem.table
    candidates = []
    for variant, row in enumerate(table.rows):
        belongs = variant == 0 or row.variant.sweep in problem.criteria.families
        if belongs and problem.keeps_pages[variant] and table.index_bytes[variant] <= size:
            candidates.append(variant)
    if not candidates:
        return None
    means = table.mean(problem.measures[0])

    def preference(variant: int) -> tuple[float, IndexSize, str]:
        return -float(means[variant]), table.size(variant), table.rows[variant].name

    best = min(candidates, key=preference)
    if best == 0:
        return BoundedVariant(0, ())
    cleaned = sorted(set(candidates) - {0}, key=lambda variant: table.rows[variant].name)
    bounds = simultaneous_bounds(problem.values[:, cleaned] - problem.values[:, :1], problem.criteria.alpha)
    return BoundedVariant(best, tuple(bounds[:, cleaned.index(best)].tolist()))

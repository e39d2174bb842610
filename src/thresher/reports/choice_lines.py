"""What the plots of a choice have in common: lines that stay small, legends that fit, how deep a panel goes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from thresher.reports.plot_style import SERIES

MOST_VERTICES = 300
"""Of a line: more would not be seen, and make the page large."""
MOST_MARKERS = 40
"""Of a line: with more points they would run into one."""
DEEPEST = 8.0
"""Margins below the baseline that a panel shows: how large a larger loss is matters little."""
CHOSEN = SERIES[2]
DASHES, DOTS = (0, (4, 3)), (0, (1.5, 1.5))


def thinned(count: int, keep: Sequence[int]) -> list[int]:
    """Return at most about `MOST_VERTICES` of `count` indices, ascending: those to keep, and others evenly spread."""
    if count <= MOST_VERTICES:
        return list(range(count))
    return sorted({*np.linspace(0, count - 1, MOST_VERTICES).round().astype(int).tolist(), *keep})


def columns_of(labels: Sequence[str], signs: int) -> int:
    """Return two columns of a legend where they are no wider than so many characters."""
    half = (len(labels) + 1) // 2
    return 2 if max(map(len, labels[:half])) + max(map(len, labels[half:])) <= signs else 1

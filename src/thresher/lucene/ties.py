"""Scores whose order survives being written and read again.

trec_eval, and with it every tool built on it, reads scores as 32-bit floats and breaks ties by document id,
descending. Scores that differ by less than such a float can tell (2e-6 near 20) would be put in another order
than the one they were ranked in.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

_MICRO = 10**6


def strictly_decreasing(scores: Sequence[float]) -> list[float]:
    """Return the scores, in rank order, as a strictly decreasing list that stays so in print and in 32 bits.

    Scores are put on a grid of 1, 2 or 5 times a power of ten, no finer than 1e-6 and coarser than 32-bit
    floats of their size are apart; a score that is not below the one before it is lowered to the next point
    of the grid. The results keep their order when printed with six decimals and when read as 32-bit floats.
    Scores of four decimals that are not tied and below 500 come back unchanged.

    Args:
        scores: finite, best first.
    """
    if not len(scores):
        return []
    values = np.asarray(scores, dtype=np.float64)
    micros = _grid_in_micros(float(np.abs(values).max()), len(values))
    points = np.rint(values * (_MICRO / micros)).astype(np.int64)
    rank = np.arange(len(values))
    points = np.minimum.accumulate(points + rank) - rank
    lowered: list[float] = (points * micros / _MICRO).tolist()
    return lowered


def _grid_in_micros(largest: float, count: int) -> int:
    """Return the distance of the grid's points in millionths.

    The distance exceeds that of 32-bit floats at the size of the largest score, or of the last score when all
    `count` are ties and lowered one by one. Two numbers further apart than neighbouring floats round to
    different floats.
    """
    power = 1
    while True:
        for micros in (power, 2 * power, 5 * power):
            furthest = np.float32(largest + count * micros / _MICRO)
            if micros / _MICRO > float(np.spacing(furthest)):
                return micros
        power *= 10

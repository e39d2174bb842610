"""Choosing among the cutoffs of a sweep, and what the choice is worth where it was not made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from thresher.evaluation.wilcoxon import TOLERANCE


@dataclass(frozen=True)
class HeldOutChoice:
    """What was chosen on training topics, what would have been on held-out ones: places among the candidates.

    `optimism` is what choosing on the held-out topics themselves would have promised beyond what the choice is worth there:
    the mean of `best` less that of `chosen`, over the held-out topics. Where nothing is better there it is 0, and `best` is
    `chosen`.
    """

    chosen: int
    best: int
    optimism: float


def best_candidate(means: Sequence[float], sizes: Sequence[float]) -> int:
    """Return the place of the highest mean; of equal ones that of the smallest size, then the first.

    Args:
        means: of a measure, one a candidate, at least one; minus infinity for a candidate that has no value.
        sizes: what each costs, such as the bytes of its index.
    """
    most = max(means)
    equals = [place for place, mean in enumerate(means) if mean >= most - TOLERANCE]
    return min(equals, key=lambda place: sizes[place])


def choose(training: Sequence[float], held_out: Sequence[float], sizes: Sequence[float]) -> HeldOutChoice:
    """Choose a candidate by its mean over training topics, and look at what it is worth on held-out ones.

    Args:
        training: mean of a measure over the training topics, one a candidate, at least one.
        held_out: mean over the held-out topics, of the same candidates, which have no part in the choice.
        sizes: what each costs.
    """
    chosen, best = best_candidate(training, sizes), best_candidate(held_out, sizes)
    if held_out[chosen] >= max(held_out) - TOLERANCE:
        return HeldOutChoice(chosen, chosen, 0.0)
    return HeldOutChoice(chosen, best, held_out[best] - held_out[chosen])

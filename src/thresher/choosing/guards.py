"""Guards: what a variant must pass to be recommended, besides being the smallest that is shown to lose little."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from thresher.defaults import MOST_EMPTIED, NEIGHBOUR, STABILITY
from thresher.evaluation.cross_validation import Trainings
from thresher.evaluation.significance import TOLERANCE


class GuardName(StrEnum):
    """What is guarded against: pages left without text, a loss in a deciding measure, a size that few trainings pick."""

    EMPTIED = "emptied"
    MEASURES = "measures"
    STABILITY = "stability"


@dataclass(frozen=True)
class Guards:
    """What a recommended variant must pass; each guard can be switched off.

    Args:
        emptied: the largest share of the pages with text before cleaning that it may leave without any, in [0, 1]; 1 for no
            such guard.
        stability: of the trainings of the cross-validation, a larger share than this must pick the same or a neighbouring
            size, in [0, 1); 0 for no such guard.
        neighbour: sizes are neighbouring if they differ by at most this share of the baseline's size, in [0, 1]. The
            baseline's own size counts where a training stays with the baseline.
    """

    emptied: float = MOST_EMPTIED
    stability: float = STABILITY
    neighbour: float = NEIGHBOUR


DEFAULT_GUARDS = Guards()


@dataclass(frozen=True)
class Breach:
    """What a variant breaks: `found` where `limit` is the limit.

    They are the share of pages left without text and the most allowed; the lower bound of the difference in `measure` and
    minus the margin; or the share of trainings with the same or a neighbouring size and the share that must be exceeded.
    """

    guard: GuardName
    found: float
    limit: float
    measure: str = ""


def empties_little(documents: int, before: int, guards: Guards) -> bool:
    """Return whether few enough pages are left without text: `documents` keep some of the `before` that had some."""
    return before - documents <= guards.emptied * before + TOLERANCE


def stabilities(
    sizes: Sequence[float], baseline_size: float, trainings: Trainings, guards: Guards
) -> tuple[list[float], float]:
    """Return the share of trainings that pick a variant's size or a neighbouring one, of each variant and of the baseline.

    Args:
        sizes: of the variants.
        baseline_size: what a training that picks none picks.
        trainings: of a rule over these variants.
        guards: which sizes are neighbours.
    """
    reach = guards.neighbour * baseline_size + TOLERANCE
    every = np.array([*sizes, baseline_size])
    shares = np.array([*trainings.shares, trainings.baseline_share])
    # By the sizes that were picked, of which there are few.
    picked = np.flatnonzero(shares)
    near = np.abs(every[:, None] - every[picked]) <= reach
    *of_variants, of_baseline = (near @ shares[picked]).tolist()
    return of_variants, of_baseline


def is_stable(share: float, guards: Guards) -> bool:
    """Return whether enough trainings pick about the same size."""
    return guards.stability == 0 or share > guards.stability + TOLERANCE

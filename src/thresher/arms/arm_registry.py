"""The registry of arms: every `Arm` declared in a module of this folder."""

from __future__ import annotations

from functools import cache

import thresher.arms
from thresher.arms.arm import Arm
from thresher.scorers.registry import declared_in, named


@cache
def arms() -> dict[str, type[Arm]]:
    """Return every arm's class by its name, in the order of names.

    Raises:
        RuntimeError: if two modules declare the same name.
    """
    return declared_in(thresher.arms, Arm)  # type: ignore[type-abstract]


def arm_class(name: str, where: str) -> type[Arm]:
    """Return the class of the arm `name`.

    Raises:
        ConfigError: if there is none of that name.
    """
    return named(arms(), name, "arm", where)

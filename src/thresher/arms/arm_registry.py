"""The registry of arms: every `Arm` declared in a module of this folder."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from inspect import isabstract
from pkgutil import iter_modules

import thresher.arms
from thresher.arms.arm import Arm
from thresher.errors import ConfigError


@cache
def arms() -> dict[str, type[Arm]]:
    """Return every arm's class by its name, in the order of names.

    Raises:
        RuntimeError: if two modules declare the same name.
    """
    known: dict[str, type[Arm]] = {}
    for module in iter_modules(thresher.arms.__path__, "thresher.arms."):
        for value in vars(import_module(module.name)).values():
            is_arm = isinstance(value, type) and issubclass(value, Arm) and not isabstract(value)
            if is_arm and known.setdefault(value.name, value) is not value:
                raise RuntimeError(f"two arms are named {value.name!r}: {known[value.name]} and {value}")
    return dict(sorted(known.items()))


def arm_class(name: str, where: str) -> type[Arm]:
    """Return the class of the arm `name`.

    Raises:
        ConfigError: if there is none of that name.
    """
    known = arms()
    if name not in known:
        raise ConfigError(f"unknown arm {name!r}", f"use one of {', '.join(known)}", where)
    return known[name]

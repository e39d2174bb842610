"""The registry of scorers: every `Scorer` declared in a module of this folder."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from inspect import isabstract
from pkgutil import iter_modules

import thresher.scorers
from thresher.errors import ConfigError
from thresher.scorers.base import Scorer


@cache
def scorers() -> dict[str, type[Scorer]]:
    """Return every scorer's class by its name, in the order of names.

    Raises:
        RuntimeError: if two modules declare the same name.
    """
    known: dict[str, type[Scorer]] = {}
    for module in iter_modules(thresher.scorers.__path__, "thresher.scorers."):
        for value in vars(import_module(module.name)).values():
            is_scorer = isinstance(value, type) and issubclass(value, Scorer) and not isabstract(value)
            if is_scorer and known.setdefault(value.name, value) is not value:
                raise RuntimeError(f"two scorers are named {value.name!r}: {known[value.name]} and {value}")
    return dict(sorted(known.items()))


def scorer_class(name: str, where: str) -> type[Scorer]:
    """Return the class of the scorer `name`.

    Raises:
        ConfigError: if there is none of that name.
    """
    known = scorers()
    if name not in known:
        raise ConfigError(f"unknown scorer {name!r}", f"use one of {', '.join(known)}", where)
    return known[name]

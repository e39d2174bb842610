"""The registry of scorers: every `Scorer` declared in a module of this folder; and how registries work."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from inspect import isabstract
from pkgutil import iter_modules
from types import ModuleType
from typing import TypeVar

import thresher.scorers
from thresher.errors import ConfigError
from thresher.scorers.base import Declared, Scorer

Kind = TypeVar("Kind", bound=Declared)


@cache
def scorers() -> dict[str, type[Scorer]]:
    """Return every scorer's class by its name, in the order of names.

    Raises:
        RuntimeError: if two modules declare the same name.
    """
    return declared_in(thresher.scorers, Scorer)  # type: ignore[type-abstract]


def scorer_class(name: str, where: str) -> type[Scorer]:
    """Return the class of the scorer `name`.

    Raises:
        ConfigError: if there is none of that name.
    """
    return named(scorers(), name, "scorer", where)


def declared_in(package: ModuleType, base: type[Kind]) -> dict[str, type[Kind]]:
    """Return every class of a kind that a module of the package declares, by its name, in the order of names.

    Raises:
        RuntimeError: if two of them have the same name.
    """
    kinds = package.__name__.rpartition(".")[2]
    known: dict[str, type[Kind]] = {}
    for module in iter_modules(package.__path__, f"{package.__name__}."):
        for value in vars(import_module(module.name)).values():
            declared = isinstance(value, type) and issubclass(value, base) and not isabstract(value)
            if declared and known.setdefault(value.name, value) is not value:
                raise RuntimeError(f"two {kinds} are named {value.name!r}: {known[value.name]} and {value}")
    return dict(sorted(known.items()))


def named(known: Mapping[str, type[Kind]], name: str, what: str, where: str) -> type[Kind]:
    """Return one of the known classes by its name; `what` says what they are.

    Raises:
        ConfigError: if there is none of that name.
    """
    if name not in known:
        raise ConfigError(f"unknown {what} {name!r}", f"use one of {', '.join(known)}", where)
    return known[name]

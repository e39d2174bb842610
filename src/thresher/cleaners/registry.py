"""The registry of scorers: every `Scorer` declared in a module of this folder; and how registries work."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from inspect import isabstract
from pkgutil import iter_modules
from types import ModuleType
from typing import TypeVar

import thresher.cleaners.scorers
from thresher.base import removed
from thresher.base.errors import ConfigError
from thresher.base.files import plugins
from thresher.cleaners.scorer import Declared, Scorer

Kind = TypeVar("Kind", bound=Declared)
_SHALLOW = "shallow_features"


def scorers() -> dict[str, type[Scorer]]:
    """Return every scorer's class by its name, in the order of names, those of other packages in `thresher.scorers` too."""
    return {**_scorers(), **plugged("thresher.scorers", Scorer)}  # type: ignore[type-abstract]


@cache
def _scorers() -> dict[str, type[Scorer]]:
    return declared_in(thresher.cleaners.scorers, Scorer)  # type: ignore[type-abstract]


def plugged(group: str, base: type[Kind]) -> dict[str, type[Kind]]:
    """Return the classes of a kind that other packages offer as entry points, by their names."""
    found = {}
    for name, entry in plugins(group).items():
        try:
            kind = entry.load()
        except Exception as error:
            what = f"the entry point {name!r} cannot be imported ({type(error).__name__}: {error})"
            raise ConfigError(what, "correct or remove its package", group) from error
        if not (isinstance(kind, type) and issubclass(kind, base) and kind.name == name):
            what = f"the entry point {name!r} is no {base.__name__} of this name"
            raise ConfigError(what, "correct or remove its package", group)
        found[name] = kind
    return found


def scorer_class(name: str, where: str) -> type[Scorer]:
    """Return the class of the scorer `name`.

    Only its module is imported, where that has its name or is the one of the shallow features: others load models.
    """
    for module in filter(_modules().__contains__, (name, _SHALLOW)):
        for kind in _declared(f"{thresher.cleaners.scorers.__name__}.{module}", Scorer):  # type: ignore[type-abstract]
            if kind.name == name:
                return kind
    if name in removed.SCORERS and name not in scorers():
        raise ConfigError(removed.removed_text(repr(name)), removed.SCORERS[name], where)
    return named(scorers(), name, "scorer", where)


@cache
def _modules() -> set[str]:
    return {module.name for module in iter_modules(thresher.cleaners.scorers.__path__)}


def declared_in(package: ModuleType, base: type[Kind]) -> dict[str, type[Kind]]:
    """Return every class of a kind that a module of the package declares, by its name, in the order of names."""
    kinds = package.__name__.rpartition(".")[2]
    known: dict[str, type[Kind]] = {}
    for module in iter_modules(package.__path__, f"{package.__name__}."):
        for kind in _declared(module.name, base):
            if known.setdefault(kind.name, kind) is not kind:
                raise RuntimeError(f"two {kinds} are named {kind.name!r}: {known[kind.name]} and {kind}")
    return dict(sorted(known.items()))


def _declared(module: str, base: type[Kind]) -> list[type[Kind]]:
    return [
        value
        for value in vars(import_module(module)).values()
        if isinstance(value, type) and issubclass(value, base) and not isabstract(value) and value.in_registry
    ]


def named(known: Mapping[str, type[Kind]], name: str, what: str, where: str) -> type[Kind]:
    """Return one of the known classes by its name; `what` says what they are."""
    if name not in known:
        near = get_close_matches(name, known, 1, 0.7)
        meant = f"write {near[0]}, or " if near else ""
        raise ConfigError(f"unknown {what} {name!r}", f"{meant}use one of {', '.join(known)}", where)
    return known[name]

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
    """Return every scorer's class by its name, in the order of names; behind them the scorers of other packages.

    Other packages offer scorers as entry points of `thresher.scorers`.
    """
    return {**_scorers(), **plugged("thresher.scorers", Scorer)}  # type: ignore[type-abstract]


@cache
def _scorers() -> dict[str, type[Scorer]]:
    return declared_in(thresher.cleaners.scorers, Scorer)  # type: ignore[type-abstract]


def plugged(group: str, base: type[Kind]) -> dict[str, type[Kind]]:
    """Return the classes of a kind that other packages offer as entry points, by their names.

    Raises:
        ConfigError: if an entry point cannot be imported, or is no class of this kind and name.
    """
    classes = {}
    for name, entry in plugins(group).items():
        try:
            kind = entry.load()
        except Exception as error:
            what = f"the entry point {name!r} cannot be imported ({type(error).__name__}: {error})"
            raise ConfigError(what, "correct or remove its package", group) from error
        if not (isinstance(kind, type) and issubclass(kind, base) and kind.name == name):
            what = f"the entry point {name!r} is no {base.__name__} of this name"
            raise ConfigError(what, "correct or remove its package", group)
        classes[name] = kind
    return classes


def scorer_class(name: str, where: str) -> type[Scorer]:
    """Return the class of the scorer `name`.

    The module of that name, or the module of shallow features, is imported alone if it declares the scorer: other modules
    load models.

    Raises:
        ConfigError: if no scorer has this name; it names `where`.
    """
    for module in (name, _SHALLOW):
        if module not in _modules():
            continue
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
    plural = package.__name__.rpartition(".")[2]
    by_name: dict[str, type[Kind]] = {}
    for module in iter_modules(package.__path__, f"{package.__name__}."):
        for kind in _declared(module.name, base):
            if by_name.setdefault(kind.name, kind) is not kind:
                raise RuntimeError(f"two {plural} are named {kind.name!r}: {by_name[kind.name]} and {kind}")
    return dict(sorted(by_name.items()))


def _declared(module: str, base: type[Kind]) -> list[type[Kind]]:
    """Return the classes of a kind in a module that its registry lists."""
    classes = []
    for value in vars(import_module(module)).values():
        is_kind = isinstance(value, type) and issubclass(value, base)
        if is_kind and not isabstract(value) and value.in_registry:
            classes.append(value)
    return classes


def named(classes: Mapping[str, type[Kind]], name: str, what: str, where: str) -> type[Kind]:
    """Return the class of a name; `what` is the noun for these classes.

    Raises:
        ConfigError: if there is none; it names `where`, and a similar name if there is one.
    """
    if name not in classes:
        near = get_close_matches(name, classes, 1, 0.7)
        similar = f"write {near[0]}, or " if near else ""
        raise ConfigError(f"unknown {what} {name!r}", f"{similar}use one of {', '.join(classes)}", where)
    return classes[name]

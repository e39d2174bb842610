"""Treatments, which are a cleaner and perhaps a pruning method, their canonical names, and the declarations of pruning
methods.

Names are `words@5`, `none|dcp@0.5`, `words@5|tcp(k=10)@0.3`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from typing import Any

import thresher.indexes.pruning
from thresher.base import removed
from thresher.base.errors import ConfigError
from thresher.base.number_text import number_text
from thresher.cleaners import cleaner as cleaners
from thresher.cleaners.registry import declared_in, named, plugged
from thresher.cleaners.scorer import check_range, range_text
from thresher.indexes.pruning.method import KEEP_SHARE, PruningMethod

BAR = "|"
"""Separates cleaner and method in a name: first clean, then prune."""
ORDER = "cleaner|pruning first cleans, then prunes: words@5|dcp@0.5; none|dcp@0.5 prunes alone."


def methods() -> dict[str, type[PruningMethod]]:
    """Return the classes of all methods by their names; methods of other packages come last."""
    return {**_methods(), **plugged("thresher.pruning_methods", PruningMethod)}  # type: ignore[type-abstract]


@cache
def _methods() -> dict[str, type[PruningMethod]]:
    return declared_in(thresher.indexes.pruning, PruningMethod)  # type: ignore[type-abstract]


def method_class(name: str, where: str) -> type[PruningMethod]:
    """Return the class of the method `name`."""
    if name in removed.PRUNING_METHODS and name not in methods():
        raise ConfigError(removed.removed_text(repr(name)), removed.PRUNING_METHODS[name], where)
    return named(methods(), name, "pruning method", where)


@dataclass(frozen=True)
class Pruning:
    """A pruning method with its cutoff, which is None in the template of a sweep."""

    method: PruningMethod
    cutoff: float | None

    @property
    def name(self) -> str:
        """The canonical name."""
        if self.cutoff is None:
            return self.method.canonical_name
        return f"{self.method.canonical_name}@{number_text(self.cutoff)}"

    @property
    def threshold(self) -> float:
        """The cutoff."""
        if self.cutoff is None:
            raise ConfigError(
                "the pruning method has no cutoff",
                f"write one, such as {self.method.name}@{example_cutoff(self.method)}",
                self.name,
            )
        return self.cutoff

    def at(self, cutoff: float, where: str) -> Pruning:
        """Return the method at another cutoff."""
        kind = type(self.method)
        check_range(cutoff, kind.low, kind.high, f"the cutoff of {kind.name!r}", where)
        if kind.keep == KEEP_SHARE and not cutoff:
            raise ConfigError(f"a share of 0 of {kind.name!r} keeps nothing", "choose a share above 0", where)
        return Pruning(self.method, cutoff)


class Family(StrEnum):
    """The way to a smaller index: by cleaning, by pruning, or by both."""

    CLEANERS = "cleaners"
    PRUNING = "pruning"
    COMBINATIONS = "combinations"


def combination_name(cut: cleaners.Cut, pruning: Pruning) -> str:
    """Return the name of a sweep over the cutoffs of a scorer and of a pruning method, `words|dcp`; it leaves out the cutoff
    of `cut`.
    """
    template = replace(cut, cutoff=None, percentile=None)
    if cut.percentile is None:
        return f"{template.name}{BAR}{pruning.name}"
    return f"{cleaners.sweep_name(template, cut.percentile)}{BAR}{pruning.name}"


@dataclass(frozen=True)
class Treatment:
    """The changes to a collection: cleaning, then pruning if there is a method. The baseline has neither."""

    cleaner: cleaners.Cleaner = cleaners.Cleaner()
    pruning: Pruning | None = None

    @property
    def name(self) -> str:
        """The canonical name."""
        if self.pruning is None:
            return self.cleaner.name
        return f"{self.cleaner.name}{BAR}{self.pruning.name}"

    @property
    def is_baseline(self) -> bool:
        """Whether the treatment changes nothing."""
        return not self.cleaner.cuts and self.pruning is None

    @property
    def is_control(self) -> bool:
        """Whether its pruning method is only a baseline for other methods, never to be chosen."""
        return self.pruning is not None and self.pruning.method.control

    @property
    def family(self) -> Family:
        """The way to a smaller index."""
        if self.pruning is None:
            return Family.CLEANERS
        if self.cleaner.cuts:
            return Family.COMBINATIONS
        return Family.PRUNING


def parse_treatment(text: str) -> Treatment:
    """Parse the name of a variant: `none`, `words@5`, `none|dcp@0.5`, `words@5|dcp@0.5`."""
    cleaner, method = split_treatment(text)
    if method is None:
        return Treatment(cleaners.parse_cleaner(cleaner, text))
    pruning = parse_pruning(method, text)
    if pruning.cutoff is None:
        example = f"{pruning.name}@{example_cutoff(pruning.method)}"
        raise ConfigError(f"the pruning method {method.strip()!r} has no cutoff", f"write one, such as {example}", text)
    return Treatment(cleaners.parse_cleaner(cleaner, text), pruning)


def parse_pruning(text: str, where: str | None = None) -> Pruning:
    """Parse a method, with or without its cutoff: `dcp`, `tcp(k=10)@0.5`."""
    where = where or text
    match = cleaners.TERM.fullmatch(text)
    if not match:
        raise ConfigError(
            f"the pruning method {text.strip()!r} does not parse", "write it like dcp@0.5 or tcp(k=10)@0.5", where
        )
    kind = method_class(match["name"], where)
    values = cleaners.parse_values(kind.name, kind.parameters, match["inside"] or "", where)
    template = Pruning(kind(**values), cutoff=None)
    if match["cutoff"] is None:
        return template
    try:
        cutoff = float(match["cutoff"])
    except ValueError as error:
        what = f"the cutoff {match['cutoff']!r} of {kind.name!r} is not a number"
        raise ConfigError(what, f"write one, such as {kind.name}@{example_cutoff(template.method)}", where) from error
    return template.at(cutoff, where)


def split_treatment(text: str) -> tuple[str, str | None]:
    """Return the unparsed names of cleaner and method; None without a method."""
    names = text.split(BAR)
    if len(names) > 2:
        raise ConfigError(
            f"{text!r} has more than one pruning method",
            "write a cleaner, then one pruning method: words@5|dcp@0.5",
            text,
        )
    cleaner = names[0]
    method = names[1] if len(names) == 2 else None
    leading_word = re.match(r"\s*(\w*)", cleaner)
    if leading_word and leading_word[1] in methods():
        instead = method.strip() if method is not None else cleaners.BASELINE
        raise ConfigError(
            f"{cleaner.strip()!r} is a pruning method and stands where the cleaner does",
            f"first clean, then prune: write {instead}{BAR}{cleaner.strip()}",
            text,
        )
    return cleaner, method


def example_cutoff(method: PruningMethod) -> str:
    """Print a cutoff of a method as an example."""
    return number_text(method.grid[len(method.grid) // 2])


def method_declarations() -> list[dict[str, Any]]:
    """Return the declarations of all methods, by name, as JSON values."""
    return [_declaration(kind) for kind in methods().values()]


def describe_methods() -> str:
    """Return the declarations as text for a terminal."""
    lines: list[str] = []
    for entry in method_declarations():
        lines += cleaners.declaration_lines(
            entry, f"{entry['name']}@CUTOFF", f"cutoffs {entry['cutoffs']} ({entry['unit']})"
        )
    return "\n".join([*lines, ORDER])


def _declaration(kind: type[PruningMethod]) -> dict[str, Any]:
    example = kind()
    return cleaners.declaration(
        kind,
        {"keep": kind.keep},
        "above 0 to 1" if kind.keep == KEEP_SHARE else range_text(kind.low, kind.high),
        f"{example.canonical_name}@{example_cutoff(example)}",
        kind.parameters,
    )

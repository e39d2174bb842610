"""Treatments, which are a cleaner and perhaps weights and a pruning method, their canonical names, and the declarations of
pruning methods.

Names are `words@5`, `none|dcp@0.5`, `words@5|tcp(k=10)@0.3`, `none|weights(title=4,headings=2,anchors=0)|dcp@0.5`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from typing import Any, NamedTuple

import thresher.indexes.pruning
from thresher.base import removed
from thresher.base.errors import ConfigError
from thresher.base.number_text import number_text
from thresher.cleaners import cleaner as cleaners
from thresher.cleaners.registry import declared_in, named, plugged
from thresher.cleaners.scorer import check_range, range_text
from thresher.indexes.pruning.method import KEEP_SHARE, PruningMethod
from thresher.scores.weighting import Weights

BAR = "|"
"""Separates cleaner, weights and method in a name: first clean, then weigh, then prune."""
_CLEANING, _WEIGHING, _PRUNING = range(3)
ORDER = (
    "cleaner|weights|pruning first cleans, then weighs, then prunes: words@5|weights|dcp@0.5; none|weights weighs alone, "
    "none|dcp@0.5 prunes alone."
)


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
    """The kind of a treatment: cleaning, pruning, both, or weights with or without them."""

    CLEANERS = "cleaners"
    PRUNING = "pruning"
    COMBINATIONS = "combinations"
    WEIGHTS = "weights"


def full_name(cleaner: str, weights: Weights | None, pruning: Pruning | None) -> str:
    """Return the name of a treatment or of a sweep, given the name of its cleaner or of its swept scorer."""
    parts = [cleaner]
    if weights is not None:
        parts.append(weights.canonical_name)
    if pruning is not None:
        parts.append(pruning.name)
    return BAR.join(parts)


def combination_name(cut: cleaners.Cut, weights: Weights | None, pruning: Pruning) -> str:
    """Return the name of a sweep over the cutoffs of a scorer and of a pruning method, `words|dcp`; it leaves out the cutoff
    of `cut`.
    """
    template = replace(cut, cutoff=None, percentile=None)
    scorer = template.name
    if cut.percentile is not None:
        scorer = cleaners.sweep_name(template, cut.percentile)
    return full_name(scorer, weights, pruning)


@dataclass(frozen=True)
class Treatment:
    """The changes to a collection: cleaning, then weighing if there are weights, then pruning if there is a method. The
    baseline has none of them.
    """

    cleaner: cleaners.Cleaner = cleaners.Cleaner()
    weights: Weights | None = None
    pruning: Pruning | None = None

    def __post_init__(self) -> None:
        """Check that weights count the page's own blocks."""
        if self.weights is not None and self.cleaner.input_name:
            raise ConfigError(
                f"weights count the page's own blocks, and {self.cleaner.input_name!r} is another text of it",
                "leave the weights out, or cut the page itself",
                self.name,
            )

    @property
    def name(self) -> str:
        """The canonical name."""
        return full_name(self.cleaner.name, self.weights, self.pruning)

    @property
    def is_baseline(self) -> bool:
        """Whether the treatment changes nothing."""
        return not self.cleaner.cuts and self.weights is None and self.pruning is None

    @property
    def is_control(self) -> bool:
        """Whether its pruning method is only a baseline for other methods, never to be chosen."""
        return self.pruning is not None and self.pruning.method.control

    @property
    def family(self) -> Family:
        """The way to a better or smaller index."""
        if self.weights is not None:
            return Family.WEIGHTS
        if self.pruning is None:
            return Family.CLEANERS
        if self.cleaner.cuts:
            return Family.COMBINATIONS
        return Family.PRUNING


def parse_treatment(text: str) -> Treatment:
    """Parse the name of a variant: `none`, `words@5`, `none|dcp@0.5`, `words@5|weights|dcp@0.5`."""
    parts = split_treatment(text)
    pruning = None
    if parts.pruning is not None:
        pruning = parse_pruning(parts.pruning, text)
        if pruning.cutoff is None:
            example = f"{pruning.name}@{example_cutoff(pruning.method)}"
            what = f"the pruning method {parts.pruning.strip()!r} has no cutoff"
            raise ConfigError(what, f"write one, such as {example}", text)
    return Treatment(cleaners.parse_cleaner(parts.cleaner, text), parts.weights, pruning)


def parse_pruning(text: str, where: str | None = None) -> Pruning:
    """Parse a method, with or without its cutoff: `dcp`, `tcp(k=10)@0.5`."""
    where = where or text
    match = cleaners.TERM.fullmatch(text)
    if not match:
        raise ConfigError(
            f"the pruning method {text.strip()!r} does not parse", "write it like dcp@0.5 or tcp(k=10)@0.5", where
        )
    kind = method_class(match["name"], where)
    values = cleaners.parse_values(kind.name, kind.parameters, match["arguments"] or "", where)
    template = Pruning(kind(**values), cutoff=None)
    if match["cutoff"] is None:
        return template
    try:
        cutoff = float(match["cutoff"])
    except ValueError as error:
        what = f"the cutoff {match['cutoff']!r} of {kind.name!r} is not a number"
        raise ConfigError(what, f"write one, such as {kind.name}@{example_cutoff(template.method)}", where) from error
    return template.at(cutoff, where)


class TreatmentParts(NamedTuple):
    """A name's parts: cleaner and pruning method as written; `pruning` is None without a method."""

    cleaner: str
    weights: Weights | None
    pruning: str | None


def split_treatment(text: str) -> TreatmentParts:
    """Return the parts of a treatment's or a sweep's name; only the weights are parsed."""
    names = [name.strip() for name in text.split(BAR)]
    ordered = sorted(names, key=_step)
    if _step(names[0]) > _CLEANING:
        if _step(ordered[0]) > _CLEANING:
            ordered.insert(0, cleaners.BASELINE)
        noun = "weights" if _step(names[0]) == _WEIGHING else "a pruning method"
        raise ConfigError(
            f"{names[0]!r} is {noun} and stands where the cleaner does",
            f"first clean, then weigh, then prune: write {BAR.join(ordered)}",
            text,
        )
    weights = [name for name in names[1:] if _step(name) == _WEIGHING]
    prunings = [name for name in names[1:] if _step(name) != _WEIGHING]
    for several, noun in ((prunings, "more than one pruning method"), (weights, "weights twice")):
        if len(several) > 1:
            fix = "write a cleaner, then weights, then one pruning method: words@5|weights|dcp@0.5"
            raise ConfigError(f"{text!r} has {noun}", fix, text)
    if weights and names[1] not in weights:
        raise ConfigError(f"weights stand behind the pruning in {text!r}", f"write {BAR.join(ordered)}", text)
    parsed = parse_weights(weights[0], text) if weights else None
    return TreatmentParts(names[0], parsed, prunings[0] if prunings else None)


def _step(name: str) -> int:
    """Return the step of a name's part; a name that is neither weights nor a pruning method counts as a cleaner."""
    match = re.match(r"\w*", name)
    word = match[0] if match else ""
    if word == Weights.name:
        return _WEIGHING
    return _PRUNING if word in methods() else _CLEANING


def parse_weights(text: str, where: str) -> Weights:
    """Parse weights: `weights`, `weights(title=4,headings=2)`."""
    match = cleaners.TERM.fullmatch(text)
    if not match or match["cutoff"] is not None:
        raise ConfigError(
            f"the weights {text.strip()!r} do not parse",
            "write them like weights or weights(title=4,headings=2)",
            where,
        )
    return Weights(**cleaners.parse_values(Weights.name, Weights.parameters, match["arguments"] or "", where))


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
    lines += _weights_lines()
    lines.append(ORDER)
    return "\n".join(lines)


def weights_declaration() -> dict[str, Any]:
    """Return the declaration of weights, as JSON values."""
    return cleaners.declaration(Weights, {}, "none", Weights().canonical_name, Weights.parameters)


def _weights_lines() -> list[str]:
    """Return the declaration of weights for a terminal."""
    usage = "between a cleaner and a pruning method, without a cutoff"
    return cleaners.declaration_lines(weights_declaration(), Weights.name, usage)


def _declaration(kind: type[PruningMethod]) -> dict[str, Any]:
    example = kind()
    return cleaners.declaration(
        kind,
        {"keep": kind.keep},
        "above 0 to 1" if kind.keep == KEEP_SHARE else range_text(kind.low, kind.high),
        f"{example.canonical_name}@{example_cutoff(example)}",
        kind.parameters,
    )

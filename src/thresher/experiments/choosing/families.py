"""Families of indexes: the sweeps that an experiment declares to choose from."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from thresher.base.defaults import COLLECTION, DOCUMENT, OTHER_ENGINE, REFERENCE
from thresher.base.errors import ConfigError
from thresher.cleaners.cleaner import BASELINE, Cleaner, Cut, parse_cleaner, parse_scorer
from thresher.cleaners.scorer import Scorer
from thresher.experiments.table import Variant
from thresher.indexes.pruning.treatments import Pruning, Treatment, full_name, parse_pruning, split_treatment
from thresher.scores.weighting import Weights

_SWEPT = re.compile(rf"(?P<scorer>[^@+]+?)\s*(?P<kind>@(?:{COLLECTION}|{REFERENCE}|{DOCUMENT}))?")


@dataclass(frozen=True)
class DeclaredFamily:
    """A declared sweep.

    Args:
        name: the name of the sweep; see `Variant`.
        cleaner: the cleaner before pruning; None if a scorer is swept.
        cut: the swept scorer, without a cutoff; None if only a pruning method is swept.
        pruning: the swept pruning method, without a cutoff; None if only a scorer is swept.
        weights: the weights of parts of pages; None without weights.
    """

    name: str
    cleaner: Cleaner | None
    cut: Cut | None
    pruning: Pruning | None
    weights: Weights | None = None

    def __str__(self) -> str:
        return self.name

    @property
    def scorers(self) -> tuple[Scorer, ...]:
        """The scorers that the family needs."""
        if self.cleaner is not None:
            return tuple(self.cleaner.scorers)
        if self.cut is not None:
            return (self.cut.scorer,)
        return ()


def parse_family(text: str) -> DeclaredFamily:
    """Parse a sweep's name: `words`, `words|weights`, `none|dcp`, `none|weights|dcp`, `words@5|dcp`, `words|dcp`.

    Raises:
        ConfigError: if the text names a single variant, a control or an unknown scorer or pruning method.
    """
    parts = split_treatment(text)
    pruning = None if parts.pruning is None else _swept_pruning(parts.pruning, text)
    match = _SWEPT.fullmatch(parts.cleaner)
    if match is not None and match["scorer"] != BASELINE:
        cut = parse_scorer(match["scorer"], text)
        if not cut.scorer.decides:
            name = full_name(f"{cut.name}{match['kind'] or ''}", parts.weights, pruning)
            return DeclaredFamily(name, None, cut.checked(), pruning, parts.weights)
    cleaner = parse_cleaner(parts.cleaner, text).checked()
    if pruning is None:
        raise ConfigError(f"{text!r} is no sweep", "name one without its cutoff, such as words or none|dcp", text)
    name = Treatment(cleaner, parts.weights, pruning).name
    return DeclaredFamily(name, cleaner, None, pruning, parts.weights)


def swept_families(variants: Iterable[Variant]) -> list[DeclaredFamily]:
    """Return the sweeps of an experiment's variants as families, each once, in their order, without controls."""
    names: dict[str, None] = {}
    for variant in variants:
        if variant.sweep is not None and not variant.treatment.is_control:
            names.setdefault(variant.sweep)
    return [parse_family(name) for name in names]


def families_for(engine: str, families: Sequence[DeclaredFamily]) -> list[DeclaredFamily]:
    """Return the families that an engine of `thresher.base.defaults.ENGINES` can take.

    Raises:
        ConfigError: if there is none.
    """
    if engine != OTHER_ENGINE:
        return list(families)
    unpruned: list[DeclaredFamily] = []
    for family in families:
        if family.pruning is None:
            unpruned.append(family)
    if not unpruned:
        what = "all families prune postings, and other engines than Lucene take text"
        raise ConfigError(what, "name a sweep of a cleaner, such as content(headings=keep)", "engine")
    return unpruned


def _swept_pruning(name: str, family: str) -> Pruning:
    """Return a pruning method to sweep; it has no cutoff and is no control."""
    pruning = parse_pruning(name, family)
    problem = ""
    if pruning.cutoff is not None:
        problem = "has a cutoff"
    elif pruning.method.control:
        problem = "is only a control"
    if problem:
        raise ConfigError(f"the pruning method of {family!r} {problem}", "name a sweep, such as none|dcp", family)
    return pruning

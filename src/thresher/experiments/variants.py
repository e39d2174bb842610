"""The variants of an experiment: the baseline, every cutoff of its sweeps, its single cleaners."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from thresher.experiments.cutoffs import read_cutoffs
from thresher.experiments.problems import KeyPath, Problems
from thresher.files import safe_name
from thresher.scorers.cleaners import Cleaner, Cut, parse_cleaner, parse_sweep, sweep_name
from thresher.scorers.relative_cutoffs import Percentile


@dataclass(frozen=True)
class Variant:
    """A cleaner applied to the collection. `sweep` is its sweep's name, `cutoff` its place there.

    A sweep is named by its scorer, with `@p` or `@r` behind it where cutoffs are percentiles, of 0 to 100.
    """

    cleaner: Cleaner
    sweep: str | None = None
    cutoff: float | None = None

    @property
    def name(self) -> str:
        """The cleaner's canonical name."""
        return self.cleaner.name

    @property
    def folder(self) -> str:
        """The name as a file name."""
        return safe_name(self.name)


def read_variants(tables: Mapping[str, Any], problems: Problems) -> tuple[Variant, ...]:
    """Return the variants of checked tables, the baseline first; what is wrong with them is told to `problems`."""
    variants: list[tuple[Variant, KeyPath]] = [(Variant(Cleaner()), ("experiment",))]
    for number, sweep in enumerate(tables["sweep"]):
        variants += [(variant, ("sweep", number)) for variant in _sweep(sweep, number, problems)]
    at: KeyPath = ("cleaners", "names")
    for cleaner in problems.parse_each(tables["cleaners"]["names"], lambda name: parse_cleaner(name).checked(), at):
        variants.append((Variant(cleaner), at))
    seen: set[str] = set()
    for variant, at in variants:
        if variant.folder in seen:
            problems.add(f"the variant {variant.name!r} comes twice", "leave one out", at)
        seen.add(variant.folder)
    return tuple(variant for variant, _ in variants)


def _sweep(sweep: Mapping[str, Any], number: int, problems: Problems) -> list[Variant]:
    at = ("sweep", number)
    template: Cut | None = None
    if sweep["scorer"] is not None:
        template = problems.parse(lambda: parse_sweep(sweep["scorer"]).checked(), (*at, "scorer"))
    cutoffs = read_cutoffs(sweep["cutoffs"], (*at, "cutoffs"), problems.add)
    if template is None:
        return []
    found = []
    for cutoff in cutoffs:
        cut = problems.parse(lambda cutoff=cutoff: template.at(cutoff, "").checked(), (*at, "cutoffs"))  # type: ignore[misc]
        if cut is not None:
            place = cutoff.value if isinstance(cutoff, Percentile) else cutoff
            found.append(Variant(Cleaner((cut,)), sweep_name(template, cutoff), place))
    return found

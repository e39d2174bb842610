"""The variants of an experiment: the baseline, every cutoff of its sweeps, its single cleaners."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import replace
from itertools import product
from typing import Any, NamedTuple

from thresher.base.errors import ConfigError
from thresher.base.files import safe_name
from thresher.cleaners.cleaner import Cleaner, Cut, parse_cleaner, parse_sweep, sweep_name
from thresher.cleaners.relative_cutoffs import Cutoff, kind_of, parse_cutoff, same_kind, value_of
from thresher.experiments.problems import KeyPath, Problems
from thresher.experiments.schema import Document, SweepTable
from thresher.experiments.table import Variant
from thresher.indexes.pruning.treatments import (
    Pruning,
    Treatment,
    TreatmentParts,
    combination_name,
    full_name,
    parse_pruning,
    parse_treatment,
    split_treatment,
)

_MOST_CUTOFFS = 1000
"""The most cutoffs of a sweep: a longer range has a mistaken step."""
_BEYOND_SCORES = 1e100
"""A cutoff beyond all scores."""
_EXAMPLE = "write { from = 1, to = 100, step = 1 }"


def folder_name(variant: Variant) -> str:
    """Return the name of a variant's folders and files."""
    return safe_name(variant.name)


def read_variants(document: Document, problems: Problems) -> tuple[Variant, ...]:
    """Return the variants, the baseline first; errors in the file go to `problems`."""
    variants = [_PlacedVariant(Variant(Treatment()), ("experiment",))]
    for number, sweep in enumerate(document.sweep):
        at: KeyPath = ("sweep", number)
        for variant in _sweep(sweep, at, problems):
            variants.append(_PlacedVariant(variant, at))
    at = ("cleaners", "names")
    for treatment in problems.parse(document.cleaners.names, _treatment, at):
        variants.append(_PlacedVariant(Variant(treatment), at))
    names = {placed.variant.name for placed in variants}
    texts: set[str] = set()
    for number, table in enumerate(document.text):
        text = f"text({table.name})"
        texts.add(text)
        for treatment in problems.parse([text], _treatment, ("text", number, "name")):
            if treatment.name not in names:
                variants.append(_PlacedVariant(Variant(treatment), ("text", number)))
    _check_texts(variants, texts, problems)
    _check_distinct(variants, problems)
    return tuple(placed.variant for placed in variants)


class _PlacedVariant(NamedTuple):
    """A variant, and the place in the file that names it."""

    variant: Variant
    at: KeyPath


def _check_texts(variants: Sequence[_PlacedVariant], texts: Set[str], problems: Problems) -> None:
    """Note each text of a variant that the file does not declare."""
    for variant, at in variants:
        needed = {scorer.input_name for scorer in variant.cleaner.scorers}
        for name in sorted(needed - texts):
            if name.startswith("text("):
                problems.add(f"there is no [[text]] of {name}", "add one with this name and a path", at)


def _check_distinct(variants: Sequence[_PlacedVariant], problems: Problems) -> None:
    folders: set[str] = set()
    for variant, at in variants:
        if folder_name(variant) in folders:
            problems.add(f"the variant {variant.name!r} occurs twice", "leave one out", at)
        folders.add(folder_name(variant))


def _treatment(name: str) -> Treatment:
    treatment = parse_treatment(name)
    return replace(treatment, cleaner=treatment.cleaner.checked())


def _sweep(sweep: SweepTable, at: KeyPath, problems: Problems) -> list[Variant]:
    parsed = problems.parse([sweep.scorer], split_treatment, (*at, "scorer"))
    if not parsed:
        return []
    (parts,) = parsed
    if parts.pruning is not None:
        return _pruning_sweep(sweep, parts, at, problems)
    if sweep.cleaner_cutoffs:
        fix = "name one behind the scorer, such as words|dcp, or leave them out"
        problems.add("there is no pruning method to combine these cutoffs with", fix, (*at, "cleaner_cutoffs"))
    templates = problems.parse([parts.cleaner], _template, (*at, "scorer"))
    lists = problems.parse([sweep.cutoffs], read_cutoffs, (*at, "cutoffs"))
    if not templates or not lists:
        return []

    def variant(cutoff: Cutoff) -> Variant:
        cut = templates[0].at(cutoff, "").checked()
        name = full_name(sweep_name(templates[0], cutoff), parts.weights, None)
        return Variant(Treatment(Cleaner((cut,)), parts.weights), name, value_of(cutoff))

    return problems.parse(lists[0], variant, (*at, "cutoffs"))


def _template(name: str) -> Cut:
    return parse_sweep(name).checked()


def _pruning_sweep(sweep: SweepTable, parts: TreatmentParts, at: KeyPath, problems: Problems) -> list[Variant]:
    """Return the variants of a sweep over a pruning method, combined with each of `cleaner_cutoffs` if there are any."""
    weights = parts.weights
    try:
        method = _swept_pruning(parts.pruning or "", sweep.scorer)
        cleaners = _swept_cleaners(parts.cleaner, sweep)
        cutoffs = _numbers(sweep.cutoffs)
    except ConfigError as error:
        problems.add(error.what, error.fix, (*at, "scorer"))
        return []

    def variant(pair: tuple[Cleaner, float]) -> Variant:
        cleaner, cutoff = pair
        name = Treatment(cleaner, weights, method).name
        treatment = Treatment(cleaner, weights, method.at(cutoff, name))
        if not sweep.cleaner_cutoffs:
            return Variant(treatment, name, cutoff)
        (cut,) = cleaner.cuts
        cleaner_cutoff = cut.threshold if cut.percentile is None else cut.percentile.value
        return Variant(treatment, combination_name(cut, weights, method), cutoff, cleaner_cutoff)

    return problems.parse(list(product(cleaners, cutoffs)), variant, (*at, "cutoffs"))


def _swept_pruning(name: str, sweep: str) -> Pruning:
    method = parse_pruning(name, sweep)
    if method.cutoff is not None:
        raise ConfigError(
            f"the pruning method {name!r} of a sweep has a cutoff", "list the cutoffs under `cutoffs`", sweep
        )
    return method


def _swept_cleaners(name: str, sweep: SweepTable) -> list[Cleaner]:
    """Return the cleaners before a pruning method: one, or a scorer at each of its cutoffs."""
    if not sweep.cleaner_cutoffs:
        return [parse_cleaner(name, sweep.scorer).checked()]
    template = parse_sweep(name, sweep.scorer).checked()
    cleaners: list[Cleaner] = []
    for cutoff in read_cutoffs(sweep.cleaner_cutoffs):
        cut = template.at(cutoff, name).checked()
        cleaners.append(Cleaner((cut,)))
    return cleaners


def _numbers(value: Sequence[Any] | Mapping[str, Any]) -> list[float]:
    cutoffs = read_cutoffs(value)
    if any(map(kind_of, cutoffs)):
        raise ConfigError("a pruning method has no percentiles and no quotas", "list numbers under `cutoffs`")
    return [value_of(cutoff) for cutoff in cutoffs]


def read_cutoffs(value: Sequence[Any] | Mapping[str, Any]) -> Sequence[Cutoff]:
    """Return the cutoffs of a sweep: a list of numbers, percentiles or quotas, or a range of numbers.

    A range is a mapping with `from`, `to` and perhaps `step`.
    """
    if isinstance(value, Mapping):
        return _cutoffs_of_range(value)
    return _listed(value)


def _cutoffs_of_range(value: Mapping[str, Any]) -> list[float]:
    has_ends = {"from", "to"} <= set(value) <= {"from", "to", "step"}
    if not has_ends or not all(map(_is_number, value.values())):
        raise ConfigError("this is not a range of cutoffs", _EXAMPLE)
    low = float(value["from"])
    high = float(value["to"])
    step = float(value.get("step", 1))
    if step <= 0 or high < low or (high - low) / step >= _MOST_CUTOFFS:
        what = f"the range {low:g} to {high:g} by {step:g} has no cutoffs or more than {_MOST_CUTOFFS}"
        raise ConfigError(what, _EXAMPLE)
    count = int((high - low) / step + 1e-9) + 1
    # By counting, not adding up, so that 0.1 steps stay on the grid.
    return [round(low + step * number, 10) for number in range(count)]


def _listed(items: Sequence[Any]) -> Sequence[Cutoff]:
    if not items:
        raise ConfigError("there is no cutoff", "list at least one")
    cutoffs = [_cutoff(item) for item in items]
    if not same_kind(cutoffs):
        what = "the cutoffs mix numbers, percentiles and quotas, or two kinds of percentiles"
        raise ConfigError(what, "make a sweep of each kind")
    return cutoffs


def _cutoff(item: Any) -> Cutoff:
    if _is_number(item):
        return float(item)
    cutoff: Cutoff | None = None
    if isinstance(item, str):
        with suppress(ConfigError):
            cutoff = parse_cutoff(item, "", "")
    if cutoff is None or not kind_of(cutoff):
        what = "a cutoff is not a finite number, percentile or quota"
        raise ConfigError(what, 'list numbers, percentiles such as "p70" or quotas such as "doc50"')
    return cutoff


def _is_number(value: Any) -> bool:
    # NaN, infinity and whole numbers beyond any float are no numbers here.
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _BEYOND_SCORES

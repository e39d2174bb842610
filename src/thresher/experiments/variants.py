"""The variants of an experiment: the baseline, every cutoff of its sweeps, its single cleaners."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from thresher.base.errors import ConfigError
from thresher.base.files import safe_name
from thresher.cleaners.cleaner import Cleaner, Cut, parse_cleaner, parse_sweep, sweep_name
from thresher.cleaners.relative_cutoffs import Cutoff, kind_of, parse_cutoff, same_kind, value_of
from thresher.experiments.problems import KeyPath, Problems
from thresher.experiments.schema import Document, SweepTable
from thresher.experiments.table import Variant
from thresher.indexes.pruning.treatments import (
    BAR,
    Pruning,
    Treatment,
    combination_name,
    parse_pruning,
    parse_treatment,
    split_treatment,
)

# A sweep of more than this is a slip of the step.
_MOST_CUTOFFS = 1000
_BEYOND_SCORES = 1e100
_EXAMPLE = "write { from = 1, to = 100, step = 1 }"


def folder_name(variant: Variant) -> str:
    """Return the name of a variant's folders and files."""
    return safe_name(variant.name)


def read_variants(document: Document, problems: Problems) -> tuple[Variant, ...]:
    """Return the variants, the baseline first; what is wrong with them goes to `problems`."""
    variants: list[tuple[Variant, KeyPath]] = [(Variant(Treatment()), ("experiment",))]
    for number, sweep in enumerate(document.sweep):
        variants += [(variant, ("sweep", number)) for variant in _sweep(sweep, ("sweep", number), problems)]
    at: KeyPath = ("cleaners", "names")
    treatments = problems.parse(document.cleaners.names, _treatment, at)
    variants += [(Variant(treatment), at) for treatment in treatments]
    names = {variant.name for variant, _ in variants}
    for number, table in enumerate(document.text):
        own = problems.parse([f"text({table.name})"], _treatment, ("text", number, "name"))
        variants += [(Variant(treatment), ("text", number)) for treatment in own if treatment.name not in names]
    known = {f"text({table.name})" for table in document.text}
    for variant, at in variants:
        named = {scorer.input_name for scorer in variant.cleaner.scorers}
        for text in sorted(name for name in named - known if name.startswith("text(")):
            problems.add(f"there is no [[text]] of {text}", "add one with this name and a path", at)
    seen: set[str] = set()
    for variant, at in variants:
        if folder_name(variant) in seen:
            problems.add(f"the variant {variant.name!r} occurs twice", "leave one out", at)
        seen.add(folder_name(variant))
    return tuple(variant for variant, _ in variants)


def _treatment(name: str) -> Treatment:
    treatment = parse_treatment(name)
    return replace(treatment, cleaner=treatment.cleaner.checked())


def _sweep(sweep: SweepTable, at: KeyPath, problems: Problems) -> list[Variant]:
    if BAR in sweep.scorer:
        return _pruning_sweep(sweep, at, problems)
    if sweep.cleaner_cutoffs:
        fix = "name one behind the scorer, such as words|dcp, or leave them out"
        problems.add("there is no pruning method to combine these cutoffs with", fix, (*at, "cleaner_cutoffs"))
    templates = problems.parse([sweep.scorer], lambda name: parse_sweep(name).checked(), (*at, "scorer"))
    lists = problems.parse([sweep.cutoffs], read_cutoffs, (*at, "cutoffs"))
    pairs = [(template, cutoff) for template in templates for cutoffs in lists for cutoff in cutoffs]
    return problems.parse(pairs, lambda pair: _variant(*pair), (*at, "cutoffs"))


def _pruning_sweep(sweep: SweepTable, at: KeyPath, problems: Problems) -> list[Variant]:
    """Return the variants of a sweep over a pruning method, for each cutoff of the scorer before it where that has some."""
    try:
        cleaner_name, pruning_name = split_treatment(sweep.scorer)
        method = _swept_pruning(pruning_name or "", sweep.scorer)
        cleaners = _swept_cleaners(cleaner_name, sweep)
        cutoffs = _numbers(sweep.cutoffs)
    except ConfigError as error:
        problems.add(error.what, error.fix, (*at, "scorer"))
        return []

    def variant(cleaner: Cleaner, cutoff: float) -> Variant:
        name = Treatment(cleaner, method).name
        treatment = Treatment(cleaner, method.at(cutoff, name))
        if not sweep.cleaner_cutoffs:
            return Variant(treatment, name, cutoff)
        (cut,) = cleaner.cuts
        at_cut = cut.threshold if cut.percentile is None else cut.percentile.value
        return Variant(treatment, combination_name(cut, method), cutoff, at_cut)

    pairs = [(cleaner, cutoff) for cleaner in cleaners for cutoff in cutoffs]
    return problems.parse(pairs, lambda pair: variant(*pair), (*at, "cutoffs"))


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
    return [Cleaner((template.at(cutoff, name).checked(),)) for cutoff in read_cutoffs(sweep.cleaner_cutoffs)]


def _numbers(value: Sequence[Any] | Mapping[str, Any]) -> list[float]:
    cutoffs = read_cutoffs(value)
    if any(map(kind_of, cutoffs)):
        raise ConfigError("a pruning method has no percentiles and no quotas", "list numbers under `cutoffs`")
    return [*map(value_of, cutoffs)]


def _variant(template: Cut, cutoff: Cutoff) -> Variant:
    cut = template.at(cutoff, "").checked()
    return Variant(Treatment(Cleaner((cut,))), sweep_name(template, cutoff), value_of(cutoff))


def read_cutoffs(value: Sequence[Any] | Mapping[str, Any]) -> Sequence[Cutoff]:
    """Return the cutoffs that a sweep lists, as numbers, percentiles or quotas, or gives as a range of numbers.

    A range is a mapping with `from`, `to` and perhaps `step`.
    """
    if not isinstance(value, Mapping):
        return _listed(value)
    if not {"from", "to"} <= set(value) <= {"from", "to", "step"} or not all(map(_is_number, value.values())):
        raise ConfigError("this is not a range of cutoffs", _EXAMPLE)
    low, high, step = float(value["from"]), float(value["to"]), float(value.get("step", 1))
    if step <= 0 or high < low or (high - low) / step >= _MOST_CUTOFFS:
        what = f"the range {low:g} to {high:g} by {step:g} has no cutoffs or more than {_MOST_CUTOFFS}"
        raise ConfigError(what, _EXAMPLE)
    # By counting, not adding up, so that 0.1 steps stay on the grid.
    return [round(low + step * index, 10) for index in range(int((high - low) / step + 1e-9) + 1)]


def _listed(items: Sequence[Any]) -> Sequence[Cutoff]:
    if not items:
        raise ConfigError("there is no cutoff", "list at least one")
    cutoffs = [float(item) if _is_number(item) else _relative(item) for item in items]
    if not same_kind(cutoffs):
        what = "the cutoffs mix numbers, percentiles and quotas, or two kinds of percentiles"
        raise ConfigError(what, "make a sweep of each kind")
    return cutoffs


def _relative(item: Any) -> Cutoff:
    try:
        cutoff = parse_cutoff(item, "", "") if isinstance(item, str) else None
    except ConfigError:
        cutoff = None
    if cutoff is None or not kind_of(cutoff):
        what = "a cutoff is not a finite number, percentile or quota"
        raise ConfigError(what, 'list numbers, percentiles such as "p70" or quotas such as "doc50"')
    return cutoff


def _is_number(value: Any) -> bool:
    # NaN, infinity and whole numbers beyond any float are none.
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _BEYOND_SCORES

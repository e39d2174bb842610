"""The best of each family at the same size, against a search of all variants."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from choosing_samples import evidence
from same_size_samples import BYTES, families

from thresher.choosing.deciding import Terms, decide
from thresher.choosing.decisions import Decision, Evidence, SizedVariant, SizeKind
from thresher.choosing.evidence import explored_evidence
from thresher.choosing.same_size import same_size, with_builds
from thresher.costs import Interval, MeasuredTime
from thresher.pruning_methods.treatments import Family, family_of

TERMS = Terms(resamples=200)
PREFIXES = {"words@{}": Family.CLEANERS, "none|dcp@0.{}": Family.PRUNING, "words@3|dcp@0.{}": Family.COMBINATIONS}


def random_decision(seed: int) -> Decision:
    """Sizes and means that occur more than once."""
    dice = np.random.default_rng(seed)
    names = [prefix.format(number) for prefix in PREFIXES for number in range(1, 8)]
    variants = tuple(SizedVariant(name, name, None, float(dice.integers(1, 12) * 10), 5) for name in names)
    values = np.repeat(dice.integers(1, 6, (len(names), 1)) / 8, 30, axis=1)
    baseline = dice.beta(4, 3, 30)
    found = Evidence("qld", "AP", True, SizeKind.BYTES, 100.0, 5, variants, values, baseline, None)
    return decide(found, TERMS, held_out_check=False)


@pytest.mark.parametrize("seed", range(12))
def test_the_best_is_what_a_search_of_all_variants_finds(seed: int) -> None:
    decision = random_decision(seed)
    postings = {variant.name: variant.size / 4 for variant in decision.variants} | {"none": 25.0}
    found = same_size(decision, postings, {})
    assert found is not None
    assert (found.retrieval, found.measure, found.baseline_postings) == ("qld", "AP", 25.0)
    expected = {}
    for share in (0.9, 0.75, 0.5, 0.35, 0.25, 0.1):
        for prefix, family in PREFIXES.items():
            names = [prefix.format(number) for number in range(1, 8)]
            inside = [one for one in decision.variants if one.name in names and one.size <= share * 100]
            if inside:
                highest = max(one.mean for one in inside)
                expected[share, family] = highest, min(one.size for one in inside if one.mean == highest)
    assert {(one.most, one.family): (one.variant.mean, one.variant.size) for one in found.best} == expected
    assert [(one.most, one.family) for one in found.best] == list(expected)
    for one in found.best:
        assert one.variant == decision.by_name[one.variant.name]
        assert one.share == one.variant.size / 100
        assert one.query_postings == one.variant.size / 4
        assert one.build is None


@pytest.mark.parametrize("seed", range(12))
def test_frontiers_rise_and_leave_out_what_is_beaten(seed: int) -> None:
    decision = random_decision(seed)
    for family, variants in decision.families.items():
        points = decision.frontiers[family]
        for below, above in pairwise(points):
            assert below.size < above.size
            assert below.mean < above.mean
        for variant in variants:
            assert max(one.mean for one in points if one.size <= variant.size) >= variant.mean


def test_one_family_has_nothing_beside_it() -> None:
    assert same_size(decide(evidence(), TERMS, held_out_check=False), {}, {}) is None


def test_what_was_timed_says_what_it_took_to_build() -> None:
    decision = random_decision(0)
    second, ratio = Interval(1.0, 0.9, 1.1), Interval(2.0, 1.9, 2.1)
    time = MeasuredTime(second, second, ratio, ratio, Interval(-1.0, -1.2, -0.8), True)
    found = same_size(decision, {}, {})
    assert found is not None
    name = found.best[0].variant.name
    timed = with_builds(found, {name: time})
    assert timed == same_size(decision, {}, {name: time})
    assert [one.build for one in timed.best] == [time if one.variant.name == name else None for one in found.best]
    assert all(one.query_postings is None for one in timed.best)


def test_combinations_are_judged_as_one_sweep_over_both_cutoffs() -> None:
    exploration = families()
    found = explored_evidence(exploration, 0, 1)
    combined = [one for one in found.variants if one.sweep == "words|dcp"]
    assert [(one.name, one.cleaner_cutoff, one.cutoff) for one in combined] == [
        (f"words@{first}|dcp@{second:g}", first, second)
        for first in (5, 9, 20)
        for second in (0.1, 0.25, 0.5, 0.75, 1.0)
    ]
    assert {one.cleaner_cutoff for one in found.variants if one.sweep != "words|dcp"} == {None}
    assert found.baseline_size == BYTES
    decision = decide(found, TERMS, held_out_check=False)
    assert [picks.sweep for picks in decision.sweeps] == [
        "words",
        "none|dcp",
        "none|nucleus(mass=mle)",
        "words|dcp",
        "justext",
    ]
    assert [sweep.name for sweep in decision.ordered_sweeps] == ["words", "none|dcp", "none|nucleus(mass=mle)"]
    (combination,) = decision.combinations
    assert (combination.name, combination.picks.variants) == ("words|dcp", 15)
    assert [one.size for one in combination.variants] == sorted((one.size for one in combined), reverse=True)
    assert [one.name for one in decision.singles] == ["justext"]
    alone = explored_evidence(exploration, 0, 1, ("words|dcp",))
    assert [one.name for one in alone.variants] == [one.name for one in combined]


def test_one_cutoff_before_a_pruning_method_is_a_sweep_of_the_pruning_method() -> None:
    exploration = families()
    kept = [sweep for sweep in exploration.sweeps if sweep.name not in ("words@9|dcp", "words@20|dcp")]
    found = explored_evidence(replace(exploration, sweeps=tuple(kept)), 0, 1)
    assert {one.sweep for one in found.variants if family_of(one.name) is Family.COMBINATIONS} == {"words@5|dcp"}
    decision = decide(found, TERMS, held_out_check=False)
    assert decision.combinations == ()
    assert decision.ordered_sweeps[-1].name == "words@5|dcp"

"""What a recommended variant must pass: each guard by hand, and all of them for whatever is recommended."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from choosing_samples import SIZES, evidence, with_held_out
from hypothesis import given, settings
from hypothesis import strategies as st

from thresher.choosing.deciding import Terms, decide
from thresher.choosing.decisions import Decision, Evidence, RuleName, SizedVariant
from thresher.choosing.guards import DEFAULT_GUARDS, GuardName, Guards, empties_little, is_stable, stabilities
from thresher.evaluation.cross_validation import Trainings
from thresher.evaluation.non_inferiority import MINIMUM, Margin, Verdict, non_inferiority, smallest_non_inferior

QUICK = Terms(resamples=200, folds=4, repeats=2)
LAX = Guards(emptied=1.0, stability=0.0)


def kept(result: Evidence, documents: Sequence[int]) -> Evidence:
    """The same with other numbers of documents that have text left."""
    pairs = zip(result.variants, documents, strict=True)
    return replace(result, variants=tuple(replace(variant, documents=count) for variant, count in pairs))


def decided(result: Evidence, other: Evidence | None = None, guards: Guards = DEFAULT_GUARDS) -> Decision:
    deciding = [] if other is None else [(other, decide(other, QUICK, held_out_check=False))]
    return decide(result, QUICK, deciding=deciding, guards=guards)


def name_of(variant: SizedVariant | None) -> str | None:
    return variant.name if variant else None


@pytest.mark.parametrize(
    ("documents", "before", "share", "few"),
    [
        (99, 100, 0.01, True),
        (98, 100, 0.01, False),
        (71, 100, 0.29, True),  # 0.29 · 100 is 28.999999999999996
        (0, 0, 0.0, True),
        (100, 100, 0.0, True),
        (99, 100, 0.0, False),
        (0, 100, 1.0, True),
    ],
)
def test_pages_that_may_be_emptied(documents: int, before: int, share: float, few: bool) -> None:
    assert empties_little(documents, before, Guards(emptied=share)) is few


def test_about_the_same_size() -> None:
    # Of ten trainings one picks 20, four 50, two 54 and three the baseline.
    sizes, trainings = [20.0, 50.0, 54.0, 97.0], Trainings((), (0.1, 0.4, 0.2, 0.0), 0.3)
    result, at_baseline = stabilities(sizes, 100.0, trainings, Guards(neighbour=0.04))
    assert (result, at_baseline) == (pytest.approx([0.1, 0.6, 0.6, 0.3]), pytest.approx(0.3))
    result, _ = stabilities(sizes, 100.0, trainings, Guards(neighbour=0.03))
    assert result == pytest.approx([0.1, 0.4, 0.2, 0.3])
    result, at_baseline = stabilities(sizes, 100.0, trainings, Guards(neighbour=1.0))
    assert (result, at_baseline) == (pytest.approx([1.0] * 4), pytest.approx(1.0))


@settings(max_examples=50)
@given(
    st.lists(st.tuples(st.integers(0, 100), st.integers(0, 9)), min_size=1, max_size=8),
    st.integers(1, 9),
    st.sampled_from([0.0, 0.05, 0.1, 0.5]),
)
def test_trainings_are_counted_one_by_one(picks: list[tuple[int, int]], none: int, neighbour: float) -> None:
    sizes = [float(size) for size, _ in picks]
    total = none + sum(count for _, count in picks)
    trainings = Trainings((), tuple(count / total for _, count in picks), none / total)
    result, at_baseline = stabilities(sizes, 100.0, trainings, Guards(neighbour=neighbour))
    trained = [size for size, count in picks for _ in range(count)] + [100] * none
    for size, share in [*zip(sizes, result, strict=True), (100.0, at_baseline)]:
        assert share == pytest.approx(sum(abs(size - other) <= round(100 * neighbour) for other in trained) / total)


def test_more_than_half_is_most() -> None:
    assert not is_stable(0.5, DEFAULT_GUARDS)
    assert not is_stable(0.1 + 0.2 + 0.2 + 1e-16, DEFAULT_GUARDS)
    assert is_stable(0.51, DEFAULT_GUARDS)
    assert is_stable(0.0, Guards(stability=0.0))


def test_a_variant_that_empties_pages_is_passed_over() -> None:
    result = kept(evidence(), (60, 98, 100, 90, 100))
    decision = decided(result)
    assert name_of(decision.picked(RuleName.SMALLEST)) == "words@9"
    assert name_of(decision.recommended) == "words@2"
    assert decision.by_name["words@9"].broken == (GuardName.EMPTIED, GuardName.STABILITY)
    # In trainings it is passed over as well.
    assert decision.by_name["words@2"].stability == 1.0
    assert name_of(decided(result, guards=Guards(emptied=0.02)).recommended) == "words@9"


def test_a_loss_in_another_deciding_measure() -> None:
    result, other = evidence(), replace(evidence(), measure="P@10")
    values = other.values.copy()
    values[1] -= 0.2
    other = replace(other, values=values)
    decision = decided(result, other)
    assert decision.by_name["words@9"].test.verdict is Verdict.NON_INFERIOR
    assert decision.by_name["words@9"].broken == (GuardName.MEASURES, GuardName.STABILITY)
    assert (name_of(decision.picked(RuleName.SMALLEST)), name_of(decision.recommended)) == ("words@9", "words@2")
    # Its held-out worth is in the main measure.
    check = decision.picks[0].check
    assert check is not None
    assert (check.mean, check.stability) == (pytest.approx(result.values[2].mean()), 1.0)


def test_a_size_that_half_of_the_trainings_pick() -> None:
    """Non-inferior by a hair on all topics, and in five of ten trainings: half is not most."""
    result, terms = evidence(topics=30), replace(QUICK, folds=10, repeats=1, margin=Margin(0.02, relative=False))
    values = result.values.copy()
    values[1] = result.baseline - 0.0165 + np.linspace(-0.01, 0.01, 30)
    result = replace(result, values=values)
    decision = decide(result, terms)
    variant = decision.by_name["words@9"]
    assert variant.test.verdict is Verdict.NON_INFERIOR
    assert (variant.stability, variant.broken) == (0.5, (GuardName.STABILITY,))
    # The other five pick words@2, and the two sizes are no neighbours.
    assert decision.by_name["words@2"].stability == 0.5
    assert (name_of(decision.picked(RuleName.SMALLEST)), decision.recommended) == ("words@9", None)
    for guards in (Guards(stability=0.0), Guards(stability=0.45), Guards(neighbour=0.3)):
        assert name_of(decide(result, terms, guards=guards).recommended) == "words@9"


def test_no_training_has_a_verdict_if_all_topics_hardly_do() -> None:
    decision = decided(evidence(topics=MINIMUM))
    assert name_of(decision.picked(RuleName.SMALLEST)) == "words@9"
    assert decision.recommended is None
    assert decision.by_name["words@9"].broken == (GuardName.STABILITY,)


@settings(max_examples=25, deadline=None)
@given(
    st.integers(0, 10_000),
    st.integers(30, 45),
    st.lists(st.integers(90, 100), min_size=5, max_size=5),
    st.floats(-0.05, 0.03),
    st.sampled_from([DEFAULT_GUARDS, LAX, Guards(0.05, 0.3, 0.3), Guards(0.0, 0.9, 0.0)]),
    st.booleans(),
)
def test_what_is_recommended_passes_every_guard(
    seed: int, topics: int, documents: list[int], shift: float, guards: Guards, second: bool
) -> None:
    """And nothing smaller does; each guard is counted here in its own plain way."""
    result = kept(evidence(topics, seed), documents)
    other = replace(result, measure="P@10", values=np.clip(result.values + shift, 0, 1))
    if second:
        result, other = with_held_out(result), with_held_out(other)
    decision = decided(result, other, guards)
    everything = np.arange(topics)

    def picked(places: np.ndarray) -> float:
        """Return the size that these topics pick by the first two guards."""
        tests = [
            non_inferiority(one.values[:, places], one.baseline[places], QUICK.margin, resamples=QUICK.resamples).tests
            for one in (result, other)
        ]
        fine = [
            size
            for size, count, main, also in zip(SIZES, documents, *tests, strict=True)
            if main.verdict is also.verdict is Verdict.NON_INFERIOR
            and (100 - count) / 100 <= guards.emptied + 1e-9
            and size < 100
        ]
        return min(fine, default=100.0)

    generator = np.random.default_rng(QUICK.seed)
    folds = [fold for _ in range(2) for fold in np.array_split(generator.permutation(topics), 4)]
    sizes = [picked(np.setdiff1d(everything, fold)) for fold in folds]
    tests = [[variant.test for variant in one.variants] for one in (decision, decide(other, QUICK, False))]
    passing = []
    for place, (size, count) in enumerate(zip(SIZES, documents, strict=True)):
        near = sum(abs(size - one) <= 100 * guards.neighbour + 1e-9 for one in sizes) / len(sizes)
        assert decision.variants[place].stability == pytest.approx(near)
        few = (100 - count) / 100 <= guards.emptied + 1e-9
        harmless = all(one[place].verdict is Verdict.NON_INFERIOR for one in tests)
        if few and harmless and (near > guards.stability + 1e-9 or guards.stability == 0):
            passing.append(place)
            assert decision.variants[place].broken == ()
        else:
            assert decision.variants[place].broken
    best = min(passing, key=lambda place: SIZES[place], default=None)
    assert name_of(decision.recommended) == (None if best is None else decision.variants[best].name)


def test_only_what_is_allowed_is_the_smallest() -> None:
    result = evidence()
    tests = non_inferiority(result.values, result.baseline, QUICK.margin, resamples=200).tests
    assert smallest_non_inferior(tests, SIZES) == 1
    assert smallest_non_inferior(tests, SIZES, allowed=[True, False, True, True, True]) == 2
    assert smallest_non_inferior(tests, SIZES, allowed=[True, False, False, True, False]) is None

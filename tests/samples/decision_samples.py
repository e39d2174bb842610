"""Decisions to report on: one with every number written out, and what follows from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from thresher.choosing.choices import Choice
from thresher.choosing.decisions import (
    Basis,
    Decision,
    HeldOutCheck,
    JudgedVariant,
    Pick,
    QueryCosts,
    RuleName,
    Savings,
    SizeKind,
    SweepPicks,
)
from thresher.choosing.guards import DEFAULT_GUARDS, GuardName
from thresher.choosing.recommending import recommend
from thresher.costs import BreakEven, Interval
from thresher.evaluation.non_inferiority import NonInferiorityTest, Verdict
from thresher.evaluation.significance import Comparison


def compared(difference: float) -> Comparison:
    return Comparison(
        measure="AP",
        difference=difference,
        wins=12,
        ties=8,
        losses=20,
        differing=32,
        p=0.21,
        p_holm=0.21,
        effect=-0.2,
        ci_low=difference - 0.01,
        ci_high=difference + 0.01,
    )


def judged(
    name: str,
    cutoff: float | None,
    size: float,
    documents: int,
    mean: float,
    test: NonInferiorityTest,
    stability: float,
    broken: str = "",
) -> JudgedVariant:
    sweep, guards = name.split("@")[0], tuple(map(GuardName, broken.split()))
    return JudgedVariant(name, sweep, cutoff, size, documents, mean, test, True, stability, guards)


def retested(decision: Decision, tests: Sequence[NonInferiorityTest]) -> Decision:
    """The decision with other tests of its variants."""
    pairs = zip(decision.variants, tests, strict=True)
    return replace(decision, variants=tuple(replace(variant, test=test) for variant, test in pairs))


EVERY = " ".join(GuardName)
STRICT = judged(
    "words@30",
    30.0,
    500_000.0,
    600,
    0.3,
    NonInferiorityTest(-0.1, -0.15, -0.05, 38, Verdict.INFERIOR, None),
    0.0,
    EVERY,
)
MIDDLE = judged(
    "words@9",
    9.0,
    1_500_000.0,
    995,
    0.394,
    NonInferiorityTest(-0.006, -0.0185, 0.0065, 20, Verdict.NON_INFERIOR, None),
    0.9,
)
LAX = judged(
    "words@2",
    2.0,
    1_900_000.0,
    1000,
    0.41,
    NonInferiorityTest(0.01, -0.005, 0.025, 9, Verdict.NON_INFERIOR, None),
    0.1,
    "stability",
)
BTE = judged(
    "bte",
    None,
    900_000.0,
    900,
    0.385,
    NonInferiorityTest(-0.015, -0.05, 0.02, 30, Verdict.INCONCLUSIVE, 140),
    0.0,
    EVERY,
)
DECISION = Decision(
    retrieval="qld",
    measure="AP",
    explored=True,
    size_kind=SizeKind.ESTIMATED,
    topics=40,
    held_out_topics=0,
    folds=10,
    repeats=5,
    margin=0.02,
    relative_margin=0.05,
    alpha=0.05,
    critical=3.1,
    baseline_mean=0.4,
    baseline_size=2_000_000.0,
    documents=1000,
    variants=(STRICT, MIDDLE, LAX, BTE),
    sweeps=(SweepPicks("words", 3, LAX, STRICT, MIDDLE), SweepPicks("bte", 1, BTE, None, None)),
    picks=(
        Pick(RuleName.GUARDED, MIDDLE, HeldOutCheck(0.394, 0.3925, 0.0015, 1_600_000.0, 0.84, compared(-0.0075), 0.9)),
        Pick(RuleName.SMALLEST, MIDDLE, HeldOutCheck(0.394, 0.391, 0.003, 1_500_000.0, 0.88, compared(-0.009), 0.92)),
        Pick(RuleName.KNEE, None, HeldOutCheck(0.4, 0.4, 0.0, 2_000_000.0, 1.0, compared(0.0), 1.0)),
        Pick(RuleName.HIGHEST, LAX, HeldOutCheck(0.41, 0.402, 0.008, 1_900_000.0, 0.5, compared(0.002), 0.55)),
    ),
)
OTHER = replace(
    DECISION,
    measure="P@10",
    picks=tuple(replace(pick, check=None) for pick in DECISION.picks[1:]),
    folds=0,
    repeats=0,
)
SAVED = Savings(
    retrieval="qld",
    variant="words@9",
    queries=1_000_000,
    bytes=500_000.0,
    share=0.25,
    basis=Basis.MEASURED,
    indexes=5,
    query_seconds=Interval(250.0, 200.0, 312.5),
    extra_seconds=12.5,
    co2_kg=Interval(0.0019125, 0.0015, 0.0024),
    break_even=BreakEven(Interval(50_000.0, 40_000.0, 62_500.0), "after 50,000 queries (40,000 to 62,500)"),
)
CHOICE = Choice(
    title="Pages",
    key="0123",
    measure="AP",
    recommendations=(recommend(DECISION, (OTHER,), DEFAULT_GUARDS, SAVED),),
    decisions=(DECISION, OTHER),
    costs=(
        QueryCosts(
            "qld",
            0.002,
            {
                "words@30": Interval(0.0008, 0.0007, 0.0009),
                "words@9": Interval(0.00025, 0.0002, 0.0003125),
                "words@2": None,
            },
        ),
    ),
    co2_method="estimated: as ever",
)

INCONCLUSIVE = replace(
    retested(
        DECISION,
        (
            STRICT.test,
            NonInferiorityTest(-0.006, -0.03, 0.0065, 20, Verdict.INCONCLUSIVE, 70),
            NonInferiorityTest(0.01, -0.025, 0.025, 9, Verdict.INCONCLUSIVE, 70),
            BTE.test,
        ),
    ),
    sweeps=(SweepPicks("words", 3, LAX, STRICT, None), SweepPicks("bte", 1, BTE, None, None)),
    picks=(
        Pick(RuleName.GUARDED, None, HeldOutCheck(0.4, 0.401, -0.001, 1_960_000.0, 0.96, compared(0.001), 0.97)),
        Pick(RuleName.SMALLEST, None, HeldOutCheck(0.4, 0.4, 0.0, 1_980_000.0, 0.99, compared(0.0), 0.99)),
        *DECISION.picks[2:],
    ),
)
HELD_OUT = replace(
    DECISION,
    held_out_topics=30,
    relative_margin=None,
    picks=(
        Pick(RuleName.GUARDED, MIDDLE, HeldOutCheck(0.45, 0.43, 0.02, 1_500_000.0, None, compared(-0.005), 0.9)),
        Pick(RuleName.SMALLEST, MIDDLE, HeldOutCheck(0.45, 0.43, 0.02, 1_500_000.0, None, compared(-0.005))),
        Pick(RuleName.HIGHEST, LAX, HeldOutCheck(0.46, 0.46, 0.0, 1_900_000.0, None, compared(0.025))),
    ),
)
_EMPTY = replace(MIDDLE, documents=530, stability=0.125, broken=(GuardName.EMPTIED, GuardName.STABILITY))
GUARDED = replace(
    DECISION,
    variants=(STRICT, _EMPTY, replace(LAX, stability=0.875, broken=()), BTE),
    sweeps=(SweepPicks("words", 3, LAX, STRICT, _EMPTY), DECISION.sweeps[1]),
    picks=(
        replace(DECISION.picks[0], variant=replace(LAX, stability=0.875, broken=())),
        replace(DECISION.picks[1], variant=_EMPTY),
        *DECISION.picks[2:],
    ),
)
"""The smallest non-inferior empties pages and is not stable; what is recommended is another."""


def chosen(*decisions: Decision, savings: Sequence[Savings | None] = ()) -> Choice:
    """A choice of decisions by the main measure and by others, with what they recommend, and savings by model if there are."""
    mains = [one for one in decisions if one.measure == CHOICE.measure]
    found = []
    for place, main in enumerate(mains):
        others = [one for one in decisions if one.retrieval == main.retrieval and one is not main]
        found.append(recommend(main, others, DEFAULT_GUARDS, savings[place] if savings else None))
    return replace(CHOICE, decisions=decisions, recommendations=tuple(found))


def holds(sentence: str, *facts: str) -> bool:
    """Return whether a sentence has the facts in their order; prints the first that is missing."""
    position = 0
    for fact in facts:
        begin = sentence.find(fact, position)
        if begin < 0:
            print(f"{fact!r} is missing or out of order in {sentence!r}")
            return False
        position = begin + len(fact)
    return True

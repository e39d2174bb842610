"""Decisions to report on: one with every number written out, and what follows from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from thresher.choosing.decisions import (
    Choice,
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
from thresher.costs import BreakEven
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
    name: str, cutoff: float | None, size: float, documents: int, mean: float, test: NonInferiorityTest
) -> JudgedVariant:
    return JudgedVariant(name, name.split("@")[0], cutoff, size, documents, mean, test, on_front=True)


def retested(decision: Decision, tests: Sequence[NonInferiorityTest]) -> Decision:
    """The decision with other tests of its variants."""
    pairs = zip(decision.variants, tests, strict=True)
    return replace(decision, variants=tuple(replace(variant, test=test) for variant, test in pairs))


STRICT = judged(
    "words@30", 30.0, 500_000.0, 600, 0.3, NonInferiorityTest(-0.1, -0.15, -0.05, 38, Verdict.INFERIOR, None)
)
MIDDLE = judged(
    "words@9", 9.0, 1_500_000.0, 950, 0.394, NonInferiorityTest(-0.006, -0.0185, 0.0065, 20, Verdict.NON_INFERIOR, None)
)
LAX = judged(
    "words@2", 2.0, 1_900_000.0, 1000, 0.41, NonInferiorityTest(0.01, -0.005, 0.025, 9, Verdict.NON_INFERIOR, None)
)
BTE = judged("bte", None, 900_000.0, 900, 0.385, NonInferiorityTest(-0.015, -0.05, 0.02, 30, Verdict.INCONCLUSIVE, 140))
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
        Pick(RuleName.SMALLEST, MIDDLE, HeldOutCheck(0.394, 0.3925, 0.0015, 1_600_000.0, 0.84, compared(-0.0075))),
        Pick(RuleName.KNEE, None, HeldOutCheck(0.4, 0.4, 0.0, 2_000_000.0, 1.0, compared(0.0))),
        Pick(RuleName.HIGHEST, LAX, HeldOutCheck(0.41, 0.402, 0.008, 1_900_000.0, 0.5, compared(0.002))),
    ),
)
OTHER = replace(
    DECISION,
    measure="P@10",
    picks=tuple(replace(pick, check=None) for pick in DECISION.picks),
    folds=0,
    repeats=0,
)
SAVED = Savings(
    retrieval="qld",
    variant="words@9",
    queries=1_000_000,
    bytes=500_000.0,
    share=0.25,
    query_seconds=250.0,
    extra_seconds=12.5,
    co2_kg=0.0019125,
    break_even=BreakEven(50_000.0, "after 50,000 queries"),
    measured=True,
    indexes=5,
)
CHOICE = Choice(
    title="Pages",
    key="0123",
    measure="AP",
    decisions=(DECISION, OTHER),
    savings=(SAVED,),
    costs=(QueryCosts("qld", 0.001, 5e-10, 0.008),),
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
        Pick(RuleName.SMALLEST, None, HeldOutCheck(0.4, 0.401, -0.001, 1_960_000.0, 0.96, compared(0.001))),
        *DECISION.picks[1:],
    ),
)
HELD_OUT = replace(
    DECISION,
    held_out_topics=30,
    folds=0,
    repeats=0,
    relative_margin=None,
    picks=(
        Pick(RuleName.SMALLEST, MIDDLE, HeldOutCheck(0.45, 0.43, 0.02, 1_500_000.0, None, compared(-0.005))),
        Pick(RuleName.HIGHEST, LAX, HeldOutCheck(0.46, 0.46, 0.0, 1_900_000.0, None, compared(0.025))),
    ),
)

"""Decisions to report on: one with every number written out, and what follows from it."""

from __future__ import annotations

from dataclasses import replace

from thresher.choosing.records import (
    Candidate,
    Choice,
    Decision,
    GroupPick,
    Pick,
    QueryCosts,
    RuleName,
    Savings,
    SizeKind,
)
from thresher.costs import BreakEven
from thresher.evaluation.non_inferiority import CutoffVerdict, Verdict
from thresher.evaluation.records import Comparison


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
    candidates=(
        Candidate("words@30", "words", 30.0, 500_000.0, 600),
        Candidate("words@9", "words", 9.0, 1_500_000.0, 950),
        Candidate("words@2", "words", 2.0, 1_900_000.0, 1000),
        Candidate("bte", "bte", None, 900_000.0, 900),
    ),
    means=(0.3, 0.394, 0.41, 0.385),
    verdicts=(
        CutoffVerdict(-0.1, -0.15, -0.05, 38, Verdict.INFERIOR, None),
        CutoffVerdict(-0.006, -0.0185, 0.0065, 20, Verdict.NON_INFERIOR, None),
        CutoffVerdict(0.01, -0.005, 0.025, 9, Verdict.NON_INFERIOR, None),
        CutoffVerdict(-0.015, -0.05, 0.02, 30, Verdict.INCONCLUSIVE, 140),
    ),
    front=(0, 1, 2, 3),
    groups=(GroupPick("words", 3, 2, 0, 1), GroupPick("bte", 1, 3, None, None)),
    picks=(
        Pick(RuleName.SMALLEST, 1, 0.394, 0.3925, 0.0015, 1_600_000.0, 0.84, compared(-0.0075)),
        Pick(RuleName.KNEE, None, 0.4, 0.4, 0.0, 2_000_000.0, 1.0, compared(0.0)),
        Pick(RuleName.HIGHEST, 2, 0.41, 0.402, 0.008, 1_900_000.0, 0.5, compared(0.002)),
    ),
)
OTHER = replace(DECISION, measure="P@10", picks=(), folds=0, repeats=0)
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
    DECISION,
    verdicts=(
        DECISION.verdicts[0],
        CutoffVerdict(-0.006, -0.03, 0.0065, 20, Verdict.INCONCLUSIVE, 70),
        CutoffVerdict(0.01, -0.025, 0.025, 9, Verdict.INCONCLUSIVE, 70),
        DECISION.verdicts[3],
    ),
    groups=(GroupPick("words", 3, 2, 0, None), GroupPick("bte", 1, 3, None, None)),
    picks=(
        Pick(RuleName.SMALLEST, None, 0.4, 0.401, -0.001, 1_960_000.0, 0.96, compared(0.001)),
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
        Pick(RuleName.SMALLEST, 1, 0.45, 0.43, 0.02, 1_500_000.0, None, compared(-0.005)),
        Pick(RuleName.HIGHEST, 2, 0.46, 0.46, 0.0, 1_900_000.0, None, compared(0.025)),
    ),
)

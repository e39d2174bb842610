"""From the decisions on one retrieval model to what is recommended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from thresher.choosing.choices import Effect, Nearest, Recommendation, Unguarded, WorkChange
from thresher.choosing.decisions import Decision, HeldOutCheck, JudgedVariant, RuleName, Savings
from thresher.choosing.guards import Breach, GuardName, Guards
from thresher.costs import Interval
from thresher.costs.repeats import Floats
from thresher.evaluation.non_inferiority import Verdict
from thresher.evaluation.significance import ratio_interval
from thresher.scorers.cleaners import BASELINE


def recommend(
    decision: Decision,
    deciding: Sequence[Decision],
    guards: Guards,
    savings: Savings | None,
    postings: Mapping[str, Floats] | None = None,
) -> Recommendation:
    """Return the answer that follows from the decisions.

    Args:
        decision: by the main measure, guarded by `guards`.
        deciding: by the other measures that decide.
        guards: see there.
        savings: of the recommended variant, if any.
        postings: of each query, by variant, the baseline among them; empty where they are not known.
    """
    variant, every = decision.recommended, (decision, *deciding)
    size, documents = decision.baseline_size, decision.documents
    if variant is not None:
        size, documents = variant.size, variant.documents
    harmless = [
        one
        for one in decision.variants
        if one.test.verdict is Verdict.NON_INFERIOR and one.size < decision.baseline_size
    ]
    check = decision.picks[0].check
    nearest = decision.nearest(size)
    return Recommendation(
        retrieval=decision.retrieval,
        variant=variant.name if variant else None,
        variants=len(decision.variants),
        deciding=tuple(one.measure for one in every),
        size=size,
        share=decision.size_share(size),
        size_kind=decision.size_kind,
        documents=decision.documents,
        emptied=decision.documents - documents,
        topics=decision.topics,
        effects=tuple(_effect(one, one.by_name[variant.name] if variant else None) for one in every),
        held_out=_held_out(decision, check) if check else None,
        held_out_topics=decision.held_out_topics,
        folds=decision.folds,
        repeats=decision.repeats,
        stability=check.stability if check else None,
        alpha=decision.alpha,
        relative_margin=decision.relative_margin,
        guards=guards,
        smaller=len(harmless),
        broken={guard: sum(guard in one.broken for one in harmless) for guard in GuardName},
        unguarded=_unguarded(decision, deciding, guards),
        nearest=Nearest(nearest.name, decision.size_share(nearest.size), nearest.test.topics_needed or 0)
        if nearest
        else None,
        savings=savings,
        work=_work(variant, postings or {}) if variant else None,
    )


def breaches(
    variant: JudgedVariant, decision: Decision, deciding: Sequence[Decision], guards: Guards
) -> tuple[Breach, ...]:
    """Return what a variant breaks, with the numbers; a deciding measure each where it is not shown to be non-inferior."""
    breaches = []
    if GuardName.EMPTIED in variant.broken:
        breaches.append(Breach(GuardName.EMPTIED, 1 - variant.documents / decision.documents, guards.emptied))
    for one in (decision, *deciding):
        test = one.by_name[variant.name].test
        if test.verdict is not Verdict.NON_INFERIOR:
            breaches.append(Breach(GuardName.MEASURES, test.low, -one.margin, one.measure))
    if GuardName.STABILITY in variant.broken:
        breaches.append(Breach(GuardName.STABILITY, variant.stability or 0.0, guards.stability))
    return tuple(breaches)


def _work(variant: JudgedVariant, postings: Mapping[str, Floats]) -> WorkChange | None:
    after, before = postings.get(variant.name), postings.get(BASELINE)
    if after is None or before is None or not before.any():
        return None
    low, high = ratio_interval(after, before)
    share = float(after.sum() / before.sum())
    return WorkChange(float(after.mean()), float(before.mean()), Interval(share, low, high))


def _effect(decision: Decision, variant: JudgedVariant | None) -> Effect:
    mean, bounds = decision.baseline_mean, (0.0, 0.0, 0.0)
    if variant is not None:
        mean, bounds = variant.mean, (variant.test.difference, variant.test.low, variant.test.high)
    return Effect(decision.measure, decision.topics, mean, decision.baseline_mean, *bounds, decision.margin)


def _held_out(decision: Decision, check: HeldOutCheck) -> Effect:
    compared = check.comparison
    return Effect(
        measure=decision.measure,
        topics=decision.held_out_topics or decision.topics,
        mean=check.mean,
        baseline=check.mean - compared.difference,
        difference=compared.difference,
        low=compared.ci_low,
        high=compared.ci_high,
    )


def _unguarded(decision: Decision, deciding: Sequence[Decision], guards: Guards) -> Unguarded | None:
    variant = decision.picked(RuleName.SMALLEST)
    if variant is None or variant == decision.recommended:
        return None
    return Unguarded(
        variant=variant.name,
        share=decision.size_share(variant.size),
        emptied=decision.documents - variant.documents,
        breaches=breaches(variant, decision, deciding, guards),
    )

"""Judges all variants at once, lets the rules pick, and checks the picks on held-out topics."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b

import numpy as np

from thresher.choosing.decisions import (
    Decision,
    Evidence,
    HeldOutCheck,
    JudgedVariant,
    Pick,
    RuleName,
    SweepPicks,
    Values,
)
from thresher.choosing.guards import DEFAULT_GUARDS, GuardName, Guards, empties_little, is_stable, stabilities
from thresher.defaults import ALPHA
from thresher.errors import InputError
from thresher.evaluation.cross_validation import FOLDS, REPEATS, Trainings, train, transfer, validated
from thresher.evaluation.non_inferiority import (
    Margin,
    NonInferiority,
    NonInferiorityTest,
    non_inferior_in_all,
    non_inferiority,
    smallest_non_inferior,
)
from thresher.evaluation.rules import Rule, at_knee, highest_mean, pareto_front, smallest_without_loss
from thresher.evaluation.significance import RESAMPLES, SEED, TOLERANCE

DEFAULT_MARGIN = Margin(0.05, relative=True)
"""Spärck Jones (1974) calls a difference of 5 % between systems noticeable, one of 10 % material."""

_TRAINING_RESAMPLES = 2000
"""In each training of a cross-validation: the quantile is a little less precise than that of the verdicts."""


@dataclass(frozen=True)
class Terms:
    """The accepted loss, the allowed error, and how a pick is checked.

    `folds` (at most the number of topics) and `repeats` are of the cross-validation over topics.
    """

    margin: Margin = DEFAULT_MARGIN
    alpha: float = ALPHA
    folds: int = FOLDS
    repeats: int = REPEATS
    seed: int = SEED
    resamples: int = RESAMPLES


def decide(
    evidence: Evidence,
    terms: Terms,
    held_out_check: bool = True,
    progress: Callable[[RuleName], None] = lambda _: None,
    deciding: Sequence[tuple[Evidence, Decision]] = (),
    guards: Guards = DEFAULT_GUARDS,
) -> Decision:
    """Judge all variants against the baseline, and let the rules pick.

    The verdicts are simultaneous over all variants (see `thresher.evaluation.non_inferiority`), so that the smallest
    non-inferior one may be taken after looking at all of them. The one that is recommended passes every guard too: it leaves
    few pages without text, is non-inferior in every deciding measure (see `non_inferior_in_all`), and has about the size that
    most trainings of the cross-validation pick by the first two guards. (A guard of trainings has no place within a training:
    it would take trainings of its own.) If the smallest is not stable so, the smallest stable one is recommended.

    Args:
        evidence: with at least one variant and one topic.
        terms: see `Terms`.
        held_out_check: whether to recommend one and check each pick on held-out topics, which takes `folds` × `repeats`
            bootstraps for each measure that a rule looks at. A single topic allows no training.
        progress: called with each rule's name before its check.
        deciding: evidence and decisions of the other measures that decide, of the same variants and topics.
        guards: what a recommended variant must pass.

    Raises:
        InputError: if the baseline's mean is 0, so that a share of it is not a margin.
    """
    result = _test(evidence, terms)
    sizes = [variant.size for variant in evidence.variants]
    means = evidence.values.mean(axis=1).tolist()
    baseline_mean = float(evidence.baseline.mean())
    front = set(pareto_front([*zip(sizes, means, strict=True), (evidence.baseline_size, baseline_mean)]))
    variants = tuple(
        JudgedVariant(**vars(variant), mean=mean, test=test, on_front=index in front)
        for index, (variant, mean, test) in enumerate(zip(evidence.variants, means, result.tests, strict=True))
    )
    topics = len(evidence.baseline)
    trained = held_out_check and topics > 1
    terms = replace(terms, folds=min(terms.folds, topics))
    picks, judge = [], _Judge(terms)
    if held_out_check:
        progress(RuleName.GUARDED)
        measures = _Measures.of([evidence, *(other for other, _ in deciding)])
        tests = [result.tests, *([one.test for one in decision.variants] for _, decision in deciding)]
        variants, guarded = _guarded(variants, tests, evidence, measures, terms, guards, judge)
        picks.append(guarded)
    alone = _Measures.of([evidence])
    unguarded = _picked(evidence.values, evidence, variants)
    for name, rule in _training_rules(evidence, sizes, terms, judge).items():
        index = unguarded[name]
        checked = None
        if held_out_check:
            progress(name)
            checked = _check(rule, index, alone, evidence, terms, guards)
        picks.append(Pick(name, None if index is None else variants[index], checked))
    return Decision(
        retrieval=evidence.retrieval,
        measure=evidence.measure,
        explored=evidence.explored,
        size_kind=evidence.size_kind,
        topics=topics,
        held_out_topics=len(evidence.held_out[1]) if evidence.held_out else 0,
        folds=terms.folds if trained else 0,
        # Leaving each topic out once needs no repeats.
        repeats=(1 if terms.folds == topics else terms.repeats) if trained else 0,
        margin=result.margin,
        relative_margin=terms.margin.value if terms.margin.relative else None,
        alpha=terms.alpha,
        critical=result.critical,
        baseline_mean=baseline_mean,
        baseline_size=evidence.baseline_size,
        documents=evidence.documents,
        variants=variants,
        sweeps=tuple(
            _sweep_picks(sweep, evidence, variants) for sweep in dict.fromkeys(variant.sweep for variant in variants)
        ),
        picks=tuple(picks),
    )


def _test(evidence: Evidence, terms: Terms) -> NonInferiority:
    if terms.margin.relative and evidence.baseline.mean() <= TOLERANCE:
        raise InputError(
            f"the baseline's {evidence.measure} is 0, which leaves no share of it to lose",
            "state the margin in units of the measure, such as --margin 0.01, or choose another measure",
            evidence.retrieval,
        )
    return non_inferiority(
        evidence.values, evidence.baseline, terms.margin, alpha=terms.alpha, seed=terms.seed, resamples=terms.resamples
    )


def _picked(values: Values, evidence: Evidence, variants: Sequence[JudgedVariant]) -> dict[RuleName, int | None]:
    """Return the index of the variant that each rule picks, None for the baseline."""
    sizes = [variant.size for variant in variants]
    tests = [variant.test for variant in variants]
    return {
        RuleName.SMALLEST: smallest_non_inferior(tests, sizes, below=evidence.baseline_size),
        RuleName.KNEE: at_knee(sizes, evidence.baseline_size)(values, evidence.baseline),
        RuleName.HIGHEST: highest_mean(sizes)(values, evidence.baseline),
    }


def _sweep_picks(sweep: str, evidence: Evidence, variants: Sequence[JudgedVariant]) -> SweepPicks:
    members = [index for index, variant in enumerate(variants) if variant.sweep == sweep]
    siblings = [variants[index] for index in members]
    picked = _picked(evidence.values[members], evidence, siblings)
    highest, knee, smallest = (picked[name] for name in (RuleName.HIGHEST, RuleName.KNEE, RuleName.SMALLEST))
    return SweepPicks(
        sweep,
        len(siblings),
        siblings[highest or 0],
        None if knee is None else siblings[knee],
        None if smallest is None else siblings[smallest],
    )


def _training_rules(evidence: Evidence, sizes: Sequence[float], terms: Terms, judge: _Judge) -> dict[RuleName, Rule]:
    """Return the rules without guards as they pick on training topics."""
    return {
        RuleName.SMALLEST: _smallest(evidence, terms, judge),
        RuleName.KNEE: at_knee(sizes, evidence.baseline_size),
        RuleName.HIGHEST: highest_mean(sizes),
    }


class _Judge:
    """Tests variants in trainings, and the same values only once: rules train on the same folds."""

    def __init__(self, terms: Terms) -> None:
        self._terms = terms
        self._known: dict[bytes, NonInferiority] = {}

    def __call__(self, values: Values, baseline: Values, margin: Margin) -> NonInferiority:
        key = blake2b(values.tobytes() + baseline.tobytes(), digest_size=16).digest()
        if key not in self._known:
            terms, resamples = self._terms, min(self._terms.resamples, _TRAINING_RESAMPLES)
            self._known[key] = non_inferiority(
                values, baseline, margin, alpha=terms.alpha, seed=terms.seed, resamples=resamples
            )
        return self._known[key]


def _smallest(evidence: Evidence, terms: Terms, judge: _Judge, allowed: Sequence[bool] | None = None) -> Rule:
    return smallest_without_loss(
        [variant.size for variant in evidence.variants],
        terms.margin,
        below=evidence.baseline_size,
        allowed=allowed,
        judge=judge,
    )


@dataclass(frozen=True)
class _Measures:
    """Values and the baseline's, of the measures that a rule looks at, on the topics and on those of a second set.

    They are [variant, topic] and [topic] for a single measure, else [measure, variant, topic] and [measure, topic].
    """

    own: tuple[Values, Values]
    held_out: tuple[Values, Values] | None

    @classmethod
    def of(cls, evidence: Sequence[Evidence]) -> _Measures:
        """Put the measures together, the main one first."""
        if len(evidence) == 1:
            return cls((evidence[0].values, evidence[0].baseline), evidence[0].held_out)
        own = np.stack([one.values for one in evidence]), np.stack([one.baseline for one in evidence])
        there = [one.held_out for one in evidence if one.held_out is not None]
        if not there:
            return cls(own, None)
        return cls(own, (np.stack([values for values, _ in there]), np.stack([baseline for _, baseline in there])))


def _guarded(
    variants: Sequence[JudgedVariant],
    tests: Sequence[Sequence[NonInferiorityTest]],
    evidence: Evidence,
    measures: _Measures,
    terms: Terms,
    guards: Guards,
    judge: _Judge,
) -> tuple[tuple[JudgedVariant, ...], Pick]:
    """Return the variants with the guards that they break, and the smallest that breaks none.

    Args:
        variants: of the main measure.
        tests: by measure, as `measures` has them.
        evidence: by the main measure.
        measures: the deciding ones.
        terms, guards: as `decide`.
        judge: tests variants in trainings.
    """
    little = [empties_little(variant.documents, evidence.documents, guards) for variant in variants]
    rule = _smallest(evidence, terms, judge, little)
    sizes = [variant.size for variant in variants]
    trainings = _trained(rule, measures, terms)
    near: Sequence[float | None] = [None] * len(variants)
    if trainings is not None:
        near, _ = stabilities(sizes, evidence.baseline_size, trainings, guards)
    judged = []
    for variant, few, shown, share in zip(variants, little, non_inferior_in_all(tests), near, strict=True):
        stable = share is not None and is_stable(share, guards)
        passed = {GuardName.EMPTIED: few, GuardName.MEASURES: shown, GuardName.STABILITY: stable}
        judged.append(replace(variant, stability=share, broken=tuple(one for one in GuardName if not passed[one])))
    allowed = [not variant.broken for variant in judged]
    index = smallest_non_inferior(tests[0], sizes, evidence.baseline_size, allowed)
    check = _check(rule, index, measures, evidence, terms, guards, trainings)
    return tuple(judged), Pick(RuleName.GUARDED, None if index is None else judged[index], check)


def _trained(rule: Rule, measures: _Measures, terms: Terms) -> Trainings | None:
    """Return what trainings pick; None for a single topic."""
    if measures.own[1].shape[-1] < 2:
        return None
    return train(*measures.own, rule, folds=terms.folds, repeats=terms.repeats, seed=terms.seed)


def _check(
    rule: Rule,
    picked: int | None,
    measures: _Measures,
    evidence: Evidence,
    terms: Terms,
    guards: Guards,
    trainings: Trainings | None = None,
) -> HeldOutCheck | None:
    """Check a pick on a second topic set, or else by trainings; None for a single topic.

    `trainings` are needed with a second topic set for how stable the pick is, otherwise they only save time.
    """
    sizes = [variant.size for variant in evidence.variants]

    def stability(of: Trainings) -> float:
        near, at_baseline = stabilities(sizes, evidence.baseline_size, of, guards)
        return at_baseline if picked is None else near[picked]

    if measures.held_out is not None:
        there = transfer(
            measures.own,
            measures.held_out,
            rule,
            evidence.measure,
            on_all=lambda *_: picked,
            alpha=terms.alpha,
            seed=terms.seed,
        )
        size = evidence.baseline_size if picked is None else sizes[picked]
        known = None if trainings is None else stability(trainings)
        return HeldOutCheck(there.apparent, there.mean, there.optimism, size, None, there.comparison, known)
    trainings = trainings or _trained(rule, measures, terms)
    if trainings is None:
        return None
    result = validated(trainings, picked, *measures.own, evidence.measure, alpha=terms.alpha, seed=terms.seed)
    share = trainings.baseline_share if picked is None else trainings.shares[picked]
    size = float(np.dot(trainings.shares, sizes)) + trainings.baseline_share * evidence.baseline_size
    return HeldOutCheck(
        result.apparent, result.mean, result.optimism, size, share, result.comparison, stability(trainings)
    )

"""Judges all variants at once, lets the rules pick, and checks the picks on held-out topics."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

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
from thresher.errors import InputError
from thresher.evaluation.cross_validation import FOLDS, REPEATS, cross_validate, transfer
from thresher.evaluation.non_inferiority import Margin, NonInferiority, non_inferiority, smallest_non_inferior
from thresher.evaluation.rules import Rule, at_knee, highest_mean, pareto_front, smallest_without_loss
from thresher.evaluation.significance import ALPHA, RESAMPLES, SEED, TOLERANCE

DEFAULT_MARGIN = Margin(0.05, relative=True)
"""Spärck Jones (1974) calls a difference of 5 % between systems noticeable, one of 10 % material."""

_TRAINING_RESAMPLES = 2000
"""In each training of a cross-validation: the quantile is a little less precise than that of the verdicts."""


@dataclass(frozen=True)
class Terms:
    """The accepted loss, the allowed error, and how a pick is checked.

    `folds` (at most the number of topics) and `repeats` are of the cross-validation over topics; a second topic set needs
    none.
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
) -> Decision:
    """Judge all variants against the baseline, and let the rules pick.

    The verdicts are simultaneous over all variants (see `thresher.evaluation.non_inferiority`), so that the smallest
    non-inferior one may be taken after looking at all of them.

    Args:
        evidence: with at least one variant and one topic.
        terms: see `Terms`.
        held_out_check: whether to check each pick on held-out topics, which takes `folds` × `repeats` bootstraps. Without a
            second topic set, a single topic allows no check.
        progress: called with each rule's name before its check.

    Raises:
        InputError: if the baseline's mean is 0, so that a share of it is no margin.
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
    terms = replace(terms, folds=min(terms.folds, topics))
    check = held_out_check and (evidence.held_out is not None or topics > 1)
    cross_validated = check and evidence.held_out is None
    picked = _picked(evidence.values, evidence, variants)
    picks = []
    for name, rule in _training_rules(evidence, sizes, terms).items():
        index = picked[name]
        if check:
            progress(name)
        checked = _check(rule, index, evidence, sizes, terms) if check else None
        picks.append(Pick(name, None if index is None else variants[index], checked))
    return Decision(
        retrieval=evidence.retrieval,
        measure=evidence.measure,
        explored=evidence.explored,
        size_kind=evidence.size_kind,
        topics=topics,
        held_out_topics=len(evidence.held_out[1]) if evidence.held_out else 0,
        folds=terms.folds if cross_validated else 0,
        # Leaving each topic out once needs no repeats.
        repeats=(1 if terms.folds == topics else terms.repeats) if cross_validated else 0,
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
        evidence.values,
        evidence.baseline,
        terms.margin,
        alpha=terms.alpha,
        seed=terms.seed,
        resamples=terms.resamples,
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


def _training_rules(evidence: Evidence, sizes: Sequence[float], terms: Terms) -> dict[RuleName, Rule]:
    """Return the rules as they pick on training topics, the recommended first."""
    smallest = smallest_without_loss(
        sizes,
        terms.margin,
        below=evidence.baseline_size,
        alpha=terms.alpha,
        seed=terms.seed,
        resamples=min(terms.resamples, _TRAINING_RESAMPLES),
    )
    return {
        RuleName.SMALLEST: smallest,
        RuleName.KNEE: at_knee(sizes, evidence.baseline_size),
        RuleName.HIGHEST: highest_mean(sizes),
    }


def _check(rule: Rule, picked: int | None, evidence: Evidence, sizes: Sequence[float], terms: Terms) -> HeldOutCheck:
    training = evidence.values, evidence.baseline

    def on_all(*_: Values) -> int | None:
        return picked

    if evidence.held_out is not None:
        there = transfer(
            training, evidence.held_out, rule, evidence.measure, on_all=on_all, alpha=terms.alpha, seed=terms.seed
        )
        size = evidence.baseline_size if picked is None else sizes[picked]
        return HeldOutCheck(there.apparent, there.mean, there.optimism, size, None, there.comparison)
    result = cross_validate(
        *training,
        rule,
        evidence.measure,
        on_all=on_all,
        folds=terms.folds,
        repeats=terms.repeats,
        alpha=terms.alpha,
        seed=terms.seed,
    )
    share = result.baseline_share if picked is None else result.shares[picked]
    size = float(np.dot(result.shares, sizes)) + result.baseline_share * evidence.baseline_size
    return HeldOutCheck(result.apparent, result.mean, result.optimism, size, share, result.comparison)

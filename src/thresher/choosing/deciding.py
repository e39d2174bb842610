"""Judges all candidates at once, lets the rules pick, and looks at the picks where they were not made."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from thresher.choosing.records import Decision, Evidence, GroupPick, Pick, RuleName, Values
from thresher.errors import InputError
from thresher.evaluation.cross_validation import FOLDS, REPEATS, cross_validate, transfer
from thresher.evaluation.non_inferiority import Margin, NonInferiority, non_inferiority, smallest_non_inferior
from thresher.evaluation.rules import Rule, at_knee, highest_mean, pareto_front, smallest_without_loss
from thresher.evaluation.significance import ALPHA, RESAMPLES, SEED
from thresher.evaluation.wilcoxon import TOLERANCE

DEFAULT_MARGIN = Margin(0.05, relative=True)
"""Spärck Jones (1974) calls a difference of 5 % between systems noticeable, one of 10 % material."""

_TRAINING_RESAMPLES = 2000
"""In every training of a cross-validation: the quantile is a little less sure than the one of the verdicts."""


@dataclass(frozen=True)
class Terms:
    """On which terms a cutoff is chosen: the accepted loss, the error that is allowed, and how the choice is looked at.

    `folds` and `repeats` are of the cross-validation over topics, which has no more folds than topics; a second topic set
    needs none.
    """

    margin: Margin = DEFAULT_MARGIN
    alpha: float = ALPHA
    folds: int = FOLDS
    repeats: int = REPEATS
    seed: int = SEED
    resamples: int = RESAMPLES


def decide(evidence: Evidence, terms: Terms, looked_at: Callable[[RuleName], None] | None = None) -> Decision:
    """Judge all candidates of the evidence against the baseline, and let the rules pick.

    The verdicts are simultaneous over all candidates (see `thresher.evaluation.non_inferiority`), so that the smallest
    non-inferior one may be taken after looking at all of them.

    Args:
        evidence: with at least one candidate and one topic.
        terms: see `Terms`.
        looked_at: called with the name of each rule before its pick is looked at on other topics, which takes the time of
            `folds` × `repeats` bootstraps; None to leave that out, and the picks with it. A single topic leaves no other.

    Raises:
        InputError: if the baseline finds nothing, so that a share of its mean is no margin.
    """
    verdicts = _verdicts(evidence, terms)
    sizes = [candidate.size for candidate in evidence.candidates]
    means = evidence.values.mean(axis=1).tolist()
    baseline_mean = float(evidence.baseline.mean())
    points = [*zip(sizes, means, strict=True), (evidence.baseline_size, baseline_mean)]
    topics = len(evidence.baseline)
    terms = replace(terms, folds=min(terms.folds, topics))
    possible = evidence.held_out is not None or topics > 1
    picks = _picks(evidence, verdicts, sizes, terms, looked_at) if looked_at and possible else ()
    cross_validated = bool(picks) and evidence.held_out is None
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
        margin=verdicts.margin,
        relative_margin=terms.margin.value if terms.margin.relative else None,
        alpha=terms.alpha,
        critical=verdicts.critical,
        baseline_mean=baseline_mean,
        baseline_size=evidence.baseline_size,
        documents=evidence.documents,
        candidates=evidence.candidates,
        means=tuple(means),
        verdicts=verdicts.cutoffs,
        front=tuple(place for place in pareto_front(points) if place < len(sizes)),
        groups=_groups(evidence, verdicts, sizes),
        picks=picks,
    )


def _verdicts(evidence: Evidence, terms: Terms) -> NonInferiority:
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


def _picks(
    evidence: Evidence,
    verdicts: NonInferiority,
    sizes: Sequence[float],
    terms: Terms,
    looked_at: Callable[[RuleName], None],
) -> tuple[Pick, ...]:
    """Return the picks of all rules: the recommended first, as the verdicts have it."""
    trained = smallest_without_loss(
        sizes,
        terms.margin,
        below=evidence.baseline_size,
        alpha=terms.alpha,
        seed=terms.seed,
        resamples=min(terms.resamples, _TRAINING_RESAMPLES),
    )

    def recommended(values: Values, baseline: Values) -> int | None:
        if values is evidence.values:
            return smallest_non_inferior(verdicts.cutoffs, sizes, below=evidence.baseline_size)
        return trained(values, baseline)

    rules = {
        RuleName.SMALLEST: recommended,
        RuleName.KNEE: at_knee(sizes, evidence.baseline_size),
        RuleName.HIGHEST: highest_mean(sizes),
    }
    found = []
    for name, rule in rules.items():
        looked_at(name)
        found.append(_pick(name, rule, evidence, sizes, terms))
    return tuple(found)


def _pick(name: RuleName, rule: Rule, evidence: Evidence, sizes: Sequence[float], terms: Terms) -> Pick:
    training = evidence.values, evidence.baseline
    if evidence.held_out is not None:
        there = transfer(training, evidence.held_out, rule, evidence.measure, alpha=terms.alpha, seed=terms.seed)
        size = evidence.baseline_size if there.choice is None else sizes[there.choice]
        return Pick(name, there.choice, there.apparent, there.mean, there.optimism, size, None, there.comparison)
    found = cross_validate(
        *training,
        rule,
        evidence.measure,
        folds=terms.folds,
        repeats=terms.repeats,
        alpha=terms.alpha,
        seed=terms.seed,
    )
    share = found.baseline_share if found.choice is None else found.shares[found.choice]
    size = float(np.dot(found.shares, sizes)) + found.baseline_share * evidence.baseline_size
    return Pick(name, found.choice, found.apparent, found.mean, found.optimism, size, share, found.comparison)


def _groups(evidence: Evidence, verdicts: NonInferiority, sizes: Sequence[float]) -> tuple[GroupPick, ...]:
    found = []
    for group in dict.fromkeys(candidate.group for candidate in evidence.candidates):
        places = [place for place, candidate in enumerate(evidence.candidates) if candidate.group == group]
        values, own = evidence.values[np.array(places)], [sizes[place] for place in places]
        highest = highest_mean(own)(values, evidence.baseline)
        bend = at_knee(own, evidence.baseline_size)(values, evidence.baseline)
        smallest = smallest_non_inferior(
            [verdicts.cutoffs[place] for place in places], own, below=evidence.baseline_size
        )
        found.append(
            GroupPick(
                group,
                len(places),
                places[highest or 0],
                None if bend is None else places[bend],
                None if smallest is None else places[smallest],
            )
        )
    return tuple(found)

"""Choices to report on: explored ones made by a model of pruning and judged by the real test, and one made of runs."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import numpy.typing as npt
from report_samples import large

from thresher.choosing.choices import Choice
from thresher.choosing.deciding import Terms, decide
from thresher.choosing.decisions import Decision, Evidence, QueryCosts, SizeKind, Values
from thresher.choosing.evidence import explored_evidence, measured_evidence
from thresher.choosing.guards import Guards
from thresher.choosing.recommending import recommend
from thresher.costs import Interval
from thresher.exploring.exploration import Exploration, ExploredSweep, SizeErrors
from thresher.lucene.work import IndexStatistics
from thresher.results.experiment_results import Results

NDCG = "nDCG@10"
MEASURES = (NDCG, "P@10")
TOPICS, POINTS, DOCUMENTS, WORDS, BYTES = 40, 120, 5000, 1_000_000, 40_000_000
TERMS = Terms(resamples=500)
NO_GUARDS = Guards(emptied=1.0, stability=0.0)
SECONDS = 0.0085
"""Of a query of the baseline."""


def explored(
    topics: int = TOPICS,
    held_out: int = 30,
    retrieval: tuple[str, ...] = ("qld", "bm25"),
    names: tuple[str, str, str] = ("density", "perplexity(lm=books)", "justext"),
    points: int = POINTS,
    seed: int = 5,
) -> Exploration:
    """Two scorers, one that keeps high scores and one that keeps low ones, and a cleaner that has no cutoff."""
    dice = np.random.default_rng(seed)
    shape = (len(retrieval), len(MEASURES), 1)
    bases = [dice.beta(3, 2, (*shape, count)) for count in (topics, held_out) if count]
    tastes = [dice.normal(0, 1, (1, 1, 1, base.shape[3])) for base in bases]

    def sweep(name: str, cutoffs: list[float] | None, kept: npt.NDArray[np.float64]) -> ExploredSweep:
        # A little less text helps, much less harms, and topics differ in it.
        gain = (0.1 * kept * (1 - kept) - 0.5 * np.maximum(0, 0.5 - kept) ** 1.3)[None, None, :, None]
        spread = 0.05 * (1 - kept)[None, None, :, None]
        found = [
            np.clip(base + gain + spread * (taste + dice.normal(0, 0.2, (*shape[:2], len(kept), base.shape[3]))), 0, 1)
            for base, taste in zip(bases, tastes, strict=True)
        ]
        sizes = [
            IndexStatistics(round(DOCUMENTS * k**0.1), round(WORDS * k), round(WORDS * k / 2), round(900 * k))
            for k in kept
        ]
        return ExploredSweep(
            name,
            (name,) if cutoffs is None else tuple(f"{name}@{cutoff:g}" for cutoff in cutoffs),
            None if cutoffs is None else tuple(cutoffs),
            tuple(round(WORDS * k) for k in kept),
            tuple(sizes),
            100 * kept[:, None] ** (1 + np.arange(topics) / topics),
            tuple(round(BYTES * k) for k in kept),
            found[0],
            found[1] if held_out else None,
        )

    share = np.linspace(0.01, 0.995, points)
    first, second, single = names
    sweeps = (
        sweep("none", None, np.array([1.0])),
        sweep(first, [round(float(cutoff), 3) for cutoff in np.linspace(30, 0.5, points)], share),
        sweep(second, [round(float(cutoff), 1) for cutoff in np.geomspace(20, 900_000, points)], share),
        sweep(single, None, np.array([0.61])),
    )
    return Exploration(
        retrieval=retrieval,
        measures=MEASURES,
        topics=tuple(str(number) for number in range(topics)),
        documents=DOCUMENTS,
        words=WORDS,
        depth=1000,
        sweeps=sweeps,
        size_errors=SizeErrors(9, 0.01, 0.02),
        held_out=tuple(f"h{number}" for number in range(held_out)),
    )


def choice_of(exploration: Exploration, terms: Terms = TERMS) -> Choice:
    """Decide by all measures; only the main one is looked at on other topics."""
    evidence = [
        explored_evidence(exploration, model, measure)
        for model in range(len(exploration.retrieval))
        for measure in range(len(exploration.measures))
    ]
    held = {
        name: postings
        for sweep in exploration.sweeps
        for name, postings in zip(sweep.variants, sweep.query_postings, strict=True)
    }
    return _choice(evidence, terms, exploration.retrieval[0], held)


@functools.cache
def measured() -> tuple[Results, Choice]:
    """A choice of the runs of a large sample, of twenty cutoffs and two single cleaners, without held-out topics."""
    results = large(topics=30)
    measures = ("nDCG(dcg='exp-log2')@10", "P@10")
    evidence = [measured_evidence(results, "qld", measure, ("words", "justext", "bte")) for measure in measures]
    return results, _choice(evidence, replace(TERMS, resamples=300, folds=2, repeats=1), "qld")


def _choice(
    evidence: list[Evidence], terms: Terms, priced: str, postings: Mapping[str, Values] | None = None
) -> Choice:
    main = evidence[0].measure
    decisions: list[Decision] = []
    recommendations = []
    for model in dict.fromkeys(one.retrieval for one in evidence):
        first, *rest = (one for one in evidence if one.retrieval == model)
        others = [decide(one, terms, False) for one in rest]
        decision = decide(first, terms, guards=NO_GUARDS)
        decisions += [decision, *others]
        recommendations.append(recommend(decision, (), NO_GUARDS, None, postings))
    saved = {variant.name: saved_by(variant.size) for variant in decisions[0].variants}
    # Postings have no price: prices are by byte.
    costs = () if decisions[0].size_kind is SizeKind.POSTINGS else (QueryCosts(priced, SECONDS, saved),)
    return Choice("Pages & more", "key", main, tuple(recommendations), tuple(decisions), costs, "Eq. 9")


def saved_by(size: float) -> Interval | None:
    """Return seconds a query is faster, by the size of the index; None where the difference is small."""
    less = 3e-11 * (BYTES - size)
    return Interval(less, 0.8 * less, 1.25 * less) if abs(less) > 0.03 * SECONDS else None

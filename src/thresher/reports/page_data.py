"""What the charts and the slider of the report read: every variant's figures and every topic's values, as JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from thresher.choosing.choices import Choice
from thresher.choosing.decisions import Decision, JudgedVariant, ModelDecisions
from thresher.costs import Interval
from thresher.evaluation.non_inferiority import MINIMUM, Verdict
from thresher.explaining.explanations import ExplainedTopics
from thresher.exploring.exploration import Exploration
from thresher.number_texts import number_text
from thresher.reports.choice_tables import margin_text
from thresher.reports.formatting import MEASURE_DECIMALS, WIDE, percent_text
from thresher.reports.table import measure_header
from thresher.results.experiment_results import Results, VariantResult
from thresher.results.selection import (
    baseline_row,
    compared_measures,
    front_rows,
    main_measure,
    relative_bytes,
    sweep_rows,
    sweeps,
    variant_rows,
    words_kept,
)
from thresher.scorers.cleaners import BASELINE

QUERIES = 1_000_000
"""Queries that savings are first shown for, where the choice has none."""
SINGLES = "cleaners without a sweep"
"""The heading of variants without a cutoff, or alone in their sweep."""


@dataclass(frozen=True)
class Facts:
    """`words` kept of the collection as a share, None where it has none; means on the held-out topics by measure, empty where
    there are none; `postings` of a query, None where they are not known.
    """

    words: float | None
    held_out: Mapping[str, float]
    postings: float | None = None


def facts_by_name(retrieval: str, exploration: Exploration | None, results: Results | None) -> Mapping[str, Facts]:
    """Return the facts of each variant that was explored, or else run, with one retrieval model, the baseline among them."""
    if exploration is not None and retrieval in exploration.retrieval:
        return _explored(exploration, exploration.retrieval.index(retrieval))
    return {} if results is None else _measured(results, retrieval)


def _explored(exploration: Exploration, model: int) -> dict[str, Facts]:
    return {
        row.name: Facts(
            row.words_share, dict(zip(exploration.measures, row.held_out, strict=False)), row.query_postings
        )
        for rows in exploration.variants(model)
        for row in rows
    }


def _measured(results: Results, retrieval: str) -> dict[str, Facts]:
    tested = results.held_out.rows if results.held_out else ()
    held_out = {row.variant: row.measures for row in tested if row.retrieval == retrieval}
    return {
        row.variant: Facts(words_kept(row), held_out.get(row.variant, {}), row.work.postings)
        for row in results.rows
        if row.retrieval == retrieval
    }


@dataclass(frozen=True)
class Point:
    """A variant as the page shows it, rounded to what it shows.

    Args:
        names: canonical.
        cutoffs: as names write it; None where there is none, or two.
        at: where it stands on the axis of its sweep: the cutoff, or the share of the baseline's size where there is none.
        sizes, shares: of the index, and in % of the baseline's.
        words: kept, in %.
        postings: of a query.
        documents: with text.
        front: whether it is on the Pareto front.
        means, held: by measure, on the topics and on held-out ones.
        verdicts, lows, highs, needed: of the test against the baseline, by the main measure.
        saved: wall seconds a query: value, low, high.
    """

    names: str
    cutoffs: str | None
    at: float
    sizes: int
    shares: float | None
    words: float | None
    postings: float | None
    documents: int
    front: bool
    means: tuple[float | None, ...]
    held: tuple[float | None, ...]
    verdicts: str | None = None
    lows: float | None = None
    highs: float | None = None
    needed: int | None = None
    saved: tuple[float, float, float] | None = None


def page_data(
    choice: Choice | None,
    exploration: Exploration | None,
    results: Results | None,
    explained: ExplainedTopics | None = None,
) -> dict[str, Any]:
    """Return what the page's scripts read: an object for each retrieval model, in the order of the choice or the results."""
    if choice is not None:
        queries = next((saved.queries for saved in choice.savings), QUERIES)
        models = [_chosen_model(choice, one, exploration, results) for one in choice.models]
    else:
        assert results is not None
        queries = QUERIES
        models = [_run_model(results, name) for name in dict.fromkeys(row.retrieval for row in results.rows)]
    return {"queries": queries, "models": models, "pages": explained.files if explained else {}}


def _chosen_model(
    choice: Choice, one: ModelDecisions, exploration: Exploration | None, results: Results | None
) -> dict[str, Any]:
    main = one.main
    facts = facts_by_name(main.retrieval, exploration if main.explored else None, results)
    costs = next((costs for costs in choice.costs if costs.retrieval == main.retrieval), None)
    saved = costs.saved if costs else {}
    groups: list[tuple[str, Sequence[JudgedVariant], bool]] = [
        *((sweep.name, sweep.laxest_first, True) for sweep in main.ordered_sweeps),
        *((combination.name, combination.variants, False) for combination in main.combinations),
    ]
    if main.singles:
        groups.append((SINGLES, main.singles, False))
    recommended = main.recommended
    base = facts.get(BASELINE)
    return {
        "name": main.retrieval,
        "kind": main.size_kind.value,
        "size": round(main.baseline_size),
        "documents": main.documents,
        "measures": [decision.measure for decision in _decisions(one)],
        "short": [measure_header(decision.measure)[0] for decision in _decisions(one)],
        "base": {
            "means": [_exact(decision.baseline_mean) for decision in _decisions(one)],
            "held": [_exact(base.held_out.get(decision.measure)) if base else None for decision in _decisions(one)],
            "postings": _rounded(base.postings, 0) if base else None,
        },
        "margin": main.margin,
        "judged": True,
        "words": _words(main),
        "sure": percent_text(main.confidence),
        "seconds": costs and costs.seconds,
        "recommended": recommended and recommended.name,
        "start": next((pick.variant.name for pick in main.picks if pick.variant), None),
        "picks": [[pick.rule.value, pick.variant.name] for pick in main.picks if pick.variant],
        "sweeps": [
            {
                **_columns(name, [_judged(one, variant, facts, saved, swept) for variant in variants], swept),
                "grid": not swept and name != SINGLES,
            }
            for name, variants, swept in groups
        ],
        "families": [
            {
                "name": family.value,
                "names": [variant.name for variant in variants],
                "shares": [_rounded(100 * main.size_share(variant.size), 2) for variant in variants],
                "means": [_exact(variant.mean) for variant in variants],
            }
            for family, variants in main.frontiers.items()
        ],
        "topics": _topics(results, main.retrieval, main.measure, _recommended_values(exploration, main)),
    }


def _judged(
    one: ModelDecisions,
    variant: JudgedVariant,
    facts: Mapping[str, Facts],
    saved: Mapping[str, Interval | None],
    swept: bool,
) -> Point:
    main, known, time = one.main, facts.get(variant.name), saved.get(variant.name)
    decisions = _decisions(one)
    share = 100 * main.size_share(variant.size)
    cutoff = variant.cutoff if swept else None
    return Point(
        names=variant.name,
        cutoffs=None if cutoff is None else number_text(cutoff),
        at=share if cutoff is None else cutoff,
        sizes=round(variant.size),
        shares=_rounded(share, 1),
        words=_rounded(known.words and 100 * known.words, 1) if known else None,
        postings=_rounded(known.postings, 0) if known else None,
        documents=variant.documents,
        front=variant.on_front,
        means=tuple(_exact(decision.by_name[variant.name].mean) for decision in decisions),
        held=tuple(_exact(known.held_out.get(decision.measure)) if known else None for decision in decisions),
        verdicts=variant.test.verdict.value,
        lows=_rounded(variant.test.low),
        highs=_rounded(variant.test.high),
        needed=variant.test.topics_needed,
        saved=(time.value, time.low, time.high) if time else None,
    )


def _run_model(results: Results, retrieval: str) -> dict[str, Any]:
    """Return a retrieval model of an experiment that nothing was chosen in yet."""
    measure, base = main_measure(results), baseline_row(results, retrieval)
    measures = [measure, *(name for name in compared_measures(results) if name != measure)]
    held_out = {name: facts.held_out for name, facts in _measured(results, retrieval).items()}
    front = {row.variant for row in front_rows(results, retrieval)}
    groups = [(name, sweep_rows(results, name, retrieval)) for name in sweeps(results)]
    groups = [(name, rows) for name, rows in groups if len(rows) > 1]
    swept = {row.variant for _, rows in groups for row in rows}
    singles = tuple(row for row in variant_rows(results, retrieval) if row.variant not in swept)
    return {
        "name": retrieval,
        "kind": "bytes",
        "size": base.index_bytes,
        "documents": base.documents,
        "measures": measures,
        "short": [measure_header(name)[0] for name in measures],
        "base": {
            "means": [_exact(base.measures.get(name)) for name in measures],
            "held": [_exact(held_out[BASELINE].get(name)) for name in measures],
            "postings": _rounded(base.work.postings, 0),
        },
        "margin": None,
        "judged": False,
        "recommended": None,
        "sweeps": [
            _columns(
                name,
                [_run(row, measures, row.variant in front, held_out[row.variant]) for row in rows],
                name != SINGLES,
            )
            for name, rows in (*groups, *([(SINGLES, singles)] if singles else []))
        ],
        "families": [],
        "topics": _topics(results, retrieval, measure, None),
    }


def _run(row: VariantResult, measures: Sequence[str], front: bool, held_out: Mapping[str, float]) -> Point:
    share = 100 * (relative_bytes(row) or 0.0)
    comparison = row.comparisons.get(measures[0])
    return Point(
        names=row.variant,
        cutoffs=None if row.cutoff is None else number_text(row.cutoff),
        at=share if row.cutoff is None else row.cutoff,
        sizes=row.index_bytes,
        shares=_rounded(share, 1),
        words=_rounded(None if (kept := words_kept(row)) is None else 100 * kept, 1),
        postings=_rounded(row.work.postings, 0),
        documents=row.indexed,
        front=front,
        means=tuple(_exact(row.measures.get(name)) for name in measures),
        held=tuple(_exact(held_out.get(name)) for name in measures),
        lows=_rounded(comparison.ci_low) if comparison else None,
        highs=_rounded(comparison.ci_high) if comparison else None,
    )


def _columns(name: str, points: Sequence[Point], swept: bool) -> dict[str, Any]:
    """Return a sweep's points by field, and whether its axis is logarithmic; `swept` if they stand by cutoff."""
    positions = sorted(point.at for point in points)
    return {
        "name": name,
        "swept": swept,
        "log": swept and positions[0] > 0 and positions[-1] > WIDE * positions[0],
        **{field.name: [getattr(point, field.name) for point in points] for field in fields(Point)},
    }


def _recommended_values(exploration: Exploration | None, main: Decision) -> tuple[str, Mapping[str, float]] | None:
    """Return the values by topic of a recommended variant that was explored."""
    variant = main.recommended
    if exploration is None or variant is None:
        return None
    model, measure = exploration.retrieval.index(main.retrieval), exploration.measures.index(main.measure)
    for sweep in exploration.sweeps:
        if variant.name in sweep.variants:
            values = sweep.values[model, measure, sweep.variants.index(variant.name)]
            return variant.name, dict(zip(exploration.topics, values.tolist(), strict=True))
    return None


def _topics(
    results: Results | None, retrieval: str, measure: str, recommended: tuple[str, Mapping[str, float]] | None
) -> dict[str, Any] | None:
    """Return each topic's value with every variant that was run and the recommended one; None where nothing was run."""
    if results is None:
        return None
    queries: dict[str, str] = {}
    values: dict[str, dict[str, float]] = {}
    for one in results.per_topic:
        if one.retrieval == retrieval and one.measure == measure:
            queries[one.topic] = one.query
            values.setdefault(one.variant, {})[one.topic] = one.value
    if not values:
        return None
    if recommended:
        values.setdefault(recommended[0], dict(recommended[1]))
    return {
        "ids": list(queries),
        "queries": list(queries.values()),
        "variants": list(values),
        "values": [[_exact(held.get(topic)) for topic in queries] for held in values.values()],
    }


def _decisions(one: ModelDecisions) -> tuple[Decision, ...]:
    return one.main, *one.others


def _words(decision: Decision) -> dict[str, str]:
    open_words = "Inconclusive: neither a loss below nor one above the margin is shown."
    if decision.topics < MINIMUM:
        open_words = f"Inconclusive: {decision.topics} topics are too few for a verdict, at least {MINIMUM} are needed."
    margin = margin_text(decision)
    return {
        Verdict.NON_INFERIOR.value: f"Non-inferior: the loss is shown to be less than {margin}.",
        Verdict.INFERIOR.value: f"Inferior: the loss is shown to be more than {margin}.",
        Verdict.INCONCLUSIVE.value: open_words,
    }


def _exact(value: float | None) -> float | None:
    """Return a number whose differences from others are shown rounded; None for None and what is not finite."""
    return _rounded(value, 6 + MEASURE_DECIMALS)


def _rounded(value: float | None, decimals: int = MEASURE_DECIMALS) -> float | None:
    """Return what is shown of a number; None for None and what is not finite, which JSON cannot hold."""
    return None if value is None or not math.isfinite(value) else round(value, decimals)

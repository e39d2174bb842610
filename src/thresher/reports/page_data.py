"""What the scripts of the report read, as JSON: charts, every variant's figures, every topic's values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from thresher.choosing.choices import Choice
from thresher.choosing.decisions import Decision, ModelDecisions
from thresher.evaluation.non_inferiority import MINIMUM, Verdict
from thresher.explaining.explanations import ExplainedTopics
from thresher.exploring.exploration import Exploration
from thresher.reports.chart_rows import Facts, exact, facts_by_name, of_choice, of_results
from thresher.reports.charts import LOOK, Spec, Variants, cutoffs, frontier, on_held_out, overview, topics
from thresher.reports.choice_tables import margin_text
from thresher.reports.formatting import percent_text
from thresher.results.experiment_results import Results
from thresher.results.selection import baseline_row, compared_measures, main_measure, retrievals
from thresher.scorers.cleaners import BASELINE

QUERIES = 1_000_000
"""Queries that savings are first shown for, where the choice has none."""


def page_data(
    choice: Choice | None,
    exploration: Exploration | None,
    results: Results | None,
    explained: ExplainedTopics | None = None,
) -> dict[str, Any]:
    """Return what the page's scripts read: an object for each retrieval model, in the order of the choice or the results."""
    queries = QUERIES
    if choice is not None:
        queries = next((saved.queries for saved in choice.savings), QUERIES)
        models = [_chosen_model(choice, one, exploration, results) for one in choice.models]
    else:
        assert results is not None
        models = [_run_model(results, name) for name in retrievals(results)]
    return {"queries": queries, "models": models, "pages": explained.files if explained else {}, "look": LOOK}


def _chosen_model(
    choice: Choice, one: ModelDecisions, exploration: Exploration | None, results: Results | None
) -> dict[str, Any]:
    main, model = one.main, of_choice(choice, one, exploration, results)
    facts = facts_by_name(main.retrieval, exploration if main.explored else None, results)
    base = facts.get(BASELINE, Facts())
    costs = next((costs for costs in choice.costs if costs.retrieval == main.retrieval), None)
    swept = list(dict.fromkeys(row["sweep"] for row in model.rows))
    return {
        **_model(model, [decision.measure for decision in (main, *one.others)], base.postings),
        "kind": main.size_kind.value,
        "size": round(main.baseline_size),
        "documents": main.documents,
        "judged": True,
        "words": _words(main),
        "sure": percent_text(main.confidence),
        "seconds": costs and costs.seconds,
        "recommended": main.recommended and main.recommended.name,
        "start": next((pick.variant.name for pick in main.picks if pick.variant), None),
        "picks": [[pick.rule.value, pick.variant.name] for pick in main.picks if pick.variant],
        "cutoffs": [cutoffs(model, sweep) for sweep in swept],
        "kinds": [family.value for family in main.families],
        "families": overview(model, "family", 320) if len(main.families) > 1 else None,
        "topics": _topics(results, model, main.measure, _recommended_values(exploration, main)),
    }


def _run_model(results: Results, retrieval: str) -> dict[str, Any]:
    """Return a retrieval model of an experiment that nothing was chosen in yet."""
    model, base, main = of_results(results, retrieval), baseline_row(results, retrieval), main_measure(results)
    return {
        **_model(model, [main, *(name for name in compared_measures(results) if name != main)], base.work.postings),
        "judged": False,
        "recommended": None,
        "topics": _topics(results, model, main, {}),
    }


def _model(model: Variants, measures: list[str], postings: float | None) -> dict[str, Any]:
    held_out: Spec | None = frontier(on_held_out(model), 400) if model.held[0] is not None else None
    return {
        "name": model.name,
        "measures": measures,
        "base": {"means": model.base, "held": model.held, "postings": postings},
        "rows": model.rows,
        "sweeps": list(dict.fromkeys(row["sweep"] for row in model.rows)),
        "frontier": frontier(model),
        "held": held_out,
        "all": overview(model),
        "bars": topics(model.measures[0]),
    }


def _recommended_values(exploration: Exploration | None, main: Decision) -> Mapping[str, Mapping[str, float]]:
    """Return the values by topic of a recommended variant that was explored, by its name."""
    variant = main.recommended
    if exploration is None or variant is None:
        return {}
    model, measure = exploration.retrieval.index(main.retrieval), exploration.measures.index(main.measure)
    for sweep in exploration.sweeps:
        if variant.name in sweep.variants:
            values = sweep.values[model, measure, sweep.variants.index(variant.name)]
            return {variant.name: dict(zip(exploration.topics, values.tolist(), strict=True))}
    return {}


def _topics(
    results: Results | None, model: Variants, measure: str, recommended: Mapping[str, Mapping[str, float]]
) -> dict[str, Any] | None:
    """Return each topic's value with every variant that was run and the recommended one; None where nothing was run."""
    queries: dict[str, str] = {}
    values: dict[str, dict[str, float]] = {}
    for one in results.per_topic if results else ():
        if one.retrieval == model.name and one.measure == measure:
            queries[one.topic] = one.query
            values.setdefault(one.variant, {})[one.topic] = one.value
    if not values:
        return None
    values |= {name: dict(held) for name, held in recommended.items() if name not in values}
    return {
        "ids": list(queries),
        "queries": list(queries.values()),
        "variants": list(values),
        "values": [[exact(held.get(topic)) for topic in queries] for held in values.values()],
    }


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

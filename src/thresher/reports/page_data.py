"""What the scripts of the report read, as JSON: charts, every variant's figures, every topic's values."""

from __future__ import annotations

from typing import Any

from thresher.choosing.choices import Choice
from thresher.explaining.explanations import ExplainedTopics
from thresher.reports.chart_rows import answered_variants, exact, rounded
from thresher.reports.charts import LOOK, cutoffs, frontier, on_held_out, overview, topics
from thresher.reports.formatting import percent_text
from thresher.reports.recommendation import margin_text
from thresher.reports.variant_columns import tested_measures
from thresher.variants.results import Results
from thresher.variants.table import VariantTable, Verdict

QUERIES = 1_000_000
"""Queries that savings are first shown for, where the choice has none."""


def page_data(results: Results, choice: Choice | None, explained: ExplainedTopics | None = None) -> dict[str, Any]:
    """Return what the page's scripts read: an object for each retrieval model."""
    return {
        "queries": choice.queries if choice else QUERIES,
        "models": [_model(results, table, choice) for table in results.tables],
        "pages": explained.files if explained else {},
        "look": LOOK,
    }


def _model(results: Results, table: VariantTable, choice: Choice | None) -> dict[str, Any]:
    main, model = answered_variants(table, choice)
    first = next((row["name"] for row in model.rows if row["recommended"]), None)
    families = [family.value for family in table.families]
    sweeps = list(dict.fromkeys(row["sweep"] for row in model.rows))
    built = table.baseline.built
    return {
        "name": model.name,
        "measures": list(tested_measures(table, main)),
        "base": {
            "means": model.base,
            "held": model.held,
            "postings": rounded(table.mean_query_postings[0].item(), 0),
            "size": table.baseline.index.postings,
            "documents": table.baseline.index.documents,
        },
        "rows": model.rows,
        "sweeps": sweeps,
        "frontier": frontier(model),
        "held": frontier(on_held_out(model), 400) if table.held_out_topics else None,
        "all": overview(model),
        "bars": topics(model.measures[0]),
        "cutoffs": [cutoffs(model, sweep) for sweep in sweeps],
        "kinds": families,
        "families": overview(model, "family", 320) if len(families) > 1 else None,
        "recommended": first,
        "words": _words(choice) if choice else None,
        "sure": percent_text(1 - (choice.terms.alpha if choice else results.facts.alpha)),
        "seconds": built.query.wall.value if built and built.query else None,
        "topics": _topics(results, table, main, first),
    }


def _topics(results: Results, table: VariantTable, main: str, first: str | None) -> dict[str, Any]:
    """Return each topic's value with every variant that was built or is recommended, or on the front if none was built."""
    shown = set(table.built) if len(table.built) > 1 else {0, *table.front(main, (0, *table.candidates))}
    shown |= {table.position[first]} if first else set()
    values = table.of(main)
    return {
        "ids": list(table.topics),
        "queries": [results.facts.topics.get(topic, "") for topic in table.topics],
        "variants": [table.rows[index].name for index in sorted(shown)],
        "values": [list(map(exact, values[index].tolist())) for index in sorted(shown)],
    }


def _words(choice: Choice) -> dict[str, str]:
    margin = margin_text(choice.terms.margin)
    return {
        Verdict.SHOWN.value: f"Shown to lose less than {margin}.",
        Verdict.UNDECIDED.value: f"Undecided: shown to lose neither less nor more than {margin}.",
        Verdict.LOSES.value: f"Shown to lose more than {margin}.",
    }

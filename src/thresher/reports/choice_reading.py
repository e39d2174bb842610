"""What the slider of the report reads: every cutoff's figures, as JSON in the page and as a plain table."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from thresher.choosing.choices import Choice
from thresher.choosing.decisions import Decision, JudgedVariant, ModelDecisions
from thresher.costs import Interval
from thresher.evaluation.non_inferiority import MINIMUM, Verdict
from thresher.exploring.exploration import Exploration
from thresher.reports.choice_plots import Drawn
from thresher.reports.choice_tables import VariantRow, margin_text, variant_columns
from thresher.reports.formatting import MEASURE_DECIMALS, cutoff_text, percent_text
from thresher.reports.table import Table, pick
from thresher.results.experiment_results import Results
from thresher.results.selection import spread
from thresher.scorers.cleaners import BASELINE


@dataclass(frozen=True)
class Facts:
    """`words` kept of the collection as a share, None where it has none; means on the held-out topics by measure, empty where
    there are none.
    """

    words: float | None
    held_out: Mapping[str, float]


def facts_by_name(retrieval: str, exploration: Exploration | None, results: Results | None) -> Mapping[str, Facts]:
    """Return the facts of each variant that was explored, or else run, with one retrieval model, the baseline among them."""
    if exploration is not None and retrieval in exploration.retrieval:
        return _explored(exploration, exploration.retrieval.index(retrieval))
    return {} if results is None else _measured(results, retrieval)


def _explored(exploration: Exploration, model: int) -> dict[str, Facts]:
    facts = {}
    for sweep in exploration.sweeps:
        held_out = {
            measure: means
            for number, measure in enumerate(exploration.measures)
            if (means := sweep.held_out_means(model, number)) is not None
        }
        for point, name in enumerate(sweep.variants):
            facts[name] = Facts(
                sweep.words[point] / exploration.words if exploration.words else None,
                {measure: float(means[point]) for measure, means in held_out.items()},
            )
    return facts


def _measured(results: Results, retrieval: str) -> dict[str, Facts]:
    tested = results.held_out.rows if results.held_out else ()
    held_out = {row.variant: row.measures for row in tested if row.retrieval == retrieval}
    return {
        row.variant: Facts(row.words_kept / row.words_total if row.words_total else None, held_out.get(row.variant, {}))
        for row in results.rows
        if row.retrieval == retrieval
    }


QUERIES = 1_000_000
"""Queries that savings are first shown for, where the choice has none."""
SINGLES = "cleaners without a sweep"
"""The heading of variants without a cutoff, or alone in their sweep."""


@dataclass(frozen=True)
class Readable:
    """One retrieval model: its decisions, facts by variant, and plots of each sweep and of all variants.

    `sweeps` are in the order of `Decision.ordered_sweeps`, `combinations` in that of `Decision.combinations`.
    """

    decisions: ModelDecisions
    facts: Mapping[str, Facts]
    sweeps: Sequence[Drawn]
    combinations: Sequence[Drawn]
    overview: Drawn


def reading_json(choice: Choice, models: Iterable[Readable]) -> Markup:
    """Return the data as JSON that may stand in a `script` element: nothing in it can end the element, or open a comment."""
    queries = next((saved.queries for saved in choice.savings), QUERIES)
    data = {"queries": queries, "models": [_model(choice, model) for model in models]}
    text = json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return Markup(text)


def _model(choice: Choice, readable: Readable) -> dict[str, Any]:
    main = readable.decisions.main
    costs = next((costs for costs in choice.costs if costs.retrieval == main.retrieval), None)
    saved = costs.saved if costs else {}
    sweeps = [
        _sweep(readable, sweep.name, sweep.laxest_first, drawn, saved)
        for sweep, drawn in zip(main.ordered_sweeps, readable.sweeps, strict=True)
    ]
    sweeps += [
        _sweep(readable, one.name, one.variants, drawn, saved)
        for one, drawn in zip(main.combinations, readable.combinations, strict=True)
    ]
    if main.singles:
        sweeps.append(_sweep(readable, SINGLES, main.singles, readable.overview, saved))
    return {
        "name": main.retrieval,
        "kind": main.size_kind.value,
        "size": round(main.baseline_size),
        "documents": main.documents,
        "measures": [decision.measure for decision in _decisions(readable)],
        "words": _words(main),
        "sure": percent_text(1 - main.alpha),
        "seconds": costs and costs.seconds,
        "start": next((pick.variant.name for pick in main.picks if pick.variant), None),
        "picks": [[pick.rule.value, pick.variant.name] for pick in main.picks if pick.variant],
        "sweeps": sweeps,
    }


def _sweep(
    readable: Readable,
    name: str,
    variants: Sequence[JudgedVariant],
    drawn: Drawn,
    saved: Mapping[str, Interval | None],
) -> dict[str, Any]:
    main = readable.decisions.main
    known = [readable.facts.get(variant.name) for variant in variants]
    frame = drawn.frame
    return {
        "name": name,
        "names": [variant.name for variant in variants],
        "cutoffs": list(map(_cutoff, variants)),
        "sizes": [round(variant.size) for variant in variants],
        "shares": [_rounded(100 * main.size_share(variant.size), 1) for variant in variants],
        "words": [_rounded(fact.words and 100 * fact.words, 1) if fact else None for fact in known],
        "documents": [variant.documents for variant in variants],
        "verdicts": [variant.test.verdict.value for variant in variants],
        "lows": [_rounded(variant.test.low) for variant in variants],
        "highs": [_rounded(variant.test.high) for variant in variants],
        "saved": [
            [time.value, time.low, time.high] if (time := saved.get(variant.name)) else None for variant in variants
        ],
        "needed": [variant.test.topics_needed for variant in variants],
        "measures": [_values(decision, readable.facts, variants) for decision in _decisions(readable)],
        "plot": {
            "id": drawn.id,
            "size": [round(length, 1) for length in drawn.size],
            "frame": [round(edge, 1) for edge in (frame.left, frame.top, frame.right, frame.bottom)],
            "dots": [[[round(x, 1), round(y, 1)] for x, y in drawn.dots[variant.name]] for variant in variants],
        },
    }


def _cutoff(variant: JudgedVariant) -> str | None:
    """Return the cutoff; None where there is none, or two."""
    if variant.cutoff is None or variant.cleaner_cutoff is not None:
        return None
    return cutoff_text(variant.cutoff)


def _values(decision: Decision, facts: Mapping[str, Facts], variants: Sequence[JudgedVariant]) -> dict[str, Any]:
    """Return a measure's means, differences from the baseline, and the same on held-out topics, None where there are none."""
    there = {name: mean for name, fact in facts.items() if (mean := fact.held_out.get(decision.measure)) is not None}
    means = [decision.by_name[variant.name].mean for variant in variants]
    held = [there.get(variant.name) for variant in variants]
    return {
        "means": [_rounded(mean) for mean in means],
        "differences": [_rounded(_less(mean, decision.baseline_mean)) for mean in means],
        "held": [_rounded(mean) for mean in held] if there else None,
        "heldDifferences": [_rounded(_less(mean, there.get(BASELINE))) for mean in held] if there else None,
    }


def _less(value: float | None, base: float | None) -> float | None:
    return None if value is None or base is None else value - base


def _decisions(readable: Readable) -> tuple[Decision, ...]:
    return readable.decisions.main, *readable.decisions.others


def _words(decision: Decision) -> dict[str, str]:
    """Return each verdict in words."""
    open_words = "Inconclusive: neither a loss below nor one above the margin is shown."
    if decision.topics < MINIMUM:
        open_words = f"Inconclusive: {decision.topics} topics are too few for a verdict, at least {MINIMUM} are needed."
    margin = margin_text(decision)
    return {
        Verdict.NON_INFERIOR.value: f"Non-inferior: the loss is shown to be less than {margin}.",
        Verdict.INFERIOR.value: f"Inferior: the loss is shown to be more than {margin}.",
        Verdict.INCONCLUSIVE.value: open_words,
    }


def _rounded(value: float | None, decimals: int = MEASURE_DECIMALS) -> float | None:
    """Return what is shown of a number; None for None and what is not finite, which JSON cannot hold."""
    return None if value is None or not math.isfinite(value) else round(value, decimals)


A_SCORER = 9
"""Cutoffs of each scorer, beside those that are picked."""


def reading_table(decisions: ModelDecisions, facts: Mapping[str, Facts]) -> Table:
    """Return one row per cutoff: a few of each scorer from laxest to strictest, those picked, and all without a sweep."""
    main = decisions.main
    sections = [*((variants[0].sweep, variants) for variants in _selected(main)), (SINGLES, main.singles)]
    rows = [_row(decisions, facts, variant, section) for section, variants in sections for variant in variants]
    columns = variant_columns(main.measure, [other.measure for other in decisions.others])
    names = ("variant", "mean", "difference", "low", "high", "verdict", *(other.measure for other in decisions.others))
    sure = percent_text(1 - main.alpha)
    caption = (
        f"{main.retrieval}: {len(rows)} of {len(main.variants)} variants. Differences from the baseline in "
        f"{main.measure}; all lower bounds hold simultaneously with {sure} confidence, as do all upper ones. Index sizes are "
        f"{main.size_kind}."
    )
    shown = pick(columns, *names, "words", "documents", "share")
    return Table.of(shown, rows, caption, group=lambda row: row.section)


def _selected(decision: Decision) -> list[list[JudgedVariant]]:
    selected = []
    groups = [
        *((sweep.laxest_first, sweep.picks) for sweep in decision.ordered_sweeps),
        *((one.variants, one.picks) for one in decision.combinations),
    ]
    for ordered, picks in groups:
        picked = (picks.highest, picks.smallest, picks.knee, *(pick.variant for pick in decision.picks))
        shown = {ordered[index].name for index in spread(len(ordered), A_SCORER)}
        shown |= {variant.name for variant in picked if variant}
        selected.append([variant for variant in ordered if variant.name in shown])
    return selected


def _row(decisions: ModelDecisions, facts: Mapping[str, Facts], variant: JudgedVariant, section: str) -> VariantRow:
    known = facts.get(variant.name)
    others = tuple(other.by_name[variant.name].mean for other in decisions.others)
    return VariantRow(decisions.main, variant, words=known.words if known else None, others=others, section=section)

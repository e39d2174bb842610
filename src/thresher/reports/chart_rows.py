"""Records as the rows that charts and pages read: a dictionary for each variant, rounded to what is shown.

Its keys are `name`, `sweep` and `family`; `cutoff`, or `pair` with a scorer's and a pruning method's; `step`, its
number in the sweep, and `at`, its place there: its cutoff or else its share; `size`, and `share` in % of the
baseline's; `words` kept, in %; `documents` with text; `postings` of a query; `means` and, on held-out topics, `held`
by measure; `mean`, `difference`, `low`, `high`, `verdict` and `needed` by the main measure; `saved` wall seconds a
query, with bounds; `front`, `recommended`, and `best` of its family among those as small; `line`, whether a line
joins it with others; `kept` where a long line is thinned; `drawn` and `marked`, whether it is among all variants, and
has a point where they stand alone.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from thresher.choosing.choices import Choice
from thresher.choosing.decisions import JudgedVariant, ModelDecisions, SizeKind
from thresher.exploring.exploration import Exploration, ExploredVariant
from thresher.pruning_methods.treatments import family_of
from thresher.reports.charts import MOST_MARKED, Row, Variants
from thresher.reports.formatting import MEASURE_DECIMALS
from thresher.reports.table import measure_header
from thresher.results.experiment_results import Results, VariantResult
from thresher.results.selection import (
    baseline_row,
    compared_measures,
    front_rows,
    main_measure,
    main_of,
    relative_bytes,
    sweep_rows,
    sweeps,
    topic_differences,
    variant_rows,
    words_kept,
)
from thresher.scorers.cleaners import BASELINE

SINGLES = "cleaners without a sweep"
"""The heading of variants without a cutoff, or alone in their sweep."""
INDEX = "index size"
MOST_POINTS = 150
"""Of a line, besides those on the front: more cannot be seen, and make a chart slow."""
_Group = tuple[str, Iterable[dict[str, Any]], Container[str]]
"""A heading, its variants, and the names of those that its line joins."""


@dataclass(frozen=True)
class Facts:
    """`words` kept of the collection as a share, None where it has none; means on the held-out topics by measure, empty where
    there are none; `postings` of a query, None where they are not known.
    """

    words: float | None = None
    held_out: Mapping[str, float] = field(default_factory=dict)
    postings: float | None = None


def facts_by_name(retrieval: str, exploration: Exploration | None, results: Results | None) -> Mapping[str, Facts]:
    """Return the facts of each variant that was explored, or else run, with one retrieval model, the baseline among them."""
    if exploration is not None and retrieval in exploration.retrieval:
        every = [row for rows in exploration.variants(exploration.retrieval.index(retrieval)) for row in rows]
        measures = exploration.measures[: len(every[0].held_out)]
        held = [dict(zip(measures, row.held_out, strict=True)) for row in every]
        return {row.name: Facts(row.words_share, own, row.query_postings) for row, own in zip(every, held, strict=True)}
    if results is None:
        return {}
    tested = results.held_out.rows if results.held_out else ()
    held_out = {row.variant: row.measures for row in tested if row.retrieval == retrieval}
    return {
        row.variant: Facts(words_kept(row), held_out.get(row.variant, {}), row.work.postings)
        for row in results.rows
        if row.retrieval == retrieval
    }


def of_choice(
    choice: Choice, one: ModelDecisions, exploration: Exploration | None = None, results: Results | None = None
) -> Variants:
    """Return the variants of a choice, judged; with the exploration or the runs that it was made from they have more facts."""
    main, decisions = one.main, (one.main, *one.others)
    measures = [decision.measure for decision in decisions]
    facts = facts_by_name(main.retrieval, exploration if main.explored else None, results)
    saved = next((costs.saved for costs in choice.costs if costs.retrieval == main.retrieval), {})
    best = {variant.name for frontier in main.frontiers.values() for variant in frontier}

    def row(variant: JudgedVariant) -> dict[str, Any]:
        time, test = saved.get(variant.name), variant.test
        means = [decision.by_name[variant.name].mean for decision in decisions]
        return {
            **_row(variant.name, measures, means, main.baseline_mean, facts.get(variant.name)),
            "cutoff": None if variant.cleaner_cutoff is not None else variant.cutoff,
            "pair": None if variant.cleaner_cutoff is None else [variant.cleaner_cutoff, variant.cutoff],
            "size": round(variant.size),
            "share": _rounded(100 * main.size_share(variant.size), 1),
            "documents": variant.documents,
            "low": _rounded(test.low),
            "high": _rounded(test.high),
            "verdict": test.verdict.value,
            "needed": test.topics_needed,
            "saved": time and [time.value, time.low, time.high],
            "front": variant.on_front,
            "recommended": variant == main.recommended,
            "best": variant.name in best,
        }

    groups: list[_Group] = [
        *((sweep.name, map(row, sweep.laxest_first), main.by_name) for sweep in main.ordered_sweeps),
        *((one.name, map(row, one.variants), [best.name for best in one.frontier]) for one in main.combinations),
        (SINGLES, map(row, main.singles), ()),
    ]
    base = [decision.baseline_mean for decision in decisions]
    size = INDEX if main.size_kind is SizeKind.BYTES else f"{INDEX} ({main.size_kind})"
    return _variants(main.retrieval, measures, base, facts.get(BASELINE), size, main.margin, groups)


def of_results(results: Results, retrieval: str) -> Variants:
    """Return the variants of runs that nothing was chosen of yet."""
    main, base = main_measure(results), baseline_row(results, retrieval).measures
    measures = [main, *(name for name in compared_measures(results) if name != main)]
    facts = facts_by_name(retrieval, None, results)
    front = {row.variant for row in front_rows(results, retrieval)}
    swept = {name: rows for name in sweeps(results) if len(rows := sweep_rows(results, name, retrieval)) > 1}
    singles = [row for row in variant_rows(results, retrieval) if row.sweep not in swept]

    def row(one: VariantResult) -> dict[str, Any]:
        comparison = one.comparisons.get(main)
        means = [one.measures.get(name) for name in measures]
        return {
            **_row(one.variant, measures, means, base.get(main), facts[one.variant]),
            "cutoff": one.cutoff if one.sweep in swept else None,
            "size": one.index_bytes,
            "share": _rounded(100 * (relative_bytes(one) or 0.0), 1),
            "documents": one.indexed,
            "low": comparison and _rounded(comparison.ci_low),
            "high": comparison and _rounded(comparison.ci_high),
            "front": one.variant in front,
        }

    groups: list[_Group] = [(name, map(row, rows), facts) for name, rows in swept.items()]
    groups.append((SINGLES, map(row, singles), ()))
    means = [base.get(name) for name in measures]
    return _variants(retrieval, measures, means, facts.get(BASELINE), INDEX, None, groups)


def of_exploration(exploration: Exploration, number: int) -> Variants:
    """Return the variants of an exploration, with the retrieval model of that number; sizes are postings."""
    measures = [main_of(exploration.measures)]
    main = exploration.measures.index(measures[0])
    every = {rows[0].sweep: rows for rows in exploration.variants(number)}
    base = every.pop(BASELINE)[0].means[main]

    def row(one: ExploredVariant) -> dict[str, Any]:
        share = _rounded(100 * (one.postings_share or 0.0), 1)
        return {**_row(one.name, measures, [one.means[main]], base, None), "cutoff": one.cutoff, "share": share}

    groups = [(name, map(row, rows[::-1]), {one.name for one in rows}) for name, rows in every.items()]
    return _variants(exploration.retrieval[number], measures, [base], None, "postings", None, groups)


def topic_rows(results: Results, row: VariantResult, measure: str) -> list[Row]:
    """Return each topic's value with the baseline and with a variant, from the most gained to the most lost."""
    return [
        {"topic": one.topic, "query": one.query, "a": one.baseline, "b": one.value, "difference": one.difference}
        | {"rank": rank}
        for rank, one in enumerate(topic_differences(results, row, measure), 1)
    ]


def _row(
    name: str, measures: Sequence[str], means: Sequence[float | None], base: float | None, facts: Facts | None
) -> dict[str, Any]:
    known, exactly = facts or Facts(), [exact(mean) for mean in means]
    return {
        **dict.fromkeys(("pair", "low", "high", "verdict", "needed", "saved")),
        **dict.fromkeys(("front", "recommended", "best"), False),
        "name": name,
        "family": family_of(name).value,
        "words": _rounded(known.words and 100 * known.words, 1),
        "postings": _rounded(known.postings, 0),
        "held": [exact(known.held_out.get(measure)) for measure in measures],
        "means": exactly,
        "mean": exactly[0],
        "difference": None if exactly[0] is None or base is None else exact(exactly[0] - base),
    }


def _variants(
    retrieval: str,
    measures: Sequence[str],
    base: Iterable[float | None],
    facts: Facts | None,
    size: str,
    margin: float | None,
    groups: Iterable[_Group],
) -> Variants:
    rows: list[Row] = []
    for sweep, members, joined in groups:
        found = list(members)
        each = -(-len(found) // MOST_POINTS)  # rounded up
        for step, row in enumerate(found):
            marked, line = row["front"] or row["recommended"], row["name"] in joined
            kept = step % each == 0 or step == len(found) - 1 or marked
            row |= {"sweep": sweep, "step": step, "at": row["share"] if row["cutoff"] is None else row["cutoff"]}
            row |= {"kept": kept, "line": line, "drawn": kept and (line or not joined)}
            rows.append({**row, "marked": marked or len(found) <= MOST_MARKED})
    held_out = facts.held_out if facts else {}
    return Variants(
        retrieval,
        tuple(measure_header(measure)[0] for measure in measures),
        tuple(map(exact, base)),
        tuple(exact(held_out.get(measure)) for measure in measures),
        size,
        margin,
        tuple(rows),
    )


def exact(value: float | None) -> float | None:
    """Return a number whose differences from others are shown rounded; None for None and what is not finite."""
    return _rounded(value, 6 + MEASURE_DECIMALS)


def _rounded(value: float | None, decimals: int = MEASURE_DECIMALS) -> float | None:
    """Return what is shown of a number; None for None and what is not finite, which JSON cannot hold."""
    return None if value is None or not math.isfinite(value) else round(value, decimals)

"""Which rows and topics of the results matter: baselines, sweeps, the best, the front, the few to show."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from thresher.errors import InputError
from thresher.evaluation.rules import best_variant, pareto_front
from thresher.evaluation.significance import ALPHA, Comparison
from thresher.results.records import Results, VariantResult

Direction = Literal["better", "worse", "mixed", "none"]


@dataclass(frozen=True)
class TopicDifference:
    """One topic: the measure's value at the baseline and at a variant, and `variant - baseline`."""

    topic: str
    query: str
    baseline: float
    value: float
    difference: float


def direction(comparison: Comparison | None) -> Direction:
    """Say where a comparison points: "none" unless p_holm < ALPHA.

    "mixed" is a significant difference whose mean and whose ranks (the effect) have opposite signs: the test
    is on ranks, the reader sees means, so neither "better" nor "worse" would be true.
    """
    if comparison is None or not comparison.p_holm < ALPHA:
        return "none"
    if comparison.difference * comparison.effect < 0:
        return "mixed"
    sign = comparison.difference or comparison.effect
    if sign == 0:
        return "none"
    return "better" if sign > 0 else "worse"


def retrievals(results: Results) -> tuple[str, ...]:
    """Return the retrieval models, in the order in which the rows name them."""
    return tuple(dict.fromkeys(row.retrieval for row in results.rows))


def compared_measures(results: Results) -> tuple[str, ...]:
    """Return the measures that some row compares with the baseline, in the order of `results.measures`."""
    tested = {measure for row in results.rows for measure in row.comparisons}
    return tuple(measure for measure in results.measures if measure in tested)


def main_measure(results: Results) -> str:
    """Return the measure that stands for effectiveness: the first tested nDCG, or else the last tested one.

    Where nothing was tested (only the baseline was run) all measures count as tested.

    Raises:
        InputError: if there is no measure at all.
    """
    candidates = compared_measures(results) or results.measures
    if not candidates:
        raise InputError(
            "the results hold no measure",
            "name at least one measure in the experiment file",
            results.experiment,
        )
    return main_of(candidates)


def main_of(measures: Sequence[str]) -> str:
    """Return which of some measures stands for effectiveness: the first nDCG, or else the last."""
    return next((measure for measure in measures if measure.lower().startswith("ndcg")), measures[-1])


def baseline_row(results: Results, retrieval: str) -> VariantResult:
    """Return the baseline of one retrieval model.

    Raises:
        InputError: if the results have none.
    """
    for row in results.rows:
        if row.is_baseline and row.retrieval == retrieval:
            return row
    raise InputError(
        f"there is no baseline for {retrieval}",
        "run the experiment with the variant none",
        results.experiment,
    )


def variant_rows(results: Results, retrieval: str) -> tuple[VariantResult, ...]:
    """Return the rows of one retrieval model without its baseline, in the order of the results."""
    return tuple(row for row in results.rows if row.retrieval == retrieval and not row.is_baseline)


def sweeps(results: Results) -> tuple[str, ...]:
    """Return the names of the sweeps, in the order in which the rows name them."""
    return tuple(dict.fromkeys(row.sweep for row in results.rows if row.sweep is not None))


def sweep_rows(results: Results, sweep: str, retrieval: str) -> tuple[VariantResult, ...]:
    """Return the rows of one sweep and retrieval model by ascending cutoff."""
    rows = [row for row in variant_rows(results, retrieval) if row.sweep == sweep and row.cutoff is not None]
    return tuple(sorted(rows, key=lambda row: (row.cutoff or 0.0, row.variant)))


def score(row: VariantResult, measure: str) -> float:
    """Return the row's value of a measure; minus infinity where it has none, so that it never ranks first."""
    value = row.measures.get(measure, math.nan)
    return -math.inf if math.isnan(value) else value


def best_of(rows: Sequence[VariantResult], measure: str) -> VariantResult:
    """Return the row with the highest `measure`; of equals that with the smallest index, then the first."""
    return rows[best_variant([score(row, measure) for row in rows], [row.index_bytes for row in rows])]


def finalists(results: Results, retrieval: str) -> tuple[VariantResult, ...]:
    """Return the best row of each sweep and every single cleaner, by descending main measure."""
    measure = main_measure(results)
    rows = [row for row in variant_rows(results, retrieval) if row.sweep is None]
    rows += [best_of(members, measure) for name in sweeps(results) if (members := sweep_rows(results, name, retrieval))]
    return tuple(sorted(rows, key=lambda row: (-score(row, measure), row.index_bytes, row.variant)))


def relative_bytes(row: VariantResult) -> float | None:
    """Return the index size as a ratio of the baseline's; None where the baseline's index has no bytes."""
    return row.index_bytes / row.index_bytes_baseline if row.index_bytes_baseline else None


def words_kept(row: VariantResult) -> float | None:
    """Return the ratio of words kept to all words; None where the collection has no words."""
    return row.words_kept / row.words_total if row.words_total else None


def front_rows(results: Results, retrieval: str) -> tuple[VariantResult, ...]:
    """Return the rows that no other one beats in index bytes and main measure, by ascending index size."""
    measure = main_measure(results)
    rows = [row for row in results.rows if row.retrieval == retrieval and math.isfinite(score(row, measure))]
    front = pareto_front([(float(row.index_bytes), row.measures[measure]) for row in rows])
    return tuple(sorted((rows[place] for place in front), key=lambda row: (row.index_bytes, score(row, measure))))


def spread(count: int, keep: int) -> list[int]:
    """Return at most `keep` of the places 0 to count - 1, evenly spread, both ends among them.

    >>> spread(10, 4)
    [0, 3, 6, 9]
    """
    if keep >= count:
        return list(range(count))
    if keep <= 1:
        return [count // 2] * keep
    return [(place * (count - 1) * 2 + keep - 1) // (2 * (keep - 1)) for place in range(keep)]


def shown_rows(results: Results, limit: int | None) -> tuple[VariantResult, ...]:
    """Return at most about `limit` rows in the order of the results; all of them for None.

    Baselines, single cleaners and the best of each sweep always stay, even where they are more than `limit`;
    what room is left goes in equal parts to the sweeps, as evenly spread cutoffs.
    """
    if limit is None or len(results.rows) <= limit:
        return results.rows
    places = {id(row): place for place, row in enumerate(results.rows)}
    groups = [
        members
        for retrieval in retrievals(results)
        for name in sweeps(results)
        if (members := sweep_rows(results, name, retrieval))
    ]
    measure = main_measure(results)
    kept = {places[id(row)] for row in results.rows if row.sweep is None}
    kept |= {places[id(best_of(members, measure))] for members in groups}
    room = max(0, limit - len(kept))
    for number, members in enumerate(groups):
        others = [places[id(row)] for row in members if places[id(row)] not in kept]
        share = room // (len(groups) - number)
        chosen = [others[place] for place in spread(len(others), share)]
        kept.update(chosen)
        room -= len(chosen)
    return tuple(row for place, row in enumerate(results.rows) if place in kept)


def topic_differences(results: Results, row: VariantResult, measure: str) -> tuple[TopicDifference, ...]:
    """Return the topics that both the row and its baseline have, by descending difference, then by topic."""
    baseline = baseline_row(results, row.retrieval).variant
    before: dict[str, float] = {}
    after: dict[str, tuple[str, float]] = {}
    for value in results.per_topic:
        if value.retrieval != row.retrieval or value.measure != measure:
            continue
        if value.variant == baseline:
            before[value.topic] = value.value
        if value.variant == row.variant:
            after[value.topic] = (value.query, value.value)
    pairs = [
        TopicDifference(topic, query, before[topic], value, value - before[topic])
        for topic, (query, value) in after.items()
        if topic in before
    ]
    return tuple(sorted(pairs, key=lambda pair: (-pair.difference, pair.topic)))

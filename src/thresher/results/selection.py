"""Which variants and topics of the results matter: baselines, sweeps, the best, the Pareto front, those to show, and those
chosen on the experiment's topics and tested on held-out ones.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from thresher.defaults import HOLM
from thresher.errors import InputError
from thresher.evaluation.rules import best_variant, choose, pareto_front
from thresher.evaluation.significance import Comparison, corrected
from thresher.results.experiment_results import Best, Chosen, Results, VariantResult

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
    """Say where a comparison points: "none" unless p, corrected if it is, is below alpha.

    "mixed" is a significant difference whose mean and whose ranks (the effect) have opposite signs: the test
    is on ranks, the reader sees means, so neither "better" nor "worse" would be true.
    """
    if comparison is None or not comparison.decisive_p < comparison.alpha:
        return "none"
    if comparison.difference * comparison.effect < 0:
        return "mixed"
    sign = comparison.difference or comparison.effect
    if sign == 0:
        return "none"
    return "better" if sign > 0 else "worse"


def retrievals(results: Results) -> tuple[str, ...]:
    """Return the retrieval models, in the order of the results."""
    return tuple(dict.fromkeys(row.retrieval for row in results.rows))


def compared_measures(results: Results) -> tuple[str, ...]:
    """Return the measures in which any variant is compared with the baseline, in the order of `results.measures`."""
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
            "the results hold no measure", "name at least one measure in the experiment file", results.experiment
        )
    return main_of(candidates)


def main_of(measures: Sequence[str]) -> str:
    """Return which of the measures stands for effectiveness: the first nDCG, or else the last."""
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
        f"there is no baseline for {retrieval}", "run the experiment with the variant none", results.experiment
    )


def variant_rows(results: Results, retrieval: str) -> tuple[VariantResult, ...]:
    """Return the variants of one retrieval model without its baseline, in the order of the results."""
    return tuple(row for row in results.rows if row.retrieval == retrieval and not row.is_baseline)


def sweeps(results: Results) -> tuple[str, ...]:
    """Return the names of the sweeps, in the order of the results."""
    return tuple(dict.fromkeys(row.sweep for row in results.rows if row.sweep is not None))


def sweep_rows(results: Results, sweep: str, retrieval: str) -> tuple[VariantResult, ...]:
    """Return the variants of one sweep and retrieval model by ascending cutoff."""
    rows = [row for row in variant_rows(results, retrieval) if row.sweep == sweep and row.cutoff is not None]
    return tuple(sorted(rows, key=lambda row: (row.cutoff or 0.0, row.variant)))


def score(row: VariantResult, measure: str) -> float:
    """Return the variant's mean of a measure; minus infinity where it has none, so that it never ranks first."""
    value = row.measures.get(measure, math.nan)
    return -math.inf if math.isnan(value) else value


def best_of(rows: Sequence[VariantResult], measure: str) -> VariantResult:
    """Return the variant with the highest `measure`; of equals that with the smallest index, then the first."""
    return rows[best_variant([score(row, measure) for row in rows], [row.index_bytes for row in rows])]


def finalists(results: Results, retrieval: str) -> tuple[VariantResult, ...]:
    """Return the best variant of each sweep and every single cleaner, by descending main measure."""
    measure = main_measure(results)
    rows = [row for row in variant_rows(results, retrieval) if row.sweep is None]
    rows += [best_of(members, measure) for name in sweeps(results) if (members := sweep_rows(results, name, retrieval))]
    return tuple(sorted(rows, key=lambda row: (-score(row, measure), row.index_bytes, row.variant)))


def relative_bytes(row: VariantResult) -> float | None:
    """Return the index size as a ratio of the baseline's; None where the baseline's index has no bytes."""
    return relative_size(row.index_bytes, row.index_bytes_baseline)


def relative_size(size: int | None, baseline: int) -> float | None:
    """Return a size as a ratio of the baseline's; None where it is not known, or the baseline's is 0."""
    return size / baseline if size is not None and baseline else None


def significantly_worse(rows: Sequence[VariantResult], measure: str) -> int:
    """Return how many variants are significantly worse than the baseline."""
    return sum(direction(row.comparisons.get(measure)) == "worse" for row in rows)


@dataclass(frozen=True)
class Twins:
    """A variant that keeps title and headings, or the baseline, and the same without title and headings."""

    variant: VariantResult
    twin: VariantResult


def twins(results: Results) -> tuple[Twins, ...]:
    """Return the baseline and each variant with `headings=keep` beside its twin, in the order of the results."""
    if results.without_headings is None:
        return ()
    by_name = {(row.retrieval, row.variant): row for row in results.without_headings.rows}
    found = ((row, by_name.get((row.retrieval, results.twins.get(row.variant, "")))) for row in results.rows)
    return tuple(Twins(row, twin) for row, twin in found if twin is not None)


def words_kept(row: VariantResult) -> float | None:
    """Return the ratio of words kept to all words; None where the collection has no words."""
    return row.words_kept / row.words_total if row.words_total else None


def front_rows(results: Results, retrieval: str) -> tuple[VariantResult, ...]:
    """Return the variants that none beats in both index bytes and main measure, by ascending index size."""
    measure = main_measure(results)
    rows = [row for row in results.rows if row.retrieval == retrieval and math.isfinite(score(row, measure))]
    front = pareto_front([(float(row.index_bytes), row.measures[measure]) for row in rows])
    return tuple(sorted((rows[index] for index in front), key=lambda row: (row.index_bytes, score(row, measure))))


def comparisons_made(rows: Sequence[VariantResult]) -> int:
    """Return how many comparisons with the baseline the rows hold, over all measures."""
    return sum(len(row.comparisons) for row in rows)


def can_be_significant(results: Results, rows: Sequence[VariantResult]) -> bool:
    """Return whether the largest possible difference would be significant with that many topics and comparisons.

    The smallest p of a two-sided signed-rank test over n differing pairs is 2^(1-n) (all signs alike, out of 2^n), and Holm
    multiplies the smallest of m by m. Other tests are taken to have no such limit.
    """
    tests = comparisons_made(rows) if results.correction == HOLM else 1
    return "wilcoxon" not in results.test.lower() or tests * 2.0 ** (1 - results.topics) <= results.alpha


def shows_a_loss(row: VariantResult) -> bool:
    """Return whether a variant loses in any measure.

    A correction hides losses among many variants: an interval below zero is a loss too.
    """
    return any(direction(item) not in ("better", "none") or item.ci_high < 0 for item in row.comparisons.values())


def without_a_loss(rows: Sequence[VariantResult]) -> int:
    """Return how many variants show no loss in any measure, see `shows_a_loss`."""
    return sum(not shows_a_loss(row) for row in rows)


def spread(count: int, keep: int) -> list[int]:
    """Return at most `keep` of the indices 0 to count - 1, evenly spread, both ends among them.

    >>> spread(10, 4)
    [0, 3, 6, 9]
    """
    if keep >= count:
        return list(range(count))
    if keep <= 1:
        return [count // 2] * keep
    return [(index * (count - 1) * 2 + keep - 1) // (2 * (keep - 1)) for index in range(keep)]


def shown_rows(results: Results, limit: int | None) -> tuple[VariantResult, ...]:
    """Return at most about `limit` variants in the order of the results; all of them for None.

    Baselines, single cleaners and the best of each sweep always stay, even where they are more than `limit`;
    the rest is divided equally among the sweeps, as evenly spread cutoffs.
    """
    if limit is None or len(results.rows) <= limit:
        return results.rows
    index_of = {id(row): index for index, row in enumerate(results.rows)}
    swept = [
        members
        for retrieval in retrievals(results)
        for name in sweeps(results)
        if (members := sweep_rows(results, name, retrieval))
    ]
    measure = main_measure(results)
    kept = {index_of[id(row)] for row in results.rows if row.sweep is None}
    kept |= {index_of[id(best_of(members, measure))] for members in swept}
    room = max(0, limit - len(kept))
    for number, members in enumerate(swept):
        others = [index_of[id(row)] for row in members if index_of[id(row)] not in kept]
        share = room // (len(swept) - number)
        chosen = [others[index] for index in spread(len(others), share)]
        kept.update(chosen)
        room -= len(chosen)
    return tuple(row for index, row in enumerate(results.rows) if index in kept)


def topic_differences(results: Results, row: VariantResult, measure: str) -> tuple[TopicDifference, ...]:
    """Return the topics that both the variant and its baseline have, by descending difference, then by topic."""
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


def with_chosen(results: Results) -> Results:
    """Return the results with what is chosen on their topics; unchanged without held-out topics.

    Of every sweep and retrieval model the cutoff with the best mean of the main measure over the training topics is chosen, of
    equals that with the smallest index. Single cleaners follow the sweeps of their retrieval model. The correction is over
    all of these.

    Raises:
        InputError: if there is no measure, or a variant lacks its counterpart on the held-out topics.
    """
    if results.held_out is None:
        return results
    held_out, measure = results.held_out, main_measure(results)
    by_name = {(row.retrieval, row.variant): row for row in held_out.rows}
    chosen: list[Chosen] = []
    for retrieval in retrievals(results):
        baseline = baseline_row(held_out, retrieval).measures[measure]
        members = [sweep_rows(results, sweep, retrieval) for sweep in sweeps(results)]
        members += [(row,) for row in variant_rows(results, retrieval) if row.sweep is None]
        for rows in filter(None, members):
            chosen.append(_chosen(rows, [_counterpart(row, by_name, measure) for row in rows], measure, baseline))
    comparisons = corrected([item.comparison for item in chosen], results.correction)
    return replace(
        results,
        chosen=tuple(
            replace(item, comparison=comparison) for item, comparison in zip(chosen, comparisons, strict=True)
        ),
    )


def _chosen(
    training: Sequence[VariantResult], held_out: Sequence[VariantResult], measure: str, baseline: float
) -> Chosen:
    """Choose among the cutoffs of a sweep, or take a single cleaner."""
    choice = choose(
        [score(row, measure) for row in training],
        [score(row, measure) for row in held_out],
        [row.index_bytes for row in training],
    )
    row, best = held_out[choice.chosen], held_out[choice.best]
    chosen = Chosen(
        row.retrieval,
        row.sweep,
        row.variant,
        training[choice.chosen].measures[measure],
        row.measures[measure],
        baseline,
        row.comparisons[measure],
    )
    if row.sweep is None:
        return chosen
    return replace(
        chosen, best=Best(best.variant, best.measures[measure], best.comparisons[measure]), optimism=choice.optimism
    )


def _counterpart(row: VariantResult, by_name: dict[tuple[str, str], VariantResult], measure: str) -> VariantResult:
    other = by_name.get((row.retrieval, row.variant))
    if other is None or measure not in other.comparisons:
        raise InputError(
            f"{row.variant} with {row.retrieval} has no {measure} on the held-out topics",
            "run the experiment again",
            "results.held_out",
        )
    return other

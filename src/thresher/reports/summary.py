"""What the numbers say, in sentences that a reader could check against the table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from thresher.evaluation.significance import Comparison
from thresher.reports.formatting import MEASURE_DECIMALS, break_even_text, fixed, percent, signed
from thresher.results.experiment_results import Results, VariantResult
from thresher.results.selection import (
    baseline_row,
    can_be_significant,
    compared_measures,
    direction,
    front_rows,
    main_measure,
    relative_bytes,
    retrievals,
    score,
    smallest_harmless,
    variant_rows,
)


def summary(results: Results) -> tuple[str, ...]:
    """Return the sentences that sum the experiment up, each true by the numbers alone.

    They say how many variants are significantly better, worse, neither; the best one; the smallest index
    without a significant loss; where cleaning hurts most; the Pareto front; what cannot be concluded. With
    several retrieval models each gets its own sentences, opened by its name. Where topics are held out, what
    was chosen and what it is worth on them follows.

    Raises:
        InputError: if there is no measure, or a retrieval model without a baseline.
    """
    models = retrievals(results)
    sentences: list[str] = []
    for model in models:
        opening = f"{model}: " if len(models) > 1 else ""
        sentences += [opening + sentence for sentence in _model_summary(results, model)]
    return (*sentences, *_chosen(results))


def _chosen(results: Results) -> Iterator[str]:
    held_out, measure = results.held_out, main_measure(results)
    for item in results.chosen:
        if held_out is None or item.best is None:
            continue
        opening = f"{item.retrieval}: " if len(retrievals(results)) > 1 else ""
        text = (
            f"{opening}Chosen on the {results.topics} topics, {item.variant} has a {measure} of {_fixed(item.held_out)} "
            f"on the {held_out.topics} held-out ones, against {_fixed(item.baseline)} of the "
            f"baseline{_difference(item.comparison)}"
        )
        if item.best.variant == item.variant:
            yield f"{text}; it is the best there too."
        else:
            yield f"{text}; {item.best.variant}, the best there, would have promised {_fixed(item.optimism)} more."


def _model_summary(results: Results, retrieval: str) -> list[str]:
    measure = main_measure(results)
    baseline = baseline_row(results, retrieval)
    rows = [row for row in variant_rows(results, retrieval) if measure in row.comparisons]
    if not rows:
        return [f"Only the baseline was run: {measure} is {_value(baseline, measure)}."]
    sentences = [_counts(rows, measure), *_power(results, rows)]
    sentences.append(_best(rows, baseline, measure))
    sentences += _smallest(results, rows, measure)
    sentences += _harm(rows, measure)
    front = front_rows(results, retrieval)
    names = _names([row.variant for row in front])
    sentences.append(f"The Pareto front of index size and {measure} is {names}, from the smallest index up.")
    return sentences


def _counts(rows: Sequence[VariantResult], measure: str) -> str:
    directions = [direction(row.comparisons[measure]) for row in rows]
    better, worse = directions.count("better"), directions.count("worse")
    neither = len(directions) - better - worse
    many = f"Of {len(rows)} variants" if len(rows) > 1 else "Of 1 variant"
    return (
        f"{many}, {better} {_be(better)} significantly better than the baseline in {measure}, "
        f"{worse} significantly worse, and {neither} neither."
    )


def _power(results: Results, rows: Sequence[VariantResult]) -> list[str]:
    if can_be_significant(results, rows):
        return []
    tests = sum(len(row.comparisons) for row in rows)
    return [
        f"With {results.topics} topics and {tests} comparisons no difference can be significant after Holm's "
        "correction, however large: more topics or fewer variants would be needed."
    ]


def _best(rows: Sequence[VariantResult], baseline: VariantResult, measure: str) -> str:
    top = min(rows, key=lambda row: (-score(row, measure), row.index_bytes))
    if score(top, measure) < score(baseline, measure):
        return (
            f"No variant reaches the baseline's {measure} of {_value(baseline, measure)}; "
            f"{top.variant} comes closest with {_value(top, measure)}{_difference(top.comparisons[measure])}."
        )
    return (
        f"The highest {measure} is that of {top.variant}: {_value(top, measure)} against "
        f"{_value(baseline, measure)} of the baseline{_difference(top.comparisons[measure])}, "
        f"with an index of {_share(top)}."
    )


def _smallest(results: Results, rows: Sequence[VariantResult], measure: str) -> list[str]:
    best = smallest_harmless(rows, measure)
    if best is None:
        return ["Every variant with a smaller index loses in some measure, by the test or by its interval."]
    comparison = best.comparisons[measure]
    measures = compared_measures(results)
    where = "any measure" if len(measures) > 1 else measures[0]
    text = (
        f"The smallest index with no significant loss in {where}, and no interval wholly below zero, "
        f"is that of {best.variant}: {_share(best)}, "
        f"{measure} {_value(best, measure)}{_difference(comparison)}"
    )
    if comparison.ci_low < 0 and direction(comparison) == "none":
        text += f"; a loss of up to {fixed(-comparison.ci_low, MEASURE_DECIMALS)} is not excluded"
    note = best.break_even_note or f"after {break_even_text(best)} queries"
    return [f"{text}; break-even {note}."]


def _harm(rows: Sequence[VariantResult], measure: str) -> list[str]:
    worst = min(rows, key=lambda row: row.comparisons[measure].difference)
    comparison = worst.comparisons[measure]
    if not comparison.difference < 0:
        return []
    significant = "significantly" if direction(comparison) == "worse" else "though not significantly"
    text = (
        f"Cleaning hurts most at {worst.variant}: {measure} changes by "
        f"{signed(comparison.difference, MEASURE_DECIMALS)}, {significant}; "
        f"{comparison.losses} {_plural(comparison.losses, 'topic')} lost and {comparison.wins} won"
    )
    if worst.emptied:
        text += f"; it leaves {worst.emptied:,} of {worst.documents:,} documents without text"
    return [text + "."]


def _difference(comparison: Comparison) -> str:
    return (
        f" (difference {signed(comparison.difference, MEASURE_DECIMALS)}, interval "
        f"{signed(comparison.ci_low, MEASURE_DECIMALS)} to {signed(comparison.ci_high, MEASURE_DECIMALS)}, "
        f"{'' if direction(comparison) != 'none' else 'not '}significant)"
    )


def _share(row: VariantResult) -> str:
    return f"{percent(relative_bytes(row))} % of the baseline's bytes"


def _value(row: VariantResult, measure: str) -> str:
    return _fixed(row.measures.get(measure))


def _fixed(value: float | None) -> str:
    return fixed(value, MEASURE_DECIMALS)


def _names(names: Sequence[str]) -> str:
    if len(names) > 8:
        return f"{', '.join(names[:3])}, {len(names) - 6} more, {', '.join(names[-3:])}"
    return ", ".join(names)


def _plural(count: int, noun: str) -> str:
    return noun if count == 1 else f"{noun}s"


def _be(count: int) -> str:
    return "is" if count == 1 else "are"

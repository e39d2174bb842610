"""Variants against their baseline: paired tests, corrected for their number, effect sizes, intervals."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from thresher.evaluation.records import Comparison
from thresher.evaluation.wilcoxon import EXACT_LIMIT, SignedRanks, signed_ranks

ALPHA = 0.05
"""The significance level of the paper."""

SEED = 20130101
RESAMPLES = 10_000

UNTESTED = frozenset({"Judged"})
"""Measures that are not of effectiveness: they are reported and never tested."""

Row = TypeVar("Row", bound=Hashable)


def compare_all(
    table: Mapping[Row, Mapping[str, Mapping[str, float]]],
    baseline_of: Mapping[Row, Row],
    *,
    alpha: float = ALPHA,
    seed: int = SEED,
) -> dict[Row, dict[str, Comparison]]:
    """Compare every row with its baseline on every tested measure, and correct the p-values over all these
    comparisons.

    Args:
        table: value by topic by measure by row. A row and its baseline have the same measures and topics.
        baseline_of: the baseline of each row to compare; rows that are not in it, such as baselines, are not
            compared.
        alpha: the significance level; intervals hold 1 - alpha.
        seed: of the bootstrap.

    Returns:
        Comparison by measure by row, for the rows of `baseline_of`; measures of `UNTESTED` are left out.
        `p_holm` is corrected with Holm's method over the whole result. Nothing depends on the order of rows,
        measures or topics.

    Raises:
        ValueError: if a row and its baseline have different measures or topics.
    """
    result: dict[Row, dict[str, Comparison]] = {}
    for row, base in baseline_of.items():
        if table[row].keys() != table[base].keys():
            raise ValueError(f"{row} and {base} have different measures")
        result[row] = {}
        for measure, values in table[row].items():
            if not is_tested(measure):
                continue
            if values.keys() != table[base][measure].keys():
                raise ValueError(f"{row} and {base} have different topics for {measure}")
            topics = sorted(values)
            result[row][measure] = compare(
                [values[topic] for topic in topics],
                [table[base][measure][topic] for topic in topics],
                measure,
                alpha=alpha,
                seed=seed,
            )
    family = [(row, measure) for row, comparisons in result.items() for measure in comparisons]
    corrected = holm([result[row][measure].p for row, measure in family])
    for (row, measure), p_holm in zip(family, corrected, strict=True):
        result[row][measure] = replace(result[row][measure], p_holm=p_holm)
    return result


def is_tested(measure: str) -> bool:
    """Return whether a measure, by its canonical name, is of effectiveness; see `UNTESTED`."""
    return measure.split("@")[0].split("(")[0] not in UNTESTED


def compare(
    values: Sequence[float],
    baseline: Sequence[float],
    measure: str,
    *,
    alpha: float = ALPHA,
    seed: int = SEED,
) -> Comparison:
    """Compare per-topic values with those of the baseline.

    Two-sided Wilcoxon signed-rank test and rank-biserial effect (see `signed_ranks`); the interval of the
    mean difference is the percentile bootstrap over topics (Efron 1979) at level 1 - alpha, with `RESAMPLES`
    resamples.

    Args:
        values: one value a topic, finite.
        baseline: the baseline's, in the same order of topics.
        measure: the name to put into the result.
        alpha: the significance level.
        seed: of the bootstrap; the same seed and number of topics resample the same places.

    Returns:
        The comparison, with `p_holm` = `p`: alone, there is nothing to correct.

    Raises:
        ValueError: if there are no values, not the same number of both, or any is not finite.
    """
    differences = np.asarray(values, dtype=np.float64) - np.asarray(baseline, dtype=np.float64)
    if len(values) != len(baseline) or len(values) == 0 or not np.isfinite(differences).all():
        raise ValueError(f"{measure}: as many finite values as the baseline has are needed, at least one")
    test = signed_ranks(differences)
    low, high = _interval(differences, alpha, seed)
    return Comparison(
        measure=measure,
        difference=float(differences.mean()),
        wins=test.wins,
        ties=test.ties,
        losses=test.losses,
        differing=test.wins + test.losses,
        p=test.p,
        p_holm=test.p,
        effect=test.effect,
        ci_low=low,
        ci_high=high,
        note=_note(test, alpha),
    )


def holm(p_values: Sequence[float]) -> list[float]:
    """Correct p-values for their number: Holm's step-down method (Holm 1979), adjusted p-values in the same
    order.

    The k-th smallest of m is multiplied by m - k + 1, made at least as large as the one before, and at most
    1.
    """
    corrected = [1.0] * len(p_values)
    largest = 0.0
    for place, index in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        largest = max(largest, min(1.0, p_values[index] * (len(p_values) - place)))
        corrected[index] = largest
    return corrected


def _interval(differences: NDArray[np.float64], alpha: float, seed: int) -> tuple[float, float]:
    n = len(differences)
    generator = np.random.default_rng(seed)
    block = max(1, 1_000_000 // n)  # bounds the memory, not the result
    means = np.concatenate(
        [
            differences[generator.integers(0, n, size=(min(block, RESAMPLES - start), n))].mean(axis=1)
            for start in range(0, RESAMPLES, block)
        ]
    )
    low, high = np.quantile(means, [alpha / 2, 1 - alpha / 2])
    return float(low), float(high)


def _note(test: SignedRanks, alpha: float) -> str:
    differing = test.wins + test.losses
    if differing == 0:
        return "no topic differs"
    smallest = 2.0 ** (1 - differing)
    if smallest > alpha:
        return f"p cannot fall below {smallest:.4g} with {differing} differing topic{'s' * (differing != 1)}"
    if not test.exact:
        return f"p by the normal approximation (more than {EXACT_LIMIT} differing topics)"
    return ""

"""Paired comparisons with the baseline: tests, among them the exact Wilcoxon signed-rank test, effect sizes, intervals."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Literal, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from thresher.base.defaults import ALPHA, CORRECTIONS, HOLM, RANDOMISATION, STUDENT, TESTS, WILCOXON
from thresher.base.errors import ConfigError
from thresher.evaluation import corrections
from thresher.evaluation.mean_tests import randomisation_p, student_p

Direction = Literal["better", "worse", "mixed", "none"]
EXACT_LIMIT = 500
"""With at most this many differing pairs the distribution is exact; with more, a normal approximation is used."""
TOLERANCE = 1e-9
"""Smaller differences count as zero, and sizes closer than this as tied: they are rounding errors."""
SEED = 20130101
"""The seed of the bootstrap."""
RESAMPLES = 10_000
"""The resamples of the bootstrap."""
TEST_NAMES = {
    WILCOXON: "Two-sided Wilcoxon signed-rank test",
    STUDENT: "Two-sided paired t-test",
    RANDOMISATION: "Two-sided paired randomisation test",
}
"""The tests as sentences name them."""
UNTESTED = frozenset({"Judged"})
"""Measures that do not measure effectiveness: reported, never tested."""

Row = TypeVar("Row", bound=Hashable)


class Bounds(NamedTuple):
    """The bounds of an interval."""

    low: float
    high: float


class TopicCounts(NamedTuple):
    """The number of topics won, tied and lost."""

    wins: int
    ties: int
    losses: int


@dataclass(frozen=True)
class Comparison:
    """The comparison of a variant with the baseline in one measure, over the same topics; the interval has level 1 - alpha.

    Args:
        difference: mean difference from the baseline.
        wins: topics won.
        ties: topics tied.
        losses: topics lost.
        p: two-sided p of the test.
        p_corrected: the same p after the correction; empty without.
        effect: matched-pairs rank-biserial correlation, in [−1, 1].
        ci_low: lower end of the interval of the mean difference, of level 1 − α.
        ci_high: upper end of the same interval.
        test: the test of p, one of `TESTS`.
        correction: the correction of p_corrected, one of `CORRECTIONS`.
        selected: whether the variant was selected for its values on these topics. Then p means nothing: no mark shows it.
    """

    measure: str
    difference: float
    wins: int
    ties: int
    losses: int
    p: float
    p_corrected: float | None
    effect: float
    ci_low: float
    ci_high: float
    alpha: float = ALPHA
    test: str = WILCOXON
    correction: str = HOLM
    selected: bool = False

    @cached_property
    def interval(self) -> Bounds:
        """Interval of the mean difference, of level 1 − α."""
        return Bounds(self.ci_low, self.ci_high)

    @cached_property
    def outcome(self) -> TopicCounts:
        """Topics won, tied and lost."""
        return TopicCounts(self.wins, self.ties, self.losses)

    @property
    def differing(self) -> int:
        """The number of topics that differ."""
        return self.wins + self.losses

    @property
    def decisive_p(self) -> float:
        """The p that is compared with alpha: the corrected one, if p is corrected."""
        if self.p_corrected is None:
            return self.p
        return self.p_corrected

    @property
    def direction(self) -> Direction:
        """The direction of the difference: "none" if p (the corrected p, if there is one) is not below alpha, and for
        selected variants.

        "mixed" is a significant difference by Wilcoxon's test whose mean and whose ranks (the effect) have opposite signs: the
        test is on ranks, the reader sees means, so neither "better" nor "worse" would be true.
        """
        sign = self.difference or self.effect
        if self.selected or not self.decisive_p < self.alpha or sign == 0:
            return "none"
        if self.test == WILCOXON and self.difference * self.effect < 0:
            return "mixed"
        if sign > 0:
            return "better"
        return "worse"

    @property
    def shows_a_loss(self) -> bool:
        """Whether the variant is significantly not better, or its interval is below zero: a correction may hide losses
        among many tests.
        """
        return self.direction not in ("better", "none") or self.ci_high < 0

    @property
    def smallest_p(self) -> float:
        """The smallest p that this number of differing topics allows, if all have one sign out of 2^n; Student's t has
        no limit.
        """
        if self.test == STUDENT:
            return 0.0
        return min(1.0, 2.0 ** (1 - self.differing))

    @property
    def is_exact(self) -> bool:
        """Whether p is exact, not by the normal approximation of Wilcoxon's test."""
        return self.test != WILCOXON or self.differing <= EXACT_LIMIT


@dataclass(frozen=True)
class SignedRanks:
    """Pairs by sign, two-sided p in (0, 1], and effect in [-1, 1]."""

    wins: int
    ties: int
    losses: int
    p: float
    effect: float


def signed_ranks(differences: Sequence[float] | NDArray[np.float64]) -> SignedRanks:
    """Test whether paired differences are symmetric about zero, two-sided.

    Zeros are dropped (Wilcoxon 1945); the sizes of all other differences are ranked, ties with their mean rank. Under
    the null hypothesis each rank is positive or negative with probability 1/2, so the distribution of the sum of
    positive ranks follows from the ranks, tied or not: p = min(1, 2·min(P(T ≤ t), P(T ≥ t))). Beyond `EXACT_LIMIT`
    pairs it is normal with mean Σr/2 and variance Σr²/4, the usual correction for ties. SciPy's exact distribution
    assumes that there are no ties.

    The effect size is the matched-pairs rank-biserial correlation (Kerby 2014): the sum of positive ranks less the sum
    of negative ranks, over the sum of all ranks.

    Differences are finite. With no differing pair p = 1 and effect = 0.
    """
    values = np.asarray(differences, dtype=np.float64)
    values_left = values[np.abs(values) >= TOLERANCE]
    n = len(values_left)
    positive = values_left > 0
    wins = int(positive.sum())
    if n == 0:
        return SignedRanks(0, len(values), 0, 1.0, 0.0)
    ranks = _doubled_ranks(np.abs(values_left))
    total = int(ranks.sum())
    observed = int(ranks[positive].sum())
    if n <= EXACT_LIMIT:
        p = _exact_p(ranks, observed)
    else:
        p = _normal_p(ranks, observed)
    return SignedRanks(wins, len(values) - n, n - wins, p, (2 * observed - total) / total)


def _doubled_ranks(sizes: NDArray[np.float64]) -> NDArray[np.int64]:
    """Rank from 1, ties with their mean rank; doubled, so that the mean of two ranks is an integer."""
    order = np.argsort(sizes, kind="stable")
    group = np.concatenate(([0], np.cumsum(np.diff(sizes[order]) > TOLERANCE)))
    last = np.cumsum(np.bincount(group))
    first = np.concatenate(([1], last[:-1] + 1))
    ranks = np.empty(len(sizes), dtype=np.int64)
    ranks[order] = (first + last)[group]
    return ranks


def _exact_p(ranks: NDArray[np.int64], observed: int) -> float:
    distribution = np.zeros(int(ranks.sum()) + 1)
    distribution[0] = 1.0
    top = 0
    for rank in ranks.tolist():
        # The right side is computed in full before it is stored.
        distribution[rank : top + rank + 1] = distribution[rank : top + rank + 1] + distribution[: top + 1]
        top += rank
        distribution[: top + 1] *= 0.5
    below = float(distribution[: observed + 1].sum())
    above = float(distribution[observed:].sum())
    return min(1.0, 2.0 * min(below, above))


def _normal_p(ranks: NDArray[np.int64], observed: int) -> float:
    z = (observed - ranks.sum() / 2) / math.sqrt(float((ranks.astype(np.float64) ** 2).sum()) / 4)
    # The smallest positive double keeps p above 0 where the tail underflows.
    return max(math.erfc(abs(z) / math.sqrt(2)), 5e-324)


def compare_all(
    table: Mapping[Row, Mapping[str, Mapping[str, float]]],
    baseline_of: Mapping[Row, Row],
    alpha: float = ALPHA,
    correction: str = HOLM,
    seed: int = 0,
    test: str = WILCOXON,
) -> dict[Row, dict[str, Comparison]]:
    """Compare every row with its baseline on every tested measure, with p-values corrected over all comparisons.

    Args:
        table: value by topic by measure by row. A row and its baseline have the same measures and topics.
        baseline_of: the baseline of each row to compare.
        alpha: the significance level; intervals have level 1 - alpha.
        correction: one of `CORRECTIONS`.
        seed: the seed of the bootstrap and of random signs.
        test: one of `TESTS`.

    Returns:
        Comparison by measure by row of `baseline_of`, without measures of `UNTESTED`. `p_corrected` is corrected over the
        whole result, which does not depend on the order of rows, measures or topics.
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
            row_values: list[float] = []
            base_values: list[float] = []
            for topic in sorted(values):
                row_values.append(values[topic])
                base_values.append(table[base][measure][topic])
            result[row][measure] = compare(row_values, base_values, measure, alpha=alpha, seed=seed, test=test)
    tested: list[tuple[Row, str]] = []
    comparisons: list[Comparison] = []
    for row, by_measure in result.items():
        for measure, comparison in by_measure.items():
            tested.append((row, measure))
            comparisons.append(comparison)
    for (row, measure), comparison in zip(tested, corrected(comparisons, correction), strict=True):
        result[row][measure] = comparison
    return result


def compare_pairs(
    table: Mapping[Row, Mapping[str, Mapping[str, float]]],
    alpha: float = ALPHA,
    correction: str = HOLM,
    seed: int = 0,
    test: str = WILCOXON,
) -> dict[tuple[Row, Row], dict[str, Comparison]]:
    """Compare every two rows, the first with the second, on every tested measure; p is corrected over all comparisons.

    Args:
        table: value by topic by measure by row, all with the same measures and topics.
        alpha, correction, seed, test: as for `compare_all`.

    Returns:
        Comparison by measure by pair, in the order of the rows.
    """
    rows: dict[tuple[Row, Row], Mapping[str, Mapping[str, float]]] = {}
    baseline_of: dict[tuple[Row, Row], tuple[Row, Row]] = {}
    for first, second in combinations(table, 2):
        rows[first, second] = table[first]
        rows[second, second] = table[second]
        baseline_of[first, second] = second, second
    return compare_all(rows, baseline_of, alpha, correction, seed, test)


def corrected(comparisons: Sequence[Comparison], correction: str) -> list[Comparison]:
    """Return the comparisons with p corrected over all of them.

    Raises:
        ConfigError: if `correction` is none of `CORRECTIONS`.
    """
    if correction not in CORRECTIONS:
        raise ConfigError(
            f"there is no correction {correction!r}", f"use one of {', '.join(CORRECTIONS)}", "correction"
        )
    if correction not in corrections.METHODS:
        return [replace(comparison, p_corrected=None, correction=correction) for comparison in comparisons]
    p_values = corrections.METHODS[correction]([comparison.p for comparison in comparisons])
    with_p: list[Comparison] = []
    for comparison, p in zip(comparisons, p_values, strict=True):
        with_p.append(replace(comparison, p_corrected=p, correction=correction))
    return with_p


def is_tested(measure: str) -> bool:
    """Return whether a measure, by its canonical name, measures effectiveness; see `UNTESTED`."""
    return measure.split("@")[0].split("(")[0] not in UNTESTED


def tested_measures(measures: Iterable[str]) -> list[str]:
    """Return the measures of effectiveness, in their order; see `is_tested`."""
    tested: list[str] = []
    for measure in measures:
        if is_tested(measure):
            tested.append(measure)
    return tested


def compare(
    values: Sequence[float],
    baseline: Sequence[float],
    measure: str,
    *,
    alpha: float = ALPHA,
    seed: int = 0,
    test: str = WILCOXON,
) -> Comparison:
    """Compare per-topic values, finite, with the baseline's values.

    The test is two-sided: Wilcoxon's signed-rank test (see `signed_ranks`), the paired t-test or the paired
    randomisation test (see `thresher.evaluation.mean_tests`). The effect is always the rank-biserial correlation (see
    `signed_ranks`). The interval of the mean difference is the percentile bootstrap over topics (Efron 1979) at level 1
    - alpha, with `RESAMPLES` resamples: the same seed and number of topics give the same resamples. `p_corrected` is p,
    since a single test needs no correction.

    Raises:
        ConfigError: if `test` is none of `TESTS`, or `alpha` no level.
    """
    if test not in TESTS:
        raise ConfigError(f"there is no test {test!r}", f"use one of {', '.join(TESTS)}", "test")
    if not 0 < alpha < 1:
        raise ConfigError(f"{alpha} is no level of significance", "give one between 0 and 1, such as 0.05", "alpha")
    differences = np.asarray(values, dtype=np.float64) - np.asarray(baseline, dtype=np.float64)
    if len(values) != len(baseline) or len(values) == 0 or not np.isfinite(differences).all():
        raise ValueError(f"{measure}: as many finite values as the baseline has are needed, at least one")
    ranks = signed_ranks(differences)
    p = _p(differences, test, ranks, seed)
    low, high = _bounds(len(differences), lambda drawn: differences[drawn].mean(axis=1), alpha, seed)
    return Comparison(
        measure=measure,
        difference=float(differences.mean()),
        wins=ranks.wins,
        ties=ranks.ties,
        losses=ranks.losses,
        p=p,
        p_corrected=p,
        effect=ranks.effect,
        ci_low=low,
        ci_high=high,
        alpha=alpha,
        test=test,
    )


def _p(differences: NDArray[np.float64], test: str, ranks: SignedRanks, seed: int) -> float:
    """Return p by a test. Differences below `TOLERANCE` are zero in each."""
    without_noise = np.where(np.abs(differences) < TOLERANCE, 0.0, differences)
    if test == STUDENT:
        return student_p(without_noise)
    if test == RANDOMISATION:
        return randomisation_p(without_noise, seed)
    return ranks.p


def ratio_interval(
    values: NDArray[np.float64], baseline: NDArray[np.float64], alpha: float = ALPHA, seed: int = SEED
) -> Bounds:
    """Return the bounds of the ratio of two means over topics: the percentile bootstrap (Efron 1979) at level 1 - alpha.

    Values are not negative; the baseline's are above 0 for some topic.
    """

    def ratios(drawn: NDArray[np.int64]) -> NDArray[np.float64]:
        below = baseline[drawn].mean(axis=1)
        above = values[drawn].mean(axis=1)
        ratio: NDArray[np.float64] = np.divide(above, below, out=np.ones(len(drawn)), where=below > 0)
        return ratio

    return _bounds(len(values), ratios, alpha, seed)


def _bounds(n: int, statistic: Callable[[NDArray[np.int64]], NDArray[np.float64]], alpha: float, seed: int) -> Bounds:
    """Return quantiles of a statistic over resamples; it takes the numbers of the topics drawn, shape (resamples, n)."""
    generator = np.random.default_rng(seed)
    block = max(1, 1_000_000 // n)  # bounds the memory, not the result
    values: list[NDArray[np.float64]] = []
    for start in range(0, RESAMPLES, block):
        count = min(block, RESAMPLES - start)
        values.append(statistic(generator.integers(0, n, size=(count, n))))
    low, high = np.quantile(np.concatenate(values), [alpha / 2, 1 - alpha / 2])
    return Bounds(float(low), float(high))


def pareto_front(points: Sequence[tuple[float, float]]) -> list[int]:
    """Return the indices, ascending, of the (cost, gain) pairs that no other pair dominates.

    A point dominates another if it costs no more and gains no less, and is better in one of the two. Equal points do
    not dominate each other, so they are on the front together.
    """

    def cheapest_first(index: int) -> tuple[float, float]:
        cost, gain = points[index]
        return cost, -gain

    front: list[int] = []
    last = (-math.inf, -math.inf)
    for index in sorted(range(len(points)), key=cheapest_first):
        if points[index][1] > last[1] or points[index] == last:
            last = points[index]
            front.append(index)
    return sorted(front)

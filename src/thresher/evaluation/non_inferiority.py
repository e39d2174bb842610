"""Non-inferiority of many variants at once, by the studentised bootstrap over topics."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from thresher.defaults import ALPHA
from thresher.evaluation.significance import RESAMPLES, SEED, TOLERANCE

BLOCK = 2_000_000
"""Numbers per array of a block of resamples; bounds the memory, not the result."""


@dataclass(frozen=True)
class Root:
    """Means of rows and their standard `errors`; `centred` is [row, topic], less the row's mean.

    `floor` is added in squares to the standard deviations. With 0, deviations are Student's t; the larger it is, the closer to
    the basic bootstrap.
    """

    means: NDArray[np.float64]
    errors: NDArray[np.float64]
    centred: NDArray[np.float64]
    floor: float

    @classmethod
    def of(cls, rows: NDArray[np.float64], floor: float) -> Root:
        """Standardise rows [row, topic]. Topics are sorted, so that their order does not matter.

        Args:
            rows: finite, at least one row and one topic.
            floor: above 0, in the unit of the rows.
        """
        ordered = rows[:, np.lexsort(rows)]
        means = ordered.mean(axis=1)
        centred = ordered - means[:, None]
        errors = np.sqrt(((centred**2).mean(axis=1) + floor**2) / rows.shape[1])
        return cls(means, errors, centred, floor)


def critical_values(root: Root, alpha: float, seed: int, resamples: int) -> tuple[float, float]:
    """Resample topics, and return quantiles of the smallest and of the largest deviation among the rows.

    A deviation is that of a resample's mean from the mean, over the resample's own standard error (the bootstrap-t: Efron
    1982; Hall 1988). Bounds that hold for all rows must cover the largest among them (Westfall & Young 1993; Romano & Wolf
    2005). A resample is a vector of topic counts, so that means and squares are matrix products.

    On samples of 25, 50 and 100 topics from skewed per-topic losses of real runs, one bound at level 0.05 errs in 9, 7 and 6
    of 100, against 11, 8 and 6 for BCa (Efron 1987), 13, 9 and 7 for the percentile bootstrap, 12, 9 and 8 for Student's t.

    Returns:
        The alpha quantile of the smallest and the 1 - alpha quantile of the largest deviation, as order statistics that err
        towards wider bounds.
    """
    rows, topics = root.centred.shape
    generator = np.random.default_rng(seed)
    both = np.concatenate([root.centred, root.centred**2]).T / topics
    block = max(1, BLOCK // (2 * rows + topics))
    smallest, largest = np.empty(resamples), np.empty(resamples)
    for start in range(0, resamples, block):
        end = min(start + block, resamples)
        drawn = generator.integers(0, topics, size=(end - start, topics)) + topics * np.arange(end - start)[:, None]
        counts = np.bincount(drawn.ravel(), minlength=drawn.size).reshape(drawn.shape)
        moments = counts.astype(np.float64) @ both
        strays, squares = moments[:, :rows], moments[:, rows:]
        # In place: with thousands of variants, new arrays would take longer than the numbers.
        spread = np.square(strays)
        np.subtract(squares, spread, out=spread)
        np.maximum(spread, 0, out=spread)
        spread += root.floor**2
        spread /= topics
        deviations = np.divide(strays, np.sqrt(spread, out=spread), out=spread)
        smallest[start:end], largest[start:end] = deviations.min(axis=1), deviations.max(axis=1)
    # The rounding keeps 0.95 · 1000 from being 950.0000000000001.
    rank = min(resamples, math.ceil(round((1 - alpha) * (resamples + 1), 9)))
    return float(np.sort(smallest)[resamples - rank]), float(np.sort(largest)[rank - 1])


MINIMUM = 25
"""With fewer topics there is no verdict. On skewed per-topic losses of real runs, one bound at level 0.05 errs in 6 to 22 of
100 samples of 10 topics, in 6 to 14 of 25, in 5 to 11 of 50 and in 5 to 8 of 100: no bootstrap sees what a sample lacks.
Buckley & Voorhees (2000) ask for as many."""

POWER = 0.8

FLOOR = 0.25
"""Share of the margin that is added in squares to the standard deviation, so that a variant that differs little in few topics
has a finite bound. With the whole margin, skewed losses would pass too often."""


class Verdict(StrEnum):
    """What the bounds say about a variant."""

    NON_INFERIOR = "non-inferior"
    INFERIOR = "inferior"
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True)
class Margin:
    """The largest mean loss that is accepted: in units of the measure, or as a share of the baseline's mean."""

    value: float
    relative: bool

    def __post_init__(self) -> None:
        if not (math.isfinite(self.value) and self.value > 0 and not (self.relative and self.value >= 1)):
            raise ValueError("a margin is above 0, and a relative one below 1")


@dataclass(frozen=True)
class NonInferiorityTest:
    """A variant against the baseline.

    Args:
        difference: mean of (variant - baseline).
        low, high: bounds of the difference. The true differences of all variants are above their `low` with confidence
            1 - alpha, and all below their `high` with the same.
        differing: topics where they differ.
        verdict: see `non_inferiority`.
        topics_needed: how many would show non-inferiority with a power of `POWER`, were the true difference and spread those
            observed. None for a conclusive verdict, and for a difference beyond the margin, where no number would do.
    """

    difference: float
    low: float
    high: float
    differing: int
    verdict: Verdict
    topics_needed: int | None


@dataclass(frozen=True)
class NonInferiority:
    """The variants tested together. `margin` is in units of the measure, `critical` the studentised width of the lower bounds
    (at least 1.64 for alpha = 0.05; more for more variants and skewed losses)."""

    margin: float
    critical: float
    topics: int
    tests: tuple[NonInferiorityTest, ...]


def non_inferiority(
    values: NDArray[np.float64],
    baseline: NDArray[np.float64],
    margin: Margin,
    *,
    alpha: float = ALPHA,
    seed: int = SEED,
    resamples: int = RESAMPLES,
) -> NonInferiority:
    """Test every variant for non-inferiority to the baseline, paired by topic.

    The null hypothesis is that a variant's mean is below the baseline's by the margin or more (Walker & Nowacki 2011); a
    difference that is not significant does not refute it. With a relative margin r it is mean(v) <= (1 - r)·mean(b), tested
    on v - (1 - r)·b, so that the baseline's mean need not be known.

    A bound is the mean less a critical value times its standard error. The critical value is the 1 - alpha quantile, over
    resamples of topics, of the *largest* studentised deviation among the variants (the single step of Romano & Wolf 2005).
    Variants are resampled together, which accounts for their correlation; and as the bounds hold together, any variant may be
    chosen after looking. The standard error has `FLOOR` times the margin added in squares, here and in the resamples, and no
    critical value is nearer to 0 than the normal quantile, so that no bound collapses to a point.

    A fixed sequence of tests from the largest index down would need no correction and gains a little in one smooth sweep, but
    it ends at the first dip, and variants of several scorers in the order of their sizes have many. Stepping down after the
    first rejections gains one or two verdicts in a hundred, which the bounds would not show.

    Args:
        values: of a measure, [variant, topic], higher is better; finite, at least one of each.
        baseline: [topic], the same topics.
        margin: the accepted loss.
        alpha: the probability, over all variants, of calling any non-inferior that is not; in (0, 0.5).
        seed: of the bootstrap. The result depends on it and on the values, not on the order of topics.
        resamples: how many, at least 1.

    Returns:
        One test per variant, in their order. Non-inferior: `low` above -margin. Inferior: `high` below -margin.
        Inconclusive otherwise, and always with fewer than `MINIMUM` topics.

    Raises:
        ValueError: if the arrays do not fit each other or are not finite, or a relative margin meets a baseline whose mean is
            not above 0.
    """
    check_values(values, baseline)
    differences = values - baseline
    mean_baseline = float(baseline.mean())
    if margin.relative and mean_baseline <= TOLERANCE:
        raise ValueError("a margin relative to a baseline of 0 does not exist")
    loss = margin.value * mean_baseline if margin.relative else margin.value
    # The mean of what is tested is above 0 if the loss is within the margin, of either kind.
    tested = values - (1 - margin.value) * baseline if margin.relative else differences + loss
    root = Root.of(tested, FLOOR * loss)
    least, most = critical_values(root, alpha, seed, resamples)
    normal = NormalDist().inv_cdf(1 - alpha)
    critical = (min(least, -normal), max(most, normal))
    differing = (np.abs(differences) >= TOLERANCE).sum(axis=1)
    columns = (root.means, root.errors, differences.mean(axis=1), differing)
    return NonInferiority(
        margin=loss,
        critical=critical[1],
        topics=len(baseline),
        tests=tuple(
            _judge(mean, error, critical, loss, difference, differ, len(baseline))
            for mean, error, difference, differ in zip(*(column.tolist() for column in columns), strict=True)
        ),
    )


def smallest_non_inferior(
    tests: Sequence[NonInferiorityTest],
    sizes: Sequence[float],
    below: float = math.inf,
    allowed: Sequence[bool] | None = None,
) -> int | None:
    """Return the index of the smallest variant that is non-inferior; of equal sizes the highest difference, then the first.

    Args:
        tests: see `non_inferiority`.
        sizes: what each costs, such as the bytes of its index.
        below: what it must cost less than, such as the baseline's index.
        allowed: of each variant, whether it may be returned; None for all.

    Returns:
        None if no such variant is non-inferior.
    """
    shown = [i for i, test in enumerate(tests) if test.verdict is Verdict.NON_INFERIOR and sizes[i] < below]
    return min(
        (i for i in shown if allowed is None or allowed[i]),
        key=lambda i: (sizes[i], -tests[i].difference),
        default=None,
    )


def non_inferior_in_all(tests: Sequence[Sequence[NonInferiorityTest]]) -> list[bool]:
    """Return of each variant whether it is non-inferior in every measure.

    This is the intersection-union test (Berger 1982): a variant passes if its null hypothesis is rejected in every measure,
    each at the full level alpha. That needs no correction for the number of measures: if the variant is inferior in any of
    them, passing it takes the false rejection in that one, whose probability is at most alpha. Each measure's bounds hold for
    all variants at once, so alpha also limits the probability of passing any that are inferior in one and the same measure;
    where some are inferior in one measure and some in another, it is at most the sum of alpha over these measures.

    Args:
        tests: by measure, at least one, the tests of the same variants.
    """
    return [all(test.verdict is Verdict.NON_INFERIOR for test in variant) for variant in zip(*tests, strict=True)]


def topics_needed(difference: float, margin: float, deviation: float, critical: float) -> int | None:
    """Return how many topics show non-inferiority with probability `POWER`.

    n = ((z_critical + z_power)·s / (difference + margin))², the sample size of a paired comparison of normal means (Julious
    2004, section on non-inferiority), with the simultaneous critical value in place of the normal quantile. It plans the next
    topic set; it is not the power of this one (Hoenig & Heisey 2001).

    Args:
        difference: the assumed true mean difference from the baseline.
        margin: above 0.
        deviation: standard deviation of the differences by topic.
        critical: standard errors between mean and bound.

    Returns:
        At least `MINIMUM`; None if the difference is beyond the margin.
    """
    room = difference + margin
    if room <= TOLERANCE:
        return None
    n = ((critical + NormalDist().inv_cdf(POWER)) * deviation / room) ** 2
    return max(MINIMUM, math.ceil(n))


def check_values(values: NDArray[np.float64], baseline: NDArray[np.float64]) -> None:
    """Raise ValueError unless values and a baseline fit each other, are finite and not empty.

    Args:
        values: [variant, topic], or [measure, variant, topic].
        baseline: [topic], or [measure, topic].
    """
    fit = values.ndim in (2, 3) and values.shape[:-2] + values.shape[-1:] == baseline.shape and values.size > 0
    if not (fit and np.isfinite(values).all() and np.isfinite(baseline).all()):
        raise ValueError("finite values [variant, topic] and a baseline [topic] are needed, at least one of each")


def _judge(
    mean: float,
    error: float,
    critical: tuple[float, float],
    margin: float,
    difference: float,
    differing: int,
    topics: int,
) -> NonInferiorityTest:
    low, high = mean - critical[1] * error, mean - critical[0] * error
    verdict = Verdict.INCONCLUSIVE
    if topics >= MINIMUM and low > 0:
        verdict = Verdict.NON_INFERIOR
    elif topics >= MINIMUM and high < 0:
        verdict = Verdict.INFERIOR
    needed = None
    if verdict is Verdict.INCONCLUSIVE:
        needed = topics_needed(mean - margin, margin, error * math.sqrt(topics), critical[1])
    return NonInferiorityTest(
        difference=difference,
        low=low - margin,
        high=high - margin,
        differing=differing,
        verdict=verdict,
        topics_needed=needed,
    )

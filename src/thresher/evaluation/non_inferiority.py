"""Whether a mean loss is within a margin, paired by topic: by Student's t, and with one imaginary topic that loses everything.

A null hypothesis is "the variant loses the margin or more". The tested statistic is D = v − (1 − r)·b for a margin that
is a share r of the baseline's mean, so that this mean need not be known, and D = v − b + m for a margin m in units of
the measure: the loss is within the margin if the mean of D is above 0 (Walker & Nowacki 2011).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from statistics import NormalDist

import numpy as np

from thresher.base.defaults import ALPHA
from thresher.base.errors import ConfigError, InputError
from thresher.base.numbers import Floats
from thresher.base.student import t_quantile, t_tail
from thresher.evaluation.significance import SEED, TOLERANCE

MINIMUM = 25
"""The fewest topics for a verdict, as Buckley & Voorhees (2000) recommend."""
POWER = 0.8
DRAWS = 20_000
"""The draws of the Bayesian bootstrap."""
_BLOCK = 4_000_000
"""Numbers of a block of draws; bounds the memory, not the result."""


@dataclass(frozen=True)
class Margin:
    """The largest mean loss that is accepted: in units of the measure, or as a share of the baseline's mean."""

    value: float
    relative: bool

    def __post_init__(self) -> None:
        if not 0 < self.value < 1:
            raise ValueError("a margin is above 0 and below 1")

    def loss(self, baseline: Floats) -> float:
        """Return the margin in units of the measure."""
        if self.relative:
            return self.value * float(baseline.mean())
        return self.value

    def tested(self, values: Floats, baseline: Floats) -> Floats:
        """Return D for values whose last dimension is the topics."""
        if self.relative:
            return values - (1 - self.value) * baseline
        return values - baseline + self.value

    def checked(self, measure: str, baseline: Floats) -> Margin:
        """Return the margin if a share of this baseline is one."""
        if self.relative and baseline.mean() <= TOLERANCE:
            raise InputError(
                f"the baseline's {measure} is 0, so a share of it is no margin",
                "state the margin in units of the measure, such as --margin 0.01, or choose another measure",
            )
        return self


def parse_margin(margin: str | float, where: str = "--margin") -> Margin:
    """Read `5%` as a share of the baseline's mean and `0.01` as units of the measure."""
    text = str(margin)
    number = text.rstrip().removesuffix("%")
    is_share = text.rstrip().endswith("%")
    try:
        if is_share:
            return Margin(float(number) / 100, relative=True)
        return Margin(float(number), relative=False)
    except ValueError as error:
        fix = "write a share above 0% and below 100%, such as 5%, or a number between 0 and 1"
        raise ConfigError(f"{text!r} is not a margin", fix, where) from error


def lower_bounds(tested: Floats, level: float) -> Floats:
    """Return lower bounds of means over the last dimension, two topics or more, of confidence 1 − level, by Student's t."""
    topics = tested.shape[-1]
    errors = tested.std(axis=-1, ddof=1) / math.sqrt(topics)
    bounds: Floats = tested.mean(axis=-1) - t_quantile(level, topics - 1) * errors
    return bounds


class ImaginaryTopic:
    """The Bayesian bootstrap (Rubin 1981) over topics and one more, imagined, that loses everything: Gaffke's bound (2005).

    If n − z topics keep everything and z lose all of it, the p-value is the exact P(Bin(n, r) ≤ z): it errs in at most
    `level` of samples, even if total losses are rare. Student's t cannot allow for kinds of topics that the sample
    lacks. The bound is proved for two values and conjectured in general; no failure is known (Learned-Miller & Thomas
    2020).

    All variants share the draws, which depend on the number of topics alone.
    """

    def __init__(self, topics: int, draws: int = DRAWS, seed: int = SEED) -> None:
        self._topics = topics
        self._draws = draws
        self._seed = seed

    def lower_bounds(self, tested: Floats, lost: float, level: float) -> Floats:
        """Return bounds of the means of rows [row, topic] of D, each of confidence 1 − level.

        Args:
            tested: rows of D.
            lost: D of the imaginary topic.
            level: of one bound; a level below one over the number of draws has no bound.
        """
        rank = math.floor(level * (self._draws + 1) + TOLERANCE) - 1
        if rank < 0:
            return np.full(len(tested), -np.inf)
        means = np.concatenate(list(self._means(tested, lost)))
        bounds: Floats = np.partition(means, rank, axis=0)[rank]
        return bounds

    def _means(self, tested: Floats, lost: float) -> Iterator[Floats]:
        generator = np.random.default_rng(self._seed)
        block = max(1, _BLOCK // (self._topics + 1))
        for start in range(0, self._draws, block):
            weights = generator.exponential(size=(min(block, self._draws - start), self._topics + 1))
            weights /= weights.sum(axis=1, keepdims=True)
            yield weights[:, :-1] @ tested.T + lost * weights[:, -1:]


def fewest_conservative_topics(share: float, level: float) -> int:
    """Return the number of topics that `ImaginaryTopic` needs at a margin of that share, even if no topic changes."""
    return math.ceil(math.log(level) / math.log(1 - share) - TOLERANCE)


def unseen_share(topics: int, alpha: float = ALPHA) -> float:
    """Return the largest share of all topics that may lose everything if no sampled topic does: exact, with confidence
    1 − alpha.
    """
    return 1.0 - float(alpha ** (1 / topics))


def topics_needed(tested: Floats, level: float) -> int | None:
    """Return the number of topics, at least `MINIMUM`, that would show with probability `POWER` that a loss is within
    the margin. n = ((t + z)·s / mean D)², the sample size of a paired comparison of normal means (Julious 2004), if the
    observed mean and spread of D were the true ones. It plans the next topic set; it is not the power of this topic set
    (Hoenig & Heisey 2001). None if the mean of D is not above 0: then no number of topics is enough.
    """
    mean = float(tested.mean())
    spread = float(tested.std(ddof=1))
    if mean <= TOLERANCE:
        return None
    quantiles = t_quantile(level, len(tested) - 1) + NormalDist().inv_cdf(POWER)
    return max(MINIMUM, math.ceil((quantiles * spread / mean) ** 2))


class RunVerdict(StrEnum):
    """The outcome of comparing two runs at a margin."""

    SUPERIOR = "superior"
    NON_INFERIOR = "non-inferior"
    INFERIOR = "inferior"
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True)
class MarginComparison:
    """A run against another at a margin, by Student's t; p-values are one-sided.

    Superior is also non-inferior; inferior loses more than the margin; with fewer than `MINIMUM` topics every test is
    inconclusive.

    Args:
        difference: mean difference from the baseline.
        low: lower bound of the difference, of confidence 1 − α.
        margin: the accepted loss, in units of the measure.
        p: p of losing the margin or more.
        p_superior: p of being no better.
        verdict: the conclusion of the test.
    """

    topics: int
    difference: float
    low: float
    margin: float
    p: float
    p_superior: float
    verdict: RunVerdict


def compare_by_margin(values: Floats, baseline: Floats, margin: Margin, alpha: float = ALPHA) -> MarginComparison:
    """Test one run for non-inferiority and, if that is shown, for superiority: both one-sided at the level `alpha`, in
    this order.

    Values are by topic.

    Raises:
        InputError: if there are fewer than two.
    """
    if len(values) < 2:
        raise InputError(
            "one topic cannot show that a loss is within a margin",
            "evaluate two topics or more, or leave out the margin",
        )
    tested = margin.tested(values, baseline)
    differences = values - baseline
    loss = margin.loss(baseline)
    p = _p(tested)
    p_superior = _p(differences)
    verdict = RunVerdict.INCONCLUSIVE
    if len(values) >= MINIMUM and p <= alpha:
        verdict = RunVerdict.SUPERIOR if p_superior <= alpha else RunVerdict.NON_INFERIOR
    elif len(values) >= MINIMUM and p >= 1 - alpha:
        verdict = RunVerdict.INFERIOR
    low = float(lower_bounds(tested, alpha)) - loss
    return MarginComparison(len(values), float(differences.mean()), low, loss, p, p_superior, verdict)


def _p(tested: Floats) -> float:
    mean = float(tested.mean())
    error = float(tested.std(ddof=1)) / math.sqrt(len(tested))
    if error <= TOLERANCE:
        return 0.0 if mean > TOLERANCE else 1.0
    return t_tail(mean / error, len(tested) - 1)

"""Repeated times: ratios to the baseline with intervals, the measurable differences, and the time when cleaning has paid off.

The same work is timed again and again, interleaved with the baseline and with a copy of the baseline that is measured as if it
were a variant. The copy's apparent speed-up is the noise floor.
"""

from __future__ import annotations

import math
import resource
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

import numpy as np

from thresher.base.machine import Power
from thresher.base.numbers import Floats, Interval
from thresher.base.student import t_quantile

RESAMPLES = 400
CONFIDENCE = 0.95
# The baseline's copy comes after the baseline.
_COPY = 1
_TICK = 1e-9
_SELF = Path("/proc/self")


@dataclass(frozen=True)
class MeasuredTime:
    """The time of a piece of work, absolute and relative to the baseline's.

    Args:
        wall, cpu: seconds, the mean over topics of the median over rounds.
        saved: the baseline's seconds times the share that all topics together save.
        measurable: see `measurable`.
        ratio: wall time by the baseline's, geometric mean over topics.
        cpu_ratio: CPU time by the baseline's, geometric mean over topics.
    """

    wall: Interval
    cpu: Interval
    ratio: Interval
    cpu_ratio: Interval
    saved: Interval
    measurable: bool


@dataclass(frozen=True)
class Repeats:
    """Repeated times of several pieces of work.

    Args:
        times: by piece, the baseline first.
        copy: of the baseline's copy, the noise floor.
        restarts: how often everything was set up anew.
        rounds: how often everything was measured, in all restarts together.
    """

    times: Mapping[str, MeasuredTime]
    copy: MeasuredTime
    restarts: int
    rounds: int


def compare_times(names: Sequence[str], wall: Sequence[Floats], cpu: Sequence[Floats], seed: int = 0) -> Repeats:
    """Compare times with the baseline's.

    The time of a topic is the median over all rounds. The ratio is the geometric mean over topics of a variant's time by the
    baseline's. Standard errors come from a bootstrap that draws restarts, with all of their rounds, and topics
    independently (Owen, "The pigeonhole bootstrap", Annals of Applied Statistics 1(2), 2007), so that intervals hold for other
    restarts and for other topics of the kind. A bootstrap of n draws is too narrow by √((n − 1)/n), and means of few draws
    have thick tails: an interval reaches to both sides by the standard error times √(n/(n − 1)) times the quantile of
    Student's t with n − 1 degrees of freedom, where n are the restarts (Hesterberg, "What teachers should know about the
    bootstrap", The American Statistician 69(4), 2015). After a single restart it reaches from 0 to infinity.

    Args:
        names: the baseline, then the variants.
        wall, cpu: seconds of each restart, shape (rounds, 1 + pieces, topics): the baseline, its copy, the variants.
        seed: of the bootstrap.
    """
    of_wall = _bounded(wall, seed)
    of_cpu = _bounded(cpu, seed)
    measured: list[MeasuredTime] = []
    for piece, ratio in enumerate(of_wall.ratios):
        time_of_piece = MeasuredTime(
            wall=of_wall.means[piece],
            cpu=of_cpu.means[piece],
            ratio=ratio,
            cpu_ratio=of_cpu.ratios[piece],
            saved=of_wall.saved[piece],
            measurable=measurable(ratio, of_wall.saved[piece], of_wall.ratios[_COPY]),
        )
        measured.append(time_of_piece)
    copy = measured.pop(_COPY)
    return Repeats(
        times=dict(zip(names, measured, strict=True)),
        copy=copy,
        restarts=len(wall),
        rounds=sum(len(rounds) for rounds in wall),
    )


def measurable(ratio: Interval, saved: Interval, copy: Interval) -> bool:
    """Return whether a difference from the baseline is more than noise.

    The ratio's interval must lie outside of the noise floor. The noise floor reaches equally far from 1 to both sides: as far
    as the farther bound of the copy's interval. The interval of the seconds saved must have one sign.
    """
    low = min(copy.low, 1 / copy.high)
    high = 1 / low if low > 0 else math.inf
    return (ratio.high < low and saved.low > 0) or (ratio.low > high and saved.high < 0)


def are_narrow(wall: Sequence[Floats], width: float, seed: int = 0) -> bool:
    """Return whether every ratio's interval extends at most the share `width` of the ratio on both sides."""
    for ratio in _bounded(wall, seed).ratios:
        if ratio.high > ratio.value * (1 + width) or ratio.low < ratio.value * (1 - width):
            return False
    return True


def _mean(medians: Floats) -> Floats:
    means: Floats = medians.mean(axis=1)
    return means


def _log_ratios(medians: Floats) -> Floats:
    logs = np.log(np.maximum(medians, _TICK))
    return _mean(logs - logs[:1])


def _saved_shares(medians: Floats) -> Floats:
    return np.asarray(1 - _mean(medians) / _mean(medians)[0])


class _Figures(NamedTuple):
    """Mean seconds, ratios to the baseline and seconds saved, each by piece."""

    means: list[Interval]
    ratios: list[Interval]
    saved: list[Interval]


def _bounded(times: Sequence[Floats], seed: int) -> _Figures:
    """Return the figures of all pieces with intervals over draws."""
    restarts = len(times)
    medians = _medians(times)
    resampled = _resampled(times, seed)
    factor = math.inf
    if resampled:
        factor = t_quantile((1 - CONFIDENCE) / 2, restarts - 1) * math.sqrt(restarts / (restarts - 1))
    means: list[Interval] = []
    for mean in _bounds(_mean, medians, resampled, factor):
        means.append(Interval(mean.value, max(mean.low, 0.0), mean.high))
    ratios: list[Interval] = []
    for log in _bounds(_log_ratios, medians, resampled, factor):
        ratios.append(Interval(math.exp(log.value), math.exp(log.low), math.exp(log.high)))
    seconds = means[0].value
    saved: list[Interval] = []
    for share in _bounds(_saved_shares, medians, resampled, factor):
        saved.append(Interval(seconds * share.value, seconds * share.low, seconds * share.high))
    return _Figures(means, ratios, saved)


def _resampled(times: Sequence[Floats], seed: int) -> list[Floats]:
    """Return the medians of each draw of restarts and topics with replacement; no draw after a single restart."""
    restarts = len(times)
    topics = times[0].shape[2]
    resamples = RESAMPLES if restarts > 1 else 0
    chance = np.random.default_rng(seed)
    drawn_restarts = chance.integers(restarts, size=(resamples, restarts))
    drawn_topics = chance.integers(topics, size=(resamples, topics))
    resampled: list[Floats] = []
    for of_restarts, of_topics in zip(drawn_restarts, drawn_topics, strict=True):
        medians = _medians([times[number] for number in of_restarts])
        resampled.append(medians[:, of_topics])
    return resampled


def _bounds(
    figure: Callable[[Floats], Floats], medians: Floats, resampled: Sequence[Floats], factor: float
) -> list[Interval]:
    """Return a figure of each piece, with an interval of `factor` standard errors over the draws to both sides."""
    values = figure(medians)
    errors = np.ones(len(values))
    if resampled:
        errors = np.array([figure(draw) for draw in resampled]).std(axis=0, ddof=1)
    if figure is not _mean:
        errors[0] = 0.0  # the baseline beside itself
    intervals: list[Interval] = []
    for value, error in zip(values.tolist(), errors.tolist(), strict=True):
        # Infinity times 0 is no number.
        reach = factor * error if error else 0.0
        intervals.append(Interval(value, value - reach, value + reach))
    return intervals


def _medians(times: Sequence[Floats]) -> Floats:
    """Return the median over all rounds; shape (pieces, topics)."""
    return np.median(np.concatenate(times), axis=0)


class Payoff(StrEnum):
    """When cleaning and building have paid off by faster searching.

    With `UNKNOWN` (costlier to build) and `NO_COSTLIER` (not costlier) the difference in searching is within noise. With
    `USED_UP` an index that was cheaper to build is slower to search, which uses up the gain.
    """

    AT_ONCE = "at once"
    AFTER = "after queries"
    NEVER = "never"
    USED_UP = "at once, later used up"
    UNKNOWN = "not measurable"
    NO_COSTLIER = "no costlier to build"


@dataclass(frozen=True)
class BreakEven:
    """When a variant has paid off; 0 queries for at once.

    Args:
        payoff: when cleaning pays off.
        queries: queries after which cleaning pays off; None if it never does, or if this is not measurable.
        until: queries after which slower searching has used up the gain of a cheaper build.
    """

    payoff: Payoff
    queries: Interval | None = None
    until: float | None = None


def break_even(extra: float, saved: Interval | None) -> BreakEven:
    """Compare a variant's extra cost before the first query with its saving per query.

    All costs are seconds of one kind (wall or CPU), or all kg of CO₂. On one machine time and CO₂ give the same answer, as
    Eq. 9 is linear in time. If several machines clean at the same time, cleaning pays off later in CO₂ than in time.

    Args:
        extra: the cost to clean the collection, without the parsing that the baseline needs too, plus the index's building
            cost beyond the baseline's; negative for less.
        saved: the cost that a query saves compared with the baseline's, of one sign; None if it cannot be measured.
    """
    if saved is None:
        return BreakEven(Payoff.NO_COSTLIER if extra <= 0 else Payoff.UNKNOWN)
    if saved.value > 0:
        if extra <= 0:
            return BreakEven(Payoff.AT_ONCE, Interval(0.0, 0.0, 0.0))
        queries = Interval(extra / saved.value, extra / saved.high, extra / saved.low)
        return BreakEven(Payoff.AFTER, queries)
    if extra >= 0:
        return BreakEven(Payoff.NEVER)
    return BreakEven(Payoff.USED_UP, until=extra / saved.value)


class ExtraSeconds(NamedTuple):
    """Wall seconds that a variant takes before its first query, beyond the baseline's; negative for less."""

    cleaning: float
    indexing: float

    def of_all(self, machines: int) -> float:
        """Return the seconds summed over machines: all `machines` clean, one indexes."""
        return self.cleaning * machines + self.indexing


def co2_break_even(extra: ExtraSeconds, saved: Interval | None, power: Power, machines: int) -> BreakEven | None:
    """Compare the CO₂ of cleaning and building with the CO₂ saved per query; None for one machine: see `break_even`.

    Args:
        extra: seconds beyond the baseline's.
        saved: the seconds that a query saves compared with the baseline's, of one sign; None if they cannot be measured.
        power: the power of one machine.
        machines: the number of machines that clean at the same time; a single machine indexes and searches.
    """
    if machines == 1:
        return None
    saved_kg = saved and Interval(power.kg(saved.value), power.kg(saved.low), power.kg(saved.high))
    return break_even(power.kg(extra.of_all(machines)), saved_kg)


@dataclass(frozen=True)
class Times:
    """Costs of a piece of work: `cpu` is of all threads, Java's included; `peak` is resident memory of one process.

    Args:
        wall: wall seconds.
        cpu: CPU seconds, user and system.
        peak: peak memory in MiB (2²⁰ bytes).
    """

    wall: float
    cpu: float
    peak: float

    def __add__(self, other: Times) -> Times:
        """Return the costs of both pieces of work in sequence: the sum of their seconds, the larger peak."""
        return Times(self.wall + other.wall, self.cpu + other.cpu, max(self.peak, other.peak))


class Stopwatch:
    """Yielded by `measure_times`; its `times` are set when the block has ended."""

    def __init__(self) -> None:
        self._times: Times | None = None

    @property
    def times(self) -> Times:
        """The measured times."""
        if self._times is None:
            raise RuntimeError("the work is still going on")
        return self._times


class ThreadClock:
    """Adds up the time of the blocks that it encloses: `wall` seconds, and `cpu` seconds of this thread alone."""

    def __init__(self) -> None:
        self.wall = self.cpu = 0.0

    def __enter__(self) -> ThreadClock:
        self._wall, self._cpu = time.perf_counter(), time.thread_time()
        return self

    def __exit__(self, *_: object) -> None:
        self.wall += time.perf_counter() - self._wall
        self.cpu += time.thread_time() - self._cpu


@contextmanager
def measure_times() -> Iterator[Stopwatch]:
    """Measure the block: wall time, CPU time of this process, and its peak memory.

    On Linux the peak is the kernel's own high-water mark, reset at the start of the block, so no peak is missed. On other
    systems, and if the reset is not allowed, it is the peak since the process began. Blocks are not nested. Child processes
    are not included: workers measure themselves, and their times are added.
    """
    stopwatch = Stopwatch()
    was_reset = _reset_peak()
    wall, cpu = time.perf_counter(), time.process_time()
    try:
        yield stopwatch
    finally:
        peak = _high_water_mark() if was_reset else _peak_since_start()
        stopwatch._times = Times(time.perf_counter() - wall, time.process_time() - cpu, peak)


def _reset_peak() -> bool:
    """Reset Linux's high-water mark to the present; return whether that worked."""
    try:
        _high_water_mark()
        (_SELF / "clear_refs").write_text("5", encoding="ascii")
    except (OSError, ValueError):
        return False
    return True


def _peak_since_start() -> float:
    units_per_mib = 2**20 if sys.platform == "darwin" else 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / units_per_mib


def _high_water_mark() -> float:
    for line in (_SELF / "status").read_text(encoding="utf-8", errors="replace").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    raise ValueError("this system keeps no high-water mark")

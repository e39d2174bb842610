"""Ratios of repeated times, by hand and over many simulated repeats."""

from __future__ import annotations

import math
from statistics import geometric_mean, mean, median

import numpy as np
import numpy.typing as npt
import pytest

from thresher.base.numbers import Interval
from thresher.base.repeats import Repeats, are_narrow, compare_times, measurable

Floats = npt.NDArray[np.float64]
NAMES = ("none", "words@5")


def restarts(*rounds: int, topics: int = 3, seed: int = 1) -> list[Floats]:
    """Return random times of restarts with that many rounds: of the baseline, its copy, a variant."""
    chance = np.random.default_rng(seed)
    return [chance.uniform(0.001, 0.01, size=(count, 3, topics)) for count in rounds]


@pytest.mark.parametrize("rounds", [(1,), (3,), (2, 3), (3, 3, 1, 4)])
def test_figures_are_medians_over_rounds_and_geometric_means_over_topics(rounds: tuple[int, ...]) -> None:
    wall, cpu = restarts(*rounds), restarts(*rounds, seed=2)
    repeats = compare_times(NAMES, wall, cpu)
    assert (list(repeats.times), repeats.restarts, repeats.rounds) == (list(NAMES), len(rounds), sum(rounds))
    for times, part in ((wall, "wall"), (cpu, "cpu")):
        # By topic, in plain Python.
        of = [
            [
                median(float(one[number, piece, topic]) for one in times for number in range(len(one)))
                for topic in range(3)
            ]
            for piece in range(3)
        ]
        for piece, time in enumerate((repeats.times["none"], repeats.copy, repeats.times["words@5"])):
            assert getattr(time, part).value == pytest.approx(mean(of[piece]))
            ratio = time.ratio if part == "wall" else time.cpu_ratio
            assert ratio.value == pytest.approx(geometric_mean(map(lambda a, b: a / b, of[piece], of[0])))
            if part == "wall":
                assert time.saved.value == pytest.approx(mean(of[0]) - mean(of[piece]), abs=1e-12)


def test_one_opening_says_nothing_of_others() -> None:
    repeats = compare_times(NAMES, restarts(30), restarts(30))
    time = repeats.times["words@5"]
    assert (time.ratio.low, time.ratio.high, time.measurable) == (0.0, math.inf, False)
    assert (time.saved.low, time.saved.high) == (-math.inf, math.inf)
    assert (time.wall.low, time.wall.high) == (0.0, math.inf)
    assert repeats.times["none"].ratio == Interval(1.0, 1.0, 1.0)
    assert repeats.times["none"].saved == Interval(0.0, 0.0, 0.0)


def test_intervals_are_those_of_students_t_where_there_is_one_topic() -> None:
    # One topic and one round an opening: the bootstrap of a mean of logs has a standard error that is known.
    chance = np.random.default_rng(5)
    wall = [np.array([[[1.0], [1.0], [math.exp(value)]]]) for value in chance.normal(0.3, 0.1, size=3)]
    ratio = compare_times(NAMES, wall, wall).times["words@5"].ratio
    # The median of three draws with replacement of a < b < c is a and c with 7/27 each, b with 13/27.
    a, b, c = sorted(math.log(one[0, 2, 0]) for one in wall)
    expected = 7 / 27 * a + 13 / 27 * b + 7 / 27 * c
    error = math.sqrt(sum(share * (x - expected) ** 2 for share, x in ((7 / 27, a), (13 / 27, b), (7 / 27, c))))
    reach = 4.302652729911275 * math.sqrt(3 / 2) * error  # the .975 quantile of t with 2 degrees of freedom
    assert math.log(ratio.value) == pytest.approx(b)
    assert math.log(ratio.high / ratio.value) == pytest.approx(reach, rel=0.1)
    assert ratio.value / ratio.low == pytest.approx(ratio.high / ratio.value)


def simulated(chance: np.random.Generator, truth: float, count: int = 8) -> Repeats:
    """Return times with noise of topics, of where an index lies while it is open, and of single queries with outliers."""
    base = chance.lognormal(-7, 0.5, size=20)
    wall = []
    for _ in range(count):
        placed = chance.normal(0, 0.015, size=(3, 20))
        single = chance.normal(0, 0.03, size=(3, 3, 20)) + (chance.random((3, 3, 20)) < 0.05) * 3
        wall.append(base * np.array([1.0, 1.0, truth])[None, :, None] * np.exp(placed[None] + single))
    return compare_times(NAMES, wall, wall, seed=int(chance.integers(10**6)))


@pytest.fixture
def few_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let many simulations take seconds; a standard error needs no more."""
    monkeypatch.setattr("thresher.base.repeats.RESAMPLES", 60)


@pytest.mark.slow
@pytest.mark.usefixtures("few_resamples")
def test_the_twins_interval_holds_1_and_an_equal_variant_is_not_measurable() -> None:
    chance = np.random.default_rng(11)
    repeats = [simulated(chance, 1.0) for _ in range(60)]
    assert sum(one.copy.ratio.low <= 1 <= one.copy.ratio.high for one in repeats) >= 57
    assert not any(one.times["words@5"].measurable for one in repeats)


@pytest.mark.usefixtures("few_resamples")
def test_a_difference_beyond_noise_is_measurable_and_repeats() -> None:
    chance = np.random.default_rng(12)
    times = [simulated(chance, 0.9).times["words@5"] for _ in range(30)]
    assert all(time.measurable for time in times)
    assert all(time.ratio.value == pytest.approx(0.9, abs=0.02) for time in times)
    assert sum(time.ratio.low <= 0.9 <= time.ratio.high for time in times) >= 28


def test_the_same_seed_gives_the_same_intervals() -> None:
    wall = restarts(3, 3, 3)
    assert compare_times(NAMES, wall, wall, seed=3) == compare_times(NAMES, wall, wall, seed=3)
    assert compare_times(NAMES, wall, wall, seed=3) != compare_times(NAMES, wall, wall, seed=4)


@pytest.mark.parametrize(
    ("ratio", "saved", "verdict"),
    [
        ((0.9, 0.88, 0.92), (1.0, 0.8, 1.2), True),
        ((1.1, 1.08, 1.12), (-1.0, -1.2, -0.8), True),
        # The copy's interval, .99 to 1.04, is a floor of 1/1.04 to 1.04.
        ((0.95, 0.93, 0.97), (1.0, 0.8, 1.2), False),
        ((1.05, 1.03, 1.07), (-1.0, -1.2, -0.8), False),
        ((0.95, 0.94, 0.961), (1.0, 0.8, 1.2), True),
        # Seconds that may be of either sign save nothing.
        ((0.9, 0.88, 0.92), (1.0, -0.1, 2.1), False),
        ((1.0, 0.0, math.inf), (1.0, -math.inf, math.inf), False),
    ],
)
def test_what_is_measurable(ratio: tuple[float, ...], saved: tuple[float, ...], verdict: bool) -> None:
    assert measurable(Interval(*ratio), Interval(*saved), Interval(1.01, 0.99, 1.04)) is verdict


def test_nothing_is_measurable_beside_a_twin_without_bounds() -> None:
    assert not measurable(Interval(0.1, 0.09, 0.11), Interval(1.0, 0.9, 1.1), Interval(1.0, 0.0, math.inf))


@pytest.mark.parametrize("width", [0.001, 0.01, 0.05, 0.2])
def test_narrow_are_intervals_within_the_width_to_both_sides(width: float) -> None:
    wall = [times + 0.05 for times in restarts(3, 3, 3, 3)]
    repeats = compare_times(NAMES, wall, wall)
    ratios = [repeats.copy.ratio, repeats.times["words@5"].ratio]
    reach = max(max(1 - ratio.low / ratio.value, ratio.high / ratio.value - 1) for ratio in ratios)
    assert are_narrow(wall, width) == (reach <= width)
    assert are_narrow(wall, reach * 1.001)
    assert not are_narrow(wall[:1], 1e9)

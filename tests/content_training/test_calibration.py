"""Calibration against isotonic regression by brute force, and reliability diagrams."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from content_training.fitting import CalibrationBin, calibrate, calibration_bins, calibration_error
from content_training.plots import calibration_plot

BLOCKS = st.lists(
    st.tuples(st.integers(-5, 5), st.sampled_from([0.0, 0.25, 1.0]), st.sampled_from([0.5, 1.0, 2.0])),
    min_size=1,
    max_size=20,
)


@given(BLOCKS)
def test_isotonic_regression(blocks):
    sums, labels, weights = (np.array(values) for values in zip(*blocks, strict=True))
    # A bin for every sum.
    calibration = calibrate(sums, labels, weights, knots=10_000)
    levels = np.unique(sums)

    def mean(low: int, high: int) -> float:
        inside = (sums >= levels[low]) & (sums <= levels[high])
        return float(weights[inside] @ labels[inside] / weights[inside].sum())

    # The greatest of the least means (Barlow et al. 1972).
    expected = [
        max(min(mean(low, high) for high in range(at, len(levels))) for low in range(at + 1))
        for at in range(len(levels))
    ]
    pools = {round(value, 6) for value in expected}
    assert {*calibration.probabilities.tolist()} <= pools | {*np.clip([*pools], 0, 1).tolist()}
    assert calibration.probabilities[0] == round(expected[0], 6)
    assert calibration.probabilities[-1] == round(expected[-1], 6)


def test_few_knots_over_many_sums():
    generator = np.random.default_rng(1)
    sums = generator.integers(-3000, 3000, 20_000)
    labels = (generator.random(20_000) < 1 / (1 + np.exp(-sums / 1000))).astype(float)
    calibration = calibrate(sums, labels, np.ones(20_000), knots=20)
    assert 10 < len(calibration.sums) <= 20
    at = np.array([-2000, -500, 0, 800, 2000])
    assert np.abs(calibration(at) - 1 / (1 + np.exp(-at / 1000))).max() < 0.04
    bins = calibration_bins(calibration(sums), labels, np.ones(20_000))
    assert calibration_error(bins) < 0.02


def test_bins_by_hand():
    bins = calibration_bins(np.array([0.05, 0.0, 1.0, 0.95]), np.array([0.0, 1.0, 1.0, 0.0]), np.array([1.0, 1, 1, 1]))
    assert [(row.low, row.high, row.weight, row.observed) for row in bins] == [(0, 0.1, 0.5, 0.5), (0.9, 1, 0.5, 0.5)]
    assert np.isclose(calibration_error(bins), 0.5 * (0.5 - 0.025) + 0.5 * (0.975 - 0.5))


def test_a_calibrated_model_is_on_the_diagonal() -> None:
    bins = [CalibrationBin(0.1 * place, 0.1 * place + 0.1, 0.1, 0.1 * place + 0.05, 0.4) for place in range(10)]
    plot = calibration_plot("web", bins)
    diagonal, line = (layer["data"]["values"] for layer in plot.spec["layer"] if layer["mark"]["type"] == "line")
    assert [(row["predicted"], row["observed"]) for row in diagonal] == [(0, 0), (1, 1)]
    assert line == [{"predicted": one.predicted, "observed": one.observed, "weight": one.weight} for one in bins]
    assert "web" in plot.svg

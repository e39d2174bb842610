"""Eq. 9 with every factor, by hand."""

import pytest
from messages import assert_names

from thresher.base.defaults import CARBON_INTENSITY
from thresher.base.machine import RESOLUTION_SECONDS, Footprint, Power, footprint
from thresher.base.numbers import Interval

NODE = Power(170.0, "configured")


def test_equation_9() -> None:
    assert CARBON_INTENSITY == 0.341
    assert Power(1000.0, "", intensity=1.0).grams(3600) == 1000.0
    assert NODE.grams(2.5 * 3600) == pytest.approx(1000 * 2.5 * 0.341 * 170 / 1000, rel=1e-15)


def test_fifteen_machines_for_45_minutes_are_the_papers_cleaning() -> None:
    # Table 5 of the PyPlexity paper: 0.65 kg.
    assert NODE.grams(45 * 60, machines=15) == pytest.approx(652.16, abs=0.005)
    assert NODE.grams(45 * 60) == pytest.approx(43.48, abs=0.005)


def test_every_factor_counts() -> None:
    half = Power(170.0, "configured", share=0.5, pue=1.58, intensity=0.1)
    assert half.kwh(7200, machines=3) == pytest.approx(2 * 3 * 0.170 * 0.5 * 1.58)
    assert half.grams(7200, machines=3) == pytest.approx(1000 * half.kwh(7200, machines=3) * 0.1)


def test_below_resolution_there_is_no_figure() -> None:
    assert RESOLUTION_SECONDS == 1.0
    assert (NODE.grams(0.999), NODE.grams(0.0)) == (None, None)
    assert NODE.grams(1.0) == pytest.approx(170 * 0.341 / 3600)


def test_all_factors_are_named() -> None:
    assert_names(NODE, "estimated", "Eq. 9", "170 W", "configured", "1 machine", "PUE 1 ", "0.341 kg/kWh")
    cluster = Power(85.0, "TDP table", 0.25, 15, 1.58, 0.05, "Galicia, 2026-11")
    for factor in (
        "85 W a machine (TDP table)",
        "0.25 of its cores",
        "15 machines",
        "PUE 1.58",
        "0.05 kg/kWh (Galicia, 2026-11)",
    ):
        assert factor in str(cluster)


def test_a_footprint_has_hours_energy_and_co2() -> None:
    work = footprint("10,000 searches", Interval(7200.0, 3600.0, 10800.0), NODE, 1)
    assert work.hours == Interval(2.0, 1.0, 3.0)
    assert work.kwh == Interval(*(pytest.approx(0.170 * hours) for hours in (2, 1, 3)))
    assert work.kg == Interval(*(pytest.approx(0.341 * 0.170 * hours) for hours in (2, 1, 3)))
    many = footprint("cleaning", Interval(3600.0, 3600.0, 3600.0), NODE, 15)
    assert many.hours == Interval(15.0, 15.0, 15.0)
    short = Interval(0.5, 0.4, 2.0)
    assert footprint("indexing", short, NODE, 1) == Footprint(
        "indexing", Interval(*(pytest.approx(seconds / 3600) for seconds in (0.5, 0.4, 2.0))), None, None
    )

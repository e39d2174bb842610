import pytest

from thresher.costs import CARBON_INTENSITY
from thresher.costs.carbon import RESOLUTION_SECONDS, co2_grams, co2_kg, co2_method
from thresher.costs.tdp import Tdp


def test_equation_9():
    assert CARBON_INTENSITY == 0.341
    assert co2_kg(1, 1000, 1) == 1.0
    assert co2_kg(2.5, 170) == pytest.approx(2.5 * 0.341 * 170 / 1000, rel=1e-15)


def test_grams_of_a_stage():
    assert co2_grams(3600, 85) == pytest.approx(28.985)
    assert co2_grams(3600, 85, intensity=0.1) == pytest.approx(8.5)
    assert co2_grams(2700, 170, machines=15) == pytest.approx(1000 * co2_kg(11.25, 170))


def test_below_resolution_there_is_no_figure():
    assert RESOLUTION_SECONDS == 1.0
    assert co2_grams(0.999, 85) is None
    assert co2_grams(0.0, 85) is None
    assert co2_grams(1.0, 85) == pytest.approx(85 * 0.341 / 3600)


def test_method():
    assert co2_method(Tdp(85.0, "assumed: the paper's CPU; set costs.tdp_watts")) == (
        "estimated: Eq. 9, wall time × TDP 85 W (assumed: the paper's CPU; set costs.tdp_watts) × 0.341 kg/kWh"
    )
    assert co2_method(Tdp(42.5, "configured"), 0.05) == (
        "estimated: Eq. 9, wall time × TDP 42.5 W (configured) × 0.05 kg/kWh"
    )

"""CO2 of stages: Eq. 9 of the PyPlexity paper over their wall time, nothing below resolution."""

from __future__ import annotations

import math
import time
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.base.errors import ConfigError
from thresher.base.machine import Power, read_machine
from thresher.experiments.measuring import CostMeter, StageCost, power_of
from thresher.experiments.schema import CostsTable

PAPER = CostMeter(Power(170.0, "configured"))


def equation_9(seconds: float, intensity: float, watts: float) -> float:
    """Return grams: kg = t·C_e·W/1000, with t in hours."""
    return 1000 * (seconds / 3600) * intensity * watts / 1000


def test_the_papers_table_5() -> None:
    clock = 3 * 3600 + 24 * 60 + 23
    assert PAPER.grams(clock) == pytest.approx(197.5, abs=0.05)
    assert PAPER.grams(45 * 60, machines=15) == pytest.approx(652.2, abs=0.05)


@given(st.floats(1, 1e6), st.floats(0, 2), st.floats(0.5, 1000))
def test_an_estimate_is_equation_9(seconds: float, intensity: float, watts: float) -> None:
    meter = CostMeter(Power(watts, "configured", intensity=intensity))
    assert meter.grams(seconds) == pytest.approx(equation_9(seconds, intensity, watts))


@pytest.mark.parametrize(("seconds", "known"), [(0.0, False), (0.999, False), (1.0, True)])
def test_below_a_second_there_is_no_figure(seconds: float, known: bool) -> None:
    assert (PAPER.grams(seconds) is not None) == known


def test_a_stage_is_measured_and_its_co2_is_that_of_its_wall_time() -> None:
    with PAPER.stage() as work:
        assert work == StageCost()
        time.sleep(1.05)
    assert work.cost.wall >= 1.05
    assert 0 <= work.cost.cpu < 1
    assert work.cost.peak > 10
    assert work.cost.co2_grams == pytest.approx(equation_9(work.cost.wall, 0.341, 170))


def test_a_short_stage_has_no_figure() -> None:
    with PAPER.stage() as work:
        pass
    assert (work.cost.co2_grams, work.cost.wall > 0) == (None, True)


def test_an_error_in_a_stage_is_not_swallowed() -> None:
    with pytest.raises(KeyError), PAPER.stage():
        raise KeyError


def test_watts_come_from_the_table_or_the_configuration() -> None:
    machine = replace(read_machine(), cpu_model="Intel(R) Xeon(R) CPU E5-2630 v4 @ 2.20GHz", sockets=2)
    options = CostsTable()
    assert power_of(options, machine).watts == 170
    assert power_of(replace(options, tdp_watts=15.0), machine) == Power(15.0, "TDP configured")
    unknown = power_of(options, replace(machine, cpu_model="unknown", sockets=1))
    assert (unknown.watts, "assumed" in str(unknown)) == (85.0, True)
    with pytest.raises(ConfigError):
        power_of(replace(options, tdp_watts=math.inf), machine)


def test_all_factors_come_from_the_configuration() -> None:
    machine = replace(read_machine(), cores=8)
    options = CostsTable(0.2, "Galicia", "2026-11", measured_watts=120.0, cores=2, machines=15, pue=1.58)
    assert power_of(options, machine) == Power(
        120.0, "measured power, configured", 0.25, 15, 1.58, 0.2, "Galicia, 2026-11"
    )
    assert power_of(replace(options, cores=16), machine).share == 1.0

"""CO2 from time and power: Eq. 9 of the PyPlexity paper."""

from __future__ import annotations

from thresher.costs.tdp import Tdp
from thresher.defaults import CARBON_INTENSITY

RESOLUTION_SECONDS = 1.0
"""The shortest work that gets a figure: below it, starting and scheduling outweigh what is measured."""


def co2_kg(hours: float, watts: float, intensity: float = CARBON_INTENSITY) -> float:
    """Return kg of CO2 equivalents, t·C_e·W/1000 (Eq. 9 of the PyPlexity paper, after Lacoste et al. 2019).

    Args:
        hours: t, time of computation in hours, summed over the machines that work at the same time.
        watts: W, the thermal design power of the CPUs of one machine.
        intensity: C_e, kg of CO2 equivalents per kWh.
    """
    return hours * intensity * watts / 1000.0


def co2_grams(seconds: float, watts: float, intensity: float = CARBON_INTENSITY, machines: int = 1) -> float | None:
    """Estimate the CO2 of a stage from its wall time: all the machine's CPUs are taken to draw their TDP.

    Args:
        seconds: wall time of the stage.
        watts: TDP of all CPUs of one machine.
        intensity: kg of CO2 equivalents per kWh.
        machines: how many machines of this kind worked for the whole time.

    Returns:
        Grams of CO2 equivalents; None below resolution, that is, under `RESOLUTION_SECONDS`.
    """
    if seconds < RESOLUTION_SECONDS:
        return None
    return 1000.0 * co2_kg(seconds / 3600.0 * machines, watts, intensity)


def co2_method(tdp: Tdp, intensity: float = CARBON_INTENSITY) -> str:
    """Return one line on how `co2_grams` estimates."""
    return f"estimated: Eq. 9, wall time × TDP {tdp.watts:g} W ({tdp.source}) × {intensity:g} kg/kWh"

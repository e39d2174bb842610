"""CO2 from time and power: Eq. 9 of the PyPlexity paper, with every factor named."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from thresher.columns import Declared, Show
from thresher.costs.repeats import Interval
from thresher.defaults import CARBON_INTENSITY, PUE

RESOLUTION_SECONDS = 1.0
"""The shortest work that gets a figure: below it, starting and scheduling outweigh what is measured."""
BELOW_RESOLUTION = "below resolution"
"""What tables show for work that was too short to measure."""
_HOUR = 3600.0


@dataclass(frozen=True)
class Power:
    """What a machine draws while it works, and what the power costs.

    Args:
        watts: of one machine: the thermal design power of its CPUs, or its measured power.
        source: of the watts.
        share: of the watts that the work is charged with: cores used by cores there are.
        machines: of a cluster that cleans; indexing and searching are done by one.
        pue: power usage effectiveness, 1 or more.
        intensity: C_e, kg of CO2 equivalents a kWh.
        origin: where and when that intensity held; empty if unknown.
    """

    watts: float
    source: str
    share: float = 1.0
    machines: int = 1
    pue: float = PUE
    intensity: float = CARBON_INTENSITY
    origin: str = ""

    def kwh(self, seconds: float, machines: int = 1) -> float:
        """Return the energy of `machines` that all work for `seconds`."""
        return seconds / _HOUR * machines * self.watts * self.share * self.pue / 1000.0

    def grams(self, seconds: float, machines: int = 1) -> float | None:
        """Return grams of CO2 equivalents, 1000 · t·C_e·W/1000 (Eq. 9 of the PyPlexity paper, after Lacoste et al. 2019).

        t are hours summed over the machines, W are watts times `share` times `pue`. None below resolution, that is, under
        `RESOLUTION_SECONDS`.
        """
        return None if seconds < RESOLUTION_SECONDS else 1000.0 * self.kwh(seconds, machines) * self.intensity

    def __str__(self) -> str:
        """Say in one line how figures come about."""
        factors = [f"{self.watts:g} W a machine ({self.source})"]
        if self.share != 1:
            factors.append(f"{self.share:.3g} of its cores")
        factors.append("1 machine" if self.machines == 1 else f"{self.machines} machines for cleaning, 1 for the rest")
        factors.append(f"PUE {self.pue:g}")
        factors.append(f"{self.intensity:g} kg/kWh" + (f" ({self.origin})" if self.origin else ""))
        return f"estimated: Eq. 9, wall time × {' × '.join(factors)}"


@dataclass(frozen=True)
class Footprint:
    """What a piece of work takes in time, energy and CO2; the bounds of what was not measured several times are its value.

    Args:
        work: such as "indexing" or "10,000 searches".
    """

    work: str
    hours: Annotated[Interval, Declared("Hours of all machines together.", Show.FIGURE, "h", bounds=True)]
    kwh: Annotated[
        Interval | None,
        Declared("Energy; empty below resolution.", Show.FIGURE, "kWh", missing=BELOW_RESOLUTION, bounds=True),
    ]
    kg: Annotated[
        Interval | None,
        Declared(
            "CO₂ equivalents; empty below resolution.", Show.FIGURE, "kg CO₂", missing=BELOW_RESOLUTION, bounds=True
        ),
    ]


def footprint(work: str, seconds: Interval, power: Power, machines: int) -> Footprint:
    """Return the footprint of work that takes `seconds` on each of `machines`."""
    bounds = seconds.value, seconds.low, seconds.high
    hours = Interval(*(bound * machines / _HOUR for bound in bounds))
    if seconds.value < RESOLUTION_SECONDS:
        return Footprint(work, hours, None, None)
    kwh = [power.kwh(bound, machines) for bound in bounds]
    return Footprint(work, hours, Interval(*kwh), Interval(*(power.intensity * bound for bound in kwh)))

"""Time, memory and CO2 of a stage."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from thresher.costs import Machine, Power, find_tdp, measure_times
from thresher.experiments.schema import CostsTable
from thresher.variants.costs import Cost


def power_of(options: CostsTable, machine: Machine) -> Power:
    """Return the factors of Eq. 9 as configured; what is not is the machine's."""
    if options.measured_watts:
        watts, source = options.measured_watts, "measured power, configured"
    else:
        tdp = find_tdp(machine.cpu_model, machine.sockets, options.tdp_watts or None)
        watts, source = tdp.watts, f"TDP {tdp.source}"
    there = machine.cores or machine.logical_cpus
    return Power(
        watts,
        source,
        min(options.cores / there, 1.0) if options.cores and there else 1.0,
        options.machines,
        options.pue,
        options.carbon_intensity,
        ", ".join(filter(None, (options.region, options.date))),
    )


@dataclass
class Stage:
    """A stage that is measured; its `cost` is there when its block has ended."""

    cost: Cost = Cost(0.0, 0.0, 0.0, None)


@dataclass(frozen=True)
class Meter:
    """Measures stages: time and memory, and CO2 by Eq. 9."""

    power: Power

    @property
    def method(self) -> str:
        """How CO2 is determined, in words."""
        return str(self.power)

    def grams(self, wall_seconds: float, machines: int = 1) -> float | None:
        """Estimate the CO2 of work; None below resolution."""
        return self.power.grams(wall_seconds, machines)

    @contextmanager
    def stage(self) -> Iterator[Stage]:
        """Measure a block."""
        stage = Stage()
        with measure_times() as watch:
            yield stage
        times = watch.times
        stage.cost = Cost(times.wall, times.cpu, times.peak, self.grams(times.wall))

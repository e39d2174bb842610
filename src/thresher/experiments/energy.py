"""CO2 of a stage, by the method that the experiment chose."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from thresher.costs import RESOLUTION_SECONDS, Machine, Power, find_tdp, measure_times, measured_co2, require_codecarbon
from thresher.experiments.schema import CostsTable
from thresher.results.experiment_results import Cost


def power_of(options: CostsTable, machine: Machine) -> Power:
    """Return the factors of Eq. 9 as configured; what is not is the machine's.

    Raises:
        ConfigError: if the TDP is not a positive number.
    """
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
    """Measures stages: time and memory always, CO2 by Eq. 9 or by codecarbon."""

    options: CostsTable
    power: Power

    @classmethod
    def of(cls, options: CostsTable, machine: Machine) -> Meter:
        """Return a meter for this machine.

        Raises:
            MissingDependencyError: if codecarbon is to measure and is not installed.
        """
        if options.co2 == "codecarbon":
            require_codecarbon()
        return cls(options, power_of(options, machine))

    @property
    def method(self) -> str:
        """How CO2 is determined, in words."""
        if self.options.co2 == "codecarbon":
            return f"codecarbon (power read from the CPU where it allows, else scaled from {self.power.watts:g} W)"
        return str(self.power)

    def grams(self, wall_seconds: float, machines: int = 1) -> float | None:
        """Estimate the CO2 of work by Eq. 9; None below resolution."""
        return self.power.grams(wall_seconds, machines)

    def part(self, cost: Cost, wall_seconds: float) -> float | None:
        """Return the share of a stage's CO2 that falls to `wall_seconds` of it; None below resolution."""
        if cost.co2_grams is None or wall_seconds < RESOLUTION_SECONDS:
            return None
        return cost.co2_grams * wall_seconds / cost.wall

    @contextmanager
    def stage(self) -> Iterator[Stage]:
        """Measure a block."""
        stage, reading = Stage(), None
        with ExitStack() as stack:
            if self.options.co2 == "codecarbon":
                reading = stack.enter_context(measured_co2(self.power.watts, self.options.carbon_intensity))
            watch = stack.enter_context(measure_times())
            yield stage
        times = watch.times
        grams = self.grams(times.wall) if reading is None else reading.grams
        stage.cost = Cost(times.wall, times.cpu, times.peak, grams)

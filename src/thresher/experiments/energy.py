"""CO2 of a stage, by the method that the experiment chose."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from thresher.costs import (
    RESOLUTION_SECONDS,
    Machine,
    Tdp,
    co2_grams,
    co2_method,
    find_tdp,
    measure_times,
    measured_co2,
    require_codecarbon,
)
from thresher.experiments.config import CostOptions


@dataclass
class StageWork:
    """What a stage took; filled in when its block ends. `co2_grams` is None below resolution."""

    wall_seconds: float = 0.0
    cpu_seconds: float = 0.0
    peak_mib: float = 0.0
    co2_grams: float | None = None
    method: str = ""


@dataclass(frozen=True)
class Meter:
    """Measures stages: time and memory always, CO2 by Eq. 9 or by codecarbon."""

    options: CostOptions
    tdp: Tdp

    @classmethod
    def of(cls, options: CostOptions, machine: Machine) -> Meter:
        """Return a meter for this machine.

        Raises:
            MissingDependencyError: if codecarbon is to measure and is not installed.
        """
        if options.co2 == "codecarbon":
            require_codecarbon()
        return cls(options, find_tdp(machine.cpu_model, machine.sockets, options.tdp_watts))

    @property
    def method(self) -> str:
        """How CO2 is had, in words."""
        if self.options.co2 == "codecarbon":
            return f"codecarbon (power read from the CPU where it allows, else scaled from TDP {self.tdp.watts:g} W)"
        return co2_method(self.tdp, self.options.carbon_intensity)

    def grams(self, wall_seconds: float) -> float | None:
        """Estimate the CO2 of work by Eq. 9; None below resolution."""
        return co2_grams(wall_seconds, self.tdp.watts, self.options.carbon_intensity)

    def part(self, work: StageWork, wall_seconds: float) -> float | None:
        """Return the share of a stage's CO2 that falls to `wall_seconds` of it; None below resolution."""
        if work.co2_grams is None or wall_seconds < RESOLUTION_SECONDS:
            return None
        return work.co2_grams * wall_seconds / work.wall_seconds

    @contextmanager
    def stage(self) -> Iterator[StageWork]:
        """Measure a block."""
        done = StageWork()
        if self.options.co2 == "codecarbon":
            with (
                measured_co2(self.tdp.watts, self.options.carbon_intensity) as reading,
                measure_times() as watch,
            ):
                yield done
            done.co2_grams, done.method = reading.grams, reading.method
        else:
            with measure_times() as watch:
                yield done
            done.co2_grams, done.method = self.grams(watch.times.wall), self.method
        done.wall_seconds = watch.times.wall
        done.cpu_seconds = watch.times.cpu
        done.peak_mib = watch.times.peak

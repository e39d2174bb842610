"""The machine that runs this and the power of its CPU: for `thresher doctor`, the manifest, and the energy estimate."""

from __future__ import annotations

import json
import math
import os
import platform
import re
import resource
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import psutil

from thresher.base.defaults import CARBON_INTENSITY, PUE
from thresher.base.errors import ConfigError, ResourceError
from thresher.base.numbers import Interval

ASSUMED_WATTS = 85.0
"""The watts of a socket with unknown TDP: the TDP of the paper's CPU, the Intel Xeon E5-2630 v4."""
RESOLUTION_SECONDS = 1.0
"""The shortest work that gets a figure: below it, starting and scheduling outweigh the measured work."""
BELOW_RESOLUTION = "below resolution"
"""Shown in tables for work that was too short to measure."""
_CPUINFO = Path("/proc/cpuinfo")
_HOUR = 3600.0


def free_address_space() -> int | None:
    """Return the bytes of address space that a limit (`ulimit -v`) leaves to this process; None without a limit."""
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY:
        return None
    return max(0, limit - int(psutil.Process().memory_info().vms))


def check_address_space(who: str, gib: float, fix: str) -> None:
    """Raise an error if a limit of address space leaves less than `who` needs: C code would end the process."""
    free = free_address_space()
    if free is not None and free < gib * 2**30:
        what = f"{who} {gib:g} GiB of address space, and the limit leaves {free / 2**30:.1f} GiB"
        raise ResourceError(what, f"raise the limit (`ulimit -v`), {fix}")


@dataclass(frozen=True)
class Tdp:
    """Watts of all sockets of a machine together, and the source of the figure."""

    watts: float
    source: str


def find_tdp(model: str, sockets: int = 1, configured: float | None = None) -> Tdp:
    """Find the TDP of a machine: as configured, else from the table `tdp.tsv`, else an assumption that says so.

    Only an exact model matches: `E5-2630` and `E5-2630 v4` differ, as do `7763` and `7763P`. A virtual machine gets the TDP of
    the whole CPU, even if it has only a few of its cores: configure a share.

    Args:
        model: such as `Intel(R) Xeon(R) CPU E5-2630 v4 @ 2.20GHz`.
        sockets: the number of these CPUs in the machine.
        configured: watts of the whole machine, `costs.tdp_watts`; None if it is not configured.
    """
    if configured is not None:
        if not (math.isfinite(configured) and configured > 0):
            raise ConfigError(f"{configured:g} W is not a power", "give a positive number of watts", "costs.tdp_watts")
        return Tdp(float(configured), "configured")
    entry = _table().get(_key(model))
    times = f" × {sockets}" if sockets > 1 else ""
    if entry is None:
        return Tdp(ASSUMED_WATTS * sockets, f"assumed{times}: the paper's CPU; set costs.tdp_watts")
    return Tdp(entry.watts * sockets, f"table: {entry.name}{times}")


class _TableEntry(NamedTuple):
    name: str
    watts: float


@cache
def _table() -> dict[str, _TableEntry]:
    text = files("thresher.base").joinpath("tdp.tsv").read_text(encoding="utf-8")
    entries: dict[str, _TableEntry] = {}
    for line in text.splitlines():
        name, watts = line.split("\t")
        entries[_key(name)] = _TableEntry(name, float(watts))
    return entries


def _key(model: str) -> str:
    """Reduce a CPU's name to the words that distinguish models.

    >>> _key("Intel(R) Xeon(R) CPU E5-2630 v4 @ 2.20GHz")
    'intel xeon e5-2630 v4'
    >>> _key("AMD Ryzen 7 PRO 4750U with Radeon Graphics")
    'amd ryzen 7 pro 4750u'
    """
    name = re.sub(r"\((?:r|tm)\)", " ", model.lower())
    name = re.sub(r"@.*| with .*|\b\d+th gen\b|\b\d+-core\b|\bcpu\b|\bprocessor\b", " ", name)
    return " ".join(name.split())


@dataclass(frozen=True)
class Machine:
    """CPU model as the system names it, sockets, cores (0: unknown), logical CPUs, memory, system, Python."""

    cpu_model: str
    sockets: int
    cores: int
    logical_cpus: int
    memory_mib: int
    platform: str
    python: str


def read_machine() -> Machine:
    """Describe the machine. Never fails: an unknown model is `unknown`, unknown sockets are 1, unknown cores 0."""
    cpu = _cpu()
    return Machine(
        cpu_model=cpu.model,
        sockets=cpu.sockets,
        cores=psutil.cpu_count(logical=False) or 0,
        logical_cpus=os.cpu_count() or 0,
        memory_mib=psutil.virtual_memory().total // 2**20,
        platform=platform.platform(),
        python=platform.python_version(),
    )


class Cpu(NamedTuple):
    """The model of the CPUs, empty if unknown, and the number of sockets."""

    model: str
    sockets: int


def parse_cpuinfo(text: str) -> Cpu:
    """Return the CPU of Linux's `/proc/cpuinfo`; on ARM the file names no model."""
    model = ""
    sockets: set[str] = set()
    for line in text.splitlines():
        name, _, value = line.partition(":")
        if name.strip() == "model name" and not model:
            model = value.strip()
        if name.strip() == "physical id":
            sockets.add(value.strip())
    return Cpu(model, max(1, len(sockets)))


def _cpu() -> Cpu:
    cpu = Cpu("", 1)
    if _CPUINFO.is_file():
        cpu = parse_cpuinfo(_CPUINFO.read_text(encoding="utf-8", errors="replace"))
    elif platform.system() == "Darwin":
        cpu = Cpu(_sysctl("machdep.cpu.brand_string"), 1)
    return Cpu(cpu.model or platform.processor() or "unknown", cpu.sockets)


def _sysctl(name: str) -> str:
    try:
        completed = subprocess.run(["sysctl", "-n", name], capture_output=True, text=True, timeout=5, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return completed.stdout.strip()


@dataclass(frozen=True)
class Power:
    """The power that a machine draws while it works, and its carbon intensity.

    Args:
        watts: of one machine: the thermal design power of its CPUs, or its measured power.
        source: of the watts.
        share: the share of the watts that the work is charged with: used cores by all cores.
        machines: the number of machines that clean; a single machine indexes and searches.
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
        if seconds < RESOLUTION_SECONDS:
            return None
        return 1000.0 * self.kg(seconds, machines)

    def kg(self, seconds: float, machines: int = 1) -> float:
        """Return kg of CO2 equivalents by Eq. 9, however short the time."""
        return self.kwh(seconds, machines) * self.intensity

    def __str__(self) -> str:
        """Return the formula of the figures in one line."""
        factors = [f"{self.watts:g} W a machine ({self.source})"]
        if self.share != 1:
            factors.append(f"{self.share:.3g} of its cores")
        factors.append("1 machine" if self.machines == 1 else f"{self.machines} machines for cleaning, 1 for the rest")
        factors.append(f"PUE {self.pue:g}")
        intensity = f"{self.intensity:g} kg/kWh"
        if self.origin:
            intensity += f" ({self.origin})"
        factors.append(intensity)
        return f"estimated: Eq. 9, wall time × {' × '.join(factors)}"


@dataclass(frozen=True)
class Footprint:
    """Time, energy and CO2 of a piece of `work`, such as "10,000 searches"; bounds equal the value if measured only once.

    Args:
        hours: hours of all machines together.
        kwh: energy; empty below resolution.
        kg: CO₂ equivalents; empty below resolution.
    """

    work: str
    hours: Interval
    kwh: Interval | None
    kg: Interval | None


def footprint(work: str, seconds: Interval, power: Power, machines: int) -> Footprint:
    """Return the footprint of work that takes `seconds` on each of `machines`."""
    value = _bound(seconds.value, power, machines)
    low = _bound(seconds.low, power, machines)
    high = _bound(seconds.high, power, machines)
    hours = Interval(value.hours, low.hours, high.hours)
    if seconds.value < RESOLUTION_SECONDS:
        return Footprint(work, hours, None, None)
    kwh = Interval(value.kwh, low.kwh, high.kwh)
    kg = Interval(value.kg, low.kg, high.kg)
    return Footprint(work, hours, kwh, kg)


class _Bound(NamedTuple):
    hours: float
    kwh: float
    kg: float


def _bound(seconds: float, power: Power, machines: int) -> _Bound:
    kwh = power.kwh(seconds, machines)
    return _Bound(hours=seconds * machines / _HOUR, kwh=kwh, kg=power.intensity * kwh)


@contextmanager
def counted_joules() -> Iterator[dict[str, float]]:
    """Yield a mapping that has the whole machine's joules by part (cpu, ram, gpu) after the block, by tirex-tracker.

    It stays empty without that package, the extra `energy`, and lacks the parts that have no counter.
    """
    joules: dict[str, float] = {}
    if find_spec("tirex_tracker") is None:
        yield joules
        return
    import tirex_tracker

    measures = {part: tirex_tracker.Measure[f"{part.upper()}_ENERGY_SYSTEM_JOULES"] for part in ("cpu", "ram", "gpu")}
    handle = tirex_tracker.start_tracking(list(measures.values()))
    try:
        yield joules
    finally:
        results = tirex_tracker.stop_tracking(handle)
        values: dict[str, bytes | str] = {}
        for part, measure in measures.items():
            if measure in results:
                values[part] = results[measure].value
        joules.update(parse_joules(values))


def parse_joules(values: Mapping[str, bytes | str]) -> dict[str, float]:
    """Return joules by part from tirex-tracker's values, which are JSON; `null` is no measurement, nor is 0."""
    joules: dict[str, float] = {}
    for part, value in values.items():
        number = json.loads(value or "null")
        if number:
            joules[part] = float(number)
    return joules

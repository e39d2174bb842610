"""The machine that runs this and the power of its CPU: for `thresher doctor`, the manifest, and the energy estimate."""

from __future__ import annotations

import math
import os
import platform
import re
import subprocess
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

import psutil

from thresher.errors import ConfigError

ASSUMED_WATTS = 85.0
"""A socket whose TDP is not known: that of the paper's CPU, the Intel Xeon E5-2630 v4."""
_CPUINFO = Path("/proc/cpuinfo")


@dataclass(frozen=True)
class Tdp:
    """Watts of all sockets of a machine together, and where the figure comes from."""

    watts: float
    source: str


def find_tdp(model: str, sockets: int = 1, configured: float | None = None) -> Tdp:
    """Find the TDP of a machine: as configured, else from the table `tdp.tsv`, else an assumption that says
    so.

    Only an exact model matches: of `E5-2630` and `E5-2630 v4`, of `7763` and `7763P`, each has its own TDP. A
    virtual machine's CPU has the TDP of the whole CPU, of which it may own a few cores only: configure a
    share.

    Args:
        model: such as `Intel(R) Xeon(R) CPU E5-2630 v4 @ 2.20GHz`.
        sockets: how many such CPUs the machine has.
        configured: watts of the whole machine, `costs.tdp_watts`; None if it is not configured.
    """
    if configured is not None:
        if not (math.isfinite(configured) and configured > 0):
            raise ConfigError(f"{configured:g} W is not a power", "give a positive number of watts", "costs.tdp_watts")
        return Tdp(float(configured), "configured")
    entry = _table().get(_key(model))
    if entry is None:
        return Tdp(ASSUMED_WATTS * sockets, f"assumed{_times(sockets)}: the paper's CPU; set costs.tdp_watts")
    name, watts = entry
    return Tdp(watts * sockets, f"table: {name}{_times(sockets)}")


def _times(sockets: int) -> str:
    return f" × {sockets}" if sockets > 1 else ""


@cache
def _table() -> dict[str, tuple[str, float]]:
    text = files("thresher.costs").joinpath("tdp.tsv").read_text(encoding="utf-8")
    rows = (line.split("\t") for line in text.splitlines())
    return {_key(name): (name, float(watts)) for name, watts in rows}


def _key(model: str) -> str:
    """Reduce a CPU's name to what distinguishes models.

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
    """Describe the machine. Never fails: what cannot be determined is `unknown`, 1 socket or 0 cores."""
    model, sockets = _cpu()
    return Machine(
        cpu_model=model,
        sockets=sockets,
        cores=psutil.cpu_count(logical=False) or 0,
        logical_cpus=os.cpu_count() or 0,
        memory_mib=psutil.virtual_memory().total // 2**20,
        platform=platform.platform(),
        python=platform.python_version(),
    )


def parse_cpuinfo(text: str) -> tuple[str, int]:
    """Take the CPU model and the number of sockets from the text of Linux's `/proc/cpuinfo`.

    Returns:
        (model, sockets): an empty model where the text names none (as on ARM); at least one socket.
    """
    fields = [tuple(part.strip() for part in line.split(":", 1)) for line in text.splitlines() if ":" in line]
    models = [value for name, value in fields if name == "model name"]
    sockets = {value for name, value in fields if name == "physical id"}
    return (models[0] if models else ""), max(1, len(sockets))


def _cpu() -> tuple[str, int]:
    model, sockets = "", 1
    if _CPUINFO.is_file():
        model, sockets = parse_cpuinfo(_CPUINFO.read_text(encoding="utf-8", errors="replace"))
    elif platform.system() == "Darwin":
        model = _sysctl("machdep.cpu.brand_string")
    return model or platform.processor() or "unknown", sockets


def _sysctl(name: str) -> str:
    try:
        done = subprocess.run(["sysctl", "-n", name], capture_output=True, text=True, timeout=5, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip()

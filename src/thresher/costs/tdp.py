"""The thermal design power of CPUs, by the name that the operating system gives them."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from thresher.errors import ConfigError

ASSUMED_WATTS = 85.0
"""A socket whose TDP is not known: that of the paper's CPU, the Intel Xeon E5-2630 v4."""


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

    Raises:
        ConfigError: if `configured` is not a positive number.
    """
    if configured is not None:
        if not (math.isfinite(configured) and configured > 0):
            raise ConfigError(f"{configured:g} W is no power", "give a positive number of watts", "costs.tdp_watts")
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

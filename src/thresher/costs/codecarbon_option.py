"""CPU energy by codecarbon, for machines whose energy counters can be read: the extra `codecarbon`."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from thresher.defaults import CARBON_INTENSITY
from thresher.errors import needs_extra


class Co2Reading:
    """What `measured_co2` yields; filled in when its block ends.

    `kwh` is the energy of the CPUs, `grams` the CO2 equivalents (both None if codecarbon had no figure). `method` names
    their source, and begins with `measured` only where codecarbon read the CPU's counters.
    """

    def __init__(self) -> None:
        self.kwh: float | None = None
        self.grams: float | None = None
        self.method = ""


@contextmanager
def measured_co2(watts: float, intensity: float = CARBON_INTENSITY) -> Iterator[Co2Reading]:
    """Let codecarbon watch the machine's CPUs during the block, without network or files.

    Its figure for memory, an assumed constant, is left out: as in Eq. 9, only CPUs count.

    Args:
        watts: TDP of all CPUs of the machine, which codecarbon scales by load where it finds no counters.
        intensity: kg of CO2 equivalents per kWh.

    Raises:
        MissingDependencyError: if codecarbon is not installed.
    """
    tracker = _tracker(require_codecarbon(), watts)
    tracker.start()
    reading = Co2Reading()
    try:
        yield reading
    finally:
        tracker.stop()
    data = getattr(tracker, "final_emissions_data", None)
    if data is None:
        reading.method = "codecarbon gave no figure on this machine"
        return
    reading.kwh = float(data.cpu_energy)
    reading.grams = 1000.0 * reading.kwh * intensity
    reading.method = _method(tracker, str(data.codecarbon_version), watts, intensity)


def require_codecarbon() -> Any:
    """Import codecarbon, which takes seconds.

    Raises:
        MissingDependencyError: if it is not installed.
    """
    with needs_extra("codecarbon", "codecarbon is not installed"):
        return import_module("codecarbon")


def _tracker(codecarbon: Any, watts: float) -> Any:
    logging.getLogger("codecarbon").setLevel(logging.CRITICAL)
    with warnings.catch_warnings():
        # `save_to_file` is deprecated, but the only switch that every release from 3.0 on knows.
        warnings.simplefilter("ignore", DeprecationWarning)
        return codecarbon.OfflineEmissionsTracker(
            country_iso_code="ESP",  # it must have one; only its energy is used
            save_to_file=False,
            log_level="critical",
            tracking_mode="machine",
            measure_power_secs=5,
            force_cpu_power=watts,
            allow_multiple_runs=True,
        )


def cpu_source(tracker: Any) -> str:
    """Return codecarbon's description of how it gets the CPU's power; empty if it gives none.

    No public attribute of a tracker distinguishes counters from load, so this reads a private one. Without it, readings of
    counters would be called estimates.
    """
    return next((str(part) for part in getattr(tracker, "_hardware", ()) if str(part).startswith("CPU")), "")


def _method(tracker: Any, version: str, watts: float, intensity: float) -> str:
    counted = "rapl" in cpu_source(tracker).lower()
    how = "CPU energy counters" if counted else f"CPU load × TDP {watts:g} W"
    return f"{'measured' if counted else 'estimated'}: codecarbon {version}, {how} × {intensity:g} kg/kWh"

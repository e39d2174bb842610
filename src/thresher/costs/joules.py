"""Joules that the machine's counters measure, by the package tirex-tracker (the extra `energy`), beside Eq. 9's estimate."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

_PARTS = ("cpu", "ram", "gpu")


@contextmanager
def counted() -> Iterator[dict[str, float]]:
    """Yield what has, when the block has ended, the joules of the whole machine by part: cpu, ram, gpu.

    It stays empty without the package, and lacks the parts that have no counter, as on virtual machines.
    """
    joules: dict[str, float] = {}
    if find_spec("tirex_tracker") is None:
        yield joules
        return
    import tirex_tracker

    measures = {part: tirex_tracker.Measure[f"{part.upper()}_ENERGY_SYSTEM_JOULES"] for part in _PARTS}
    handle = tirex_tracker.start_tracking([*measures.values()])
    try:
        yield joules
    finally:
        found = tirex_tracker.stop_tracking(handle)
        joules |= parsed({part: found[measure].value for part, measure in measures.items() if measure in found})


def parsed(values: Mapping[str, Any]) -> dict[str, float]:
    """Return joules by part from tirex-tracker's values, JSON in bytes or text; `null` is no measurement, nor is 0."""
    texts = {part: value.decode() if isinstance(value, bytes) else str(value) for part, value in values.items()}
    numbers = {
        part: float(text.strip('"')) for part, text in texts.items() if text.strip('"') not in ("null", "", "None")
    }
    return {part: number for part, number in numbers.items() if number > 0}

"""Joules as tirex-tracker gives them; machines without counters have none."""

from __future__ import annotations

from importlib.util import find_spec

from thresher.base.machine import counted_joules, parse_joules


def test_only_what_was_measured_is_a_number() -> None:
    assert parse_joules({"cpu": b"12.5", "ram": "3", "gpu": b"7e1"}) == {"cpu": 12.5, "ram": 3.0, "gpu": 70.0}
    assert parse_joules({"cpu": b"null", "ram": b"0", "gpu": b""}) == {}


def test_without_the_package_or_a_counter_there_are_none() -> None:
    with counted_joules() as joules:
        assert joules == {}
    assert find_spec("tirex_tracker") or joules == {}
    assert all(number > 0 for number in joules.values())

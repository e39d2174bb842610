from pathlib import Path

import pytest

from thresher.costs.machine import Machine, Rapl, find_rapl, parse_cpuinfo, read_machine

XEON = "model name\t: Intel(R) Xeon(R) CPU E5-2630 v4 @ 2.20GHz"


def cpuinfo(*sockets: int) -> str:
    return "\n\n".join(
        f"processor\t: {number}\n{XEON}\nphysical id\t: {socket}\nflags\t\t: fpu vme"
        for number, socket in enumerate(sockets)
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (cpuinfo(0, 0, 1, 1), ("Intel(R) Xeon(R) CPU E5-2630 v4 @ 2.20GHz", 2)),
        (cpuinfo(0, 0), ("Intel(R) Xeon(R) CPU E5-2630 v4 @ 2.20GHz", 1)),
        ("processor\t: 0\nmodel name\t: AMD EPYC\n", ("AMD EPYC", 1)),
        ("processor\t: 0\nCPU implementer\t: 0x41\n", ("", 1)),
        ("", ("", 1)),
    ],
)
def test_cpuinfo(text, expected):
    assert parse_cpuinfo(text) == expected


def counter(root: Path, name: str) -> Path:
    (root / name).mkdir(parents=True)
    return root / name / "energy_uj"


def test_no_energy_counters(tmp_path):
    assert find_rapl(tmp_path) == find_rapl(tmp_path / "absent") == Rapl(readable=False, path="", fix="")


def test_energy_counters_that_can_be_read(tmp_path):
    for name in ("intel-rapl:1", "intel-rapl:0"):
        counter(tmp_path, name).write_text("123\n")
    first = tmp_path / "intel-rapl:0" / "energy_uj"
    assert find_rapl(tmp_path) == Rapl(readable=True, path=str(first), fix="")


def test_energy_counters_that_cannot_be_read(tmp_path):
    counter(tmp_path, "intel-rapl:0").write_text("123\n")
    closed = counter(tmp_path, "intel-rapl:1")
    closed.mkdir()  # reading it fails, for every user
    assert find_rapl(tmp_path) == Rapl(
        readable=False, path=str(closed), fix=f"sudo chmod a+r {tmp_path}/intel-rapl:*/energy_uj"
    )


def test_this_machine():
    machine = read_machine()
    assert isinstance(machine, Machine)
    assert machine.cpu_model
    assert machine.sockets >= 1
    assert machine.logical_cpus >= 1
    assert machine.memory_mib > 100
    assert machine.platform
    assert machine.python.startswith("3.")

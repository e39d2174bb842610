import pytest

from thresher.base.machine import Machine, parse_cpuinfo, read_machine

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


def test_this_machine():
    machine = read_machine()
    assert isinstance(machine, Machine)
    assert machine.cpu_model
    assert machine.sockets >= 1
    assert machine.logical_cpus >= 1
    assert machine.memory_mib > 100
    assert machine.platform
    assert machine.python.startswith("3.")

import importlib.util
import inspect
import subprocess
import sys

import pytest

from thresher.costs import CARBON_INTENSITY
from thresher.costs.codecarbon_option import _tracker, cpu_source, measured_co2, require_codecarbon
from thresher.errors import MissingDependencyError

needs_codecarbon = pytest.mark.skipif(
    importlib.util.find_spec("codecarbon") is None, reason="the extra `codecarbon` is not installed"
)


def test_without_codecarbon_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "codecarbon", None)
    with pytest.raises(MissingDependencyError) as error, measured_co2(85.0):
        pass
    assert str(error.value) == (
        "codecarbon is not installed. Fix: install the extra: pip install 'thresher[codecarbon]'."
    )


def test_importing_costs_imports_no_codecarbon():
    code = "import sys, thresher.costs; sys.exit('codecarbon' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], timeout=60, check=False).returncode == 0


@needs_codecarbon
def test_a_reading(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    with measured_co2(85.0, intensity=0.5) as reading:
        total = sum(number * number for number in range(3_000_000))
    assert total > 0
    assert reading.kwh is not None
    assert reading.grams is not None
    assert 0 < reading.kwh < 0.01
    assert reading.grams == pytest.approx(500 * reading.kwh)
    assert reading.method.startswith(("measured: codecarbon 3", "estimated: codecarbon 3"))
    assert reading.method.endswith(("CPU energy counters × 0.5 kg/kWh", "CPU load × TDP 85 W × 0.5 kg/kWh"))
    assert list(tmp_path.iterdir()) == []
    assert capfd.readouterr() == ("", "")


@needs_codecarbon
def test_an_error_in_the_block_comes_through():
    with pytest.raises(KeyError), measured_co2(85.0, CARBON_INTENSITY):
        raise KeyError("x")


@needs_codecarbon
def test_codecarbon_still_says_how_it_gets_the_power_of_the_cpu():
    tracker = _tracker(require_codecarbon(), 85.0)
    tracker.start()
    tracker.stop()
    assert cpu_source(tracker).startswith("CPU"), (
        "codecarbon's trackers have no `_hardware` with a CPU any more: `cpu_source` finds nothing, and figures read from "
        "energy counters are reported as `estimated: CPU load × TDP` instead of `measured`"
    )


@needs_codecarbon
@pytest.mark.parametrize(
    ("argument", "without"),
    [
        ("country_iso_code", "it asks the network where the machine is"),
        ("save_to_file", "it writes emissions.csv into the current folder"),
        ("log_level", "it logs to standard error"),
        ("tracking_mode", "it may count this process alone, and not Java"),
        ("measure_power_secs", "its default decides how often the CPU is looked at"),
        ("force_cpu_power", "it takes the TDP from a list of its own, and not the experiment's"),
        ("allow_multiple_runs", "two experiments on one machine refuse each other"),
    ],
)
def test_codecarbon_still_takes_what_keeps_it_quiet_and_exact(argument, without):
    kind = require_codecarbon().OfflineEmissionsTracker
    known = {name for base in kind.__mro__ for name in inspect.signature(base.__init__).parameters}
    assert argument in known, f"codecarbon takes no `{argument}` any more: {without}"


@needs_codecarbon
@pytest.mark.parametrize("field", ["cpu_energy", "codecarbon_version"])
def test_codecarbon_still_gives_the_energy_of_the_cpu(field):
    tracker = _tracker(require_codecarbon(), 85.0)
    tracker.start()
    tracker.stop()
    data = getattr(tracker, "final_emissions_data", None)
    assert data is not None, "trackers have no `final_emissions_data`: every figure of CO2 is missing from the report"
    assert hasattr(data, field), f"emissions data have no `{field}`: `measured_co2` fails when a stage ends"

import math
from importlib.resources import files

import pytest
from messages import Message, assert_names

from thresher.base.errors import ConfigError
from thresher.base.machine import Tdp, find_tdp


@pytest.mark.parametrize(
    ("model", "tdp"),
    [
        ("Intel(R) Xeon(R) CPU E5-2630 v4 @ 2.20GHz", Tdp(85.0, "table: Intel Xeon E5-2630 v4")),
        ("Intel(R) Xeon(R) Gold 5220 CPU @ 2.20GHz", Tdp(125.0, "table: Intel Xeon Gold 5220")),
        ("Intel(R) Xeon(R) Platinum 8480+", Tdp(350.0, "table: Intel Xeon Platinum 8480+")),
        ("Intel(R) Core(TM) i7-9700K CPU @ 3.60GHz", Tdp(95.0, "table: Intel Core i7-9700K")),
        ("11th Gen Intel(R) Core(TM) i7-11700K @ 3.60GHz", Tdp(125.0, "table: Intel Core i7-11700K")),
        ("AMD EPYC 7763 64-Core Processor", Tdp(280.0, "table: AMD EPYC 7763")),
        ("AMD Ryzen 9 5950X 16-Core Processor", Tdp(105.0, "table: AMD Ryzen 9 5950X")),
        ("AMD Ryzen Threadripper 3970X 32-Core Processor", Tdp(280.0, "table: AMD Ryzen Threadripper 3970X")),
        ("AMD Ryzen 7 PRO 4750U with Radeon Graphics", Tdp(15.0, "table: AMD Ryzen 7 PRO 4750U")),
    ],
)
def test_names_as_systems_write_them(model, tdp):
    assert find_tdp(model) == tdp


def test_two_sockets_as_in_the_paper():
    assert find_tdp("Intel(R) Xeon(R) CPU E5-2630 v4 @ 2.20GHz", sockets=2) == Tdp(
        170.0, "table: Intel Xeon E5-2630 v4 × 2"
    )


@pytest.mark.parametrize(
    "model",
    [
        "AMD EPYC",
        "AMD EPYC 7763P 64-Core Processor",
        "Intel(R) Xeon(R) CPU E5-2630 0 @ 2.30GHz",
        "Intel(R) Xeon(R) CPU E5-2630L v4 @ 1.80GHz",
        "Apple M1",
        "unknown",
        "",
    ],
)
def test_other_models_are_assumed_and_say_so(model):
    assert find_tdp(model) == Tdp(85.0, Message("assumed: ", "the paper's CPU", "costs.tdp_watts"))  # type: ignore[arg-type]
    assert find_tdp(model, sockets=2) == Tdp(170.0, Message("assumed × 2", "the paper's CPU", "costs.tdp_watts"))  # type: ignore[arg-type]


def test_configured_watts_win():
    assert find_tdp("AMD EPYC 7763 64-Core Processor", 2, configured=40) == Tdp(40.0, "configured")


@pytest.mark.parametrize("watts", [0.0, -1.0, math.nan, math.inf])
def test_watts_that_are_none(watts):
    with pytest.raises(ConfigError) as error:
        find_tdp("AMD EPYC", configured=watts)
    assert_names(error.value, "costs.tdp_watts: ", f"{watts:g}", "Fix: ", "number of watts")


def test_the_table_holds_each_model_once():
    rows = [line.split("\t") for line in files("thresher.base").joinpath("tdp.tsv").read_text().splitlines()]
    names = [name for name, _ in rows]
    assert len(names) == len(set(names)) == 190
    assert all(find_tdp(name) == Tdp(float(watts), f"table: {name}") for name, watts in rows)
    assert all(5 <= float(watts) <= 500 for _, watts in rows)

"""What a variant costs: wall and CPU seconds, peak memory, CO2, and after how many queries cleaning has paid.

CO2 is Eq. 9 of the PyPlexity paper over wall time and the CPU's TDP.
"""

from thresher.costs.machine import Footprint, Machine, Power, Tdp, find_tdp, footprint, read_machine
from thresher.costs.repeats import (
    BreakEven,
    Interval,
    MeasuredTime,
    Payoff,
    Repeats,
    Stopwatch,
    ThreadClock,
    Times,
    are_narrow,
    break_even,
    compare_times,
    measure_times,
    peak_memory,
)
from thresher.defaults import CARBON_INTENSITY

__all__ = [
    "CARBON_INTENSITY",
    "BreakEven",
    "Footprint",
    "Interval",
    "Machine",
    "MeasuredTime",
    "Payoff",
    "Power",
    "Repeats",
    "Stopwatch",
    "Tdp",
    "ThreadClock",
    "Times",
    "are_narrow",
    "break_even",
    "compare_times",
    "find_tdp",
    "footprint",
    "measure_times",
    "peak_memory",
    "read_machine",
]

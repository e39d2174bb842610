"""Types of numbers: arrays of whole and of real numbers, and a figure with its interval."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Interval:
    """A figure with the bounds of its 95 % interval."""

    value: float
    low: float
    high: float

"""The formats of columns, by the kind of their numbers."""

from __future__ import annotations

from functools import partial

from thresher.reports.formatting import (
    MEASURE_DECIMALS,
    change_text,
    fixed,
    measure_text,
    p_text,
    percent,
    significant_digits,
)
from thresher.reports.number_formats import Format, decimals, fitted, megabytes_text, milliseconds_text, single

TEXT = single(measure_text, "left")
COUNT = decimals(0)
ONE_DECIMAL = decimals(1)
VALUE = decimals(MEASURE_DECIMALS)
RATIO = Format(VALUE.fit, partial(fixed, decimals=3))
FIGURE = single(significant_digits)
"""Three significant digits."""
DIFFERENCE = single(change_text)
PERCENT = single(percent)
"""For shares: 0.4321 is 43.2."""
P = single(p_text)
MEGABYTES = fitted(3, 1e-6, megabytes_text)
"""For bytes, in units of 10⁶."""
SECONDS = fitted(2, 1.0, significant_digits)
MILLISECONDS = fitted(3, 1e3, milliseconds_text)
"""Of seconds."""

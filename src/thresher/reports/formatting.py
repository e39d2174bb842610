"""Numbers and names as text for readers, alike in tables, sentences, plots and the HTML report."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

from thresher.base.defaults import BENJAMINI_HOCHBERG
from thresher.base.errors import escape_controls
from thresher.evaluation.corrections import METHOD_NAMES

if TYPE_CHECKING:
    from thresher.evaluation.significance import Comparison, Direction

MINUS = "\N{MINUS SIGN}"
NOTHING = "\N{EN DASH}"
MEASURE_DECIMALS = 4
SMALLEST_P = 0.0001
MARKS: dict[Direction, str] = {"better": "†+", "worse": f"†{MINUS}", "mixed": "†", "none": ""}


def plain(text: str) -> str:
    """Return `text` on one line without control characters: a name must not control a terminal or break tables. White
    space of any kind becomes one space; other control characters become visible.
    """
    return escape_controls(" ".join(text.split()), None)


def fixed(value: float | None, decimals: int) -> str:
    """Return a number with thousands separators and a true minus sign; an en dash for None and NaN.

    >>> fixed(-1234.5, 1)
    '−1,234.5'
    """
    if value is None or math.isnan(value):
        return NOTHING
    text = f"{value:,.{decimals}f}".replace("inf", "∞")
    if not text.startswith("-"):
        return text
    digits = text[1:]
    if _shows_zero(digits):
        return digits
    return MINUS + digits


def _shows_zero(text: str) -> bool:
    """Return whether a number as text has no digit but 0."""
    return not any(sign in "123456789∞" for sign in text)


def signed(value: float | None, decimals: int) -> str:
    """Return a number with its sign, `+` too; zero has none.

    >>> signed(0.0123, 4)
    '+0.0123'
    """
    text = fixed(value, decimals)
    if value is not None and value > 0 and not _shows_zero(text):
        return f"+{text}"
    return text


def measure_text(value: float | None) -> str:
    """Return a value of a measure."""
    return fixed(value, MEASURE_DECIMALS)


def change_text(value: float | None) -> str:
    """Return a difference of two values of a measure, with its sign."""
    return signed(value, MEASURE_DECIMALS)


def percent(ratio: float | None) -> str:
    """Return a ratio as per cent with one decimal and without the sign: 0.4321 is '43.2'."""
    if ratio is None:
        return NOTHING
    return fixed(100 * ratio, 1)


def decimals_for(values: Iterable[float], digits: int = 3) -> int:
    """Return the decimals (0 to 3) of a column: `digits` for its smallest value, five for its largest."""
    sizes = [abs(value) for value in values if math.isfinite(value) and value != 0]
    if not sizes:
        return 0
    smallest = math.floor(math.log10(min(sizes)))
    largest = math.floor(math.log10(max(sizes)))
    return max(0, min(3, digits - 1 - smallest, 4 - largest))


def significant_digits(value: float, digits: int = 3) -> str:
    """Return a non-negative number with about `digits` significant digits and no exponent.

    >>> significant_digits(0.012345), significant_digits(1234.5)
    ('0.0123', '1,234')
    """
    if not math.isfinite(value) or value == 0:
        return fixed(value, 0)
    exponent = math.floor(math.log10(abs(value)))
    decimals = max(0, min(9, digits - 1 - exponent))
    return fixed(value, decimals)


def rounded_up(value: float) -> float:
    """Return a value rounded up to two decimals."""
    return math.ceil(value * 100) / 100


def marks_text(directions: Iterable[Direction]) -> str:
    """Return the meaning of the marks of differences of these directions."""
    text = f"†+ is significantly better, †{MINUS} significantly worse."
    if "mixed" in directions:
        text += " † alone is significant, but mean and ranks differ in sign."
    return text


def direction(comparison: Comparison | None) -> Direction:
    """Return the direction of a comparison; "none" without a comparison."""
    if comparison is None:
        return "none"
    return comparison.direction


def correction_text(correction: str, over: str) -> str:
    """Return how p is corrected for the number of tests; `over` says over what."""
    if correction not in METHOD_NAMES:
        return "p not corrected for the number of tests"
    text = f"{METHOD_NAMES[correction]} correction over {over}"
    if correction == BENJAMINI_HOCHBERG:
        text += " (false discovery rate)"
    return text


def percent_text(share: float) -> str:
    """Return a share as per cent, without decimals where it has none: 0.05 is '5 %'."""
    return f"{100 * share:.6g} %"


def being(count: int) -> str:
    """Return a count with its verb: 'none is', '1 is', '2 are'."""
    if count == 0:
        return "none is"
    return f"{count} is" if count == 1 else f"{count} are"


def too_few_topics(count: int) -> str:
    """Return a number of topics that is too small: '1 topic is too few', '20 topics are too few'."""
    return "1 topic is too few" if count == 1 else f"{count:,} topics are too few"


def p_text(p: float) -> str:
    """Return a p-value with four decimals, a small one as a bound."""
    if p < SMALLEST_P:
        return f"< {SMALLEST_P}"
    return fixed(p, 4)


def size_mark(is_measured: bool) -> str:
    """Return the prefix of a size: `≈` before an estimate."""
    return "" if is_measured else "≈ "


def megabytes(count: float) -> float:
    """Return bytes as megabytes of 10^6 bytes."""
    return count / 1e6

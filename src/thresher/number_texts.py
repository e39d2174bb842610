"""Numbers as text with all their digits: as canonical names write them, and as people read them."""

from __future__ import annotations

import math


def number_text(value: float) -> str:
    """Return the text of a number in names: it reads back as the same number, and whole ones have no decimals.

    >>> number_text(8000.0), number_text(0.35), number_text(float("inf"))
    ('8000', '0.35', 'inf')
    """
    return str(int(value)) if math.isfinite(value) and value == int(value) else repr(float(value))


def exact_number(value: float) -> str:
    """Return a number with all its decimals and thousands separators.

    >>> exact_number(8412.3), exact_number(12.0)
    ('8,412.3', '12')
    """
    return f"{value:,}".removesuffix(".0").replace("-", "\N{MINUS SIGN}")

"""Numbers as text: in names, in error messages, and with their nouns."""

from __future__ import annotations

import math


def number_text(value: float) -> str:
    """Return the text of a number in names: it reads back as the same number, and whole numbers have no decimals.

    >>> number_text(8000.0), number_text(0.35), number_text(float("inf"))
    ('8000', '0.35', 'inf')
    """
    if math.isfinite(value) and value == int(value):
        return str(int(value))
    return repr(float(value))


def exact_number(value: float) -> str:
    """Return a number with all its decimals and thousands separators.

    >>> exact_number(8412.3), exact_number(12.0)
    ('8,412.3', '12')
    """
    return f"{value:,}".removesuffix(".0").replace("-", "\N{MINUS SIGN}")


def counted(count: int, noun: str) -> str:
    """Return a count with its noun.

    >>> counted(1, "page"), counted(1200, "page")
    ('1 page', '1,200 pages')
    """
    if count == 1:
        return f"1 {noun}"
    return f"{count:,} {noun}s"

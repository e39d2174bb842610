"""Estimated widths of texts that other programs set."""

from __future__ import annotations

import functools

_EMS = {
    0.31: "ijl.,:;!|'",
    0.43: ' frtI()[]{}-`"',
    0.6: "0123456789abcdeghknopqsuvxyz/*_$#?",
    0.86: "ABCDEFGHJKLNOPQRSTUVXYZ+=<>~^&w",
}
_WIDEST = 1.1
"""The width of all other characters."""


def ems(text: str) -> float:
    """Return about the width of a text in ems, rather too much: of Helvetica and Computer Modern the wider counts."""
    return sum(map(_width_of, text))


@functools.cache
def _width_of(sign: str) -> float:
    for width, signs in _EMS.items():
        if sign in signs:
            return width
    return _WIDEST

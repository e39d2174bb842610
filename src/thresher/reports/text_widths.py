"""Estimated widths of texts that other programs set."""

from __future__ import annotations

_EMS = {
    0.31: "ijl.,:;!|'",
    0.43: ' frtI()[]{}-`"',
    0.6: "0123456789abcdeghknopqsuvxyz/*_$#?",
    0.86: "ABCDEFGHJKLNOPQRSTUVXYZ+=<>~^&w",
}
_WIDEST = 1.1
"""Of all other characters."""
_EM = {sign: width for width, signs in _EMS.items() for sign in signs}


def ems(text: str) -> float:
    """Return about the width of a text in ems, rather too much: of Helvetica and Computer Modern the wider counts."""
    return sum(_EM.get(sign, _WIDEST) for sign in text)

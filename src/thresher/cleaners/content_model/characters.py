"""Kinds of characters, in any script, and their numbers in each block."""

from __future__ import annotations

import unicodedata
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.base.numbers import Ints
from thresher.pages.plain import sizes

SPACE, UPPER, LOWER, CASELESS, UNSPACED, DIGIT, STOP, COMMA, COLON, BAR, CURRENCY, BRACKET, OTHER = range(13)
KINDS = 13
# Scripts without spaces between words, by the first word of their characters' names.
_UNSPACED_SCRIPTS = frozenset("CJK HIRAGANA KATAKANA THAI LAO KHMER MYANMAR TIBETAN HALFWIDTH BOPOMOFO".split())
_KIND_BY_CHARACTER = {
    **dict.fromkeys(".!?…。！？।॥۔؟．｡", STOP),
    **dict.fromkeys(",;،、，；؛､", COMMA),
    **dict.fromkeys(":：", COLON),
    **dict.fromkeys("|»«›‹·•>/→©®™", BAR),
}
_KIND_BY_CATEGORY = {
    "Lu": UPPER,
    "Lt": UPPER,
    "Ll": LOWER,
    "Nd": DIGIT,
    "Sc": CURRENCY,
    "Ps": BRACKET,
    "Pe": BRACKET,
    "Zs": SPACE,
    "Cc": SPACE,
}
# The kind of each code point; `KINDS` until it is asked for.
_KINDS = np.full(0x110000, KINDS, dtype=np.uint8)


def kinds_of(text: str) -> npt.NDArray[np.uint8]:
    """Return the kind of each character of a text."""
    if text.isascii():
        codes: npt.NDArray[Any] = np.frombuffer(text.encode(), dtype=np.uint8)
    else:
        codes = np.frombuffer(text.encode("utf-32-le", "replace"), dtype="<u4")
    kinds: npt.NDArray[np.uint8] = _KINDS.take(codes)
    unknown = kinds == KINDS
    if unknown.any():
        for code in set(codes[unknown].tolist()):
            _KINDS[code] = _kind(chr(code))
        kinds = _KINDS.take(codes)
    return kinds


def count_kinds(kinds: npt.NDArray[np.uint8], ends: Ints) -> Ints:
    """Return the number of characters of each kind in each part; shape (KINDS, parts)."""
    parts = np.repeat(np.arange(0, len(ends) * KINDS, KINDS), sizes(ends))
    counts = np.bincount(parts + kinds, minlength=len(ends) * KINDS)
    return counts.reshape(len(ends), KINDS).T


def _kind(character: str) -> int:
    if character in _KIND_BY_CHARACTER:
        return _KIND_BY_CHARACTER[character]
    category = unicodedata.category(character)
    if category in _KIND_BY_CATEGORY:
        return _KIND_BY_CATEGORY[category]
    if not category.startswith("L"):
        return OTHER
    script = unicodedata.name(character, "").partition(" ")[0]
    if script in _UNSPACED_SCRIPTS:
        return UNSPACED
    return CASELESS

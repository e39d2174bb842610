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
_UNSPACED = frozenset("CJK HIRAGANA KATAKANA THAI LAO KHMER MYANMAR TIBETAN HALFWIDTH BOPOMOFO".split())
_STOPS, _COMMAS, _COLONS = ".!?…。！？।॥۔؟．｡", ",;،、，；؛､", ":："
_BARS = "|»«›‹·•>/→©®™"
_CENTURIES = ("19", "20")
# Of each code point, `KINDS` until it is asked for.
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
        for code in {*codes[unknown].tolist()}:
            _KINDS[code] = _kind(chr(code))
        kinds = _KINDS.take(codes)
    return kinds


def count_kinds(kinds: npt.NDArray[np.uint8], ends: Ints) -> Ints:
    """Return the number of characters of each kind in each part; shape (KINDS, parts)."""
    parts = np.repeat(np.arange(0, len(ends) * KINDS, KINDS), sizes(ends))
    counts = np.bincount(parts + kinds, minlength=len(ends) * KINDS)
    return counts.reshape(len(ends), KINDS).T


def dates(text: str, kinds: npt.NDArray[np.uint8]) -> tuple[Ints, Ints]:
    """Return where years (1900 to 2099) begin, and times and short dates, such as 12:30 or 1.2.99; ascending."""
    digits = np.flatnonzero(kinds == DIGIT)
    first = np.flatnonzero(np.diff(digits, prepend=-2) > 1)
    begins, lengths = digits[first], np.diff(first, append=len(digits))
    ends = begins + lengths
    four = begins[lengths == 4]
    years = [at for at in four.tolist() if text[at : at + 2] in _CENTURIES]
    # Numbers of at most two digits, one character before the next number.
    short = np.flatnonzero((lengths[:-1] <= 2) & (begins[1:] - ends[:-1] == 1))
    times = []
    following, next_length = begins.tolist(), lengths.tolist()
    for number in short.tolist():
        mark, second = text[following[number + 1] - 1], next_length[number + 1]
        clock = mark in ":." and second == 2
        more = number + 2 < len(following) and following[number + 2] - following[number + 1] - second == 1
        date = (
            more
            and mark in "./-"
            and second <= 2
            and next_length[number + 2] >= 2
            and text[following[number + 2] - 1] == mark
        )
        if clock or date:
            times.append(following[number])
    return np.array(years, dtype=np.int64), np.array(times, dtype=np.int64)


def _kind(character: str) -> int:
    for characters, kind in ((_STOPS, STOP), (_COMMAS, COMMA), (_COLONS, COLON), (_BARS, BAR)):
        if character in characters:
            return kind
    category = unicodedata.category(character)
    if category[0] == "L":
        if category in ("Lu", "Lt"):
            return UPPER
        if category == "Ll":
            return LOWER
        return UNSPACED if unicodedata.name(character, "").partition(" ")[0] in _UNSPACED else CASELESS
    by_category = {"Nd": DIGIT, "Sc": CURRENCY, "Ps": BRACKET, "Pe": BRACKET, "Zs": SPACE, "Cc": SPACE}
    return by_category.get(category, OTHER)

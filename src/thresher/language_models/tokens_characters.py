"""The tokeniser `characters`: as `words`, but each letter of a script that writes no spaces is a token of its own."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from thresher.language_models.tokens import byte_offsets, cut, in_words, lower_case, tokenise
from thresher.pages.plain import Ints, PlainText, count_by_end

# Where letters of such scripts stand in Unicode: those whose line breaks are no matter of spaces (UAX #14, the classes SA and,
# of its letters, ID).
_SCRIPTS = (
    (0x0E00, 0x0F00),  # Thai, Lao
    (0x1000, 0x10A0),  # Myanmar
    (0x1780, 0x1800),  # Khmer
    (0x1950, 0x19E0),  # Tai Le, New Tai Lue
    (0x1A20, 0x1AB0),  # Tai Tham
    (0x3005, 0x3008),  # iteration mark, closing mark and zero of Han
    (0x3021, 0x3100),  # numerals of Han, Hiragana, Katakana
    (0x3100, 0x3130),  # Bopomofo
    (0x31A0, 0x3200),  # Bopomofo and Katakana, extended
    (0x3400, 0x4DC0),  # Han
    (0x4E00, 0xA4D0),  # Han, Yi
    (0xA9E0, 0xAA00),  # Myanmar
    (0xAA60, 0xAAE0),  # Myanmar, Tai Viet
    (0xF900, 0xFB00),  # Han
    (0xFF66, 0xFFA0),  # Katakana of half the width
    (0x11700, 0x11750),  # Ahom
    (0x1AFF0, 0x1B170),  # Kana
    (0x20000, 0x323B0),  # Han
)
# Combining marks of all scripts, which follow a letter here too.
_MARKS = ((0x0300, 0x0370), (0x1DC0, 0x1E00), (0x20D0, 0x2100), (0xFE00, 0xFE10), (0xFE20, 0xFE30), (0xE0100, 0xE01F0))
_LETTER, _MARK = 1, 2


def tokenise_characters(plain: PlainText, ends: Ints) -> tuple[list[bytes], Ints]:
    """Prepare sentences for a word model of a language that writes no spaces, such as Chinese, Japanese or Thai.

    A letter of Han, kana, Thai, Lao, Khmer, Myanmar and their kin is a token with the combining marks that follow it. All
    else, digits of these scripts included, is as in `words`.

    Args and returns: as `thresher.language_models.tokens.tokenise`.
    """
    if plain.text.isascii():
        return tokenise(plain, ends)
    codes = np.frombuffer(lower_case(plain.text).encode("utf-32-le"), dtype="<u4")
    kinds = _kinds()[codes]
    if not (kinds == _LETTER).any():
        return tokenise(plain, ends)
    inside = in_words(plain)
    is_mark = kinds == _MARK
    base = np.maximum.accumulate(np.where(is_mark, 0, np.arange(len(codes))))
    alone = kinds[base] == _LETTER
    begins = inside.copy()
    begins[1:] &= ~inside[:-1] | (kinds[1:] == _LETTER) | (alone[:-1] & ~is_mark[1:])
    apart = np.flatnonzero(begins[1:] & inside[:-1]) + 1
    spaced = np.insert(np.where(inside, codes, ord(" ")), apart, ord(" "))
    prepared = spaced.astype("<u4").tobytes().decode("utf-32-le").encode()
    counts = count_by_end(np.flatnonzero(begins), ends)
    return cut(prepared, byte_offsets(prepared, ends + np.searchsorted(apart, ends))), counts


@lru_cache(maxsize=1)
def _kinds() -> npt.NDArray[np.uint8]:
    """Return for each code point whether it is a letter of a script without spaces, a combining mark, or neither."""
    table = np.zeros(0x110000, dtype=np.uint8)
    for begin, end in (*_SCRIPTS, *_MARKS):
        table[begin:end] = [_kind(unicodedata.category(chr(code))) for code in range(begin, end)]
    return table


def _kind(category: str) -> int:
    if category[0] == "M":
        return _MARK
    # Numerals such as the zero of Han stand among its letters; decimal digits do not.
    return _LETTER if category[0] == "L" or category == "Nl" else 0

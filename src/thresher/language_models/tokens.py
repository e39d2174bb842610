"""The tokeniser `words`: lower case, punctuation apart."""

from __future__ import annotations

import string

import numpy as np
import numpy.typing as npt

from thresher.pages.plain import APOSTROPHE, LETTER, Ints, PlainText, count_by_end, run_starts

_APART = string.punctuation.replace("'", "") + "".join(map(chr, (*range(32), 127)))
_TABLE = bytes.maketrans(
    (_APART + string.ascii_uppercase).encode(), (" " * len(_APART) + string.ascii_lowercase).encode()
)


def tokenise(plain: PlainText, ends: Ints) -> tuple[list[bytes], Ints]:
    """Prepare sentences for a word model.

    Letters become lower case; every character that is neither letter, digit, combining mark nor apostrophe separates
    words.

    Args:
        plain: the plain form of a text.
        ends: where each of its sentences ends; together they make up the text.

    Returns:
        for each sentence its words as UTF-8 with white space between them, and the number of its words.
    """
    prepared = lower_case(plain.text).encode().translate(_TABLE)
    counts = count_by_end(run_starts(in_words(plain)), ends)
    return cut(prepared, byte_offsets(prepared, ends)), counts


def lower_case(text: str) -> str:
    """Return the lower case of a text, of the same length: one letter's would have another."""
    return text.lower() if text.isascii() else text.replace("İ", "I").lower()


def in_words(plain: PlainText) -> npt.NDArray[np.bool_]:
    """Return for each character whether it is part of a word: letter, digit, combining mark or apostrophe."""
    return (plain.classes & (LETTER | APOSTROPHE)) > 0


def byte_offsets(prepared: bytes, ends: Ints) -> Ints:
    """Return where in UTF-8 the characters begin that have the offsets `ends`, the end of the text included."""
    if prepared.isascii():
        return ends
    is_first_byte = (np.frombuffer(prepared, dtype=np.uint8) & 0xC0) != 0x80
    return np.append(np.flatnonzero(is_first_byte), len(prepared))[ends]


def cut(prepared: bytes, ends: Ints) -> list[bytes]:
    """Cut bytes into the parts that end at `ends`."""
    begin = 0
    parts = []
    for end in ends.tolist():
        parts.append(prepared[begin:end])
        begin = end
    return parts

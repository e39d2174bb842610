"""The tokeniser of word models: lower case, punctuation apart."""

from __future__ import annotations

import string

import numpy as np

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
    text = plain.text
    if text.isascii():
        prepared = text.encode().translate(_TABLE)
        byte_ends = ends
    else:
        # The one letter whose lower case has another length; offsets must stay.
        prepared = text.replace("İ", "I").lower().encode().translate(_TABLE)
        is_first_byte = (np.frombuffer(prepared, dtype=np.uint8) & 0xC0) != 0x80
        byte_ends = np.append(np.flatnonzero(is_first_byte), len(prepared))[ends]
    counts = count_by_end(run_starts((plain.classes & (LETTER | APOSTROPHE)) > 0), ends)
    begin = 0
    sentences = []
    for end in byte_ends.tolist():
        sentences.append(prepared[begin:end])
        begin = end
    return sentences, counts

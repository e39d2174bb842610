"""Text with a class for every character, for word counts, sentence splitting and language models."""

from __future__ import annotations

import string
import unicodedata
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from thresher.base.letters import outside_ascii
from thresher.base.numbers import Ints

Classes = npt.NDArray[np.uint8]

# Bits; a character may have several. A line feed is a space too.
SPACE, LINE_FEED, LETTER, APOSTROPHE, STOP, CLOSER, LOWER = 1, 2, 4, 8, 16, 32, 64
ODD = "\x1f"
# Full stops of other scripts that are followed by a space.
_TRANSLATED = {"’": "'", "…": ".", "।": ".", "॥": ".", "።": ".", "۔": ".", "؟": "?", "՜": "!", "՞": "?"}
# Categories of non-text characters: controls, format characters, private use, unassigned.
_INVALID = frozenset(("Cc", "Cf", "Co", "Cn"))
_REPLACEMENT = "\ufffd"
# With more different odd characters, translating the text is faster than replacing them one by one.
_MANY = 1000


def _table() -> Classes:
    table = np.zeros(256, dtype=np.uint8)
    for characters, bits in (
        (" ", SPACE),
        ("\n", SPACE | LINE_FEED),
        (string.digits + string.ascii_uppercase, LETTER),
        (string.ascii_lowercase, LETTER | LOWER),
        (".!?", STOP),
        ('")]' + ODD, CLOSER),
        ("'", CLOSER | APOSTROPHE),
    ):
        table[list(characters.encode())] = bits
    # Outside ASCII only letters, digits and combining marks remain.
    table[128:] = LETTER
    return table


_TABLE = _table()


@dataclass(frozen=True)
class PlainText:
    """A text whose characters outside ASCII are all letters, digits or combining marks.

    `text` has the length of the original; `classes` one byte a character, of this module's bits.
    """

    text: str
    classes: Classes

    def on_one_line(self) -> PlainText:
        """Return the same text with a space for each line feed."""
        return PlainText(self.text.replace("\n", " "), self.classes & ~np.uint8(LINE_FEED))


def plain_text(text: str, outside: set[str] | None = None) -> PlainText:
    """Return the plain form of a text; `outside`, if known, is a superset of its characters outside ASCII.

    Characters outside ASCII that belong to no word become `ODD`, but a typographic apostrophe becomes `'`, an ellipsis `.`.
    Most pages are then pure ASCII, which is faster to tokenise and score.
    """
    if outside is None:
        outside = outside_ascii(text)
    odd: dict[str, str] = {}
    for character in outside:
        is_of_word = character.isalnum() or unicodedata.category(character)[0] == "M"
        if not is_of_word:
            odd[character] = _TRANSLATED.get(character, ODD)
    if len(odd) > _MANY:
        text = text.translate({ord(character): plain for character, plain in odd.items()})
    else:
        for character, plain in odd.items():
            text = text.replace(character, plain)
    if text.isascii():
        codes = np.frombuffer(text.encode(), dtype=np.uint8)
    else:
        codes = np.minimum(np.frombuffer(text.encode("utf-32-le"), dtype="<u4"), 255).astype(np.uint8)
    return PlainText(text, _TABLE.take(codes))


def run_starts(inside: npt.NDArray[np.bool_]) -> Ints:
    """Return the index at which each run of True begins."""
    return (inside & ~np.concatenate(([False], inside[:-1]))).nonzero()[0]


def word_starts(plain: PlainText, spaces: Ints) -> Ints:
    """Return the offset of each word: white-space tokens with a letter, digit or combining mark.

    Source: Kohlschuetter et al. (2010), section 3, here for any script. The text has one space or line feed between
    words, at the offsets `spaces`, and none at its ends.
    """
    if not plain.text:
        return spaces
    tokens = np.concatenate(([0], spaces + 1))
    return tokens[np.bitwise_or.reduceat(plain.classes, tokens) & LETTER > 0]


def count_by_end(starts: Ints, ends: Ints) -> Ints:
    """Return the number of `starts` in each of the parts that end at `ends`."""
    return sizes(starts.searchsorted(ends))


def sizes(ends: Ints) -> Ints:
    """Return the size of each of the parts that end at `ends`; as `np.diff` from 0, in a quarter of the time."""
    parts = ends.copy()
    parts[1:] -= ends[:-1]
    return parts


def without_invalid(text: str) -> str:
    """Return `text` without non-text characters (NCleaner, section 2, the post-processing step).

    These are controls outside ASCII, invisible format characters, private use, unassigned code points, and U+FFFD. Segments
    stay separated by one line feed each, words by one space.
    """
    invalid: list[str] = []
    for character in outside_ascii(text):
        if character == _REPLACEMENT or unicodedata.category(character) in _INVALID:
            invalid.append(character)
    if not invalid:
        return text
    valid = text.translate(dict.fromkeys(map(ord, invalid)))
    lines = [" ".join(line.split()) for line in valid.split("\n")]
    return "\n".join(lines)

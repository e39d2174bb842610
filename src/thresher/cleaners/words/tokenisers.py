"""Tokenisers by name: `words`, `characters`, `pyplexity` and `pyplexity-trigrams`."""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Callable, Mapping
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from thresher.base.errors import ConfigError
from thresher.base.numbers import Ints
from thresher.pages.plain import APOSTROPHE, LETTER, ODD, PlainText, count_by_end, run_starts

_APART = string.punctuation.replace("'", "") + "".join(map(chr, (*range(32), 127)))
_TABLE = bytes.maketrans(
    (_APART + string.ascii_uppercase).encode(), (" " * len(_APART) + string.ascii_lowercase).encode()
)
# Code points of scripts whose lines break without spaces (UAX #14, the classes SA and, of its letters, ID).
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
_LETTER = 1
_MARK = 2
_DROPPED = 0
_BEGINNING = b",;:"
_ALONE = b"()\"<>='`?!"
_STOP = re.compile(rb"\. \w*")
WORDS = "words"
CHARACTERS = "characters"
PYPLEXITY = "pyplexity"
PYPLEXITY_TRIGRAMS = "pyplexity-trigrams"
NORMALISATIONS: Mapping[str, str] = {
    WORDS: "lower case; anything but letters, digits, combining marks and apostrophes separates words",
    CHARACTERS: "as `words`, but each letter of a script that writes no spaces is a word",
    PYPLEXITY: "PyPlexity's: ASCII only, lower case, punctuation as words",
    PYPLEXITY_TRIGRAMS: "PyPlexity's: ASCII only, lower case, punctuation as words; the last word of a sentence is left out",
}
"""Descriptions for model cards."""


class TokenisedSentences(NamedTuple):
    """The tokens of each sentence in UTF-8, separated by white space, and the number of tokens of each sentence."""

    tokens: list[bytes]
    counts: Ints


Tokeniser = Callable[[PlainText, Ints], TokenisedSentences]
"""Maps the plain form of a text and the ends of its sentences to their tokens."""


def tokenise(plain: PlainText, ends: Ints) -> TokenisedSentences:
    """Split sentences into words: the `Tokeniser` named `words`.

    Letters become lower case; every character that is neither letter, digit, combining mark nor apostrophe separates words.
    """
    prepared = lower_case(plain.text).encode().translate(_TABLE)
    counts = count_by_end(run_starts(in_words(plain)), ends)
    return TokenisedSentences(cut(prepared, byte_offsets(prepared, ends)), counts)


def lower_case(text: str) -> str:
    """Return a text in lower case, of the same length (only `İ` would become longer)."""
    if text.isascii():
        return text.lower()
    return text.replace("İ", "I").lower()


def in_words(plain: PlainText) -> npt.NDArray[np.bool_]:
    """Return which characters are part of a word: letters, digits, combining marks and apostrophes."""
    return (plain.classes & (LETTER | APOSTROPHE)) > 0


def byte_offsets(prepared: bytes, ends: Ints) -> Ints:
    """Turn offsets in characters into offsets in UTF-8."""
    if prepared.isascii():
        return ends
    is_first_byte = (np.frombuffer(prepared, dtype=np.uint8) & 0xC0) != 0x80
    return np.append(is_first_byte.nonzero()[0], len(prepared))[ends]


def cut(prepared: bytes, ends: Ints) -> list[bytes]:
    """Cut bytes without line feeds into the parts that end at `ends`, without the space there if all have one."""
    codes = np.frombuffer(bytearray(prepared), dtype=np.uint8)
    last = ends[:-1] - 1
    if len(ends) and (codes[last] == ord(" ")).all():
        codes[last] = ord("\n")
        return codes.tobytes().split(b"\n")
    return [prepared[begin:end] for begin, end in pairwise([0, *ends.tolist()])]


def tokenise_characters(plain: PlainText, ends: Ints) -> TokenisedSentences:
    """Split sentences into words, and letters of scripts without spaces: the `Tokeniser` named `characters`.

    A letter of Han, kana, Thai, Lao, Khmer, Myanmar and related scripts forms a token with the combining marks after it.
    Everything else, including digits of these scripts, is as in `words`.
    """
    if plain.text.isascii():
        return tokenise(plain, ends)
    codes = np.frombuffer(lower_case(plain.text).encode("utf-32-le"), dtype="<u4")
    kinds = _kinds()[codes]
    if not (kinds == _LETTER).any():
        return tokenise(plain, ends)
    in_word = in_words(plain)
    is_mark = kinds == _MARK
    # A combining mark belongs to the character before it and its marks.
    characters = np.maximum.accumulate(np.where(is_mark, 0, np.arange(len(codes))))
    in_letter = kinds[characters] == _LETTER
    # A token begins behind a separator, with each letter of these scripts, and behind such a letter with its marks.
    begins = in_word.copy()
    begins[1:] &= ~in_word[:-1] | (kinds[1:] == _LETTER) | (in_letter[:-1] & ~is_mark[1:])
    # Tokens without a separator between them get a space.
    joints = (begins[1:] & in_word[:-1]).nonzero()[0] + 1
    spaced = np.insert(np.where(in_word, codes, ord(" ")), joints, ord(" "))
    prepared = spaced.astype("<u4").tobytes().decode("utf-32-le").encode()
    ends_in_spaced = ends + joints.searchsorted(ends)
    tokens = cut(prepared, byte_offsets(prepared, ends_in_spaced))
    return TokenisedSentences(tokens, count_by_end(begins.nonzero()[0], ends))


@lru_cache(maxsize=1)
def _kinds() -> npt.NDArray[np.uint8]:
    """Return for each code point `_LETTER` for a letter of a script without spaces, `_MARK` for a combining mark, else 0."""
    table = np.zeros(0x110000, dtype=np.uint8)
    for begin, end in _SCRIPTS + _MARKS:
        table[begin:end] = [_kind(unicodedata.category(chr(code))) for code in range(begin, end)]
    return table


def _kind(category: str) -> int:
    if category[0] == "M":
        return _MARK
    # Numerals such as the zero of Han are in the ranges of letters; decimal digits are not.
    if category[0] == "L" or category == "Nl":
        return _LETTER
    return 0


def _pyplexity_signs() -> npt.NDArray[np.uint8]:
    """Return PyPlexity's mapping of characters: lower-case ASCII, spaces for controls, `_DROPPED` outside ASCII."""
    table = np.zeros(256, dtype=np.uint8)
    table[:128] = np.frombuffer(bytes(range(128)).lower(), dtype=np.uint8)
    table[:32] = ord(" ")
    table[127] = ord(" ")
    table[ord(ODD)] = _DROPPED
    return table


_PYPLEXITY_SIGNS = _pyplexity_signs()


def tokenise_pyplexity(plain: PlainText, ends: Ints) -> TokenisedSentences:
    """Split sentences as PyPlexity does: the `Tokeniser` named `pyplexity`."""
    prepared = _prepare(plain, ends)
    tokens = prepared.sentences.split(b"\n")[:-1]
    return TokenisedSentences(tokens, count_by_end(prepared.starts, prepared.line_feeds))


def tokenise_pyplexity_trigrams(plain: PlainText, ends: Ints) -> TokenisedSentences:
    """Split sentences as PyPlexity does for trigrams: the `Tokeniser` named `pyplexity-trigrams`.

    PyPlexity adds up n - 1 terms for n tokens, and divides by n: a sentence's last token is counted but not returned.
    """
    prepared = _prepare(plain, ends)
    counts = count_by_end(prepared.starts, prepared.line_feeds)
    begins = np.append(0, prepared.line_feeds)[:-1]
    last = np.append(prepared.starts, 0)[prepared.starts.searchsorted(prepared.line_feeds) - 1]
    stops = np.where(counts > 0, last, begins)
    tokens: list[bytes] = []
    for begin, stop in zip(begins.tolist(), stops.tolist(), strict=True):
        tokens.append(prepared.sentences[begin:stop])
    return TokenisedSentences(tokens, counts)


class _Prepared(NamedTuple):
    """Sentences as bytes.

    Attributes:
        sentences: the tokens, with spaces between them; a line feed ends each sentence.
        line_feeds: the offsets of the line feeds.
        starts: the offsets at which tokens begin.
    """

    sentences: bytes
    line_feeds: Ints
    starts: Ints


def _prepare(plain: PlainText, ends: Ints) -> _Prepared:
    text = plain.text
    if text.isascii():
        codes = np.frombuffer(text.encode(), dtype=np.uint8)
    else:
        codes = np.minimum(np.frombuffer(text.encode("utf-32-le"), dtype="<u4"), 255).astype(np.uint8)
    signs = _PYPLEXITY_SIGNS[codes]
    is_kept = signs != _DROPPED
    kept_before = np.concatenate(([0], is_kept.cumsum()))
    page = np.insert(signs[is_kept], kept_before[ends], ord("\n")).tobytes()
    for sign in _BEGINNING:
        page = page.replace(b"%c" % sign, b" %c" % sign)
    page = _STOP.sub(b" . ", page).replace(b".\n", b" .\n")
    for sign in _ALONE:
        page = page.replace(b"%c" % sign, b" %c " % sign)
    signs = np.frombuffer(page, dtype=np.uint8)
    return _Prepared(page, (signs == ord("\n")).nonzero()[0], run_starts(signs > ord(" ")))


TOKENISERS: Mapping[str, Tokeniser] = {
    WORDS: tokenise,
    CHARACTERS: tokenise_characters,
    PYPLEXITY: tokenise_pyplexity,
    PYPLEXITY_TRIGRAMS: tokenise_pyplexity_trigrams,
}


def tokeniser(name: str, where: str) -> Tokeniser:
    """Return the tokeniser of that name; `where` is named in the error if there is none."""
    if name not in TOKENISERS:
        raise ConfigError(f"unknown tokeniser {name!r}", f"use one of {', '.join(TOKENISERS)}", where)
    return TOKENISERS[name]

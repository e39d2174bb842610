"""Texts of titles and links: what makes two of them one, how long they are, and which are no words at all."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from http import HTTPStatus

LEAST, MOST = 4, 24
"""The least and the most that a text may weigh, without its stop words: see `weight`."""

# Han, kana, Thai, Lao, Burmese and Khmer, whose words stand without spaces between them.
_UNSPACED = (
    (0x0E00, 0x0EFF),
    (0x1000, 0x109F),
    (0x1780, 0x17FF),
    (0x3040, 0x30FF),
    (0x31F0, 0x31FF),
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x3FFFF),
)
_URL = re.compile(r"(?:[a-z][a-z0-9+.-]*://|www\.|mailto:)\S*", re.IGNORECASE)
_NUMBER = re.compile(r"\d{3}")
_REASONS = {str(int(status)): status.phrase.casefold() for status in HTTPStatus if status >= HTTPStatus.BAD_REQUEST}


class _Units(dict[int, str]):
    """Maps characters for `str.translate`: spaces for what is neither letter, digit nor mark, and around unspaced letters."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        kind = unicodedata.category(character)
        if kind == "Cf":  # joiners and soft hyphens, which stand within words
            self[code] = ""
        elif kind[0] in "PSZC":
            self[code] = " "
        else:
            self[code] = f" {character}" if kind[0] != "M" and is_unspaced(character) else character
        return self[code]


_UNITS = _Units()


def is_unspaced(character: str) -> bool:
    """Return whether a character is of a script that puts no spaces between words."""
    code = ord(character)
    return code >= 0x0E00 and any(low <= code <= high for low, high in _UNSPACED)


def units(text: str) -> list[str]:
    """Return the words of a text, or the characters where words are not spaced; case, width and punctuation don't count.

    >>> units("What’s new – in C++?"), units("全文検索")
    (['what', 's', 'new', 'in', 'c'], ['全', '文', '検', '索'])
    """
    return unicodedata.normalize("NFKC", text).casefold().translate(_UNITS).split()


def weight(words: list[str], stop_words: frozenset[str]) -> tuple[int, int]:
    """Return how much the words of a text weigh, without stop words, in two ways: for the least, and for the most.

    For the least each word has its letters, and what is not spaced two a character; for the most each word is two, what is not
    spaced one a character.
    """
    least = most = 0
    for word in words:
        if word not in stop_words:
            unspaced = is_unspaced(word[0])
            least += 2 if unspaced else len(word)
            most += 1 if unspaced else 2
    return least, most


def text_hash(words: list[str]) -> int:
    """Return a number for a text that all spellings of it share: unsigned, 64 bits."""
    text = " ".join(words).encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest())


def is_url(text: str, target: str) -> bool:
    """Return whether the text of a link is an address: one with its scheme or `www.`, or `target`, as people write it."""
    return bool(_URL.fullmatch(text)) or text.strip("/").lower() == target


def is_error(words: list[str]) -> bool:
    """Return whether a title is that of an error page: an HTTP status from 400 on with its reason or `error`, or a reason.

    >>> is_error(units("404 - Page Not Found")), is_error(units("Error 500")), is_error(units("500 days of summer"))
    (True, True, False)
    """
    text = " ".join(words)
    if text in _REASONS.values() or text == "page not found":
        return True
    codes = [word for word in words if _NUMBER.fullmatch(word) and word in _REASONS]
    return any("error" in words or _REASONS[code].replace("-", " ") in text for code in codes)

"""Texts of titles and links: their normal form, their length, error pages, and the boilerplate in a site's titles."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from http import HTTPStatus

LEAST, MOST = 4, 24
"""Bounds on the `weight` of a text, without its stop words."""
FEWEST_TITLES = 3

# What separates the parts of a title.
_SEPARATORS = " -‐‑‒–—―|¦:·•»«›‹>/_~,;、｜：／－"
# Han, kana, Thai, Lao, Burmese and Khmer, which put no spaces between words.
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
    """Maps characters for `str.translate`: to a space what is not a letter, digit or mark; unspaced letters get one before."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        kind = unicodedata.category(character)
        if kind == "Cf":  # joiners and soft hyphens, which occur within words
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
    """Split a text into words, or characters where words are not spaced, ignoring case, width and punctuation.

    >>> units("What’s new – in C++?"), units("全文検索")
    (['what', 's', 'new', 'in', 'c'], ['全', '文', '検', '索'])
    """
    return unicodedata.normalize("NFKC", text).casefold().translate(_UNITS).split()


def weight(words: list[str], stop_words: frozenset[str]) -> tuple[int, int]:
    """Return two lengths of a text without stop words, to compare with `LEAST` and with `MOST`.

    In the first a word counts its letters, an unspaced character 2; in the second a word counts 2, an unspaced character 1.
    """
    least = most = 0
    for word in words:
        if word not in stop_words:
            unspaced = is_unspaced(word[0])
            least += 2 if unspaced else len(word)
            most += 1 if unspaced else 2
    return least, most


def hashed(text: str) -> int:
    """Return an unsigned 64-bit hash."""
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest())


def text_hash(words: list[str]) -> int:
    """Return the hash of a text in its normal form."""
    return hashed(" ".join(words))


def is_url(text: str, target: str) -> bool:
    """Return whether an anchor text is an address: one with a scheme or `www.`, or `target` as people write it."""
    return bool(_URL.fullmatch(text)) or text.strip("/").lower() == target


def is_error(words: list[str]) -> bool:
    """Return whether a title is an error page's: an HTTP status from 400 on with its reason or `error`, or a reason alone.

    >>> is_error(units("404 - Page Not Found")), is_error(units("Error 500")), is_error(units("500 days of summer"))
    (True, True, False)
    """
    text = " ".join(words)
    if text in _REASONS.values() or text == "page not found":
        return True
    codes = [word for word in words if _NUMBER.fullmatch(word) and word in _REASONS]
    return any("error" in words or _REASONS[code].replace("-", " ") in text for code in codes)


@dataclass(frozen=True)
class Boilerplate:
    """The prefix and suffix of more than half of a site's titles, and of at least `FEWEST_TITLES`."""

    prefix: str
    suffix: str

    def cut(self, title: str) -> str:
        """Remove as much of the prefix and suffix as a title has, with the separators next to them.

        >>> Boilerplate("Python: module ", "").cut("Python: package json")
        'package json'
        """
        end = len(title) - _boundary(title[::-1], _common(title[::-1], self.suffix[::-1]))
        rest = title[:end].rstrip(_SEPARATORS) if end < len(title) else title
        begin = _boundary(rest, _common(rest, self.prefix))
        return rest[begin:].lstrip(_SEPARATORS) if begin else rest


def title_boilerplate(titles: Collection[str]) -> Boilerplate:
    """Find the boilerplate in a site's titles, such as its name, in whole words. Equal titles count once."""
    different = sorted(set(titles))
    return Boilerplate(_shared(different), _shared([title[::-1] for title in different])[::-1])


def _shared(titles: list[str]) -> str:
    """Return the longest prefix of enough titles that ends between two words."""
    need = max(len(titles) // 2 + 1, FEWEST_TITLES)
    shared: list[str] = []
    holders = titles
    while True:
        depth = len(shared)
        heads = Counter(title[depth] for title in holders if len(title) > depth)
        head, count = heads.most_common(1)[0] if heads else ("", 0)
        if count < need:
            break
        shared.append(head)
        holders = [title for title in holders if len(title) > depth and title[depth] == head]
    text = "".join(shared)
    # At least one title must have a word boundary there.
    return text[: max(_boundary(title, len(text)) for title in holders)] if text else ""


def _common(title: str, affix: str) -> int:
    """Return the length of the common prefix of a title and an affix."""
    pairs = enumerate(zip(title, affix, strict=False))
    return next((index for index, (one, other) in pairs if one != other), min(len(title), len(affix)))


def _boundary(text: str, offset: int) -> int:
    """Return the last offset up to `offset` that is not within a word of `text`."""
    while 0 < offset < len(text) and all(map(_is_spaced_letter, text[offset - 1 : offset + 1])):
        offset -= 1
    return offset


def _is_spaced_letter(character: str) -> bool:
    return unicodedata.category(character)[0] in "LMN" and not is_unspaced(character)

"""One spelling of each word: composed letters, no invisible characters.

Lucene's StandardTokenizer keeps an invisible character in its word (UAX #29, rule WB4), so that a word with a soft hyphen
matches no query. ICU removes it (NFKC_Casefold leaves out Default_Ignorable_Code_Point). So does `readable`, for pages,
documents, topics and titles alike, except for characters that carry meaning in their place:

- joiners (U+200C, U+200D) after letters and marks of scripts whose letters join, such as Persian and Devanagari (RFC 5892,
  appendix A), and U+200D after emoji;
- U+200B after letters of Thai, Lao, Khmer and Myanmar, where it parts words (UAX #14, class ZW);
- variation selectors after signs, such as emoji, and Mongolian ones after Mongolian letters;
- tags after a black flag, as in the flags of regions (UTS #51).

Letters and their marks are composed (NFC, UAX #15). Tags are left as they are, and so are ids and addresses.
"""

from __future__ import annotations

import re
import unicodedata
from html import unescape

_ASCII = bytes(range(128))
_VARIATIONS = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
_MONGOLIAN_VARIATIONS = "\u180b-\u180f"
_TAGS = "\U000e0020-\U000e007f"
# Fillers of Hangul, vowels of Khmer that are not written, marks of shorthand and of music, then reserved code points.
_RARE = (
    "\u115f\u1160\u17b4\u17b5\u3164\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_INVISIBLE = (
    rf"\u00ad\u034f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff{_MONGOLIAN_VARIATIONS}{_VARIATIONS}{_RARE}"
)
_RUN = re.compile(f"[{_INVISIBLE}]+")
_ANY_INVISIBLE = re.compile(f"[{_INVISIBLE}]")
_VARIATION = re.compile(f"[{_VARIATIONS}]")
_MONGOLIAN_VARIATION = re.compile(f"[{_MONGOLIAN_VARIATIONS}]")
_REGION_TAG = re.compile(f"[{_TAGS}]")
# Blocks of Unicode: Arabic to Sinhala, Tibetan and Myanmar, Khmer and Mongolian, Limbu to Vedic, Syloti Nagri to Meetei Mayek,
# Arabic forms, and scripts of the same families beyond.
_JOINING = re.compile(
    "[\u0600-\u0dff\u0f00-\u109f\u1780-\u18af\u1900-\u1cff\ua800-\uabff\ufb50-\ufdff\ufe70-\ufefc\U00010a00-\U00011fff]"
)
# Thai and Lao, Myanmar, Khmer.
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u19e0-\u19ff\uaa60-\uaa7f]")
_MONGOLIAN = re.compile("[\u1800-\u18af]")
_ZERO_WIDTH_SPACE, _NON_JOINER, _JOINER = "\u200b\u200c\u200d"
_EMOJI_KINDS = ("So", "Sk")
_BLACK_FLAG = "\U0001f3f4"
# Vowels and final consonants of decomposed Hangul, which are letters.
_HANGUL = re.compile("[\u1161-\u11ff]")
_TAG = re.compile(b"(<[a-zA-Z/!?][^>]*>)")
# References by number, and invisible characters by name. Only the name `shy` needs no semicolon (HTML standard, 13.5).
_REFERENCE = re.compile(
    rb"&(?:#(?:[xX][0-9a-fA-F]{1,8}|[0-9]{1,8});?|shy;?|(?:zwn?j|[lr]lm|NoBreak|ZeroWidthSpace|Negative[A-Z][a-z]+Space"
    rb"|ApplyFunction|af|InvisibleTimes|it|InvisibleComma|ic);)"
)


def outside_ascii(text: str | bytes) -> set[str]:
    """Return the characters of a text, in UTF-8 if it is bytes, that are not ASCII."""
    if text.isascii():
        return set()
    utf8 = text.encode() if isinstance(text, str) else text
    return set(utf8.translate(None, _ASCII).decode())


def readable(text: str) -> str:
    """Return a text with one spelling of each word; see this module.

    >>> readable("Fa\\u0308hr\\u00adhafen") == "F\\u00e4hrhafen"
    True
    """
    if text.isascii() or not _has_variants(outside_ascii(text)):
        return text
    return _respelled(text)


def other_forms(id: str) -> list[str]:
    """Return the spellings of an id in NFC and NFD that differ from it: file systems and people choose either."""
    if id.isascii():
        return []
    forms = [unicodedata.normalize("NFC", id), unicodedata.normalize("NFD", id)]
    return [form for form in forms if form != id]


def readable_html(utf8: bytes) -> bytes:
    """Return a page in UTF-8 with one spelling of each word, also of words with references; tags stay as they are."""
    characters = {reference: _character(reference) for reference in set(_REFERENCE.findall(utf8))}
    if _has_variants(set(characters.values())):
        utf8 = _REFERENCE.sub(lambda match: _unless_markup(match[0], characters[match[0]]), utf8)
    elif not _has_variants(outside_ascii(utf8)):
        return utf8
    pieces = _TAG.split(utf8)
    for number in range(0, len(pieces), 2):
        if not pieces[number].isascii():
            pieces[number] = _respelled(pieces[number].decode()).encode()
    return b"".join(pieces)


def _respelled(text: str) -> str:
    return unicodedata.normalize("NFC", _RUN.sub(_with_meaning, text))


def _character(reference: bytes) -> str:
    """Return the character of a reference; empty for a character that no text has, such as a lone surrogate."""
    return unescape(reference.decode()).encode("utf-8", "ignore").decode()


def _unless_markup(reference: bytes, character: str) -> bytes:
    """Return a character in UTF-8; its reference if the character might be read as part of a tag or another reference."""
    if character.isascii() and not character.isalnum():
        return reference
    return character.encode()


def _has_variants(characters: set[str]) -> bool:
    """Return whether some of the characters are invisible, or parts or variants of letters."""
    return any(map(_is_variant, characters))


def _is_variant(character: str) -> bool:
    if not character or character.isascii():
        return False
    is_mark = unicodedata.category(character)[0] == "M"
    return (
        is_mark
        or _ANY_INVISIBLE.match(character) is not None
        or _HANGUL.match(character) is not None
        or not unicodedata.is_normalized("NFC", character)
    )


def _with_meaning(run: re.Match[str]) -> str:
    """Return the characters of an invisible run that carry meaning after the character before the run."""
    before = run.string[max(run.start() - 1, 0) : run.start()]
    return "".join(character for character in run[0] if _means_something(before, character))


def _means_something(before: str, character: str) -> bool:
    """Return whether an invisible character carries meaning after another one."""
    if not before or before.isspace():
        return False
    kind = unicodedata.category(before)
    if character == _ZERO_WIDTH_SPACE:
        return _UNSPACED.match(before) is not None
    if character in (_NON_JOINER, _JOINER):
        return _JOINING.match(before) is not None or (character == _JOINER and kind in _EMOJI_KINDS)
    if _MONGOLIAN_VARIATION.match(character):
        return _MONGOLIAN.match(before) is not None
    if _REGION_TAG.match(character):
        return before == _BLACK_FLAG
    return _VARIATION.match(character) is not None and kind[0] == "S"

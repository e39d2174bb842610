"""The encodings of the web: labels and decoders of the WHATWG Encoding standard.

Python's codecs do most of the work. This module adds the characters that browsers decode and Python's codecs lack.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from typing import Literal

REPLACEMENT = "\ufffd"

_TABLE = files("thresher.pages").joinpath("encodings.tsv").read_text(encoding="utf-8")
_ROWS = [line.split("\t") for line in _TABLE.splitlines()]
# The encoding that browsers use for the labels of a Python encoding; and labels of the standard that are unknown to Python.
_BROWSER = {name: used for name, used, _ in _ROWS}
_ALIASES = {label: name for name, _, labels in _ROWS for label in labels.split()}
_SINGLE_BYTE = re.compile(r"(cp(125\d|874|866)|iso8859-\d+|koi8-[ru]|mac-(roman|cyrillic)|ptcp154)$")
_MULTI_BYTE = re.compile(r"(utf-(8|16-[lb]e)|cp(932|949)|gb18030|big5hkscs|euc_jp|iso2022_jp)$")

# Single bytes that mean other characters to browsers than to Python.
_OTHER_CHARACTERS = {"koi8-u": {0xAE: "ў", 0xBE: "Ў"}, "cp1255": {0xCA: "\u05ba"}}
_C1 = range(0x80, 0xA0)
# The sign of `codecs.charmap_decode` for a byte without a character.
_UNDEFINED = "\ufffe"

# Python's characters, which are for private use or only look like the right ones; and browsers' characters instead.
_OTHER_SIGNS = {
    "gb18030": (
        "\ue5e5\ue78d\ue78e\ue78f\ue790\ue791\ue792\ue793\ue794\ue795"
        "\ue796\ue7c7\ue81e\ue826\ue82b\ue82c\ue832\ue843\ue854\ue864",
        "\u3000\ufe10\ufe12\ufe11\ufe13\ufe14\ufe15\ufe16\ufe17\ufe18"
        "\ufe19\u1e3f\u9fb4\u9fb5\u9fb6\u9fb7\u9fb8\u9fb9\u9fba\u9fbb",
    ),
    "euc_jp": ("〜‖−¢£¬", "～∥－￠￡￢"),
}
# Python's characters for the bytes A0, FD, FE and FF, which are undefined in browsers.
_CP932_UNDEFINED = re.compile("[\uf8f0-\uf8f3]")
_HANDLER = "thresher-{}-{}"

# Each invalid byte costs a call of a function. A page with more invalid bytes is not in the encoding anyway.
_MOST_INVALID = 1 << 14

# ISO-2022-JP: ASCII, JIS X 0201 (Latin letters, read as ASCII, and katakana), JIS X 0208 of 1978 and of 1983. None of
# these sets has bytes above 0x7F, so bytes above 0x7F become a byte that EUC-JP does not have.
_ESCAPE = re.compile(rb"\x1b(\([BJI]|\$[@B])")
_KATAKANA = b"(I"
_SINGLE_SHIFT = b"\x8e"
_LOW = bytes(min(byte, 0x80) for byte in range(256)).replace(b"\x80", b"\xff")
_HIGH = bytes(byte + 0x80 if 0x21 <= byte <= 0x7E else _LOW[byte] for byte in range(256))
_LETTER = re.compile(rb"[\xa1-\xfe]")

Errors = Literal["replace", "ignore"]
_REPLACEMENTS: dict[Errors, str] = {"replace": REPLACEMENT, "ignore": ""}


def codec_of(label: str) -> str | None:
    """Return the Python codec that browsers use for the charset `label`, or None for an unknown label."""
    label = label.strip().lower()
    try:
        name = codecs.lookup(_ALIASES.get(label, label)).name
    except (LookupError, ValueError):
        return None
    name = _BROWSER.get(name, name)
    if _SINGLE_BYTE.match(name) or _MULTI_BYTE.match(name):
        return name
    return None


def to_text(content: bytes, codec: str, errors: Errors = "replace") -> str:
    """Decode bytes as browsers do; `codec` is a result of `codec_of`."""
    if _SINGLE_BYTE.match(codec):
        return codecs.charmap_decode(content, errors, _characters(codec))[0]
    if codec == "iso2022_jp":
        return to_text(_as_euc_jp(content), "euc_jp", errors)
    if codec in _OTHER_SIGNS:
        return _with_extras(content, codec, errors)
    if codec == "cp932":
        return _CP932_UNDEFINED.sub(_REPLACEMENTS[errors], content.decode(codec, errors))
    return content.decode(codec, errors)


@cache
def _characters(codec: str) -> str:
    """Return the characters of the 256 bytes of an encoding; a windows encoding maps bytes without a character to C1."""
    irregular = _OTHER_CHARACTERS.get(codec, {})
    characters = []
    for byte in range(256):
        character = irregular.get(byte) or bytes([byte]).decode(codec, "replace")
        if character == REPLACEMENT and byte in _C1:
            character = chr(byte)
        elif character == REPLACEMENT:
            character = _UNDEFINED
        characters.append(character)
    return "".join(characters)


def _with_extras(content: bytes, codec: str, errors: Errors) -> str:
    """Decode bytes with the characters that Python's codec lacks."""
    text = content.decode(codec, "replace")
    invalid = text.count(REPLACEMENT)
    if invalid:
        handler = errors if invalid > _MOST_INVALID else _HANDLER.format(codec, errors)
        text = content.decode(codec, handler)
    # In a loop, as `translate` takes ten times as long as decoding.
    python_signs, browser_signs = _OTHER_SIGNS[codec]
    for of_python, of_browsers in zip(python_signs, browser_signs, strict=True):
        text = text.replace(of_python, of_browsers)
    return text


def _as_euc_jp(content: bytes) -> bytes:
    """Return ISO-2022-JP as EUC-JP, which has the pairs of bytes of JIS X 0208 with their first bits set."""
    parts = _ESCAPE.split(content)
    pieces = [parts[0].translate(_LOW)]
    for escape, piece in zip(parts[1::2], parts[2::2], strict=True):
        if escape.startswith(b"$"):
            pieces.append(piece.translate(_HIGH))
        elif escape == _KATAKANA:
            pieces.append(_LETTER.sub(_SINGLE_SHIFT + rb"\g<0>", piece.translate(_HIGH)))
        else:
            pieces.append(piece.translate(_LOW))
    return b"".join(pieces)


def _gb18030_extra(invalid: bytes) -> tuple[str, int]:
    """Return a character that Python's gb18030 lacks, and its size in bytes; an empty string if there is none."""
    if invalid[:1] == b"\x80":
        return "€", 1
    return "", 1


def _euc_jp_extra(invalid: bytes) -> tuple[str, int]:
    """Return a character of NEC or IBM that Python's euc_jp lacks and its cp932 has, and its size; an empty string if none."""
    if len(invalid) < 2 or not 0xA1 <= min(invalid) <= max(invalid) <= 0xFE:
        return "", 1
    row = invalid[0] - 0xA0
    cell = invalid[1] - 0xA0
    # From rows and cells to Shift_JIS: JIS X 0208, appendix 1.
    first = (row + 1) // 2 + 0x80
    if row >= 63:
        first += 0x40
    second = cell + 0x9E
    if row % 2:
        second = cell + 0x3F
        if cell >= 64:
            second += 1
    character = bytes([first, second]).decode("cp932", "replace")
    if len(character) == 1 and character != REPLACEMENT:
        return character, 2
    return "", 1


def _register(codec: str, extra: Callable[[bytes], tuple[str, int]]) -> None:
    """Register error handlers of a codec that replace or ignore only the bytes that browsers replace."""
    for errors, replacement in _REPLACEMENTS.items():

        def handle(error: UnicodeError, replacement: str = replacement) -> tuple[str, int]:
            if not isinstance(error, UnicodeDecodeError):
                raise error
            character, size = extra(error.object[error.start : error.start + 2])
            if character:
                return character, error.start + size
            return replacement, error.end

        codecs.register_error(_HANDLER.format(codec, errors), handle)


_register("gb18030", _gb18030_extra)
_register("euc_jp", _euc_jp_extra)

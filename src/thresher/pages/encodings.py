"""The encodings of the web: labels, decoders, and the encoding that a page declares.

Python's codecs do most of the work. This module adds the characters that browsers decode and Python's codecs lack. The prescan
of the HTML standard finds declarations; two searches go further.

Sources: the WHATWG Encoding standard; HTML standard, 13.2.3.2, "prescan a byte stream to determine its encoding".
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator
from functools import cache
from importlib.resources import files
from typing import Literal, NamedTuple

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

# Declarations in pages.
_PRESCAN = 1024
_UTF16_XML = {b"<\0?\0x\0": "utf-16-le", b"\0<\0?\0x": "utf-16-be"}
_XML = re.compile(rb"""\s*<\?xml\b[^>]*?\bencoding\s*=\s*["']\s*([A-Za-z0-9_.:-]+)""")
_VALUE = rb"""(?:"([^"]*)"|'([^']*)'|([^\s>]*))"""
_ATTRIBUTE = re.compile(rb"""[\s/]*([^\s/>][^\s/>=]*)(?:\s*=\s*""" + _VALUE + rb")?")
# The repetition does not backtrack: a page of quotation marks takes no longer than others.
_ATTRIBUTES = rb"""((?:[^>"'=]|=\s*(?:"[^"]*"|'[^']*')|["'=])*+)"""
# Each alternative also matches up to the end, so that unclosed markup is read once.
_MARKUP = re.compile(
    rb"<!--(?:-?>|.*?(?:-->|\Z))|<meta(?=[\s/])" + _ATTRIBUTES + rb">"
    rb"|</?[a-zA-Z][^\s>/]*+" + _ATTRIBUTES + rb"(?:>|\Z)|<[!/?][^>]*",
    re.IGNORECASE | re.DOTALL,
)
_CHARSET = re.compile(rb"""charset\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s;"'][^\s;]*))""", re.IGNORECASE)
# Text of these elements is no markup.
_TEXTS = re.compile(rb"<(script|style|title|textarea)\b.*?(?:</\1|\Z)", re.IGNORECASE | re.DOTALL)
_ANY_META = re.compile(rb"""<meta\b[^<>]*?(?<![\w-])charset\s*=\s*["']?\s*([A-Za-z0-9_.:-]+)""", re.IGNORECASE)
_DESCRIPTION = re.compile(rb"""(?:name|property)\s*=\s*["']?(?!content-type)[\w:.-]""", re.IGNORECASE)

Errors = Literal["replace", "ignore"]
_REPLACEMENTS: dict[Errors, str] = {"replace": REPLACEMENT, "ignore": ""}


class _ExtraCharacter(NamedTuple):
    """A character that browsers decode and a codec of Python lacks, and its size in bytes; an empty string for none."""

    character: str
    size: int


_NO_CHARACTER = _ExtraCharacter("", 1)


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


def declared(content: bytes) -> str | None:
    """Return the codec that the first 1024 bytes of a page declare, in a META or in an XML declaration; else None."""
    head = content[:_PRESCAN]
    for begin, utf16 in _UTF16_XML.items():
        if head.startswith(begin):
            return utf16
    # As in Chromium, a script's text declares nothing; the standard's prescan takes it for markup.
    for codec in _metas(_TEXTS.sub(b"", head)):
        return codec
    if match := _XML.match(head):
        return _of_ascii(match[1])
    return None


def declared_late(content: bytes) -> str | None:
    """Return the codec that a META behind the first 1024 bytes declares; browsers change the codec when they reach it.

    If there is none, return the codec of a META that browsers ignore because its HTTP-EQUIV is missing or misspelt.
    """
    markup = _TEXTS.sub(b"", content)
    if b"charset" not in markup.lower():
        return None
    for codec in _metas(markup):
        return codec
    for match in _ANY_META.finditer(markup):
        lenient = _of_ascii(match[1])
        if lenient and not _DESCRIPTION.search(match[0]):
            return lenient
    return None


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


def _gb18030_extra(invalid: bytes) -> _ExtraCharacter:
    """Return a character that Python's gb18030 lacks."""
    if invalid[:1] == b"\x80":
        return _ExtraCharacter("€", 1)
    return _NO_CHARACTER


def _euc_jp_extra(invalid: bytes) -> _ExtraCharacter:
    """Return a character of NEC or IBM that Python's euc_jp lacks and its cp932 has."""
    if len(invalid) < 2 or not 0xA1 <= min(invalid) <= max(invalid) <= 0xFE:
        return _NO_CHARACTER
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
        return _ExtraCharacter(character, 2)
    return _NO_CHARACTER


def _metas(markup: bytes) -> Iterator[str]:
    """Yield the codecs that META elements declare."""
    for match in _MARKUP.finditer(markup):
        if match[1] is not None and (codec := _of_meta(match[1])):
            yield codec


def _of_meta(attributes: bytes) -> str | None:
    """Return the codec that the attributes of a META declare."""
    values: dict[bytes, bytes] = {}
    for match in _ATTRIBUTE.finditer(attributes):
        values.setdefault(match[1].lower(), match[2] or match[3] or match[4] or b"")
    if b"charset" in values:
        return _of_ascii(values[b"charset"])
    if values.get(b"http-equiv", b"").lower() != b"content-type":
        return None
    if label := _CHARSET.search(values.get(b"content", b"")):
        return _of_ascii(label[1] or label[2] or label[3] or b"")
    return None


def _of_ascii(label: bytes) -> str | None:
    """Return the codec of a label that was read as ASCII, so that the page is not UTF-16."""
    codec = codec_of(label.decode("ascii", "replace"))
    return "utf-8" if codec is not None and codec.startswith("utf-16") else codec


def _register(codec: str, extra: Callable[[bytes], _ExtraCharacter]) -> None:
    """Register error handlers of a codec that replace or ignore only the bytes that browsers replace."""
    for errors, replacement in _REPLACEMENTS.items():

        def handle(error: UnicodeError, replacement: str = replacement) -> tuple[str, int]:
            if not isinstance(error, UnicodeDecodeError):
                raise error
            decoded = extra(error.object[error.start : error.start + 2])
            if decoded.character:
                return decoded.character, error.start + decoded.size
            return replacement, error.end

        codecs.register_error(_HANDLER.format(codec, errors), handle)


_register("gb18030", _gb18030_extra)
_register("euc_jp", _euc_jp_extra)

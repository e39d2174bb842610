"""Bytes to text: the encoding of a page, and the number of replaced characters.

`decode` chooses the encoding, for every kind of collection. It follows the order of the HTML standard (13.2.3.2): the byte
order mark, the transport's charset, the page's declaration. Bytes overrule a declaration only if they are certain: UTF-16
without a mark, ISO-2022-JP, and valid UTF-8 that the page declares or that is too long to be valid by chance.

If a declared charset does not fit the bytes, only a charset that loses fewer characters replaces it. UTF-8, declared or not,
is replaced only if it loses more characters than it decodes: one bad byte must not make a page unreadable. A page without a
declaration has the encoding of a late META, else the encoding that uchardet detects.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, replace

import cchardet

from thresher.pages.encodings import REPLACEMENT, codec_of, declared, declared_late, to_text

BOM, TRANSPORT, META, VALID_UTF8, BYTES = "bom transport meta valid-utf-8 bytes".split()
DETECTED, ASSUMED = "detected assumed".split()

_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
# One byte of an ASCII character in UTF-16 is zero. An eighth of the first characters of a page are markup. In a text without a
# tag at its beginning, three quarters must be ASCII, as fields of a fixed size are padded with zeros too.
_UTF16 = (
    ("utf-16-le", 1, re.compile(rb"(?:[\t\n\f\r ]\0)*<\0[!/?a-zA-Z]\0")),
    ("utf-16-be", 0, re.compile(rb"(?:\0[\t\n\f\r ])*\0<\0[!/?a-zA-Z]")),
)
_ZEROS_OF_PAGE = 1 / 8
_ZEROS_OF_TEXT = 3 / 4
_LEAST_ZEROS = 8
_DOUBLE_BYTE_ESCAPES = (b"\x1b$B", b"\x1b$@")
# In any other encoding, this many characters outside ASCII form valid UTF-8 in fewer than one of 100,000 texts.
_CERTAIN_UTF8 = 8
# In UTF-16 these bytes would be rare signs.
_ASCII_TAG = re.compile(rb"\s*<[!?a-zA-Z][a-zA-Z-]")
# Python's error for UTF-8 that ends within a character.
_CUT = "unexpected end of data"
# C1 controls, which no text contains.
_C1 = re.compile("[\x80-\x9f]")
_MAGIC_NUMBERS = {
    b"\x1f\x8b": "gzip",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"%PDF-": "PDF",
    b"\x89PNG\r\n": "PNG",
    b"\xff\xd8\xff": "JPEG",
    b"GIF8": "GIF",
    b"PK\x03\x04": "ZIP",
}
_FIRST_BYTES = 4096
_MOST_CONTROLS = 1 / 20
# White space, and the escapes of ISO-2022-JP, are text.
_CONTROL_BYTES = bytes({127}.union(range(32)).difference(b"\t\n\f\r\x1b"))
_SHORT = 256
_Declarations = list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Decoded:
    """A page's text as valid UTF-8, without NUL characters.

    `encoding` is a Python codec name, `source` one of this module's constants, `replaced` the number of U+FFFD for bytes that
    are invalid in that encoding.
    """

    utf8: bytes
    encoding: str
    source: str
    replaced: int


def binary_kind(content: bytes, charset: str | None = None) -> str:
    """Return the kind of binary content, such as `gzip`; an empty string for text, and if the kind is uncertain.

    Binary content begins with a magic number of its format, or more than a twentieth of its first 4,096 bytes are control
    characters. Fewer than 256 bytes are too few to tell. In UTF-16, characters are counted instead of bytes.
    """
    head = content[:_FIRST_BYTES]
    if head[:_SHORT].lstrip()[:1] != b"<":
        for magic, kind in _MAGIC_NUMBERS.items():
            if head.startswith(magic):
                return kind
    if len(head) < _SHORT or content.startswith(tuple(mark for mark, _ in _BOMS)) or "16" in (charset or ""):
        return ""
    if _share_of_controls(head) > _MOST_CONTROLS and _unmarked_utf16(content) is None:
        return "control bytes"
    return ""


def decode(content: bytes, charset: str | None = None) -> Decoded:
    """Decode the bytes of a page; `charset` is the charset that the transport declared."""
    decoded = _decode(content, charset)
    if b"\0" in decoded.utf8:
        # Browsers drop NUL too. Parsers of other packages end a text or a word there.
        return replace(decoded, utf8=decoded.utf8.replace(b"\0", b""))
    return decoded


def _decode(content: bytes, charset: str | None) -> Decoded:
    for mark, marked in _BOMS:
        if content.startswith(mark):
            return _decoded(content[len(mark) :], marked, BOM)
    declarations = _declarations(content, charset)
    if codec := _unmarked_utf16(content) or _escaped(content):
        return _decoded(content, codec, _source_of(codec, declarations))
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        return _invalid_utf8(content, declarations, error.reason == _CUT)
    return _valid_utf8(content, text, declarations)


def _declarations(content: bytes, charset: str | None) -> _Declarations:
    """Return the declared codecs and their sources, in browsers' order of preference."""
    declarations = []
    codec = codec_of(charset or "")
    if codec and not (codec.startswith("utf-16") and _ASCII_TAG.match(content)):
        declarations.append((codec, TRANSPORT))
    if codec := declared(content):
        declarations.append((codec, META))
    return declarations


def _source_of(codec: str, declarations: _Declarations) -> str:
    """Return the source that declares a codec, or else the bytes themselves."""
    for declared_codec, source in declarations:
        if declared_codec == codec:
            return source
    return BYTES


def _valid_utf8(content: bytes, text: str, declarations: _Declarations) -> Decoded:
    """Decode a page whose bytes are valid UTF-8, perhaps by chance."""
    if not declarations:
        return Decoded(content, "utf-8", VALID_UTF8, 0)
    for codec, source in declarations:
        if codec == "utf-8":
            return Decoded(content, "utf-8", source, 0)
    if _outside_ascii(text) >= _CERTAIN_UTF8:
        return Decoded(content, "utf-8", VALID_UTF8, 0)
    first_codec, first_source = declarations[0]
    as_declared = _decoded(content, first_codec, first_source)
    if _losses(as_declared):
        return Decoded(content, "utf-8", VALID_UTF8, 0)
    return as_declared


def _invalid_utf8(content: bytes, declarations: _Declarations, is_cut: bool) -> Decoded:
    """Decode a page whose bytes are not valid UTF-8, but may be nearly valid; `is_cut`: only the last character is invalid."""
    candidates = [_decoded(content, codec, source) for codec, source in declarations]
    utf8 = _decoded(content, "utf-8", DETECTED)
    first = candidates[0] if candidates else utf8
    if _is_mostly_valid(first) or (is_cut and first.source != DETECTED and first.encoding == "utf-8"):
        return min(first, utf8, key=_losses)
    candidates.append(utf8)
    if late := declared_late(content):
        candidates.append(_decoded(content, late, META))
    detected = codec_of(cchardet.detect(content).get("encoding") or "")
    if detected is not None:
        candidates.append(_decoded(content, detected, DETECTED))
    if not declarations:
        candidates.append(_decoded(content, "cp1252", ASSUMED))
    # Of candidates with equal losses, `min` returns the first.
    return min(candidates, key=_losses)


def _unmarked_utf16(content: bytes) -> str | None:
    """Return the codec of UTF-16 without a byte order mark, or None."""
    head = content[:_FIRST_BYTES]
    if head.count(0) < _LEAST_ZEROS:
        return None
    for codec, high, tag in _UTF16:
        zeros = head[high::2].count(0)
        other_zeros = head[1 - high :: 2].count(0)
        least = _ZEROS_OF_PAGE if tag.match(head) else _ZEROS_OF_TEXT
        # U+3000 and the like have a zero in the other place.
        if zeros > least * len(head) / 2 and other_zeros <= zeros / 4:
            characters = to_text(head, codec).encode("utf-8", "replace")
            if _share_of_controls(characters) <= _MOST_CONTROLS:
                return codec
    return None


def _escaped(content: bytes) -> str | None:
    """Return the codec of ISO-2022-JP if the bytes use it, else None."""
    if b"\x1b" not in content or not content.isascii():
        return None
    has_escapes = any(escape in content for escape in _DOUBLE_BYTE_ESCAPES) and b"\x1b(" in content
    if has_escapes and _is_mostly_valid(_decoded(content, "iso2022_jp", BYTES)):
        return "iso2022_jp"
    return None


def _is_mostly_valid(decoded: Decoded) -> bool:
    """Return whether at least as many characters outside ASCII are valid as invalid.

    Text in other encodings seldom forms valid sequences.
    """
    return _outside_ascii(decoded.utf8.decode()) >= 2 * decoded.replaced


def _outside_ascii(text: str) -> int:
    return len(text) - len(text.encode("ascii", "ignore"))


def _losses(decoded: Decoded) -> int:
    return decoded.replaced + len(_C1.findall(decoded.utf8.decode()))


def _share_of_controls(head: bytes) -> float:
    return 1 - len(head.translate(None, _CONTROL_BYTES)) / max(len(head), 1)


def _decoded(content: bytes, codec: str, source: str) -> Decoded:
    text = to_text(content, codec)
    replaced = text.count(REPLACEMENT)
    if replaced:
        # The page may contain U+FFFD itself.
        replaced -= to_text(content, codec, "ignore").count(REPLACEMENT)
    return Decoded(text.encode("utf-8", "replace"), codec, source, replaced)

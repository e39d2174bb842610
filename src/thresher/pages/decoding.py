"""Bytes to text: the encoding, its source, and the number of replaced characters.

The order is that of browsers (WHATWG Encoding and HTML standards): byte order mark, the transport's charset, the page's own
`<meta>`; labels mean what they mean in browsers (`iso-8859-1` is windows-1252). Undeclared, a page is UTF-8 if that is valid,
else what uchardet detects. A declared charset that does not fit the bytes is replaced only by one that loses fewer characters;
UTF-8, declared or not, only if it loses more characters than it decodes: one bad byte must not make a page unreadable.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from importlib.resources import files
from itertools import chain

import cchardet

BOM, TRANSPORT, META, VALID_UTF8, DETECTED, ASSUMED = "bom transport meta valid-utf-8 detected assumed".split()

_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
# The HTML standard's prescan reads 1024 bytes; older pages have long scripts before the declaration.
_PRESCAN = 4096
# An attribute of its own, or in the content of one that states the type of the page; not in a description.
_META = re.compile(
    rb"""<meta\b(?:(?=[^>]*?(?:http-equiv|text/html|xhtml))[^>]*?|(?:[^>"']|"[^"]*"|'[^']*')*?[\s/])"""
    rb"""charset\s*=\s*["']?\s*([A-Za-z0-9_.:-]+)""",
    re.IGNORECASE,
)
_XML = re.compile(rb"""^\s*<\?xml\b[^>]*?\bencoding\s*=\s*["']([A-Za-z0-9_.:-]+)""")
_COMMENT = re.compile(rb"<!--[^-]*(?:-(?!->)[^-]*)*(?:-->)?")
_TABLE = files("thresher.pages").joinpath("encodings.tsv").read_text(encoding="utf-8")
_ROWS = [line.split("\t") for line in _TABLE.splitlines()]
# By Python's encoding, the encoding that browsers use for its labels; and labels of the Encoding standard unknown to Python.
_BROWSER = {name: used for name, used, _ in _ROWS}
_ALIASES = {label: name for name, _, labels in _ROWS for label in labels.split()}
_ALLOWED = re.compile(
    r"(utf-(8|16-[lb]e)|cp(125\d|874|932|949|866)|iso8859-\d+|koi8-[ru]|mac-(roman|cyrillic)|gb18030|big5hkscs"
    r"|euc_jp|iso2022_jp|ptcp154)$"
)
_REPLACEMENT = "\ufffd"
_MAGIC_NUMBERS = {
    b"\x1f\x8b": "gzip",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"%PDF-": "PDF",
    b"\x89PNG\r\n": "PNG",
    b"\xff\xd8\xff": "JPEG",
    b"GIF8": "GIF",
    b"PK\x03\x04": "ZIP",
}
_FIRST_BYTES, _MOST_CONTROLS = 4096, 1 / 20
# White space, and the escapes of ISO-2022-JP, are text.
_CONTROL_BYTES = bytes(sorted({*range(32), 127} - {*b"\t\n\f\r\x1b"}))
_SHORT = 256


@dataclass(frozen=True, slots=True)
class Decoded:
    """A page's text as valid UTF-8.

    `encoding` is a Python codec name, `source` one of this module's constants, `replaced` the number of U+FFFD for bytes that
    are invalid in that encoding.
    """

    utf8: bytes
    encoding: str
    source: str
    replaced: int


def codec_of(label: str) -> str | None:
    """Return the Python codec that browsers use for the charset `label`, or None if they know no such label."""
    label = label.strip().lower()
    try:
        name = codecs.lookup(_ALIASES.get(label, label)).name
    except (LookupError, ValueError):
        return None
    name = _BROWSER.get(name, name)
    if not _ALLOWED.match(name):
        return None
    return name


def binary_kind(content: bytes, charset: str | None = None) -> str:
    """Return the kind of bytes that are no text, such as `gzip`; an empty string for text, and where the kind is uncertain.

    Their first bytes tell (magic numbers of the formats' specifications), or more than a twentieth of the first 4,096 bytes,
    of at least 256, are control characters. Bytes that begin with `<`, and UTF-16, are text.
    """
    head = content[:_FIRST_BYTES]
    if head[:_SHORT].lstrip()[:1] == b"<":
        return ""
    for magic, kind in _MAGIC_NUMBERS.items():
        if head.startswith(magic):
            return kind
    if len(head) < _SHORT or content.startswith(tuple(mark for mark, _ in _BOMS)) or "16" in (charset or ""):
        return ""
    controls = len(head) - len(head.translate(None, _CONTROL_BYTES))
    if controls > _MOST_CONTROLS * len(head):
        return "control bytes"
    return ""


def decode(content: bytes, charset: str | None = None) -> Decoded:
    """Decode the bytes of a page; `charset` is the one that the transport declared."""
    for mark, name in _BOMS:
        if content.startswith(mark):
            return _recoded(content[len(mark) :], name, BOM)
    declared, source = _declared(content, charset)
    if declared in (None, "utf-8"):
        return _utf8_or_detected(content, source)
    as_declared = _recoded(content, declared, source)
    if not as_declared.replaced:
        return as_declared
    return min(as_declared, _recoded(content, "utf-8", DETECTED), key=_losses)


def _utf8_or_detected(content: bytes, source: str) -> Decoded:
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        pass
    else:
        return Decoded(content, "utf-8", source or VALID_UTF8, 0)
    utf8 = _recoded(content, "utf-8", source or DETECTED)
    text = utf8.utf8.decode()
    outside_ascii = len(text) - len(text.encode("ascii", "ignore"))
    # As many valid characters as invalid ones: text in other encodings seldom forms valid UTF-8 sequences.
    if outside_ascii >= 2 * utf8.replaced:
        return utf8
    name = codec_of(cchardet.detect(content).get("encoding") or "")
    if name is None or name == "utf-8":
        if source:
            return utf8
        return _recoded(content, "cp1252", ASSUMED)
    detected = _recoded(content, name, DETECTED)
    if source:
        return min(utf8, detected, key=_losses)
    return detected


def _losses(decoded: Decoded) -> int:
    return decoded.replaced


def _declared(content: bytes, charset: str | None) -> tuple[str | None, str]:
    if charset and (name := codec_of(charset)):
        return name, TRANSPORT
    head = content[:_PRESCAN]
    if b"<!--" in head:
        head = _COMMENT.sub(b"", head)
    for declaration in chain(_META.finditer(head), _XML.finditer(head)):
        if name := codec_of(declaration.group(1).decode("ascii")):
            # The declaration is ASCII, so the page is not UTF-16.
            return "utf-8" if name.startswith("utf-16") else name, META
    return None, ""


def _recoded(content: bytes, encoding: str, source: str) -> Decoded:
    text = content.decode(encoding, "replace")
    replaced = text.count(_REPLACEMENT)
    if replaced:
        # The page may contain U+FFFD itself.
        replaced -= content.decode(encoding, "ignore").count(_REPLACEMENT)
    return Decoded(text.encode("utf-8", "replace"), encoding, source, replaced)

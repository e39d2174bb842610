"""The encoding that a page declares: the prescan of the HTML standard, and two searches that go further.

Source: HTML standard, 13.2.3.2, "prescan a byte stream to determine its encoding".
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from thresher.pages.encodings import codec_of

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

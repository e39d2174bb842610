"""Bytes to text, honestly: what encoding was used, who said so, and how many characters were lost.

The order is a browser's (WHATWG Encoding and HTML standards): byte order mark, then the transport's charset, then the
page's own `<meta>`; labels mean what browsers take them to mean (`iso-8859-1` is windows-1252). Where nothing is
declared, UTF-8 if the bytes are valid UTF-8, else what uchardet makes of them. A declared charset that does not fit the
bytes is given up only for one that loses fewer characters.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

import cchardet

BOM, TRANSPORT, META, VALID_UTF8, DETECTED, ASSUMED = (
    "bom",
    "transport",
    "meta",
    "valid-utf-8",
    "detected",
    "assumed",
)

_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
# The prescan of the HTML standard looks at 1024 bytes; older pages put long scripts before the declaration.
_PRESCAN = 4096
_META = re.compile(rb"""<meta\b[^>]*?charset\s*=\s*["']?\s*([A-Za-z0-9_.:-]+)""", re.IGNORECASE)
_XML = re.compile(rb"""^\s*<\?xml\b[^>]*?\bencoding\s*=\s*["']([A-Za-z0-9_.:-]+)""")
# Labels whose meaning in browsers is not Python's.
_BROWSER = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "johab": "cp949",
    "big5": "big5hkscs",
    "utf-16": "utf-8",
    "utf-16-le": "utf-8",
    "utf-16-be": "utf-8",
}
_ALLOWED = re.compile(
    r"(utf-8|cp(125\d|874|932|949|866)|iso8859-\d+|koi8-[ru]|mac-(roman|cyrillic)|gb18030|big5hkscs"
    r"|euc_jp|iso2022_jp|ptcp154)$"
)
_REPLACEMENT = "\ufffd"


@dataclass(frozen=True, slots=True)
class Decoded:
    """A page's text as valid UTF-8, and where it comes from.

    `encoding` is a Python codec name, `source` one of the constants of this module, `replaced` the number of U+FFFD that
    stand for bytes without meaning in that encoding.
    """

    utf8: bytes
    encoding: str
    source: str
    replaced: int


def codec_of(label: str) -> str | None:
    """Return the Python codec that a browser would use for the charset `label`, or None if it knows no such label."""
    try:
        name = codecs.lookup(label.strip()).name
    except (LookupError, ValueError):
        return None
    name = _BROWSER.get(name, name)
    return name if _ALLOWED.match(name) else None


def decode(content: bytes, charset: str | None = None) -> Decoded:
    """Decode the bytes of a page.

    Args:
        content: the page as it came.
        charset: the charset that the transport declared, if any.
    """
    for mark, name in _BOMS:
        if content.startswith(mark):
            return _recoded(content[len(mark) :], name, BOM)
    declared, source = _declared(content, charset)
    if declared is None or declared == "utf-8":
        try:
            content.decode("utf-8")
        except UnicodeDecodeError:
            pass
        else:
            return Decoded(content, "utf-8", source if declared else VALID_UTF8, 0)
    detected = codec_of(cchardet.detect(content).get("encoding") or "") if declared in (None, "utf-8") else None
    if declared is None:
        return _recoded(content, detected, DETECTED) if detected else _recoded(content, "cp1252", ASSUMED)
    first = _recoded(content, declared, source)
    if not first.replaced:
        return first
    others = [_recoded(content, other, DETECTED) for other in (detected, "utf-8") if other and other != declared]
    return min([first, *others], key=lambda candidate: candidate.replaced)


def _declared(content: bytes, charset: str | None) -> tuple[str | None, str]:
    if charset and (name := codec_of(charset)):
        return name, TRANSPORT
    head = content[:_PRESCAN]
    found = _META.search(head) or _XML.match(head)
    if found and (name := codec_of(found.group(1).decode("ascii"))):
        return name, META
    return None, ""


def _recoded(content: bytes, encoding: str, source: str) -> Decoded:
    text = content.decode(encoding, "replace")
    replaced = text.count(_REPLACEMENT)
    if replaced and encoding.startswith("utf"):
        replaced -= content.count(_REPLACEMENT.encode(encoding))
    return Decoded(text.encode("utf-8", "replace"), encoding, source, replaced)

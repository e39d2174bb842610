"""TREC-web files: pages between <DOC> and </DOC>, as in WT2g, WT10g, .GOV, GOV2.

A page stands below <DOCNO>GX000-00-0000000</DOCNO> and, between <DOCHDR> and </DOCHDR>, its address and HTTP header, in lines.
Pages may contain these tags. A document begins with a <DOC> that is followed by a <DOCNO>, or preceded by a </DOC> or the
beginning of the file (white space and comments aside); it ends with the last </DOC> before the next document. So reading can
start anywhere: a few bytes around a tag decide.
"""

from __future__ import annotations

import re
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, NamedTuple

from thresher.base.streams import COMPRESSIONS, Stream, is_plain, open_stream
from thresher.collections.interface import ReadOptions
from thresher.collections.sources import Part, Reading, Source, Span, too_large

_ENDINGS = (".trecweb", ".trec")
_BLOCK = 2**20
# How many bytes before and after a <DOC> are examined.
_BEHIND, _AHEAD = 4096, 512
# The bytes of a document besides the page's.
_BESIDE = 64 * 2**10
_WITHOUT_END = 1 << 62

# Spelled out because case-insensitive search is slow.
_DOC = re.compile(rb"<[dD][oO][cC]>")
_NUMBERED = re.compile(rb"\s{0,256}<DOCNO>", re.IGNORECASE)
_NOTHING = re.compile(rb"(?:\s|(?><!--.*?-->))*+", re.DOTALL)
_ELEMENT = re.compile(rb"\s*<(DOC[A-Z]+)>(.*?)</\1>", re.DOTALL | re.IGNORECASE)
_OPEN_HEADER = re.compile(rb"\s*<DOCHDR>", re.IGNORECASE)
_URL = re.compile(rb"\s*([a-z][a-z0-9+.-]*://\S+)", re.IGNORECASE)
_CHARSET = re.compile(rb"^content-type:[^\r\n]*?charset\s*=\s*[\"']?([\w.:-]+)", re.IGNORECASE | re.MULTILINE)


class _Stretch(NamedTuple):
    """A document and what follows it, or what precedes the first: its offset and size in bytes.

    `content` is its beginning, up to the requested size; `whole`: it does not end with the file.
    """

    offset: int
    size: int
    content: bytes
    whole: bool


@dataclass(frozen=True)
class TrecWeb:
    """TREC-web. The URL is the first word of DOCHDR if that is one; the charset is that of its Content-Type."""

    name: ClassVar[str] = "trec-web"
    suffixes: ClassVar[tuple[str, ...]] = tuple(ending + more for ending in _ENDINGS for more in ("", *COMPRESSIONS))

    def can_split(self, path: Path) -> bool:
        """Return whether the file is uncompressed."""
        return is_plain(path)

    def read(self, part: Part, options: ReadOptions) -> Reading:
        """Yield the documents that begin in a range; of a compressed file, all. See `FileKind.read`."""
        with open_stream(part.path) as stream:
            whole = not stream.seekable()
            begin, end = (0, _WITHOUT_END) if whole else (part.begin, part.end)
            first: int | None = None
            rest = begin
            stretches = _stretches(stream, begin, end, options.max_bytes + _BESIDE)
            while True:
                try:
                    stretch = next(stretches)
                except StopIteration as stop:
                    after: int = stop.value
                    break
                first = stretch.offset if first is None else first
                source = _source(stretch, part.name, options, clipped=not stretch.whole and bool(stream.damage))
                rest = stretch.offset + (stretch.size if source else 0)
                if source:
                    yield source
            if stream.damage:
                yield Source("", part.name, 0, rest, problem=stream.damage)
        return Span(first, part.path.stat().st_size if whole else after)


def looks_like(first_bytes: bytes) -> bool:
    """Return whether a file that begins with these bytes, decompressed, is TREC-web: a <DOC> with its <DOCNO>."""
    match = _DOC.search(first_bytes)
    return bool(match and _blank(first_bytes[: match.start()]) and _NUMBERED.match(first_bytes, match.end()))


def _stretches(stream: Stream, begin: int, end: int, keep: int) -> Generator[_Stretch, None, int]:
    """Yield the stretches that begin in [`begin`, `end`); return where the next one begins, or where the search ended.

    With `begin` 0, the bytes before the first document are a stretch too. `keep` bytes of each stretch are kept.
    """
    base = start = max(0, begin - _BEHIND)
    if base:
        stream.seek(base)
    window = b""
    searched = 0
    buffered = bytearray()  # of the stretch that begins at `start`, what has left the window
    while True:
        block = stream.read(_BLOCK)
        window += block
        limit = max(searched, len(window) - _AHEAD) if block else len(window)
        for tag in _DOC.finditer(window, searched, min(limit + 4, len(window))):
            offset = base + tag.start()
            if offset < begin or not _begins(window, tag.start(), offset):
                continue
            if begin <= start < offset:
                buffered += window[max(0, start - base) : tag.start()][: keep - len(buffered)]
                yield _Stretch(start, offset - start, bytes(buffered), True)
            buffered.clear()
            if offset >= end:
                return offset
            start = offset
        if start < begin and base + limit >= end:
            return end
        if not block:
            size = base + len(window)
            if begin <= start < size:
                buffered += window[max(0, start - base) :][: keep - len(buffered)]
                yield _Stretch(start, size - start, bytes(buffered), False)
            return size
        passed = max(0, limit - _BEHIND)
        if begin <= start < base + passed:
            buffered += window[max(0, start - base) : passed][: keep - len(buffered)]
        window = window[passed:]
        base += passed
        searched = limit - passed


def _begins(window: bytes, at: int, offset: int) -> bool:
    """Return whether a document begins with the <DOC> at index `at` of the window, at `offset` of the file."""
    if _NUMBERED.match(window, at + len(b"<DOC>")):
        return True
    near = window[max(0, at - 64) : at].rstrip()
    if len(near) >= len(b"</DOC>") and not near.endswith(b"-->"):
        return near[-len(b"</DOC>") :].lower() == b"</doc>"
    before = window[max(0, at - _BEHIND) : at]
    last = before.lower().rfind(b"</doc>")
    if last >= 0:
        return bool(_NOTHING.fullmatch(before, last + len(b"</DOC>")))
    return len(before) == offset and _blank(before)


def _blank(text: bytes) -> bool:
    return bool(_NOTHING.fullmatch(text.removeprefix(b"\xef\xbb\xbf")))


def _source(stretch: _Stretch, file: str, options: ReadOptions, clipped: bool) -> Source | None:
    """Return a stretch as a document; None if it is not one, or is `clipped` within the document."""
    content = stretch.content
    is_document = _DOC.match(content)
    end = content.lower().rfind(b"</doc>")
    if not is_document:
        problem = "the document's beginning is missing"
        return Source("", file, stretch.size, stretch.offset, problem=problem) if end >= 0 else None
    kept_all = stretch.size == len(content)
    if kept_all and end < 0 and clipped:
        return None
    page_begin, document_id, header = _head(content)
    page_end = end if end >= page_begin else len(content)
    page = _without_line_ends(content[page_begin:page_end])
    size = len(page) if kept_all else stretch.size
    problem = ""
    if not document_id:
        problem = "the document has no <DOCNO>"
    elif size > options.max_bytes:
        problem = too_large(size, options.max_bytes)
    elif _OPEN_HEADER.match(page):
        problem = "its <DOCHDR> is not closed"
    elif end < 0 and not stretch.whole:
        problem = "the file ends within the document"
    fitted = options.rule.fit(document_id)
    if problem:
        return Source(fitted, file, size, stretch.offset, problem=problem)
    url, charset = _URL.match(header), _CHARSET.search(header)
    return Source(
        fitted,
        file,
        size,
        stretch.offset,
        content=page,
        url=url[1].decode("utf-8", "replace") if url else None,
        charset=charset[1].decode() if charset else None,
    )


def _head(content: bytes) -> tuple[int, str, bytes]:
    """Return the offset of the page, the document's id (empty if it has none) and its DOCHDR."""
    at = len(b"<DOC>")
    document_id = ""
    while element := _ELEMENT.match(content, at):
        at = element.end()
        tag = element[1].upper()
        if tag == b"DOCHDR":
            return at, document_id, element[2]
        if tag == b"DOCNO":
            document_id = element[2].strip().decode("utf-8", "surrogateescape")
    return at, document_id, b""


def _without_line_ends(page: bytes) -> bytes:
    """Return the page without the line ends that separate it from the tags around it."""
    page = page[2:] if page.startswith(b"\r\n") else page.removeprefix(b"\n")
    return page[:-2] if page.endswith(b"\r\n") else page.removesuffix(b"\n")

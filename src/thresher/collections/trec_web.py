"""TREC-web files: pages between <DOC> and </DOC>, as in WT2g, WT10g, .GOV, GOV2.

A page stands below <DOCNO>GX000-00-0000000</DOCNO> and, between <DOCHDR> and </DOCHDR>, its address and HTTP header, in lines.
Pages may contain these tags. A document begins with a <DOC> that is followed by a <DOCNO>, or preceded by a </DOC> or the
beginning of the file (white space and comments aside); it ends with the last </DOC> before the next document. So reading can
start anywhere: a few bytes around a tag decide.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar, NamedTuple

from thresher.base.streams import COMPRESSIONS, Stream, is_plain, open_stream
from thresher.collections.interface import ReadOptions
from thresher.collections.sources import Part, Reading, Source, Span, too_large

_ENDINGS = (".trecweb", ".trec")
_BLOCK = 2**20
# How many bytes before and after a <DOC> are examined.
_BEHIND = 4096
_AHEAD = 512
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
    """The bytes from the begin of a document to the next document, or the bytes before the first document.

    `offset` and `size` are in bytes. `content` is the beginning, up to the requested size; `whole`: the stretch does not end
    with the file.
    """

    offset: int
    size: int
    content: bytes
    whole: bool


@dataclass(frozen=True)
class TrecWeb:
    """TREC-web. The URL is the first word of DOCHDR, if it is a URL; the charset comes from its Content-Type."""

    name: ClassVar[str] = "trec-web"
    suffixes: ClassVar[tuple[str, ...]] = tuple(ending + more for ending in _ENDINGS for more in ("", *COMPRESSIONS))

    def can_split(self, path: Path) -> bool:
        """Return whether the file is uncompressed."""
        return is_plain(path)

    def read(self, part: Part, options: ReadOptions) -> Reading:
        """Yield the documents that begin in a range; of a compressed file, all. See `FileKind.read`."""
        with open_stream(part.path) as stream:
            is_split = stream.seekable()
            begin = 0
            end = _WITHOUT_END
            if is_split:
                begin = part.begin
                end = part.end
            cutter = _Cutter(stream, begin, end, options.max_bytes + _BESIDE)
            first: int | None = None
            # The offset of the bytes behind the last document.
            rest = begin
            for stretch in cutter.stretches():
                if first is None:
                    first = stretch.offset
                rest = stretch.offset
                source = _source(stretch, part.name, options, clipped=not stretch.whole and bool(stream.damage))
                if source:
                    rest += stretch.size
                    yield source
            if stream.damage:
                yield Source("", part.name, 0, rest, problem=stream.damage)
        if is_split:
            return Span(first, cutter.after)
        return Span(first, part.path.stat().st_size)


def looks_like(first_bytes: bytes) -> bool:
    """Return whether a file that begins with these bytes, decompressed, is TREC-web: a <DOC> with its <DOCNO>."""
    match = _DOC.search(first_bytes)
    return bool(match and _blank(first_bytes[: match.start()]) and _NUMBERED.match(first_bytes, match.end()))


class _Cutter:
    """Cuts the bytes of a file into the stretches that begin in [`begin`, `end`).

    With `begin` 0, the bytes before the first document are a stretch too. `keep` bytes of each stretch are kept. Once all
    stretches are given, `after` is where the next one begins, or where the search ended.
    """

    def __init__(self, stream: Stream, begin: int, end: int, keep: int) -> None:
        self.after = begin
        self._stream = stream
        self._begin = begin
        self._end = end
        self._keep = keep
        # The window of bytes that are examined, its offset, and the beginning of the current stretch.
        self._window = b""
        self._base = self._start = max(0, begin - _BEHIND)
        # The bytes of the current stretch that have left the window.
        self._kept = bytearray()

    def stretches(self) -> Iterator[_Stretch]:
        """Yield the stretches in the order of the file."""
        if self._base:
            self._stream.seek(self._base)
        searched = 0
        while True:
            block = self._stream.read(_BLOCK)
            self._window += block
            limit = len(self._window)
            if block:
                # The last bytes can only be judged with the bytes after them.
                limit = max(searched, limit - _AHEAD)
            for offset in self._documents(searched, limit):
                if self._begin <= self._start < offset:
                    yield self._finish(offset, whole=True)
                if offset >= self._end:
                    self.after = offset
                    return
                self._kept.clear()
                self._start = offset
            if self._start < self._begin and self._base + limit >= self._end:
                self.after = self._end
                return
            if not block:
                self.after = self._base + len(self._window)
                if self._begin <= self._start < self.after:
                    yield self._finish(self.after, whole=False)
                return
            searched = limit - self._pass(max(0, limit - _BEHIND))

    def _documents(self, searched: int, limit: int) -> Iterator[int]:
        """Yield the offsets of the documents that begin in the window between two indexes."""
        for tag in _DOC.finditer(self._window, searched, min(limit + 4, len(self._window))):
            offset = self._base + tag.start()
            if offset >= self._begin and _begins(self._window, tag.start(), offset):
                yield offset

    def _finish(self, end: int, whole: bool) -> _Stretch:
        """Return the current stretch, which ends at an offset within the window."""
        self._keep_until(end - self._base)
        return _Stretch(self._start, end - self._start, bytes(self._kept), whole)

    def _pass(self, passed: int) -> int:
        """Drop the first bytes of the window; return their number."""
        if self._begin <= self._start < self._base + passed:
            self._keep_until(passed)
        self._window = self._window[passed:]
        self._base += passed
        return passed

    def _keep_until(self, index: int) -> None:
        begin = max(0, self._start - self._base)
        self._kept += self._window[begin:index][: self._keep - len(self._kept)]


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
        if end < 0:
            return None
        problem = "the document's beginning is missing"
        return Source("", file, stretch.size, stretch.offset, problem=problem)
    is_complete = stretch.size == len(content)
    if is_complete and end < 0 and clipped:
        return None
    head = _head(content)
    page_end = len(content)
    if end >= head.size:
        page_end = end
    page = _without_line_ends(content[head.size : page_end])
    size = stretch.size
    if is_complete:
        size = len(page)
    fitted_id = options.rule.fit(head.document_id)
    if not head.document_id:
        return Source(fitted_id, file, size, stretch.offset, problem="the document has no <DOCNO>")
    if size > options.max_bytes:
        return Source(fitted_id, file, size, stretch.offset, problem=too_large(size, options.max_bytes))
    if _OPEN_HEADER.match(page):
        return Source(fitted_id, file, size, stretch.offset, problem="its <DOCHDR> is not closed")
    if end < 0 and not stretch.whole:
        return Source(fitted_id, file, size, stretch.offset, problem="the file ends within the document")
    return _document(head, page, Source(fitted_id, file, size, stretch.offset))


def _document(head: _Head, page: bytes, source: Source) -> Source:
    """Return a source with its page, and the address and the charset of its header."""
    url = charset = None
    if match := _URL.match(head.header):
        url = match[1].decode("utf-8", "replace")
    if match := _CHARSET.search(head.header):
        charset = match[1].decode()
    return replace(source, content=page, url=url, charset=charset)


class _Head(NamedTuple):
    """The elements before a page: their size in bytes, the document's id (empty if it has none), and its DOCHDR."""

    size: int
    document_id: str
    header: bytes


def _head(content: bytes) -> _Head:
    at = len(b"<DOC>")
    document_id = ""
    while element := _ELEMENT.match(content, at):
        at = element.end()
        tag = element[1].upper()
        if tag == b"DOCHDR":
            return _Head(at, document_id, element[2])
        if tag == b"DOCNO":
            document_id = element[2].strip().decode("utf-8", "surrogateescape")
    return _Head(at, document_id, b"")


def _without_line_ends(page: bytes) -> bytes:
    """Return the page without the line ends that separate it from the tags around it."""
    for line_end in (b"\r\n", b"\n"):
        if page.startswith(line_end):
            page = page.removeprefix(line_end)
            break
    for line_end in (b"\r\n", b"\n"):
        if page.endswith(line_end):
            return page.removesuffix(line_end)
    return page

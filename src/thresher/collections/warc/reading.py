"""WARC files, the archives of web crawls: ClueWeb, Common Crawl and others, compressed or not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO, NamedTuple

from thresher.collections.interface import IdRule, ReadOptions, id_problem
from thresher.collections.sources import Part, Reading, Source, Span
from thresher.collections.warc import http
from thresher.collections.warc import packing as packings
from thresher.collections.warc.framing import HEAD_BYTES, Record, Window, read_records
from thresher.collections.warc.http import BrokenEncodingError, Response, TooLargeError

_DOCUMENTS = ("response", "resource", "conversion")
_OTHERS = ("warcinfo", "request", "metadata", "revisit", "unknown")
_HTML = ("text/html", "application/xhtml+xml")
_TEXT = "text/plain"
# Unspecific content types of servers and crawlers.
_UNKNOWN = ("", "unknown", "unknown/unknown", "application/unknown", "application/octet-stream", "*/*", "no-type")
_MOST_SHOWN = 80
_TAG = re.compile(
    rb"(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)?\s*(?:<\?xml[^>]*>\s*)?<(?:!--|!doctype\s+html|(?:html|head|body|title|meta|link|script|style"
    rb"|table|div|p|h1|h2|a|b|br|font|center|frameset|iframe|span|ul|img)[\s/>])",
    re.IGNORECASE,
)
# Fields with a document's id: ClueWeb09 and 12, ClueWeb22.
_IDS = (b"warc-trec-id", b"clueweb22-id")
_PIECE = 1 << 16
_BEGIN = 1 << 12
# If the first record is larger, the next record is searched for instead.
_MOST_TO_SEE = 1 << 26


def read_document(record: Record, options: ReadOptions, file: str, offset: int) -> Source | None:
    """Return the document of a record; None for record types without documents.

    Documents are `response`, `resource` and `conversion` records of HTML or plain text (by their first bytes if the content
    type is missing or unspecific); responses need a status of 2xx or none. If a record of these types has other content, or
    if any record is damaged, the source has a problem.
    """
    kind = record.text(b"warc-type").lower()
    if record.problem is None and kind in _OTHERS:
        return None
    document_id = fitted_id = ""
    if kind not in _OTHERS:
        document_id = find_id(record, options.rule)
    if document_id:
        fitted_id = options.rule.fit(document_id)
    url = record.text(b"warc-target-uri").strip("<>") or None
    source = Source(fitted_id, file, record.size, offset, url=url)
    if problem := _problem(record, kind, document_id):
        return replace(source, problem=problem)
    response = _head(record, kind)
    try:
        body = _body(record, response, options.max_bytes)
    except _UnreadBodyError as error:
        return replace(source, problem=str(error))
    kind_of_body = _kind_of_body(body, response.content_type)
    if kind_of_body.not_html:
        return replace(source, size=len(body), problem=f"not HTML: {_shown(kind_of_body.not_html)}")
    if kind_of_body.is_text and not response.body and _is_http(record, kind):
        return replace(source, size=len(body), problem="neither an HTTP header nor HTML")
    charset = http.charset(response.content_type)
    if not charset and kind == "conversion":
        charset = "utf-8"
    return replace(source, size=len(body), content=body, charset=charset, is_text=kind_of_body.is_text)


def _is_http(record: Record, kind: str) -> bool:
    return kind == "response" and http.media_type(record.text(b"content-type")) == "application/http"


class _UnreadBodyError(Exception):
    """The body of a record is no document; the message says why."""


def _problem(record: Record, kind: str, document_id: str) -> str:
    """Return why a record's header gives no document; empty if it may give one."""
    if record.problem is not None:
        return record.problem
    if not kind:
        return "the record has no WARC-Type"
    if kind not in _DOCUMENTS:
        return f"a record of the unknown kind '{_shown(kind)}'"
    if not document_id:
        return "the record has no id"
    return ""


def _body(record: Record, response: Response, limit: int) -> bytes:
    """Return the decoded body of a record, of at most `limit` bytes."""
    if response.status is not None and not 200 <= response.status < 300:
        raise _UnreadBodyError(f"HTTP status {response.status}")
    is_complete = len(record.block) == record.size and record.whole
    if not is_complete or record.size - response.body > limit:
        media = http.media_type(response.content_type)
        if media not in _HTML and media not in (_TEXT, *_UNKNOWN):
            raise _UnreadBodyError(f"not HTML: {_shown(media)}")
        raise _UnreadBodyError(_too_large(record, response, limit))
    body = record.block[response.body :]
    try:
        if response.chunked:
            body = http.join_chunks(body)
        return http.decode(body, response.encodings, limit)
    except TooLargeError as error:
        mib = limit / 2**20
        problem = f"too large: more than {mib:.1f} MiB after decoding, the limit is {mib:g} MiB"
        raise _UnreadBodyError(problem) from error
    except BrokenEncodingError as error:
        raise _UnreadBodyError(f"a broken content encoding ({error})") from error


def find_id(record: Record, rule: IdRule) -> str:
    """Return the id of a record's document; empty if there is none.

    It is the collection's own id, else the record's id, without the brackets and name space of a URN, else the address. The
    address comes before the record's id if the rule says so and the address makes an id.
    """
    for name in _IDS:
        if value := record.text(name).strip():
            return value
    address = record.text(b"warc-target-uri").strip()
    bare = address.strip("<>")
    if rule.ids == "address" and bare and not id_problem(rule.fit(bare)):
        return bare
    return record.text(b"warc-record-id").strip().strip("<>").removeprefix("urn:uuid:") or address


def _shown(value: str) -> str:
    """Return a header's value for a message: escaped, shortened, without a full stop at the end."""
    shown = repr(value[:_MOST_SHOWN])[1:-1].strip(" .")
    if len(value) > _MOST_SHOWN:
        shown += "…"
    return shown


def _head(record: Record, kind: str) -> Response:
    if kind != "response":
        return Response(None, record.text(b"content-type"), (), False, 0)
    response = http.parse_response(record.block)
    if response.content_type:
        return response
    # Content that is not HTTP, such as DNS, has the type of the record.
    content_type = record.text(b"content-type")
    if response.body or http.media_type(content_type) in ("", "application/http"):
        content_type = record.text(b"warc-identified-payload-type")
    return response._replace(content_type=content_type)


def _too_large(record: Record, response: Response, limit: int) -> str:
    size = f"more than {limit / 2**20:.1f}"
    if record.whole:
        size = f"{(record.size - response.body) / 2**20:.1f}"
    return f"too large: {size} MiB, the limit is {limit / 2**20:g} MiB"


class _BodyKind(NamedTuple):
    """The kind of a record's body.

    Attributes:
        not_html: the media type of a body that is not a document; else empty.
        is_text: whether it is plain text.
    """

    not_html: str
    is_text: bool


def _kind_of_body(body: bytes, content_type: str) -> _BodyKind:
    media = http.media_type(content_type)
    if media in _HTML:
        return _BodyKind("", False)
    if media == _TEXT:
        return _BodyKind("", True)
    if media not in _UNKNOWN and "/" in media:
        return _BodyKind(media, False)
    # In UTF-16, every other byte of a tag is zero.
    if not body or _TAG.match(body[:_BEGIN].replace(b"\0", b"")):
        return _BodyKind("", False)
    if http.is_binary(body):
        return _BodyKind(media or "of an unknown type", False)
    return _BodyKind("", True)


@dataclass(frozen=True)
class Warc:
    """WARC 0.18, 1.0 and 1.1, plain or compressed record by record with gzip or zstd; WET files too.

    See `read_document` for the choice of records, `thresher.collections.warc.framing` for damage.
    """

    name: str = "warc"
    suffixes: tuple[str, ...] = (".warc", ".warc.gz", ".warc.zst", ".wet", ".wet.gz", ".warc.wet.gz")

    def can_split(self, path: Path) -> bool:
        """Return whether reading can begin in the middle of the file: not if it is compressed as a whole."""
        try:
            with path.open("rb") as file:
                blocks = packings.Blocks(file)
                packing = _packing(blocks)
                return blocks.size > 0 and (packing is None or _has_members(packing, blocks))
        except OSError:
            return False

    def read(self, part: Part, options: ReadOptions) -> Reading:
        """Yield the documents whose records begin in the range of `part`.

        If records are compressed one by one, members take the place of records, also in offsets.
        """
        with part.path.open("rb") as file:
            blocks = packings.Blocks(file)
            packing = _packing(blocks)
            if packing is None:
                return (yield from _read_plain(part, options, file, blocks))
            return (yield from _read_packed(part, options, packing, blocks))


class _File:
    """The bytes of a file from an offset on."""

    problem = "clipped: the file ends"
    inflation = 1.0

    def __init__(self, file: BinaryIO, offset: int) -> None:
        self._file = file
        file.seek(offset)

    def read(self) -> bytes:
        return self._file.read(_PIECE)

    def abandon(self) -> None:
        self._file.seek(0, 2)


def _packing(blocks: packings.Blocks) -> packings.Packing | None:
    magic = bytes(blocks.view(0, 4, 4))
    if magic.startswith(packings.GZIP_MAGIC):
        return packings.Gzip(blocks)
    return packings.Zstd(blocks) if magic in (packings.ZSTD_MAGIC, packings.DICTIONARY_MAGIC) else None


def _has_members(packing: packings.Packing, blocks: packings.Blocks) -> bool:
    unit = packings.Unit(packing, blocks, 0)
    size = 1
    while size < _MOST_TO_SEE and (piece := unit.read()):
        size += len(piece)
    if unit.after is None:
        return packings.find_unit(packing, blocks, 1, blocks.size) is not None
    return unit.after < blocks.size


def _limit(options: ReadOptions) -> int:
    # The largest page with its HTTP header.
    return options.max_bytes + HEAD_BYTES


def _read_plain(part: Part, options: ReadOptions, file: BinaryIO, blocks: packings.Blocks) -> Reading:
    end = min(part.end, blocks.size)
    window = Window(_File(file, part.begin if part.exact else max(part.begin - 1, 0)), 0)
    window.offset = part.begin if part.exact else max(part.begin - 1, 0)
    if not part.exact:
        window.fill(1)
        window.at = part.begin - window.offset
        window.skip_to_mark(end - part.begin)
        if window.position >= end:
            return Span(None, max(window.position, end))
    first = window.position
    for record in read_records(window, _limit(options), end):
        source = read_document(record, options, part.name, record.position)
        if source is not None:
            yield source
    return Span(first if first < end else None, max(window.position, end))


def _read_packed(part: Part, options: ReadOptions, packing: packings.Packing, blocks: packings.Blocks) -> Reading:
    end = min(part.end, blocks.size)
    first = part.begin if part.exact else packings.find_unit(packing, blocks, part.begin, end)
    if first is None or first >= end:
        return Span(None, end)
    by_member = _has_members(packing, blocks)
    unit = packings.Unit(packing, blocks, first)
    while True:
        yield from _read_unit(unit, part, options, by_member)
        if unit.after is None or unit.after >= end:
            return Span(first, unit.after or blocks.size)
        unit = unit.following()


def _read_unit(unit: packings.Unit, part: Part, options: ReadOptions, by_member: bool) -> Iterator[Source]:
    reported = False
    window = Window(unit)
    for record in read_records(window, _limit(options)):
        source = read_document(record, options, part.name, unit.offset if by_member else record.position)
        if source is None:
            continue
        if unit.problem is not None and source.problem is not None and source.problem.startswith(unit.problem):
            reported = True
            if by_member and not record.fields:
                source = replace(source, offset=unit.problem_offset)
        yield source
    if unit.problem is not None and not reported:
        offset = unit.problem_offset if by_member else window.position
        yield Source("", part.name, 0, offset, problem=unit.problem)

"""JSON lines: an object per line, with an id, a page or plain text, and optionally a URL; or an array of these objects."""

from __future__ import annotations

import json
import sys
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from thresher.base.streams import COMPRESSIONS, Stream, is_plain, open_stream, skip
from thresher.collections.interface import JsonFields, ReadOptions
from thresher.collections.json_values import holds_values, json_values
from thresher.collections.sources import Part, Reading, Source, Span, too_large

_ENDINGS = (".jsonl", ".ndjson")
# Bytes of a line besides the page; escapes may double the page's size.
_BESIDE = 64 * 2**10
_WITHOUT_END = 1 << 62


@dataclass(frozen=True)
class JsonLines:
    """JSON lines, or an array or objects over several lines; `options.fields` names the members.

    A page takes precedence over text, which has one paragraph per line. Empty lines are skipped. If an object repeats a name,
    the last one counts; null counts as missing.
    """

    name: ClassVar[str] = "jsonl"
    suffixes: ClassVar[tuple[str, ...]] = tuple(ending + more for ending in _ENDINGS for more in ("", *COMPRESSIONS))

    def can_split(self, path: Path) -> bool:
        """Return whether the file is uncompressed lines: a record can begin after any line end."""
        return is_plain(path) and not holds_values(path)

    def read(self, part: Part, options: ReadOptions) -> Reading:
        """Yield the documents of the lines that begin in a range; of a compressed file or an array, all: see `FileKind`."""
        if holds_values(part.path):
            return (yield from _values(part, options))
        with open_stream(part.path) as stream:
            whole = not stream.seekable()
            begin, end = (0, _WITHOUT_END) if whole else (part.begin, part.end)
            if whole or part.exact or not begin:
                begun, position = True, begin
            else:
                # A line begins at `begin` if the byte before it ends one.
                stream.seek(begin - 1)
                count, begun = skip(stream, end - begin + 1, newline=True)
                position = begin - 1 + count
            if not begun or position >= end:
                return Span(None, min(position, end))
            if not whole:
                stream.seek(position)
            after = yield from _lines(stream, part.name, position, end, options)
        first = position if after > position else None
        return Span(first, part.path.stat().st_size if whole else after)


def _lines(stream: Stream, file: str, position: int, end: int, options: ReadOptions) -> Generator[Source, None, int]:
    limit = _largest_line(options)
    while position < end:
        line = stream.readline(limit + 1)
        if not line:
            break
        size = len(line)
        if size > limit and not line.endswith(b"\n"):
            size += skip(stream, _WITHOUT_END, newline=True)[0]
            yield Source("", file, size, position, problem=too_large(size, options.max_bytes))
        elif stream.damage and not line.endswith(b"\n"):
            break
        elif line.strip():
            yield _source(line, file, position, options)
        position += size
    if stream.damage:
        yield Source("", file, 0, position, problem=stream.damage)
    return position


def _values(part: Part, options: ReadOptions) -> Reading:
    """Yield the documents of an array, or of objects over several lines, if a range begins the file."""
    first: int | None = None
    if part.begin:
        return Span(None, part.begin)
    with open_stream(part.path) as stream:
        for value in json_values(stream, _largest_line(options)):
            first = value.offset if first is None else first
            if value.problem:
                yield Source("", part.name, value.size, value.offset, problem=stream.damage or value.problem)
            elif value.content is None:
                yield Source("", part.name, value.size, value.offset, problem=too_large(value.size, options.max_bytes))
            else:
                yield _source(value.content, part.name, value.offset, options, "object")
    return Span(first, part.path.stat().st_size)


def _largest_line(options: ReadOptions) -> int:
    return min(2 * options.max_bytes + _BESIDE, sys.maxsize - 1)


def _source(line: bytes, file: str, offset: int, options: ReadOptions, unit: str = "line") -> Source:
    try:
        record = json_object(line)
    except ValueError as error:
        return Source("", file, len(line), offset, problem=str(error))
    return source_of(record, file, offset, len(line), options, unit)


def source_of(record: Any, file: str, offset: int, size: int, options: ReadOptions, unit: str = "line") -> Source:
    """Return the document of a line's object, or of a row of another format with the same members.

    Text may be bytes in any encoding. `offset` and `size` are the offset and the size of the record, and `unit` is the name of
    the record in problems.
    """
    document_id = ""
    try:
        document_id = options.rule.fit(_id(record, options.fields.id, unit))
        content = _content(record, options.fields.html, options.fields.text, unit)
        size = len(content.data)
        if size > options.max_bytes:
            raise ValueError(too_large(size, options.max_bytes))
    except ValueError as error:
        return Source(document_id, file, size, offset, problem=str(error))
    url = _first(record, options.fields.url)
    return Source(
        document_id,
        file,
        size,
        offset,
        content=content.data,
        url=url.encode("utf-8", "replace").decode() if isinstance(url, str) else None,
        charset=content.charset,
        is_text=content.is_text,
        members=_further_members(record, options.fields),
    )


def json_object(line: bytes) -> Any:
    """Return the value of a line of JSON."""
    try:
        return json.loads(line.decode("utf-8-sig").rstrip())
    except UnicodeDecodeError as error:
        raise ValueError(f"the line is not UTF-8 (at its byte {error.start})") from error
    except json.JSONDecodeError as error:
        reason = error.msg.removesuffix(" at")
        raise ValueError(f"the line is not JSON ({reason} at its character {error.pos})") from error
    except ValueError as error:
        raise ValueError("the line holds a number of too many digits") from error
    except RecursionError as error:
        raise ValueError("the line nests too deeply") from error


def _id(record: Any, names: Sequence[str], unit: str) -> str:
    value = _first(record, names)
    if isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool)):
        return str(value)
    spelled = " or ".join(f"`{name}`" for name in names)
    raise ValueError(f"the {unit} has no {spelled}" if value is None else "the id is neither text nor an integer")


class _JsonContent(NamedTuple):
    """The bytes of a page or text, whether they are text, and the charset if it is known."""

    data: bytes
    is_text: bool
    charset: str | None


def _content(record: Any, pages: Sequence[str], texts: Sequence[str], unit: str) -> _JsonContent:
    page = _first(record, pages)
    content = _first(record, texts) if page is None else page
    if isinstance(content, str):
        return _JsonContent(content.encode("utf-8", "replace"), page is None, "utf-8")
    if isinstance(content, bytes):
        return _JsonContent(content, page is None, None)
    if content is None:
        names = [f"`{name}`" for name in pages]
        names += [f"`{name}`" for name in texts]
        raise ValueError(f"the {unit} has neither {' nor '.join(names)}")
    raise ValueError(f"the {'text' if page is None else 'page'} is not a string")


def _further_members(record: Any, fields: JsonFields) -> dict[str, Any]:
    """Return the members of a record that are not read; members that are read in part are left out."""
    read = {name.partition(".")[0] for name in chain(fields.id, fields.html, fields.text, fields.url)}
    return {name: value for name, value in record.items() if name not in read}


def _first(record: Any, names: Sequence[str]) -> Any:
    """Return the value of the first of `names` that has one (dots descend into objects), else None."""
    for name in names:
        value = record
        for step in name.split("."):
            value = value.get(step) if isinstance(value, dict) else None
        if value is not None:
            return value
    return None

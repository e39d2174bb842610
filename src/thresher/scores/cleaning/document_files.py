"""Cleaned documents as the records of files: JSON lines, compressed or not, Parquet, text, Markdown and HTML."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

from isal import igzip

import thresher.base.arrow as pa
from thresher.base.defaults import HTML, MARKDOWN
from thresher.base.errors import ConfigError
from thresher.base.streams import zstd_frame
from thresher.cleaners.languages import code_of
from thresher.pages import DEFAULT_OPTIONS, PageOptions
from thresher.pages.plain import without_invalid
from thresher.scores.cleaning.cleaned_html import CleanedHtml, PageToCut, cleaned_html, markdown_of
from thresher.scores.cleaning.output_formats import (
    BY_ENDING,
    FIELDS,
    GZIP,
    JSON_LINES,
    PARQUET,
    TEXT,
    ZSTD,
    Output,
    OutputFormat,
    is_stream,
    opened_output,
)
from thresher.scores.cleaning.page_fields import PageFields
from thresher.scores.cleaning.page_folder import AddPage, page_folder
from thresher.scores.cutting import CleanedDocument

Row = dict[str, Any]
Write = Callable[[Row], object]

# Bytes before compression.
_FRAME_BYTES = 2**20
_GROUP_BYTES = 16 * 2**20
# Controls that JSON does not escape, though some readers of lines end a line at them.
_UNSAFE = re.compile("[\x7f-\x9f\u2028\u2029]")


@dataclass(frozen=True)
class RenderedDocument:
    """A document as a row; `blocks_found`: its HTML, if it has any, is the page's own tree."""

    row: Row
    blocks_found: bool = True


@dataclass(frozen=True)
class Rendering:
    """Makes documents rows, and writes the rows in a format. Workers get it pickled.

    Attributes:
        format: the format of the file.
        how: which documents and which members are written.
        options: the options that pages were read with.
    """

    format: OutputFormat
    how: Output = BY_ENDING
    options: PageOptions = DEFAULT_OPTIONS

    @property
    def has_markdown(self) -> bool:
        """Whether rows have the text as Markdown."""
        return self.how.markdown or self.format.kind == MARKDOWN

    @property
    def has_html(self) -> bool:
        """Whether rows have the page as cleaned HTML."""
        return self.how.html or self.format.kind == HTML

    @property
    def needs_html(self) -> bool:
        """Whether rows are made of the page itself."""
        return self.has_html or self.has_markdown

    @property
    def further_columns(self) -> tuple[str, ...]:
        """The columns that the score store must have: see `thresher.scores.store.FURTHER_COLUMNS`."""
        columns: list[str] = []
        if self.needs_html:
            columns.append("html")
        if self.format.kind in (JSON_LINES, MARKDOWN):
            columns.append("members")
        return tuple(columns)

    def document(
        self,
        document: CleanedDocument,
        page: PageToCut | None = None,
        members: str = "",
        fields: PageFields | None = None,
    ) -> RenderedDocument | None:
        """Return a document as a row, without members that have no value; None if it is left out.

        Args:
            document: cleaned.
            page: the page that it was, if the row `needs_html`.
            members: further members of the document's JSON line or row, as JSON; the members of `Row` come first.
            fields: the fields of the document, if it has any.
        """
        how = self.how
        language: str | None = None
        if document.text and (how.with_language or how.language):
            language = code_of(document.text).code
        if document.words < how.min_words or (how.language and language != how.language):
            return None
        cleaned = CleanedHtml("", blocks_found=True)
        if page is not None and self.needs_html:
            cleaned = cleaned_html(page, document.text, document.sentences, self.options)
        row = self._row(document, cleaned.html, language)
        if fields is not None:
            self._add_fields(row, fields)
        if members:
            for name, value in json.loads(members).items():
                row.setdefault(name, value)
        return RenderedDocument(row, cleaned.blocks_found)

    def _row(self, document: CleanedDocument, html: str, language: str | None) -> Row:
        """Return the members of a document that have values, in the order of the file."""
        row: Row = {
            "id": document.id,
            "url": document.url,
            "title": self._text(document.title) or None,
            self.how.text_name: self._text(document.text),
            HTML: self._indented_text(html) if self.has_html else None,
            MARKDOWN: self._indented_text(markdown_of(html, document.url)) if self.has_markdown else None,
            "language": language,
        }
        return {name: value for name, value in row.items() if value is not None}

    def _add_fields(self, row: Row, fields: PageFields) -> None:
        """Put the fields into a row, also empty fields, so that all documents have them."""
        row["title"] = self._text(fields.title)
        row[self.how.text_name] = self._text(fields.text)
        for name in FIELDS:
            row[name] = self._text(getattr(fields, name))

    def _text(self, text: str) -> str:
        """Return a text without invalid characters, if these are to be left out, and without the lines that become
        empty.
        """
        if not self.how.valid:
            return text
        return "\n".join(line for line in without_invalid(text).split("\n") if line)

    def _indented_text(self, text: str) -> str:
        """Return a text without invalid characters, if these are to be left out; the indentation of lines stays."""
        if not self.how.valid:
            return text
        lines: list[str] = []
        for line in text.split("\n"):
            indentation = line[: len(line) - len(line.lstrip(" "))]
            lines.append(indentation + without_invalid(line).lstrip(" "))
        return "\n".join(lines)

    def writer(self, out: BinaryIO) -> AbstractContextManager[Write]:
        """Yield the function that adds a row to the open file `out`; after an error nothing more is written."""
        if self.format.kind == PARQUET:
            return _parquet(out, self)
        if self.format.kind == MARKDOWN:
            return nullcontext(_markdown(out, self.how.text_name))
        if self.format.kind == TEXT:
            return nullcontext(_text(out, self.how.text_name))
        if self.format.kind == HTML:
            return nullcontext(_html(out))
        if self.format.compression == GZIP:
            return _gzip(out)
        if self.format.compression == ZSTD:
            return _zstd(out)
        return nullcontext(_json_lines(out))


def _json_lines(out: BinaryIO) -> Write:
    def write(row: Row) -> None:
        out.write(json_line(row))

    return write


def _markdown(out: BinaryIO, text_name: str) -> Write:
    def write(row: Row) -> None:
        out.write(_with_front_matter(row, text_name))

    return write


def _with_front_matter(row: Row, text_name: str) -> bytes:
    """Return a document in Markdown after its other members, between lines of `---`.

    The members are YAML; their values are JSON, which is a part of YAML.
    """
    head = ""
    for name, value in row.items():
        if name not in (text_name, MARKDOWN, HTML):
            key = name if name.isidentifier() else json.dumps(name, ensure_ascii=False)
            head += f"{key}: {json.dumps(value, ensure_ascii=False)}\n"
    return f"---\n{_safe(head)}---\n\n{row[MARKDOWN]}\n\n".encode("utf-8", "replace")


def _text(out: BinaryIO, text_name: str) -> Write:
    """Return the function that writes texts, with an empty line between them."""
    separator = b""

    def write(row: Row) -> None:
        nonlocal separator
        if row[text_name]:
            out.write(separator + row[text_name].encode("utf-8", "replace") + b"\n")
            separator = b"\n"

    return write


def _html(out: BinaryIO) -> Write:
    """Return the function that writes the only page of a file of HTML."""
    written: list[str] = []

    def write(row: Row) -> None:
        if written:
            raise ConfigError(
                "a file of HTML holds one page, and the collection has more", "write JSON lines, with --html"
            )
        written.append(row["id"])
        out.write((row[HTML] + "\n").encode("utf-8", "replace"))

    return write


def json_line(row: Row) -> bytes:
    """Return a row as a line of JSON in UTF-8; no reader of lines splits it."""
    return _safe(json.dumps(row, ensure_ascii=False)).encode("utf-8", "replace") + b"\n"


def _safe(text: str) -> str:
    if text.isascii() and "\x7f" not in text:
        return text
    return _UNSAFE.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"


@contextmanager
def documents_writer(path: Path, rendering: Rendering) -> Iterator[Write]:
    """Yield the function that adds a row to a file, which appears when the block succeeds.

    Readers of a stream get each row at once. The path of a `per_page` format is a folder.
    """
    if rendering.format.per_page:
        with page_folder(path, rendering.format.ending) as add:
            yield _page_files(add, rendering)
        return
    with opened_output(path) as out, rendering.writer(out) as write:
        if not is_stream(path):
            yield write
            return

        def write_at_once(row: Row) -> None:
            write(row)
            out.flush()

        yield write_at_once


def _page_files(add: AddPage, rendering: Rendering) -> Write:
    """Return the function that writes a row as a file of its own."""

    def write(row: Row) -> None:
        content = BytesIO()
        with rendering.writer(content) as write_page:
            write_page(row)
        add(row["id"], content.getvalue())

    return write


@contextmanager
def _gzip(out: BinaryIO) -> Iterator[Write]:
    # No name and no time: the same documents give the same bytes.
    packer: Any = igzip.IGzipFile(filename="", fileobj=out, mode="wb", mtime=0)  # type: ignore[no-untyped-call]
    yield _json_lines(packer)
    packer.close()


@contextmanager
def _zstd(out: BinaryIO) -> Iterator[Write]:
    """Write frames of a mebibyte: a reader needs no more memory."""
    waiting = bytearray()

    def flush() -> None:
        out.write(zstd_frame(bytes(waiting)))
        waiting.clear()

    def write(row: Row) -> None:
        waiting.extend(json_line(row))
        if len(waiting) >= _FRAME_BYTES:
            flush()

    yield write
    flush()


@contextmanager
def _parquet(out: BinaryIO, rendering: Rendering) -> Iterator[Write]:
    """Write row groups of 16 MiB before compression."""
    name = rendering.how.text_name
    names = ["id", "url", "title", name]
    if rendering.has_html:
        names.append(HTML)
    if rendering.has_markdown:
        names.append(MARKDOWN)
    if rendering.how.with_language or rendering.how.language:
        names.append("language")
    if rendering.how.fields:
        names.extend(FIELDS)
    schema = pa.schema([(column, pa.string()) for column in names])
    writer = pa.parquet.ParquetWriter(out, schema, compression="zstd", write_page_checksum=True)
    rows: list[Row] = []
    size = 0
    sized = [name, MARKDOWN, HTML]
    sized += FIELDS

    def flush() -> None:
        writer.write_table(pa.Table.from_pylist(rows, schema=schema))
        rows.clear()

    def write(row: Row) -> None:
        nonlocal size
        rows.append(row)
        size += sum(len(row.get(text, "")) for text in sized)
        if size >= _GROUP_BYTES:
            flush()
            size = 0

    try:
        yield write
    except BaseException:
        # Garbage collection would otherwise end the file.
        writer.is_open = False
        raise
    if rows:
        flush()
    writer.close()

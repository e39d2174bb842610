"""Cleaned documents as the records of files: JSON lines, compressed or not, and Parquet."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

from isal import igzip

import thresher.base.arrow as pa
from thresher.base.defaults import MARKDOWN
from thresher.base.streams import zstd_frame
from thresher.cleaners.languages import code_of
from thresher.cleaning.output_formats import BY_ENDING, GZIP, PARQUET, ZSTD, Output, OutputFormat, opened_output
from thresher.pages.plain import without_invalid
from thresher.pages.structure import ABOUT, Structure, kept_blocks, markdown
from thresher.scores.cutting import CleanedDocument

Row = dict[str, Any]
Write = Callable[[Row], object]

STORED = ("file", "offset", "bytes", "encoding")
METADATA = (*STORED, "words", *ABOUT, "warc_record_id", "language_score", "sha256", "duplicate_of")
"""The members of `metadata`, in their order; `sha256` is of the cleaned text."""

# Bytes of a zstd frame and of a row group, before compression.
_FRAME_BYTES, _GROUP_BYTES = 2**20, 16 * 2**20
# Line ends and controls that JSON leaves as they are, but that some readers of lines take for ends.
_UNSAFE = re.compile("[\x7f-\x9f\u2028\u2029]")
_NUMBERS = {"offset": "int64", "bytes": "int64", "words": "int64", "language_score": "float64"}


@dataclass(frozen=True)
class Rendering:
    """Makes documents rows, and writes these in a format. Picklable, for workers."""

    format: OutputFormat
    how: Output = BY_ENDING

    @property
    def structured(self) -> bool:
        """Whether rows need what `thresher.pages.structure` finds."""
        return self.how.metadata or self.markdown

    @property
    def markdown(self) -> bool:
        """Whether rows have the text as Markdown."""
        return self.how.markdown or self.format.kind == MARKDOWN

    def row(
        self, document: CleanedDocument, stored: Mapping[str, Any], structure: str = "", blocks: str = ""
    ) -> Row | None:
        """Return a document's row, without members that are not known; None if it is left out.

        Args:
            document: cleaned.
            stored: the values of `STORED`.
            structure: as JSON, if it is `structured` and the page has one.
            blocks: the text of the page.
        """
        how = self.how
        text = document.text
        language, score = code_of(text) if text and (how.metadata or how.language) else (None, None)
        if document.words < how.min_words or (how.language and language != how.language):
            return None
        found = Structure.of_json(structure) if structure else Structure({}, ())
        shown = ""
        if self.markdown and text:
            shown = markdown(found.shapes, kept_blocks(blocks.split("\n"), text, document.blocks))
        if how.valid:
            text = "\n".join(filter(None, without_invalid(text).split("\n")))
            document = replace(document, title=without_invalid(document.title))
            # Line by line, for the indentation stays.
            lines = ((line[: len(line) - len(line.lstrip(" "))], line) for line in shown.split("\n"))
            shown = "\n".join(indent + without_invalid(line).lstrip(" ") for indent, line in lines)
        digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
        known = {**stored, "words": document.words, **found.about, "language_score": score, "sha256": digest}
        row: Row = {
            "id": document.id,
            "url": document.url,
            "title": document.title or None,
            how.text_name: text,
            MARKDOWN: shown if self.markdown else None,
            "language": language,
            "metadata": {name: known[name] for name in METADATA if known.get(name) is not None}
            if how.metadata
            else None,
        }
        return {name: value for name, value in row.items() if value is not None}

    def writer(self, out: BinaryIO) -> AbstractContextManager[Write]:
        """Yield the function that adds a row to the open file `out`; after an error nothing more is written."""
        if self.format.kind == PARQUET:
            return _parquet(out, self)
        if self.format.compression == GZIP:
            return _gzip(out)
        if self.format.kind == MARKDOWN:
            return nullcontext(lambda row: out.write(self._with_front_matter(row)))
        return _zstd(out) if self.format.compression == ZSTD else nullcontext(lambda row: out.write(json_line(row)))

    def _with_front_matter(self, row: Row) -> bytes:
        """Return a document in Markdown, after its other members as YAML, of which JSON is a part, between lines of `---`."""
        about = [(name, value) for name, value in row.items() if name not in (self.how.text_name, MARKDOWN)]
        head = "".join(f"{name}: {json.dumps(value, ensure_ascii=False)}\n" for name, value in about)
        return f"---\n{_safe(head)}---\n\n{row[MARKDOWN]}\n\n".encode("utf-8", "replace")


def json_line(row: Row) -> bytes:
    """Return a row as a line of JSON in UTF-8 that every reader of lines takes for one."""
    return _safe(json.dumps(row, ensure_ascii=False)).encode("utf-8", "replace") + b"\n"


def _safe(text: str) -> str:
    if text.isascii() and "\x7f" not in text:
        return text
    return _UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


@contextmanager
def documents_writer(path: Path, rendering: Rendering) -> Iterator[Write]:
    """Yield the function that adds a row to a file, which appears when the block succeeds."""
    with opened_output(path) as out, rendering.writer(out) as write:
        yield write


@contextmanager
def _gzip(out: BinaryIO) -> Iterator[Write]:
    # No name and no time: the same documents give the same bytes.
    packer: Any = igzip.IGzipFile(filename="", fileobj=out, mode="wb", mtime=0)  # type: ignore[no-untyped-call]
    yield lambda row: packer.write(json_line(row))
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
    how, name = rendering.how, rendering.how.text_name
    names = ["id", "url", "title", name, *([MARKDOWN] if rendering.markdown else [])]
    names += ["language"] if how.metadata or how.language else []
    metadata = pa.struct([(name, _NUMBERS.get(name, "string")) for name in METADATA])
    columns = [(column, pa.string()) for column in names] + ([("metadata", metadata)] if how.metadata else [])
    schema = pa.schema(columns)
    writer = pa.parquet.ParquetWriter(out, schema, compression="zstd", write_page_checksum=True)
    rows: list[Row] = []
    size = 0

    def flush() -> None:
        writer.write_table(pa.Table.from_pylist(rows, schema=schema))
        rows.clear()

    def write(row: Row) -> None:
        nonlocal size
        rows.append(row)
        size += len(row[name]) + len(row.get(MARKDOWN, ""))
        if size >= _GROUP_BYTES:
            flush()
            size = 0

    try:
        yield write
    except BaseException:
        # It would otherwise end the file when it is collected.
        writer.is_open = False
        raise
    if rows:
        flush()
    writer.close()

"""The documents of a dataset of ir_datasets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from thresher.collections.base import ReadOptions, read_sources
from thresher.collections.catalogue_records import CATALOGUE_PREFIX, fingerprint_of, records
from thresher.collections.records import Part, Reading, Source, grouped, too_large
from thresher.files import digest

__all__ = ["CATALOGUE_PREFIX", "Catalogue"]

# What records call the page; all else is text that the package has made.
_HTML_FIELDS = ("html", "dom_html")
_CHARSET = re.compile(r"^content-type:[^\r\n]*?charset\s*=\s*[\"']?([\w.:-]+)", re.IGNORECASE | re.MULTILINE | re.ASCII)


@dataclass(frozen=True)
class Catalogue:
    """The documents of the dataset `id`, in its order.

    Of records with a body and its type (WARC, .GOV) and of those with HTML, the page is given; of all others, the text that
    the dataset takes for the document: its `default_text`.
    """

    id: str
    options: ReadOptions = field(default_factory=ReadOptions)

    @property
    def path(self) -> Path:
        """The id, for messages and names."""
        return Path(CATALOGUE_PREFIX + self.id)

    def fingerprint(self) -> str:
        """Return a digest over the dataset's id, the package's version and what this knows of the documents.

        Raises:
            ThresherError: if the package is missing, or the dataset has no documents.
        """
        return digest(fingerprint_of(self.id))

    def parts(self, pages: int) -> Iterator[Part]:
        """Give the parts, with all sources at hand: at most `pages` each, and about 16 MiB.

        Raises:
            ThresherError: if the package is missing, the dataset has no documents, or they cannot be fetched.
        """
        sources = (source_of(record, self.id, self.options) for record in records(self.id, "docs"))
        yield from grouped(sources, 0, self.path, self.id, pages)

    def read(self, part: Part) -> Reading:
        """Give the documents of a part."""
        return read_sources(part)


def source_of(record: Any, file: str, options: ReadOptions) -> Source:
    """Return a record of ir_datasets as a document."""
    document_id = options.rule.fit(record.doc_id)
    try:
        content, is_text, charset = _content(record)
    except Exception as error:  # of the dataset's own code, for one document
        return Source(
            document_id, file, 0, problem=f"ir_datasets cannot give its text ({type(error).__name__}: {error})"
        )
    size = len(content)
    if size > options.max_bytes:
        return Source(document_id, file, size, problem=too_large(size, options.max_bytes))
    url = getattr(record, "url", None)
    return Source(
        document_id,
        file,
        size,
        content=content,
        url=url if isinstance(url, str) and url else None,
        charset=charset,
        is_text=is_text,
    )


def _content(record: Any) -> tuple[bytes, bool, str | None]:
    """Return the bytes of a record, whether they are text, and the charset that was declared."""
    if isinstance(body := getattr(record, "body", None), bytes) and hasattr(record, "body_content_type"):
        return body, record.body_content_type.lower().startswith("text/plain"), _charset(record)
    for name in _HTML_FIELDS:
        page = getattr(record, name, None)
        if isinstance(page, bytes):
            return page, False, None
        if isinstance(page, str):
            return page.encode("utf-8", "replace"), False, "utf-8"
    return record.default_text().encode("utf-8", "replace"), True, "utf-8"


def _charset(record: Any) -> str | None:
    headers = getattr(record, "http_headers", "")
    found = _CHARSET.search(headers.decode("latin-1") if isinstance(headers, bytes) else headers)
    return found[1] if found else None

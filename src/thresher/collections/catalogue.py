"""Datasets of ir_datasets: their documents as a collection, and their topics and qrels as records. The extra `ir-datasets`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, NamedTuple

from thresher.base.errors import (
    InputError,
    MissingDependencyError,
    ThresherError,
    is_out_of_memory,
    memory_error,
    needs_extra,
)
from thresher.base.files import digest
from thresher.collections.interface import ReadOptions, read_sources
from thresher.collections.sources import FileState, Part, Reading, Source, grouped, too_large

CATALOGUE_PREFIX = "ir_datasets:"
"""The prefix of a path whose rest is a dataset's id."""

What = Literal["docs", "queries", "qrels"]
# ClueWeb's documents, for one, need ir_datasets[warc].
_EXTRA = re.compile(r"ir_datasets\[[\w-]+\]")
# The fields of records that hold a page; other fields hold text that the package extracted.
_HTML_FIELDS = ("html", "dom_html")
_CHARSET = re.compile(r"^content-type:[^\r\n]*?charset\s*=\s*[\"']?([\w.:-]+)", re.IGNORECASE | re.MULTILINE | re.ASCII)
_NAMES: dict[What, str] = {"docs": "documents", "queries": "topics", "qrels": "qrels"}


def dataset(dataset_id: str, what: What) -> Any:
    """Return a dataset; downloads nothing."""
    where = CATALOGUE_PREFIX + dataset_id
    try:
        loaded = _package().load(dataset_id)
    except KeyError as error:
        raise InputError("ir_datasets has no such dataset", "use an id that `ir_datasets list` shows", where) from error
    if not loaded.has(what):
        raise InputError(
            f"the dataset has no {_NAMES[what]}", f"use an id with {_NAMES[what]}, or give these as a file", where
        )
    return loaded


def records(dataset_id: str, what: What) -> Iterator[Any]:
    """Yield the records in the dataset's order; ir_datasets downloads them if necessary, with progress on standard error."""
    loaded = dataset(dataset_id, what)
    try:
        yield from getattr(loaded, f"{what}_iter")()
    except Exception as error:  # any reader's or network error
        raise _user_error(error, dataset_id, what) from error


def _package() -> Any:
    with needs_extra("ir-datasets", "ir_datasets is not installed"):
        return import_module("ir_datasets")


def _user_error(error: Exception, dataset_id: str, what: What) -> ThresherError:
    where = CATALOGUE_PREFIX + dataset_id
    if is_out_of_memory(error):
        return memory_error(where)
    if isinstance(error, ImportError):
        package = "ir_datasets[all]"
        if extra := _EXTRA.search(str(error)):
            package = extra.group()
        fix = f"install it: pip install '{package}'"
        return MissingDependencyError(f"ir_datasets lacks a package ({_short(error)})", fix, where)
    if isinstance(error, FileNotFoundError):
        return InputError(
            f"ir_datasets misses a file of the {_NAMES[what]}: {error.filename or _short(error)}",
            "put it there: https://ir-datasets.com says where it comes from",
            where,
        )
    return InputError(
        f"ir_datasets cannot give the {_NAMES[what]} ({type(error).__name__}: {_short(error)})",
        "check the network and the free space, and run the same command again",
        where,
    )


def _short(error: Exception) -> str:
    """Return the first line of an error's message."""
    text = str(error)
    # Errors of several arguments would be shown as a tuple.
    if len(error.args) > 1 and isinstance(error.args[0], str):
        text = error.args[0]
    lines = text.strip().splitlines()
    if not lines:
        return "no reason given"
    return lines[0]


@dataclass(frozen=True)
class Catalogue:
    """The documents of the dataset `id`, in its order.

    Records with a body and its type (WARC, .GOV) or with HTML give a page; all others give their `default_text`.
    """

    id: str
    options: ReadOptions = field(default_factory=ReadOptions)

    @property
    def path(self) -> Path:
        """The id, for messages and names."""
        return Path(CATALOGUE_PREFIX + self.id)

    def fingerprint(self) -> str:
        """Return a digest over the dataset's id, the package's version and its metadata on the documents."""
        return digest([self.id, str(_package().__version__), dataset(self.id, "docs").docs_metadata()])

    def files(self) -> dict[str, FileState]:
        """Return nothing: ir_datasets keeps its files."""
        return {}

    def parts(self, pages: int) -> Iterator[Part]:
        """Yield the parts with their sources: at most `pages` each, and about 16 MiB."""
        sources = (source_of(record, self.id, self.options) for record in records(self.id, "docs"))
        yield from grouped(sources, 0, self.path, self.id, pages)

    def read(self, part: Part) -> Reading:
        """Yield the documents of a part."""
        return read_sources(part)


def source_of(record: Any, file: str, options: ReadOptions) -> Source:
    """Return a record of ir_datasets as a document."""
    document_id = options.rule.fit(record.doc_id)
    try:
        text = _content(record)
    except Exception as error:  # any error of the dataset's code
        what = f"ir_datasets cannot give its text ({type(error).__name__}: {error})"
        return Source(document_id, file, 0, problem=what)
    size = len(text.content)
    if size > options.max_bytes:
        return Source(document_id, file, size, problem=too_large(size, options.max_bytes))
    url = getattr(record, "url", None)
    if not isinstance(url, str) or not url:
        url = None
    return Source(document_id, file, size, content=text.content, url=url, charset=text.charset, is_text=text.is_text)


class _Content(NamedTuple):
    """The bytes of a record, whether they are text and not HTML, and the declared charset."""

    content: bytes
    is_text: bool
    charset: str | None


def _content(record: Any) -> _Content:
    if isinstance(body := getattr(record, "body", None), bytes) and hasattr(record, "body_content_type"):
        return _Content(body, record.body_content_type.lower().startswith("text/plain"), _charset(record))
    for name in _HTML_FIELDS:
        page = getattr(record, name, None)
        if isinstance(page, bytes):
            return _Content(page, False, None)
        if isinstance(page, str):
            return _Content(page.encode("utf-8", "replace"), False, "utf-8")
    return _Content(record.default_text().encode("utf-8", "replace"), True, "utf-8")


def _charset(record: Any) -> str | None:
    headers = getattr(record, "http_headers", "")
    if isinstance(headers, bytes):
        headers = headers.decode("latin-1")
    match = _CHARSET.search(headers)
    if match is None:
        return None
    return match[1]

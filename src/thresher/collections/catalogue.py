"""Datasets of ir_datasets: their documents as a collection, and their topics and qrels as records. The extra `ir-datasets`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

from thresher.base.errors import InputError, MissingDependencyError, ThresherError, needs_extra
from thresher.base.files import digest
from thresher.collections.interface import ReadOptions, read_sources
from thresher.collections.sources import FileState, Part, Reading, Source, grouped, too_large

CATALOGUE_PREFIX = "ir_datasets:"
"""The prefix of a path whose rest is a dataset's id."""

What = Literal["docs", "queries", "qrels"]
# ClueWeb's documents, for one, need ir_datasets[warc].
_EXTRA = re.compile(r"ir_datasets\[[\w-]+\]")
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
    if isinstance(error, ImportError):
        extra = _EXTRA.search(str(error))
        fix = f"install it: pip install '{extra.group() if extra else 'ir_datasets[all]'}'"
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
    text = str(error.args[0] if len(error.args) > 1 and isinstance(error.args[0], str) else error)
    return (text.strip().splitlines() or ["no reason given"])[0]


# The fields of records that hold a page; others hold text that the package extracted.
_HTML_FIELDS = ("html", "dom_html")
_CHARSET = re.compile(r"^content-type:[^\r\n]*?charset\s*=\s*[\"']?([\w.:-]+)", re.IGNORECASE | re.MULTILINE | re.ASCII)


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
        content, is_text, charset = _content(record)
    except Exception as error:  # any error of the dataset's code
        what = f"ir_datasets cannot give its text ({type(error).__name__}: {error})"
        return Source(document_id, file, 0, problem=what)
    size = len(content)
    if size > options.max_bytes:
        return Source(document_id, file, size, problem=too_large(size, options.max_bytes))
    given = getattr(record, "url", None)
    url = given if isinstance(given, str) and given else None
    return Source(document_id, file, size, content=content, url=url, charset=charset, is_text=is_text)


def _content(record: Any) -> tuple[bytes, bool, str | None]:
    """Return the bytes of a record, whether they are text, and the declared charset."""
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
    match = _CHARSET.search(headers.decode("latin-1") if isinstance(headers, bytes) else headers)
    return match[1] if match else None

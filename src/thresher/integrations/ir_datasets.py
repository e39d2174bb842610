"""Datasets of ir_datasets with cleaned documents, in order and by id; topics, qrels and other parts stay as they
are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import ir_datasets
from ir_datasets.formats import BaseDocs, GenericDoc
from ir_datasets.indices import Docstore

from thresher.api import clean_pages
from thresher.base.defaults import DEFAULT_CLEANER
from thresher.collections import Page, ReadOptions
from thresher.collections.catalogue import source_of

_FURTHER_PARTS = ("queries", "qrels", "scoreddocs", "docpairs", "qlogs")
"""The parts of a dataset beside its documents."""


def cleaned_dataset(dataset: str | ir_datasets.Dataset, cleaner: str = DEFAULT_CLEANER) -> ir_datasets.Dataset:
    """Return a dataset, given by its id or itself, with cleaned documents; a page that fails has an empty text."""
    if isinstance(dataset, str):
        dataset = ir_datasets.load(dataset)
    handlers: list[Any] = [CleanedDocs(dataset, cleaner)]
    for part in _FURTHER_PARTS:
        if dataset.has(part):
            handler = getattr(dataset, f"{part}_handler")
            handlers.append(handler())
    return ir_datasets.Dataset(*handlers)


class CleanedDocs(BaseDocs):
    """The documents of a dataset, cleaned as they are asked for."""

    def __init__(self, dataset: ir_datasets.Dataset, cleaner: str) -> None:
        self._dataset = dataset
        self._cleaner = cleaner
        self.docs_count = dataset.docs_count
        self.docs_namespace = dataset.docs_namespace
        self.docs_lang = dataset.docs_lang

    def docs_cls(self) -> Any:
        """Return the type of documents: `doc_id` and `text`."""
        return GenericDoc

    def docs_iter(self) -> Iterator[GenericDoc]:
        """Give all documents."""
        return self.cleaned(self._dataset.docs_iter())

    def docs_store(self, **options: Any) -> Docstore:
        """Return a store of documents by id."""
        return _Store(self, self._dataset.docs_store(**options))

    def cleaned(self, records: Iterable[Any]) -> Iterator[GenericDoc]:
        """Give cleaned documents of records."""
        for document in clean_pages(self._pages(records), self._cleaner):
            yield GenericDoc(document.id, document.text)

    def _pages(self, records: Iterable[Any]) -> Iterator[Page]:
        for record in records:
            source = source_of(record, self._cleaner, ReadOptions())
            yield Page(source.id, source.content or b"", source.url, source.charset, source.is_text)


class _Store(Docstore):
    def __init__(self, docs: CleanedDocs, store: Docstore) -> None:
        super().__init__(GenericDoc)
        self._docs = docs
        self._store = store

    def get_many_iter(self, doc_ids: Iterable[str]) -> Iterator[GenericDoc]:
        return self._docs.cleaned(self._store.get_many_iter(doc_ids))

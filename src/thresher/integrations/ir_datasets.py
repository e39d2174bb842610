"""Datasets of ir_datasets with cleaned documents, in order and by id; topics, qrels and all else stay."""

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


def cleaned_dataset(dataset: str | ir_datasets.Dataset, cleaner: str = DEFAULT_CLEANER) -> ir_datasets.Dataset:
    """Return a dataset, by its id or itself, whose documents have the text that a cleaner leaves, empty where it fails."""
    known = ir_datasets.load(dataset) if isinstance(dataset, str) else dataset
    every = ("queries", "qrels", "scoreddocs", "docpairs", "qlogs")
    others = [getattr(known, f"{one}_handler")() for one in every if known.has(one)]
    return ir_datasets.Dataset(CleanedDocs(known, cleaner), *others)


class CleanedDocs(BaseDocs):
    """The documents of a dataset, cleaned as they are asked for."""

    def __init__(self, dataset: ir_datasets.Dataset, cleaner: str) -> None:
        self._dataset, self._cleaner = dataset, cleaner
        self.docs_count, self.docs_namespace, self.docs_lang = (
            getattr(dataset, f"docs_{name}") for name in ("count", "namespace", "lang")
        )

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
        sources = (source_of(record, self._cleaner, ReadOptions()) for record in records)
        pages = (Page(one.id, one.content or b"", one.url, one.charset, one.is_text) for one in sources)
        return (GenericDoc(document.id, document.text) for document in clean_pages(pages, self._cleaner))


class _Store(Docstore):
    def __init__(self, docs: CleanedDocs, store: Docstore) -> None:
        super().__init__(GenericDoc)
        self._docs, self._store = docs, store

    def get_many_iter(self, doc_ids: Iterable[str]) -> Iterator[GenericDoc]:
        return self._docs.cleaned(self._store.get_many_iter(doc_ids))

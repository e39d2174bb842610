"""What the pass over a collection left on the disk, as arrays: documents in the collection's order, links as numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow.parquet as pq

from thresher.pseudo_topics.addresses import document_key
from thresher.pseudo_topics.extracting import LINK_REASONS
from thresher.pseudo_topics.worker import LINKS, PAGES, TEXTS, finished_parts, table_path

Numbers = npt.NDArray[np.uint64]
Truths = npt.NDArray[np.bool_]

READ, PLAIN, TWICE, FAILED = "with HTML", "plain text", "with the id of one before", "failed"
_REASONS_KEPT = 20


@dataclass(frozen=True)
class Store:
    """The tables of all parts, and of each document: whether it counts, its key, its site.

    Attributes:
        folder: where the tables are.
        parts: in order.
        starts: the number of the first document of each part, and that of all documents.
        good: whether a document is HTML that could be read, with an id that no other before it has.
        keys: of the documents' addresses.
        sites: of their hosts.
        counts: of documents, by what became of them; the first is that of all.
        failures: the most frequent reasons of failures, with how often each came.
        left_out: the links that were left out by themselves, of good documents, by `LINK_REASONS`.
    """

    folder: Path
    parts: tuple[str, ...]
    starts: npt.NDArray[np.int64]
    good: Truths
    keys: Numbers
    sites: Numbers
    counts: dict[str, int]
    failures: dict[str, int]
    left_out: dict[str, int]

    def column(self, name: str) -> Iterator[tuple[int, list[str]]]:
        """Give, part by part, the number of the first document and a column of text of all documents."""
        for start, part in zip(self.starts.tolist(), self.parts, strict=False):
            table = pq.read_table(table_path(self.folder, part, PAGES), columns=[name])
            yield start, table[name].to_pylist()

    def links(self) -> Iterator[tuple[npt.NDArray[np.int64], Numbers, Numbers]]:
        """Give, part by part, the links of good documents: the number of the document, the text, the target."""
        for start, part in zip(self.starts.tolist(), self.parts, strict=False):
            table = pq.read_table(table_path(self.folder, part, LINKS))
            pages = table["page"].to_numpy().astype(np.int64) + start
            kept = self.good[pages]
            yield pages[kept], table["text"].to_numpy()[kept], table["target"].to_numpy()[kept]

    def texts(self, hashes: Sequence[int]) -> dict[int, str]:
        """Return the texts of links by their hashes: of several spellings the first by code point."""
        wanted = set(hashes)
        found: dict[int, str] = {}
        for part in self.parts:
            table = pq.read_table(table_path(self.folder, part, TEXTS))
            rows = np.flatnonzero(np.isin(table["hash"].to_numpy(), np.array(sorted(wanted), dtype=np.uint64)))
            for hash_, text in zip(
                table["hash"].take(rows).to_pylist(), table["text"].take(rows).to_pylist(), strict=True
            ):
                found[hash_] = min(found.get(hash_, text), text)
        return found


def open_store(folder: Path) -> Store:
    """Open the tables of all parts in a folder: eight bytes each of key, site and id are held of a document, and no text."""
    failures: Counter[str] = Counter()
    parts = finished_parts(folder)
    starts = [0]
    columns: dict[str, list[npt.NDArray[np.uint64]]] = {"id": [], "key": [], "site": []}
    failed: list[Truths] = []
    plain: list[Truths] = []
    left_out: list[npt.NDArray[np.uint64]] = []
    for part in parts:
        table = pq.read_table(table_path(folder, part, PAGES))
        reasons = table["reason"].to_pylist()
        failures.update(filter(None, reasons))
        failed.append(np.array([bool(reason) for reason in reasons], dtype=np.bool_))
        plain.append(table["plain"].to_numpy())
        columns["id"].append(np.array([document_key(name) for name in table["id"].to_pylist()], dtype=np.uint64))
        for name in ("key", "site"):
            columns[name].append(table[name].to_numpy())
        left_out.append(np.stack([table[reason].to_numpy().astype(np.uint64) for reason in LINK_REASONS], axis=1))
        starts.append(starts[-1] + len(table))
    empty = np.zeros(0, dtype=np.uint64)
    ids, keys, sites = (np.concatenate([empty, *columns[name]]) for name in ("id", "key", "site"))
    bad = np.concatenate([np.zeros(0, dtype=np.bool_), *failed])
    text = np.concatenate([np.zeros(0, dtype=np.bool_), *plain])
    twice = _again(ids, ~bad)
    good = ~(bad | twice | text)
    counts = {
        "all": len(ids),
        READ: int(good.sum()),
        PLAIN: int((text & ~bad & ~twice).sum()),
        TWICE: int(twice.sum()),
        FAILED: int(bad.sum()),
    }
    out = np.concatenate([np.zeros((0, len(LINK_REASONS)), dtype=np.uint64), *left_out])[good].sum(axis=0)
    common = sorted(failures.items(), key=lambda item: (-item[1], item[0]))[:_REASONS_KEPT]
    return Store(
        folder,
        parts,
        np.array(starts, dtype=np.int64),
        good,
        keys,
        sites,
        counts,
        dict(common),
        dict(zip(LINK_REASONS, out.tolist(), strict=True)),
    )


def _again(ids: Numbers, counted: Truths) -> Truths:
    """Return which of the counted ids came before among them."""
    places = np.flatnonzero(counted)
    first = places[np.unique(ids[places], return_index=True)[1]]
    again = counted.copy()
    again[first] = False
    return again

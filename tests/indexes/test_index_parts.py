from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pyarrow as pa

from thresher.indexes.indexing import IndexOptions, IndexReport, PrunedDocument, build_index, build_pruned_index
from thresher.indexes.original_statistics import TermLosses
from thresher.indexes.work import INDEX_PARTS, POSTINGS

Documents = list[tuple[str, str]]


def test_every_file_of_an_index_belongs_to_a_part(documents: Documents, tmp_path: Path) -> None:
    pruned = [PrunedDocument("a", "x", 0, 1), PrunedDocument("b", "", 1, 1)]
    losses = TermLosses(pa.array(["x"]), df=np.array([1]), cf=np.array([1]), remaining_df=np.array([1]))
    reports = [
        build_index(
            documents, tmp_path / "whole", IndexOptions(positions=True, stored=True, vectors=True, lengths=True)
        ),
        build_pruned_index(pruned, tmp_path / "pruned", IndexOptions(), lambda: losses),
    ]
    written = {kind for report in reports for kind in report.bytes_by_type}
    assert written == {kind for part in INDEX_PARTS for kind in part.types}
    types = [kind for part in INDEX_PARTS for kind in part.types]
    assert len(types) == len(set(types))
    for report in reports:
        assert sum(report.bytes_by_type.values()) == report.bytes


def test_what_grows_with_documents_does_not_shrink_with_postings(tmp_path: Path) -> None:
    whole, half = _random_index(tmp_path / "whole", 2000, 1.0), _random_index(tmp_path / "half", 2000, 0.5)
    assert whole.statistics.postings > 1.9 * half.statistics.postings
    for kind, size in half.bytes_by_type.items():
        (part,) = (one for one in INDEX_PARTS if kind in one.types)
        if part.grows_with == POSTINGS:
            assert size < 0.7 * whole.bytes_by_type[kind]
        else:
            assert 0.95 < size / whole.bytes_by_type[kind] < 1.05


def _random_index(folder: Path, documents: int, share: float) -> IndexReport:
    """An index of the share of 50 random terms, of 300, of each document, with its own statistics."""
    chance = random.Random(4)

    def pruned(number: int) -> PrunedDocument:
        terms = chance.sample(range(300), 50)[: int(50 * share)]
        return PrunedDocument(f"d{number}", " ".join(f"t{term}" for term in terms), 0, len(terms))

    return build_pruned_index(map(pruned, range(documents)), folder, IndexOptions(), None)

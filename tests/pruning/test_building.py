"""Pruned indexes of a cleaned collection."""

from __future__ import annotations

from pathlib import Path

import pytest
from index_checks import is_clean

from thresher.base.errors import ConfigError
from thresher.cleaners.cleaner import Cleaner, parse_cleaner
from thresher.indexes.analysis import Analysis, analyse, text_analyzer
from thresher.indexes.indexing import IndexOptions, build_index
from thresher.indexes.pruning.pruned_index import PrunedIndexOptions, build_pruned
from thresher.indexes.pruning.treatments import Pruning, methods, parse_pruning, parse_treatment
from thresher.scores.cutting import cleaned_documents

OPTIONS = IndexOptions(lengths=True)


def pruning_of(name: str) -> Pruning:
    pruning = parse_treatment(f"none|{name}").pruning
    assert pruning is not None
    return pruning


def files_of(folder: Path) -> dict[str, int]:
    return {path.name: path.stat().st_size for path in folder.iterdir() if path.name != "thresher.json"}


@pytest.mark.parametrize("name", ["none", "words@4"])
def test_at_full_size_the_files_are_those_of_the_unpruned_index(store: Path, tmp_path: Path, name: str) -> None:
    cleaner = parse_cleaner(name)
    plain = build_index(
        ((page.id, page.text) for page in cleaned_documents(store, cleaner)), tmp_path / "plain", OPTIONS
    )
    for original in (True, False):
        options = PrunedIndexOptions(OPTIONS, original)
        built = build_pruned(store, cleaner, pruning_of("dcp@1"), tmp_path / "pruned", options)
        assert built.index.statistics == plain.statistics
        assert (built.index.documents, built.blank) == (plain.documents, plain.empty)
        assert files_of(tmp_path / "pruned") == files_of(tmp_path / "plain")


@pytest.mark.slow
@pytest.mark.parametrize("original", [True, False])
@pytest.mark.parametrize("name", [*methods()])
def test_lucene_finds_nothing_wrong_with_pruned_indexes(store: Path, tmp_path: Path, name: str, original: bool) -> None:
    method = parse_pruning(name).method
    calls: list[None] = []
    pruning = Pruning(method, method.grid[0])
    options = PrunedIndexOptions(OPTIONS, original)
    built = build_pruned(store, Cleaner(), pruning, tmp_path / "index", options, lambda: calls.append(None))
    assert is_clean(tmp_path / "index")
    assert len(calls) == built.index.documents
    assert list(tmp_path.iterdir()) == [tmp_path / "index"]


def test_documents_that_lose_everything_stay_indexed(store: Path, tmp_path: Path) -> None:
    whole = build_pruned(store, Cleaner(), pruning_of("up@0"), tmp_path / "index", PrunedIndexOptions(OPTIONS))
    nothing = build_pruned(store, Cleaner(), pruning_of("up@1000"), tmp_path / "index", PrunedIndexOptions(OPTIONS))
    assert is_clean(tmp_path / "index")
    assert nothing.index.documents == whole.index.documents > 100
    assert (nothing.index.statistics.postings, nothing.index.statistics.vocabulary) == (0, 0)
    assert whole.index.statistics.documents == whole.index.documents
    # Only documents that never had a term have lost nothing.
    analyzer = text_analyzer(Analysis())
    texts = [page.text for page in cleaned_documents(store, Cleaner())]
    without = sum(bool(text.strip()) and not analyse(analyzer, text) for text in texts)
    assert nothing.index.statistics.documents == without


@pytest.mark.slow
@pytest.mark.parametrize("name", [*methods()])
def test_where_cleaning_leaves_nothing_the_pruned_index_is_empty_too(store: Path, tmp_path: Path, name: str) -> None:
    cleaner, method = parse_cleaner("words@9999"), parse_pruning(name).method
    texts = ((page.id, page.text) for page in cleaned_documents(store, cleaner))
    plain = build_index(texts, tmp_path / "plain", OPTIONS)
    for original in (True, False):
        options = PrunedIndexOptions(OPTIONS, original)
        built = build_pruned(store, cleaner, Pruning(method, method.grid[0]), tmp_path / "index", options)
        assert (built.index.documents, built.blank, built.words) == (plain.documents, plain.empty, 0)
        assert built.index.statistics == plain.statistics
        assert is_clean(tmp_path / "index")


def test_what_lists_of_terms_cannot_hold_is_an_error(store: Path, tmp_path: Path) -> None:
    options = PrunedIndexOptions(IndexOptions(positions=True))
    with pytest.raises(ConfigError) as refused:
        build_pruned(store, Cleaner(), pruning_of("dcp@0.5"), tmp_path / "index", options)
    assert "positions" in refused.value.what
    assert list(tmp_path.iterdir()) == []

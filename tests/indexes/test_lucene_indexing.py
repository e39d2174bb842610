from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from messages import assert_names

from thresher.base.errors import ConfigError, StateError
from thresher.indexes.analysis import Analysis, RetrievalModel, analyse, text_analyzer
from thresher.indexes.indexing import (
    IndexOptions,
    Origin,
    build_index,
    is_built_from,
    open_index,
    settings_of,
)
from thresher.indexes.jvm import java_class, java_folder
from thresher.indexes.searching import Searcher
from thresher.indexes.work import IndexStatistics

Documents = list[tuple[str, str]]

OWN_FILES = {"lengths.npy", "thresher.json"}


def _terms(reader: Any, field: str) -> dict[str, tuple[int, int]]:
    """Every term of a field with its documents and occurrences."""
    every = java_class("org.apache.lucene.index.MultiTerms").getTerms(reader, field).iterator()
    found = {}
    while (term := every.next()) is not None:
        found[term.utf8ToString()] = (every.docFreq(), every.totalTermFreq())
    return found


def _statistics(folder: Path) -> dict[str, Any]:
    with open_index(folder) as reader:
        ids = [reader.storedFields().document(number).get("id") for number in range(reader.maxDoc())]
        return {
            "documents": reader.numDocs(),
            "with terms": reader.getDocCount("contents"),
            "tokens": reader.getSumTotalTermFreq("contents"),
            "postings": reader.getSumDocFreq("contents"),
            "terms": _terms(reader, "contents"),
            "ids": ids,
            "segments": reader.leaves().size(),
        }


def _sizes(folder: Path) -> dict[str, int]:
    return {path.name: path.stat().st_size for path in folder.iterdir() if path.name not in OWN_FILES}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "flags"),
    [
        (IndexOptions(), {}),
        (IndexOptions(positions=True), {"storePositions": True}),
        (IndexOptions(stored=True), {"storeContents": True}),
        (IndexOptions(vectors=True), {"storeDocvectors": True}),
        (IndexOptions(stemmer="krovetz", stopwords=False), {"stemmer": "krovetz", "keepStopwords": True}),
        (IndexOptions(stemmer="none", lengths=True), {"stemmer": "none"}),
    ],
)
def test_the_index_is_that_of_anserini(
    documents: Documents,
    index_collection: Callable[..., None],
    tmp_path: Path,
    options: IndexOptions,
    flags: dict[str, Any],
) -> None:
    # U+0000 becomes a space, which is the same to analysis but not to the stored text.
    zero = " " if options.stored else "\0"
    odd = [
        *documents,
        ("../up/and//down", "Slashes in the id"),
        ("naïve 日本語 😀", f"naïve 日本語 😀 zero{zero}byte \x1c \u2028 done"),
        ("blank", " \t\r\n\x00\x1f"),
        ("none", ""),
        ("stop", "the and of"),
        ("nbsp", "\xa0"),
        ("lone", "before\ud800after \udc00"),
        ("one", "x"),
    ]
    report = build_index(odd, tmp_path / "ours", options)
    index_collection(odd, tmp_path / "theirs", **flags)

    assert (report.documents, report.empty) == (len(odd) - 2, 2)
    ours = _statistics(tmp_path / "ours")
    assert ours == _statistics(tmp_path / "theirs")
    assert ours["ids"] == [identifier for identifier, _ in odd if identifier not in ("blank", "none")]
    assert ours["segments"] == 1
    theirs = _sizes(tmp_path / "theirs")
    del theirs["write.lock"]
    assert _sizes(tmp_path / "ours") == theirs


def test_two_builds_are_of_the_same_size(documents: Documents, tmp_path: Path) -> None:
    first = build_index(documents, tmp_path / "index", IndexOptions())
    names = _sizes(tmp_path / "index")
    assert build_index(iter(documents), tmp_path / "index", IndexOptions()) == first
    assert _sizes(tmp_path / "index") == names


def test_bytes_are_those_on_disk_by_type(documents: Documents, tmp_path: Path) -> None:
    options = IndexOptions(lengths=True)
    report = build_index(documents, tmp_path / "index", options)
    sizes = _sizes(tmp_path / "index")
    # Exact lengths are read by searches, too.
    lengths = (tmp_path / "index" / "lengths.npy").stat().st_size
    assert report.bytes == sum(sizes.values()) + lengths == sum(report.bytes_by_type.values())
    assert report.bytes_by_type[".doc"] == sizes["_0_Lucene99_0.doc"]
    assert report.bytes_by_type["segments"] == sizes["segments_1"]
    assert report.bytes_by_type[".npy"] == lengths > 4 * report.documents
    assert set(report.bytes_by_type) == {Path(name).suffix or "segments" for name in sizes} | {".npy"}
    assert {path.name for path in (tmp_path / "index").iterdir()} == {*sizes, *OWN_FILES}
    plain = build_index(documents, tmp_path / "plain", IndexOptions())
    assert plain.bytes == report.bytes - lengths
    assert plain.bytes_by_type == {kind: size for kind, size in report.bytes_by_type.items() if kind != ".npy"}
    assert (plain.documents, plain.empty, plain.statistics) == (report.documents, report.empty, report.statistics)


def test_what_is_asked_for_is_stored(documents: Documents, tmp_path: Path) -> None:
    asked = {
        "positions": IndexOptions(positions=True),
        "stored": IndexOptions(stored=True),
        "vectors": IndexOptions(vectors=True),
    }
    sizes = {name: build_index(documents, tmp_path / name, options).bytes_by_type for name, options in asked.items()}
    plain = build_index(documents, tmp_path / "plain", IndexOptions()).bytes_by_type
    assert ".pos" not in plain
    assert ".tvd" not in plain
    assert sizes["positions"][".pos"] > 10_000
    assert sizes["vectors"][".tvd"] > 10_000
    assert sizes["stored"][".fdt"] > plain[".fdt"] + 10_000
    with open_index(tmp_path / "stored") as reader:
        stored = reader.storedFields().document(5)
        assert (stored.get("id"), stored.get("contents")) == documents[5]


def test_lengths_are_tokens_after_analysis_in_order(documents: Documents, tmp_path: Path) -> None:
    some = [*documents[:60], ("blank", " "), ("stop", "the of"), ("last", "running runs 😀")]
    build_index(some, tmp_path / "index", IndexOptions(lengths=True))
    lengths = np.load(tmp_path / "index" / "lengths.npy")
    analyzer = text_analyzer(Analysis())
    expected = [len(analyse(analyzer, text)) for identifier, text in some if identifier != "blank"]
    assert lengths.dtype == np.int32
    assert lengths.tolist() == expected
    assert expected[-2:] == [0, 3]
    with open_index(tmp_path / "index") as reader:
        assert lengths.sum() == reader.getSumTotalTermFreq("contents")


def test_documents_keep_their_order_over_many_segments(tmp_path: Path) -> None:
    def many() -> Iterator[tuple[str, str]]:
        for number in range(3000):
            yield f"{number * 7919 % 3000:04d}", f"word{number} " * (1 + number % 50)

    build_index(many(), tmp_path / "index", IndexOptions(lengths=True))
    with open_index(tmp_path / "index") as reader:
        ids = [reader.storedFields().document(number).get("id") for number in range(reader.maxDoc())]
    assert ids == [identifier for identifier, _ in many()]
    assert np.load(tmp_path / "index" / "lengths.npy").tolist() == [1 + number % 50 for number in range(3000)]


@pytest.mark.slow
def test_a_very_long_document(tmp_path: Path) -> None:
    long = "word other " * 500_000
    build_index([("long", long), ("short", "word")], tmp_path / "index", IndexOptions())
    with open_index(tmp_path / "index") as reader:
        assert _terms(reader, "contents") == {"word": (2, 500_001), "other": (1, 500_000)}


def test_no_documents(tmp_path: Path) -> None:
    report = build_index([("a", " ")], tmp_path / "index", IndexOptions(lengths=True))
    assert (report.documents, report.empty) == (0, 1)
    assert list(report.bytes_by_type) == [".npy", "segments"]
    assert report.statistics == IndexStatistics(0, 0, 0, 0)
    for model in (RetrievalModel("qld"), RetrievalModel("qld", exact=True)):
        with Searcher(tmp_path / "index", model) as searcher:
            assert searcher.search("word") == []


def test_the_longest_id(tmp_path: Path) -> None:
    build_index([("i" * 32766, "text")], tmp_path / "index", IndexOptions())
    with Searcher(tmp_path / "index", RetrievalModel("bm25")) as searcher:
        assert [identifier for identifier, _ in searcher.search("text")] == ["i" * 32766]


def test_nothing_stays_of_a_build_that_fails(documents: Documents, tmp_path: Path) -> None:
    def failing() -> Iterator[tuple[str, str]]:
        yield from documents
        yield from ((f"{identifier}*", text) for identifier, text in documents)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build_index(failing(), tmp_path / "index", IndexOptions())
    assert list(tmp_path.iterdir()) == []

    report = build_index(documents[:9], tmp_path / "index", IndexOptions())
    with pytest.raises(KeyboardInterrupt):
        build_index(failing(), tmp_path / "index", IndexOptions())
    assert sum(_sizes(tmp_path / "index").values()) == report.bytes
    assert [path.name for path in tmp_path.iterdir()] == ["index"]


def test_the_options_are_kept_with_the_index(tmp_path: Path) -> None:
    options = IndexOptions(positions=True, stemmer="none", stopwords=False)
    report = build_index([("a", "x"), ("b", "")], tmp_path, options)
    settings = settings_of(tmp_path)
    assert settings is not None
    assert settings.options == options
    assert json.loads((tmp_path / "thresher.json").read_text())["empty"] == report.empty == 1
    (tmp_path / "thresher.json").write_text("{}")
    with pytest.raises(StateError) as caught:
        settings_of(tmp_path)
    where = tmp_path / "thresher.json"
    assert_names(caught.value, f"{where}: ", "cannot be read", "Fix: ", "`thresher run FILE`", "`thresher index PAGES`")
    (tmp_path / "thresher.json").unlink()
    assert settings_of(tmp_path) is None


def test_an_unknown_stemmer() -> None:
    with pytest.raises(ConfigError) as caught:
        IndexOptions(stemmer="snowball")
    assert_names(caught.value, "'snowball'", "Fix: ", "porter, krovetz, none")


def test_an_index_says_what_it_was_built_from(tmp_path: Path) -> None:
    origin = Origin("k1", "c", "s", "words@p70", {"words@p70": 11.0})
    report = build_index([("a", "x")], tmp_path / "index", IndexOptions(), origin)
    settings = settings_of(tmp_path / "index")
    assert settings is not None
    assert settings.origin == origin
    reader = java_class("org.apache.lucene.index.DirectoryReader").open(
        java_class("org.apache.lucene.store.FSDirectory").open(java_folder(tmp_path / "index"))
    )
    segment = java_class("org.apache.lucene.index.SegmentInfos").readLatestCommit(reader.directory()).info(0).info
    assert settings.lucene == segment.getVersion().toString()
    reader.close()
    # The folder without what it says of itself.
    build_index([("a", "x")], tmp_path / "other", IndexOptions())
    assert build_index([("a", "x")], tmp_path / "other", IndexOptions()).bytes == report.bytes
    sizes = report.bytes_by_type
    assert is_built_from(tmp_path / "index", "k1", sizes)
    assert not is_built_from(tmp_path / "index", "k2", sizes)
    assert not is_built_from(tmp_path / "index", "k1", {**sizes, ".doc": 0})
    assert not is_built_from(tmp_path / "other", "k1", sizes)
    assert not is_built_from(tmp_path / "none", "k1", sizes)
    (tmp_path / "index" / "thresher.json").write_text("{")
    assert not is_built_from(tmp_path / "index", "k1", sizes)

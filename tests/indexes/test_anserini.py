"""Anserini's indexer over JSON lines: errors that it hides, the order of documents, and interruptions."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from messages import assert_names

from thresher.base.errors import InputError, ResourceError, StateError
from thresher.indexes import anserini
from thresher.indexes.analysis import parse_retrieval
from thresher.indexes.indexing import IndexOptions, build_index, open_index
from thresher.indexes.json_lines import WrittenDocuments
from thresher.indexes.jvm import java_class
from thresher.indexes.posting_lists import PostingLists
from thresher.indexes.searching import Searcher

Documents = list[tuple[str, str]]


def random_documents(count: int, words: int) -> Iterator[tuple[str, str]]:
    chance = random.Random(1)
    for number in range(count):
        length = chance.randint(1, words)
        yield f"{number * 7919 % count:05d}", " ".join(f"w{chance.randrange(10**5)}" for _ in range(length))


def test_a_document_that_lucene_refuses_ends_the_build(documents: Documents, tmp_path: Path) -> None:
    """Anserini drops the rest of the file and returns as if all was well."""
    folder = tmp_path / "index"
    report = build_index(documents[:5], folder, IndexOptions())
    too_long = [*documents[:3], ("i" * 40_000, "text"), *documents[3:]]
    with pytest.raises(StateError, match="IllegalArgumentException") as caught:
        build_index(too_long, folder, IndexOptions())
    assert str(caught.value).startswith(f"{folder}: ")
    assert [path.name for path in tmp_path.iterdir()] == ["index"]
    with open_index(folder) as reader:
        assert reader.numDocs() == report.documents == 5


def test_documents_that_are_missing_end_the_build(
    documents: Documents, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Anserini drops blank documents and says nothing."""
    monkeypatch.setattr("thresher.indexes.json_lines.is_blank", lambda _: False)
    with pytest.raises(StateError, match="Lucene indexed 6 of 7 documents"):
        build_index([*documents[:6], ("blank", " \n")], tmp_path / "index", IndexOptions())
    assert list(tmp_path.iterdir()) == []


def test_an_error_of_the_documents_ends_the_build(documents: Documents, tmp_path: Path) -> None:
    """Java reads the documents meanwhile. It ends, too, and leaves nothing."""
    build_index(documents[:5], tmp_path / "index", IndexOptions())

    def broken() -> Iterator[tuple[str, str]]:
        yield from random_documents(3000, 60)
        raise BrokenPipeError("not that of Java")

    with pytest.raises(InputError, match="not that of Java"):
        build_index(broken(), tmp_path / "index", IndexOptions())
    assert [path.name for path in tmp_path.iterdir()] == ["index"]
    with open_index(tmp_path / "index") as reader:
        assert reader.numDocs() == 5


def test_documents_after_an_early_end_of_java_are_not_read(tmp_path: Path) -> None:
    """Java stops at the second document; the pipe is full long before the last document."""
    read = 0

    def endless() -> Iterator[tuple[str, str]]:
        nonlocal read
        yield "0", "a text"
        yield "i" * 40_000, "an id that Lucene refuses"
        while True:
            read += 1
            yield str(read), "word " * 10_000

    with pytest.raises(StateError, match="IllegalArgumentException"):
        build_index(endless(), tmp_path / "index", IndexOptions())
    assert read < 100
    assert list(tmp_path.iterdir()) == []


def test_an_index_without_its_last_file_is_a_full_disk(
    documents: Documents, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lucene may say nothing if the disk is full at its last write."""
    written = WrittenDocuments(7, 0, [], np.zeros(0, dtype=np.int64))
    monkeypatch.setattr("thresher.indexes.indexing.index_documents", lambda *_: written)
    with pytest.raises(ResourceError, match=f"{tmp_path}/index: .*free some space"):
        build_index(documents[:7], tmp_path / "index", IndexOptions())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_two_builds_have_equal_sizes_and_postings(documents: Documents, tmp_path: Path) -> None:
    sizes = []
    postings = []
    for name in ("first", "second"):
        sizes.append(build_index(documents, tmp_path / name, IndexOptions()).bytes_by_type)
        postings.append(all_postings(tmp_path / name))
    assert sizes[0] == sizes[1]
    assert postings[0] == postings[1]
    assert len(postings[0]) > 1000


def all_postings(folder: Path) -> dict[str, list[list[int]]]:
    """Numbers of documents, and tf in each, by term."""
    found: dict[str, list[list[int]]] = {}
    with open_index(folder) as reader:
        lists = PostingLists(reader)
        terms = java_class("org.apache.lucene.index.MultiTerms").getTerms(reader, "contents").iterator()
        while (term := terms.next()) is not None:
            text = term.utf8ToString()
            posting = lists.of(text)
            assert posting is not None
            assert len(posting.documents) == terms.docFreq()
            assert posting.tf.sum() == terms.totalTermFreq()
            found[text] = [posting.documents.tolist(), posting.tf.tolist()]
    return found


@pytest.mark.slow
def test_lengths_belong_to_their_documents_however_segments_merge(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a small buffer Lucene writes many segments, and may merge them in another order."""
    monkeypatch.setattr(anserini, "BUFFER_MIB", 1)
    documents = list(random_documents(5000, 120))
    report = build_index(documents, tmp_path / "index", IndexOptions(lengths=True))
    lengths = np.load(tmp_path / "index" / "lengths.npy")
    expected = {identifier: len(text.split()) for identifier, text in documents}
    with open_index(tmp_path / "index") as reader:
        assert reader.leaves().size() == 1
        ids = [reader.storedFields().document(number).get("id") for number in range(reader.maxDoc())]
    assert lengths.tolist() == [expected[identifier] for identifier in ids]
    assert sorted(ids) == sorted(expected)
    assert report.statistics.tokens == sum(expected.values())
    # The first segment is not the only one.
    assert not (tmp_path / "index" / "_0.si").exists()


def test_an_index_of_several_segments_is_searched(tmp_path: Path) -> None:
    """Other programs make such indexes."""
    documents = list(random_documents(60, 30))
    for name, most in (("one", None), ("several", 7)):
        folder = tmp_path / name
        build_index(documents, folder, IndexOptions(lengths=True))
        if most is not None:
            write_in_segments(documents, folder, most)
    with open_index(tmp_path / "several") as reader:
        assert reader.leaves().size() > 1
    query = documents[3][1]
    for model in ("qld", "qld(exact)", "bm25"):
        with Searcher(tmp_path / "one", parse_retrieval(model)) as one:
            expected = one.search(query)
        with Searcher(tmp_path / "several", parse_retrieval(model)) as several:
            assert several.search(query) == expected


def write_in_segments(documents: Documents, folder: Path, most: int) -> None:
    """Replace an index by one of segments of `most` documents."""
    lengths = (folder / "lengths.npy").read_bytes()
    settings = (folder / "thresher.json").read_bytes()
    shutil.rmtree(folder)
    parts = [documents[first : first + most] for first in range(0, len(documents), most)]
    config = java_class("org.apache.lucene.index.IndexWriterConfig")()
    config.setMergePolicy(java_class("org.apache.lucene.index.NoMergePolicy").INSTANCE)
    directory = java_class("org.apache.lucene.store.FSDirectory").open(
        java_class("java.nio.file.Paths").get(str(folder))
    )
    writer = java_class("org.apache.lucene.index.IndexWriter")(directory, config)
    for number, part in enumerate(parts):
        source = folder.with_name(f"{folder.name}-{number}")
        build_index(part, source, IndexOptions())
        opened = java_class("org.apache.lucene.store.FSDirectory").open(
            java_class("java.nio.file.Paths").get(str(source))
        )
        writer.addIndexes(opened)
    writer.close()
    directory.close()
    (folder / "lengths.npy").write_bytes(lengths)
    (folder / "thresher.json").write_bytes(settings)


@pytest.mark.slow
@pytest.mark.parametrize("documents", [2, 8])
def test_ctrl_c_ends_a_build(tmp_path: Path, documents: int) -> None:
    """The interrupt comes once Java indexes the only or the last text, or reads one of several, which takes seconds each."""

    def texts() -> Iterator[tuple[str, str]]:
        text = "word other " * 2_000_000
        for number in range(documents):
            if number == 1:
                threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
            yield str(number), text

    with pytest.raises(KeyboardInterrupt):
        build_index(texts(), tmp_path / "index", IndexOptions())
    assert list(tmp_path.iterdir()) == []


ON_A_SMALL_DISK = """
import sys
from pathlib import Path
from thresher.base.errors import ResourceError
from thresher.indexes.indexing import IndexOptions, PrunedDocument, build_index, build_pruned_index
folder = Path(sys.argv[1]) / "index"
words = [" ".join(f"w{(number * 60 + place) * 7919 % 1000003}" for place in range(60)) for number in range(3000)]
try:
    if sys.argv[2] == "plain":
        build_index(((str(n), text) for n, text in enumerate(words)), folder, IndexOptions(positions=True))
    else:
        documents = (PrunedDocument(str(n), text, 0, 60) for n, text in enumerate(words))
        build_pruned_index(documents, folder, IndexOptions(), None)
except ResourceError as error:
    print(error.what, error.where, list(folder.parent.iterdir()))
"""


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "size"), [("plain", "700k"), ("pruned", "700k")])
def test_a_full_disk(tmp_path: Path, kind: str, size: str) -> None:
    """The disk takes a part of the index."""
    mount = f"mount -t tmpfs -o size={size} tmpfs {tmp_path}"
    namespace = ("unshare", "-rm", "sh", "-c")
    if not shutil.which("unshare") or subprocess.run([*namespace, mount], capture_output=True, check=False).returncode:
        pytest.skip("no file system can be mounted here: user namespaces are not allowed")
    command = [*namespace, f'{mount}; exec "$@"', "sh", sys.executable, "-c", ON_A_SMALL_DISK, str(tmp_path), kind]
    done = subprocess.run(command, capture_output=True, text=True, timeout=200, check=False)
    assert_names(done.stdout, "no space left", f"disk {tmp_path}/index []\n")
    assert done.stderr == ""

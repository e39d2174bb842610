"""Building and opening Lucene indexes: the index that Anserini's `IndexCollection` would build of the same documents."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import thresher.base.arrow as pa
from thresher.base.defaults import STEMMERS
from thresher.base.errors import ConfigError, InputError, StateError, ThresherError
from thresher.base.files import atomic_path
from thresher.base.records import RecordFile
from thresher.indexes.analysis import FILLER, english_analyzer, term_list, term_list_analyzer
from thresher.indexes.index_writer import IndexWriter
from thresher.indexes.jvm import java_cast, java_class, java_folder, start, user_error_of_java
from thresher.indexes.original_statistics import ORIGINAL_STATISTICS, write_original_statistics
from thresher.indexes.work import IndexStatistics, index_statistics

LENGTHS = "lengths.npy"
SETTINGS = "thresher.json"
"""Lucene's folder holds these two files of Thresher's as well."""
_PARTS = ("_", "segments_", LENGTHS, SETTINGS, ORIGINAL_STATISTICS, "write.lock")


def is_other_folder(folder: Path) -> bool:
    """Return whether anything but an index is in a folder."""
    known = [one.is_file() and one.name.startswith(_PARTS) for one in folder.iterdir()] if folder.is_dir() else []
    return not all(known) or (bool(known) and not any(folder.glob("segments_*")))


_BATCH_CHARACTERS = 1 << 17
_BLANK = "".join(map(chr, range(33)))


@dataclass(frozen=True)
class IndexOptions:
    """Contents of an index beyond postings with tf, and how text is analysed.

    Args:
        positions: positions of words, for phrase queries.
        stored: the text of the documents.
        vectors: a term vector, with positions, of each document.
        stemmer: `porter`, `krovetz` or `none`.
        stopwords: drop Lucene's 33 English stop words.
        lengths: exact document lengths beside the index, for `qld(exact)`; costs a second analysis.
    """

    positions: bool = False
    stored: bool = False
    vectors: bool = False
    stemmer: str = STEMMERS[0]
    stopwords: bool = True
    lengths: bool = False

    def __post_init__(self) -> None:
        if self.stemmer not in STEMMERS:
            raise ConfigError(f"there is no stemmer {self.stemmer!r}", f"use one of {', '.join(STEMMERS)}")


@dataclass(frozen=True)
class Origin:
    """The origin of an index.

    `key` is a digest of all that decides its contents, `collection` of the collection's files, `scores` of the score
    store's key; `treatment` is the variant's name, `cutoffs` the numbers that its percentiles resolved to, by cuts.
    """

    key: str
    collection: str = ""
    scores: str = ""
    treatment: str = ""
    cutoffs: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class IndexSettings:
    """The content of `SETTINGS`; `emptied`: the documents that pruning left without a posting; `original_statistics`: whether
    it is ranked with the statistics of the unpruned collection, which are beside it; `lucene`: the version that wrote it.
    """

    options: IndexOptions
    documents: int
    empty: int
    emptied: int = 0
    original_statistics: bool = False
    lucene: str = ""
    origin: Origin | None = None


_SETTINGS_FILE = RecordFile(IndexSettings, "a record of an index", "build it again", error=StateError, indent=2)


@dataclass(frozen=True)
class IndexReport:
    """Counts and sizes of a new index; `documents` and `empty` add up to the documents given.

    Documents of white space and control characters only (up to U+0020) are empty and, as in Anserini, dropped; one of stop
    words only is indexed without terms. `bytes` is the size of all files that a search reads; `bytes_by_type` splits it by
    file suffix (`.doc` postings, `.tim` terms, `.npy` exact document lengths…; files without one by their name up to `_`).
    """

    documents: int
    empty: int
    bytes: int
    bytes_by_type: dict[str, int]
    statistics: IndexStatistics


def build_index(
    documents: Iterable[tuple[str, str]], folder: Path, options: IndexOptions, origin: Origin | None = None
) -> IndexReport:
    """Index (id, contents) pairs, in their order, into `folder`, which is replaced on success.

    Ids are unique and pass `thresher.collections.interface.id_problem`, as those of a score store do.

    A Java thread indexes while Python fetches the next documents. The index is one segment; two builds of the same documents
    have the same size to the byte. In contents, lone surrogates become U+FFFD and U+0000 a space, which changes no term.
    The index keeps `origin`, for `is_built_from`.
    """
    return replace_index(folder, lambda temporary: _write(documents, temporary, options), origin)


def replace_index(folder: Path, write: Callable[[Path], IndexSettings], origin: Origin | None = None) -> IndexReport:
    """Let `write` fill an empty folder with an index, check it, note its `origin`, and replace `folder` by it."""
    start()
    from jnius import JavaException

    with atomic_path(folder) as temporary:
        temporary.mkdir()
        try:
            settings = write(temporary)
            with open_index(temporary, folder) as reader:
                statistics = index_statistics(reader)
                statistics = replace(statistics, documents=statistics.documents - settings.emptied)
        except JavaException as error:
            raise user_error_of_java(error, str(folder)) from error
        (temporary / "write.lock").unlink(missing_ok=True)
        lucene = str(java_class("org.apache.lucene.util.Version").LATEST.toString())
        _SETTINGS_FILE.write(temporary / SETTINGS, replace(settings, lucene=lucene, origin=origin))
        sizes = _bytes_by_type(temporary)
    return IndexReport(settings.documents, settings.empty, sum(sizes.values()), sizes, statistics)


@contextmanager
def open_index(folder: Path, shown: Path | None = None) -> Iterator[Any]:
    """Yield the `IndexReader` (a Java object) of the index in `folder`; close it at the end.

    Java exceptions inside the block become errors about `shown` (or `folder`).
    """
    if not folder.is_dir():  # which Lucene would make
        raise InputError("there is no such folder", "build the index first or check the path", str(shown or folder))
    start()
    from jnius import JavaException

    try:
        directory = java_class("org.apache.lucene.store.FSDirectory").open(java_folder(folder))
        try:
            reader = java_class("org.apache.lucene.index.DirectoryReader").open(directory)
            try:
                yield java_cast("org.apache.lucene.index.IndexReader", reader)
            finally:
                reader.close()
        finally:
            directory.close()
    except JavaException as error:
        raise user_error_of_java(error, str(shown or folder)) from error


def settings_of(folder: Path) -> IndexSettings | None:
    """Return what the index in `folder` keeps about itself; None for an index made by other programs."""
    path = folder / SETTINGS
    try:
        return _SETTINGS_FILE.read(path) if path.exists() else None
    except ThresherError as error:
        raise StateError("the options of the index cannot be read", "build it again", str(path)) from error


def is_built_from(folder: Path, key: str, bytes_by_type: Mapping[str, int]) -> bool:
    """Return whether `folder` holds an index that says it was built from what has this key, with files of these bytes."""
    try:
        settings = settings_of(folder)
    except StateError:
        return False
    said = settings is not None and settings.origin is not None and settings.origin.key == key
    return said and _bytes_by_type(folder) == bytes_by_type


def is_blank(contents: str) -> bool:
    """Return whether a text has only white space and control characters (up to U+0020), so that it is not indexed."""
    return not (contents[:1] > " " or contents.strip(_BLANK))


def write_documents(
    writer: IndexWriter, documents: Iterable[tuple[str, str | None]]
) -> tuple[int, int, npt.NDArray[np.int32] | None]:
    """Write (id, contents) pairs, in their order, and close the index; return the numbers of documents indexed and
    dropped, and what `IndexWriter.finish` returns.

    Contents are None for a document that is dropped, and never an empty string.
    """
    indexed = dropped = characters = 0
    batch: list[str] = []
    try:
        for identifier, contents in documents:
            if contents is None:
                dropped += 1
                continue
            indexed += 1
            batch += (identifier, contents)
            characters += len(contents)
            if characters >= _BATCH_CHARACTERS:
                writer.add(batch)
                batch, characters = [], 0
        if batch:
            writer.add(batch)
        lengths = writer.finish()
    except BaseException:
        writer.abandon()
        raise
    return indexed, dropped, lengths


def _write(documents: Iterable[tuple[str, str]], folder: Path, options: IndexOptions) -> IndexSettings:
    fields = asdict(options)
    analyzer = english_analyzer(fields.pop("stemmer"), fields.pop("stopwords"))
    texts = ((identifier, None if is_blank(contents) else contents) for identifier, contents in documents)
    indexed, empty, lengths = write_documents(IndexWriter(folder, analyzer, **fields), texts)
    if lengths is not None:
        np.save(folder / LENGTHS, lengths)
    return IndexSettings(options, indexed, empty)


def _bytes_by_type(folder: Path) -> dict[str, int]:
    sizes: dict[str, int] = {}
    for path in sorted(folder.iterdir()):
        if path.name != SETTINGS:
            kind = path.suffix or path.name.split("_")[0]
            sizes[kind] = sizes.get(kind, 0) + path.stat().st_size
    return dict(sorted(sizes.items()))


@dataclass(frozen=True)
class PrunedDocument:
    """A document without some of its terms.

    Attributes:
        id: its id.
        terms: what is kept, as `term_lists` describes it; empty if nothing is.
        removed: the tokens that were removed; 0 if the index is ranked with its own statistics.
        length: its exact length in tokens, for `qld(exact)`: before pruning, or of what is kept if the index is ranked with
            its own statistics.
        emptied: whether it had terms and has none left: no query finds it.
    """

    id: str
    terms: str
    removed: int
    length: int
    emptied: bool = False


Changed = Callable[[], "pa.Table"]


def cannot_hold(options: object) -> Iterator[tuple[str, str]]:
    """Give the options, of an index or of [index], that ask for what a pruned index cannot hold, each with what is wrong."""
    for option in ("positions", "stored", "vectors"):
        if getattr(options, option):
            yield option, f"a pruned index cannot hold what {option} = true asks for"


def build_pruned_index(
    documents: Iterable[PrunedDocument],
    folder: Path,
    options: IndexOptions,
    changed: pa.Table | Changed | None,
    origin: Origin | None = None,
) -> IndexReport:
    """Index documents, in their order, into `folder`, which is replaced on success.

    If nothing was removed the index has the same bytes as that of `build_index`.

    Args:
        documents: all documents that are not blank; one of stop words only has no terms and lost nothing.
        folder: the index.
        options: how the terms were analysed, and whether exact lengths are kept. A list of terms has no positions and no text.
        changed: for ranking with the statistics of the unpruned collection, what was removed, or what to call for it after
            the last document: a row for each `term` that lost postings, even if it has none left, with the documents `df` and
            occurrences `cf` that it lost, in any order. None for ranking with the statistics of the pruned index.
        origin: kept with the index.
    """
    for option, what in cannot_hold(options):
        raise ConfigError(what, f"leave out {option}, or index pruning")
    return replace_index(folder, lambda temporary: _write_pruned(documents, temporary, options, changed), origin)


def _write_pruned(
    documents: Iterable[PrunedDocument], folder: Path, options: IndexOptions, changed: pa.Table | Changed | None
) -> IndexSettings:
    lengths, removed, emptied = array("i"), 0, 0

    def contents() -> Iterator[tuple[str, str]]:
        nonlocal removed, emptied
        for document in documents:
            lengths.append(document.length)
            removed += document.removed
            emptied += document.emptied
            filler = term_list([(FILLER, document.removed)]) if document.removed else ""
            yield document.id, f"{document.terms} {filler}"

    indexed, _, _ = write_documents(IndexWriter(folder, term_list_analyzer()), contents())
    if options.lengths:
        np.save(folder / LENGTHS, np.array(lengths, dtype=np.int32))
    table = changed() if callable(changed) else changed
    lost = int(table["cf"].to_numpy().sum()) if table is not None else 0
    if lost != removed:
        raise ValueError(f"documents lost {removed} tokens, but their terms {lost}")
    if table is None:
        return IndexSettings(options, indexed, 0, emptied)
    with open_index(folder) as reader:
        written = write_original_statistics(folder / ORIGINAL_STATISTICS, table, reader)
    return IndexSettings(options, indexed, 0, emptied, written)

"""Building and opening Lucene indexes."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.base.defaults import LANGUAGE, STEMMERS
from thresher.base.errors import ConfigError, InputError, ResourceError, StateError, ThresherError
from thresher.base.files import atomic_path
from thresher.base.records import RecordFile
from thresher.indexes.analysis import FILLER, Analysis, term_list
from thresher.indexes.anserini import index_documents
from thresher.indexes.document_ids import DocumentIds
from thresher.indexes.json_lines import WrittenDocuments
from thresher.indexes.jvm import java_cast, java_class, java_folder, start, user_error_of_java
from thresher.indexes.original_statistics import (
    BUILD_AGAIN,
    ORIGINAL_STATISTICS,
    TermLosses,
    write_original_statistics,
)
from thresher.indexes.term_list_writer import TermListWriter
from thresher.indexes.work import IndexStatistics, index_statistics

LENGTHS = "lengths.npy"
SETTINGS = "thresher.json"
"""Thresher's files in Lucene's folder: exact document lengths, and settings."""
_LOCK = "write.lock"
_PARTS = ("_", "segments_", LENGTHS, SETTINGS, ORIGINAL_STATISTICS, _LOCK)
_CONTENTS = "contents"


@dataclass(frozen=True)
class IndexOptions:
    """Contents of an index beyond postings with tf, and how text is analysed.

    Args:
        positions: positions of words, for phrase queries.
        stored: the text of the documents.
        vectors: a term vector, with positions, of each document.
        stemmer, stopwords, language: see `thresher.indexes.analysis.Analysis`.
        lengths: exact document lengths beside the index, for `qld(exact)`.
    """

    positions: bool = False
    stored: bool = False
    vectors: bool = False
    stemmer: str = STEMMERS[0]
    stopwords: bool = True
    lengths: bool = False
    language: str = LANGUAGE

    def __post_init__(self) -> None:
        """Check the language and the stemmer."""
        _ = self.analysis

    @property
    def analysis(self) -> Analysis:
        """How documents and queries become terms."""
        return Analysis(self.language, self.stemmer, self.stopwords)


@dataclass(frozen=True)
class Origin:
    """The origin of an index.

    Args:
        key: a digest of all inputs that decide the contents of the index.
        collection: a digest of the collection's files.
        scores: a digest of the score store's key.
        treatment: the variant's name.
        cutoffs: the numbers of its percentiles, by cuts.
    """

    key: str
    collection: str = ""
    scores: str = ""
    treatment: str = ""
    cutoffs: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class IndexSettings:
    """The content of the file `SETTINGS`.

    Args:
        options: of the index.
        documents: in the index.
        empty: documents that were dropped because they have no text.
        emptied: documents that pruning left without a posting.
        original_statistics: whether the statistics of the unpruned collection rank; they are in a file beside the index.
        lucene: the version that wrote the index.
        origin: of the index.
    """

    options: IndexOptions
    documents: int
    empty: int
    emptied: int = 0
    original_statistics: bool = False
    lucene: str = ""
    origin: Origin | None = None


_SETTINGS_FILE = RecordFile(IndexSettings, "a record of an index", BUILD_AGAIN, error=StateError, indent=2)


@dataclass(frozen=True)
class IndexReport:
    """Counts and sizes of a new index; `documents` and `empty` add up to the documents given.

    Documents of white space and control characters only (up to U+0020) are empty and, as in Anserini, dropped; a
    document of stop words only is indexed without terms. `bytes` is the size of all files that a search reads;
    `bytes_by_type` splits it by file suffix (`.doc` postings, `.tim` terms, `.npy` exact document lengths…; files
    without one by their name up to `_`).
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

    Ids are unique and pass `thresher.collections.interface.id_problem`, as the ids of a score store do.

    Anserini's `IndexCollection` indexes the documents. The index is one segment; two builds of the same documents have the
    same size to the byte. In contents, lone surrogates become U+FFFD and U+0000 a space, which changes no term. The index
    keeps `origin`, for `is_built_from`.
    """

    def write(temporary: Path) -> IndexSettings:
        written = index_documents(documents, temporary, options)
        if options.lengths:
            np.save(temporary / LENGTHS, _lengths_by_number(temporary, written))
        return IndexSettings(options, written.documents, written.blank)

    return replace_index(folder, write, origin)


def replace_index(folder: Path, write: Callable[[Path], IndexSettings], origin: Origin | None = None) -> IndexReport:
    """Let `write` fill an empty folder with an index, check it, note its `origin`, and replace `folder` by it.

    Raises:
        StateError: the index lacks documents, or has more than one segment.
    """
    start()
    from jnius import JavaException

    with atomic_path(folder) as temporary:
        temporary.mkdir()
        try:
            settings = write(temporary)
            _check_written(temporary, folder)
            with open_index(temporary, folder) as reader:
                _check_complete(reader, settings.documents, folder)
                statistics = index_statistics(reader)
        except JavaException as error:
            raise user_error_of_java(error, str(folder)) from error
        statistics = replace(statistics, documents=statistics.documents - settings.emptied)
        (temporary / _LOCK).unlink(missing_ok=True)
        lucene = str(java_class("org.apache.lucene.util.Version").LATEST.toString())
        _SETTINGS_FILE.write(temporary / SETTINGS, replace(settings, lucene=lucene, origin=origin))
        sizes = _bytes_by_type(temporary)
    return IndexReport(settings.documents, settings.empty, sum(sizes.values()), sizes, statistics)


def _check_written(temporary: Path, folder: Path) -> None:
    """Raise an error unless Lucene has written the list of segments, its last file: on a full disk it may say nothing."""
    if not any(temporary.glob("segments_*")):
        fix = "free some space and run the same command again"
        raise ResourceError("Lucene could not write the whole index", fix, str(folder))


def _check_complete(reader: Any, documents: int, folder: Path) -> None:
    """Raise an error unless the index has all documents in one segment: Anserini logs many errors and goes on."""
    indexed = reader.numDocs()
    if indexed != documents:
        what = f"Lucene indexed {indexed:,} of {documents:,} documents"
        raise StateError(what, "check the space on the disk and build the index again", str(folder))
    segments = reader.leaves().size()
    if segments > 1:
        what = f"Lucene did not merge the index: it has {segments} segments"
        raise StateError(what, "check the space on the disk and build the index again", str(folder))


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
    """Return the settings of the index in `folder`; None for an index made by other programs."""
    path = folder / SETTINGS
    try:
        return _SETTINGS_FILE.read(path) if path.exists() else None
    except ThresherError as error:
        raise StateError("the options of the index cannot be read", BUILD_AGAIN, str(path)) from error


def is_built_from(folder: Path, key: str, bytes_by_type: Mapping[str, int]) -> bool:
    """Return whether `folder` has an index whose origin has this key and whose files have these bytes."""
    try:
        settings = settings_of(folder)
    except StateError:
        return False
    if settings is None or settings.origin is None or settings.origin.key != key:
        return False
    return _bytes_by_type(folder) == bytes_by_type


def is_other_folder(folder: Path) -> bool:
    """Return whether a folder has files or folders that do not belong to an index."""
    if not folder.is_dir():
        return False
    entries = list(folder.iterdir())
    for entry in entries:
        if not entry.is_file() or not entry.name.startswith(_PARTS):
            return True
    return bool(entries) and not any(folder.glob("segments_*"))


def _lengths_by_number(folder: Path, written: WrittenDocuments) -> npt.NDArray[np.int32]:
    """Return the exact lengths of an index's documents by document number.

    Anserini may merge segments in another order than the order of the documents, so the ids of the index are read.
    """
    with open_index(folder) as reader:
        ids = DocumentIds(reader).of(np.arange(reader.maxDoc(), dtype=np.int32))
        tokens_of_lucene = max(reader.getSumTotalTermFreq(_CONTENTS), 0)
    tokens = int(written.lengths.sum())
    if tokens != tokens_of_lucene:
        raise ValueError(f"Lucene indexed {tokens_of_lucene} tokens, but {tokens} were counted")
    line_of_id = {identifier: line for line, identifier in enumerate(written.ids)}
    lines = np.array([line_of_id[identifier] for identifier in ids], dtype=np.int64)
    return written.lengths[lines].astype(np.int32)


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
        terms: the list of its remaining terms, as `thresher.indexes.analysis` describes it; empty if no term remains.
        removed: the number of removed tokens; 0 if the index is ranked with its own statistics.
        length: its exact length in tokens, for `qld(exact)`: before pruning, or after it if the index is ranked with its own
            statistics.
        emptied: whether pruning removed all its terms, so that no query finds it.
    """

    id: str
    terms: str
    removed: int
    length: int
    emptied: bool = False


def cannot_hold(options: object) -> Iterator[tuple[str, str]]:
    """Give each option, of an index or of [index], that a pruned index cannot fulfil, and the problem."""
    for option in ("positions", "stored", "vectors"):
        if getattr(options, option):
            yield option, f"a pruned index cannot hold what {option} = true asks for"


def build_pruned_index(
    documents: Iterable[PrunedDocument],
    folder: Path,
    options: IndexOptions,
    lost: Callable[[], TermLosses] | None,
    origin: Origin | None = None,
) -> IndexReport:
    """Index documents, in their order, into `folder`, which is replaced on success.

    If nothing was removed, the index has the same bytes as an index of `build_index`.

    Args:
        documents: all documents that are not blank; a document of stop words only has no terms and lost nothing.
        folder: the index.
        options: the analysis of the terms, and whether to write exact lengths. A list of terms has no positions and no text.
        lost: for ranking with the statistics of the unpruned collection: returns the losses of all terms, and is called after
            the last document. None for ranking with the statistics of the pruned index.
        origin: kept with the index.
    """
    for option, problem in cannot_hold(options):
        raise ConfigError(problem, f"leave out {option}, or index pruning")
    return replace_index(folder, lambda temporary: _write_pruned(documents, temporary, options, lost), origin)


def _write_pruned(
    documents: Iterable[PrunedDocument], folder: Path, options: IndexOptions, lost: Callable[[], TermLosses] | None
) -> IndexSettings:
    lengths = array("i")
    removed = emptied = 0
    writer = TermListWriter(folder)
    try:
        for document in documents:
            lengths.append(document.length)
            removed += document.removed
            if document.emptied:
                emptied += 1
            filler = ""
            if document.removed:
                filler = term_list([(FILLER, document.removed)])
            writer.add(document.id, f"{document.terms} {filler}")
        writer.finish()
    except BaseException:
        writer.abandon()
        raise
    if options.lengths:
        np.save(folder / LENGTHS, np.array(lengths, dtype=np.int32))
    losses = lost() if lost is not None else None
    tokens_lost = losses.tokens if losses is not None else 0
    if tokens_lost != removed:
        raise ValueError(f"documents lost {removed} tokens, but their terms {tokens_lost}")
    has_losses = False
    if losses is not None:
        with open_index(folder) as reader:
            has_losses = write_original_statistics(folder / ORIGINAL_STATISTICS, losses, reader)
    return IndexSettings(options, len(lengths), 0, emptied, has_losses)

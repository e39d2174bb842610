"""The Java side of indexing: a writer that takes batches of documents and loops over them in Java."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.indexes import handles
from thresher.indexes.analysis import valid_unicode
from thresher.indexes.handles import Integers
from thresher.indexes.jvm import java_class, java_folder

SEPARATOR = "\0"
"""Separates the strings of a batch. Within a text it separates words as a space does."""

_BUFFER_MIB = 256.0
"""The buffer of postings; fixed, so that an index does not depend on the machine's memory."""

_AHEAD = 2
"""Batches that may be queued for Java."""

_FIELD = "org.apache.lucene.document.Field"


class IndexWriter:
    """Writes documents, in order and in one thread, to a Lucene index in a new folder.

    The fields are Anserini's: `id` (stored, searchable, and as doc values to break ties) and `contents`. Merges happen
    at fixed points and join neighbours only, so documents keep their order and two builds give the same files.

    Java exceptions are raised as `jnius.JavaException`, possibly some batches later.
    """

    def __init__(
        self,
        folder: Path,
        analyzer: Any,
        *,
        positions: bool = False,
        stored: bool = False,
        vectors: bool = False,
        lengths: bool = False,
    ) -> None:
        self._analyzer = analyzer
        self._directory = java_class("org.apache.lucene.store.FSDirectory").open(java_folder(folder))
        self._writer = java_class("org.apache.lucene.index.IndexWriter")(self._directory, _config(self._analyzer))
        self._lengths = Integers() if lengths else None
        self._add_all = self._loop(_contents_type(positions, stored, vectors))
        self._thread = java_class("java.util.concurrent.Executors").newSingleThreadExecutor()
        self._pending: deque[Any] = deque()

    def add(self, strings: Sequence[str]) -> None:
        """Add a batch: id, contents, id, contents… Ids contain no separator and contents are not empty."""
        joined = SEPARATOR.join(strings)
        if joined.count(SEPARATOR) != len(strings) - 1:
            joined = SEPARATOR.join(string.replace(SEPARATOR, " ") for string in strings)
        if not joined.isascii():
            joined = valid_unicode(joined)
        task = handles.as_interface(handles.bind(self._add_all, 0, joined), "java.lang.Runnable")
        while len(self._pending) >= _AHEAD:
            self._pending.popleft().get()
        self._pending.append(self._thread.submit(task))

    def finish(self) -> npt.NDArray[np.int32] | None:
        """Write everything, merge to one segment and close; return the documents' lengths in tokens if `lengths` was set."""
        while self._pending:
            self._pending.popleft().get()
        self._writer.forceMerge(1)
        self._writer.close()
        self._close()
        return self._lengths.take() if self._lengths else None

    def abandon(self) -> None:
        """Give up: release the folder and Java's resources; the index is unusable."""
        from jnius import JavaException

        self._pending.clear()
        try:
            self._thread.shutdownNow()
            self._writer.rollback()
        except JavaException:
            # The original exception is reported; it may have closed the writer.
            pass
        finally:
            self._close()

    def _close(self) -> None:
        self._thread.shutdown()
        self._directory.close()

    def _loop(self, contents_type: Any) -> Any:
        """Return the handle that adds a joined batch, reusing one Lucene document."""
        string = handles.STRING
        document = java_class("org.apache.lucene.document.Document")()
        stored = java_class("org.apache.lucene.document.Field$Store").YES
        identifier = java_class("org.apache.lucene.document.StringField")("id", "", stored)
        sorting = java_class("org.apache.lucene.document.BinaryDocValuesField")("id", java_class(handles.BYTES)())
        contents = java_class(_FIELD)("contents", handles.characters(""), contents_type)
        for field in (identifier, sorting, contents):
            document.add(field)

        to_bytes = handles.constructor(handles.BYTES, "(Ljava/lang/CharSequence;)V")
        to_bytes = handles.cast(to_bytes, f"({string}){handles.descriptor(handles.BYTES)}")
        set_bytes = handles.method(_FIELD, "setBytesValue", f"({handles.descriptor(handles.BYTES)})V")
        set_sorting = handles.pipe(to_bytes, handles.bind(set_bytes, 0, sorting))
        set_text = handles.method(_FIELD, "setStringValue", f"({string})V")
        set_identifier = handles.bind(set_text, 0, identifier)
        set_contents = handles.bind(set_text, 0, contents)
        if self._lengths:
            set_contents = handles.together(self._count_tokens(self._lengths), set_contents)
        add = handles.method("org.apache.lucene.index.IndexWriter", "addDocument", "(Ljava/lang/Iterable;)J")
        add = handles.cast(handles.bind(add, 0, self._writer, document), "()V")

        following = handles.next_of(string)
        one = handles.together(
            handles.pipe(following, handles.together(set_identifier, set_sorting)),
            handles.pipe(following, set_contents),
            handles.ignoring(add, "java.util.Iterator"),
        )
        split = handles.method("java.lang.String", "split", f"({string})[{string}")
        split = handles.bind(split, 1, SEPARATOR)
        return handles.pipe(split, handles.iterate_array(string), handles.for_all(one))

    def _count_tokens(self, lengths: Integers) -> Any:
        analyse = handles.static(
            "io.anserini.analysis.AnalyzerUtils",
            "analyze",
            f"(Lorg/apache/lucene/analysis/Analyzer;{handles.STRING})Ljava/util/List;",
        )
        size = handles.method("java.util.List", "size", "()I")
        return handles.pipe(handles.bind(analyse, 0, self._analyzer), size, lengths.note)


def _config(analyzer: Any) -> Any:
    policy = java_class("org.apache.lucene.index.LogDocMergePolicy")()
    policy.setNoCFSRatio(0.0)
    config = java_class("org.apache.lucene.index.IndexWriterConfig")(analyzer)
    config.setOpenMode(java_class("org.apache.lucene.index.IndexWriterConfig$OpenMode").CREATE)
    config.setRAMBufferSizeMB(_BUFFER_MIB)
    config.setUseCompoundFile(False)
    config.setMergePolicy(policy)
    config.setMergeScheduler(java_class("org.apache.lucene.index.SerialMergeScheduler")())
    return config


def _contents_type(positions: bool, stored: bool, vectors: bool) -> Any:
    options = java_class("org.apache.lucene.index.IndexOptions")
    kind = java_class("org.apache.lucene.document.FieldType")()
    kind.setIndexOptions(options.DOCS_AND_FREQS_AND_POSITIONS if positions else options.DOCS_AND_FREQS)
    kind.setStored(stored)
    if vectors:
        kind.setStoreTermVectors(True)
        kind.setStoreTermVectorPositions(True)
    return kind

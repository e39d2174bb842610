"""Writes pruned indexes: Lucene's own `IndexWriter` over lists of terms."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from thresher.indexes.analysis import term_list_analyzer
from thresher.indexes.anserini import BUFFER_MIB
from thresher.indexes.jvm import java_characters, java_class, java_folder


class TermListWriter:
    """Writes documents, in order and in one thread, to a Lucene index in a new folder.

    The fields are Anserini's: `id` (stored, searchable, and as doc values to break ties) and `contents`. Merges happen
    at fixed points and join neighbours only, so documents keep their order and two builds give the same files.

    Java exceptions are raised as `jnius.JavaException`.
    """

    def __init__(self, folder: Path) -> None:
        self._directory = java_class("org.apache.lucene.store.FSDirectory").open(java_folder(folder))
        self._writer = java_class("org.apache.lucene.index.IndexWriter")(self._directory, _configuration())
        stored = java_class("org.apache.lucene.document.Field$Store").YES
        no_bytes = java_class("org.apache.lucene.util.BytesRef")()
        self._id = java_class("org.apache.lucene.document.StringField")("id", "", stored)
        self._sort_key = java_class("org.apache.lucene.document.BinaryDocValuesField")("id", no_bytes)
        self._contents = java_class("org.apache.lucene.document.Field")(
            "contents", java_characters(""), _contents_type()
        )
        # One Java document is reused: its fields take new values.
        self._document = java_class("org.apache.lucene.document.Document")()
        self._document.add(self._id)
        self._document.add(self._sort_key)
        self._document.add(self._contents)

    def add(self, identifier: str, terms: str) -> None:
        """Add a document; `terms` is a list of terms as `thresher.indexes.analysis` describes it, and not empty."""
        self._id.setStringValue(identifier)
        self._sort_key.setBytesValue(identifier.encode())
        self._contents.setStringValue(terms)
        self._writer.addDocument(self._document)

    def finish(self) -> None:
        """Write everything, merge the index to one segment and close it."""
        self._writer.forceMerge(1)
        self._writer.close()
        self._directory.close()

    def abandon(self) -> None:
        """Release the folder and Java's resources; the index is unusable."""
        from jnius import JavaException

        try:
            self._writer.rollback()
        except JavaException:
            # The original exception is reported; it may have closed the writer.
            pass
        finally:
            self._directory.close()


def _configuration() -> Any:
    policy = java_class("org.apache.lucene.index.LogDocMergePolicy")()
    policy.setNoCFSRatio(0.0)
    configuration = java_class("org.apache.lucene.index.IndexWriterConfig")(term_list_analyzer())
    configuration.setOpenMode(java_class("org.apache.lucene.index.IndexWriterConfig$OpenMode").CREATE)
    configuration.setRAMBufferSizeMB(float(BUFFER_MIB))
    configuration.setUseCompoundFile(False)
    configuration.setMergePolicy(policy)
    configuration.setMergeScheduler(java_class("org.apache.lucene.index.SerialMergeScheduler")())
    return configuration


def _contents_type() -> Any:
    kind = java_class("org.apache.lucene.document.FieldType")()
    kind.setIndexOptions(java_class("org.apache.lucene.index.IndexOptions").DOCS_AND_FREQS)
    kind.setStored(False)
    return kind

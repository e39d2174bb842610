"""Anserini's `IndexCollection`, which indexes documents while Python writes them."""

from __future__ import annotations

import fcntl
import os
import select
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from thresher.base.files import final_path
from thresher.indexes.json_lines import WrittenDocuments, write_json_lines
from thresher.indexes.jvm import java_cast, java_class, user_error_of_java

if TYPE_CHECKING:
    from thresher.indexes.indexing import IndexOptions

BUFFER_MIB = 256
"""Postings that Lucene holds in memory; fixed, so that an index does not depend on the machine's memory."""

_LINK = "documents.jsonl"
_LONGEST_STRING = 2**31 - 1
_PIPE_BYTES = 1 << 20
"""Java indexes what is in the pipe while Python reads the next pages; Linux gives no larger pipe without privileges."""
_LOOK_MS = 100
"""Milliseconds between two looks at Python's signals, and at whether Java has ended, while Python waits for Java."""
_END_MS = 60_000
"""Milliseconds that Java has to end an interrupted build."""


def index_documents(documents: Iterable[tuple[str, str]], index: Path, options: IndexOptions) -> WrittenDocuments:
    """Index (id, contents) pairs into the folder `index`, in one thread, and merge the index to one segment.

    Python writes the documents as JSON lines into a pipe, and Anserini indexes them meanwhile. Anserini reads the files of a
    folder, so a temporary folder inside the index has a link to the pipe.

    Anserini logs many errors and goes on, so the caller must compare the numbers of documents.

    Raises:
        ResourceError: the disk or Java's memory is full.
        StateError: Lucene closed the index for another reason.
        jnius.JavaException: Anserini failed.
    """
    with TemporaryDirectory(dir=index) as folder, _Pipe() as pipe, _printed_errors() as printed:
        (Path(folder) / _LINK).symlink_to(pipe.path)
        indexer = java_class("io.anserini.index.IndexCollection")(_arguments(Path(folder), index, options))
        # Errors are raised here; Anserini would log some and print others.
        configurator = java_class("org.apache.logging.log4j.core.config.Configurator")
        configurator.setRootLevel(java_class("org.apache.logging.log4j.Level").OFF)
        written = _write_while_indexing(documents, pipe, indexer, options)
        failure = indexer.writer.getTragicException()
        message = failure.toString() if failure is not None else printed.toString()
    if message:
        raise user_error_of_java(RuntimeError(message), str(final_path(index)))
    return written


class _Pipe:
    """A pipe from Python to Java, which opens it by its path as a file.

    Python keeps the end that Java reads open, too: what it wrote stays in the pipe until Java opens it.
    """

    def __init__(self) -> None:
        self._reading_end, self._writing_end = os.pipe()
        self._open = True
        os.set_blocking(self._writing_end, False)
        if sys.platform == "linux":
            # A user with many pipes gets no larger pipe. A small one only costs time.
            with suppress(OSError):
                fcntl.fcntl(self._writing_end, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
        self._room = select.poll()
        self._room.register(self._writing_end, select.POLLOUT)
        self.path = f"/dev/fd/{self._reading_end}"

    def __enter__(self) -> _Pipe:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()
        os.close(self._reading_end)

    def write(self, data: bytes, reader: Any) -> bool:
        """Write bytes; return whether all were written before `reader`, a Java `Future`, was done."""
        rest = memoryview(data)
        while rest:
            if self._room.poll(_LOOK_MS):
                rest = rest[os.write(self._writing_end, rest) :]
            elif reader.isDone():
                return False
        return True

    def end(self) -> None:
        """Let Java read the end of the file after all that was written. Nothing can be written after it."""
        if self._open:
            os.close(self._writing_end)
            self._open = False


def _write_while_indexing(
    documents: Iterable[tuple[str, str]], pipe: _Pipe, indexer: Any, options: IndexOptions
) -> WrittenDocuments:
    """Run Anserini's indexer in a thread of Java, and write documents into the pipe that it reads.

    Python waits in small steps, so that it notices Ctrl-C meanwhile and can give the index up.
    """
    from jnius import JavaException

    milliseconds = java_class("java.util.concurrent.TimeUnit").MILLISECONDS
    executor = java_class("java.util.concurrent.Executors").newSingleThreadExecutor()
    indexing = executor.submit(java_cast("java.lang.Runnable", indexer))
    executor.shutdown()
    try:
        written = write_json_lines(documents, lambda lines: pipe.write(lines, indexing), options)
        pipe.end()
        while not executor.awaitTermination(_LOOK_MS, milliseconds):
            pass
    except BaseException:
        # Without a writer and without further lines, the indexer ends. Its exceptions no longer matter.
        with suppress(JavaException):
            indexer.writer.rollback()
        pipe.end()
        executor.awaitTermination(_END_MS, milliseconds)
        raise
    indexing.get()
    return written


@contextmanager
def _printed_errors() -> Iterator[Any]:
    """Yield a Java stream that takes what Java prints to standard error in the block."""
    system = java_class("java.lang.System")
    before = system.err
    printed = java_class("java.io.ByteArrayOutputStream")()
    system.setErr(java_class("java.io.PrintStream")(java_cast("java.io.OutputStream", printed)))
    try:
        yield printed
    finally:
        system.setErr(before)


def _arguments(lines: Path, index: Path, options: IndexOptions) -> Any:
    _allow_long_strings()
    arguments = java_class("io.anserini.index.IndexCollection$Args")()
    arguments.collectionClass = "JsonCollection"
    arguments.generatorClass = "DefaultLuceneDocumentGenerator"
    arguments.input = str(lines.absolute())
    arguments.index = str(index.absolute())
    arguments.threads = 1
    arguments.memoryBuffer = BUFFER_MIB
    arguments.optimize = True
    arguments.quiet = True
    arguments.language = options.analysis.anserini_language
    arguments.stemmer = options.stemmer
    arguments.keepStopwords = not options.stopwords
    arguments.storePositions = options.positions
    arguments.storeContents = options.stored
    arguments.storeDocvectors = options.vectors
    return arguments


def _allow_long_strings() -> None:
    """Let Java's JSON parser read strings of any length; its limit is 20 million characters."""
    constraints = java_class("com.fasterxml.jackson.core.StreamReadConstraints")
    limits = constraints.builder().maxStringLength(_LONGEST_STRING).build()
    constraints.overrideDefaultStreamReadConstraints(limits)

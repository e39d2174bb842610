"""Documents as JSON lines, and Anserini's `IndexCollection`, which indexes them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from thresher.base.files import final_path
from thresher.base.letters import readable
from thresher.base.numbers import Ints
from thresher.indexes.analysis import valid_unicode
from thresher.indexes.jvm import java_cast, java_class, user_error_of_java
from thresher.indexes.token_counts import TokenCounter

if TYPE_CHECKING:
    from thresher.indexes.indexing import IndexOptions

BUFFER_MIB = 256
"""Postings that Lucene holds in memory; fixed, so that an index does not depend on the machine's memory."""

_BLANK = "".join(map(chr, range(33)))
_NUL = "\0"
_LONGEST_STRING = 2**31 - 1
_LOOK_MS = 100
"""Milliseconds between two looks at Python's signals while Java indexes."""
_END_MS = 60_000
"""Milliseconds that Java has to end an interrupted build."""


@dataclass(frozen=True)
class WrittenDocuments:
    """The documents of a file of JSON lines.

    Args:
        documents: in the file.
        blank: left out, because they have no text.
        ids: of the documents in the file, in order; empty unless token counts were asked for.
        lengths: of these documents, in tokens; shape (documents,), or (0,) unless token counts were asked for.
    """

    documents: int
    blank: int
    ids: list[str]
    lengths: Ints


def is_blank(contents: str) -> bool:
    """Return whether a text has only white space and control characters (up to U+0020). Anserini drops documents
    without other text.
    """
    return not (contents[:1] > " " or contents.strip(_BLANK))


def write_json_lines(documents: Iterable[tuple[str, str]], path: Path, options: IndexOptions) -> WrittenDocuments:
    """Write (id, contents) pairs as JSON lines for Anserini's `JsonCollection`.

    U+0000 in contents becomes a space, and a lone surrogate becomes U+FFFD. With `options.lengths`, count tokens.
    """
    counter = TokenCounter(options.analysis) if options.lengths else None
    written = blank = 0
    ids: list[str] = []
    with path.open("wb") as file:
        for identifier, text in documents:
            contents = readable(valid_unicode(text))
            if is_blank(contents):
                blank += 1
                continue
            written += 1
            if _NUL in contents:
                contents = contents.replace(_NUL, " ")
            line = json.dumps({"id": identifier, "contents": contents}, ensure_ascii=False)
            file.write(valid_unicode(line).encode())
            file.write(b"\n")
            if counter is not None:
                ids.append(valid_unicode(identifier))
                counter.add(contents)
    lengths = np.zeros(0, dtype=np.int64) if counter is None else counter.lengths()
    return WrittenDocuments(written, blank, ids, lengths)


def index_json_lines(lines: Path, index: Path, options: IndexOptions) -> None:
    """Index the JSON lines in folder `lines` into the folder `index`, in one thread, and merge the index to one segment.

    Anserini logs many errors and goes on, so the caller must compare the numbers of documents.

    Raises:
        ResourceError: the disk or Java's memory is full.
        StateError: Lucene closed the index for another reason.
        jnius.JavaException: Anserini failed.
    """
    indexer = java_class("io.anserini.index.IndexCollection")(_arguments(lines, index, options))
    # Errors are raised here; Anserini would log some and print others.
    configurator = java_class("org.apache.logging.log4j.core.config.Configurator")
    configurator.setRootLevel(java_class("org.apache.logging.log4j.Level").OFF)
    with _printed_errors() as printed:
        _run_interruptibly(indexer)
    failure = indexer.writer.getTragicException()
    message = failure.toString() if failure is not None else printed.toString()
    if message:
        raise user_error_of_java(RuntimeError(message), str(final_path(index)))


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


def _run_interruptibly(indexer: Any) -> None:
    """Run Anserini's indexer in a thread of Java, so that Python notices Ctrl-C meanwhile and can give the index up."""
    from jnius import JavaException

    milliseconds = java_class("java.util.concurrent.TimeUnit").MILLISECONDS
    executor = java_class("java.util.concurrent.Executors").newSingleThreadExecutor()
    future = executor.submit(java_cast("java.lang.Runnable", indexer))
    executor.shutdown()
    try:
        while not executor.awaitTermination(_LOOK_MS, milliseconds):
            pass
    except BaseException:
        # Without a writer, the indexer ends. Its exceptions no longer matter.
        with suppress(JavaException):
            indexer.writer.rollback()
        executor.awaitTermination(_END_MS, milliseconds)
        raise
    future.get()

"""Opening a Lucene index for reading."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from thresher.lucene.jvm import java_cast, java_class, java_folder, start, user_error_of_java


@contextmanager
def open_index(folder: Path, shown: Path | None = None) -> Iterator[Any]:
    """Give the `IndexReader` (a Java object) of the index in `folder` and close it at the end.

    Failures of Java inside the block are raised as errors about `shown` (or `folder`).

    Raises:
        InputError: if there is no index, or a damaged one.
        StateError: if Lucene fails otherwise.
    """
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

"""Ids of documents, by their numbers in an index."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from thresher.indexes.jvm import java_class


class DocumentIds:
    """Reads the ids of an open index (a Java object), and remembers them."""

    def __init__(self, reader: Any) -> None:
        self._reader = reader
        self._ids: dict[int, str] = {}

    def of(self, numbers: Sequence[int]) -> list[str]:
        """Return the ids of documents; `numbers` ascend."""
        unread = [number for number in numbers if number not in self._ids]
        if unread:
            # Doc values are read forwards only, so each call begins anew.
            values = java_class("org.apache.lucene.index.MultiDocValues").getBinaryValues(self._reader, "id")
            for number in unread:
                values.advanceExact(number)
                self._ids[number] = values.binaryValue().utf8ToString()
        return [self._ids[number] for number in numbers]

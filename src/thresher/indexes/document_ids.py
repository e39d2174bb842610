"""Ids of documents, by their numbers in an index."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.indexes.jvm import java_class


class DocumentIds:
    """Reads the ids of an open index (a Java object), and remembers them."""

    def __init__(self, reader: Any) -> None:
        self._reader = reader
        self._ids = np.empty(reader.maxDoc(), dtype=np.object_)
        self._is_read = np.zeros(reader.maxDoc(), dtype=np.bool_)

    def of(self, numbers: npt.NDArray[np.int32]) -> list[str]:
        """Return the ids of documents; `numbers` ascend."""
        unread = numbers[~self._is_read[numbers]]
        if len(unread):
            # Doc values are read forwards only, so each call begins anew.
            values = java_class("org.apache.lucene.index.MultiDocValues").getBinaryValues(self._reader, "id")
            for number in unread.tolist():
                values.advanceExact(number)
                self._ids[number] = values.binaryValue().utf8ToString()
            self._is_read[unread] = True
        ids: list[str] = self._ids[numbers].tolist()
        return ids

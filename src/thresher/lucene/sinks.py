"""Where loops inside Java leave what they find, to be fetched in one call."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.lucene import handles
from thresher.lucene.jvm import java_bytes, java_class

_END = "\0"


class Integers:
    """A growing list of Java ints. `note` is the handle that adds one."""

    def __init__(self) -> None:
        self._bytes = java_class("java.io.ByteArrayOutputStream")()
        write = handles.method("java.io.DataOutputStream", "writeInt", "(I)V")
        self.note: Any = handles.bind(write, 0, java_class("java.io.DataOutputStream")(self._bytes))

    def take(self) -> npt.NDArray[np.int32]:
        """Return what was noted since the last time."""
        raw = java_bytes(self._bytes.toByteArray())
        self._bytes.reset()
        return np.frombuffer(raw, dtype=">i4").astype(np.int32)


class Strings:
    """A growing list of strings without U+0000. `note` is the handle that adds one."""

    def __init__(self) -> None:
        builder = "java.lang.StringBuilder"
        self._joined = java_class(builder)()
        append = handles.method(builder, "append", f"({handles.STRING})L{handles.slashes(builder)};")
        append = handles.cast(handles.bind(append, 0, self._joined), f"({handles.STRING})V")
        self.note: Any = handles.pipe(append, handles.bind(append, 0, _END))

    def take(self) -> list[str]:
        """Return what was noted since the last time."""
        joined: str = self._joined.toString()
        self._joined.setLength(0)
        return joined.split(_END)[:-1]

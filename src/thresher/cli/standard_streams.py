"""Standard input, output and error that may be closed, full or gone: output that is lost there ends no command."""

from __future__ import annotations

import codecs
import errno
import io
import json
import os
import sys
from select import select
from typing import Any, TextIO

from thresher.base.errors import OutputClosed

_INPUT = 0
_OUTPUT = 1
_ERRORS = 2
# Errors of writing to a terminal that has been closed.
_GONE = frozenset({errno.EIO, errno.ENXIO})
_ANY = frozenset(errno.errorcode)
_ESCAPED = "thresher.escaped"


class _Stream(io.FileIO):
    """A descriptor that drops output that cannot be written for a reason in `dropped`; other errors have its name."""

    def __init__(self, descriptor: int, shown: str, dropped: frozenset[int]) -> None:
        super().__init__(descriptor, "w", closefd=False)
        self._shown = shown
        self._dropped = dropped

    def write(self, data: Any, /) -> int:
        """Write bytes, or drop them."""
        try:
            while (written := super().write(data)) is None:
                # Another program has made it non-blocking, and it is full.
                select([], [self], [])
            return written
        except OSError as error:
            if error.errno in self._dropped:
                return memoryview(data).nbytes
            if error.errno == errno.EPIPE:
                raise OutputClosed from error
            error.filename = self._shown
            raise


def mend_standard_streams() -> None:
    """Replace the streams of this process, so that no command ends because nobody can read its progress and messages.

    Whatever cannot be written to standard error is dropped, and so is the text for a terminal that is closed meanwhile. A
    descriptor that is closed from the beginning is taken, so that no file that is opened later gets its number: input is
    empty, output cannot be written, errors are dropped.
    """
    codecs.register_error(_ESCAPED, _escaped)
    _take(_INPUT, os.O_RDONLY)
    # Not writable, so that the documents of `-o -` are not lost in silence.
    _take(_OUTPUT, os.O_RDONLY)
    _take(_ERRORS, os.O_WRONLY)
    if sys.stdin is None:
        sys.stdin = os.fdopen(_INPUT, closefd=False)
    if sys.stdout is None:
        # Only for the lines of an answer.
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
    elif sys.stdout is sys.__stdout__:
        dropped = _GONE if os.isatty(_OUTPUT) else frozenset[int]()
        sys.stdout = _text(_Stream(_OUTPUT, "standard output", dropped), sys.stdout)
    # Tests, and programs that call the command, may have streams of their own.
    if sys.stderr is None or sys.stderr is sys.__stderr__:
        sys.stderr = _text(_Stream(_ERRORS, "standard error", _ANY), sys.stderr)


def drop_output() -> None:
    """Drop the text that is still to be written to standard output."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, _OUTPUT)
    os.close(nowhere)


def _escaped(error: UnicodeError) -> tuple[str | bytes, int]:
    """Write characters that an encoding lacks as in JSON, so that JSON keeps its meaning."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return json.dumps(error.object[error.start : error.end])[1:-1], error.end


def _take(descriptor: int, flags: int) -> None:
    try:
        os.fstat(descriptor)
    except OSError:
        # The lowest number that is free, so those below must be taken before.
        os.set_inheritable(os.open(os.devnull, flags), True)


def _text(raw: _Stream, like: TextIO | None) -> TextIO:
    encoding = "utf-8"
    handling = "backslashreplace"
    if like is not None:
        encoding = like.encoding
        handling = like.errors or handling
    if handling == "strict":
        handling = _ESCAPED
    by_lines = raw.isatty() or raw.fileno() == _ERRORS
    return io.TextIOWrapper(io.BufferedWriter(raw), encoding, handling, line_buffering=by_lines)

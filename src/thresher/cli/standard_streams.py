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
    """A stream that drops output if writing it fails with an error number in `dropped`; other errors name the stream."""

    def __init__(self, descriptor: int, shown: str, dropped: frozenset[int]) -> None:
        super().__init__(descriptor, "w", closefd=False)
        self._shown = shown
        self._dropped = dropped

    def write(self, data: Any, /) -> int:
        """Write bytes, or drop them."""
        try:
            while (written := super().write(data)) is None:
                # Another program has made the descriptor non-blocking, and its buffer is full. Wait until it has room.
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

    Text that cannot be written to standard error is dropped, and so is text for a terminal that has closed. If a descriptor is
    closed from the beginning, the null device is opened under its number, so that no later file gets this number: input is
    empty, output cannot be written, errors are dropped.
    """
    codecs.register_error(_ESCAPED, _escaped)
    _occupy(_INPUT, os.O_RDONLY)
    # Output is opened for reading, so that writing the documents of `-o -` fails instead of losing them.
    _occupy(_OUTPUT, os.O_RDONLY)
    _occupy(_ERRORS, os.O_WRONLY)
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


def _occupy(descriptor: int, flags: int) -> None:
    """Open the null device under a descriptor that is closed; lower descriptors must be open."""
    try:
        os.fstat(descriptor)
    except OSError:
        # A file gets the lowest descriptor that is free.
        os.set_inheritable(os.open(os.devnull, flags), True)


def _text(raw: _Stream, replaced: TextIO | None) -> TextIO:
    encoding = "utf-8"
    handling = "backslashreplace"
    if replaced is not None:
        encoding = replaced.encoding
        handling = replaced.errors or handling
    if handling == "strict":
        handling = _ESCAPED
    by_lines = raw.isatty() or raw.fileno() == _ERRORS
    return io.TextIOWrapper(io.BufferedWriter(raw), encoding, handling, line_buffering=by_lines)

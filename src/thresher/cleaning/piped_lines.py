"""Standard input as collections: JSON lines copied to a file, some at a time, so that memory stays small; or a page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from thresher.collections import ReadOptions
from thresher.collections.file_collection import PAGE_FORMATS, Files
from thresher.collections.json_lines import JsonLines
from thresher.errors import ConfigError
from thresher.files import user_error

WINDOW_BYTES = 64 * 2**20
"""How much of a pipe is cleaned at once."""

_PIECE = 2**20
_NAME = "stdin"


@dataclass(frozen=True)
class PipedLines:
    """Lines of a pipe as a collection; `offset` is where they began in the pipe, in bytes."""

    collection: Files
    offset: int


def piped_lines(
    pipe: BinaryIO, folder: Path, options: ReadOptions, format: str, window: int | None = WINDOW_BYTES
) -> Iterator[PipedLines]:
    """Copy the lines of a pipe to a file in `folder`, again and again, and give each as a collection.

    Args:
        pipe: JSON lines, or one page of HTML or text, whose id is `stdin`.
        folder: where the file is written; the next step replaces it.
        options: how documents are read.
        format: the user's choice.
        window: how many bytes each collection has, up to the end of a line; None for all.
    """
    if format not in ("", JsonLines.name, *PAGE_FORMATS):
        what = f"standard input is read as JSON lines, or as a page of HTML or text, not as {format}"
        raise ConfigError(what, "give a file", "--format")
    if format in PAGE_FORMATS:
        window = None
    path = folder / _NAME
    offset = 0
    try:
        while (copied := _copy(pipe, path, window))[0]:
            size, has_text = copied
            if has_text:
                yield PipedLines(Files(path, format or JsonLines.name, options), offset)
            offset += size
    except OSError as error:
        raise user_error(error, path) from error


def _copy(pipe: BinaryIO, path: Path, window: int | None) -> tuple[int, bool]:
    """Return how many bytes were copied, and whether there is more than white space among them."""
    size, has_text = 0, False
    piece = pipe.readline(_PIECE)
    if not piece:
        # The last lines may be looked at again.
        return size, has_text
    with path.open("wb") as out:
        while piece:
            size += len(piece)
            has_text = has_text or not piece.isspace()
            out.write(piece)
            if window is not None and size >= window and piece.endswith(b"\n"):
                break
            piece = pipe.readline(_PIECE)
    return size, has_text

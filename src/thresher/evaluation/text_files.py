"""Text files of topics and qrels, as they are or compressed."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path

from thresher.errors import InputError
from thresher.files import read_text, user_error

_GZIP = b"\x1f\x8b"


def read_topic_file(path: Path) -> str:
    """Read a UTF-8 file, or one that gzip compressed, whatever its name; a byte order mark is skipped, line ends are `\\n`.

    Raises:
        InputError: if it is missing, unreadable, damaged or not UTF-8.
    """
    try:
        with path.open("rb") as handle:
            compressed = handle.read(len(_GZIP)) == _GZIP
        if not compressed:
            return read_text(path)
        with gzip.open(path, "rt", encoding="utf-8-sig") as text:
            return text.read()
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise InputError("the compressed file is damaged or cut off", "fetch it again", str(path)) from error
    except UnicodeDecodeError as error:
        raise InputError("it is not UTF-8", "convert the file to UTF-8", str(path)) from error
    except OSError as error:
        raise user_error(error, path) from error

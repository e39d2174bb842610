"""Documents as JSON lines for Anserini's `JsonCollection`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from thresher.base.letters import readable
from thresher.base.numbers import Ints
from thresher.indexes.analysis import valid_unicode
from thresher.indexes.token_counts import TokenCounter

if TYPE_CHECKING:
    from thresher.indexes.indexing import IndexOptions

_BLANK = "".join(map(chr, range(33)))
_NUL = "\0"
_CHARACTERS = 1 << 16
"""Characters of lines that are written at once."""
_JSON = json.JSONEncoder(ensure_ascii=False)


@dataclass(frozen=True)
class WrittenDocuments:
    """The documents that were written.

    Args:
        documents: written.
        blank: left out, because they have no text.
        ids: of the written documents, in order; empty unless token counts were asked for.
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


def write_json_lines(
    documents: Iterable[tuple[str, str]], write: Callable[[bytes], bool], options: IndexOptions
) -> WrittenDocuments:
    """Write (id, contents) pairs as JSON lines.

    U+0000 in contents becomes a space, and a lone surrogate becomes U+FFFD. With `options.lengths`, count tokens.

    Args:
        documents: ids and contents.
        write: writes some lines in UTF-8, and returns whether more lines can be written; after False, no more documents are
            read.
        options: of the index.
    """
    counter = TokenCounter(options.analysis) if options.lengths else None
    written = blank = 0
    ids: list[str] = []
    lines: list[str] = []
    characters = 0
    for identifier, text in documents:
        contents = readable(valid_unicode(text))
        if is_blank(contents):
            blank += 1
            continue
        written += 1
        if _NUL in contents:
            contents = contents.replace(_NUL, " ")
        line = _JSON.encode({"id": valid_unicode(identifier), "contents": contents})
        lines.append(line)
        if counter is not None:
            ids.append(valid_unicode(identifier))
            counter.add(contents)
        characters += len(line)
        if characters >= _CHARACTERS:
            if not write(_utf8(lines)):
                break
            lines.clear()
            characters = 0
    write(_utf8(lines))
    lengths = np.zeros(0, dtype=np.int64) if counter is None else counter.lengths()
    return WrittenDocuments(written, blank, ids, lengths)


def _utf8(lines: list[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()

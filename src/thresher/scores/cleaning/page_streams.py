"""Pages that come one by one: as HTML in memory, and as JSON lines through a pipe."""

from __future__ import annotations

import time
from codecs import BOM_UTF8
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from io import BufferedIOBase
from pathlib import Path
from select import select
from typing import NamedTuple

from thresher.base.defaults import DEFAULT_CLEANER, PAGE_MIB
from thresher.base.errors import ConfigError, InputError, ThresherError
from thresher.base.files import user_errors
from thresher.cleaners.cleaner import Cleaner
from thresher.cleaners.functions import AnyCleaner, take_cleaner
from thresher.collections import Page, ReadOptions
from thresher.collections.file_collection import HTML, PAGE_FORMATS, Files
from thresher.collections.json_lines import JsonLines
from thresher.collections.json_values import holds_values
from thresher.collections.sources import PageError, too_large
from thresher.pages import PageOptions
from thresher.scores.cleaning.cleaned_html import PageToCut, cleaned_html, markdown_converter, markdown_of
from thresher.scores.cutting import CleanedDocument, clean_page
from thresher.scores.percentiles import resolved_without_collection
from thresher.scores.scoring import score_page
from thresher.scores.store import FAILED, PageScores

WINDOW_BYTES = 64 * 2**20
"""The bytes of a pipe that are cleaned at once."""
PAUSE_SECONDS = 1.0
MOST_SECONDS = 10.0
"""The lines of a slow pipe are cleaned after a pause of `PAUSE_SECONDS`, and at the latest after `MOST_SECONDS`."""
_PIECE = 2**20
_NAME = "stdin"


def clean_pages(
    pages: Iterable[str | bytes | Page],
    cleaner: AnyCleaner = DEFAULT_CLEANER,
    mib: float = PAGE_MIB,
    *,
    markdown: bool = False,
    **options: str,
) -> Iterator[CleanedDocument]:
    """Clean pages one at a time: one document for each page, in their order, with the text that `thresher clean` keeps.

    Memory holds a page and the cleaner's models. A page that fails has no text and a `problem`. Pages have no time limit, in
    contrast to `thresher clean`. The function can be pickled; its only state is models, which each process reads once:
    `bag.map_partitions(lambda pages: list(clean_pages(pages)))` cleans a bag of Dask.

    Args:
        pages: HTML as text or bytes, whose ids are their positions from 0, or `thresher.collections.Page`, with its id.
        cleaner: a canonical name, or a function that returns for each block of a page's `Segments` whether it stays.
        mib: larger pages fail.
        markdown: whether documents have their Markdown too, which needs the extra `markdown`.
        options: how pages become blocks, by the keys of [pages] in an experiment file: `blocks="split"`, `language="de"`.
    """
    if isinstance(pages, str | bytes | Mapping) or hasattr(pages, "itertuples"):
        fix = "give a list of HTML, a column of a data frame, or any other iterable of pages"
        raise InputError(f"pages one by one are needed, not a {type(pages).__name__}", fix)
    parsed = resolved_without_collection(take_cleaner(cleaner).checked())
    if markdown:
        parsed.check_own_text()
        markdown_converter()
    how = _Cleaning(parsed, PageOptions(**options), mib, markdown)
    return (how.document(page, str(number)) for number, page in enumerate(pages))


def page_of(html: str | bytes | Page, page_id: str = "") -> Page:
    """Return HTML as a page."""
    if isinstance(html, Page):
        return html
    if isinstance(html, str):
        return Page(page_id, html.encode("utf-8", "replace"), charset="utf-8")
    if not isinstance(html, bytes):
        raise PageError(f"a page is text or bytes, not a {type(html).__name__}", "give HTML", page_id or None)
    return Page(page_id, html)


def html_of(scored: PageScores, cleaned: CleanedDocument, options: PageOptions) -> str:
    """Return a page that was scored with its HTML as cleaned HTML; empty if nothing is left of it."""
    segments = scored.segments
    if segments is None:
        return ""
    page = PageToCut(
        html=scored.html,
        text=segments.text,
        block_ends=segments.block_ends.tolist(),
        sentence_ends=segments.sentence_ends.tolist(),
        levels=segments.levels.tolist(),
    )
    return cleaned_html(page, cleaned.text, cleaned.sentences, options).html


@dataclass(frozen=True)
class _Cleaning:
    """How pages are cleaned."""

    cleaner: Cleaner
    options: PageOptions
    mib: float
    markdown: bool

    def document(self, html: str | bytes | Page, name: str) -> CleanedDocument:
        """Return a page cleaned; a page that fails has the reason as its `problem`."""
        page = Page(name, b"")
        try:
            page = page_of(html, name)
            if len(page.content) > self.mib * 2**20:
                raise PageError(too_large(len(page.content), self.mib * 2**20), "raise mib")
            scored = score_page(page, self.cleaner.scorers, self.options, with_html=self.markdown)
            cleaned = clean_page(scored, self.cleaner)
            if self.markdown:
                tree = html_of(scored, cleaned, self.options)
                return replace(cleaned, markdown=markdown_of(tree, page.url))
            return cleaned
        except PageError as error:
            reason = error.what
        except ThresherError:
            raise
        except Exception as error:  # one bad page must not end the loop over millions
            reason = f"cannot be scored: {type(error).__name__}: {error}"
        return clean_page(PageScores(page.id, FAILED, reason, url=page.url), self.cleaner)


@dataclass(frozen=True)
class PipedLines:
    """Lines of a pipe as a collection; `offset` is the byte of the pipe at which they begin."""

    collection: Files
    offset: int


def piped_lines(
    pipe: BufferedIOBase, folder: Path, options: ReadOptions, format: str, window: int | None = WINDOW_BYTES
) -> Iterator[PipedLines]:
    """Copy the lines of a pipe to a file in `folder`, again and again, and yield each file as a collection.

    The pipe has JSON lines, or one page of HTML or text, whose id is `stdin`; text that begins with `<` is HTML. Each
    collection has about `window` bytes, up to the end of a line, or fewer if the pipe pauses; None for all.
    """
    if format not in ("", JsonLines.name) and format not in PAGE_FORMATS:
        what = f"standard input is read as JSON lines, or as a page of HTML or text, not as {format}"
        raise ConfigError(what, "give a file", "--format")
    lines = _Lines(pipe)
    if not format and lines.begin_a_page():
        format = HTML
    if format in PAGE_FORMATS:
        window = None
    path = folder / _NAME
    offset = 0
    with user_errors(path):
        while True:
            copied = _copy(lines, path, window)
            if not copied.size:
                return
            if not offset and format not in PAGE_FORMATS and holds_values(path):
                what = "standard input is a JSON array, or objects over several lines, not JSON lines"
                raise InputError(what, "pipe it through `jq -c '.[]'` (an array) or `jq -c .`, or give a file", _NAME)
            if copied.has_text:
                yield PipedLines(Files(path, format or JsonLines.name, options), offset)
            offset += copied.size


class _Copied(NamedTuple):
    """The bytes copied from a pipe, and whether any of them is not white space."""

    size: int
    has_text: bool


class _Lines:
    """The lines of a pipe; a long line comes in pieces, and the last piece ends the line."""

    def __init__(self, pipe: BufferedIOBase) -> None:
        self._pipe = pipe
        self._pieces: deque[bytes] = deque()

    def next(self) -> bytes:
        """Return the next piece, as soon as the pipe has it; empty at the end."""
        if not self._pieces:
            self._pieces.extend(self._pipe.read1(_PIECE).splitlines(keepends=True))
        return self._pieces.popleft() if self._pieces else b""

    def begin_a_page(self) -> bool:
        """Return whether the first bytes that are no white space begin HTML, and no line of JSON."""
        read: list[bytes] = []
        start = b""
        while not start and (piece := self.next()):
            read.append(piece)
            start = piece.removeprefix(BOM_UTF8).strip()
        self._pieces.extendleft(reversed(read))
        return start.startswith(b"<")

    def pauses(self, seconds: float) -> bool:
        """Return whether nothing comes for some seconds."""
        if self._pieces:
            return False
        try:
            descriptor = self._pipe.fileno()
        except OSError:
            # It is in memory.
            return False
        return not select([descriptor], [], [], seconds)[0]


def _copy(lines: _Lines, path: Path, window: int | None) -> _Copied:
    size = 0
    has_text = False
    begin = time.monotonic()
    piece = lines.next()
    if not piece:
        # The file with the last lines stays, since they may be read again.
        return _Copied(0, has_text=False)
    with path.open("wb") as out:
        while piece:
            size += len(piece)
            has_text = has_text or not piece.isspace()
            out.write(piece)
            if window is not None and piece.endswith(b"\n"):
                is_late = time.monotonic() - begin > MOST_SECONDS
                if size >= window or is_late or lines.pauses(PAUSE_SECONDS):
                    break
            piece = lines.next()
    return _Copied(size, has_text)

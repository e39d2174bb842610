"""Pages in folders of folders, class/group/page, as WebKB's; the HTTP headers that its pages begin with are not text."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import unquote

from thresher.collections import IdRule, Part, ReadOptions, Source
from thresher.collections.file_collection import walk
from thresher.collections.sources import FileState, Reading, Span, grouped
from thresher.collections.tar import Tar
from thresher.collections.warc.http import charset, parse_response
from thresher.errors import InputError
from thresher.files import digest

# Increase when other headers are left out.
_VERSION = 1
_LAYOUT = "arrange pages as class/group/page"
_STATUS = b"HTTP/1.0 200\n"
# Some pages begin with text that looks like a field.
_BEGIN = re.compile(rb"(?:content-type|content-length|date|last-modified|mime-version|server):", re.IGNORECASE)
_EXAMPLES = 3


@dataclass(frozen=True)
class PageOfClass:
    """A page's id in its collection, its class, its group."""

    id: str
    label: str
    group: str


def without_header(content: bytes) -> tuple[bytes, str | None]:
    """Return a page without the HTTP header that it may begin with, and the charset of that; None if it names none.

    >>> without_header(b"Server: CERN\\nContent-Type: text/html; charset=latin-1\\n\\n<p>Rain")
    (b'<p>Rain', 'latin-1')
    """
    block = _STATUS + content if _BEGIN.match(content) else content
    response = parse_response(block)
    return block[response.body :], charset(response.content_type)


@dataclass(frozen=True)
class LabelledCollection:
    """All files of a folder but hidden ones, or of a tar archive of one, without the HTTP headers that they begin with."""

    path: Path
    options: ReadOptions = field(default_factory=lambda: ReadOptions(IdRule(keep_suffix=True, escape=True)))

    def fingerprint(self) -> str:
        """Return a digest over names, sizes and modification times of the files."""
        return digest([_VERSION, [(entry.name, entry.size, entry.state.modified) for entry in walk(self.path)]])

    def files(self) -> dict[str, FileState]:
        """Return the files as they are now."""
        return {entry.shown: entry.state for entry in walk(self.path)}

    def sources(self) -> Iterator[Source]:
        """Yield the pages in order; those of a folder without their content. Damage is a source with a problem.

        Raises:
            InputError: if the folder or archive cannot be read.
        """
        if self.path.is_dir():
            for entry in walk(self.path):
                if not entry.name.rpartition("/")[2].startswith("."):
                    name = self.options.rule.apply(entry.name)
                    yield Source(name, entry.shown, entry.size, path=entry.path, listed=entry.state)
            return
        for entry in walk(self.path):
            yield from Tar(every=True).read(Part(0, 0, entry.path, entry.shown, 0, entry.size), self.options)

    def parts(self, pages: int) -> Iterator[Part]:
        """Yield parts of at most that many pages."""
        return grouped(self.sources(), 0, self.path, "", pages)

    def read(self, part: Part) -> Reading:
        """Yield the pages of a part without headers; one whose file cannot be read has a problem."""
        yield from map(_stripped, part.sources or ())
        return Span(None, part.begin)


def _stripped(source: Source) -> Source:
    if source.problem or source.size == 0:
        return source
    try:
        content, found = without_header(source.page().content)
    except OSError as error:
        return replace(source, problem=f"cannot be read: {error.strerror or error}")
    return replace(source, content=content, charset=found or source.charset)


def labelled_pages(collection: LabelledCollection) -> tuple[PageOfClass, ...]:
    """Return the pages that can be read, in order.

    Raises:
        InputError: if pages are not in class/group/page, there is one class or one group, or all pages of a class are in one
            group: what is left out could not be learned elsewhere.
    """
    sources = [*collection.sources()]
    ids = [source.id for source in sources if source.id]
    where = str(collection.path)
    if not ids:
        reason = next((source.problem for source in sources if source.problem), "it is empty")
        raise InputError(f"there are no pages: {reason}", _LAYOUT, where)
    deepest = max((name.count("/") for name in ids), default=0)
    misplaced = [name for name in ids if name.count("/") != deepest or deepest < 2]
    if misplaced:
        what = f"{len(misplaced)} of {len(ids)} pages are not in a class and a group as deep as others"
        raise InputError(f"{what}, such as {_examples(misplaced)}", _LAYOUT, where)
    pages = tuple(PageOfClass(name, *map(unquote, name.split("/")[-3:-1])) for name in ids)
    groups: dict[str, set[str]] = defaultdict(set)
    for page in pages:
        groups[page.label].add(page.group)
    every = set().union(*groups.values())
    if len(every) < 2:
        what = f"there is one group alone, {next(iter(every))!r}, and no other pages to learn from"
        raise InputError(what, _LAYOUT, where)
    if len(groups) < 2:
        raise InputError(f"there is one class alone, {next(iter(groups))!r}", _LAYOUT, where)
    alone = [f"{label!r} in {next(iter(of))!r}" for label, of in sorted(groups.items()) if len(of) == 1]
    if alone:
        what = f"classes with pages in one group alone cannot be learned without it: {', '.join(alone)}"
        raise InputError(what, "leave them out, or add pages of other groups", where)
    return pages


def _examples(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names[:_EXAMPLES]))

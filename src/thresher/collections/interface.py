"""The protocols of collections and formats, the ids of documents, and reading options."""

from __future__ import annotations

import re
import signal
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import NoReturn, Protocol

from thresher.base.defaults import ID_RULES
from thresher.base.errors import ConfigError, InputError
from thresher.collections.sources import (
    HTML_SUFFIXES,
    FileState,
    Part,
    Reading,
    Source,
    Span,
    changed_while_read,
    unpacked_name,
)

TEXT_SUFFIXES = (".txt", ".text")
"""File name suffixes of text dumps, which count as pages only where there is nothing else."""
LONGEST_ID = 32766
"""Bytes in UTF-8, which is the most that Lucene has room for."""
UNFIT_ID = "the document id holds a character that a TREC run cannot hold; escape_ids or --escape-ids writes it as %XX"
"""The problem of an id that a TREC run or an index cannot hold."""
_SHOWN = 100
# Documents per part that a collection cuts, unless its reader asks for another number.
_PAGES = 256
# Expressions that backtrack may take years; all others take microseconds.
_PATTERN_SECONDS = 1.0
# TREC runs separate columns by white space.
_UNFIT = re.compile(r"[\s\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_NO_UTF8 = re.compile(r"[\ud800-\udfff]")


@dataclass(frozen=True)
class IdRule:
    """The rule that forms document ids from file names.

    Attributes:
        ids: `path` for the whole path below the folder `prefix`, `stem` for the file name alone. A WARC record without a
            collection's id has the record's own id, or by `address` its address if that can be an id.
        prefix: the folder that paths are relative to.
        keep_suffix: whether `.html` or `.txt` stays; other endings always do, that of a compression never.
        escape: whether characters that a TREC run cannot hold are written as %XX.
        pattern: a regular expression, for qrels that spell ids otherwise.
        replacement: the text for every match of `pattern`.
    """

    ids: str = ID_RULES[0]
    prefix: str = ""
    keep_suffix: bool = False
    escape: bool = False
    pattern: str = ""
    replacement: str = ""

    def __post_init__(self) -> None:
        """Check the pattern and its replacement."""
        try:
            re.sub(self.pattern, self.replacement, "")
        except (re.error, IndexError) as error:
            what = f"this is not a regular expression with its replacement ({error})"
            raise ConfigError(what, "correct it", "id_pattern") from error

    def apply(self, path: str) -> str:
        """Return the id of the file at `path`, relative to the collection's root and with `/`.

        >>> IdRule("path", "pages").apply("pages/sql/select.html")
        'sql/select'
        """
        if self.ids not in ID_RULES:
            rules = ", ".join(ID_RULES)
            raise ConfigError(f"unknown rule for ids {self.ids!r}", f"use one of {rules}", "collection.ids")
        file = PurePosixPath(unpacked_name(path))
        stem = file.name
        # Two pages may differ in another ending alone: `index.php?id=1`, `index.php?id=2`.
        if not self.keep_suffix and file.name.lower().endswith(HTML_SUFFIXES + TEXT_SUFFIXES):
            stem = file.name.rpartition(".")[0] or file.name
        if self.ids == "stem":
            return self.fit(stem)
        folder = file.parent
        if self.prefix:
            try:
                folder = folder.relative_to(self.prefix)
            except ValueError as error:
                what = f"the file is not below the prefix {self.prefix!r}"
                raise InputError(what, "correct collection.prefix", path) from error
        if folder == PurePosixPath():
            return self.fit(stem)
        return self.fit(f"{folder.as_posix()}/{stem}")

    def fit(self, document_id: str) -> str:
        """Return an id with the pattern replaced and, with `escape`, escaped."""
        if self.pattern:
            try:
                with _time_limit(_PATTERN_SECONDS):
                    document_id = re.sub(self.pattern, self.replacement, document_id)
            except TimeoutError:
                return UnformedId(document_id)
        if self.escape:
            return escape_id(document_id)
        return document_id


class UnformedId(str):
    """An id whose pattern took too long, as it was before the pattern: only its page fails."""


@contextmanager
def _time_limit(seconds: float) -> Iterator[None]:
    """Raise a `TimeoutError` if the block takes more CPU time; in the main thread of a process, which alone gets signals.

    Regular expressions look for signals while they match.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGVTALRM, _raise_timeout)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def _raise_timeout(*_: object) -> NoReturn:
    raise TimeoutError


def id_problem(document_id: str, any_text: bool = False) -> str:
    """Return why a TREC run or an index cannot hold `document_id`, empty if they can. (Ids are not file names.)

    With `any_text` only files of cleaned text must hold the id: they accept every text that UTF-8 can write.

    >>> id_problem("a b")
    "the document id holds a character that a TREC run cannot hold; escape_ids or --escape-ids writes it as %XX: 'a b'"
    >>> id_problem("a b", any_text=True)
    ''
    """
    if isinstance(document_id, UnformedId):
        return f"id_pattern took longer than {_PATTERN_SECONDS:g} s at {shown_id(document_id)}"
    if not document_id:
        return "the document has no id"
    if any_text and _NO_UTF8.search(document_id):
        return f"the document id holds a byte that is not UTF-8; --escape-ids writes it as %XX: {shown_id(document_id)}"
    if not any_text and holds_unfit_characters(document_id):
        return f"{UNFIT_ID}: {shown_id(document_id)}"
    size = len(document_id.encode("utf-8", "surrogatepass"))
    if size > LONGEST_ID:
        return f"the document id {shown_id(document_id)} has {size} bytes where Lucene allows {LONGEST_ID}"
    return ""


def holds_unfit_characters(name: str) -> bool:
    """Return whether an id holds white space, a control character or half a character, which a TREC run cannot hold."""
    return bool(_UNFIT.search(name))


def shown_id(document_id: str) -> str:
    """Return an id in quotes for a message, its end left out if it is long."""
    if len(document_id) > _SHOWN:
        return repr(f"{document_id[:_SHOWN]}…")
    return repr(document_id)


def escape_id(document_id: str) -> str:
    """Write the characters that a TREC run cannot hold as %XX of their UTF-8 bytes, and `%` as %25.

    >>> escape_id("a b%")
    'a%20b%25'
    """
    return re.sub(
        rf"%|{_UNFIT.pattern}",
        lambda match: "".join(f"%{byte:02X}" for byte in match.group().encode("utf-8", "surrogatepass")),
        document_id,
    )


def unique(sources: Iterable[Source]) -> Iterator[Source]:
    """Yield the sources; any problem is an error."""
    seen: dict[str, str] = {}
    for source in sources:
        if source.problem:
            raise InputError(source.problem, "correct or remove it", source.where)
        problem = id_problem(source.id)
        if problem:
            raise InputError(problem, _fix_of_id(source.id), source.where)
        if source.id in seen:
            what = f"the document id {source.id!r} occurs twice, first in {seen[source.id]}"
            raise InputError(what, "make ids unique", source.where)
        seen[source.id] = source.where
        yield source


def _fix_of_id(document_id: str) -> str:
    if not document_id:
        return "give the document an id"
    if len(document_id.encode("utf-8", "surrogatepass")) > LONGEST_ID:
        return "give the document a shorter id"
    return "give the document another id, or clean with --escape-ids"


@dataclass(frozen=True)
class JsonFields:
    """The members of a JSON line; dots descend into objects (`page.title`); the first name with a value counts."""

    id: tuple[str, ...] = ("id",)
    html: tuple[str, ...] = ("html",)
    text: tuple[str, ...] = ("contents",)
    url: tuple[str, ...] = ("url",)


@dataclass(frozen=True)
class ReadOptions:
    """Options of reading documents. Pages larger than `max_bytes` are not read and have a `problem`; `fields` is for
    JSON lines; with `any_ids`, documents keep ids that a TREC run cannot hold; with `with_members`, rows of Parquet are
    read whole, for `Source.members`.
    """

    rule: IdRule = field(default_factory=IdRule)
    max_bytes: int = 1 << 62
    fields: JsonFields = field(default_factory=JsonFields)
    any_ids: bool = False
    with_members: bool = False


class FileKind(Protocol):
    """A format of files that hold many documents, such as WARC."""

    @property
    def name(self) -> str:
        """The value of the key `format`."""
        ...

    @property
    def suffixes(self) -> tuple[str, ...]:
        """File name suffixes, in lower case."""
        ...

    def can_split(self, path: Path) -> bool:
        """Return whether reading can begin in the middle of the file; False for an unreadable file.

        If the answer is wrong, one range must still yield all records.
        """
        ...

    def read(self, part: Part, options: ReadOptions) -> Reading:
        """Yield the documents of a range of a file, in file order.

        Damage becomes a source with a `problem` and its offset; reading resumes after it where possible. File content never
        raises an error, memory stays near `max_bytes`, and no other file is opened. An unreadable file is an `OSError`.
        """
        ...


class Collection(Protocol):
    """Documents in a fixed order."""

    @property
    def path(self) -> Path:
        """Its location."""
        ...

    @property
    def options(self) -> ReadOptions:
        """The options of reading its documents."""
        ...

    def fingerprint(self) -> str:
        """Return a digest that changes when documents are added, removed or rewritten."""
        ...

    def files(self) -> Mapping[str, FileState]:
        """Return the files as they are now, by their printable names; none for documents that are not in files here."""
        ...

    def parts(self, pages: int) -> Iterator[Part]:
        """Yield the parts, deterministically and cheaply; parts with sources have at most `pages` of them."""
        ...

    def read(self, part: Part) -> Reading:
        """Yield the documents of a part, always in the same order; `CollectionChanged` if its file changed since `parts`."""
        ...


def documents(collection: Collection, pages: int = _PAGES) -> Iterator[Source]:
    """Yield all documents of a collection in order; each range of a file begins where the one before it ended."""
    after = 0
    for part in collection.parts(pages):
        if part.sources is None and part.number:
            part = replace(part, begin=after, exact=True)
        span = yield from collection.read(part)
        after = span.after


def check_unchanged(before: Mapping[str, FileState], collection: Collection) -> None:
    """Check that a collection has the same files as before: none added, removed, replaced or written."""
    after = collection.files()
    for name in sorted(before.keys() | after.keys()):
        state, state_now = before.get(name), after.get(name)
        if state is None or state_now is None:
            raise changed_while_read(name)
        if state.inode != state_now.inode or not state.is_like(state_now):
            raise changed_while_read(name)


def read_sources(part: Part) -> Reading:
    """Yield the documents that a part carries; a range that begins after its end has none."""
    yield from part.sources or ()
    return Span(None, part.begin)

"""Finds the pages that a query log names: by id, address, end of the path, or the address that a page calls canonical."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple, TypeAlias
from urllib.parse import unquote

from lxml import html as lxml_html
from lxml.etree import LxmlError

from thresher.base.errors import InputError
from thresher.base.files import read_text
from thresher.collections import Collection, IdRule, Source, open_collection
from thresher.collections.file_collection import HTML, Files
from thresher.collections.interface import id_problem
from thresher.collections.isolated import documents_apart
from thresher.collections.sources import HTML_SUFFIXES, PageError, unpacked_name
from thresher.collections.tar import Tar
from thresher.experiments.schema import CollectionTable
from thresher.pages.links import Address, canonical_address, page_address

_PATH_IDS = IdRule(keep_suffix=True)
"""Makes the path of a file its id; the collection's own rule is applied to this id later."""
_FEWEST = 5
"""Matches by the ends of paths, and by canonical addresses, are chance if there are fewer."""
_MOST_FOLDERS = 4
_HEAD_BYTES = 2**16
_INDEX_PAGE = re.compile(r"(?:index|default)(?:\.\w+)?", re.IGNORECASE)
_Parts: TypeAlias = tuple[str, ...]
"""The parts of a path between slashes."""


@dataclass(frozen=True)
class QueryPages:
    """The documents of each query.

    Args:
        documents: ids by query; queries without any are left out.
        dropped: the beginning that was taken off the pages' names in the log to match the ends of paths; may be empty.
        by_canonical: whether some documents were matched by the addresses that pages call canonical.
        first_named: a page that the log names.
        first_id: the id of a document.
    """

    documents: Mapping[str, Sequence[str]]
    dropped: str
    by_canonical: bool
    first_named: str
    first_id: str


class _Document(NamedTuple):
    """A document; `path` is the path of its file in the collection, with suffix, or else the path of its address."""

    id: str
    address: Address | None
    path: str


@dataclass
class _Places:
    """Ids of documents by the names that a log may have for them: ids and addresses."""

    by_id: dict[str, set[str]] = field(default_factory=dict)
    by_address: dict[int, set[str]] = field(default_factory=dict)

    def add(self, document_id: str, address: Address | None) -> None:
        self.by_id.setdefault(document_id, set()).add(document_id)
        if address is not None:
            self.by_address.setdefault(address.key, set()).add(document_id)

    def of(self, page: str) -> set[str]:
        address = page_address(page, None)
        ids = self.by_id.get(page, set())
        if address is None:
            return ids
        return ids | self.by_address.get(address.key, set())


def read_answers(file: Path) -> dict[str, set[str]]:
    """Return the pages of each query of a file, by their ids or URLs."""
    answers: dict[str, set[str]] = {}
    for number, line in enumerate(read_text(file).splitlines(), start=1):
        if not line.strip():
            continue
        first_column, _, further_columns = line.partition("\t")
        second_column = further_columns.partition("\t")[0]
        query = " ".join(first_column.split())
        page = " ".join(second_column.split())
        if not query or not page:
            fix = "write behind each query a tab and the id or URL of a page that answers it"
            raise InputError("the line is not a query with its page", fix, f"{file}:{number}")
        answers.setdefault(query, set()).add(page)
    return answers


def find_pages(table: CollectionTable, collection: Collection, answers: Mapping[str, set[str]]) -> QueryPages:
    """Return the documents of queries, whose pages a log names.

    Pages are matched by ids and addresses. If half of the named pages or more have no match, they are matched by the
    ends of paths, without suffix, below one folder of the log, and then by the addresses that pages call canonical.
    """
    documents = list(_documents(table, collection))
    named = _named_pages(answers)
    places = _Places()
    for document in documents:
        places.add(document.id, document.address)
    matches = {page: places.of(page) for page in named}
    unmatched = _unmatched(matches)
    dropped = ""
    if 2 * len(unmatched) >= len(named):
        ends = _by_path_ends(unmatched, documents)
        dropped = ends.dropped
        matches.update(ends.matches)
        unmatched = _unmatched(matches)
    by_canonical = False
    if 2 * len(unmatched) >= len(named):
        canonical = _by_canonical_address(unmatched, table, collection)
        by_canonical = bool(canonical)
        matches.update(canonical)
    return QueryPages(
        documents=_documents_by_query(answers, matches),
        dropped=dropped,
        by_canonical=by_canonical,
        first_named=named[0] if named else "",
        first_id=documents[0].id if documents else "",
    )


def _documents_by_query(answers: Mapping[str, set[str]], matches: Mapping[str, set[str]]) -> dict[str, list[str]]:
    """Return the documents of each query with any, by id."""
    documents: dict[str, list[str]] = {}
    for query, pages in answers.items():
        ids: set[str] = set()
        for page in pages:
            ids |= matches[page]
        if ids:
            documents[query] = sorted(ids)
    return documents


def _named_pages(answers: Mapping[str, set[str]]) -> list[str]:
    """Return the pages of all queries, each once, in the order of the queries; the pages of one query are sorted by
    name.
    """
    pages: dict[str, None] = {}
    for pages_of_query in answers.values():
        pages.update(dict.fromkeys(sorted(pages_of_query)))
    return list(pages)


def _unmatched(matches: Mapping[str, set[str]]) -> list[str]:
    unmatched: list[str] = []
    for page, ids in matches.items():
        if not ids:
            unmatched.append(page)
    return unmatched


def _documents(table: CollectionTable, collection: Collection) -> Iterator[_Document]:
    """Yield the documents whose ids qrels can hold."""
    for document_id, address, source in _located_sources(table, collection):
        # The pass over the pages lists a page with an unfit id as failed.
        if not id_problem(document_id):
            url = page_address(source.url or source.id, None)
            yield _Document(document_id, address, url.path if url else source.id)


class _LocatedSource(NamedTuple):
    """A document with its id and its address; the address of a file is made of its path."""

    id: str
    address: Address | None
    source: Source


def _located_sources(table: CollectionTable, collection: Collection) -> Iterator[_LocatedSource]:
    """Yield the documents that can be read."""
    if not isinstance(collection, Files) or collection.format not in (HTML, Tar.name):
        for source in documents_apart(collection):
            if not source.problem:
                yield _LocatedSource(source.id, page_address(source.url, None), source)
        return
    rule = collection.options.rule
    by_path = open_collection(collection.path, replace(collection.options, rule=_PATH_IDS), table.format)
    # A reference that begins with `/` is relative to the folder that the prefix takes off ids.
    prefix = f"{rule.prefix.strip('/')}/"
    for source in documents_apart(by_path):
        if source.problem:
            continue
        with suppress(InputError):
            document_id = rule.apply(source.id)
            yield _LocatedSource(document_id, page_address(source.url, source.id.removeprefix(prefix)), source)


class _EndMatches(NamedTuple):
    """The documents of named pages by the ends of their paths, and the beginning that was dropped from the names."""

    dropped: str
    matches: Mapping[str, set[str]]


def _by_path_ends(pages: Sequence[str], documents: Sequence[_Document]) -> _EndMatches:
    """Match named pages and documents by the ends of their paths, without suffix.

    The named pages lose one beginning, and the documents lose one number of leading folders.
    """
    ids_by_end = [_ids_by_end(documents, folders) for folders in range(_shared_folders(documents) + 1)]
    best = _best_beginnings(pages, ids_by_end)
    if best is None:
        return _EndMatches("", {})
    ids = ids_by_end[best.folders]
    matches: dict[str, set[str]] = {}
    for page in pages:
        for end in _ends(page):
            if end.dropped == best.dropped and end.parts in ids:
                matches[page] = {ids[end.parts]}
    return _EndMatches(best.dropped, matches)


class _Beginnings(NamedTuple):
    """The beginning that named pages lose, and the number of leading folders that paths of documents lose."""

    dropped: str
    folders: int


def _best_beginnings(pages: Sequence[str], ids_by_end: Sequence[Mapping[_Parts, str]]) -> _Beginnings | None:
    """Return the pair that matches most named pages, among equal pairs the shortest; None if few pages match.

    `ids_by_end` has the ids by the ends of paths, for each number of folders that the paths lose.
    """
    matched_pages: Counter[_Beginnings] = Counter()
    for page in pages:
        for end in _ends(page):
            for folders, ids in enumerate(ids_by_end):
                if end.parts in ids:
                    matched_pages[_Beginnings(end.dropped, folders)] += 1

    def preference(beginnings: _Beginnings) -> tuple[int, int, int]:
        return -matched_pages[beginnings], len(beginnings.dropped), beginnings.folders

    best = min(matched_pages, key=preference, default=None)
    if best is None or matched_pages[best] < _FEWEST:
        return None
    return best


def _shared_folders(documents: Sequence[_Document]) -> int:
    """Return the number of leading folders that the paths of all documents share, at most `_MOST_FOLDERS`."""
    folders: list[list[str]] = []
    for document in documents:
        *folders_of_document, _ = _parts(document.path)
        folders.append(folders_of_document[:_MOST_FOLDERS])
    shared = 0
    for names in zip(*folders, strict=False):
        if len(set(names)) > 1:
            break
        shared += 1
    return shared


def _ids_by_end(documents: Iterable[_Document], folders: int) -> dict[_Parts, str]:
    """Return ids by path without the first folders; a path that several documents share names none of them."""
    ids: dict[_Parts, str] = {}
    shared: set[_Parts] = set()
    for document in documents:
        end = _plain(_parts(document.path)[folders:])
        if ids.setdefault(end, document.id) != document.id:
            shared.add(end)
    for end in shared:
        del ids[end]
    return ids


class _End(NamedTuple):
    """The end of a page's name, and the beginning that was dropped, up to a slash."""

    dropped: str
    parts: _Parts


def _ends(page: str) -> Iterator[_End]:
    """Yield the ends of a page's name, the longest first."""
    address = page_address(page, None)
    beginning = ""
    path = page
    if address is not None:
        beginning = f"{address.host}/"
        path = address.path
    parts = _parts(path)
    for count, part in enumerate(parts):
        yield _End(beginning, _plain(parts[count:]))
        beginning += f"{part}/"


def _parts(path: str) -> list[str]:
    return [unquote(part) for part in path.strip("/").split("/")]


def _plain(parts: Sequence[str]) -> _Parts:
    """Return the parts of a path without the suffix of a page, or without the name of an index page."""
    *folders, name = parts or [""]
    name = unpacked_name(name)
    for suffix in HTML_SUFFIXES:
        if name.lower().endswith(suffix):
            name = name[: -len(suffix)]
    if name == "" or _INDEX_PAGE.fullmatch(name):
        return tuple(folders)
    return (*folders, name)


def _by_canonical_address(
    pages: Sequence[str], table: CollectionTable, collection: Collection
) -> Mapping[str, set[str]]:
    """Match named pages with documents by the addresses that the documents call canonical."""
    if not any(page_address(page, None) for page in pages):
        return {}
    places = _Places()
    for document_id, address, source in _located_sources(table, collection):
        if not id_problem(document_id):
            with suppress(PageError, LxmlError, ValueError):
                head = lxml_html.document_fromstring(source.page().content[:_HEAD_BYTES])
                places.add(document_id, canonical_address(head, address))
    matches: dict[str, set[str]] = {}
    for page in pages:
        ids = places.of(page)
        if ids:
            matches[page] = ids
    if len(matches) < _FEWEST:
        return {}
    return matches

"""Document ids: formed from file names, and checked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from thresher.collections.sources import Source, unpacked_name
from thresher.defaults import ID_RULES
from thresher.errors import ConfigError, InputError

LONGEST_ID = 32766
"""Bytes in UTF-8, which is the most that Lucene has room for."""
_SHOWN = 100
# TREC runs separate columns by white space.
_UNFIT = re.compile(r"[\s\x00-\x1f\x7f-\x9f\ud800-\udfff]")


@dataclass(frozen=True)
class IdRule:
    """The rule that forms document ids from file names.

    `ids`: `path` for the whole path below the folder `prefix`, `stem` for the file name alone. `keep_suffix`: whether `.html`
    stays; the suffix of a compression after it never does. Every match of the regular expression `pattern` is then replaced
    by `replacement`, where qrels spell ids differently. `escape` writes characters that a TREC run cannot hold as %XX.
    `address`: WARC records without an id of a collection have their address as id, if it makes one, before the record's id,
    which says nothing to people.
    """

    ids: str = ID_RULES[0]
    prefix: str = ""
    keep_suffix: bool = False
    escape: bool = False
    pattern: str = ""
    replacement: str = ""
    address: bool = False

    def apply(self, path: str) -> str:
        """Return the id of the file at `path`, relative to the collection's root and with `/`.

        >>> IdRule("path", "pages").apply("pages/sql/select.html")
        'sql/select'
        """
        if self.ids not in ID_RULES:
            known = ", ".join(ID_RULES)
            raise ConfigError(f"unknown rule for ids {self.ids!r}", f"use one of {known}", "collection.ids")
        file = PurePosixPath(unpacked_name(path))
        # Not `with_suffix`, whose treatment of `..html` depends on Python's version.
        stem = file.name if self.keep_suffix else file.name.rpartition(".")[0] or file.name
        if self.ids == "stem":
            return self.fit(stem)
        folder = file.parent
        if self.prefix:
            try:
                folder = folder.relative_to(self.prefix)
            except ValueError as error:
                what = f"the file is not below the prefix {self.prefix!r}"
                raise InputError(what, "correct collection.prefix", path) from error
        return self.fit(stem if folder == PurePosixPath() else f"{folder.as_posix()}/{stem}")

    def fit(self, document_id: str) -> str:
        """Return an id with the pattern replaced and, with `escape`, escaped."""
        if self.pattern:
            document_id = re.sub(self.pattern, self.replacement, document_id)
        return escape_id(document_id) if self.escape else document_id


def id_problem(document_id: str) -> str:
    """Return why a TREC run or an index cannot hold `document_id`, empty if they can. (Ids are not file names.)

    >>> id_problem("a b")
    "the document id 'a b' holds ' ', which a TREC run cannot hold"
    """
    if not document_id:
        return "the document has no id"
    if unfit := _UNFIT.search(document_id):
        return f"the document id {shown_id(document_id)} holds {unfit.group()!r}, which a TREC run cannot hold"
    size = len(document_id.encode("utf-8", "surrogatepass"))
    if size > LONGEST_ID:
        return f"the document id {shown_id(document_id)} has {size} bytes where Lucene allows {LONGEST_ID}"
    return ""


def shown_id(document_id: str) -> str:
    """Return an id in quotes for a message, its end left out if it is long."""
    return repr(document_id if len(document_id) <= _SHOWN else f"{document_id[:_SHOWN]}…")


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
            raise InputError(problem, "give the document an id without white space", source.where)
        if source.id in seen:
            raise InputError(
                f"the document id {source.id!r} occurs twice, first in {seen[source.id]}",
                "make ids unique",
                source.where,
            )
        seen[source.id] = source.where
        yield source

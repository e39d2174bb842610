"""Document ids: formed from file names, and checked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath

from thresher.collections.records import Source
from thresher.errors import ConfigError, InputError

# A run has columns separated by white space, which ids therefore cannot hold.
_UNFIT = re.compile(r"[\s\x00-\x1f\x7f-\x9f\ud800-\udfff]")

ID_RULES = ("path", "stem")


def file_id(path: PurePosixPath, rule: str, prefix: str = "", keep_suffix: bool = False) -> str:
    """Return the document id of a file.

    Args:
        path: its path below the collection's root, with `/`.
        rule: `path` for the whole path below `prefix`, `stem` for the file name alone.
        prefix: a folder to leave out of all ids.
        keep_suffix: whether `.html` stays.

    Raises:
        InputError: if the file is not below `prefix`.
        ConfigError: if there is no such rule.

    >>> file_id(PurePosixPath("pages/sql/select.html"), "path", "pages")
    'sql/select'
    """
    if rule not in ID_RULES:
        raise ConfigError(f"unknown rule for ids {rule!r}", f"use one of {', '.join(ID_RULES)}", "collection.ids")
    # Not `with_suffix`, whose treatment of `..html` depends on Python's version.
    stem = path.name if keep_suffix else path.name.rpartition(".")[0] or path.name
    if rule == "stem":
        return stem
    folder = path.parent
    if prefix:
        try:
            folder = folder.relative_to(prefix)
        except ValueError as error:
            raise InputError(
                f"the file is not below the prefix {prefix!r}", "correct collection.prefix", str(path)
            ) from error
    return stem if folder == PurePosixPath() else f"{folder.as_posix()}/{stem}"


def id_problem(document_id: str) -> str:
    """Return why a TREC run cannot hold `document_id`, empty if it can. (Ids are never file names: `..` is allowed.)

    >>> id_problem("a b")
    "the document id 'a b' holds ' ', which a TREC run cannot hold"
    """
    if not document_id:
        return "the document has no id"
    unfit = _UNFIT.search(document_id)
    return f"the document id {document_id!r} holds {unfit.group()!r}, which a TREC run cannot hold" if unfit else ""


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
    """Pass sources through, and refuse any damage.

    Raises:
        InputError: for a source with a problem, an invalid id or a repeated one (naming both origins).
    """
    seen: dict[str, str] = {}
    for source in sources:
        if source.problem:
            raise InputError(source.problem, "correct or remove it", source.where)
        problem = id_problem(source.id)
        if problem:
            raise InputError(problem, "give the document an id without white space", source.where)
        if source.id in seen:
            raise InputError(
                f"the document id {source.id!r} comes twice, first in {seen[source.id]}",
                "make ids unique",
                source.where,
            )
        seen[source.id] = source.where
        yield source

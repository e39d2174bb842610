"""What cleaning lost: pages that failed, by kind, and pages left without text, by language; what is said of them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from thresher.collections import Collection
from thresher.collections.file_collection import Files
from thresher.errors import InputError
from thresher.passes.apart import likely_fields_apart
from thresher.scorers.cleaners import Cleaner
from thresher.scoring.emptied import TOLERATED, by_count, foreign, language_warning

_MOST_KINDS = 5
# What follows is about the single page: values, numbers, places.
_OF_THE_PAGE = re.compile(r"\s*(?:[:(,'\"]|\d|\bat byte\b|\bof \d).*", re.DOTALL)


def kind_of_failure(reason: str) -> str:
    """Return what a reason has in common with those of other pages.

    >>> kind_of_failure("too large: 17.0 MiB, the limit is 16 MiB")
    'too large'
    >>> kind_of_failure("HTTP status 404")
    'HTTP status'
    """
    return _OF_THE_PAGE.sub("", reason).strip() or reason


def nothing_read(collection: Collection, kinds: Mapping[str, int], documents: int) -> InputError:
    """Return the error for a collection whose pages have all failed, with the likely fix.

    Args:
        collection: the collection.
        kinds: how many pages failed, by kind.
        documents: the pages of the collection.
    """
    pages = "its only page" if documents == 1 else f"all {documents} pages"
    what = f"{pages} failed: {_listed(by_count(kinds))}"
    fix = "see with --failures FILE what is wrong with each"
    if isinstance(collection, Files):
        found = likely_fields_apart(collection.path, collection.format, collection.options.fields)
        if found.members:
            options = " ".join(f"--{name}-field {member}" for name, member in found.likely.items() if name != "url")
            told = f"its members are {', '.join(found.members)}"
            fix = f"add {options} ({told})" if options else f"{told}; {fix}"
    return InputError(what, fix, str(collection.path))


def warnings(cleaner: Cleaner, documents: int, kinds: Mapping[str, int], emptied: Mapping[str, int]) -> tuple[str, ...]:
    """Return sentences on what was lost, if that is more than `TOLERATED` of the pages, each for its sort of loss.

    Args:
        cleaner: the cleaner.
        documents: the pages of the collection.
        kinds: how many failed, by kind.
        emptied: how many were left without text, by language.

    Raises:
        ThresherError: as `thresher.scoring.emptied.language_warning`.
    """
    failed, empty = sum(kinds.values()), sum(emptied.values())
    told: list[str] = []
    if failed > TOLERATED * documents:
        told.append(f"{_share(failed, documents)} failed: {_listed(by_count(kinds))}")
    unknown = language_warning(cleaner, emptied, documents)
    # That warning has the languages of all of them.
    all_told = unknown and sum(foreign(cleaner, emptied).values()) == empty
    if empty > TOLERATED * documents and not all_told:
        told.append(f"{_share(empty, documents)} are left without text: {_listed(by_count(emptied))}")
    return (*told, *([unknown] if unknown else []))


def _share(pages: int, documents: int) -> str:
    return f"{pages} of {documents} pages ({100 * pages / documents:.1f} %)"


def _listed(counts: Mapping[str, int]) -> str:
    shown = [f"{count} {kind}" for kind, count in counts.items()]
    rest = sum(list(counts.values())[_MOST_KINDS:])
    return ", ".join([*shown[:_MOST_KINDS], *([f"{rest} others"] if rest else [])])

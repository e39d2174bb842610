"""What readers must know of topics, judgments and the collection before the numbers, as data; reports say it in words."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

MOST_IDS = 5
"""Ids that are kept of all that a notice is about."""


class About(StrEnum):
    """What a notice is about."""

    UNJUDGED = "unjudged"
    """Topics without a judgment, which are left out."""
    UNKNOWN = "unknown"
    """Judged topics that the topics do not have."""
    PSEUDO = "pseudo"
    """The topics were made from titles or anchors of pages."""
    ASKED = "asked"
    """Held-out topics with the query of a topic that cutoffs are chosen on."""
    MISSING = "missing"
    """Judged documents that the collection does not have."""
    SKIPPED = "skipped"
    """Modules of the standard library that the collection of its documentation is without."""


@dataclass(frozen=True)
class Notice:
    """A notice: how many ids it is about, and the first `MOST_IDS`; `held_out` if it is about the held-out topics."""

    about: About
    count: int = 0
    ids: tuple[str, ...] = ()
    held_out: bool = False


def notice(about: About, ids: Iterable[str] = (), held_out: bool = False) -> Notice:
    """Return a notice about ids."""
    every = tuple(ids)
    return Notice(about, len(every), every[:MOST_IDS], held_out)

"""What is asked of pseudo-topics, and what they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

TITLES, ANCHORS = "titles", "anchors"
SOURCES = (TITLES, ANCHORS)
"""What topics are made from."""


@dataclass(frozen=True)
class PseudoOptions:
    """Which topics to make.

    Attributes:
        sources: some of `SOURCES`.
        topics: how many at most, of all sources together.
        seed: chooses the sample.
        stop_list: the language whose stop words don't count when a text's length is judged, such as `English`.
    """

    sources: tuple[str, ...] = SOURCES
    topics: int = 500
    seed: int = 0
    stop_list: str = "English"


DEFAULT_OPTIONS = PseudoOptions()


@dataclass(frozen=True)
class PseudoTopic:
    """A known-item topic: its id, its query, what it was made from, and the documents that are the item.

    These are one page, or several documents with one address.
    """

    id: str
    query: str
    source: str
    documents: tuple[str, ...]


@dataclass(frozen=True)
class Made:
    """The topics, and what became of all that was looked at: counts by reason, by what was looked at.

    In each of `counts` the first number is the sum of all the others.
    """

    topics: tuple[PseudoTopic, ...]
    counts: Mapping[str, Mapping[str, int]]

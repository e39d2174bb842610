"""Announcements: the steps of long work, as records that `thresher.reports.announcements` puts into words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum, auto
from typing import TypeAlias


class Step(StrEnum):
    """A step that begins, or a problem with earlier results."""

    READING = auto()
    """A collection is read; `collection`."""
    MATCHING_ENDS = auto()
    """Pages of queries are matched by the ends of their paths; `dropped` from the log's names, `queries`, a count."""
    MATCHING_CANONICAL = auto()
    """Pages of queries are matched by canonical addresses; `queries`, a count."""
    SCORING = auto()
    """Pages are scored; `scorers`, names with commas between them."""
    FINDING_PERCENTILES = auto()
    """Cutoffs of percentiles are found; `scorer`."""
    INDEXING = auto()
    """Variants are indexed and searched; `variants` and `pages`, counts."""
    TIMING = auto()
    """Variants are timed; `variants`, a count, `seconds` at most."""
    TIMING_AGAIN = auto()
    """The variants of a finished run are timed; as `TIMING`."""
    EXPLORING = auto()
    """Cutoffs are explored; `scorers`, a count."""
    TESTING = auto()
    """Variants are tested; `variants`, a count, `measures`, their canonical names."""
    READING_TOPICS = auto()
    """The pages of topics are read; `topics`, a count."""
    EXPLAINING = auto()
    """Scores are explained; `variant` and `baseline`."""
    UNREADABLE_RESULTS = auto()
    """Earlier results cannot be read, and are computed again; `problem`."""
    UNREADABLE_CHOICE = auto()
    """An earlier choice cannot be read, and is removed; `problem`."""
    OTHER_EVIDENCE = auto()
    """Earlier results were computed from other inputs and are left out."""


@dataclass(frozen=True)
class Announcement:
    """A step with its facts by name, as `Step` lists them."""

    step: Step
    facts: Mapping[str, str | int | float | tuple[str, ...]] = field(default_factory=dict)


Announce: TypeAlias = Callable[[Announcement], None]


def ignore_announcement(announcement: Announcement) -> None:
    """Announce nothing."""

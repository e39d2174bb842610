"""What is advised for a crawl without judgments, on what grounds, and `advice.json`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import numpy as np

from thresher.choosing.shared import prediction_bounds
from thresher.costs.repeats import Interval
from thresher.defaults import ALPHA
from thresher.errors import StateError
from thresher.evaluation.non_inferiority import MINIMUM, Floats, t_quantile
from thresher.records import RecordFile


class Grounds(StrEnum):
    """What an advice rests on."""

    QUERIES = "queries"
    """The queries that the user gave, each with its page: what `thresher choose` makes of them."""
    DEFAULT = "default"
    """Other collections: the default setting."""


@dataclass(frozen=True)
class Finding:
    """What the topics of a source say of the advised index.

    Args:
        source: the source.
        topics: how many.
        change: of the main measure, as a share of the mean without cleaning, with its 95 % interval by Student's t; None with
            too few topics, or where nothing is found without cleaning either.
        counts: whether the advice rests on them.
    """

    source: str
    topics: int
    change: Interval | None
    counts: bool


@dataclass(frozen=True)
class Removed:
    """What cleaning removes from blocks of a kind, or from pages that mostly have blocks of a kind.

    Args:
        kind: the kind of blocks.
        count: of their words, or of the pages.
        removed: share of the words, in [0, 1].
    """

    kind: str
    count: int
    removed: float


@dataclass(frozen=True)
class LookAt:
    """A page that loses much that may be content: words and their removed share, and the longest removed passage."""

    id: str
    words: int
    removed: float
    passage: str


@dataclass(frozen=True)
class Advice:
    """What is advised for a crawl.

    Args:
        title: of the collection.
        pages, sites: that can be read.
        sampled: pages that all figures are of.
        grounds: see there.
        variant: what is advised, a cleaner and perhaps a pruning method, each with its cutoff; `none` for no cleaning.
        size: postings over those without cleaning; the interval is the sampling error (95 %).
        measure: the main one.
        change: of it, as a share of the mean without cleaning: by queries what they say (95 %, Student's t), else what to
            expect of a further collection (a 95 % prediction interval by those that it was measured on).
        elsewhere: of the default setting, that change on each collection, chosen on the others.
        findings: by source.
        blocks, kinds: what cleaning removes, by kinds of blocks and of pages.
        look: pages to look at.
        commands: lines for a shell that apply it to the whole collection.
    """

    title: str
    pages: int
    sites: int
    sampled: int
    grounds: Grounds
    variant: str
    size: Interval
    measure: str
    change: Interval | None
    elsewhere: Mapping[str, float]
    findings: tuple[Finding, ...]
    blocks: tuple[Removed, ...]
    kinds: tuple[Removed, ...]
    look: tuple[LookAt, ...]
    commands: tuple[str, ...]


def relative_change(values: Floats, baseline: Floats) -> Interval | None:
    """Return the mean difference over topics as a share of the baseline's mean, with its 95 % interval by Student's t.

    None with fewer than `MINIMUM` topics, or if the baseline's mean is 0.
    """
    mean = float(baseline.mean()) if len(baseline) else 0.0
    if len(values) < MINIMUM or mean <= 0:
        return None
    differences = values - baseline
    middle = float(differences.mean())
    reach = t_quantile(ALPHA / 2, len(values) - 1) * float(differences.std(ddof=1)) / len(values) ** 0.5
    return Interval(middle / mean, (middle - reach) / mean, (middle + reach) / mean)


def expected_change(elsewhere: Sequence[float]) -> Interval:
    """Return the mean of changes on other collections, and the 95 % prediction interval for one more of their kind."""
    changes = np.array(elsewhere)
    low, high = -prediction_bounds(-changes, ALPHA / 2), prediction_bounds(changes, ALPHA / 2)
    return Interval(float(changes.mean()), float(low), float(high))


ADVICE_FILE = "advice.json"
_FILE = RecordFile(Advice, "an advice", "run `thresher advise` again", "thresher-advice", 1, StateError)


def write_advice(advice: Advice, folder: Path) -> None:
    """Write `advice.json` into a folder, whole or not at all."""
    _FILE.write(folder / ADVICE_FILE, advice)


def read_advice(folder: Path) -> Advice:
    """Read what `write_advice` wrote."""
    return _FILE.read(folder / ADVICE_FILE)

"""What is advised for a crawl without judgments, and `advice.json`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from thresher.base.defaults import ALPHA
from thresher.base.errors import StateError
from thresher.base.numbers import Floats, Interval
from thresher.base.records import RecordFile
from thresher.evaluation.non_inferiority import MINIMUM, t_quantile
from thresher.experiments.choosing.shared import prediction_bounds


@dataclass(frozen=True)
class Finding:
    """What the topics of a source say of the advised index.

    Args:
        source: the source.
        topics: how many.
        change: of the main measure, as a share of the mean without cleaning, with its 95 % interval by Student's t; None with
            too few topics, or where nothing is found without cleaning either.
    """

    source: str
    topics: int
    change: Interval | None


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
class Cautious:
    """The smallest index that sentences of the pages accept, as `thresher choose` tests; `none` for no cleaning.

    Args:
        share: its postings over those without cleaning.
        change: what to expect of a further collection, as in `Advice`.
        elsewhere: what such choices changed of the main measure by people's topics, by collection.
        commands: see `Advice`.
    """

    variant: str
    share: float
    change: Interval
    elsewhere: Mapping[str, float]
    commands: tuple[str, ...]


@dataclass(frozen=True)
class Advice:
    """What is advised for a crawl.

    Args:
        title: of the collection.
        pages, sites: that can be read.
        sampled: pages that all figures are of.
        by_queries: whether queries with their pages choose, as in `thresher choose`; else it is the default setting.
        variant: what is advised, a cleaner and perhaps a pruning method, each with its cutoff; `none` for no cleaning.
        size: postings over those without cleaning; the interval is the sampling error (95 %).
        measure: the main one.
        change: of it, as a share of the mean without cleaning: by queries what they say (95 %, Student's t), else what to
            expect of a further collection (a 95 % prediction interval by those that it was measured on).
        elsewhere: of the default setting, that change on each collection, chosen on the others.
        findings: by source.
        cautious: what a user may take who cannot risk that; None with too few sentences, or where queries choose.
        blocks, kinds: what cleaning removes, by kinds of blocks and of pages.
        look: pages to look at.
        commands: lines for a shell that apply it to the whole collection.
    """

    title: str
    pages: int
    sites: int
    sampled: int
    by_queries: bool
    variant: str
    size: Interval
    measure: str
    change: Interval | None
    elsewhere: Mapping[str, float]
    findings: tuple[Finding, ...]
    cautious: Cautious | None
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
ADVICE = RecordFile(Advice, "an advice", "run `thresher advise` again", "thresher-advice", 1, StateError)

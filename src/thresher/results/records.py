"""What a report shows: the finished experiment as plain values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from thresher.evaluation.significance import Comparison
from thresher.records import RecordFile


@dataclass(frozen=True)
class Cost:
    """One amount of work: wall and CPU seconds, peak memory, CO2.

    `co2_grams` is None where the work was too short to measure ("below resolution").
    """

    wall_seconds: float
    cpu_seconds: float
    peak_mib: float
    co2_grams: float | None


@dataclass(frozen=True)
class Row:
    """One variant searched by one retrieval model: a row of the table.

    `sweep` names the sweep it belongs to (the scorer's canonical name, with `@p` or `@r` behind it where cutoffs
    are percentiles) and `cutoff` its place there; both are None for single cleaners and for the baseline.
    `comparisons` is empty for the baseline. Counts are documents, except the words. Break-even is the number of
    queries after which cleaning has paid for itself: None where it never does.
    """

    variant: str
    retrieval: str
    is_baseline: bool
    sweep: str | None
    cutoff: float | None
    measures: Mapping[str, float]
    comparisons: Mapping[str, Comparison]
    documents: int
    indexed: int
    emptied: int
    failed: int
    words_kept: int
    words_total: int
    index_bytes: int
    index_bytes_baseline: int
    index_bytes_by_type: Mapping[str, int]
    clean: Cost
    index: Cost
    search: Cost
    latency_median_ms: float
    latency_p95_ms: float
    queries: int
    break_even_queries: float | None
    break_even_note: str


class TopicValue(NamedTuple):
    """The value of one measure for one topic: a tuple, because a file holds many thousands."""

    variant: str
    retrieval: str
    topic: str
    query: str
    measure: str
    value: float


@dataclass(frozen=True)
class Results:
    """A finished experiment.

    `methods` are (heading, text) pairs: how everything was measured, in reading order. `notices` are things
    the reader must know before the numbers (judged pages that the collection lacks, failed pages).
    `failed_pages` are (document, reason) pairs. `test` names the significance test behind every comparison. `held_out` are the
    same rows on other topics, which have no part in choosing cutoffs; its methods, notices and failed pages are empty. `key`
    names what the values rest on, whichever variants there are; see `thresher.experiments.stages`.
    """

    experiment: str
    title: str
    measures: tuple[str, ...]
    topics: int
    rows: tuple[Row, ...]
    per_topic: tuple[TopicValue, ...]
    methods: tuple[tuple[str, str], ...]
    notices: tuple[str, ...] = ()
    failed_pages: tuple[tuple[str, str], ...] = field(default=())
    test: str = "Two-sided Wilcoxon signed-rank test"
    held_out: Results | None = None
    key: str = ""


RESULTS = RecordFile(
    Results,
    "a results file",
    "run the experiment again, or use the version of thresher that wrote the file",
    "thresher-results",
    2,
)
"""How results are kept in `results.json`."""

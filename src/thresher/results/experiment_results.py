"""A finished experiment as plain values, and its file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from thresher.costs import BreakEven, Footprint, MeasuredTime, Times
from thresher.defaults import ALPHA, HOLM
from thresher.evaluation.significance import Comparison
from thresher.lucene.query_rounds import CollectorPauses
from thresher.lucene.work import IndexStatistics, QueryWork
from thresher.records import RecordFile
from thresher.shown import Shown


@dataclass(frozen=True)
class Cost(Times):
    """What a stage took, with grams of CO2; None where the work was too short to measure ("below resolution")."""

    co2_grams: float | None = None


@dataclass(frozen=True)
class VariantResult:
    """One variant searched by one retrieval model.

    `sweep` names the sweep it belongs to (the scorer's canonical name, with `@p` or `@r` behind it where cutoffs
    are percentiles) and `cutoff` its cutoff; both are None for single cleaners and for the baseline.
    `comparisons` is empty for the baseline. Counts are documents, except the words. `work` is that of a query, mean over
    topics. `index` and `search` are what it took to make this very index and run, once. `query` and `indexing` are times that
    were measured for all variants together, None where they were not; `break_even` is computed from them.
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
    statistics: IndexStatistics
    work: QueryWork
    clean: Cost
    index: Cost
    search: Cost
    query: MeasuredTime | None
    indexing: MeasuredTime | None
    break_even: BreakEven
    footprints: tuple[Footprint, ...]


class TopicValue(NamedTuple):
    """The value of one measure for one topic: a tuple, because a file holds many thousands."""

    variant: str
    retrieval: str
    topic: str
    query: str
    measure: str
    value: float


@dataclass(frozen=True)
class Best:
    """The variant of a sweep with the best mean on the held-out topics, that mean, and its comparison with the baseline."""

    variant: str
    mean: float
    comparison: Comparison


@dataclass(frozen=True)
class Chosen:
    """The variant chosen of a sweep on the training topics, or a single cleaner, and what it is worth on held-out topics.

    Everything is in the main measure: `training` and `held_out` are means, `baseline` is the baseline's on held-out topics.
    `comparison` is with the baseline there; its p is corrected over all that was chosen, not over all that was tried.
    `best` and `optimism`, what the best one promises beyond the chosen one, are None for a single cleaner (see
    `thresher.evaluation.rules.HeldOutChoice`).
    """

    retrieval: str
    sweep: str | None
    variant: str
    training: float
    held_out: float
    baseline: float
    comparison: Comparison
    best: Best | None = None
    optimism: float | None = None


@dataclass(frozen=True)
class NoiseFloor:
    """How times were measured, of a retrieval model's queries or of indexing, and what the baseline's twin seems to save.

    `retrieval` is empty for indexing, whose `pauses` are not known. See `thresher.costs.repeats.Repeats`.
    """

    retrieval: str
    twin: MeasuredTime
    openings: int
    rounds: int
    pauses: CollectorPauses | None


@dataclass(frozen=True)
class TitleBias:
    """How many relevant pages have all words of their topic in the title (`title`), and in title or headings (`headings`).

    A page counts once for each topic that it is relevant for (`relevant`). See `thresher.experiments.outcome`.
    """

    relevant: int
    title: int
    headings: int

    @property
    def share(self) -> float:
        """The share of relevant pages with all words in title or headings; 0 if there are none."""
        return self.headings / self.relevant if self.relevant else 0.0


@dataclass(frozen=True)
class SystemResult:
    """A run of another system, on the same topics and judgments.

    `comparisons` are with the baseline of the first retrieval model, corrected together with the variants'. `retrieved` is the
    number of topics with a document. `index_bytes` is None where it is not known.
    """

    name: str
    measures: Mapping[str, float]
    comparisons: Mapping[str, Comparison]
    retrieved: int
    index_bytes: int | None


@dataclass(frozen=True)
class Results(Shown):
    """A finished experiment.

    `methods` are (heading, text) pairs: how everything was measured, in reading order. `notices` are things
    the reader must know before the numbers (judged pages that the collection lacks, failed pages).
    `failed_pages` are (document, reason) pairs. `test` names the significance test behind every comparison, `alpha` is its
    level, and `correction` how p is corrected for the number of tests (one of `CORRECTIONS`). `held_out` are the
    same variants on other topics, which have no part in choosing cutoffs; its methods, notices and failed pages are empty.
    `chosen` is what is chosen on `topics`, one per sweep and single cleaner (see `thresher.results.selection`). `key` names
    what the values rest on, whichever variants there are; see `thresher.experiments.stages`. `noise` says how times were
    measured, one per retrieval model and one for indexing, and `co2_method` where footprints come from. `title_bias` is of the
    topics; files of earlier versions lack it. `twins` names for the baseline and each variant with `headings=keep` the same
    with title and headings left out; `without_headings` are these, on the same topics, compared with the baseline's twin.
    `systems` are runs of other systems; their values are in `per_topic` too, by the first retrieval model.
    """

    experiment: str
    title: str
    measures: tuple[str, ...]
    topics: int
    rows: tuple[VariantResult, ...]
    per_topic: tuple[TopicValue, ...]
    methods: tuple[tuple[str, str], ...]
    notices: tuple[str, ...] = ()
    failed_pages: tuple[tuple[str, str], ...] = field(default=())
    test: str = "Two-sided Wilcoxon signed-rank test"
    alpha: float = ALPHA
    correction: str = HOLM
    held_out: Results | None = None
    chosen: tuple[Chosen, ...] = ()
    noise: tuple[NoiseFloor, ...] = ()
    co2_method: str = ""
    key: str = ""
    title_bias: TitleBias | None = None
    without_headings: Results | None = None
    twins: Mapping[str, str] = field(default_factory=dict)
    systems: tuple[SystemResult, ...] = ()


RESULTS_FILE = "results.json"
RESULTS = RecordFile(
    Results,
    "a results file",
    "run the experiment again, or use the version of thresher that wrote the file",
    "thresher-results",
    4,
)
"""How results are kept in `results.json`."""


def write_results(results: Results, folder: Path) -> None:
    """Write `results.json` into a folder, whole or not at all."""
    RESULTS.write(folder / RESULTS_FILE, results)


def read_results(folder: Path) -> Results:
    """Read what `write_results` wrote.

    Raises:
        InputError: if `results.json` is missing, damaged or of another version.
    """
    return RESULTS.read(folder / RESULTS_FILE)

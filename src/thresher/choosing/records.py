"""What a cutoff is chosen among, and what was chosen."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from thresher.costs import BreakEven
from thresher.evaluation.non_inferiority import CutoffVerdict
from thresher.evaluation.records import Comparison

Values = npt.NDArray[np.float64]


class SizeKind(StrEnum):
    """What sizes are: bytes of indexes that were built, as a model estimates them, or postings where it knows nothing."""

    BYTES = "bytes"
    ESTIMATED = "bytes, estimated"
    POSTINGS = "postings"


class RuleName(StrEnum):
    """How a cutoff is picked; `SMALLEST` is what is recommended."""

    SMALLEST = "smallest non-inferior"
    KNEE = "knee"
    HIGHEST = "highest mean"


@dataclass(frozen=True)
class Candidate:
    """A cleaner that may be chosen: `group` is its scorer's curve, or the cleaner itself; `cutoff` None without one.

    `documents` are those it leaves text of.
    """

    name: str
    group: str
    cutoff: float | None
    size: float
    documents: int


@dataclass(frozen=True)
class Evidence:
    """Candidates with a measure's values by topic, for one retrieval model, and the baseline's.

    `values` is [candidate, topic], `baseline` [topic]. `held_out` are (values, baseline) of the same candidates on other
    topics, which have no part in the choice; None without such. `explored` says that the values come from exploring, not from
    runs. `documents` have text before cleaning.
    """

    retrieval: str
    measure: str
    explored: bool
    size_kind: SizeKind
    baseline_size: float
    documents: int
    candidates: tuple[Candidate, ...]
    values: Values
    baseline: Values
    held_out: tuple[Values, Values] | None


@dataclass(frozen=True)
class Pick:
    """What a rule picks: `place` among the candidates, None for the baseline.

    `apparent` is the pick's mean on the topics it was picked on, or with a second topic set what the best pick there would
    promise; `held_out` the mean on topics without a part in picking; `optimism` their difference. `held_out_size` is the mean
    size of what the trainings picked, `share` how many of them picked the same as all topics; None with a second topic set,
    where there is one training. `comparison` sets the held-out values against the baseline's.
    """

    rule: RuleName
    place: int | None
    apparent: float
    held_out: float
    optimism: float
    held_out_size: float
    share: float | None
    comparison: Comparison


@dataclass(frozen=True)
class GroupPick:
    """What each rule picks among the candidates of one group; places among all candidates, None for the baseline."""

    group: str
    candidates: int
    highest: int
    knee: int | None
    smallest: int | None


@dataclass(frozen=True)
class Decision:
    """One measure of one retrieval model: every candidate judged, and what the rules pick.

    Args:
        retrieval, measure, explored, size_kind, baseline_size, documents, candidates: see `Evidence`.
        topics: how many.
        held_out_topics: how many a second set has; 0 where topics are cross-validated.
        folds, repeats: of the cross-validation; 0 with a second set, and where picks were not looked at on other topics.
        margin: the largest accepted loss, in units of the measure.
        relative_margin: the same as a share of the baseline's mean, where it was stated so; None otherwise.
        alpha: the probability, over all candidates, that one is called non-inferior that is not.
        critical: see `thresher.evaluation.non_inferiority.NonInferiority`.
        baseline_mean: over the topics.
        means: of the candidates over the topics.
        verdicts: of the candidates; their `low` and `high` bound the differences, all at once.
        front: the places of candidates that neither another one nor the baseline beats in size and mean.
        groups: by scorer.
        picks: of all candidates, the recommended first; none where they were not looked at on other topics.
    """

    retrieval: str
    measure: str
    explored: bool
    size_kind: SizeKind
    topics: int
    held_out_topics: int
    folds: int
    repeats: int
    margin: float
    relative_margin: float | None
    alpha: float
    critical: float
    baseline_mean: float
    baseline_size: float
    documents: int
    candidates: tuple[Candidate, ...]
    means: tuple[float, ...]
    verdicts: tuple[CutoffVerdict, ...]
    front: tuple[int, ...]
    groups: tuple[GroupPick, ...]
    picks: tuple[Pick, ...]

    @property
    def recommended(self) -> int | None:
        """The place of the smallest candidate that is non-inferior, if it is smaller; None to stay with the baseline."""
        return self.picks[0].place if self.picks else None


@dataclass(frozen=True)
class Savings:
    """What a variant saves against the baseline over `queries` queries, searched by a retrieval model.

    `bytes` are of the index, None where sizes are postings and it was not built; `share` is of the baseline's size. Seconds
    are wall time: `query_seconds` saved by all the queries, `extra_seconds` that cleaning and building take more before the
    first. `measured` says that this very variant was run; otherwise times are read off lines through the `indexes` that were.
    Times are None where too little was run, and `co2_kg`, of the net seconds (negative where they are lost), below resolution
    too.
    """

    retrieval: str
    variant: str
    queries: int
    bytes: float | None
    share: float
    query_seconds: float | None
    extra_seconds: float | None
    co2_kg: float | None
    break_even: BreakEven | None
    measured: bool
    indexes: int


@dataclass(frozen=True)
class QueryCosts:
    """What a query costs by the size of the index: the line through all indexes that one retrieval model searched.

    Wall seconds are `seconds_fixed` + `seconds_per_byte` · bytes, and CO2 is `grams_per_second` of them.
    """

    retrieval: str
    seconds_fixed: float
    seconds_per_byte: float
    grams_per_second: float


@dataclass(frozen=True)
class Choice:
    """All decisions, those of the main measure first within each retrieval model, and what the recommendations save.

    Decisions of one retrieval model have the same candidates in the same order.

    `title` is the experiment's. `key` names what it rests on: collection, scorers, topics, judgments, models, index options.
    `savings` has one a retrieval model whose main measure has a recommendation, `costs` one a retrieval model with enough
    indexes to draw a line through, and `co2_method` says in words how CO2 is reckoned. `notices` are of the topics.
    """

    title: str
    key: str
    measure: str
    decisions: tuple[Decision, ...]
    savings: tuple[Savings, ...]
    costs: tuple[QueryCosts, ...]
    co2_method: str
    notices: tuple[str, ...] = ()

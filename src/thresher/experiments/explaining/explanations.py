"""Why topics won or lost, as plain records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from thresher.base.records import RecordFile
from thresher.base.shown import Shown
from thresher.scores.block_kinds import BlockKind

UNEXPLAINED = "no relevant document fell"
"""The source of a topic's loss that no relevant document explains."""


class Part(StrEnum):
    """A part of the change of a score, in the order of computation; see `thresher.experiments.explaining.score_parts`."""

    REMOVED = "removed text"
    PRUNED = "pruned postings"
    LENGTH = "length"
    STATISTICS = "statistics"


@dataclass(frozen=True)
class TermChange:
    """A query term in a document.

    Args:
        term: the term, as it is indexed.
        in_query: its tf in the query.
        before, cleaned, after: its tf in the document: in the baseline's index, after cleaning, in the variant's index.
        part: the part of the change of the document's score that this term's lost occurrences make.
    """

    term: str
    in_query: int
    before: int
    cleaned: int
    after: int
    part: float


@dataclass(frozen=True)
class Drop:
    """A cut that removes a passage.

    Args:
        cut: the name of the cut.
        score: the score of the passage, by the cut's scorer.
        cutoff: the cutoff of the cut.
        quota: whether cutoffs are in per cent of the page's words.
        returns: the strictest cutoff with which this cut keeps the passage; None if no cutoff does.
        outcome: "dropped", or "dropped as heading".
    """

    cut: str
    score: float
    cutoff: float
    quota: bool
    returns: float | None
    outcome: str


@dataclass(frozen=True)
class Passage:
    """A removed passage with topic words: a block, or a sentence if one of the cuts scores sentences.

    Args:
        block: the number of its block in the page, from 0.
        kind: the kind of its block.
        text: its text in the page.
        tokens: the number of its index terms, with repetitions.
        terms: tf of the query terms in the passage.
        drops: every cut that removes it.
    """

    block: int
    kind: BlockKind
    text: str
    tokens: int
    terms: Mapping[str, int]
    drops: tuple[Drop, ...]


@dataclass(frozen=True)
class Neighbour:
    """A document that overtook another, or was overtaken; `grade` is None if it is not judged, a rank if not retrieved."""

    document: str
    grade: int | None
    rank_before: int | None
    rank_after: int | None


@dataclass(frozen=True)
class DocumentChange:
    """A judged document whose rank changed, or the document that was asked for.

    Args:
        document: its id.
        grade: its judgment; None if it is not judged.
        rank_before, rank_after: its rank in the baseline's run and in the variant's run, from 1; None if not retrieved.
        score_before, score_after: its unrounded scores; 0 without a query term (for `qld(exact)` the score of the length).
        removed, pruned, length, statistics: the parts of `score_after - score_before`; see `explaining.score_parts`.
        length_before, length_after: its lengths in tokens, as the retrieval model reads them.
        emptied: whether nothing of it is in the variant's index.
        terms: the query's terms.
        overtakers: the documents that overtook it if it fell, or that it overtook if it rose, by rank; only the first of them
            if all topics are explained.
        overtaker_count: the number of these documents.
        part: the part that moved it, in comparison with these documents; None if it has its old rank.
        credit: the measure after, less the measure with only this document at its old rank; 0 unless it is relevant.
        lost: shares of the kinds of block in the topic words that it lost by cleaning or pruning; they add up to 1.
        passages: the removed passages with topic words, in the order of the page.
    """

    document: str
    grade: int | None
    rank_before: int | None
    rank_after: int | None
    score_before: float
    score_after: float
    removed: float
    pruned: float
    length: float
    statistics: float
    length_before: int
    length_after: int
    emptied: bool
    terms: tuple[TermChange, ...]
    overtakers: tuple[Neighbour, ...]
    overtaker_count: int
    part: Part | None
    credit: float
    lost: Mapping[BlockKind, float] = field(default_factory=dict)
    passages: tuple[Passage, ...] = ()

    @property
    def score_change(self) -> float:
        """The score after, less the score before."""
        return self.score_after - self.score_before

    @property
    def fell(self) -> bool:
        """Whether its rank is worse than before."""
        if self.rank_before is None or self.rank_after is None:
            return self.rank_before is not None
        return self.rank_after > self.rank_before

    @property
    def relevant(self) -> bool:
        """Whether its grade is 1 or more."""
        return self.grade is not None and self.grade > 0


@dataclass(frozen=True)
class TopicExplanation:
    """Why a topic won or lost.

    Args:
        topic, query: the topic's id, and its query.
        before, after: the measures' values of the baseline and of the variant, by name.
        change: the change of the main measure.
        part: the part with the largest share of the change; None without a change, or if no relevant document moved with it.
        documents: judged documents whose rank changed; the largest credit in the direction of the change comes first.
        unmoved: the number of retrieved judged documents whose rank did not change.
    """

    topic: str
    query: str
    before: Mapping[str, float]
    after: Mapping[str, float]
    change: float
    part: Part | None
    documents: tuple[DocumentChange, ...]
    unmoved: int


@dataclass(frozen=True)
class Share:
    """A share of the loss of all topics, and the bounds of its 95 % interval."""

    share: float
    low: float
    high: float


@dataclass(frozen=True)
class Loss:
    """The loss of all topics that lost.

    Args:
        total: the sum of the losses of the main measure, 0 or more.
        topics: the number of topics that lost.
        shares: shares of the loss, largest first; they add up to 1 if there is a loss. For documents that fell by
            removed text or pruned postings, keys are the kinds of the blocks that had the topic words. For documents
            that fell by length or statistics, the key is the name of the part. `UNEXPLAINED` has the remaining loss.
    """

    total: float
    topics: int
    shares: Mapping[str, Share]


class Reason(StrEnum):
    """Why a variant is explained: the user named it, it is recommended, or its main measure changed most."""

    NAMED = "named"
    RECOMMENDED = "recommended"
    LARGEST_CHANGE = "largest change"


@dataclass(frozen=True, repr=False)
class Explanation(Shown):
    """Why a variant's topics won or lost against the baseline.

    Args:
        experiment, variant, retrieval: names of the experiment, the variant and the retrieval model.
        measure: the main measure.
        reason: why this variant is explained.
        built: the number of variants that were built, besides the baseline.
        depth: hits per topic.
        topics: the explained topics, in order.
        loss: the loss of all topics; None if one topic was asked for.
    """

    experiment: str
    variant: str
    retrieval: str
    measure: str
    reason: Reason
    built: int
    depth: int
    topics: tuple[TopicExplanation, ...]
    loss: Loss | None

    @property
    def moved(self) -> tuple[TopicExplanation, ...]:
        """The topics that changed, the largest change first."""
        moved: list[TopicExplanation] = []
        for topic in self.topics:
            if topic.change:
                moved.append(topic)
        return tuple(sorted(moved, key=lambda topic: -abs(topic.change)))

    @property
    def won(self) -> tuple[TopicExplanation, ...]:
        """The topics that won."""
        won: list[TopicExplanation] = []
        for topic in self.topics:
            if topic.change > 0:
                won.append(topic)
        return tuple(won)

    @property
    def gain(self) -> float:
        """The sum of the changes of the topics that won."""
        return sum(topic.change for topic in self.won)


RECORD = RecordFile(Explanation, "an explanation", "explain the topic again", "thresher-explanation", 3, indent=2)
"""The record that `thresher explain --json` prints."""

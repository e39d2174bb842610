"""Why topics won or lost, as plain records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from thresher.base.records import RecordFile
from thresher.base.shown import Shown
from thresher.scores.block_kinds import BlockKind


class Cause(StrEnum):
    """Why a document changed its rank: see `thresher.experiments.explaining.causes`."""

    LOST = "lost evidence"
    EMPTIED = "emptied page"
    PRUNED = "pruned terms"
    LENGTH = "length"
    STATISTICS = "statistics"
    UNJUDGED = "overtaken by unjudged"
    OTHERS_LOST = "others lost evidence"
    OTHERS_PRUNED = "others' terms pruned"
    SEVERAL = "several together"


@dataclass(frozen=True)
class TermChange:
    """A query term in a document.

    Args:
        term: as it is indexed.
        in_query: its tf in the query.
        before, cleaned, after: its tf in the document: in the baseline's index, after cleaning, in the variant's index.
        part: of the change of the document's score, what this term's lost occurrences make.
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
        cut: its name.
        score: of the passage, by the cut's scorer.
        cutoff: of the cut.
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
    """A removed passage that holds topic words: a block, or a sentence if one of the cuts scores sentences.

    Args:
        block: its number in the page, from 0.
        kind: of its block.
        text: as in the page.
        tokens: index terms in it, repeated ones counted each time.
        terms: tf of the query terms in it.
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
    """A judged document of which the rank changed, or one that was asked for.

    Args:
        document, grade: its id, and its judgment; None if it is not judged.
        rank_before, rank_after: in the baseline's run and in the variant's; None if it was not retrieved.
        score_before, score_after: unrounded; 0 (for `qld(exact)`, by the length alone) if it has no query term.
        removed, pruned, length, statistics: the parts of `score_after - score_before`, see `explaining.causes`.
        length_before, length_after: in tokens, as the retrieval model reads them.
        emptied: whether nothing of it is in the variant's index.
        terms: the query's.
        others: who overtook it if it fell, whom it overtook if it rose, by rank; of all topics the first alone.
        other_documents, unjudged: how many there are, and how many of them are not judged.
        contributions: of each cause to its fall or rise, mean over all of these: see `thresher.experiments.explaining.causes`.
        cause: the largest of these; None if it has its old rank.
        credit: the measure after, less what it would be with this document alone at its old rank; 0 unless it is relevant.
        removed_tokens: by kind of block, the tokens that cleaning removed from it.
        lost: what topic words lost, by cleaning or pruning, by the kind of block that they stood in; the shares add up to 1.
        page: the kind of most of its tokens before cleaning, those of title, menus and footers apart; None if not known.
        passages: the removed passages that hold topic words, in the order of the page.
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
    others: tuple[Neighbour, ...]
    other_documents: int
    unjudged: int
    contributions: Mapping[Cause, float]
    cause: Cause | None
    credit: float
    removed_tokens: Mapping[BlockKind, int] = field(default_factory=dict)
    lost: Mapping[BlockKind, float] = field(default_factory=dict)
    page: BlockKind | None = None
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
class TermStatistics:
    """A query term in the whole collection, in the baseline's index and in the variant's."""

    term: str
    cf_before: int
    cf_after: int
    df_before: int
    df_after: int


@dataclass(frozen=True)
class TopicExplanation:
    """Why a topic won or lost.

    Args:
        topic, query: its id, and what was searched.
        before, after: the measures' values, by name, of the baseline and of the variant.
        change: of the main measure.
        cause: the largest of `shares`; None for a topic without a change.
        shares: of the change, by cause; they add up to 1.
        documents: judged ones that changed their rank, those with the largest credit in the direction of the change first.
        unmoved: how many judged documents one of the runs has that did not.
        tokens: of the collection, in the baseline's index and in the variant's.
        with_tokens: documents with a token, likewise.
        statistics: of the query's terms.
    """

    topic: str
    query: str
    before: Mapping[str, float]
    after: Mapping[str, float]
    change: float
    cause: Cause | None
    shares: Mapping[Cause, float]
    documents: tuple[DocumentChange, ...]
    unmoved: int
    tokens: tuple[int, int]
    with_tokens: tuple[int, int]
    statistics: tuple[TermStatistics, ...]


@dataclass(frozen=True)
class Share:
    """A share of the loss or gain of all topics, and the bounds of its 95 % interval."""

    share: float
    low: float
    high: float


@dataclass(frozen=True)
class TotalChange:
    """The loss, or the gain, of all topics together.

    Args:
        total: the sum of the changes of the main measure, 0 or more.
        topics: how many lost, or won.
        causes: the share of each cause; shares add up to 1 if there is a total.
        kinds: of the same total, the share that blocks of each kind made: of a loss, by the topic words that documents lost in
            them, where the cause is lost evidence, an emptied page or pruned terms; of a gain, by their removed tokens, where
            it is length.
        pages: the same shares by the kind of most of the documents' tokens: see `DocumentChange.page`.
    """

    total: float
    topics: int
    causes: Mapping[Cause, Share]
    kinds: Mapping[BlockKind, Share]
    pages: Mapping[BlockKind, Share]


class Named(StrEnum):
    """Why a variant is explained: it was asked for, it is recommended, or its main measure changed most."""

    ASKED = "asked"
    RECOMMENDED = "recommended"
    LARGEST_CHANGE = "largest change"


@dataclass(frozen=True, repr=False)
class Explanation(Shown):
    """Why a variant's topics won or lost against the baseline.

    Args:
        experiment, variant, retrieval, measure: names; the measure is the main one.
        named: why this variant, of how many that were built.
        depth: hits per topic.
        topics: those asked for, in order.
        loss, gain: over all topics; None if not all were asked for.
    """

    experiment: str
    variant: str
    retrieval: str
    measure: str
    named: tuple[Named, int]
    depth: int
    topics: tuple[TopicExplanation, ...]
    loss: TotalChange | None
    gain: TotalChange | None

    @property
    def moved(self) -> tuple[TopicExplanation, ...]:
        """The topics that changed, those that changed most first."""
        return tuple(sorted((one for one in self.topics if one.change), key=lambda one: -abs(one.change)))


RECORD = RecordFile(Explanation, "an explanation", "explain the topic again", "thresher-explanation", 2, indent=2)
"""What `thresher explain --json` prints."""

"""Causes: why a document changed its rank, and why a topic won or lost; and which documents overtook it.

**A document** falls behind others. The difference of their scores swung, in the mean over these others, by the sum of

    lost evidence  mean removed(other) - removed(document)
    pruned terms   mean pruned(other) - pruned(document)
    length         mean length(other) - length(document)
    statistics     mean statistics(other) - statistics(document)

where the parts are the four above; without others, as where all that is left is before it, their
means are 0. The cause is the largest of the four: what the document lost more of than those who overtook it, or, for length,
by what they were shortened more. But it is *emptied page* if nothing of the document is in the variant's index, and *overtaken
by unjudged* where length or statistics are the largest and more than half of those who overtook it are not judged. For a
document that rises, the others are those that it overtook and all signs are reversed: *others lost evidence*, *others' terms
pruned*, *length*, *statistics*. Of equal ones the first counts.

**A topic's** change is that of the main measure. A relevant document (grade 1 or more) has as credit the measure with the
variant less the measure if this document alone returned to its old rank. Of a topic that lost, the relevant documents that
fell and have a negative credit share the change in proportion to it; of one that won, those that rose and have a positive
one. Where no document has such a credit, all relevant ones that fell, or rose, share it equally; where none did, it is
*several together*. A cause's share is that of its documents; the topic's cause is the one with the largest share.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import factorial, inf
from typing import TypeVar

import numpy as np

from thresher.base.numbers import Floats, Ints
from thresher.evaluation.significance import ratio_interval
from thresher.experiments.explaining.explanations import Cause, DocumentChange, Share, TopicExplanation, TotalChange
from thresher.experiments.exploring.similarity import States, similarity
from thresher.indexes.analysis import RetrievalModel
from thresher.indexes.score_inputs import ScoreInputs
from thresher.scores.block_kinds import BlockKind

_REMOVED, _PRUNED, _LENGTH, _STATISTICS = range(4)


def shapley(players: int, value: Callable[[frozenset[int]], Floats]) -> list[Floats]:
    """Return the parts of players 0 to n - 1; they add up to the value of all less the value of none.

    Args:
        players: n; there are 2^n values.
        value: of each set of players, an array of any shape, always the same; called once for each.
    """
    every = [frozenset(one for one in range(players) if number >> one & 1) for number in range(1 << players)]
    values = {group: value(group) for group in every}
    parts = []
    for player in range(players):
        part = np.zeros_like(values[frozenset()])
        for group in every:
            if player not in group:
                orders = factorial(len(group)) * factorial(players - len(group) - 1)
                part += orders / factorial(players) * (values[group | {player}] - values[group])
        parts.append(part)
    return parts


@dataclass(frozen=True)
class ScoreChanges:
    """The scores of documents in two indexes and the parts of their changes; shapes (documents,) but for `by_term`.

    `removed + pruned + length + statistics` is `after - before`. A score is what the formula gives, also for a document that
    is not retrieved: 0, or for `qld(exact)` that of the length alone, if it has no query term.

    Args:
        before, after: the scores.
        removed: by tokens that cleaning removed from the document.
        pruned: by postings that pruning removed.
        length: by the document's length.
        statistics: by the statistics of the collection.
        by_term: of `removed + pruned`, the part of each query term; they add up but for the rounding of scores to 32 bits;
            shape (documents, terms).
    """

    before: Floats
    after: Floats
    removed: Floats
    pruned: Floats
    length: Floats
    statistics: Floats
    by_term: Floats


def score_changes(
    model: RetrievalModel, query: Mapping[str, int], before: ScoreInputs, after: ScoreInputs, cleaned: Ints
) -> ScoreChanges:
    """Take the changes of scores apart.

    Args:
        model: ranks in both indexes.
        query: the query's tf of each of its terms, in the order of the columns.
        before, after: of the same documents and terms, in the baseline's index and in the variant's.
        cleaned: tf after cleaning and before pruning; shape (documents, terms).
    """
    states = (_states(before), _known_statistics(_states(before), _states(after)))
    by_pruning = (after.tf == 0) & (cleaned > 0)

    def scores(changed: frozenset[int]) -> Floats:
        tf = cleaned if _REMOVED in changed else before.tf
        if _PRUNED in changed:
            tf = np.where(by_pruning, 0, tf)
        lengths = after.lengths if _LENGTH in changed else before.lengths
        return _scores(model, query, states[_STATISTICS in changed], tf, lengths)

    parts = shapley(4, scores)
    return ScoreChanges(
        before=scores(frozenset())[:, -1],
        after=scores(frozenset(range(4)))[:, -1],
        removed=parts[_REMOVED][:, -1],
        pruned=parts[_PRUNED][:, -1],
        length=parts[_LENGTH][:, -1],
        statistics=parts[_STATISTICS][:, -1],
        by_term=(parts[_REMOVED] + parts[_PRUNED])[:, :-1],
    )


def _states(inputs: ScoreInputs) -> States:
    return States(np.array([inputs.documents]), np.array([inputs.tokens]), inputs.cf[None], inputs.df[None])


def _known_statistics(before: States, after: States) -> States:
    """Return the statistics after, with those before of terms that are gone; of a collection without a token, those before."""
    if not after.tokens[0]:
        return before
    gone = after.df == 0
    return replace(after, cf=np.where(gone, before.cf, after.cf), df=np.where(gone, before.df, after.df))


def _scores(model: RetrievalModel, query: Mapping[str, int], states: States, tf: Ints, lengths: Ints) -> Floats:
    """Return the scores by each term and, in the last column, the whole ones; shape (documents, terms + 1)."""
    documents, terms = tf.shape
    scoring = similarity(model, states)
    by_length = scoring.by_length(lengths[None])
    boosts = np.array([*query.values()], dtype=np.float64)
    of_pairs: Floats = np.repeat(by_length, terms, axis=1)
    pairs = scoring.scores(tf.reshape(1, -1), np.tile(np.arange(terms), documents), boosts, of_pairs)
    by_term = np.where(tf > 0, pairs.reshape(documents, terms), 0.0)
    whole = scoring.whole(by_term.sum(axis=1)[None], by_length, np.arange(documents), sum(query.values()))
    return np.concatenate((by_term, whole[0][:, None]), axis=1)


_Key = TypeVar("_Key", Cause, BlockKind)


def by_rank(scores: Mapping[str, float]) -> tuple[str, ...]:
    """Return the documents of a topic in a run, best first; equal scores by id, descending, as trec_eval does."""
    return tuple(sorted(scores, key=lambda document: (scores[document], document), reverse=True))


@dataclass(frozen=True)
class RankChanges:
    """The documents of a topic by rank, in the baseline's run and in a variant's."""

    before: tuple[str, ...]
    after: tuple[str, ...]

    @cached_property
    def documents(self) -> tuple[str, ...]:
        """All documents that one of the runs has, by id."""
        return tuple(sorted({*self.before, *self.after}))

    def rank_before(self, document: str) -> int | None:
        """Return its rank in the baseline's run, from 1; None if it was not retrieved."""
        return self._before.get(document)

    def rank_after(self, document: str) -> int | None:
        """Return its rank in the variant's run, likewise."""
        return self._after.get(document)

    def fell(self, document: str) -> bool:
        """Return whether its rank is worse than before, or it is no longer retrieved."""
        return _rank(self._before, document) < _rank(self._after, document)

    def rose(self, document: str) -> bool:
        """Return whether its rank is better than before, or it is retrieved now."""
        return _rank(self._after, document) < _rank(self._before, document)

    def overtakers(self, document: str) -> tuple[str, ...]:
        """Return the documents that were behind it and are before it, by their rank in the variant's run."""
        then, now = _rank(self._before, document), _rank(self._after, document)
        return tuple(
            other
            for rank, other in enumerate(self.after, 1)
            if rank < now and other != document and _rank(self._before, other) > then
        )

    def overtaken(self, document: str) -> tuple[str, ...]:
        """Return the documents that were before it and are behind it, by their rank in the baseline's run."""
        return RankChanges(self.after, self.before).overtakers(document)

    def put_back(self, document: str) -> tuple[str, ...]:
        """Return the variant's ranking with this document alone at the rank that it had in the baseline's run."""
        rest = [other for other in self.after if other != document]
        rank = self._before.get(document)
        if rank is not None:
            rest.insert(rank - 1, document)
        return tuple(rest)

    @cached_property
    def _before(self) -> Mapping[str, int]:
        return {document: rank for rank, document in enumerate(self.before, 1)}

    @cached_property
    def _after(self) -> Mapping[str, int]:
        return {document: rank for rank, document in enumerate(self.after, 1)}


def _rank(ranks: Mapping[str, int], document: str) -> float:
    return ranks.get(document, inf)


def contributions(changes: ScoreChanges, document: int, others: Ints, fell: bool) -> dict[Cause, float]:
    """Return what made a document fall or rise; the sum is the mean swing of the difference of scores.

    Args:
        changes: of all documents.
        document: its row.
        others: rows of those who overtook it, or whom it overtook.
        fell: whether it fell.
    """

    def swing(part: Floats) -> float:
        mean = float(part[others].mean()) if len(others) else 0.0
        # Adding 0 makes a negative zero positive.
        return (mean - float(part[document])) * (1.0 if fell else -1.0) + 0.0

    return {
        Cause.LOST if fell else Cause.OTHERS_LOST: swing(changes.removed),
        Cause.PRUNED if fell else Cause.OTHERS_PRUNED: swing(changes.pruned),
        Cause.LENGTH: swing(changes.length),
        Cause.STATISTICS: swing(changes.statistics),
    }


def cause_of(found: Mapping[Cause, float], emptied: bool, fell: bool, unjudged: float) -> Cause:
    """Return a document's cause.

    Args:
        found: as `contributions` gives them.
        emptied: whether nothing of it is in the variant's index.
        fell: whether it fell.
        unjudged: the share of the others that are not judged.
    """
    if emptied and fell:
        return Cause.EMPTIED
    largest = max(found, key=lambda cause: found[cause])
    if fell and unjudged > 0.5 and largest in (Cause.LENGTH, Cause.STATISTICS):
        return Cause.UNJUDGED
    return largest


def document_shares(change: float, documents: Sequence[DocumentChange]) -> list[float]:
    """Return each document's share of a topic's change; they add up to 1, or are all 0."""
    if not change:
        return [0.0] * len(documents)
    moved = [document.relevant and document.fell is (change < 0) for document in documents]
    credits = [
        abs(document.credit) if so and document.credit * change > 0 else 0.0
        for document, so in zip(documents, moved, strict=True)
    ]
    if not any(credits):
        credits = [*map(float, moved)]
    total = sum(credits)
    return [credit / total if total else 0.0 for credit in credits]


def cause_shares(change: float, documents: Sequence[DocumentChange]) -> dict[Cause, float]:
    """Return the share of each cause in a topic's change, largest first; empty without a change."""
    if not change:
        return {}
    shares: dict[Cause, float] = {}
    for document, share in zip(documents, document_shares(change, documents), strict=True):
        if share and document.cause is not None:
            shares[document.cause] = shares.get(document.cause, 0.0) + share
    return dict(sorted(shares.items(), key=lambda item: -item[1])) or {Cause.SEVERAL: 1.0}


def total_change(topics: Iterable[TopicExplanation], lost: bool) -> TotalChange:
    """Return the loss, or the gain, of topics together.

    Intervals are those of a ratio of two means over the topics that lost, or won: see `ratio_interval`.
    """
    sign = -1.0 if lost else 1.0
    # Resamples do not depend on the order of the topics.
    moved = sorted((topic for topic in topics if topic.change * sign > 0), key=lambda topic: topic.topic)
    changes = np.array([abs(topic.change) for topic in moved])
    causes: dict[Cause, Floats] = {}
    kinds: dict[BlockKind, Floats] = {}
    pages: dict[BlockKind, Floats] = {}

    def add(found: dict[_Key, Floats], shares: Mapping[_Key, float], number: int, weight: float) -> None:
        for key, share in shares.items():
            found.setdefault(key, np.zeros(len(moved)))[number] += weight * share

    for number, topic in enumerate(moved):
        add(causes, topic.shares, number, changes[number])
        for document, share in zip(topic.documents, document_shares(topic.change, topic.documents), strict=True):
            of_kinds = _kinds(document, lost) if share else {}
            add(kinds, of_kinds, number, changes[number] * share)
            if of_kinds and document.page:
                add(pages, {document.page: 1.0}, number, changes[number] * share)
    return TotalChange(
        float(changes.sum()),
        len(moved),
        _with_intervals(causes, changes),
        _with_intervals(kinds, changes),
        _with_intervals(pages, changes),
    )


def _kinds(document: DocumentChange, lost: bool) -> Mapping[BlockKind, float]:
    """Return the share of each kind of block in what made a document fall or rise; empty if it was neither terms nor text."""
    if lost:
        return document.lost if document.cause in (Cause.LOST, Cause.EMPTIED, Cause.PRUNED) else {}
    total = sum(document.removed_tokens.values())
    return {kind: count / total for kind, count in document.removed_tokens.items() if document.cause is Cause.LENGTH}


def _with_intervals(found: Mapping[_Key, Floats], changes: Floats) -> dict[_Key, Share]:
    """Return shares of changes with their intervals, the largest first; arrays have the shape (topics,)."""
    shares = {key: Share(float(of.sum() / changes.sum()), *ratio_interval(of, changes)) for key, of in found.items()}
    return dict(sorted(shares.items(), key=lambda item: -item[1].share))

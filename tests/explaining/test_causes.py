"""In a word why: by cases made for each cause."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from explained_samples import DOCUMENT

from thresher.explaining.causes import (
    ScoreChanges,
    cause_of,
    cause_shares,
    contributions,
    document_shares,
    total_change,
)
from thresher.explaining.explanations import BlockKind, Cause, DocumentChange, TopicExplanation


def changes(*documents: tuple[float, float, float, float]) -> ScoreChanges:
    """Of documents with these parts: removed, pruned, length, statistics."""
    parts = np.array(documents, dtype=np.float64).T
    none = np.zeros(len(documents))
    return ScoreChanges(none, parts.sum(axis=0), *parts, np.zeros((len(documents), 1)))


def cause(*documents: tuple[float, float, float, float], fell: bool = True, unjudged: float = 0.0) -> Cause:
    """Of the first document, which all others overtook, or were overtaken by."""
    found = contributions(changes(*documents), 0, np.arange(1, len(documents)), fell)
    swings = [sum(document) - sum(documents[0]) for document in documents[1:]]
    mean = sum(swings) / len(swings) if swings else -sum(documents[0])
    assert sum(found.values()) == pytest.approx(mean if fell else -mean)
    return cause_of(found, False, fell, unjudged)


def test_each_cause_of_a_fall() -> None:
    assert cause((-2, 0, 0.5, 0), (-1, 0, 0.5, 0)) is Cause.LOST
    assert cause((0, -2, 0, 0), (0, 0, 0, 0)) is Cause.PRUNED
    # It lost more than the others, but they were shortened even more.
    assert cause((-1, 0, 0, 0), (-0.5, 0, 2, 0), (-1, 0, 2, 0)) is Cause.LENGTH
    assert cause((-1, 0, 1, -0.5), (-1, 0, 1, 0.5)) is Cause.STATISTICS
    assert cause((-1, 0, 0, 0), (-1, 0, 2, 0), unjudged=0.6) is Cause.UNJUDGED
    assert cause((-1, 0, 0, 0), (-1, 0, 2, 0), unjudged=0.5) is Cause.LENGTH
    assert cause((-2, 0, 0, 0), (-1, 0, 0.5, 0), unjudged=1.0) is Cause.LOST
    # Nobody overtook it: it left the ranking.
    assert cause((-2, 0, 0.5, 0)) is Cause.LOST


def test_each_cause_of_a_rise() -> None:
    assert cause((0, 0, 0.1, 0), (-1, 0, 0.2, 0), fell=False) is Cause.OTHERS_LOST
    assert cause((0, 0, 0, 0), (0, -1, 0, 0), fell=False) is Cause.OTHERS_PRUNED
    assert cause((0, 0, 1, 0), (-0.1, 0, 0, 0), fell=False, unjudged=1.0) is Cause.LENGTH
    assert cause((0, 0, 0, 1), (0, 0, 0, 0), fell=False) is Cause.STATISTICS


def test_an_emptied_page_is_an_emptied_page() -> None:
    found = contributions(changes((-2, 0, 1, 0), (0, 0, 3, 0)), 0, np.array([1]), True)
    assert cause_of(found, True, True, 1.0) is Cause.EMPTIED


def topic(change: float, *documents: DocumentChange) -> TopicExplanation:
    shares = cause_shares(change, documents)
    first = next(iter(shares), None)
    return TopicExplanation("1", "oats", {}, {}, change, first, shares, documents, 0, (9, 9), (1, 1), ())


def test_documents_share_a_change_by_their_credit() -> None:
    rose = replace(DOCUMENT, rank_before=8, credit=-0.5)
    small = replace(DOCUMENT, credit=-0.1, cause=Cause.LENGTH)
    unjudged = replace(DOCUMENT, grade=0, credit=0.0)
    documents = [DOCUMENT, rose, small, unjudged, replace(DOCUMENT, credit=0.2)]
    assert document_shares(-0.4, documents) == pytest.approx([0.75, 0, 0.25, 0, 0])
    assert cause_shares(-0.4, documents) == pytest.approx({Cause.LOST: 0.75, Cause.LENGTH: 0.25})
    assert [*cause_shares(-0.4, documents)] == [Cause.LOST, Cause.LENGTH]
    assert document_shares(0.0, documents) == [0] * 5
    assert cause_shares(0.0, documents) == {}


def test_without_credit_all_that_moved_share_it_equally_and_without_them_it_is_several_together() -> None:
    fell = replace(DOCUMENT, credit=0.0)
    assert document_shares(-0.4, [fell, replace(fell, rank_after=None), replace(fell, grade=0)]) == [0.5, 0.5, 0]
    assert document_shares(0.4, [fell]) == [0]
    assert cause_shares(0.4, [fell]) == {Cause.SEVERAL: 1.0}


def test_losses_and_gains_by_cause_and_by_kind_of_block() -> None:
    emptied = replace(DOCUMENT, cause=Cause.EMPTIED, passages=DOCUMENT.passages[:1])
    by_length = replace(DOCUMENT, rank_before=8, credit=0.1, cause=Cause.LENGTH)
    topics = [topic(-0.3, DOCUMENT), topic(-0.1, emptied), topic(0.0), topic(0.2, by_length)]
    loss, gain = total_change(topics, True), total_change(topics, False)
    assert (loss.total, loss.topics, gain.total, gain.topics) == pytest.approx((0.4, 2, 0.2, 1))
    assert loss.causes == pytest.approx({Cause.LOST: 0.75, Cause.EMPTIED: 0.25})
    # 0.4 for each lost "oat", 0.2 for "rye".
    assert loss.kinds == pytest.approx({BlockKind.TITLE: 0.75 * 0.4 + 0.25, BlockKind.LINK: 0.75 * 0.6})
    assert gain.causes == {Cause.LENGTH: 1.0}
    assert gain.kinds == pytest.approx({BlockKind.LINK: 0.6, BlockKind.TEXT: 0.4})
    nothing = total_change([topic(0.0)], True)
    assert (nothing.total, nothing.topics, nothing.causes, nothing.kinds) == (0, 0, {}, {})

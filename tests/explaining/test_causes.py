"""In a word why: by cases made for each cause."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from explained_samples import DOCUMENT

from thresher.experiments.explaining.causes import (
    ScoreChanges,
    cause_of,
    cause_shares,
    contributions,
    document_shares,
    total_change,
)
from thresher.experiments.explaining.explanations import (
    Cause,
    DocumentChange,
    Passage,
    Share,
    TermChange,
    TopicExplanation,
)
from thresher.experiments.explaining.topic_explaining import CutPage, lost_in
from thresher.scores.block_kinds import BlockKind


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


def topic(name: str, change: float, *documents: DocumentChange) -> TopicExplanation:
    shares = cause_shares(change, documents)
    first = next(iter(shares), None)
    return TopicExplanation(name, "oats", {}, {}, change, first, shares, documents, 0, (9, 9), (1, 1), ())


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
    emptied = replace(DOCUMENT, cause=Cause.EMPTIED, lost={BlockKind.TITLE: 1.0}, page=BlockKind.CODE)
    by_length = replace(DOCUMENT, rank_before=8, credit=0.1, cause=Cause.LENGTH)
    topics = [
        topic("1", -0.3, DOCUMENT),
        topic("2", -0.1, emptied),
        topic("3", 0.0),
        topic("4", 0.2, by_length),
        topic("5", -0.1, replace(DOCUMENT, cause=Cause.LENGTH)),
        topic("6", -0.1, replace(DOCUMENT, cause=Cause.PRUNED, page=None)),
    ]
    loss, gain = total_change(topics, True), total_change(topics, False)
    assert (loss.total, loss.topics, gain.total, gain.topics) == pytest.approx((0.6, 4, 0.2, 1))
    assert {cause: share.share for cause, share in loss.causes.items()} == pytest.approx(
        {Cause.LOST: 0.3 / 0.6, Cause.EMPTIED: 0.1 / 0.6, Cause.LENGTH: 0.1 / 0.6, Cause.PRUNED: 0.1 / 0.6}
    )
    assert {kind: share.share for kind, share in loss.kinds.items()} == pytest.approx(
        {BlockKind.TITLE: (0.3 * 0.4 + 0.1 + 0.1 * 0.4) / 0.6, BlockKind.LINK: (0.3 * 0.6 + 0.1 * 0.6) / 0.6}
    )
    assert {kind: share.share for kind, share in loss.pages.items()} == pytest.approx(
        {BlockKind.TEXT: 0.3 / 0.6, BlockKind.CODE: 0.1 / 0.6}
    )
    # Of one topic, all resamples are the same.
    assert gain.causes == {Cause.LENGTH: Share(1.0, 1.0, 1.0)}
    assert {kind: (share.share, share.low) for kind, share in gain.kinds.items()} == {
        BlockKind.LINK: pytest.approx((0.6, 0.6)),
        BlockKind.TEXT: pytest.approx((0.4, 0.4)),
    }
    nothing = total_change([topic("1", 0.0)], True)
    assert (nothing.total, nothing.topics, nothing.causes, nothing.kinds, nothing.pages) == (0, 0, {}, {}, {})


def test_intervals_are_those_of_every_resample_of_the_topics_whatever_their_order() -> None:
    in_titles = replace(DOCUMENT, lost={BlockKind.TITLE: 1.0})
    in_links = replace(DOCUMENT, lost={BlockKind.LINK: 1.0})
    topics = [topic("1", -0.1, in_titles), topic("2", -0.2, in_links), topic("3", -0.4, in_titles)]
    loss = total_change(topics, True)
    assert total_change(topics[::-1], True) == loss
    # All 27 resamples are as likely.
    losses, titles = np.array([0.1, 0.2, 0.4]), np.array([0.1, 0.0, 0.4])
    every = [titles[[*drawn]].sum() / losses[[*drawn]].sum() for drawn in product(range(3), repeat=3)]
    bounds = np.quantile(every, [0.025, 0.975], method="inverted_cdf")
    share = loss.kinds[BlockKind.TITLE]
    assert (share.share, share.low, share.high) == pytest.approx((0.5 / 0.7, *bounds))


def test_lost_occurrences_by_kind_of_block() -> None:
    """Oat lost two occurrences by cleaning, 0.4 each; rye three by cleaning and pruning, 0.1 each; corn none."""
    removed = (
        Passage(0, BlockKind.TITLE, "", 1, {"oat": 1, "corn": 1}, ()),
        Passage(1, BlockKind.CODE, "", 1, {"oat": 1, "rye": 1, "other": 9}, ()),
    )
    kept = {BlockKind.CODE: {"oat": 5, "rye": 1}, BlockKind.LIST: {"rye": 1, "corn": 2}}
    page = CutPage(kept, {BlockKind.MENU: 9, BlockKind.LIST: 5, BlockKind.CODE: 4}, {}, removed)
    terms = [
        TermChange("oat", 1, 7, 5, 5, -0.8),
        TermChange("rye", 1, 3, 2, 0, -0.3),
        TermChange("corn", 1, 3, 3, 3, 0.0),
    ]
    assert lost_in(terms, page) == pytest.approx(
        {BlockKind.TITLE: 0.4 / 1.1, BlockKind.CODE: 0.6 / 1.1, BlockKind.LIST: 0.1 / 1.1}
    )
    # Parts of 0: every lost occurrence counts the same.
    assert lost_in([replace(term, part=0.0) for term in terms], page) == pytest.approx(
        {BlockKind.TITLE: 1 / 5, BlockKind.CODE: 3 / 5, BlockKind.LIST: 1 / 5}
    )
    assert lost_in(terms[2:], page) == {}
    assert page.kind is BlockKind.LIST
    assert page.kept == {"oat": 5, "rye": 2, "corn": 2}
    assert CutPage({}, {BlockKind.TITLE: 2, BlockKind.MENU: 1}, {}, ()).kind is None

"""Shares of a topic's change, and of the loss of all topics by kind of block: cases counted by hand."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from explained_samples import DOCUMENT

from thresher.experiments.explaining.explanations import (
    UNEXPLAINED,
    DocumentChange,
    Part,
    Passage,
    TermChange,
    TopicExplanation,
)
from thresher.experiments.explaining.removed_passages import CutPage, lost_in
from thresher.experiments.explaining.score_parts import ScoreParts, largest_part, swings
from thresher.experiments.explaining.shares import document_shares, loss_of, main_part
from thresher.scores.block_kinds import BlockKind

Parts = tuple[float, float, float, float]
"""Removed, pruned, length, statistics."""


def score_parts_of(*documents: Parts) -> ScoreParts:
    parts = np.array(documents, dtype=np.float64).T
    zeros = np.zeros(len(documents))
    return ScoreParts(zeros, parts.sum(axis=0), *parts, np.zeros((len(documents), 1)))


@pytest.mark.parametrize(
    ("fell", "documents", "part"),
    [
        (True, [(-2, 0, 0.5, 0), (-1, 0, 0.5, 0)], Part.REMOVED),
        (True, [(0, -2, 0, 0), (0, 0, 0, 0)], Part.PRUNED),
        # It lost more than the others, but they were shortened even more.
        (True, [(-1, 0, 0, 0), (-0.5, 0, 2, 0), (-1, 0, 2, 0)], Part.LENGTH),
        (True, [(-1, 0, 1, -0.5), (-1, 0, 1, 0.5)], Part.STATISTICS),
        # Nobody overtook it: it left the ranking.
        (True, [(-2, 0, 0.5, 0)], Part.REMOVED),
        (False, [(0, 0, 0.1, 0), (-1, 0, 0.2, 0)], Part.REMOVED),
        (False, [(0, 0, 0, 0), (0, -1, 0, 0)], Part.PRUNED),
        (False, [(0, 0, 1, 0), (-0.1, 0, 0, 0)], Part.LENGTH),
        (False, [(0, 0, 0, 1), (0, 0, 0, 0)], Part.STATISTICS),
    ],
)
def test_the_largest_part_moves_the_first_document(fell: bool, documents: list[Parts], part: Part) -> None:
    """The others overtook it if it fell, and were overtaken if it rose."""
    by_part = swings(score_parts_of(*documents), 0, np.arange(1, len(documents)), fell)
    others = [sum(document) for document in documents[1:]] or [0.0]
    swing = sum(others) / len(others) - sum(documents[0])
    assert sum(by_part.values()) == pytest.approx(swing if fell else -swing)
    assert largest_part(by_part, False, fell) is part


def test_an_emptied_page_falls_by_its_own_words() -> None:
    by_part = swings(score_parts_of((-2, 0, 1, 0), (0, 0, 9, 0)), 0, np.array([1]), True)
    assert largest_part(by_part, False, True) is Part.LENGTH
    assert largest_part(by_part, True, True) is Part.REMOVED


def topic(name: str, change: float, *documents: DocumentChange) -> TopicExplanation:
    return TopicExplanation(name, "oats", {}, {}, change, main_part(change, documents), documents, 0)


def test_documents_share_a_change_by_their_credit() -> None:
    rose = replace(DOCUMENT, rank_before=8, credit=-0.5)
    by_length = replace(DOCUMENT, credit=-0.1, part=Part.LENGTH)
    irrelevant = replace(DOCUMENT, grade=0, credit=0.0)
    documents = [DOCUMENT, rose, by_length, irrelevant, replace(DOCUMENT, credit=0.2)]
    assert document_shares(-0.4, documents) == pytest.approx([0.75, 0, 0.25, 0, 0])
    assert main_part(-0.4, documents) is Part.REMOVED
    assert document_shares(0.0, documents) == [0] * 5
    assert main_part(0.0, documents) is None


def test_without_credit_all_relevant_documents_that_fell_share_the_loss_equally() -> None:
    fell = replace(DOCUMENT, credit=0.0)
    assert document_shares(-0.4, [fell, replace(fell, rank_after=None), replace(fell, grade=0)]) == [0.5, 0.5, 0]
    assert document_shares(0.4, [fell]) == [0]
    assert main_part(0.4, [fell]) is None


def test_the_loss_by_kind_of_block() -> None:
    in_title = replace(DOCUMENT, lost={BlockKind.TITLE: 1.0})
    topics = [
        topic("1", -0.3, DOCUMENT),
        topic("2", -0.1, in_title),
        topic("3", 0.0),
        topic("4", 0.2, replace(DOCUMENT, rank_before=8, credit=0.1, part=Part.LENGTH)),
        topic("5", -0.1, replace(DOCUMENT, part=Part.LENGTH)),
        topic("6", -0.1, replace(DOCUMENT, part=Part.PRUNED)),
        # It lost no words of its own; documents that won some overtook it.
        topic("7", -0.1, replace(DOCUMENT, lost={})),
        topic("8", -0.1, replace(DOCUMENT, grade=0)),
    ]
    loss = loss_of(topics)
    assert (loss.total, loss.topics) == pytest.approx((0.8, 6))
    assert {source: share.share for source, share in loss.shares.items()} == pytest.approx(
        {
            "link": (0.3 * 0.6 + 0.1 * 0.6) / 0.8,
            "title": (0.3 * 0.4 + 0.1 + 0.1 * 0.4) / 0.8,
            "length": 0.1 / 0.8,
            "removed text": 0.1 / 0.8,
            UNEXPLAINED: 0.1 / 0.8,
        }
    )
    largest_first = sorted(loss.shares.values(), key=lambda share: -share.share)
    assert [*loss.shares.values()] == largest_first
    nothing = loss_of([topic("1", 0.0)])
    assert (nothing.total, nothing.topics, nothing.shares) == (0, 0, {})


def test_intervals_are_those_of_every_resample_of_the_topics_whatever_their_order() -> None:
    in_titles = replace(DOCUMENT, lost={BlockKind.TITLE: 1.0})
    in_links = replace(DOCUMENT, lost={BlockKind.LINK: 1.0})
    topics = [topic("1", -0.1, in_titles), topic("2", -0.2, in_links), topic("3", -0.4, in_titles)]
    loss = loss_of(topics)
    assert loss_of(topics[::-1]) == loss
    # All 27 resamples are as likely.
    losses, titles = np.array([0.1, 0.2, 0.4]), np.array([0.1, 0.0, 0.4])
    ratios = [titles[[*drawn]].sum() / losses[[*drawn]].sum() for drawn in product(range(3), repeat=3)]
    bounds = np.quantile(ratios, [0.025, 0.975], method="inverted_cdf")
    share = loss.shares["title"]
    assert (share.share, share.low, share.high) == pytest.approx((0.5 / 0.7, *bounds))


def test_lost_occurrences_by_kind_of_block() -> None:
    """Oat lost two occurrences by cleaning, 0.4 each; rye three by cleaning and pruning, 0.1 each; corn none."""
    removed = (
        Passage(0, BlockKind.TITLE, "", 1, {"oat": 1, "corn": 1}, ()),
        Passage(1, BlockKind.CODE, "", 1, {"oat": 1, "rye": 1, "other": 9}, ()),
    )
    page = CutPage({BlockKind.CODE: {"oat": 5, "rye": 1}, BlockKind.LIST: {"rye": 1, "corn": 2}}, removed)
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
    assert page.cleaned == {"oat": 5, "rye": 2, "corn": 2}

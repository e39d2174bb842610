"""What is said of documents and passages, in words."""

from __future__ import annotations

from dataclasses import replace

import pytest
from explained_samples import DOCUMENT
from messages import Message, assert_names

from thresher.experiments.explaining.explanations import (
    DocumentChange,
    Drop,
    Explanation,
    Part,
    Passage,
    Reason,
    TopicExplanation,
)
from thresher.reports.explanation_text import explanation_lines
from thresher.scores.block_kinds import BlockKind

DROPS = (
    (Drop("words@9", 3.0, 9.0, False, 3.0, "dropped"), ("words@9", "scores it 3;", "returns at 3")),
    (
        Drop("perplexity(lm=books)@8000", 350212.63, 8000.0, False, 350212.63, "dropped"),
        ("perplexity(lm=books)@8000", "scores it 350212.63;", "returns at 350212.63"),
    ),
    (
        Drop("words@doc40", 7.0, 40.0, True, 42.857142857142861, "dropped"),
        ("words@doc40", "scores it 7;", "returns above 42.86 %", "the page's words"),
    ),
    (Drop("bte", 0.0, 0.5, False, None, "dropped"), ("bte", "scores it 0;", "no cutoff")),
    (
        Drop("perplexity(lm=books)@8000", float("inf"), 8000.0, False, None, "dropped"),
        ("perplexity(lm=books)@8000", "scores it ∞;", "no cutoff"),
    ),
    (
        Drop("words(headings=drop)@2", 3.0, 2.0, False, None, "dropped as heading"),
        ("words(headings=drop)@2", "drops titles and headings"),
    ),
)


def lines(document: DocumentChange) -> list[str]:
    values = {"AP": 0.5}, {"AP": 0.25}
    topic = TopicExplanation("7", "oats and rye", *values, -0.25, Part.REMOVED, (document,), 0)
    explanation = Explanation("e", "words@9", "qld", "AP", Reason.RECOMMENDED, 3, 40, (topic,), None)
    return [*explanation_lines(explanation, 200)]


def test_a_topic_and_a_document_in_words() -> None:
    said = lines(replace(DOCUMENT, passages=()))
    assert said[:3] == [
        Message("Topic 7 lost", "AP", "0.5000", "0.2500", "(−0.2500)"),
        "Largest part: removed text.",
        "Query: oats and rye",
    ]
    for fact in ("words@9", "recommended variant", "qld", "40 hits"):
        assert fact in said[3]
    (row,) = (line for line in said if line.startswith("a "))
    # Parts that are 0 throughout are left out.
    assert row.split() == ["a", "2", "2", "→", "5", "removed", "text", "3.50", "−1.25", "−1.50", "+0.25"]
    document, words, overtakers, last = said[-4:]
    assert_names(document, "a: fell by 3, 2 → 5", "grade 2", "40 → 30 tokens")
    for word in ("oat 3 → 1", "rye 2 → 1 → 0 (pruned)", "bran 1 → 0 (pruned)", "corn 4"):
        assert word in words
    for overtaker in ("b (unjudged, 9 → 3)", "c (grade 0, not retrieved → 4)", "1 more"):
        assert overtaker in overtakers
    assert last == ""


@pytest.mark.parametrize(("drop", "facts"), DROPS)
def test_why_a_passage_was_removed_and_when_it_returns(drop: Drop, facts: tuple[str, ...]) -> None:
    passage = Passage(3, BlockKind.LIST, "Oats, oats\tand \x1b[31m rye", 3, {"oat": 2, "rye": 1}, (drop,))
    found = lines(replace(DOCUMENT, passages=(passage,)))
    assert Message("  removed list with oat ×2, rye: ", *facts) in found
    # What is in a page does not steer the terminal.
    assert "    Oats, oats and \\u001b[31m rye" in found


def test_documents_that_leave_or_enter_a_ranking() -> None:
    left = lines(replace(DOCUMENT, rank_after=None, length_after=0, emptied=True))
    (line,) = (line for line in left if line.startswith("a: "))
    for fact in ("rank 2 → not retrieved", "grade 2", "40 → 0 tokens", "index has no text"):
        assert fact in line
    rose = lines(replace(DOCUMENT, rank_before=8, grade=None))
    assert Message("a: rose by 3, 8 → 5", "unjudged", "40 → 30 tokens") in rose
    assert any(line.startswith("  overtook b") for line in rose)

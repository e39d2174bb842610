"""Answers in the terminal: the most important first, in few lines, none wider than the terminal."""

from __future__ import annotations

from pathlib import Path

import pytest
from experiments import made

from thresher.cli.options import MOST_LINES, Answer, short_lines
from thresher.reports.summary import findings
from thresher.reports.variant_tables import frontier_table, main_table

FILES = [("report", Path("report.html"))]


def answer(sentences: list[str]) -> Answer:
    results = made()
    return Answer(
        sentences, lambda rows: frontier_table(results, rows), [main_table(results)], FILES, Path("results.json")
    )


@pytest.mark.slow
@pytest.mark.parametrize("width", [40, 60, 80, 160])
@pytest.mark.parametrize("copies", [1, 4, 20])
def test_an_answer_has_few_lines_that_fit(width: int, copies: int) -> None:
    sentences = [*findings(made())] * copies
    lines = short_lines(answer(sentences), width)
    assert len(lines) + len(FILES) + 1 <= MOST_LINES
    assert max(map(len, lines)) <= width
    assert " ".join(" ".join(lines).split()).startswith(f"- {sentences[0]}"[:200])
    assert any(line.startswith("variant") for line in lines)
    assert any(line.startswith("none ") for line in lines)


def test_what_has_no_room_is_counted() -> None:
    sentences = [f"Sentence number {number} says something." for number in range(100)]
    lines = short_lines(answer(sentences), 80)
    said = [line for line in lines if line.startswith("- Sentence")]
    (more,) = (line for line in lines if "--full" in line)
    assert more == f"- {100 - len(said)} more sentences: --full"


def test_an_answer_without_a_table_is_its_sentences() -> None:
    alone = Answer(["One.", "Two."], None, [], FILES, Path("results.json"))
    assert short_lines(alone, 80) == ["- One.", "- Two."]

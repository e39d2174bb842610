"""What was taken out and why: exact records of small pages, and kept and dropped together are the page."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from troublesome import Listed, whole

from thresher.cleaners.cleaner import parse_cleaner
from thresher.collections import Source, documents, open_collection
from thresher.scores.crash_log import PartTask
from thresher.scores.cutting import cleaned_documents
from thresher.scores.parts import process_part
from thresher.scores.removed import (
    DROPPED,
    PageVerdicts,
    explained_pages,
    record,
    score_text,
)
from thresher.scores.score_work import ScoreWork
from thresher.scores.store import read_shard, shards

PAGE = b"<title>Oats</title><p>One two three. Four five.</p><h2>Rye</h2><div>six</div><p>-- --</p>"


def store(folder: Path, *names: str) -> Path:
    """A score store of a small page, an empty one and one that failed."""
    scorers = tuple(scorer for name in names for scorer in parse_cleaner(name).scorers)
    for scorer in scorers:
        scorer.prepare()
    sources = (
        Source("a", "x", len(PAGE), content=PAGE),
        Source("b", "x", 0, problem="broken"),
        Source("c", "x", 0, content=b""),
    )
    process_part(PartTask(whole(sources)), ScoreWork(Listed(()), folder, scorers=scorers))
    return folder


def judged(folder: Path, name: str) -> list[PageVerdicts]:
    return list(explained_pages(store(folder, name), parse_cleaner(name)))


def test_blocks_of_a_page(tmp_path: Path) -> None:
    def cut(score: float, outcome: str) -> dict[str, object]:
        return {"cut": "words(headings=keep)@2", "score": score, "cutoff": 2.0, "outcome": outcome}

    pages = [record(page) for page in judged(tmp_path, "words(headings=keep)@2")]
    assert json.loads(json.dumps(pages, allow_nan=False)) == pages
    assert pages == [
        {
            "id": "a",
            "segments": [
                {"block": 0, "text": "Oats", "kept": True, "cuts": [cut(1.0, "kept as heading")]},
                {"block": 1, "text": "One two three. Four five.", "kept": True, "cuts": [cut(5.0, "passed")]},
                {"block": 2, "text": "Rye", "kept": True, "cuts": [cut(1.0, "kept as heading")]},
                {"block": 3, "text": "six", "kept": False, "cuts": [cut(1.0, "dropped")]},
                {"block": 4, "text": "-- --", "kept": False, "cuts": [cut(0.0, "dropped")]},
            ],
        },
        {"id": "c", "segments": []},
    ]


def test_what_a_floor_keeps_is_said(tmp_path: Path) -> None:
    def outcomes(name: str) -> list[list[str]]:
        folder = tmp_path / name
        folder.mkdir()
        page, _ = judged(folder, name)
        return [[verdict.outcome for verdict in segment.verdicts] for segment in page.segments]

    # Oats | One two three. Four five. | Rye | six | -- --
    assert outcomes("words(floor=6)@6") == [
        ["kept by the floor"],
        ["kept by the floor"],
        ["dropped"],
        ["dropped"],
        ["dropped"],
    ]
    assert outcomes("words(headings=keep,floor=7)@5") == [
        ["kept as heading"],
        ["passed"],
        ["kept as heading"],
        ["dropped"],
        ["dropped"],
    ]
    assert outcomes("words(headings=drop,floor=7)@1") == [
        ["dropped as heading"],
        ["passed"],
        ["dropped as heading"],
        ["passed"],
        ["kept by the floor"],
    ]
    # The floor of the second part does not count the words that the first drops, so it looks further.
    assert [of_segment[1] for of_segment in outcomes("density@2+words(headings=keep,floor=1)@9")] == [
        "kept as heading",
        "kept by the floor",
        "kept as heading",
        "dropped",
        "dropped",
    ]


def test_what_is_within_a_quota_is_said(tmp_path: Path) -> None:
    # Oats | One two three. Four five. | Rye | six | -- --
    page, _ = judged(tmp_path, "words@doc70")
    assert [segment.is_kept for segment in page.segments] == [True, True, False, False, False]
    assert [segment.verdicts[0].outcome for segment in page.segments[1:3]] == ["passed", "dropped"]
    folder = tmp_path / "headings"
    folder.mkdir()
    page, _ = judged(folder, "words(headings=keep,floor=8)@doc12")
    # One of eight words is more than 12 %.
    assert [segment.verdicts[0].outcome for segment in page.segments] == [
        "passed",
        "kept by the floor",
        "kept as heading",
        "kept by the floor",
        "dropped",
    ]


def test_all_cuts_that_drop_a_segment_are_named_in_the_cleaners_order(tmp_path: Path) -> None:
    """Sentences are the segments as soon as one cut scores sentences."""
    page, empty = judged(tmp_path, "perplexity@1+words@3")
    assert empty == PageVerdicts("c", (), ())
    assert [segment.text for segment in page.segments] == [
        "Oats",
        "One two three.",
        "Four five.",
        "Rye",
        "six",
        "-- --",
    ]
    assert [segment.block for segment in page.segments] == [0, 1, 1, 2, 3, 4]
    assert [[verdict.cut.scorer.name for verdict in segment.dropped_by] for segment in page.segments] == [
        ["perplexity", "words"],
        ["perplexity"],
        ["perplexity"],
        ["perplexity", "words"],
        ["perplexity", "words"],
        ["perplexity", "words"],
    ]
    assert [segment.verdicts[1].score for segment in page.segments] == [1, 5, 5, 1, 1, 0]
    assert not any(segment.is_kept for segment in page.segments)
    # A sentence without words is infinitely perplexing, which JSON cannot say.
    assert math.isinf(page.segments[-1].verdicts[0].score)
    assert record(page)["segments"][-1]["cuts"][0]["score"] is None


def test_the_baseline_judges_nothing(tmp_path: Path) -> None:
    page, _ = judged(tmp_path, "none")
    assert [segment.verdicts for segment in page.segments] == [()] * 5
    assert all(segment.is_kept for segment in page.segments)


def test_scores_are_the_shortest_decimals_of_a_stored_number(tmp_path: Path) -> None:
    page, _ = judged(tmp_path, "perplexity@8000")
    for segment in page.segments[:-1]:
        score = segment.verdicts[0].score
        assert np.float32(score) == np.float32(str(score))
        assert len(f"{score!r}".replace(".", "")) <= 9


def test_scores_for_people() -> None:
    assert [score_text(score) for score in (0.0, 0.004, 999.996, 1000.5, -math.inf, -2.5)] == [
        "0",
        "0.00",
        "1000.00",
        "1,000",
        "−∞",
        "-2.50",
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        "none",
        "words@11",
        "words(headings=keep)@5+perplexity@8000",
        "boilerpipe+density@4",
        "bte",
        "perplexity@1",
        "words(floor=30)@50+perplexity(floor=9)@10",
    ],
)
def test_kept_and_dropped_are_all_and_what_is_kept_is_what_clean_keeps(
    name: str, shared_data: Path, tmp_path: Path
) -> None:
    sources = list(documents(open_collection(shared_data / "cleaning" / "dragnet-300" / "input")))[::40]
    cleaner = parse_cleaner(name)
    for number in range(2):
        part = replace(whole(sources[number::2]), number=number)
        process_part(PartTask(part), ScoreWork(Listed(()), tmp_path, scorers=cleaner.scorers))
    pages = list(explained_pages(tmp_path, cleaner))
    texts = [text for path in shards(tmp_path) for text in read_shard(path, ["text"]).texts("text").tolist()]
    cleaned = list(cleaned_documents(tmp_path, cleaner))
    assert [page.id for page in pages] == [document.id for document in cleaned]
    dropped = 0
    for page, document, text in zip(pages, cleaned, texts, strict=True):
        assert bare("".join(segment.text for segment in page.segments)) == bare(text)
        assert bare("".join(segment.text for segment in page.segments if segment.is_kept)) == bare(document.text)
        dropped += sum(not segment.is_kept for segment in page.segments)
        for segment in page.segments:
            assert segment.is_kept == all(verdict.outcome != DROPPED for verdict in segment.verdicts)
            assert len(segment.verdicts) == len(cleaner.cuts)
    assert (dropped > 0) == (name != "none")


def bare(text: str) -> str:
    return "".join(text.split())

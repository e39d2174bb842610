"""Functions of the caller's as scorers and cleaners."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import thresher
from thresher.base.errors import ConfigError
from thresher.collections import Page

HTML = (
    "<title>Bees</title><h1>Bees</h1><p>The hive is full of bees.</p><p>Home</p>"
    "<p><a href='/queen'>The queen of all</a></p>"
)


def words(page: thresher.Segments) -> list[int]:
    return [len(block.split()) for block in page.blocks]


def long_blocks(page: thresher.Segments) -> list[bool]:
    return [count > 2 for count in words(page)]


class Digits(thresher.Scorer):
    """The share of digits."""

    name = "digits"
    segment = thresher.BLOCK
    keep = thresher.KEEP_HIGH
    unit = "share"
    source = "this test"

    def score(self, segments: thresher.Segments) -> np.ndarray[Any, Any]:
        shares = [sum(map(str.isdigit, block)) / len(block) for block in segments.blocks]
        return np.asarray(shares, dtype=np.float32)


CLEANERS = (
    (long_blocks, "The hive is full of bees.\nThe queen of all"),
    (lambda page: np.array(words(page)) / 8, "The hive is full of bees.\nThe queen of all"),
    (lambda page: [level == 1 for level in page.levels], "Bees"),
    (thresher.Cleaner((thresher.Cut(Digits(), 0.5),)), ""),
)


@pytest.mark.parametrize(("cleaner", "text"), CLEANERS)
def test_cleaners(cleaner: Any, text: str) -> None:
    assert thresher.clean_html(HTML, cleaner) == text
    assert [page.text for page in thresher.clean_pages([HTML, "<p></p>"], cleaner)] == [text, ""]


def test_scorers() -> None:
    scored = thresher.score_html(HTML, ["words", words, Digits()])
    first, second, third = scored.scores.values()
    assert (list(first), list(second)) == ([1, 1, 6, 1, 4], [1, 1, 6, 1, 4])
    assert not third.any()
    assert list(scored.scores) == ["words", "function(words)", "digits"]
    (alone,) = thresher.score_text("One.\n\nOne two.", words).scores.values()
    assert alone.tolist() == [1, 2]


def test_a_function_cleans_a_collection_in_other_processes(tmp_path: Path) -> None:
    (tmp_path / "pages.jsonl").write_text("".join(json.dumps({"id": name, "html": HTML}) + "\n" for name in "ab"))
    for number, cleaner in enumerate((long_blocks, "words@3")):
        thresher.clean_collection(tmp_path / "pages.jsonl", cleaner, tmp_path / f"{number}.jsonl", workers=2)
    assert (tmp_path / "0.jsonl").read_bytes() == (tmp_path / "1.jsonl").read_bytes()


@pytest.mark.parametrize(
    ("cleaner", "facts"),
    [
        (lambda page: [True], ["5 blocks", "(1,)"]),
        (lambda page: True, ["5 blocks", "()"]),
        (None, ["NoneType"]),
        (Digits(), ["Digits"]),
    ],
)
def test_what_is_no_cleaner(cleaner: Any, facts: list[str]) -> None:
    with pytest.raises(ConfigError) as error:
        thresher.clean_html(HTML, cleaner)
    assert [fact for fact in facts if fact not in str(error.value)] == []
    with pytest.raises(ConfigError):
        list(thresher.clean_pages([HTML], cleaner))


def test_a_function_that_no_other_process_can_get(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(HTML)
    with pytest.raises(ConfigError, match="top of a module"):
        thresher.clean_collection(tmp_path / "page.html", lambda page: words(page), tmp_path / "o.jsonl")


def test_a_function_that_fails_at_a_page_costs_that_page() -> None:
    def fails(page: thresher.Segments) -> list[bool]:
        return [bool(1 / (len(block) - 4)) for block in page.blocks]

    first, second = thresher.clean_pages(["<p>Home</p>", "<p>Queen</p>"], fails)
    assert ("ZeroDivisionError" in first.problem, second.text) == (True, "Queen")


@pytest.mark.parametrize("page", [HTML, Page("a", HTML.encode(), url="https://bees.example/hive/")])
def test_links_are_absolute_where_the_address_is_known(page: str | Page) -> None:
    url = "https://bees.example/" if isinstance(page, str) else None
    markdown = thresher.clean_html(page, "words@3", markdown=True, url=url)
    assert "[The queen of all](https://bees.example/queen)" in markdown

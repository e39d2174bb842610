"""Descriptive blocks: each rule at its bound, and scripts without spaces."""

from __future__ import annotations

import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.cleaners.scorers.shallow_features import descriptive_blocks
from thresher.pages import read_html

LINKED = "one two three four five six seven eight nine ten <a>eleven twelve thirteen fourteen fifteen</a>"
CHINESE = "我们在河边的老桥上走了一个下午直到太阳落到山后面才回家吃晚饭"


@pytest.mark.parametrize(
    ("html", "is_descriptive"),
    [
        ("<p>" + "word " * 15, True),
        ("<p>" + "word " * 14, False),
        ("<h2>" + "word " * 15 + "</h2>", False),
        ("<title>" + "word " * 15 + "</title>", False),
        # Nine words fill a line of 80 characters.
        ("<p>" + "wordword " * 40, False),
        ("<p>" + "wordwo " * 40, True),
        # 5 words of 15 are a third, 6 of 16 more.
        (f"<p>{LINKED}", False),
        (f"<p>zero {LINKED}", True),
        # 30 letters count as 15 words.
        (f"<p>{CHINESE}", True),
        (f"<p>{CHINESE[:-1]}", False),
        (f"<p>{CHINESE[:-1]}。", False),
        (f"<h1>{CHINESE}</h1>", False),
        (f"<p>{CHINESE}<a>{CHINESE[:14]}</a>", True),
        (f"<p>{CHINESE}<a>{CHINESE[:16]}</a>", False),
        # Such letters in a block of words with spaces change nothing.
        ("<p>" + "word " * 14 + CHINESE[:10], True),
        ("<p>" + "word " * 13 + CHINESE[:10], False),
        ("<p>" + "wört " * 15, True),
        ("<p>" + "wört " * 14, False),
    ],
)
def test_the_rules_at_their_bounds(html: str, is_descriptive: bool) -> None:
    assert descriptive_blocks(read_html(html)).tolist() == [is_descriptive]


def test_no_blocks() -> None:
    assert descriptive_blocks(read_html("")).tolist() == []


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(1, 12), st.sampled_from(["p", "h1", "li"])), max_size=8))
def test_blocks_of_words_against_the_rules_written_out(parts: list[tuple[int, int, str]]) -> None:
    html, expected = "", []
    for count, length, tag in parts:
        words = ["x" * length] * count
        html += f"<{tag}>{' '.join(words)}</{tag}>"
        if not words:
            continue
        lines = [line.split() for line in textwrap.wrap(" ".join(words), 80)]
        density = sum(map(len, lines[:-1])) / (len(lines) - 1) if len(lines) > 1 else count
        expected.append(tag != "h1" and count >= 15 and density >= 10.5)
    assert descriptive_blocks(read_html(html)).tolist() == expected

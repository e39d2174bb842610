"""Text density, against the standard library's wrapping."""

import textwrap
import unicodedata
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.cleaners.scorers.shallow_features import Density, wrap
from thresher.pages import PageOptions, read_html, read_text_page


def wrapped(block: str) -> list[str]:
    return textwrap.wrap(block, 80, break_long_words=False, break_on_hyphens=False)


def words_in(text: str) -> int:
    return sum(any(unicodedata.category(character)[0] in "LNM" for character in token) for token in text.split())


def density(block: str, count: Callable[[str], int] = words_in) -> float:
    """Words on all lines but the last, by the number of those lines; a block of one line has its words."""
    *full, last = wrapped(block)
    return sum(map(count, full)) / len(full) if full else count(last)


def tokens_in(text: str) -> int:
    return len(text.split())


# Words of all lengths around the width, and separators that wrap by other rules elsewhere.
WORD = st.one_of(
    st.integers(1, 12).map(lambda length: "x" * length),
    st.integers(70, 170).map(lambda length: "y" * length),
    st.sampled_from(
        ["-", "—", "e-mail", "a/b", "...", "中" * 30, "e\u0301", "&", "a\u200bb", "\u00ad", "soft-hyphen-word"]
    ),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=9),
)
BLOCK = st.lists(WORD, max_size=60).map(" ".join)


@given(st.lists(BLOCK, max_size=4).map("\n".join))
def test_any_text(text):
    segments = read_text_page(text)
    scores = Density().score(segments)
    assert scores.dtype == np.float32
    assert scores.tolist() == [float(np.float32(density(block))) for block in segments.blocks]
    by_tokens = Density(count="tokens").score(segments).tolist()
    assert by_tokens == [float(np.float32(density(block, tokens_in))) for block in segments.blocks]


@given(BLOCK)
def test_lines_are_those_of_textwrap(text):
    block = " ".join(text.split())
    if block:
        lines = wrapped(block)
        assert "\n".join(lines) == "\n".join(" ".join(line.split()) for line in lines)
        assert wrap(block) == (len(lines) - 1, len(block) - len(lines[-1]))


@pytest.mark.slow
def test_real_pages(shared_data):
    wrapping = 0
    for path in sorted((shared_data / "cleaning" / "dragnet-300" / "input").iterdir())[::15]:
        for rule in ("join", "split"):
            segments = read_html(path.read_bytes(), PageOptions(rule))
            expected = np.array([density(block) for block in segments.blocks], dtype=np.float32)
            assert Density().score(segments).tolist() == expected.tolist(), path
            wrapping += sum(len(block) > 80 for block in segments.blocks)
    assert wrapping > 300


@pytest.mark.parametrize(
    ("block", "expected"),
    [
        ("one two", 2),
        ("x" * 80, 1),
        ("x" * 81, 1),
        ("x" * 79 + " y", 1),
        ("x" * 78 + " y", 2),
        ("x" * 80 + " y", 1),
        ("x" * 200 + " " + "y" * 200, 1),
        ("a " * 40 + "b", 40),
        ("a " * 39 + "b", 40),
        ("a " * 41, 40),
        ("a " * 80 + "b c", 40),
        ("a a " + "z" * 100 + " b b", (2 + 1) / 2),
        ("- " * 45, 0),
        ("1 " * 10 + "- " * 30 + "2", 10),
    ],
)
def test_by_hand(block, expected):
    assert Density().score(read_text_page(block)).tolist() == [float(np.float32(expected))]


@pytest.mark.parametrize(
    ("block", "words", "tokens"),
    [
        # One line: |T(b)| is 5 words, 9 tokens.
        ("a - b - c - d - e", 5, 9),
        # Three lines of 7, 7 and 6 times 11 characters; the first two have 7 words and 14 tokens each.
        (" ".join(["abcdefgh |"] * 20), 7, 14),
    ],
)
def test_tokens_by_hand(block, words, tokens):
    """Kohlschuetter et al., Eq. 1, over the tokens of the block, or its words."""
    segments = read_text_page(block)
    assert Density().score(segments).tolist() == [words]
    assert Density(count="tokens").score(segments).tolist() == [tokens]


def test_no_blocks():
    assert Density().score(read_html("")).tolist() == []

"""Shallow features by hand and against plain computations."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shallow_scorers import Capitals, FullStops, Position, Quotient, SentenceLength, WordLength
from thresher.cleaners.scorer import Scorer
from thresher.cleaners.scorers.shallow_features import Density, Words
from thresher.pages import Segments, read_html, read_text_page

CHINESE = "我们在河边的老桥上走了一个下午"
FULL_STOPS = "。｡।۔።"


def in_word(character: str) -> bool:
    return unicodedata.category(character)[0] in "LNM"


def words(text: str) -> list[str]:
    return [token for token in text.split() if any(map(in_word, token))]


def is_han(character: str) -> bool:
    return "\u4e00" <= character <= "\u9fff"


def estimated_words(block: str) -> float:
    """Words, or half of the tokens if each Han character is one and they are twice as many as runs of word characters."""
    runs, letters, before = 0, 0, " "
    for character in block:
        begins = (in_word(character) or character in "'’") and not (in_word(before) or before in "'’")
        runs += begins
        letters += begins or is_han(character) or (in_word(character) and is_han(before))
        before = character
    return letters / 2 if letters >= 2 * runs and not block.isascii() and letters else len(words(block))


def capitals(block: str) -> float:
    firsts = [next(filter(in_word, word)) for word in words(block)]
    return sum(map(str.istitle, firsts)) / max(len(firsts), 1)


def word_length(block: str) -> float:
    return sum(map(len, words(block))) / max(len(words(block)), 1)


def full_stops(block: str) -> float:
    count = 0
    for character, after in zip(block, block[1:] + " ", strict=True):
        dot = character == "." and not (after == "." or after == "_" or after.isalnum())
        count += dot or character in FULL_STOPS
    estimated = estimated_words(block)
    return count / max(estimated, 1) if estimated else 0


def sentence_lengths(segments: Segments) -> Iterator[float]:
    for index, block in enumerate(segments.blocks):
        sentences = [
            part
            for sentence, at in zip(segments.sentences, segments.block_of_sentence.tolist(), strict=True)
            for part in re.split(r"(?<=[;；])", sentence)
            if at == index and words(part)
        ]
        yield estimated_words(block) / max(len(sentences), 1)


TOKENS = "a Word “Quoted” iPhone ǅ 9 3.5 e.g. end. end... (so.) www.x.org a_.b — • été Ünï Oslo dog's 河边。 老桥 。 نهاية۔ B."
TOKEN = st.sampled_from([*TOKENS.split(), CHINESE])
TEXT = st.lists(st.lists(TOKEN, min_size=1, max_size=12).map(" ".join), max_size=6).map("\n".join)


def rounded(values: list[float]) -> list[float]:
    return np.array(values, dtype=np.float32).tolist()


@pytest.mark.parametrize(
    ("scorer", "feature"), [(Capitals(), capitals), (WordLength(), word_length), (FullStops(), full_stops)]
)
@given(TEXT)
def test_ratios_of_any_text(scorer, feature, text):
    segments = read_text_page(text)
    assert scorer.score(segments).tolist() == rounded([feature(block) for block in segments.blocks])


ANY_TEXT = st.lists(
    st.sampled_from(list(" \n-/.,'’…—&ab1é中½①\u0301\u200b\u00a0\u3000")) | st.characters(exclude_categories=["Cs"]),
    max_size=60,
).map("".join)


@pytest.mark.parametrize(("scorer", "feature"), [(Capitals(), capitals), (WordLength(), word_length)])
@given(ANY_TEXT)
def test_ratios_of_any_characters(scorer, feature, text):
    segments = read_text_page(text)
    assert scorer.score(segments).tolist() == rounded([feature(block) for block in segments.blocks])


@given(TEXT)
def test_sentence_lengths_of_any_text(text):
    segments = read_text_page(text)
    assert SentenceLength().score(segments).tolist() == rounded([*sentence_lengths(segments)])


@pytest.mark.parametrize(
    ("scorer", "html", "expected"),
    [
        (Capitals(), f"<p>The “Daily” news: NASA, iPhone, 3D<p>{CHINESE}<p>—", [3 / 6, 0, 0]),
        (WordLength(), "<p>It is — (so)!<p>•", [(2 + 2 + 5) / 3, 0]),
        (FullStops(), f"<p>See www.x.org, v. 3.5 ... It ended.<p>{CHINESE}一。<p>•", [3 / 6, 1 / 8, 0]),
        (SentenceLength(), "<p>It rains; it pours. Go!", [5 / 3]),
        (SentenceLength(), f"<p>It rains. The north is dry.<p>{CHINESE}一。<p>•", [3, 8, 0]),
        (Position(), "<title>T</title><p>a<p>b<p>c", [0.75, 0.25, 0.25, 0.75]),
        (Position(origin="top"), "<title>T</title><p>a<p>b<p>c", [0.125, 0.375, 0.625, 0.875]),
        # The title is nobody's neighbour; a neighbour without words counts as one.
        (Quotient(), "<title>A title here</title><p>a b<p>a b c d<p>•<p>a b c", [3, 2, 2, 0, 3]),
        (Quotient(of="density"), "<p>" + "a " * 41 + "<p>" + "a b " * 5, [40, 0.25]),
    ],
)
def test_by_hand(scorer: Scorer, html: str, expected: list[float]) -> None:
    scores = scorer.score(read_html(html))
    assert scores.dtype == np.float32
    assert scores.tolist() == rounded(expected)
    assert scorer.score(read_html("")).tolist() == []


@given(TEXT, st.sampled_from([(Words(), "words"), (Density(), "density")]))
def test_quotients_of_any_text(text, feature):
    scorer, name = feature
    segments = read_text_page(text)
    values = scorer.score(segments).astype(np.float64).tolist()
    before = [value / max(other, 1) for value, other in zip(values, [0.0, *values], strict=False)]
    assert Quotient(of=name).score(segments).tolist() == pytest.approx(before)

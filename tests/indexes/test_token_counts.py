"""Counts of tokens against Lucene's analysis of the whole texts."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from thresher.base.defaults import STEMMERS
from thresher.indexes import token_counts
from thresher.indexes.analysis import Analysis, analyse, text_analyzer
from thresher.indexes.token_counts import TokenCounter

PIECES = (
    "a",
    "the",
    "Dogs'",
    "1,000.5",
    ".",
    "'s",
    "’",
    "_",
    "\u0301",
    "\u200d",
    "\u00ad",
    "日本",
    "カ",
    "조선말",
    "ไทย",
    "😀",
    "🇩🇪",
    'א"',
    " ",
    " ",
    "\n",
    "\t",
    "\r",
    "\u00a0",
    "\u0085",
    "\u2028",
    "\u202f",
    "\u3000",
    "\ud800",
    "\udc00",
    "x" * 254,
    "y" * 255,
    "z" * 256,
    "é" * 300,
    "日" * 256,
)


def counts_of(texts: Sequence[str], stemmer: str = "porter", stopwords: bool = True) -> list[int]:
    counter = TokenCounter(Analysis(stemmer=stemmer, stopwords=stopwords))
    for text in texts:
        counter.add(text)
    lengths: list[int] = counter.lengths().tolist()
    return lengths


def tokens_of(texts: Sequence[str], stemmer: str = "porter", stopwords: bool = True) -> list[int]:
    analyzer = text_analyzer(Analysis(stemmer=stemmer, stopwords=stopwords))
    return [len(analyse(analyzer, text)) for text in texts]


def odd_texts(number: int, pieces: int) -> list[str]:
    draw = random.Random(11)
    return ["".join(draw.choices(PIECES, k=draw.randint(0, pieces))) for _ in range(number)]


@pytest.mark.slow
@pytest.mark.parametrize("stemmer", STEMMERS)
@pytest.mark.parametrize("stopwords", [True, False])
def test_counts_of_odd_texts_are_lucenes(stemmer: str, stopwords: bool) -> None:
    texts = odd_texts(300, 60)
    assert counts_of(texts, stemmer, stopwords) == tokens_of(texts, stemmer, stopwords)


@pytest.mark.slow
@pytest.mark.parametrize("stemmer", STEMMERS)
@pytest.mark.parametrize("stopwords", [True, False])
def test_counts_of_real_pages_are_lucenes(shared_data: Path, stemmer: str, stopwords: bool) -> None:
    paths = sorted((shared_data / "cleaning" / "dragnet-300" / "input").iterdir())[::15]
    # Markup and scripts stay in: no text is odder.
    texts = [path.read_bytes().decode(errors="replace").replace("\0", " ") for path in paths]
    counts = counts_of(texts, stemmer, stopwords)
    assert counts == tokens_of(texts, stemmer, stopwords)
    assert sum(counts) > 30_000


@settings(max_examples=25)
@given(st.lists(st.text(max_size=30), max_size=8))
def test_counts_of_any_text_are_lucenes(texts: list[str]) -> None:
    assert counts_of(texts) == tokens_of(texts)


@pytest.mark.parametrize("characters", [1, 300])
def test_texts_are_counted_a_few_at_once(characters: int, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = odd_texts(60, 30)
    monkeypatch.setattr(token_counts, "_CHARACTERS", characters)
    assert counts_of(texts) == tokens_of(texts)

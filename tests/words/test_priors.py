"""Probabilities of words by their frequency alone."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.base.errors import InputError
from thresher.cleaners.scorers.prior import FLOOR, learn_counts, probabilities, probabilities_of, words_of
from thresher.cleaners.words.books import read_counts, read_words
from thresher.pages.plain import plain_text


def test_probabilities_by_hand() -> None:
    assert FLOOR == 1e-6
    assert probabilities({"the": 3, "été": 1}) == {
        b"the": pytest.approx(0.75 + 1e-6),
        "été".encode(): pytest.approx(0.25 + 1e-6),
    }
    assert probabilities({}) == {}


def test_those_of_books() -> None:
    counts = read_words()
    assert counts == read_counts()[0]
    found = probabilities_of(None)
    assert len(found) == len(counts)
    assert sum(found.values()) == pytest.approx(1 + len(counts) * 1e-6)
    assert max(found, key=found.__getitem__) == b"the"


def test_counts_are_written_once(tmp_path: Path) -> None:
    pages = [["It's a day.", "IT’S 2 o'clock."]] * 200 + [[]]
    path = tmp_path / "counts.tsv"
    learn_counts(lambda: pages, path)
    assert path.read_text() == "2\t200\na\t200\nday\t200\nit's\t400\no'clock\t200\n"
    assert probabilities_of(path)[b"it's"] == pytest.approx(400 / 1200 + 1e-6)
    learn_counts(list, path)
    assert path.read_text().count("\n") == 5


@pytest.mark.parametrize("pages", [[], [[]], [["one word"] * 499 + ["one"]]])
def test_too_few_words(tmp_path: Path, pages: list[list[str]]) -> None:
    with pytest.raises(InputError) as caught:
        learn_counts(lambda: pages, tmp_path / "counts.tsv", "here")
    count = sum(len(sentence.split()) for page in pages for sentence in page)
    assert str(caught.value) == (
        f"here: too little descriptive text to count: {count} words, and 1000 are needed. "
        "Fix: give a larger collection, or the counts of books."
    )


@given(st.lists(st.text("aB9'’—. 河é\u0301", max_size=12), max_size=6))
def test_words_are_those_of_each_sentence(sentences: list[str]) -> None:
    texts = [" ".join(sentence.split()) for sentence in sentences]
    plain = plain_text("\n".join(texts))
    ends = np.cumsum([len(text) + 1 for text in texts])
    if len(ends):
        ends[-1] -= 1
    words, counts = words_of(plain, ends.astype(np.int64))
    assert counts.sum() == len(words)
    expected = [Counter(words_of(plain_text(text), np.array([len(text)]))[0]) for text in texts]
    firsts = np.cumsum([0, *counts]).tolist()
    found = [Counter(words[first:after]) for first, after in pairwise(firsts)]
    assert found == expected

"""Mixtures of orders: what KenLM reads is what the formulas give, counted in dictionaries."""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise
from pathlib import Path

import kenlm
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_models import load

from thresher.cleaners.words.ngrams import Mixture, _numbers, add_run, merged
from thresher.cleaners.words.tokenisers import tokeniser
from thresher.cleaners.words.training import encode_text, write_model
from thresher.pages import PageOptions

WORDS = st.sampled_from(["a", "b", "c", "d'", "é", "中"])
CORPORA = st.lists(st.lists(WORDS, min_size=1, max_size=6), min_size=1, max_size=7)
ASKED = st.lists(st.lists(WORDS | st.sampled_from(["zz", "unseen"]), min_size=1, max_size=6), max_size=4)


def train_on(folder: Path, corpus: list[list[str]], order: int, unigram: str) -> Path:
    """Train on one sentence a line."""
    text = encode_text("\n".join(map(" ".join, corpus)), PageOptions(), tokeniser("words", ""))
    write_model(folder, [text], Mixture(order, unigram))
    return folder / "model.arpa"


def scores(model: kenlm.Model, sentence: list[str]) -> list[float]:
    return [entry[0] for entry in model.full_scores(" ".join(sentence), bos=True, eos=False)]


class Counted:
    """Counts of a corpus in which sentences begin with as many <s> as a history is long."""

    def __init__(self, corpus: list[list[str]], order: int) -> None:
        self.words = Counter(word for sentence in corpus for word in sentence)
        self.grams: Counter[tuple[str, ...]] = Counter()
        self.histories: Counter[tuple[str, ...]] = Counter()
        for sentence in corpus:
            padded = ["<s>"] * (order - 1) + sentence
            for end in range(order, len(padded) + 1):
                for length in range(1, order + 1):
                    gram = tuple(padded[end - length : end])
                    self.grams[gram] += 1
                    self.histories[gram[:-1]] += 1

    def likelihood(self, history: list[str], word: str) -> float:
        count = self.grams[(*history, word)]
        return count / self.histories[tuple(history)] if count else 0.0

    def unigram(self, word: str) -> float:
        return self.words[word] / self.words.total()


def mixture(counted: Counted, order: int, unigram: str, before: list[str], word: str) -> float:
    source = before[-1] if unigram == "history" else word
    if order == 2:
        return 0.8 * counted.likelihood(before[-1:], word) + 0.2 * counted.unigram(source) + 1e-6
    return (
        0.6 * counted.likelihood(before[-2:], word)
        + 0.3 * counted.likelihood(before[-1:], word)
        + 0.1 * counted.unigram(source)
        + 1e-6
    )


@settings(max_examples=40)
@given(CORPORA, ASKED, st.sampled_from([2, 3]), st.sampled_from(["history", "current"]))
def test_mixtures(tmp_path_factory, corpus, asked, order, unigram):
    path = train_on(tmp_path_factory.mktemp("lm"), corpus, order=order, unigram=unigram)
    model, counted = load(path), Counted(corpus, order)
    for sentence in [*corpus, *asked]:
        padded = ["<s>"] * (order - 1) + sentence
        for place, log in enumerate(scores(model, sentence)):
            expected = mixture(counted, order, unigram, padded[: place + order - 1], sentence[place])
            assert log == pytest.approx(min(0.0, math.log10(expected)), abs=2e-6)


def test_the_file_by_hand(tmp_path):
    def log(value: float) -> pytest.approx:
        return pytest.approx(math.log10(value), abs=1e-6)

    path = train_on(tmp_path, [["a", "b"], ["a", "a"]], order=2, unigram="current")
    lines = path.read_text().split("\n")
    assert lines[:4] == ["\\data\\", "ngram 1=5", "ngram 2=3", ""]
    assert lines[4] == "\\1-grams:"
    rows = {fields[1]: fields for line in lines if len(fields := line.split("\t")) > 1}
    assert [*rows] == ["<unk>", "<s>", "</s>", "a", "b", "<s> a", "a a", "a b"]
    assert [fields[2] for fields in rows.values() if len(fields) == 3] == ["0", "0", "0", "0", "0"]
    assert float(rows["a"][0]) == log(0.2 * 0.75 + 1e-6)
    assert float(rows["<unk>"][0]) == float(rows["<s>"][0]) == -6
    assert float(rows["a b"][0]) == log(0.8 * 0.5 + 0.2 * 0.25 + 1e-6)
    assert float(rows["<s> a"][0]) == log(0.8 + 0.2 * 0.75 + 1e-6)
    assert lines[-3:] == ["", "\\end\\", ""]


@given(st.lists(st.lists(st.integers(0, 9), max_size=8), max_size=12))
def test_runs_are_counted_as_a_dictionary_counts(portions):
    runs = []
    for portion in portions:
        add_run(runs, np.array(portion, dtype=np.int64))
    keys, counts = merged(runs)
    expected = Counter(key for portion in portions for key in portion)
    assert [*zip(keys.tolist(), counts.tolist(), strict=True)] == sorted(expected.items())
    sizes = [len(run) for run, _ in runs]
    assert all(before >= 2 * after for before, after in pairwise(sizes))


def test_logs_are_the_shortest_decimals_that_are_the_same() -> None:
    generator = np.random.default_rng(7)
    logs = np.concatenate(
        [[0, -99, -1, -1e-6, -9.9e-7], -generator.random(5000) * 9, -(10 ** (-9 * generator.random(5000)))]
    )
    logs = logs.astype(np.float32)
    texts = _numbers(logs).tolist()
    assert texts == pa.array(logs).cast(pa.string()).to_pylist()
    assert np.array(texts, dtype=np.float32).tobytes() == logs.tobytes()

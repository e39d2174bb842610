"""Mixtures and maximum likelihood: what KenLM reads is what the formulas give, counted in dictionaries."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import kenlm
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_models import load

from thresher.language_models import load_model
from thresher.language_models.words.training import Plan, train

WORDS = st.sampled_from(["a", "b", "c", "d'", "é", "中"])
CORPORA = st.lists(st.lists(WORDS, min_size=1, max_size=6), min_size=1, max_size=7)
ASKED = st.lists(st.lists(WORDS | st.sampled_from(["zz", "unseen"]), min_size=1, max_size=6), max_size=4)


def train_on(folder: Path, corpus: list[list[str]], **options: object) -> Path:
    """Train on one sentence a line; no sentence is held out of so few."""
    text = folder / "text"
    text.write_text("\n".join(map(" ".join, corpus)), encoding="utf-8")
    train(Plan((text,), folder / "model", workers=1, **options))  # type: ignore[arg-type]
    return folder / "model" / "model.arpa"


def scores(model: kenlm.Model, sentence: list[str]) -> list[float]:
    return [entry[0] for entry in model.full_scores(" ".join(sentence), bos=True, eos=False)]


class Counted:
    """Counts of a corpus in which sentences begin with as many <s> as a history is long."""

    def __init__(self, corpus: list[list[str]], order: int) -> None:
        self.words = Counter(word for sentence in corpus for word in sentence)
        self.grams: Counter[tuple[str, ...]] = Counter()
        self.histories: Counter[tuple[str, ...]] = Counter()
        self.times: Counter[tuple[str, ...]] = Counter()
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


@settings(max_examples=40)
@given(CORPORA, ASKED, st.integers(1, 5))
def test_maximum_likelihood(tmp_path_factory, corpus, asked, order):
    path = train_on(tmp_path_factory.mktemp("lm"), corpus, order=order, estimator="mle")
    model, counted = load(path), Counted(corpus, order)
    for sentence in [*corpus, *asked]:
        padded = ["<s>"] * (order - 1) + sentence
        for place, log in enumerate(scores(model, sentence)):
            expected = counted.likelihood(padded[place : place + order - 1], sentence[place]) or 1e-6
            assert log == pytest.approx(math.log10(expected), abs=2e-6)


@settings(max_examples=40)
@given(CORPORA, ASKED, st.integers(1, 5))
def test_maximum_likelihood_by_all_occurrences(tmp_path_factory, corpus, asked, order):
    path = train_on(tmp_path_factory.mktemp("lm"), corpus, order=order, estimator="mle-occurrences")
    model = load(path)
    counts = Counter()
    for sentence in corpus:
        padded = ["<s>"] * (order - 1) + sentence
        for end in range(order, len(padded) + 1):
            counts.update([tuple(padded[end - order : end])])
            # A history occurs at its last word; that of a sentence's first word once for the sentence.
            counts.update([tuple(padded[end - order + 1 : end])])
        counts.update([("<s>",) * (order - 1)] * bool(sentence))
    for sentence in [*corpus, *asked]:
        padded = ["<s>"] * (order - 1) + sentence
        for place, log in enumerate(scores(model, sentence)):
            history = tuple(padded[place : place + order - 1])
            seen = counts[(*history, sentence[place])]
            total = sum(map(len, corpus)) if order == 1 else counts[history]
            assert log == pytest.approx(math.log10(seen / total if seen else 1e-6), abs=2e-6)


def test_equation_2_by_hand(tmp_path):
    """C(the | <s>) 3 of 3, C(the cat) 3 of 5, C(cat sat) 1 of the 3 occurrences of `cat`, of which one ends a sentence."""
    text = "the cat sat on the mat\nthe dog sat on the cat\nthe cat ran\n"
    corpus = [line.split() for line in text.splitlines()]
    for estimator, last in (("mle-occurrences", 3), ("mle", 2)):
        folder = tmp_path / estimator
        folder.mkdir()
        path = train_on(folder, corpus, order=2, estimator=estimator)
        perplexity = load_model(str(path)).perplexity("The cat sat")
        assert perplexity == pytest.approx((1 * 3 / 5 * 1 / last) ** (-1 / 3), rel=1e-6)
        assert f"{perplexity:.5f}" == {3: "1.70998", 2: "1.49380"}[last]


@settings(max_examples=25)
@given(CORPORA, st.sampled_from(["history", "current"]), st.sampled_from([(2, (0, 1)), (3, (0, 0, 1)), (3, (0, 1, 2))]))
def test_pruned_ngrams_count_for_their_history_but_are_not_seen(tmp_path_factory, corpus, unigram, chosen):
    order, prune = chosen
    path = train_on(tmp_path_factory.mktemp("lm"), corpus, order=order, unigram=unigram, prune=prune)
    model, counted = load(path), Counted(corpus, order)
    for gram in [*counted.grams]:
        # The trigram <s> <s> w is the bigram <s> w.
        length = len(gram) - 1 if gram[:2] == ("<s>", "<s>") else len(gram)
        if counted.grams[gram] <= prune[length - 1]:
            counted.grams[gram] = 0
    for sentence in corpus:
        padded = ["<s>"] * (order - 1) + sentence
        for place, log in enumerate(scores(model, sentence)):
            expected = mixture(counted, order, unigram, padded[: place + order - 1], sentence[place])
            assert log == pytest.approx(min(0.0, math.log10(expected)), abs=2e-6)


def test_cut_words_are_one_unknown_word(tmp_path):
    corpus = [["a", "b", "x"], ["a", "y"], ["b", "a", "b"]]
    cut = [["a", "b", "?"], ["a", "?"], ["b", "a", "b"]]
    path = train_on(tmp_path, corpus, order=3, unigram="current", least_count=2)
    model, counted = load(path), Counted(cut, 3)
    for sentence, known in ([["a", "b", "x"], cut[0]], [["a", "new"], cut[1]], [["new", "a"], ["?", "a"]]):
        padded = ["<s>", "<s>", *known]
        for place, log in enumerate(scores(model, sentence)):
            expected = mixture(counted, 3, "current", padded[: place + 2], known[place])
            assert log == pytest.approx(math.log10(expected), abs=2e-6)


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

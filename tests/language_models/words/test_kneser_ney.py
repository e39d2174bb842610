"""Kneser-Ney against its formulas in dictionaries, and against KenLM's lmplz where that is installed."""

from __future__ import annotations

import itertools
import math
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import kenlm
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from small_models import load

from thresher.language_models.words.arpa import NEVER
from thresher.language_models.words.estimates import FALLBACK, Discounts, discounts
from thresher.language_models.words.training import Plan, train

Gram = tuple[str, ...]
CORPORA = st.lists(st.lists(st.sampled_from("abcde"), min_size=1, max_size=6), min_size=1, max_size=12)
CHOICES = [(1, (0,)), (2, (0,)), (2, (0, 1)), (3, (0,)), (3, (0, 0, 1)), (3, (0, 1, 2)), (4, (0, 0, 1)), (5, (0,))]


def train_on(folder: Path, corpus: list[list[str]], order: int, prune: tuple[int, ...] = (0,), **more: object) -> Path:
    text = folder / "text"
    text.write_text("\n".join(map(" ".join, corpus)))
    plan = Plan((text,), folder / "model", order=order, estimator="kneser-ney", prune=prune, workers=1, **more)  # type: ignore[arg-type]
    train(plan)
    return folder / "model" / "model.arpa"


class Smoothed:
    """The formulas, without care for speed."""

    def __init__(self, corpus: list[list[str]], order: int, prune: tuple[int, ...]) -> None:
        self.raw: Counter[Gram] = Counter()
        for sentence in corpus:
            words = ["<s>", *sentence, "</s>"]
            for end in range(1, len(words)):
                for begin in range(max(0, end - order + 1), end + 1):
                    self.raw[tuple(words[begin : end + 1])] += 1
        self.vocabulary = [*sorted({word for sentence in corpus for word in sentence}), "</s>", "<unk>"]
        self.counts: dict[Gram, int] = {}
        for gram, count in self.raw.items():
            kept = len(gram) == order or gram[0] == "<s>"
            self.counts[gram] = count if kept else len({longer[0] for longer in self.raw if longer[1:] == gram})
        thresholds = (*prune, *[prune[-1]] * order)
        self.listed = {gram for gram, count in self.raw.items() if count > thresholds[len(gram) - 1]}
        self.discounts = {}
        for length in range(1, order + 1):
            n = Counter(count for gram, count in self.counts.items() if len(gram) == length)
            try:
                y = n[1] / (n[1] + 2 * n[2])
                found = [k - (k + 1) * y * n[k + 1] / n[k] for k in (1, 2, 3)]
            except ZeroDivisionError:
                found = [-1.0]
            fine = all(0 <= value <= k for k, value in enumerate(found, 1))
            self.discounts[length] = [0, *(found if fine else FALLBACK)]

    def probability(self, history: Gram, word: str) -> float:
        shorter = self.probability(history[1:], word) if history else 1 / len(self.vocabulary)
        found = {v: self.counts[(*history, v)] for v in self.vocabulary if (*history, v) in self.counts}
        total = sum(found.values())
        if not total:
            return shorter
        taken = {v: self.discounts[len(history) + 1][min(count, 3)] for v, count in found.items()}
        for v, count in found.items():
            if (*history, v) not in self.listed:
                taken[v] = count
        own = found.get(word, 0) - taken.get(word, 0)
        return own / total + sum(taken.values()) / total * shorter


@settings(max_examples=40)
@given(CORPORA, st.sampled_from(CHOICES))
@example([["a"], ["a"], ["a", "a", "b"], ["b"]], (3, (0,)))  # a discount of 0, so that unseen words have probability 0
def test_formulas(tmp_path_factory, corpus, chosen):
    order, prune = chosen
    model = load(train_on(tmp_path_factory.mktemp("lm"), corpus, order, prune))
    oracle = Smoothed(corpus, order, prune)
    asked = [*corpus, ["a", "zz", "b", "c"], ["e", "e", "d", "d", "a", "b"], ["zz"]]
    for sentence in asked:
        words = [word if word in oracle.vocabulary else "<unk>" for word in sentence]
        logs = [entry[0] for entry in model.full_scores(" ".join(sentence), bos=True, eos=True)]
        for place, log in enumerate(logs):
            before = ("<s>", *words)[: place + 1]
            history = before[max(0, len(before) - order + 1) :]
            expected = oracle.probability(history, [*words, "</s>"][place])
            if expected:
                assert log == pytest.approx(math.log10(expected), abs=1e-5)
            else:
                assert log <= NEVER


@settings(max_examples=20)
@given(CORPORA, st.sampled_from(CHOICES), st.booleans())
def test_probabilities_of_all_words_add_up_to_1(tmp_path_factory, corpus, chosen, cut):
    order, prune = chosen
    # Cut words are counted as <unk> like any other word.
    corpus = [*corpus, ["a", "a", "f"]]
    path = train_on(tmp_path_factory.mktemp("lm"), corpus, order, prune, least_count=2 if cut else 1)
    model = load(path)
    words = sorted({word for sentence in corpus for word in sentence})
    known = [word for word in words if word in model]
    for history in [(), *itertools.product(["a", "b", "zz"], repeat=2)]:
        state, after = kenlm.State(), kenlm.State()
        model.BeginSentenceWrite(state)
        for word in history:
            model.BaseScore(state, word, after)
            state, after = after, state
        total = sum(10 ** model.BaseScore(state, word, after) for word in [*known, "</s>", "<unk>"])
        assert total == pytest.approx(1, abs=2e-5)


def test_discounts_by_hand():
    # n1 = 4, n2 = 2, n3 = 1, n4 = 1: Y = 4 / 8
    counts = np.array([0, 1, 1, 1, 1, 2, 2, 3, 4, 9])
    assert discounts(counts).values == pytest.approx((1 - 2 * 0.5 * 2 / 4, 2 - 3 * 0.5 * 1 / 2, 3 - 4 * 0.5 * 1 / 1))
    assert not discounts(counts).fallback


@pytest.mark.parametrize(
    "counts",
    [[1, 1, 2], [2, 3, 3], [], [1, 2, 3, 4, 4, 4], [1, 1, 1, 1, 2, 3, 3, 3, 3]],
    ids=["no 3", "no 1", "nothing", "D3 < 0", "D2 < 0"],
)
def test_fallback(counts):
    assert discounts(np.array(counts, dtype=np.int64)) == Discounts((0.5, 1.0, 1.5), fallback=True)


def entries(path: Path) -> dict[str, list[float]]:
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").split("\n") if "\t" in line]
    return {row[1]: [float(row[0]), *map(float, row[2:])] for row in rows}


@pytest.mark.skipif(shutil.which("lmplz") is None, reason="lmplz of KenLM is not installed")
@pytest.mark.parametrize(
    ("order", "prune"), [(2, (0,)), (2, (0, 1)), (3, (0,)), (3, (0, 0, 1)), (3, (0, 1, 2)), (5, (0,))]
)
def test_lmplz(tmp_path, order, prune):
    random = np.random.default_rng(1)
    names = [f"w{chr(97 + n % 26)}{chr(97 + n // 26)}" for n in range(300)]
    chain = random.zipf(1.4, size=(4000, 8)) % 300
    corpus = [[names[(a * b) % 300] for a, b in itertools.pairwise(row)] for row in chain.tolist()]
    ours = entries(train_on(tmp_path, corpus, order, prune))
    lines = "\n".join(map(" ".join, corpus)) + "\n"
    done = subprocess.run(
        [
            "lmplz",
            "-o",
            str(order),
            "-S",
            "100M",
            "-T",
            str(tmp_path),
            "--discount_fallback",
            "--prune",
            *map(str, prune),
        ],
        input=lines.encode(),
        capture_output=True,
        check=True,
    )
    (tmp_path / "theirs.arpa").write_bytes(done.stdout)
    theirs = entries(tmp_path / "theirs.arpa")
    assert ours.keys() == theirs.keys()
    # <s> is never predicted: its probability says nothing.
    ours["<s>"][0] = theirs["<s>"][0] = 0.0
    for gram, values in theirs.items():
        padded = [*values, 0.0][:2]
        assert [*ours[gram], 0.0][:2] == pytest.approx(padded, abs=5e-5), gram

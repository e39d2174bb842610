"""Priors of words, against counting and adding up one word at a time."""

from __future__ import annotations

import math
import pickle
import statistics
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.base.errors import ConfigError, InputError
from thresher.cleaners.cleaner import parse_cleaner
from thresher.cleaners.scorer import TrainingData
from thresher.cleaners.scorers.prior import Prior
from thresher.cleaners.words.books import read_words
from thresher.pages import read_html, read_text_page

COUNTS = read_words()
TOTAL = sum(COUNTS.values())


def probability(word: str) -> float:
    return COUNTS.get(word, 0) / TOTAL + 1e-6


def words_of(sentence: str) -> list[str]:
    return "".join(one if one.isalnum() or one == "'" else " " for one in sentence.lower()).split()


def test_by_hand():
    segments = read_html("<p>The rain, the rain! Qxqx.<p>—<p>the")
    the, rain = probability("the"), probability("rain")
    assert Prior().score(segments).tolist() == pytest.approx(
        [(math.log10(the) + math.log10(rain)) / 2, -6, -math.inf, math.log10(the)], abs=1e-6
    )
    assert Prior().score(read_html("")).tolist() == []


WORD = st.sampled_from(["the", "of", "rain", "Oslo", "don't", "qxqx", "2013", "—"])
SENTENCE = st.lists(WORD, min_size=1, max_size=9).map(" ".join)


@given(st.lists(SENTENCE, max_size=5), st.sampled_from([0, 0.5, 0.7]), st.sampled_from([0, 3]))
def test_against_weighted_words(sentences, context, unseen):
    segments = read_text_page("\n".join(sentences))
    assert segments.sentences == sentences
    means = []
    for at in range(len(sentences)):
        values, weights = [1e-6], [unseen]
        for other, sentence in enumerate(sentences):
            for word in words_of(sentence):
                values.append(probability(word))
                weights.append(context ** abs(at - other))
        means.append(float(np.average(np.log10(values), weights=weights)) if sum(weights) else -math.inf)
    assert Prior(context=context, unseen=unseen).score(segments).tolist() == pytest.approx(means, abs=1e-5)


def test_real_pages(shared_data):
    for path in sorted((shared_data / "cleaning" / "cleaneval-dev" / "input").iterdir())[::10]:
        segments = read_html(path.read_bytes())
        for sentence, mean in zip(segments.sentences, Prior().score(segments).tolist(), strict=True):
            if sentence.isascii():
                values = [*map(probability, words_of(sentence))]
                assert mean == pytest.approx(statistics.mean(map(math.log10, values)) if values else -math.inf)


PAGES = [[f"Chapter {page} of part {part} tells how river {page} runs." for part in range(5)] for page in range(30)]


def test_counts_of_the_collection(tmp_path):
    (scorer,) = parse_cleaner("prior( counts = self )@-2").scorers
    assert (scorer.canonical_name, scorer.learns, scorer.language) == ("prior(counts=self)", True, "")
    trained = scorer.for_collection(TrainingData(lambda: PAGES, "en", 1), tmp_path)
    assert (trained.canonical_name, trained.fingerprint) == (scorer.canonical_name, scorer.fingerprint)
    counts = Counter(word for page in PAGES for sentence in page for word in words_of(sentence))
    (path,) = tmp_path.iterdir()
    assert path.read_text().splitlines() == [f"{word}\t{count}" for word, count in sorted(counts.items())]

    def never() -> list[list[str]]:
        raise AssertionError("the counts are there")

    scorer.for_collection(TrainingData(never, "en", 1), tmp_path)
    # Workers get it by pickle.
    trained = pickle.loads(pickle.dumps(trained))
    trained.prepare()
    of = {word: count / counts.total() + 1e-6 for word, count in counts.items()}
    segments = read_html("<p>Chapter 7 runs.<p>unheard")
    known = [of["chapter"], of["7"], of["runs"]]
    assert trained.score(segments).tolist() == pytest.approx([statistics.mean(map(math.log10, known)), -6])


def test_scripts_without_spaces(tmp_path):
    pages = [["我们在河边走了一个下午。"] for _ in range(100)]
    scorer = Prior(counts="self").for_collection(TrainingData(lambda: pages, "en", 1), tmp_path)
    segments = read_html("<p>河边下午<p>丂")
    assert scorer.score(segments).tolist() == pytest.approx([math.log10(1 / 11 + 1e-6), -6])
    assert scorer.knows("Chinese")
    assert not Prior().knows("Chinese")
    assert Prior().knows("English")


def test_too_little_text(tmp_path):
    with pytest.raises(InputError) as caught:
        Prior(counts="self").for_collection(TrainingData(lambda: PAGES[:3], "en", 1), tmp_path)
    assert str(caught.value) == (
        "prior(counts=self): too little descriptive text to count: 150 words, and 1000 are needed. "
        "Fix: give a larger collection, or the counts of books."
    )
    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize("call", [Prior.prepare, lambda scorer: scorer.score(read_html("<p>A word."))])
def test_counts_of_the_collection_need_one(call):
    with pytest.raises(ConfigError) as caught:
        call(Prior(counts="self"))
    assert str(caught.value) == (
        "prior(counts=self): the counts of 'self' are those of a collection, and there is none. "
        "Fix: clean a collection, or choose counts=books."
    )


def test_names():
    assert parse_cleaner("prior@-3.5").name == "prior(counts=books)@-3.5"
    assert parse_cleaner("prior(context=0.7,unseen=32)@-2").name == "prior(counts=books,context=0.7,unseen=32)@-2"

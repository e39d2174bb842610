"""Labels against difflib, areas against all pairs and scipy's U, intervals against resampled pages."""

from __future__ import annotations

import difflib
import math
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import mannwhitneyu
from small_models import write_arpa
from thresher.cleaneval.separation import (
    Area,
    Floats,
    LabelledPage,
    PooledCutoff,
    aligned_labels,
    area,
    goodness,
    pooled_cutoff,
    rough_labels,
    separation,
)

from thresher.pages import read_html
from thresher.scorers.perplexity import Perplexity
from thresher.scorers.shallow_features import Density, Words

# Score, is it content, words: few scores, so that many are equal.
SENTENCE = st.tuples(st.sampled_from([-math.inf, -2.5, 0.0, 1.0, 1e30]), st.booleans(), st.integers(1, 9))
PAGES = st.lists(st.lists(SENTENCE, max_size=6), min_size=1, max_size=5)
Sentence = tuple[float, bool, int]


def labelled(page: list[Sentence]) -> LabelledPage:
    return LabelledPage(
        np.array([content for _, content, _ in page], dtype=np.bool_),
        np.array([words for *_, words in page], dtype=np.int64),
    )


def scores_of(page: list[Sentence]) -> Floats:
    return np.array([score for score, *_ in page], dtype=np.float64)


def all_pairs(sentences: list[Sentence], by_words: bool) -> float:
    won = possible = 0.0
    for (good, is_content, ours), (bad, is_other, theirs) in product(sentences, sentences):
        if is_content and not is_other:
            weight = ours * theirs if by_words else 1
            possible += weight
            won += weight * (1.0 if good > bad else 0.5 if good == bad else 0.0)
    return won / possible if possible else math.nan


def all_cutoffs(sentences: list[Sentence]) -> float:
    """The best F1 of words."""
    result = []
    for cutoff, *_ in sentences:
        kept = sum(words for score, _, words in sentences if score >= cutoff)
        right = sum(words for score, content, words in sentences if score >= cutoff and content)
        result.append(2 * right / (kept + sum(words for _, content, words in sentences if content)))
    return max(result)


@given(st.lists(SENTENCE, max_size=12))
def test_area_is_the_share_of_pairs_in_order(page: list[Sentence]) -> None:
    labels, scores = labelled(page), scores_of(page)
    assert area(scores, labels.content) == pytest.approx(all_pairs(page, False), nan_ok=True)


@given(st.lists(st.integers(0, 9), min_size=1, max_size=30), st.lists(st.integers(0, 9), min_size=1, max_size=30))
def test_area_is_mann_and_whitneys_u(content: list[int], others: list[int]) -> None:
    u = mannwhitneyu(content, others, method="asymptotic").statistic if len({*content, *others}) > 1 else None
    expected = 0.5 if u is None else u / (len(content) * len(others))
    labels = np.arange(len(content) + len(others)) < len(content)
    assert area(np.array([*content, *others], dtype=np.float64), labels) == pytest.approx(expected, rel=1e-12)


@given(PAGES)
def test_pages_are_pooled_and_averaged(pages: list[list[Sentence]]) -> None:
    result = separation([*map(labelled, pages)], [*map(scores_of, pages)], resamples=0)
    together = [sentence for page in pages for sentence in page]
    assert result.sentences.value == pytest.approx(all_pairs(together, False), nan_ok=True)
    assert result.words.value == pytest.approx(all_pairs(together, True), nan_ok=True)
    within = [value for page in pages if not math.isnan(value := all_pairs(page, False))]
    assert result.pages == len(within)
    assert result.page_mean == pytest.approx(sum(within) / len(within) if within else math.nan, nan_ok=True)


@given(PAGES)
def test_the_pooled_cutoff_is_the_best_of_all(pages: list[list[Sentence]]) -> None:
    result = pooled_cutoff([*map(labelled, pages)], [*map(scores_of, pages)])
    together = [sentence for page in pages for sentence in page]
    if not any(content for _, content, _ in together):
        assert result is None
        return
    assert result is not None
    assert result.f1 == pytest.approx(all_cutoffs(together))
    kept = sum(words for score, _, words in together if score >= result.cutoff)
    right = sum(words for score, content, words in together if score >= result.cutoff and content)
    assert result.f1 == pytest.approx(2 * right / (kept + sum(words for _, content, words in together if content)))


def test_a_case_worked_by_hand() -> None:
    pages = [
        LabelledPage(np.array([True, False, True]), np.array([4, 2, 1])),
        LabelledPage(np.array([False, True]), np.array([3, 5])),
        LabelledPage(np.array([True]), np.array([2])),
    ]
    scores = [np.array([3.0, 1.0, 0.0]), np.array([2.0, 2.0]), np.array([1.0])]
    result = separation(pages, scores)
    # Content 3, 0, 2, 1 against others 1, 2: 2 + 0 + 1.5 + 0.5 of 8.
    assert result.sentences.value == 4 / 8
    # With words: 4 (2 + 3) + 0 + 5 (2 + 1.5) + 2 (1 + 0) of 12 · 5.
    assert result.words.value == 39.5 / 60
    assert (result.page_mean, result.pages) == ((0.5 + 0.5) / 2, 2)
    # All are kept: 2 · 12 / (17 + 12); from 1 on a word of content is lost: 2 · 11 / (16 + 12).
    assert result.best == PooledCutoff(0.0, 24 / 29)


def test_intervals_are_percentiles_over_resampled_pages() -> None:
    random = np.random.default_rng(1)
    pages, scores = [], []
    for _ in range(8):
        content = random.random(6) < 0.5
        pages.append(LabelledPage(content, random.integers(1, 9, 6)))
        scores.append(np.round(random.normal(size=6) + content, 1))
    result = separation(pages, scores, resamples=200, seed=7)
    areas = {False: list[float](), True: list[float]()}
    for times in np.random.default_rng(7).multinomial(8, np.full(8, 1 / 8), size=200).tolist():
        chosen = [place for place, count in enumerate(times) for _ in range(count)]
        sentences = [
            sentence
            for place in chosen
            for sentence in zip(scores[place], pages[place].content, pages[place].words.tolist(), strict=True)
        ]
        for by_words in areas:
            areas[by_words].append(all_pairs(sentences, by_words))
    for measured, by_words in ((result.sentences, False), (result.words, True)):
        assert [measured.low, measured.high] == pytest.approx(np.quantile(areas[by_words], (0.025, 0.975)).tolist())
        assert measured.low < measured.value < measured.high
    assert separation(pages, scores, resamples=200, seed=7) == result


def test_what_is_not_defined_is_nan() -> None:
    nothing = separation([], [])
    only = separation([LabelledPage(np.array([True]), np.array([3]))], [np.array([1.0])])
    for result in (nothing, only):
        for measured in (result.sentences, result.words):
            assert all(map(math.isnan, (measured.value, measured.low, measured.high)))
        assert math.isnan(result.page_mean)
        assert result.pages == 0
    assert nothing.best is None
    assert only.best == PooledCutoff(1.0, 1.0)


def test_resamples_without_both_kinds_are_left_out() -> None:
    pages = [LabelledPage(np.array([True]), np.array([1])), LabelledPage(np.array([False]), np.array([1]))]
    assert separation(pages, [np.array([2.0]), np.array([1.0])]).sentences == Area(1.0, 1.0, 1.0)


@given(
    st.lists(st.lists(st.sampled_from("abc"), max_size=5), max_size=6), st.lists(st.sampled_from("abcd"), max_size=12)
)
def test_sentences_are_content_if_half_of_their_words_are_aligned(sentences: list[list[str]], gold: list[str]) -> None:
    words = [word for sentence in sentences for word in sentence]
    matched = [False] * len(words)
    for match in difflib.SequenceMatcher(None, words, gold, autojunk=False).get_matching_blocks():
        matched[match.a : match.a + match.size] = [True] * match.size
    result = aligned_labels([" ".join(sentence) for sentence in sentences], "\n".join(gold))
    place = 0
    for sentence, is_content in zip(sentences, result.tolist(), strict=True):
        inside = sum(matched[place : place + len(sentence)])
        place += len(sentence)
        assert is_content == (bool(sentence) and inside >= len(sentence) / 2)


def test_rough_labels() -> None:
    gold = "Wheat is\n  threshed  HERE. At home."
    sentences = ["wheat  IS threshed", "Home", "Home page", "", "here. at"]
    assert rough_labels(sentences, gold).tolist() == [True, True, False, False, True]
    # An alignment knows that only one of the two is in the text.
    assert rough_labels(["Home", "At home."], gold).tolist() == [True, True]
    assert aligned_labels(["Home", "At home."], gold).tolist() == [False, True]


def test_goodness_is_high_for_content_and_one_a_sentence(tmp_path: Path) -> None:
    segments = read_html("<p>A b a. B a.<p>B.")
    assert segments.sentences == ["A b a.", "B a.", "B."]
    assert goodness(Density(), segments).tolist() == [5, 5, 1]
    assert goodness(Words(), segments).tolist() == [5, 5, 1]
    perplexity = Perplexity(lm=str(write_arpa(tmp_path / "small.arpa")))
    assert goodness(perplexity, segments).tolist() == (-perplexity.score(segments)).tolist()

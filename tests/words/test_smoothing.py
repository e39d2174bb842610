"""Smoothed perplexities against the formula, term by term."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.cleaners.words.word_model import UNSEEN, smoothed_perplexities, with_neighbours

SENTENCES = st.lists(st.tuples(st.floats(-90, -0.1), st.integers(1, 30)), max_size=12)
CONTEXTS = st.sampled_from([0.0, 0.25, 0.5, 0.9])


def brute_force(logs: list[float], counts: list[int], context: float, prior: float) -> list[float]:
    result = []
    for here in range(len(logs)):
        weights = [context ** abs(here - there) for there in range(len(logs))]  # 0 ** 0 is 1
        words = math.fsum(weight * count for weight, count in zip(weights, counts, strict=True)) + prior
        total = math.fsum(weight * log for weight, log in zip(weights, logs, strict=True)) - 6 * prior
        result.append(10 ** (-total / words))
    return result


@given(SENTENCES, CONTEXTS, st.sampled_from([0.0, 1.0, 32.0]))
def test_smoothing_is_the_formula(sentences: list[tuple[float, int]], context: float, prior: float) -> None:
    logs, counts = [log for log, _ in sentences], [count for _, count in sentences]
    result = smoothed_perplexities(np.array(logs), np.array(counts), context, prior)
    assert result.tolist() == pytest.approx(brute_force(logs, counts, context, prior), rel=1e-9)


def test_a_case_worked_by_hand() -> None:
    logs, counts = np.array([-4.0, -6.0, 0.0]), np.array([2, 2, 0])
    assert smoothed_perplexities(logs, counts).tolist() == [1e2, 1e3, math.inf]
    # (-4 - 3) / (2 + 1), (-2 - 6) / (1 + 2), (-1 - 3) / (0.5 + 1)
    expected = [10 ** (7 / 3), 10 ** (8 / 3), 10 ** (8 / 3)]
    assert smoothed_perplexities(logs, counts, context=0.5).tolist() == pytest.approx(expected, rel=1e-12)
    # (-4 - 12) / (2 + 2), (-6 - 12) / (2 + 2), -12 / 2
    assert smoothed_perplexities(logs, counts, prior=2).tolist() == pytest.approx([1e4, 10**4.5, 1e6], rel=1e-12)


def test_without_words_perplexity_is_infinite_unless_there_is_a_prior() -> None:
    none = np.zeros(2), np.zeros(2, dtype=np.int64)
    assert smoothed_perplexities(*none, context=0.5).tolist() == [math.inf, math.inf]
    assert smoothed_perplexities(*none, context=0.5, prior=8).tolist() == pytest.approx([1e6, 1e6])
    assert smoothed_perplexities(np.empty(0), np.empty(0), 0.5, 8).shape == (0,)


def test_what_is_beyond_all_numbers_is_infinite() -> None:
    assert smoothed_perplexities(np.array([-400.0]), np.array([1])).tolist() == [math.inf]


@given(SENTENCES.filter(bool), st.sampled_from([1.0, 32.0, 1e9]))
def test_a_prior_draws_towards_the_perplexity_of_unseen_words(sentences: list[tuple[float, int]], prior: float) -> None:
    logs, counts = np.array([log for log, _ in sentences]), np.array([count for _, count in sentences])
    without = np.log10(smoothed_perplexities(logs, counts))
    smoothed = np.log10(smoothed_perplexities(logs, counts, prior=prior))
    share = prior / (prior + counts)
    assert smoothed == pytest.approx(share * -UNSEEN + (1 - share) * without, rel=1e-9)


@given(st.lists(st.floats(-1e3, 1e3), max_size=20), CONTEXTS)
def test_neighbours_count_alike_on_both_sides(values: list[float], context: float) -> None:
    forth, back = with_neighbours(np.array(values), context), with_neighbours(np.array(values[::-1]), context)
    assert forth.tolist() == pytest.approx(back[::-1].tolist(), abs=1e-9)


def test_the_sentences_own_values_stay_as_they_are() -> None:
    values = np.array([1.0, 2.0])
    with_neighbours(values, 0.0)[0] = 9.0
    assert values.tolist() == [1.0, 2.0]

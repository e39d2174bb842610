from __future__ import annotations

import itertools

import numpy as np
import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from thresher.indexes.searching import strictly_decreasing

SCORES = st.lists(st.floats(min_value=-1e7, max_value=1e7), max_size=60)
TIED = st.lists(st.sampled_from([0.0, 1e-7, 0.5, 7.9999, 8.0, 8.0001, 15.9999, 16.0, 31.25, -0.5, -31.25]), max_size=60)


def _as_read(scores: list[float]) -> list[np.float32]:
    return [np.float32(f"{score:.6f}") for score in scores]


@given(SCORES | TIED)
def test_order_survives_print_and_32_bits(scores: list[float]) -> None:
    read = _as_read(strictly_decreasing(sorted(scores, reverse=True)))
    assert len(read) == len(scores)
    assert all(before > after for before, after in itertools.pairwise(read))


@given(SCORES)
def test_a_second_time_changes_nothing(scores: list[float]) -> None:
    once = strictly_decreasing(sorted(scores, reverse=True))
    assert [round(score, 6) for score in once] == once


@given(st.lists(st.integers(min_value=-4_000_000, max_value=4_000_000), unique=True, max_size=60))
def test_untied_scores_of_four_decimals_stay(units: list[int]) -> None:
    scores = [unit / 1e4 for unit in sorted(units, reverse=True)]
    assert strictly_decreasing(scores) == scores


def test_ties_are_lowered_one_by_one() -> None:
    assert strictly_decreasing([0.5, 0.5, 0.5, 0.4]) == [0.5, 0.499999, 0.499998, 0.4]
    assert strictly_decreasing([20.0, 20.0, 20.0]) == [20.0, 19.999998, 19.999996]
    assert strictly_decreasing([0.0, 0.0]) == [0.0, -0.000001]
    assert strictly_decreasing([]) == []


def test_a_tie_never_overtakes_the_next_score() -> None:
    assert strictly_decreasing([1.0] * 3 + [0.999999]) == [1.0, 0.999999, 0.999998, 0.999997]


def test_steps_of_a_millionth_would_not_survive() -> None:
    scores = [20.0 - 1e-6 * rank for rank in range(50)]
    assert len(set(_as_read(scores))) < 50


@pytest.mark.parametrize("score", [0.25, 5.0, 20.0, 31.9999, -25.0, 900.5])
def test_trec_eval_ranks_ties_as_we_do(score: float) -> None:
    ids = [f"d{number:04d}" for number in range(1000)]
    lowered = [float(f"{value:.6f}") for value in strictly_decreasing([score] * 1000)]
    run = {"1": dict(zip(ids, lowered, strict=True))}
    for rank in (0, 1, 499, 998, 999):
        evaluator = pytrec_eval.RelevanceEvaluator({"1": {ids[rank]: 1}}, {"recip_rank"})
        assert evaluator.evaluate(run)["1"]["recip_rank"] == pytest.approx(1 / (rank + 1), rel=1e-12)

"""Choosing a cutoff by the mean over some topics, and what that choice is worth on others."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.evaluation.rules import HeldOutChoice, best_variant, choose

INFINITY = float("inf")
# Hundredths: differences are far above the tolerance or none.
MEANS = st.lists(st.tuples(*[st.integers(0, 100).map(lambda value: value / 100)] * 2, st.integers(1, 3)), min_size=1)


@pytest.mark.parametrize(
    ("means", "sizes", "place"),
    [
        ([0.5], [9], 0),
        ([0.1, 0.5, 0.4], [1, 9, 1], 1),
        ([0.5, 0.5, 0.5], [9, 3, 5], 1),
        ([0.5, 0.5, 0.5], [3, 3, 3], 0),
        # Sums of the same values in another order may differ in their last bits.
        ([0.1 + 0.2 + 0.3, 0.3 + 0.2 + 0.1], [9, 3], 1),
        ([0.5, 0.5 - 1e-8], [9, 3], 0),
        ([-INFINITY, 0.0], [1, 9], 1),
        ([-INFINITY, -INFINITY], [9, 1], 1),
    ],
)
def test_the_best_and_of_equals_the_smallest(means: list[float], sizes: list[int], place: int) -> None:
    assert best_variant(means, sizes) == place


def test_optimism_is_what_the_best_there_would_have_promised_beyond_the_chosen() -> None:
    assert choose([0.3, 0.5, 0.4], [0.6, 0.25, 0.5], [3, 2, 1]) == HeldOutChoice(1, 0, 0.6 - 0.25)
    assert choose([0.3, 0.5, 0.4], [0.2, 0.25, 0.25], [3, 2, 1]) == HeldOutChoice(1, 1, 0.0)
    assert choose([0.3, 0.5], [0.25 + 1e-12, 0.25], [1, 2]) == HeldOutChoice(1, 1, 0.0)
    assert choose([0.3, 0.5], [-INFINITY, -INFINITY], [1, 2]) == HeldOutChoice(1, 1, 0.0)


@given(MEANS)
def test_the_choice_is_that_of_sorting(candidates: list[tuple[float, float, int]]) -> None:
    training, held_out, sizes = zip(*candidates, strict=True)
    result = choose(training, held_out, sizes)
    places = range(len(candidates))
    assert result.chosen == min(places, key=lambda place: (-training[place], sizes[place], place))
    assert result.best == min(places, key=lambda place: (-held_out[place], place != result.chosen, sizes[place], place))
    assert result.optimism == max(held_out) - held_out[result.chosen]
    assert choose(training, training, sizes).optimism == 0

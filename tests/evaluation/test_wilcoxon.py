import itertools
import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from thresher.evaluation.significance import EXACT_LIMIT, SignedRanks, signed_ranks


def enumerated_p(differences: list[float]) -> float:
    """Try every assignment of signs to the ranks of the differences that are not zero."""
    left = [value for value in differences if value != 0]
    ranks = scipy.stats.rankdata(np.abs(left))
    observed = sum(rank for rank, value in zip(ranks, left, strict=True) if value > 0)
    sums = [
        sum(rank for rank, sign in zip(ranks, signs, strict=True) if sign)
        for signs in itertools.product((False, True), repeat=len(left))
    ]
    below = sum(value <= observed for value in sums) / len(sums)
    above = sum(value >= observed for value in sums) / len(sums)
    return min(1.0, 2 * min(below, above))


# Multiples of 1/8 are exact, so ties are ties and zeros are zeros.
EIGHTHS = st.integers(-8, 8).map(lambda value: value / 8)


@given(st.lists(EIGHTHS, min_size=1, max_size=9))
def test_exact_distribution_with_zeros_and_ties(differences):
    assert signed_ranks(differences).p == pytest.approx(enumerated_p(differences), rel=1e-12)


@pytest.mark.parametrize("n", [1, 5, 6, 12, 25, 50])
def test_same_as_scipys_exact_test_without_ties(n):
    differences = np.random.default_rng(n).normal(0.3, 1.0, n)
    result = signed_ranks(differences)
    assert result.p == pytest.approx(scipy.stats.wilcoxon(differences, method="exact").pvalue, rel=1e-10)


@pytest.mark.parametrize("n", [8, 11])
def test_same_as_scipys_permutation_test_with_ties(n):
    differences = np.random.default_rng(n).integers(-3, 5, n) / 8
    differences = differences[differences != 0]
    method = scipy.stats.PermutationMethod(n_resamples=2**n)
    expected = scipy.stats.wilcoxon(differences, method=method).pvalue
    assert signed_ranks(differences).p == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("n", [EXACT_LIMIT + 1, 2000])
def test_same_as_scipys_approximation_beyond_the_limit(n):
    differences = np.random.default_rng(n).integers(-9, 11, n * 2) / 8
    differences = differences[differences != 0][:n]
    result = signed_ranks(differences)
    expected = scipy.stats.wilcoxon(differences, method="asymptotic", correction=False).pvalue
    assert result.p == pytest.approx(expected, rel=1e-9)


def test_exact_and_approximate_meet_at_the_limit():
    differences = np.random.default_rng(0).normal(0.1, 1.0, EXACT_LIMIT)
    exact = signed_ranks(differences).p
    approximate = scipy.stats.wilcoxon(differences, method="asymptotic").pvalue
    assert exact == pytest.approx(approximate, rel=0.02)


def test_by_hand():
    # Sizes 1, 2, 3, 4 with the second negative: positive ranks 1 + 3 + 4 = 8, negative 2.
    # P(T >= 8) = |{10}, {9}, {8}| = (1 + 1 + 1) / 16; two-sided 6/16. Effect (8 - 2) / 10.
    assert signed_ranks([1.0, -2.0, 3.0, 4.0, 0.0]) == SignedRanks(wins=3, ties=1, losses=1, p=0.375, effect=0.6)


def test_nothing_differs():
    assert signed_ranks([0.0, 5e-10, -9e-10]) == SignedRanks(0, 3, 0, 1.0, 0.0)
    assert signed_ranks([]) == SignedRanks(0, 0, 0, 1.0, 0.0)


def test_noise_of_floating_point_makes_neither_differences_nor_ranks():
    # In doubles 0.3 - 0.2 < 0.1 < 0.8 - 0.7: three sizes for what is one.
    noisy = [0.3 - 0.2, 0.1, -(0.8 - 0.7), (0.1 + 0.2) - 0.3]
    assert len({abs(value) for value in noisy}) == 4
    assert signed_ranks(noisy) == signed_ranks([1.0, 1.0, -1.0, 0.0])


def test_all_on_one_side_has_the_smallest_p():
    for n in (1, 5, 6, 20, 100):
        result = signed_ranks([0.1] * n)
        assert result.p == 2.0 ** (1 - n)
        assert result.effect == 1.0


def test_p_never_reaches_zero():
    result = signed_ranks(np.arange(1.0, 20_001.0))
    assert 0 < result.p < 1e-300
    assert math.isfinite(result.p)


@given(st.lists(EIGHTHS | st.floats(-1, 1), min_size=1, max_size=60))
def test_properties(differences):
    result = signed_ranks(differences)
    mirrored = signed_ranks([-value for value in differences])
    assert 0 < result.p <= 1
    assert -1 <= result.effect <= 1
    assert result.wins + result.ties + result.losses == len(differences)
    assert (mirrored.wins, mirrored.losses) == (result.losses, result.wins)
    assert mirrored.p == pytest.approx(result.p, rel=1e-9)
    assert mirrored.effect == pytest.approx(-result.effect, abs=1e-12)
    shuffled = signed_ranks(differences[::-1])
    assert (shuffled.p, shuffled.effect) == (pytest.approx(result.p, rel=1e-12), pytest.approx(result.effect))

"""Random writers: exact distributions come back, and fits are those of SciPy and of a fine grid."""

import numpy as np
import pytest
from scipy.optimize import curve_fit
from scipy.stats import beta, geom, norm

from random_writers import (
    density_shares,
    fit_one_state,
    fit_three_parts,
    fit_two_states,
    one_state,
    three_parts,
    two_states,
    word_shares,
)

WORDS = np.arange(1.0, 400)
PAPER = np.array([0.7586, 0.3968, 0.04369])


def test_the_distributions_are_geometric_from_one_on():
    assert one_state(np.array([0.3145]), WORDS) == pytest.approx(geom.pmf(WORDS, 0.3145))
    mixed = 0.7586 * geom.pmf(WORDS, 0.3968) + (1 - 0.7586) * geom.pmf(WORDS, 0.04369)
    assert two_states(PAPER, WORDS) == pytest.approx(mixed)
    assert mixed[0] == pytest.approx(0.7586 * 0.3968 + 0.2414 * 0.04369)


def test_shares_leave_out_blocks_without_words():
    assert word_shares(np.array([0, 1, 1, 3, 0])).tolist() == [2 / 3, 0, 1 / 3]
    assert word_shares(np.zeros(3)).tolist() == []


def test_the_papers_parameters_come_back():
    fit = fit_two_states(two_states(PAPER, WORDS))
    assert fit.parameters == pytest.approx(PAPER, abs=1e-5)
    assert (fit.r2, fit.rmse) == (pytest.approx(1), pytest.approx(0, abs=1e-7))
    assert fit_one_state(one_state(np.array([0.3145]), WORDS)).parameters == pytest.approx((0.3145,))


@pytest.mark.parametrize("seed", range(3))
def test_fits_to_drawn_blocks(seed):
    draw = np.random.default_rng(seed)
    short = draw.random(5000) < 0.7
    shares = word_shares(np.where(short, draw.geometric(0.4, 5000), draw.geometric(0.05, 5000)))
    words = np.arange(1.0, len(shares) + 1)
    grid = np.linspace(0.001, 0.999, 9981)
    errors = [((one_state(np.array([p]), words) - shares) ** 2).sum() for p in grid]
    one = fit_one_state(shares)
    assert one.parameters[0] == pytest.approx(grid[int(np.argmin(errors))], abs=2e-4)
    theirs, _ = curve_fit(lambda x, *own: two_states(np.array(own), x), words, shares, p0=(0.7, 0.4, 0.05))
    two = fit_two_states(shares)
    assert two.parameters == pytest.approx(theirs, abs=1e-4)
    # Adjusted by the degrees of freedom, as curve fitting has it.
    for fit, model, count in ((one, one_state, 1), (two, two_states, 3)):
        squares = ((model(np.array(fit.parameters), words) - shares) ** 2).sum()
        free = len(words) - count
        assert fit.rmse == pytest.approx(np.sqrt(squares / free))
        assert fit.r2 == pytest.approx(1 - (squares / free) / shares.var(ddof=1))


def test_densities_are_two_beta_distributions_and_a_normal_one():
    densities = np.arange(24.0)
    parameters = np.array([0.35, 0.12, 8.0, 0.5, 0.7, 30.0, 0.15, 0.35, 0.12])
    x = (densities + 0.5) / 24
    plain = 0.35 * beta.pdf(x, 0.96, 7.04) + 0.5 * beta.pdf(x, 21.0, 9.0) + 0.15 * norm.pdf(x, 0.35, 0.12)
    assert three_parts(parameters, densities) * 24 == pytest.approx(plain)
    fit = fit_three_parts(three_parts(parameters, densities))
    assert fit.parameters == pytest.approx(parameters, abs=1e-2, rel=1e-2)
    assert (fit.r2, fit.rmse) == (pytest.approx(1), pytest.approx(0, abs=1e-6))


def test_densities_are_weighted_by_words():
    assert density_shares(np.array([0, 2.4, 1.6, 0.2, 9]), np.array([1, 5, 2, 2, 0])).tolist() == [0.3, 0, 0.7]


def test_too_few_numbers_have_no_goodness_of_fit():
    assert np.isnan(fit_two_states(np.array([0.5, 0.25, 0.25])).r2)
    assert np.isnan(fit_one_state(np.array([1.0])).r2)

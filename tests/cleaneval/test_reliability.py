"""The model of precision against SciPy's regression on one predictor and the normal equations."""

from __future__ import annotations

import math
import random
from statistics import median_high

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from thresher.cleaneval.reliability import (
    SHORT,
    PageStatistics,
    ReliablePages,
    cross_validated,
    fit,
    measure_reliability,
    page_statistics,
    reliable_pages,
)

from thresher.errors import InputError

SHARES = st.floats(0, 1).map(lambda value: round(value, 4))
PAGES = st.lists(
    st.tuples(st.integers(1, 500), st.floats(1, 80).map(lambda value: round(value, 3)), SHARES, SHARES),
    min_size=6,
    max_size=40,
)


def sample(count: int, seed: int = 1) -> tuple[list[PageStatistics], list[float]]:
    generator = random.Random(seed)
    pages, precisions = [], []
    for _ in range(count):
        page = PageStatistics(generator.randint(1, 200), generator.uniform(2, 60), generator.random())
        precision = 0.3 + 0.1 * math.log(page.length) - 0.2 * page.short + generator.gauss(0, 0.1)
        pages.append(page)
        precisions.append(min(1.0, max(0.0, precision)))
    return pages, precisions


def rows(pages: list[PageStatistics]) -> np.ndarray:
    return np.array([[1, math.log(1 + page.segments), math.log(1 + page.length), page.short] for page in pages])


def test_statistics_of_an_example() -> None:
    # 2, 15 and 3 words; a line without words is no segment.
    page = page_statistics(["two words", " ".join(["word"] * SHORT), "", "and three  more "])
    assert page == PageStatistics(3, 20 / 3, 5 / 20)
    assert page_statistics(["", " "]) is page_statistics([]) is None


@given(st.lists(st.integers(1, 40), min_size=1, max_size=20))
def test_statistics_count_words(lengths: list[int]) -> None:
    page = page_statistics([" ".join("w" * length) for length in lengths])
    assert page is not None
    assert page.segments == len(lengths)
    assert page.length * page.segments == pytest.approx(sum(lengths))
    assert page.short * sum(lengths) == pytest.approx(sum(length for length in lengths if length < SHORT))


def test_it_solves_the_normal_equations() -> None:
    pages, precisions = sample(50)
    x, y = rows(pages), np.array(precisions)
    inverse = np.linalg.inv(x.T @ x)
    b = inverse @ x.T @ y
    residuals = y - x @ b
    variance = residuals @ residuals / (50 - 4)
    model = fit(pages, precisions)
    assert model.coefficients == pytest.approx(list(b))
    assert model.residual_error == pytest.approx(math.sqrt(variance))
    squares = ((y - y.mean()) ** 2).sum()
    assert model.r_squared == pytest.approx(1 - residuals @ residuals / squares)
    fitted = x @ b
    assert [model.predict(page) for page in pages] == pytest.approx(list(np.clip(fitted, 0, 1)))
    assert model.predict(PageStatistics(1, 1e9, 0)) == 1
    assert model.predict(PageStatistics(1, 0, 50)) == 0


@given(st.lists(st.tuples(SHARES, SHARES), min_size=6, max_size=40))
def test_one_predictor_is_scipys(points: list[tuple[float, float]]) -> None:
    shares = [share for share, _ in points]
    pages, precisions = [PageStatistics(5, 20.0, share) for share in shares], [value for _, value in points]
    model = fit(pages, precisions)
    assert model.coefficients[1:3] == (0, 0)
    # SciPy's slope is NaN where nothing varies.
    if max(shares) - min(shares) < 1e-3 or len(set(precisions)) == 1:
        return
    expected = stats.linregress(shares, precisions)
    intercept, slope = model.coefficients[0], model.coefficients[3]
    assert slope == pytest.approx(expected.slope, abs=1e-8)
    assert intercept == pytest.approx(expected.intercept, abs=1e-8)
    # The standard error of the slope is the residual one over the root of the squares of the predictor.
    scale = math.sqrt(sum((share - np.mean(shares)) ** 2 for share in shares))
    assert model.residual_error / scale == pytest.approx(expected.stderr, abs=1e-8)
    if expected.stderr > 1e-6:
        assert model.r_squared == pytest.approx(expected.rvalue**2, abs=1e-8)


@given(PAGES)
def test_no_other_coefficients_have_smaller_squares(result: list[tuple[int, float, float, float]]) -> None:
    pages = [PageStatistics(count, length, short) for count, length, short, _ in result]
    y = np.array([precision for *_, precision in result])
    model = fit(pages, y.tolist())
    x = rows(pages)
    b = np.array(model.coefficients)
    least = float(((y - x @ b) ** 2).sum())
    assert least <= float(((y - y.mean()) ** 2).sum()) + 1e-9
    for column in range(4):
        for step in (-0.01, 0.01):
            other = b.copy()
            other[column] += step
            assert least <= float(((y - x @ other) ** 2).sum()) + 1e-9


def test_statistics_that_say_nothing() -> None:
    pages, precisions = sample(20)
    model = fit([PageStatistics(page.segments, page.length, 0.0) for page in pages], precisions)
    assert model.coefficients[3] == 0
    x, y = rows(pages)[:, :3], np.array(precisions)
    b = np.linalg.solve(x.T @ x, x.T @ y)
    assert model.coefficients[:3] == pytest.approx(list(b))
    assert model.residual_error == pytest.approx(math.sqrt(((y - x @ b) ** 2).sum() / 17))
    alike = fit([PageStatistics(5, 20.0, 0.5)] * 6, [0.7] * 6)
    assert alike.coefficients[0] == pytest.approx(0.7)
    assert alike.r_squared == 1
    assert alike.predict(PageStatistics(1, 1.0, 1.0)) == pytest.approx(0.7)


def test_a_page_is_predicted_by_a_model_that_never_saw_it() -> None:
    pages, precisions = sample(30)
    predicted = cross_validated(pages, precisions, folds=5, seed=3)
    assert cross_validated(pages, precisions, folds=5, seed=3) == predicted
    assert cross_validated(pages, precisions, folds=5, seed=4) != predicted
    for place in range(30):
        other = [*precisions]
        other[place] = 1 - other[place]
        # Its own precision changes its fold's predictions not at all, and all others.
        same = [a == b for a, b in zip(predicted, cross_validated(pages, other, folds=5, seed=3), strict=True)]
        assert same[place]
        assert sum(same) == 6
    for place, value in enumerate(cross_validated(pages, precisions, folds=99)):
        model = fit(pages[:place] + pages[place + 1 :], precisions[:place] + precisions[place + 1 :])
        assert value == model.predict(pages[place])


def test_selecting_pages() -> None:
    predictions, precisions = [0.9, 0.86, 0.5, 0.85999], [1.0, 0.6, 0.2, 0.9]
    assert reliable_pages(predictions, precisions, 0.86) == ReliablePages(0.86, 4, 2, 0.8, 0.675, 1, 2)
    none = reliable_pages(predictions, precisions, 0.95)
    assert (none.selected, none.low_selected, math.isnan(none.mean_precision_selected)) == (0, 0, True)
    selected = [reliable_pages(predictions, precisions, floor / 100).selected for floor in range(101)]
    assert selected == sorted(selected, reverse=True)
    assert (selected[0], selected[50], selected[51], selected[86], selected[90]) == (4, 4, 3, 2, 1)


def test_a_cleaners_pages() -> None:
    pages, precisions = sample(40)
    result = measure_reliability(
        [*pages[:20], None, *pages[20:], None], [*precisions[:20], 0, *precisions[20:], 1], 0.5
    )
    assert result.empty == 2
    assert result.precisions == tuple(precisions)
    assert result.model == fit(pages, precisions)
    assert result.predictions == cross_validated(pages, precisions)
    assert result.reliable == reliable_pages(result.predictions, precisions, 0.5)
    half = measure_reliability(pages, precisions).reliable
    assert half.selected == 20
    assert half.floor == median_high(result.predictions)
    assert measure_reliability(pages[:39], precisions[:39]).reliable.selected == 20


def test_too_few_pages() -> None:
    pages, precisions = sample(6)
    fit(pages, precisions)
    for call, count in (
        (lambda: fit(pages[:5], precisions[:5]), 5),
        (lambda: cross_validated(pages, precisions), 5),
        (lambda: cross_validated(pages, precisions, folds=2), 3),
        (lambda: measure_reliability([*pages[:3], *[None] * 9], [0.5] * 12), 3),
    ):
        with pytest.raises(InputError) as caught:
            call()
        assert str(caught.value) == (
            f"reliability: {count} pages with words are too few to predict precision. "
            "Fix: give at least 6, or fewer folds."
        )

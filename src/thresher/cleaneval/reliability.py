"""Which cleaned pages can be relied on: a page's precision, predicted from what its cleaned text looks like.

Source: Evert, StupidOS, WAC 2007, section 4.4: a linear model of the number of segments, their mean length and the share
of text in very short ones picks pages of high precision where no gold text tells them. The paper gives no form of the model.
Here number and length go in by their logarithms and `SHORT` is 15. Over eight cleaners and three gold standards of 58, 71 and
300 pages, the root mean square error of cross-validated predictions is 0.174 that way, 0.175 with the length as it is and
0.177 with both as they are; with a `SHORT` of 3, 5, 8, 10, 20 and 25 it is 0.184, 0.180, 0.177, 0.179, 0.172 and 0.172.
Precision's standard deviation there is 0.231.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr

from thresher.errors import InputError
from thresher.evaluation.wilcoxon import TOLERANCE

SHORT = 15
"""Segments of fewer words are very short."""
FOLDS = 10
HALF = 0.5
"""The share of pages that is chosen where no floor is given."""
LOW = 0.7
"""Pages of a precision below it are counted, as in the paper."""
PREDICTORS = ("ln(1 + segments)", "ln(1 + words a segment)", f"share of words in segments under {SHORT} words")
LEAST_PAGES = len(PREDICTORS) + 3
"""Pages that a model needs at least: two more than it has coefficients."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class PageStatistics:
    """A cleaned page: its segments with words, their mean length in words, the share of words in segments under `SHORT`."""

    segments: int
    length: float
    short: float


@dataclass(frozen=True)
class Coefficient:
    """A coefficient with its standard error, t and two-sided p.

    One that pages cannot tell, since its statistic is the same on all of them or follows from the others, is 0 with an
    infinite error, t = 0 and p = 1.
    """

    name: str
    value: float
    error: float
    t: float
    p: float


@dataclass(frozen=True)
class ReliabilityModel:
    """A linear model of precision: the intercept and one coefficient for each of `PREDICTORS`.

    `residual_error` is the residual standard error, in precision; R² is 1 where all pages have one precision.
    """

    coefficients: tuple[Coefficient, ...]
    residual_error: float
    r_squared: float
    adjusted_r_squared: float
    pages: int

    def predict(self, statistics: PageStatistics) -> float:
        """Return the precision to expect, in [0, 1]."""
        values = [coefficient.value for coefficient in self.coefficients]
        return min(1.0, max(0.0, float(_design([statistics])[0] @ values)))


@dataclass(frozen=True)
class ReliablePages:
    """What choosing pages by predicted precision is worth: how many of `pages` reach the floor, and the true precision.

    The mean of the chosen is NaN if there are none; `below_70_*` count pages with a true precision below 0.7.
    """

    floor: float
    pages: int
    chosen: int
    mean_precision_chosen: float
    mean_precision_all: float
    below_70_chosen: int
    below_70_all: int


@dataclass(frozen=True)
class Reliability:
    """The model of a cleaner's pages, and what its predictions are worth.

    `precisions` and `predictions` are of the pages with words, in order, each prediction by a model that never saw its page;
    `empty` pages had none and are left out.
    """

    model: ReliabilityModel
    precisions: tuple[float, ...]
    predictions: tuple[float, ...]
    reliable: ReliablePages
    empty: int


def measure_reliability(
    statistics: Sequence[PageStatistics | None],
    precisions: Sequence[float],
    floor: float | None = None,
    folds: int = FOLDS,
    seed: int = 0,
) -> Reliability:
    """Fit the model to a cleaner's pages, and choose pages by cross-validated predictions.

    Args:
        statistics: of the cleaned pages, None for those without words.
        precisions: their word precision, in the same order.
        floor: the predicted precision that a chosen page has at least; by default the half of the pages is chosen that has
            the highest.
        folds, seed: of the cross-validation.

    Raises:
        InputError: if there are too few pages with words, as `fit` and `cross_validated` say.
    """
    told = [(page, precision) for page, precision in zip(statistics, precisions, strict=True) if page]
    pages, true = [page for page, _ in told], [precision for _, precision in told]
    model = fit(pages, true)
    predictions = cross_validated(pages, true, folds, seed)
    reliable = reliable_pages(predictions, true, floor_of(predictions, HALF) if floor is None else floor)
    return Reliability(model, tuple(true), predictions, reliable, len(statistics) - len(told))


def page_statistics(texts: Sequence[str]) -> PageStatistics | None:
    """Return the statistics of a cleaned page, or None for one without words, whose precision is not defined.

    Args:
        texts: the page's segments; those without words do not count.
    """
    lengths = [words for text in texts if (words := len(text.split()))]
    total = sum(lengths)
    if not total:
        return None
    return PageStatistics(len(lengths), total / len(lengths), sum(words for words in lengths if words < SHORT) / total)


def fit(statistics: Sequence[PageStatistics], precisions: Sequence[float]) -> ReliabilityModel:
    """Fit the model by ordinary least squares.

    With X the statistics and an intercept, b = (XᵀX)⁻¹Xᵀy, s² = residuals²/(n - rank), errors √(s²·diag (XᵀX)⁻¹), and p by
    Student's t with n - rank degrees of freedom.

    Args:
        statistics: of the cleaned pages.
        precisions: their true word precision, in the same order.

    Raises:
        InputError: if there are fewer than 6 pages, two more than coefficients.
    """
    _check(len(statistics))
    design, y = _design(statistics), np.asarray(precisions, dtype=np.float64)
    told = _independent(design)
    x = design[:, told]
    found = np.linalg.lstsq(x, y, rcond=None)[0]
    squares = float(((y - x @ found) ** 2).sum())
    total = float(((y - y.mean()) ** 2).sum())
    df = len(y) - len(told)
    variance = squares / df
    inverse = np.linalg.pinv(x)
    errors = np.sqrt(variance * (inverse**2).sum(axis=1))  # (XᵀX)⁻¹ = X⁺X⁺ᵀ
    coefficients = [Coefficient(name, 0.0, math.inf, 0.0, 1.0) for name in ("intercept", *PREDICTORS)]
    for place, value, error in zip(told, found.tolist(), errors.tolist(), strict=True):
        t = value / error if error else math.copysign(math.inf, value) if value else 0.0
        p = min(1.0, 2 * float(stdtr(df, -abs(t))))
        coefficients[place] = Coefficient(coefficients[place].name, value, error, t, p)
    unexplained = squares / total if total > len(y) * TOLERANCE**2 else 0.0
    return ReliabilityModel(
        tuple(coefficients), math.sqrt(variance), 1 - unexplained, 1 - unexplained * (len(y) - 1) / df, len(y)
    )


def cross_validated(
    statistics: Sequence[PageStatistics], precisions: Sequence[float], folds: int = FOLDS, seed: int = 0
) -> tuple[float, ...]:
    """Return each page's precision as a model predicts it that was fitted to the other folds' pages.

    Args:
        statistics: of the cleaned pages.
        precisions: their true word precision, in the same order.
        folds: parts that the pages are divided into at random; at most as many as there are pages, at least 2.
        seed: of that division.

    Raises:
        InputError: if fewer than 6 pages are left to fit a model to.
    """
    count = len(statistics)
    fold_of_page = np.random.default_rng(seed).permutation(np.arange(count) % min(folds, max(count, 2))).tolist()
    predicted = [0.0] * count
    for fold in sorted(set(fold_of_page)):
        seen = [place for place, other in enumerate(fold_of_page) if other != fold]
        model = fit([statistics[place] for place in seen], [precisions[place] for place in seen])
        for place, other in enumerate(fold_of_page):
            if other == fold:
                predicted[place] = model.predict(statistics[place])
    return tuple(predicted)


def select(predictions: Sequence[float], floor: float) -> tuple[int, ...]:
    """Return the places of the pages whose predicted precision is at least `floor`."""
    return tuple(place for place, predicted in enumerate(predictions) if predicted >= floor)


def floor_of(predictions: Sequence[float], share: float) -> float:
    """Return the floor that at least this share of the pages reaches, in (0, 1]: more only where predictions are equal."""
    return sorted(predictions, reverse=True)[math.ceil(share * len(predictions)) - 1]


def reliable_pages(predictions: Sequence[float], precisions: Sequence[float], floor: float) -> ReliablePages:
    """Return what the pages that `select` chooses come to, next to all of at least one page."""
    chosen = [precisions[place] for place in select(predictions, floor)]
    return ReliablePages(
        floor,
        len(precisions),
        len(chosen),
        sum(chosen) / len(chosen) if chosen else math.nan,
        sum(precisions) / len(precisions),
        sum(precision < LOW for precision in chosen),
        sum(precision < LOW for precision in precisions),
    )


def _design(statistics: Sequence[PageStatistics]) -> Floats:
    rows = [(1.0, math.log1p(page.segments), math.log1p(page.length), page.short) for page in statistics]
    return np.array(rows, dtype=np.float64)


def _independent(design: Floats) -> list[int]:
    """Return the columns that do not follow from those before them. A cleaner may leave no very short segment at all."""
    told: list[int] = []
    for place in range(design.shape[1]):
        if np.linalg.matrix_rank(design[:, [*told, place]]) > len(told):
            told.append(place)
    return told


def _check(pages: int) -> None:
    if pages < LEAST_PAGES:
        raise InputError(
            f"{pages} pages with words are too few to predict precision",
            f"give at least {LEAST_PAGES}, or fewer folds",
            "reliability",
        )

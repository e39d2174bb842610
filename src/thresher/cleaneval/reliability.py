"""Which cleaned pages are reliable: a page's precision, predicted from its cleaned text alone.

Source: Evert, StupidOS, WAC 2007, section 4.4: a linear model of the number of segments, their mean length and the share
of text in very short ones selects pages of high precision where there is no gold text. The paper does not give the form of the
model. Here number and length enter by their logarithms and `SHORT` is 15. Over eight cleaners and three gold standards of 58,
71 and 300 pages, the root mean square error of cross-validated predictions is 0.174 that way, 0.175 with the length as it is
and 0.177 with both as they are; with a `SHORT` of 3, 5, 8, 10, 20 and 25 it is 0.184, 0.180, 0.177, 0.179, 0.172 and 0.172.
The standard deviation of precision there is 0.231.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, median_high

import numpy as np
from numpy.typing import NDArray

from thresher.errors import InputError
from thresher.evaluation.significance import TOLERANCE

SHORT = 15
"""Segments of fewer words are very short."""
FOLDS = 10
LOW = 0.7
"""Pages of lower precision are counted, as in the paper."""
LEAST_PAGES = 6
"""Fewest pages to fit a model to: two more than its coefficients."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class PageStatistics:
    """A cleaned page: its segments with words, their mean length in words, the share of words in segments under `SHORT`."""

    segments: int
    length: float
    short: float


@dataclass(frozen=True)
class ReliabilityModel:
    """A linear model of precision.

    Attributes:
        coefficients: of 1, ln(1 + segments), ln(1 + length) and short; 0 where a statistic is constant over the pages or
            follows from those before it.
        residual_error: the residual standard error, in precision.
        r_squared: the explained share of the variance; 1 where all pages have the same precision.
    """

    coefficients: tuple[float, ...]
    residual_error: float
    r_squared: float

    def predict(self, statistics: PageStatistics) -> float:
        """Return the predicted precision, in [0, 1]."""
        return min(1.0, max(0.0, float(_design([statistics])[0] @ self.coefficients)))


@dataclass(frozen=True)
class ReliablePages:
    """The pages whose predicted precision reaches the floor, next to all pages: number, mean true precision, and how many
    have a true precision below `LOW`. The mean is NaN if none is selected."""

    floor: float
    pages: int
    selected: int
    mean_precision_selected: float
    mean_precision_all: float
    low_selected: int
    low_all: int


@dataclass(frozen=True)
class Reliability:
    """The model of a cleaner's pages, and how good its predictions are.

    `precisions` and `predictions` cover the pages with words, in order, each prediction by a model fitted to other pages;
    `empty` pages have no words and are left out.
    """

    model: ReliabilityModel
    precisions: tuple[float, ...]
    predictions: tuple[float, ...]
    reliable: ReliablePages
    empty: int


def measure_reliability(
    statistics: Sequence[PageStatistics | None], precisions: Sequence[float], floor: float | None = None
) -> Reliability:
    """Fit the model to a cleaner's pages, and select pages by cross-validated predictions.

    Args:
        statistics: of the cleaned pages, None for those without words.
        precisions: their word precision, in the same order.
        floor: the least predicted precision of a selected page; by default the better half is selected.

    Raises:
        InputError: if there are too few pages with words, as `fit` and `cross_validated` say.
    """
    kept = [(page, precision) for page, precision in zip(statistics, precisions, strict=True) if page]
    pages, true = [page for page, _ in kept], [precision for _, precision in kept]
    model = fit(pages, true)
    predictions = cross_validated(pages, true, FOLDS, 0)
    reliable = reliable_pages(predictions, true, median_high(predictions) if floor is None else floor)
    return Reliability(model, tuple(true), predictions, reliable, len(statistics) - len(kept))


def page_statistics(texts: Sequence[str]) -> PageStatistics | None:
    """Return the statistics of a cleaned page, or None for one without words, whose precision is undefined.

    Args:
        texts: the page's segments; those without words do not count.
    """
    lengths = [words for text in texts if (words := len(text.split()))]
    total = sum(lengths)
    if not total:
        return None
    return PageStatistics(len(lengths), total / len(lengths), sum(words for words in lengths if words < SHORT) / total)


def fit(statistics: Sequence[PageStatistics], precisions: Sequence[float]) -> ReliabilityModel:
    """Fit the model by ordinary least squares; the residual standard error is √(residuals² / (n - rank)).

    Args:
        statistics: of the cleaned pages.
        precisions: their true word precision, in the same order.

    Raises:
        InputError: if there are fewer than `LEAST_PAGES` pages.
    """
    if len(statistics) < LEAST_PAGES:
        raise InputError(
            f"{len(statistics)} pages with words are too few to predict precision",
            f"give at least {LEAST_PAGES}, or fewer folds",
            "reliability",
        )
    design, y = _design(statistics), np.asarray(precisions, dtype=np.float64)
    columns = _independent(design)
    coefficients = np.zeros(design.shape[1])
    coefficients[columns] = np.linalg.lstsq(design[:, columns], y, rcond=None)[0]
    squares, total = (float((residuals**2).sum()) for residuals in (y - design @ coefficients, y - y.mean()))
    unexplained = squares / total if total > len(y) * TOLERANCE**2 else 0.0
    error = math.sqrt(squares / (len(y) - len(columns)))
    return ReliabilityModel(tuple(coefficients.tolist()), error, 1 - unexplained)


def cross_validated(
    statistics: Sequence[PageStatistics], precisions: Sequence[float], folds: int = FOLDS, seed: int = 0
) -> tuple[float, ...]:
    """Return each page's predicted precision, by a model that was fitted to the pages of the other folds.

    Args:
        statistics: of the cleaned pages.
        precisions: their true word precision, in the same order.
        folds: random parts of the pages; at most as many as there are pages, at least 2.
        seed: of the random parts.

    Raises:
        InputError: if fewer than `LEAST_PAGES` pages are left to fit a model to.
    """
    count = len(statistics)
    fold_of_page = np.random.default_rng(seed).permutation(np.arange(count) % min(folds, max(count, 2))).tolist()
    predicted = [0.0] * count
    for fold in sorted(set(fold_of_page)):
        others = [page for page, its in enumerate(fold_of_page) if its != fold]
        model = fit([statistics[page] for page in others], [precisions[page] for page in others])
        for page, its in enumerate(fold_of_page):
            if its == fold:
                predicted[page] = model.predict(statistics[page])
    return tuple(predicted)


def reliable_pages(predictions: Sequence[float], precisions: Sequence[float], floor: float) -> ReliablePages:
    """Compare the pages with a predicted precision of at least `floor` with all pages, at least one."""
    selected = [true for predicted, true in zip(predictions, precisions, strict=True) if predicted >= floor]
    return ReliablePages(
        floor,
        len(precisions),
        len(selected),
        fmean(selected) if selected else math.nan,
        fmean(precisions),
        sum(precision < LOW for precision in selected),
        sum(precision < LOW for precision in precisions),
    )


def _design(statistics: Sequence[PageStatistics]) -> Floats:
    rows = [(1.0, math.log1p(page.segments), math.log1p(page.length), page.short) for page in statistics]
    return np.array(rows, dtype=np.float64)


def _independent(design: Floats) -> list[int]:
    """Return the columns that do not follow from those before them. A cleaner may leave no very short segment at all."""
    columns: list[int] = []
    for column in range(design.shape[1]):
        if np.linalg.matrix_rank(design[:, [*columns, column]]) > len(columns):
            columns.append(column)
    return columns

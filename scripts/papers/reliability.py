"""Predict a page's precision from its cleaned text alone, to select reliable pages without gold.

usage: python scripts/papers/reliability.py GOLD_FOLDER [-c NAME...] -o OUT [--floor 0.86]

Source: Evert, StupidOS, WAC 2007, section 4.4. A linear model predicts precision from the number of segments, their mean
length and the share of text in very short segments. A page is selected if its prediction, by a model fitted to other pages,
is at least the floor; by default the floor selects the better half. The plot shows the last cleaner.

The paper does not give the form of the model. Here number and length enter as logarithms, and `SHORT` is 15. Over eight
cleaners and three gold standards of 58, 71 and 300 pages, the root mean square error of cross-validated predictions is 0.174.
It is 0.175 with the length itself and 0.177 with number and length themselves. With a `SHORT` of 3, 5, 8, 10, 20 and 25 it is
0.184, 0.180, 0.177, 0.179, 0.172 and 0.172. The standard deviation of precision is 0.231.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean, median_high
from typing import Any, NamedTuple

import click
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from cleaned_gold import CLEANERS, GOLD, Text, clean_gold
from paper_files import COLOURS, INK, OUTPUT, errors_in_a_line, write_plot, write_table
from thresher import InputError, compare_words
from thresher.evaluation.significance import TOLERANCE

SHORT = 15
"""Words below which a segment is very short."""
FOLDS = 10
LOW = (0.7, 0.9)
"""Precisions below which pages are counted, as in the paper's footnote 10."""
LEAST_PAGES = 6
"""Fewest pages to fit a model to: two more than its coefficients."""

Floats = NDArray[np.float64]
Row = dict[str, Any]


class Model(NamedTuple):
    """A linear model of precision. The coefficient of a statistic that depends linearly on earlier statistics is 0.

    `r_squared` is the explained share of the variance; 1 if all pages have equal precision.
    """

    coefficients: Floats
    residual_error: float
    r_squared: float

    def predict(self, statistics: Floats) -> list[float]:
        """Return the predicted precision of pages, in [0, 1]."""
        return [*map(float, np.clip(statistics @ self.coefficients, 0, 1))]


def statistics_of(text: Text) -> tuple[float, ...] | None:
    """Return 1, ln(1 + segments), ln(1 + mean length) and the share of words in short segments; None without words."""
    lengths = [words for part in text if (words := len(part.text.split()))]
    total = sum(lengths)
    if not total:
        return None
    short = sum(words for words in lengths if words < SHORT) / total
    return 1.0, math.log1p(len(lengths)), math.log1p(total / len(lengths)), short


def fit(statistics: Floats, precisions: Floats) -> Model:
    """Fit the model by ordinary least squares; the residual standard error is √(residuals² / (n - rank))."""
    if len(statistics) < LEAST_PAGES:
        problem = f"{len(statistics)} pages with words are too few to predict precision"
        raise InputError(problem, f"give at least {LEAST_PAGES}, or fewer folds", "reliability")
    columns: list[int] = []
    for column in range(statistics.shape[1]):
        if np.linalg.matrix_rank(statistics[:, [*columns, column]]) > len(columns):
            columns.append(column)
    coefficients = np.zeros(statistics.shape[1])
    coefficients[columns] = np.linalg.lstsq(statistics[:, columns], precisions, rcond=None)[0]
    squares = float(((precisions - statistics @ coefficients) ** 2).sum())
    total = float(((precisions - precisions.mean()) ** 2).sum())
    unexplained = squares / total if total > len(precisions) * TOLERANCE**2 else 0.0
    return Model(coefficients, math.sqrt(squares / (len(precisions) - len(columns))), 1 - unexplained)


def cross_validated(statistics: Floats, precisions: Floats, folds: int = FOLDS, seed: int = 0) -> list[float]:
    """Return each page's precision, predicted by a model fitted to the other folds."""
    count = len(statistics)
    fold_of_page = np.random.default_rng(seed).permutation(np.arange(count) % min(folds, max(count, 2)))
    predicted = np.zeros(count)
    for fold in np.unique(fold_of_page):
        own = fold_of_page == fold
        predicted[own] = fit(statistics[~own], precisions[~own]).predict(statistics[own])
    return predicted.tolist()


def row_of(
    name: str, pages: Sequence[tuple[float, ...] | None], precisions: Sequence[float], floor: float | None
) -> Row:
    """Return a cleaner's row: the fit of the model, and the precision of selected pages. Pages without words are skipped."""
    usable = [(page, precision) for page, precision in zip(pages, precisions, strict=True) if page]
    statistics, true = np.array([page for page, _ in usable]), [precision for _, precision in usable]
    model = fit(statistics, np.array(true))
    predicted = cross_validated(statistics, np.array(true))
    floor = median_high(predicted) if floor is None else floor
    chosen = [precision for precision, guess in zip(true, predicted, strict=True) if guess >= floor]
    return {
        "cleaner": name,
        "r_squared": model.r_squared,
        "residual_error": model.residual_error,
        "pages": len(true),
        "chosen": len(chosen),
        "floor": floor,
        "precision_all": fmean(true),
        "precision_chosen": fmean(chosen) if chosen else None,
        **{
            f"below_{100 * low:.0f}_%_{which}": sum(precision < low for precision in of)
            for low in LOW
            for which, of in (("all", true), ("chosen", chosen))
        },
        "predicted": predicted,
        "true": true,
    }


def plot(row: Row) -> dict[str, Any]:
    """Return a plot of true against predicted precision. Points of selected pages are filled."""
    values = [
        {"predicted": guess, "precision": true, "chosen": guess >= row["floor"]}
        for guess, true in zip(row["predicted"], row["true"], strict=True)
    ]
    least = max(0.0, min(*LOW, *row["predicted"], *row["true"]) - 0.05)
    scale = {"domain": [least, 1.02], "nice": False}
    colour = {"field": "chosen", "type": "nominal", "legend": None, "scale": {"range": [COLOURS[1], COLOURS[0]]}}
    return {
        "width": 340,
        "height": 300,
        "layer": [
            {
                "data": {"values": values},
                "mark": {"type": "point", "opacity": 0.8},
                "encoding": {
                    "x": {
                        "field": "predicted",
                        "type": "quantitative",
                        "scale": scale,
                        "title": "predicted precision (cross-validated)",
                    },
                    "y": {"field": "precision", "type": "quantitative", "scale": scale},
                    "color": colour,
                    "fill": colour,
                    "fillOpacity": {"condition": {"test": "datum.chosen", "value": 1}, "value": 0},
                },
            },
            {
                "data": {"values": [{"predicted": row["floor"]}]},
                "mark": {"type": "rule", "color": INK, "strokeDash": [4, 3]},
                "encoding": {"x": {"field": "predicted", "type": "quantitative"}},
            },
        ],
    }


@click.command()
@GOLD
@CLEANERS
@click.option("--floor", type=click.FloatRange(0, 1), help="Least predicted precision of selected pages.")
@OUTPUT
def main(gold_folder: Path, cleaners: tuple[str, ...], floor: float | None, output: Path) -> None:
    """Print how well each cleaner's page precision is predicted, and the precision of the pages selected by it."""
    gold, by_cleaner = clean_gold(gold_folder, cleaners)
    rows = []
    for name, texts in by_cleaner.items():
        precisions = [
            compare_words("\n".join(part.text for part in text), page.text).alignment.precision
            for text, page in zip(texts, gold, strict=True)
        ]
        pages = [*map(statistics_of, texts)]
        # Cross-validation fits each model to a part of the pages, so twice the least number is needed.
        if sum(page is not None for page in pages) >= 2 * LEAST_PAGES:
            rows.append(row_of(name, pages, precisions, floor))
    if not rows:
        raise InputError(
            "too few pages with words to predict precision", f"give at least {2 * LEAST_PAGES}", str(gold_folder)
        )
    table = pd.DataFrame(rows).drop(columns=["predicted", "true"])
    write_table(output, "reliability", f"Pages selected by predicted precision, {gold_folder.name}.", table)
    title = f"{rows[-1]['cleaner']}: residual standard error {rows[-1]['residual_error']:.3f}"
    write_plot(output / "reliability.svg", title, plot(rows[-1]))


if __name__ == "__main__":
    with errors_in_a_line():
        main()

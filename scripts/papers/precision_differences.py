"""Numbers of pages that gain and lose precision by a cleaner, in bins of five percentage points.

usage: python scripts/papers/precision_differences.py GOLD_FOLDER NAME -o OUT

Sources: Evert, NCleaner, LREC 2008, Fig. 3; StupidOS, WAC 2007, Fig. 3. Precision is of aligned words, compared with the
precision of all text. Each bin includes its bound farther from zero. Pages without a difference are in no bin.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import click
import pandas as pd

from cleaned_gold import GOLD, clean_gold
from paper_files import COLOURS, INK, OUTPUT, errors_in_a_line, write_plot, write_table
from thresher import compare_words
from thresher.evaluation.significance import TOLERANCE

BIN = 5
Row = dict[str, int]


def bins(values: Sequence[float], baseline: Sequence[float]) -> tuple[list[Row], int, float]:
    """Return the bins of differences in percentage points, the number of pages without a difference, and the mean."""
    differences = [100 * (value - base) for value, base in zip(values, baseline, strict=True)]
    counts = Counter(
        int(math.copysign(max(1, math.ceil(round(abs(value), 6) / BIN)), value))
        for value in differences
        if abs(value) >= 100 * TOLERANCE
    )
    rows: list[Row] = [
        {"from": BIN * (number - (number > 0)), "to": BIN * (number + (number < 0)), "pages": pages}
        for number, pages in sorted(counts.items())
    ]
    return rows, len(differences) - counts.total(), fmean(differences)


def plot(rows: Sequence[Row], tied: int) -> dict[str, Any]:
    """Return the histogram. A thin bar at zero counts pages without a difference."""
    values = [{**row, "won": row["to"] > 0} for row in rows]
    x = {"type": "quantitative", "title": "precision less the baseline's, percentage points", "axis": {"format": "+d"}}
    y = {"field": "pages", "type": "quantitative"}
    return {
        "width": 380,
        "height": 220,
        "layer": [
            {
                "data": {"values": values},
                "mark": {"type": "bar", "binSpacing": 2},
                "encoding": {
                    "x": {"field": "from", "bin": {"binned": True, "step": BIN}, **x},
                    "x2": {"field": "to"},
                    "y": y,
                    "color": {
                        "field": "won",
                        "type": "nominal",
                        "legend": None,
                        "scale": {"domain": [False, True], "range": [COLOURS[1], COLOURS[0]]},
                    },
                },
            },
            {
                "data": {"values": [{"from": 0, "pages": tied}] if tied else []},
                "mark": {"type": "bar", "width": 3, "color": INK},
                "encoding": {"x": {"field": "from", **x}, "y": y},
            },
        ],
    }


@click.command()
@GOLD
@click.argument("name")
@OUTPUT
def main(gold_folder: Path, name: str, output: Path) -> None:
    """Print the numbers of pages of GOLD_FOLDER that gain and lose precision by the cleaner NAME."""
    pages, by_cleaner = clean_gold(gold_folder, [name])
    baseline, values = (
        [
            compare_words("\n".join(part.text for part in text), page.text).alignment.precision
            for text, page in zip(texts, pages, strict=True)
        ]
        for texts in (by_cleaner["none"], [*by_cleaner.values()][-1])
    )
    rows, tied, mean = bins(values, baseline)
    won, lost = (sum(row["pages"] for row in rows if (row["to"] > 0) == sign) for sign in (True, False))
    title = f"{gold_folder.name}, {name}: mean {mean:+.1f}; {won} won, {tied} tied, {lost} lost"
    write_table(output, "differences", title, pd.DataFrame(rows, columns=["from", "to", "pages"]))
    write_plot(output / "differences.svg", title, plot(rows, tied))


if __name__ == "__main__":
    with errors_in_a_line():
        main()

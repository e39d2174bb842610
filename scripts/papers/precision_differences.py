"""How many pages gain and lose precision by a cleaner, in bins of five percentage points.

usage: python scripts/papers/precision_differences.py GOLD_FOLDER NAME [--plot FILE]

Sources: Evert, NCleaner, LREC 2008, Fig. 3; StupidOS, WAC 2007, Fig. 3. The precision is of words by alignment, against that
of all text. Each bin includes its bound farther from zero; pages without a difference are in none.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import click

from cleaned_gold import FILE, GOLD, clean_gold
from paper_output import Row, markdown, run, write_chart
from thresher.cleaneval.cleaning_measures import compare_words
from thresher.evaluation.significance import TOLERANCE

BIN = 5


def bins(values: Sequence[float], baseline: Sequence[float]) -> tuple[list[Row], int, float]:
    """Return the bins of differences in percentage points, the number of pages without one, and their mean."""
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


def chart(rows: Sequence[Row], tied: int, title: str, subtitle: str) -> dict[str, Any]:
    """Return the histogram; pages without a difference are a thin bar at zero."""
    values = [{**row, "won": row["to"] > 0} for row in rows]
    x = {"type": "quantitative", "title": "precision less the baseline's, percentage points", "axis": {"format": "+d"}}
    y = {"field": "pages", "type": "quantitative"}
    return {
        "title": {"text": title, "subtitle": subtitle},
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
                        "scale": {"domain": [False, True], "range": ["#bb5566", "#4477aa"]},
                    },
                },
            },
            {
                "data": {"values": [{"from": 0, "pages": tied}] if tied else []},
                "mark": {"type": "bar", "width": 3, "color": "black"},
                "encoding": {"x": {"field": "from", **x}, "y": y},
            },
        ],
    }


@click.command()
@GOLD
@click.argument("name")
@click.option("--plot", type=FILE, help="Draw the histogram into this .svg or .png file.")
def main(gold_folder: Path, name: str, plot: Path | None) -> None:
    """Print how many pages of GOLD_FOLDER gain and lose precision by the cleaner NAME."""
    standard, by_cleaner = clean_gold(gold_folder, [name])
    baseline, values = (
        [
            compare_words("\n".join(part.text for part in text), page.text).alignment.precision
            for text, page in zip(texts, standard.pages, strict=True)
        ]
        for texts in (by_cleaner["none"], [*by_cleaner.values()][-1])
    )
    rows, tied, mean = bins(values, baseline)
    won, lost = (sum(row["pages"] for row in rows if (row["to"] > 0) == sign) for sign in (True, False))
    told = f"mean {mean:+.1f}; {won} won, {tied} tied, {lost} lost"
    if rows:
        click.echo(markdown(rows))
    click.echo(told)
    if plot is not None:
        write_chart(plot, chart(rows, tied, f"{gold_folder.name}: {name}", told))


if __name__ == "__main__":
    run(main)

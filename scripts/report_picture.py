#!/usr/bin/env python3
"""Draw the frontier of a report into docs/results/plots/frontier.svg, for README.md: low enough for its first screen.

usage: scripts/report_picture.py RESULTS_FOLDER     (such as results/pydoc-site)
"""

from pathlib import Path

import thresher
from arguments import parser_of
from thresher.experiments.choosing.choices import read_choice
from thresher.reports.chart_data import chart_data
from thresher.reports.charts import frontier_chart
from thresher.reports.drawing import Plot

PICTURE = Path(__file__).parents[1] / "docs" / "results" / "plots" / "frontier.svg"
WIDTH, HEIGHT = 780, 215
"""Pixels; the height is that of the area of the chart."""


def main(folder: Path) -> None:
    """Draw the picture of an explored or run experiment."""
    table = thresher.read_results(folder).tables[0]
    data = chart_data(table, read_choice(folder))
    Plot(frontier_chart(data, WIDTH, HEIGHT), width=WIDTH).save(PICTURE)


if __name__ == "__main__":
    parser = parser_of(__doc__)
    parser.add_argument("results", type=Path)
    main(parser.parse_args().results)

#!/usr/bin/env python3
"""Draw the frontier of a report for README.md, in a low picture for its first screen and a narrow picture for phones.

usage: scripts/report_picture.py RESULTS_FOLDER     (such as results/pydoc-site)

The pictures are docs/results/plots/frontier.svg and frontier-narrow.svg.
"""

from pathlib import Path

import thresher
from arguments import parser_of
from thresher import Plot, chart_data, read_choice
from thresher.reports.charts import frontier_chart

PLOTS = Path(__file__).parents[1] / "docs" / "results" / "plots"
PICTURES = {"frontier.svg": (780, 215), "frontier-narrow.svg": (360, 220)}
"""Width of each picture and height of its chart's area, in pixels."""


def main(folder: Path) -> None:
    """Draw the pictures of an explored or run experiment."""
    table = thresher.read_results(folder).tables[0]
    data = chart_data(table, read_choice(folder))
    for name, (width, height) in PICTURES.items():
        Plot(frontier_chart(data, width, height), width=width).save(PLOTS / name)


if __name__ == "__main__":
    parser = parser_of(__doc__)
    parser.add_argument("results", type=Path)
    main(parser.parse_args().results)

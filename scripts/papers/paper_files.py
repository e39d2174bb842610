"""Files of the papers' scripts: tables as Markdown and CSV, plots as SVG; errors in one line each.

`python scripts/papers/paper_files.py PAGE FOLDER...` puts tables and plots into a documentation page. A place
`<!-- NAME/TABLE -->` up to `<!-- end -->` gets TABLE.md of the folder NAME. An image `plots/NAME-PLOT.svg` becomes a copy of
the folder's PLOT.svg.
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
import pandas as pd
import vl_convert

from thresher import ThresherError
from thresher.base.files import write_text

OUTPUT = click.option("--output", "-o", required=True, type=click.Path(path_type=Path), help="Folder to write into.")
INK = "#1f2429"
COLOURS = ("#2a78b5", "#c25a12", "#17876a", "#9c5aa5", "#8a7a00", "#c23b5a")
_CONFIG = {
    "font": "sans-serif",
    "axis": {"labelColor": INK, "titleColor": INK, "titleFontWeight": "normal"},
    "legend": {"orient": "bottom", "title": None, "columns": 4},
    "range": {"category": list(COLOURS)},
    "title": {"anchor": "start", "color": INK},
}


def write_table(folder: Path, name: str, caption: str, frame: pd.DataFrame, shown: pd.DataFrame | None = None) -> None:
    """Write a frame to `name`.csv, write `shown`, or else the frame, to `name`.md, and print it."""
    folder.mkdir(parents=True, exist_ok=True)
    write_text(folder / f"{name}.csv", frame.to_csv(index=False))
    text = markdown(frame if shown is None else shown, caption)
    write_text(folder / f"{name}.md", text)
    print(text)


def markdown(frame: pd.DataFrame, caption: str) -> str:
    """Return a table with its caption below. A missing value is a dash."""
    cells = {name.replace("_", " "): _cells(column) for name, column in frame.items()}
    rules = ["---:" if pd.api.types.is_numeric_dtype(column) else "---" for _, column in frame.items()]
    lines = (cells, rules, *zip(*cells.values(), strict=True))
    return "".join(f"| {' | '.join(line)} |\n" for line in lines) + f"\n{caption}\n"


def _cells(column: pd.Series) -> list[str]:
    values = column.dropna()
    if not pd.api.types.is_numeric_dtype(column):
        form = "{}"
    elif pd.api.types.is_integer_dtype(column) or (values.abs().max() > 1 and (values % 1 == 0).all()):
        form = "{:,.0f}"
    else:
        form = "{:.1f}" if values.abs().max() > 1 else "{:.4f}"
    cells = ["–" if pd.isna(value) else form.format(value) for value in column]
    return ["< 0.0001" if cell == "0.0000" and value > 0 else cell for cell, value in zip(cells, column, strict=True)]


def write_plot(path: Path, title: str, spec: Mapping[str, Any]) -> None:
    """Write a Vega-Lite specification as SVG."""
    whole = {"$schema": "https://vega.github.io/schema/vega-lite/v5.json", "config": _CONFIG, "title": title, **spec}
    write_text(path, vl_convert.vegalite_to_svg(whole))


@contextmanager
def errors_in_a_line() -> Iterator[None]:
    """End the script with the lines of a `ThresherError`, without a traceback."""
    try:
        yield
    except ThresherError as error:
        sys.exit("\n".join(f"error: {line}" for line in error.lines()))


def fill(page: Path, folder: Path) -> None:
    """Put a folder's tables and plots into their places on a documentation page."""
    name, text = re.escape(folder.name), page.read_text(encoding="utf-8")
    place = re.compile(rf"(<!-- {name}/(\S+) -->\n).*?(?=<!-- end -->)", re.DOTALL)
    filled = place.sub(lambda match: match[1] + (folder / f"{match[2]}.md").read_text(encoding="utf-8"), text)
    page.write_text(filled, encoding="utf-8")
    for plot in re.findall(rf"\(plots/{name}-(.+)\.svg\)", text):
        (page.parent / "plots").mkdir(exist_ok=True)
        shutil.copy(folder / f"{plot}.svg", page.parent / "plots" / f"{folder.name}-{plot}.svg")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("page", type=Path)
    parser.add_argument("folders", nargs="+", type=Path)
    arguments = parser.parse_args()
    for folder in arguments.folders:
        fill(arguments.page, folder)

"""What the scripts of this folder print and write: Markdown tables, CSV files, charts, errors in one line."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from thresher.errors import ConfigError, ThresherError
from thresher.files import atomic_path, write_text

Row = Mapping[str, Any]


def markdown(rows: Sequence[Row], digits: int = 3) -> str:
    """Return rows with the same keys as a table; numbers have that many decimals, None is empty."""
    names = [*rows[0]]
    lines = [names, ["---"] * len(names), *([_cell(row[name], digits) for name in names] for row in rows)]
    # A bar would end the cell, in code too.
    return "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |\n" for line in lines)


def _cell(value: Any, digits: int) -> str:
    if isinstance(value, float):
        return f"{value:,.{digits}f}"
    return f"{value:,}" if isinstance(value, int) else "" if value is None else str(value)


def write_csv(path: Path, rows: Sequence[Row]) -> None:
    """Write rows with the same keys, numbers with all digits."""
    text = io.StringIO()
    writer = csv.DictWriter(text, [*rows[0]], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    write_text(path, text.getvalue())


def write_chart(path: Path, chart: Mapping[str, Any]) -> None:
    """Write a Vega-Lite chart as SVG or PNG, by the ending of the file's name."""
    import vl_convert

    if path.suffix.lower() not in (".svg", ".png"):
        raise ConfigError("a chart is written as SVG or PNG", "end the file name in .svg or .png", str(path))
    spec = {"$schema": "https://vega.github.io/schema/vega-lite/v5.json", "background": "white", **chart}
    if path.suffix.lower() == ".svg":
        content = vl_convert.vegalite_to_svg(spec).encode()
    else:
        content = vl_convert.vegalite_to_png(spec, scale=2)
    with atomic_path(path) as temporary:
        temporary.write_bytes(content)


def run(command: click.Command) -> None:
    """Run a script's command; Thresher's errors become one line each."""
    try:
        command.main(standalone_mode=False)
    except ThresherError as error:
        sys.exit("\n".join(f"error: {line}" for line in error.lines()))
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)

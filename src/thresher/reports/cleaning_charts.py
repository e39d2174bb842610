"""The report of cleaning evaluation, with its chart: precision against recall."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from markupsafe import Markup

from thresher.base.errors import MissingDependencyError
from thresher.base.files import user_errors, write_text
from thresher.evaluation.cleaneval.results import CleanerResult, CleaningRun
from thresher.reports import cleaning_tables as tables
from thresher.reports.charts import BASELINE, SERIES, SOFT, Row, layer, number, placed, roomy, series, whole, written
from thresher.reports.drawing import Plot
from thresher.reports.formatting import plain
from thresher.reports.html_parts import render_template
from thresher.reports.table import csv_table
from thresher.reports.text_tables import render_latex, render_markdown

_F1_STEPS = (0.01, 0.02, 0.05, 0.1, 0.2)
_F1_LINES = 7
_SIZE = (600, 440)


@dataclass(frozen=True)
class Quality:
    """The mean precision and recall over pages, in [0, 1], of a cleaner or of another package's extractor."""

    name: str
    precision: float
    recall: float
    is_extractor: bool = False


def overview_plot(title: str, cleaners: Sequence[Quality], baseline: Quality) -> Plot:
    """Return precision against recall, one named point per cleaner, extractors in another colour, with faint lines of equal
    F1.
    """
    rows: list[Row] = [
        {
            "series": "extractor" if one.is_extractor else "cleaner",
            "recall": one.recall,
            "precision": one.precision,
            "label": plain(one.name),
            "fill": SERIES[one.is_extractor],
        }
        for one in cleaners
    ]
    base = {"recall": baseline.recall, "precision": baseline.precision, "label": plain(baseline.name), "needed": True}
    ends = [roomy([row[name] for row in (base, *rows)], 0.1) for name in ("recall", "precision")]
    x, y = (
        number(name, f"{name}, mean over pages", (max(0.0, low), min(1.02, high)))
        for name, (low, high) in zip(("recall", "precision"), ends, strict=True)
    )
    color = series("series", list(dict.fromkeys(row["series"] for row in rows)), True)["color"]
    color["legend"] = {**(color["legend"] or {}), "symbolType": "circle", "symbolSize": 80}
    equal = list(_equal_f1(*x["scale"]["domain"], *y["scale"]["domain"]))
    points = [(row["recall"], row["precision"]) for row in (*rows, base)]
    text = {"fill": SOFT, "fontSize": 10, "align": "right", "baseline": "bottom", "dx": -2}
    layers = [
        layer("line", {"stroke": SOFT, "strokeWidth": 0.6, "opacity": 0.6}, equal, x=x, y=y, detail={"field": "f1"}),
        layer("text", text, {row["f1"]: row for row in equal}.values(), x=x, y=y, text={"field": "f1"}),
        layer("circle", {"size": 35, "opacity": 1, "clip": True}, rows, x=x, y=y, color=color),
        layer("point", BASELINE, [base], x=x, y=y),
        *written(placed([base, *rows], points, x, y, _SIZE), x, y),
    ]
    return Plot(whole(layers, _SIZE[1], "Precision against recall, means over pages"), (), title, 680)


def _equal_f1(left: float, right: float, bottom: float, top: float) -> Iterable[Row]:
    low, high = _harmonic(left, bottom), _harmonic(min(right, 1.0), min(top, 1.0))
    step = next((step for step in _F1_STEPS if (high - low) / step <= _F1_LINES), _F1_STEPS[-1])
    for multiple in range(math.ceil(low / step + 1e-9), math.ceil(high / step - 1e-9)):
        f1 = multiple * step
        recall = np.linspace(max(left, f1 / (2 - f1)), min(right, 1.0), 100)
        precision = f1 * recall / (2 * recall - f1)
        for across, along in zip(recall.tolist(), precision.tolist(), strict=True):
            if bottom <= along <= min(top, 1.0):
                yield {"recall": across, "precision": along, "f1": f"F1 {f1:g}"}


def _harmonic(x: float, y: float) -> float:
    return 2 * x * y / (x + y) if x + y else 0.0


def render_cleaning_report(run: CleaningRun) -> str:
    """Return the page: one HTML document with its styles, plots and script inside, the same bytes every time."""
    baseline, *others = run.results
    types = tables.page_types(run)
    return render_template(
        "cleaning.html.j2",
        title=f"Cleaning {run.name}",
        pages=len(run.standard.pages),
        rows=len(run.results),
        sentences=list(tables.sentences(run)),
        words=tables.words_table(run.results),
        measures=tables.measures_table(run.results),
        types=tables.page_type_table(types),
        overview=_picture("overview", overview_plot(run.name, [_numbers(one) for one in others], _numbers(baseline))),
        problems=run.problems,
        crashes=run.crashes,
        standard=run.standard,
    )


def _numbers(result: CleanerResult) -> Quality:
    words = result.summary.words
    return Quality(result.cleaner, words.precision.mean, words.recall.mean, result.is_extractor)


def _picture(name: str, plot: Plot) -> Markup | None:
    """Return a plot for the page; None without the package that draws."""
    try:
        return plot.inside(name)
    except MissingDependencyError:
        return None


def write_cleaning_report(run: CleaningRun, folder: Path) -> None:
    """Write `cleaners.csv`, `pages.csv`, `table.md`, `table.tex` and `report.html` into `folder`.

    Gold with types of pages has a `page_types.csv`, too; without, one that an earlier run left is removed.
    """
    every = tables.cleaning_tables(run)
    # The package that tables in LaTeX need is stated once.
    first, *others = map(render_latex, every)
    files = {
        "cleaners.csv": csv_table(tables.CLEANERS, run.results),
        "pages.csv": tables.pages_csv(run),
        "table.md": "\n".join(map(render_markdown, every)),
        "table.tex": "\n".join([first, *(text.partition("\n")[2] for text in others)]),
        "report.html": render_cleaning_report(run),
    }
    if types := tables.page_types(run):
        files["page_types.csv"] = csv_table(tables.TYPES, types)
    for name, text in files.items():
        write_text(folder / name, text)
    if not types:
        with user_errors(folder / "page_types.csv"):
            (folder / "page_types.csv").unlink(missing_ok=True)

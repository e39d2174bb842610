"""Charts of cleaning evaluation: precision against recall; and of training: calibration."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from markupsafe import Markup

from thresher.cleaneval.results import CleanerResult, GoldSweep
from thresher.cleaneval.running import CleaningRun
from thresher.columns import number_text
from thresher.errors import MissingDependencyError
from thresher.files import user_error, write_text
from thresher.reports import cleaning_tables as tables
from thresher.reports.charts import (
    BASELINE,
    SERIES,
    SOFT,
    Row,
    Spec,
    layer,
    number,
    placed,
    roomy,
    series,
    whole,
    written,
)
from thresher.reports.drawing import Plot
from thresher.reports.formatting import fixed, plain
from thresher.reports.html_parts import render_template
from thresher.reports.table import Table
from thresher.reports.text_tables import render_latex, render_markdown

_F1_STEPS = (0.01, 0.02, 0.05, 0.1, 0.2)
_F1_LINES = 7
_NEAR = 2 / 3
_SIZE = (600, 440)


@dataclass(frozen=True)
class Quality:
    """The mean precision and recall over pages, in [0, 1], of a cleaner or of another package's extractor."""

    name: str
    precision: float
    recall: float
    is_extractor: bool = False


def overview_plot(title: str, cleaners: Sequence[Quality], baseline: Quality) -> Plot:
    """Return precision against recall, one named point per cleaner, extractors in another colour."""
    rows = [
        {
            "series": "extractor" if one.is_extractor else "cleaner",
            "recall": one.recall,
            "precision": one.precision,
            "label": plain(one.name),
            "fill": SERIES[one.is_extractor],
        }
        for one in cleaners
    ]
    spec = _quality(rows, _baseline(baseline), rows, rows)
    return Plot(spec, (), title, 680)


def curves_plot(title: str, sweeps: Sequence[GoldSweep], baseline: Quality) -> Plot:
    """Return precision against recall, means over pages, with a line for each sweep and cutoffs at its points.

    A ring is around each scorer's best mean F1. Cutoffs with a mean F1 below two thirds of the best may lie outside, since the
    plot would be too wide for all others.
    """
    rows: list[Row] = [
        {
            "series": plain(sweep.scorer),
            "recall": point.macro.recall,
            "precision": point.macro.precision,
            "f1": point.macro.f1,
            "best": best,
            "order": order,
            "label": number_text(point.cutoff) + (f" (F1 {fixed(point.macro.f1, 3)})" if best else ""),
        }
        for sweep in sweeps
        for order, point in enumerate(sweep.points)
        for best in [point.cutoff == sweep.best.cutoff]
    ]
    least = _NEAR * max(row["f1"] for row in rows)
    near = [row for row in rows if row["f1"] >= least]
    return Plot(
        _quality(rows, _baseline(baseline), near, sorted(near, key=lambda row: not row["best"])), (), title, 680
    )


def _baseline(baseline: Quality) -> Row:
    return {"recall": baseline.recall, "precision": baseline.precision, "label": plain(baseline.name), "needed": True}


def _quality(rows: Sequence[Row], baseline: Row, near: Sequence[Row], labels: Sequence[Row]) -> Spec:
    """Return precision against recall around some rows, with faint lines of equal F1; rows with an order are joined."""
    ends = [roomy([baseline[name], *(row[name] for row in near)], 0.1) for name in ("recall", "precision")]
    x, y = (
        number(name, f"{name}, mean over pages", (max(0.0, low), min(1.02, high)))
        for name, (low, high) in zip(("recall", "precision"), ends, strict=True)
    )
    joined = [row for row in rows if "order" in row]
    best = [row for row in joined if row["best"]]
    names = list(dict.fromkeys(row["series"] for row in rows))
    kinds = series("series", names, True)
    equal = list(_equal_f1(*x["scale"]["domain"], *y["scale"]["domain"]))
    ring = {"size": 220, "fill": None, "strokeWidth": 1.5, "opacity": 1}
    channels: Spec = {"x": x, "y": y, "color": kinds["color"]}
    points = [(row["recall"], row["precision"]) for row in (*near, baseline)]
    text = {"fill": SOFT, "fontSize": 10, "align": "right", "baseline": "bottom", "dx": -2}
    layers = [
        layer("line", {"stroke": SOFT, "strokeWidth": 0.6, "opacity": 0.6}, equal, x=x, y=y, detail={"field": "f1"}),
        layer("text", text, {row["f1"]: row for row in equal}.values(), x=x, y=y, text={"field": "f1"}),
        layer("line", {"clip": True}, joined, **channels, strokeDash=kinds["strokeDash"], order={"field": "order"}),
        layer("circle", {"size": 35, "opacity": 1, "clip": True}, rows, **channels),
        layer("point", ring, best, **channels),
        layer("point", BASELINE, [baseline], x=x, y=y),
        *written(placed([baseline, *labels], points, x, y, _SIZE), x, y),
    ]
    return whole(layers, _SIZE[1], "Precision against recall, means over pages")


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
        sweeps=_picture("sweeps", curves_plot(run.name, run.sweeps, _numbers(baseline))) if run.sweeps else None,
        sweep_tables=[tables.sweep_table(sweep) for sweep in run.sweeps],
        transfers=tables.transfer_table(run.transfers),
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

    A run with sweeps has a `curves.csv` of all its gold standards, too, and gold with types of pages a `page_types.csv`;
    without, those that an earlier run left are removed.
    """
    every = tables.cleaning_tables(run)
    files = {
        "cleaners.csv": tables.cleaners_csv(run.results),
        "pages.csv": tables.pages_csv(run),
        "table.md": "\n".join(map(render_markdown, every)),
        "table.tex": _latex(every),
        "report.html": render_cleaning_report(run),
    }
    if run.sweeps:
        files["curves.csv"] = tables.curves_csv((*run.sweeps, *run.tested))
    if types := tables.page_types(run):
        files["page_types.csv"] = tables.page_types_csv(types)
    for name, text in files.items():
        write_text(folder / name, text)
    for name in {"curves.csv", "page_types.csv"} - files.keys():
        try:
            (folder / name).unlink(missing_ok=True)
        except OSError as error:
            raise user_error(error, folder / name) from error


def _latex(every: Sequence[Table]) -> str:
    """Return the tables one below the other; the package they need is stated once."""
    first, *others = map(render_latex, every)
    return "\n".join([first, *(text.partition("\n")[2] for text in others)])

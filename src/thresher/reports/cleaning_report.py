"""The report of a cleaning evaluation: its HTML page, and all files of a run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from markupsafe import Markup

from thresher.cleaneval.results import CleanerResult
from thresher.cleaneval.running import CleaningRun
from thresher.errors import MissingDependencyError
from thresher.files import user_error, write_text
from thresher.reports.cleaning_charts import Quality, curves_plot, overview_plot
from thresher.reports.cleaning_tables import (
    cleaners_csv,
    cleaning_tables,
    curves_csv,
    measures_table,
    page_type_table,
    page_types,
    page_types_csv,
    pages_csv,
    sweep_table,
    tested_at,
    transfer_table,
    words_table,
)
from thresher.reports.drawing import Plot
from thresher.reports.formatting import direction, fixed, signed
from thresher.reports.html_parts import render_template
from thresher.reports.table import Table
from thresher.reports.text_tables import render_latex, render_markdown


def render_cleaning_report(run: CleaningRun) -> str:
    """Return the page: one HTML document with its styles, plots and script inside, the same bytes every time."""
    baseline, *others = run.results
    types = page_types(run)
    return render_template(
        "cleaning.html.j2",
        title=f"Cleaning {run.name}",
        pages=len(run.standard.pages),
        rows=len(run.results),
        sentences=list(_sentences(run)),
        words=words_table(run.results),
        measures=measures_table(run.results),
        types=page_type_table(types),
        overview=_picture("overview", overview_plot(run.name, [_quality(one) for one in others], _quality(baseline))),
        sweeps=_picture("sweeps", curves_plot(run.name, run.sweeps, _quality(baseline))) if run.sweeps else None,
        sweep_tables=[sweep_table(sweep) for sweep in run.sweeps],
        transfers=transfer_table(run.transfers),
        problems=run.problems,
        crashes=run.crashes,
        standard=run.standard,
    )


def _sentences(run: CleaningRun) -> Iterator[str]:
    baseline, *others = run.results
    text = baseline.summary.words
    yield (
        f"All text of the {text.pages} pages has precision {fixed(text.precision.mean, 3)}, recall"
        f" {fixed(text.recall.mean, 3)} and F1 {fixed(text.f1.mean, 3)}, means over pages."
    )
    if not others:
        return
    found = [result.comparison for result in others if result.comparison]
    directions = [direction(comparison) for comparison in found]
    better, worse = directions.count("better"), directions.count("worse")
    yield (
        f"Of {len(others)} others, {better} {'is' if better == 1 else 'are'} significantly better in F1 ({tested_at(found)}),"
        f" {worse} significantly worse, {len(others) - better - worse} neither."
    )
    best = max(others, key=lambda result: result.summary.words.f1.mean)
    words = best.summary.words
    gain = best.comparison.difference if best.comparison else 0.0
    yield (
        f"The highest mean F1 is that of {best.cleaner}: {fixed(words.f1.mean, 3)} ({signed(gain, 3)}), at precision"
        f" {fixed(words.precision.mean, 3)} and recall {fixed(words.recall.mean, 3)}."
    )
    if worse:
        names = ", ".join(result.cleaner for result, its in zip(others, directions, strict=True) if its == "worse")
        yield f"Cleaning hurts, significantly in F1, with {names}."
    emptied = [result for result in others if result.summary.words.emptied > text.emptied]
    if emptied:
        most = max(emptied, key=lambda result: result.summary.words.emptied)
        count = most.summary.words.emptied
        yield f"{most.cleaner} leaves nothing of {count} {'page' if count == 1 else 'pages'}, the most."


def _quality(result: CleanerResult) -> Quality:
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
    tables = cleaning_tables(run)
    files = {
        "cleaners.csv": cleaners_csv(run.results),
        "pages.csv": pages_csv(run),
        "table.md": "\n".join(map(render_markdown, tables)),
        "table.tex": _latex(tables),
        "report.html": render_cleaning_report(run),
    }
    if run.sweeps:
        files["curves.csv"] = curves_csv((*run.sweeps, *run.tested))
    if types := page_types(run):
        files["page_types.csv"] = page_types_csv(types)
    for name, text in files.items():
        write_text(folder / name, text)
    for name in {"curves.csv", "page_types.csv"} - files.keys():
        try:
            (folder / name).unlink(missing_ok=True)
        except OSError as error:
            raise user_error(error, folder / name) from error


def _latex(tables: Sequence[Table]) -> str:
    """Return the tables one below the other; the package they need is stated once."""
    first, *others = map(render_latex, tables)
    return "\n".join([first, *(text.partition("\n")[2] for text in others)])

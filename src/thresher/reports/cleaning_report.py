"""How well cleaners clean: every number, for other programs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from thresher.cleaneval.judging import PageQuality
from thresher.cleaneval.measures import Agreement, Summary
from thresher.cleaneval.reliability import Reliability
from thresher.cleaneval.results import CleanerResult
from thresher.cleaneval.running import CleaningRun
from thresher.cleaneval.sweeps import GoldSweep
from thresher.evaluation.significance import ALPHA
from thresher.files import user_error, write_text
from thresher.reports.cleaning_plots import (
    NamedCurve,
    Quality,
    curves_figure,
    differences_figure,
    overview_figure,
    reliability_figure,
)
from thresher.reports.cleaning_tables import (
    measures_table,
    reliability_table,
    segmentation_table,
    sweep_table,
    transfer_table,
    words_table,
)
from thresher.reports.formats import render_latex, render_markdown
from thresher.reports.formatting import cutoff_text, fixed, signed
from thresher.reports.html_parts import Picture, picture, render_template
from thresher.reports.table import csv_text
from thresher.reports.tables import Table
from thresher.results.selection import direction

_MACRO = ("precision", "recall", "f1", "bag_precision", "bag_recall", "bag_f1", "similarity")
_ROUGE = ("rouge_precision", "rouge_recall", "rouge_f1")
_MICRO = ("micro", "micro_bag")
_SEGMENTS = ("labelled", "unlabelled")
_PARTS = ("precision", "recall", "f1")
_BOUNDED = ("precision", "recall", "f1")
_COMPARED = ("difference", "wins", "ties", "losses", "p", "p_holm", "effect", "ci_low", "ci_high")
_T_TESTS = ("f1", "precision")


def cleaners_csv(results: Sequence[CleanerResult]) -> str:
    """Return one line a cleaner with all numbers: macro mean, sd and median, intervals, micro values, tests.

    Shares are in [0, 1], similarity in per cent; floats have the fewest digits that give the same float back. What is not
    defined is empty: the baseline's tests, segments where the gold text has none.
    """
    header = ["cleaner", "peer", "pages", "emptied", "crashed"]
    header += [f"{name}_{part}" for name in (*_MACRO, *_ROUGE) for part in ("mean", "sd", "median")]
    header += [f"{name}_{bound}" for name in _BOUNDED for bound in ("low", "high")]
    header += [f"{name}_{part}" for name in _MICRO for part in _PARTS]
    header += ["segmented_pages", *(f"{name}_{part}" for name in _SEGMENTS for part in (*_PARTS, "f1_macro"))]
    header += [f"f1_{name}" for name in _COMPARED]
    header += [f"t_{name}_{part}" for name in _T_TESTS for part in ("t", "df", "p", "low", "high")]
    return csv_text(header, map(_line, results))


def pages_csv(
    stems: Sequence[str], results: Sequence[CleanerResult], reliability: Sequence[tuple[str, Reliability]] = ()
) -> str:
    """Return one line a page and cleaner: counts of words, the measures, the precision predicted."""
    header = [
        "page",
        "cleaner",
        "words",
        "gold",
        "aligned",
        "shared",
        "distance",
        "precision",
        "recall",
        "f1",
        "bag_f1",
    ]
    header += ["similarity", "rouge_precision", "rouge_recall", "rouge_f1"]
    header += ["segments", "gold_segments", "right_labelled", "right_unlabelled", "predicted_precision"]
    predictions = {cleaner: iter(found.predictions) for cleaner, found in reliability}
    return csv_text(
        header,
        (
            [*_page(stem, result, place), _predicted(result.pages[place], predictions.get(result.cleaner))]
            for place, stem in enumerate(stems)
            for result in results
        ),
    )


def curves_csv(sweeps: Sequence[GoldSweep]) -> str:
    """Return one line a scorer and cutoff, from the cutoff that removes least to the one that removes most.

    `best` is 1 at the cutoff of the best mean F1, `plateau` at those within one standard error of it, else 0.
    """
    header = ["scorer", "set", "cutoff", *_PARTS, *(f"micro_{part}" for part in _PARTS), "best", "plateau"]
    return csv_text(header, (line for sweep in sweeps for line in _curve(sweep)))


def _curve(sweep: GoldSweep) -> Iterator[list[str]]:
    best = sweep.best
    for point in sweep.points:
        line = [sweep.scorer, sweep.gold, cutoff_text(point.cutoff), *_agreement(point.macro), *_agreement(point.micro)]
        yield [*line, str(int(point.cutoff == best.cutoff)), str(int(best.low <= point.cutoff <= best.high))]


def _line(result: CleanerResult) -> list[str]:
    summary, words = result.summary, result.summary.words
    line = [result.cleaner, str(int(result.is_peer)), str(words.pages), str(words.emptied), str(result.crashes)]
    for owner, names in ((words, _MACRO), (summary, _ROUGE)):
        for name in names:
            values: Summary = getattr(owner, name)
            line += map(repr, (values.mean, values.sd, values.median))
    for interval in result.intervals:
        line += map(repr, (interval.low, interval.high))
    for name in _MICRO:
        line += _agreement(getattr(words, name))
    found = summary.segmentation
    if found is None:
        line += [""] * (1 + len(_SEGMENTS) * (len(_PARTS) + 1))
    else:
        line += [str(found.pages), *_agreement(found.labelled), repr(found.labelled_f1.mean)]
        line += [*_agreement(found.unlabelled), repr(found.unlabelled_f1.mean)]
    line += [repr(getattr(result.comparison, name)) if result.comparison else "" for name in _COMPARED]
    for test in (result.t_test, result.t_precision):
        if test is None:
            line += [""] * 5
        else:
            line += map(repr, (test.t, test.df, test.p, test.difference.low, test.difference.high))
    return line


def _page(stem: str, result: CleanerResult, place: int) -> list[str]:
    page = result.pages[place]
    words, rouge = page.words, page.rouge.agreement
    counts = (words.words, words.gold, words.aligned, words.shared, words.distance)
    line = [stem, result.cleaner, *map(str, counts), *_agreement(words.alignment), repr(words.bag.f1)]
    line += [repr(words.similarity), *_agreement(rouge)]
    found = page.segments
    if found is None:
        return [*line, "", "", "", ""]
    return [*line, *map(str, (found.cleaned, found.gold, found.right, found.right_unlabelled))]


def _predicted(page: PageQuality, predictions: Iterator[float] | None) -> str:
    """Pages without words have none."""
    return repr(next(predictions)) if predictions and page.statistics else ""


def _agreement(found: Agreement) -> list[str]:
    return [*map(repr, (found.precision, found.recall, found.f1))]


def render_cleaning_report(run: CleaningRun) -> str:
    """Return the page: one HTML document with its styles, plots and script inside, the same bytes every time."""
    baseline, *others = run.results
    return render_template(
        "cleaning.html.j2",
        title=f"Cleaning {run.name}",
        pages=len(run.standard.pages),
        rows=len(run.results),
        sentences=list(_sentences(run)),
        words=words_table(run.results),
        measures=measures_table(run.results),
        segmentation=segmentation_table(run.results),
        overview=picture(
            overview_figure(run.name, [_quality(result) for result in others], _quality(baseline)),
            "overview",
            "Precision against recall of all cleaners",
            "Precision against recall of words by alignment, means over pages; faint lines join points of equal F1.",
        ),
        # Of cleaners alone: a plot takes a third of a second, and other packages are there to compare with.
        histograms=[_histogram(result, baseline, place) for place, result in enumerate(others) if not result.is_peer],
        sweeps=_sweeps(run),
        curves=[sweep_table(sweep) for sweep in run.sweeps],
        transfers=transfer_table(run.transfers),
        reliability=reliability_table(run.reliability),
        predictions=[
            picture(
                reliability_figure(cleaner, found),
                f"reliability-{place}",
                f"Predicted and true precision of {cleaner}",
            )
            for place, (cleaner, found) in enumerate(run.reliability)
        ],
        problems=run.problems,
        crashes=run.crashes,
        without_gold=run.standard.without_gold,
        without_page=run.standard.without_page,
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
    found = [direction(result.comparison) for result in others]
    yield (
        f"Of {len(others)} others, {found.count('better')} are significantly better in F1 (α = {ALPHA}, Holm),"
        f" {found.count('worse')} significantly worse, {found.count('none') + found.count('mixed')} neither."
    )
    best = max(others, key=lambda result: result.summary.words.f1.mean)
    words = best.summary.words
    gain = words.f1.mean - text.f1.mean
    yield (
        f"The highest mean F1 is that of {best.cleaner}: {fixed(words.f1.mean, 3)} ({signed(gain, 3)}), at precision"
        f" {fixed(words.precision.mean, 3)} and recall {fixed(words.recall.mean, 3)}."
    )
    hurt = [result for result in others if result.summary.words.f1.mean < text.f1.mean]
    if hurt:
        names = ", ".join(result.cleaner for result in hurt)
        yield f"Cleaning hurts, by mean F1, with {names}."
    emptied = [result for result in others if result.summary.words.emptied > text.emptied]
    if emptied:
        most = max(emptied, key=lambda result: result.summary.words.emptied)
        count = most.summary.words.emptied
        yield f"{most.cleaner} leaves nothing of {count} {'page' if count == 1 else 'pages'}, the most."


def _quality(result: CleanerResult) -> Quality:
    words = result.summary.words
    return Quality(result.cleaner, words.precision.mean, words.recall.mean, result.is_peer)


def _histogram(result: CleanerResult, baseline: CleanerResult, place: int) -> Picture:
    values, before = ([page.words.alignment.precision for page in found.pages] for found in (result, baseline))
    figure = differences_figure(result.cleaner, values, before, "precision")
    return picture(figure, f"precision-{place}", f"Precision differences of {result.cleaner} by page")


def _sweeps(run: CleaningRun) -> Picture | None:
    if not run.sweeps:
        return None
    curves = [NamedCurve(sweep.scorer, sweep.points) for sweep in run.sweeps]
    figure = curves_figure(run.name, curves, _quality(run.results[0]))
    return picture(
        figure,
        "sweeps",
        "Precision against recall over cutoffs",
        "Each scorer over its cutoffs, means over pages; cutoffs far below the best may lie outside.",
    )


CUTOFFS = 12
"""About as many cutoffs of a sweep are shown on a terminal."""


def cleaning_tables(run: CleaningRun, cutoffs: int | None = None) -> tuple[Table, ...]:
    """Return all tables of a run, those that would be empty left out.

    Args:
        run: the finished run.
        cutoffs: about how many of each sweep to show at most; None for all.
    """
    found = (
        words_table(run.results),
        measures_table(run.results),
        segmentation_table(run.results),
        reliability_table(run.reliability),
        *(sweep_table(sweep, cutoffs) for sweep in run.sweeps),
        transfer_table(run.transfers),
    )
    return tuple(table for table in found if table is not None)


def write_cleaning_report(run: CleaningRun, folder: Path) -> None:
    """Write `cleaners.csv`, `pages.csv`, `table.md`, `table.tex` and `report.html` into `folder`.

    A run with sweeps has a `curves.csv`, too; without, one that an earlier run left is removed.

    Raises:
        InputError: if the folder cannot be written.
    """
    # Plots need matplotlib, which takes most of a second to import.
    from thresher.reports.cleaning_report import render_cleaning_report

    tables = cleaning_tables(run)
    stems = [page.stem for page in run.standard.pages]
    files = {
        "cleaners.csv": cleaners_csv(run.results),
        "pages.csv": pages_csv(stems, run.results, run.reliability),
        "table.md": "\n".join(map(render_markdown, tables)),
        "table.tex": _latex(tables),
        "report.html": render_cleaning_report(run),
    }
    if run.sweeps:
        files["curves.csv"] = curves_csv(run.sweeps)
    # All are made before any is written: they belong together.
    for name, text in files.items():
        write_text(folder / name, text)
    if not run.sweeps:
        _remove(folder / "curves.csv")


def _latex(tables: Sequence[Table]) -> str:
    """Return the tables one below the other; what package they need is said once."""
    first, *others = map(render_latex, tables)
    return "\n".join([first, *(text.partition("\n")[2] for text in others)])


def _remove(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise user_error(error, path) from error

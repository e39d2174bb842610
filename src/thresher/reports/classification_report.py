"""A classification of cleaned pages as tables, CSV and a plot: Table 6 of the perplexity paper in form."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from thresher.classifying.class_measures import PairedClasses
from thresher.classifying.page_classification import CleanerClasses, GroupResult, PageClassification
from thresher.cleaneval.results import MeanInterval
from thresher.defaults import ALPHA
from thresher.files import write_text
from thresher.reports.cleaning_tables import CLEANER, interval_columns
from thresher.reports.formatting import MARKS, MINUS, p_text, percent_text, plain, signed
from thresher.reports.plot_style import INK, legend_below, new_figure, of_series, style, write_plot
from thresher.reports.table import COUNT, PERCENT, Column, Table, csv_table, each, within
from thresher.reports.text_tables import render_markdown

MACRO = "macro"


@dataclass(frozen=True)
class _ClassRow:
    cleaner: str
    label: str
    pages: int
    f1: MeanInterval


@dataclass(frozen=True)
class _GroupRow:
    cleaner: str
    result: GroupResult


@dataclass(frozen=True)
class _PageRow:
    cleaner: str
    page: str
    label: str
    group: str
    predicted: str


def _mark(row: CleanerClasses) -> str:
    if row.paired is None or row.paired.p_holm > ALPHA:
        return ""
    return MARKS["better" if row.paired.gained > row.paired.lost else "worse"]


_NAME: Column[CleanerClasses] = Column("cleaner", lambda row: row.cleaner, CLEANER, align="left")
_PAIRED: tuple[Column[PairedClasses], ...] = (
    Column(
        "difference",
        lambda row: row.difference.mean,
        "Macro F1 less the baseline's.",
        text=lambda row: (
            f"{signed(row.difference.mean, 4)} [{signed(row.difference.low, 4)}, {signed(row.difference.high, 4)}]"
        ),
    ),
    *interval_columns(
        "difference", "difference", lambda row: row.difference, "difference, paired bootstrap over pages"
    ),
    Column("gained", lambda row: row.gained, "Pages that are right and were wrong.", format=COUNT),
    Column("lost", lambda row: row.lost, "Pages that are wrong and were right.", format=COUNT),
    Column("p", lambda row: row.p, "McNemar's exact test against the baseline, two-sided.", format=each(p_text)),
    Column(
        "p_holm", lambda row: row.p_holm, "P by Holm's correction over all cleaners.", "p, Holm", format=each(p_text)
    ),
)
CLASSIFIED_CLEANERS: tuple[Column[CleanerClasses], ...] = (
    _NAME,
    Column("words", lambda row: row.words, "Words that are left on all pages.", format=COUNT),
    Column("emptied", lambda row: row.emptied, "Pages without text left.", unit="pages", format=COUNT),
    Column("accuracy", lambda row: row.accuracy, "Share of the pages that is right.", "right", "%", PERCENT),
    Column("macro_f1", lambda row: row.macro.mean, "Mean of F1 over classes.", "macro F1", mark=_mark),
    *interval_columns("macro_f1", "macro F1", lambda row: row.macro, "macro F1, bootstrap over pages"),
    *within(_PAIRED, lambda row: row.paired),
)
F1_ROWS: tuple[Column[_ClassRow], ...] = (
    Column("cleaner", lambda row: row.cleaner, CLEANER),
    Column("class", lambda row: row.label, f"The class; `{MACRO}` for the mean over classes."),
    Column("pages", lambda row: row.pages, "Pages of the class."),
    Column("f1", lambda row: row.f1.mean, "F1."),
    Column("f1_low", lambda row: row.f1.low, "Lower bound of its 95 % interval, bootstrap over pages."),
    Column("f1_high", lambda row: row.f1.high, "Upper bound of it."),
)
GROUP_ROWS: tuple[Column[_GroupRow], ...] = (
    Column("cleaner", lambda row: row.cleaner, CLEANER, align="left"),
    Column("group", lambda row: row.result.group, "The group that was left out.", align="left"),
    Column("pages", lambda row: row.result.pages, "Its pages.", format=COUNT),
    Column("macro_f1", lambda row: row.result.macro_f1, "Mean of F1 over the classes that it has.", "macro F1"),
    Column("accuracy", lambda row: row.result.accuracy, "Share of its pages that is right.", "right", "%", PERCENT),
)
PAGE_ROWS: tuple[Column[_PageRow], ...] = (
    Column("cleaner", lambda row: row.cleaner, CLEANER),
    Column("page", lambda row: row.page, "Id of the page."),
    Column("class", lambda row: row.label, "Its class."),
    Column("group", lambda row: row.group, "Its group, left out in training."),
    Column("predicted", lambda row: row.predicted, "The class that was predicted."),
)


def classification_tables(found: PageClassification) -> tuple[Table, ...]:
    """Return F1 by class with a row for each cleaner (Table 6), the tests against the baseline, and macro F1 by group."""
    counts = f"{found.documents:,} documents: {len(found.pages):,} pages classified, {len(found.failed):,} failed."
    groups = [_GroupRow(one.cleaner, result) for one in found.cleaners for result in one.groups]
    shown = ("words", "emptied", "accuracy", "difference", "gained", "lost", "p", "p_holm")
    return (
        Table.of(
            (
                _NAME,
                CLASSIFIED_CLEANERS[4],
                *(_class_column(found, position) for position in range(len(found.classes))),
            ),
            found.cleaners,
            f"F1 by class (Table 6), each group of {found.name} left out of training in turn. {found.classifier}. {counts}",
            f"† at {percent_text(ALPHA)} by McNemar's test against the first row with Holm's correction: more pages right (+)"
            f" or fewer ({MINUS}).",
        ),
        Table.of(
            (_NAME, *(column for column in CLASSIFIED_CLEANERS if column.name in shown)),
            found.cleaners,
            "Against the uncleaned pages: difference of macro F1 with its 95 % interval; McNemar's test is of single pages.",
        ),
        Table.of(GROUP_ROWS, groups, "Left-out groups.", keys=2, group=lambda row: row.cleaner),
    )


def _class_column(result: PageClassification, position: int) -> Column[CleanerClasses]:
    name = result.classes[position]
    return Column(
        name, lambda row: row.by_class[position].mean, f"F1 of {name}.", name, f"{result.counts[position]:,} pages"
    )


def f1_figure(result: PageClassification) -> Figure:
    """Return macro F1 of each cleaner with its interval, and F1 by class."""
    names = [one.cleaner for one in result.cleaners][::-1]
    positions = np.arange(len(names))
    with style():
        figure = new_figure(6.6, 1.6 + 0.32 * len(names))
        axes = figure.subplots()
        axes.set_title(plain(f"{result.name}: F1 after cleaning"))
        for number, label in enumerate(result.classes):
            axes.plot(
                [one.by_class[number].mean for one in result.cleaners][::-1],
                positions,
                **of_series(number),
                markerfacecolor="none",
                linewidth=0,
                label=plain(label),
            )
        macro = [one.macro for one in result.cleaners][::-1]
        axes.errorbar(
            [one.mean for one in macro],
            positions,
            xerr=np.array([[one.mean - one.low for one in macro], [one.high - one.mean for one in macro]]),
            color=INK,
            fmt="|",
            markersize=11,
            capsize=3,
            label="macro F1, 95 % interval",
        )
        axes.axvline(macro[-1].mean, color=INK, linewidth=0.7, alpha=0.5)
        axes.set_yticks(positions, list(map(plain, names)))
        axes.set_xlabel("F1")
        axes.set_xlim(0, 1)
        axes.margins(y=0.06)
        legend_below(figure, axes)
    return figure


def write_classification(found: PageClassification, folder: Path) -> None:
    """Write `cleaners.csv`, `classes.csv`, `groups.csv`, `pages.csv`, `table.md` and `f1.svg` into `folder`.

    Raises:
        ThresherError: if the folder cannot be written.
    """
    groups = [_GroupRow(one.cleaner, result) for one in found.cleaners for result in one.groups]
    for name, text in (
        ("cleaners.csv", csv_table(CLASSIFIED_CLEANERS, found.cleaners)),
        ("classes.csv", csv_table(F1_ROWS, _class_rows(found))),
        ("groups.csv", csv_table(GROUP_ROWS, groups)),
        ("pages.csv", csv_table(PAGE_ROWS, _page_rows(found))),
        ("table.md", "\n".join(map(render_markdown, classification_tables(found)))),
    ):
        write_text(folder / name, text)
    write_plot(f1_figure(found), folder / "f1.svg")


def _class_rows(result: PageClassification) -> Iterator[_ClassRow]:
    for one in result.cleaners:
        yield _ClassRow(one.cleaner, MACRO, len(result.pages), one.macro)
        for label, pages, f1 in zip(result.classes, result.counts, one.by_class, strict=True):
            yield _ClassRow(one.cleaner, label, pages, f1)


def _page_rows(result: PageClassification) -> Iterator[_PageRow]:
    for one in result.cleaners:
        for page, predicted in zip(result.pages, one.predicted.tolist(), strict=True):
            yield _PageRow(one.cleaner, page.id, page.label, page.group, result.classes[predicted])

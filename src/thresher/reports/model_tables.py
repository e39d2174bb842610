"""The tables and CSV files of language models: how well scorers separate content from boilerplate, and learning curves."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from thresher.cleaneval.ncleaner_evaluation import CurvePoint, CurveSize
from thresher.cleaneval.separation import Area, PooledCutoff, ScorerSeparation, SeparationRun
from thresher.content_training.importance import GroupImportance
from thresher.reports.cleaning_columns import NUMBER, interval_columns
from thresher.reports.table import COUNT, Column, Table, csv_table, each, pick, within


def _area(name: str, read: Callable[[ScorerSeparation], Area]) -> list[Column[ScorerSeparation]]:
    what = f"the area under the ROC curve over {name}"
    value: Column[ScorerSeparation] = Column(
        f"area_{name}", lambda row: read(row).value, f"T{what[1:]}.", "area", name, NUMBER
    )
    return [value, *interval_columns(name, "area", read, what)]


SEPARATION: tuple[Column[ScorerSeparation], ...] = (
    Column("scorer", lambda row: row.scorer, "The scorer, by its canonical name.", align="left"),
    *_area("sentences", lambda row: row.separation.sentences),
    *_area("words", lambda row: row.separation.words),
    Column(
        "area_page_mean",
        lambda row: row.separation.page_mean,
        "Mean over pages of the area over a page's sentences.",
        "area",
        "page mean",
        NUMBER,
    ),
    Column("pages_with_both", lambda row: row.separation.pages, "Pages with both content and boilerplate."),
    *within(
        (
            Column[PooledCutoff](
                "best_f1_words",
                lambda item: item.f1,
                "Best F1 over words, all pages pooled.",
                "best F1",
                "words",
                NUMBER,
            ),
            Column(
                "best_cutoff",
                lambda item: item.cutoff,
                "The cutoff that reaches it.",
                "its cutoff",
                format=each(lambda value: f"{value:,.6g}"),
            ),
        ),
        lambda row: row.separation.best,
    ),
)
"""The columns of how well scorers separate content from boilerplate."""


def separation_csv(run: SeparationRun) -> str:
    """Return one line per scorer."""
    return csv_table(SEPARATION, run.scorers)


def separation_table(run: SeparationRun) -> Table:
    """Return the areas under the ROC curve and the best cutoff of each scorer, yardsticks last."""
    areas = (f"{part}" for name in ("sentences", "words") for part in (f"area_{name}", f"{name}_interval"))
    columns = pick(SEPARATION, "scorer", *areas, "area_page_mean", "best_f1_words", "best_cutoff")
    caption = f"{run.pages} pages, {run.sentences:,} sentences with words, {run.content:,} of them content."
    note = "Area under the ROC curve over sentences, over words, and its mean over pages; 0.5 is chance."
    return Table.of(columns, run.scorers, caption, note, group=lambda row: row.is_yardstick)


POINT: tuple[Column[CurvePoint], ...] = (
    Column("pages", lambda row: row.pages, "Pages trained on."),
    Column("words", lambda row: row.words, "Words of their cleaned text."),
    Column("repeat", lambda row: row.repeat, "The number of the random order, from 0."),
    Column("precision", lambda row: row.precision, "Precision of words by alignment, all test pages pooled."),
    Column("recall", lambda row: row.recall, "Recall of words by alignment, all test pages pooled."),
    Column("f1", lambda row: row.f1, "F1 of words by alignment, all test pages pooled."),
    Column("macro_f1", lambda row: row.macro_f1, "F1 of words by alignment: mean over test pages."),
)
"""The columns of models that were trained on growing subsets."""
SIZE: tuple[Column[CurveSize], ...] = (
    Column("pages", lambda row: row.pages, "Pages trained on.", format=COUNT),
    Column("words", lambda row: row.words, "Words of their cleaned text: mean over the orders.", format=COUNT),
    Column("models", lambda row: row.repeats, "Models, one an order.", format=COUNT),
    Column("precision", lambda row: row.precision.mean, "Pooled precision: mean over the orders.", format=NUMBER),
    Column("recall", lambda row: row.recall.mean, "Pooled recall: mean over the orders.", format=NUMBER),
    Column("F1", lambda row: row.f1.mean, "Pooled F1: mean over the orders.", format=NUMBER),
    Column("least", lambda row: row.f1.low, "The lowest F1 of an order.", format=NUMBER),
    Column("most", lambda row: row.f1.high, "The highest F1 of an order.", format=NUMBER),
    Column("macro F1", lambda row: row.macro_f1.mean, "Mean F1 over pages: mean over the orders.", format=NUMBER),
)
"""The columns of the same models by number of pages."""


def curve_csv(points: Sequence[CurvePoint]) -> str:
    """Return one line per model."""
    return csv_table(POINT, points)


def curve_table(sizes: Sequence[CurveSize]) -> Table:
    """Return one row per number of training pages."""
    return Table.of(SIZE, sizes, "")


def importance_columns(page_types: Sequence[str]) -> tuple[Column[GroupImportance], ...]:
    """Return the columns of what groups of features are worth, one for each page type, `OVERALL` among them."""
    return (
        Column("group", lambda row: row.group, "The features.", align="left"),
        Column("features", lambda row: row.features, "How many of them the model uses.", format=COUNT),
        Column(
            "gain",
            lambda row: row.gain,
            "Their share in the change of the second stage's sums, in per cent.",
            format=each(lambda value: f"{value:.1f} %"),
        ),
        *(_lost(page_type) for page_type in page_types),
    )


def _lost(page_type: str) -> Column[GroupImportance]:
    where = f" on pages of type {page_type}" if page_type else ""
    return Column(
        f"lost_{page_type or 'all'}",
        lambda row: row.lost[page_type],
        f"Word F1 that is lost{where} when the features are taken from other blocks.",
        page_type or "all pages",
        format=NUMBER,
    )


def importance_table(before: Mapping[str, float], groups: Sequence[GroupImportance]) -> Table:
    """Return the table of what groups of features are worth; `before` is the mean word F1 by page type."""
    columns = importance_columns([*before])
    note = "word F1 with all: " + ", ".join(f"{name or 'all pages'} {value:.4f}" for name, value in before.items())
    return Table.of(columns, groups, "", note)

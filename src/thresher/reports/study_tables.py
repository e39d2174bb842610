"""A study of blocks as tables and files: Tables 1 and 2 of Kohlschütter et al. (2010) in form, the fits of section 5."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from thresher.files import write_text
from thresher.reports.cleaning_tables import NUMBER
from thresher.reports.plot_style import write_plot
from thresher.reports.study_plots import density_figure, gains_figure, words_figure, writers_figure
from thresher.reports.table import COUNT, PERCENT, Column, Format, Table, csv_table, decimals, each, within
from thresher.reports.text_tables import render_markdown
from thresher.studying.block_classifiers import PublishedFigures
from thresher.studying.block_study import (
    BlockScores,
    BlockStudy,
    ClassCount,
    ClassifierRow,
    FeatureGain,
    HistogramBin,
    TypeRow,
    problem_names,
)
from thresher.studying.studied_blocks import write_blocks
from thresher.studying.word_distribution import WriterFit

_PUBLISHED_SHARES: Mapping[str, tuple[float, float, float]] = {
    "boilerplate": (0.79, 0.35, 0.46),
    "any content": (0.21, 0.65, 0.54),
    "headline": (0.01, 0.01, 0.01),
    "full text": (0.12, 0.51, 0.42),
    "supplemental": (0.03, 0.03, 0.02),
    "comments": (0.01, 0.01, 0.01),
    "related": (0.04, 0.09, 0.08),
}
"""Of blocks, words and tokens in GoogleNews (Table 1)."""
_PUBLISHED_ONE = WriterFit((0.3145,), 0.967, 0.0046, 1122)
_PUBLISHED_TWO = WriterFit((0.7586, 0.3968, 0.04369), 0.9881, 0.0027, 1122)
_GOOGLE_NEWS = "GoogleNews (paper)"
_SHOWN = ("words @15", "link density @0.33", "text density @10.5", "Algorithm 2", "tree: all local (P/C/N)")
"""Classifiers whose F1 is shown by type of page."""
GAINS_SHOWN = 15


def _share_columns() -> Iterator[Column[ClassCount]]:
    yield Column("class", lambda row: row.name, "The class by the gold, or all but boilerplate.", align="left")
    yield from _of_unit("blocks", lambda row: row.blocks, lambda row: row.blocks_share, 0)
    yield from _of_unit("words", lambda row: row.words, lambda row: row.words_share, 1)
    yield from _of_unit("tokens", lambda row: row.tokens, lambda row: row.tokens_share, 2)


def _of_unit(
    name: str, count: Callable[[ClassCount], float], share: Callable[[ClassCount], float], index: int
) -> Iterator[Column[ClassCount]]:
    yield Column(name, count, f"Number of {name}.", format=COUNT)
    yield Column(f"{name}_share", share, f"Share of all {name}.", "share", "%", PERCENT)
    yield Column(
        f"{name}_published",
        lambda row: _PUBLISHED_SHARES[row.name][index],
        f"Share of all {name} in the paper's Table 1.",
        "paper",
        "%",
        PERCENT,
    )


CLASS_SHARES = tuple(_share_columns())

_SCORES: tuple[Column[BlockScores], ...] = (
    Column("precision", lambda row: row.precision, "Precision, mean over classes.", "P", format=NUMBER),
    Column("recall", lambda row: row.recall, "Recall, mean over classes.", "R", format=NUMBER),
    Column("f1", lambda row: row.f1, "F1, mean over classes.", "F1", format=NUMBER),
    Column(
        "false_positive_rate",
        lambda row: row.false_positive_rate,
        "False-positive rate, mean over classes.",
        "FPR",
        format=NUMBER,
    ),
    Column("roc_area", lambda row: row.area, "Area under the ROC curve, mean over classes.", "ROC", format=NUMBER),
)
_PUBLISHED: tuple[Column[PublishedFigures], ...] = (
    Column("f1", lambda row: row.f1, "F1.", "F1, paper", format=NUMBER),
    Column(
        "false_positive_rate", lambda row: row.false_positive_rate, "False-positive rate.", "FPR, paper", format=NUMBER
    ),
    Column("roc_area", lambda row: row.area, "Area under the ROC curve.", "ROC, paper", format=NUMBER),
)
CLASSIFIED: tuple[Column[ClassifierRow], ...] = (
    Column("problem", lambda row: row.problem, "Classification into two or four classes."),
    Column(
        "classifier",
        lambda row: row.name,
        "The classifier; P/C/N: with the features of the previous, current and next block.",
        align="left",
    ),
    Column("features", lambda row: row.features, "Number of features that it may use.", "dim", format=COUNT),
    Column(
        "leaves",
        lambda row: row.leaves or None,
        "Leaves or intervals, mean over the folds.",
        "leaves",
        format=decimals(0),
    ),
    *within(_SCORES, lambda row: row.by_blocks, "blocks_", "Each block counted once"),
    *within(_SCORES, lambda row: row.by_words, "words_", "Blocks weighted by their words"),
    *within(_PUBLISHED, lambda row: row.published, "published_", "In the paper's Table 2, by words"),
)
GAINS: tuple[Column[FeatureGain], ...] = (
    Column("problem", lambda row: row.problem, "Classification into two or four classes."),
    Column(
        "feature",
        lambda row: row.feature,
        "The feature; `previous_` and `next_` are those of the neighbours.",
        align="left",
    ),
    Column(
        "by_words", lambda row: row.by_words, "Information gain, blocks weighted by their words.", "by words", "bits"
    ),
    Column("by_blocks", lambda row: row.by_blocks, "Information gain, each block counted once.", "by blocks", "bits"),
    Column("intervals", lambda row: row.intervals, "Intervals by Fayyad and Irani's rule.", format=COUNT),
)
_SMALL: Format = each(lambda value: f"{value:.4f}")
_FIT: tuple[Column[WriterFit], ...] = (
    Column("r2", lambda row: row.r2, "Adjusted coefficient of determination.", "R²", format=_SMALL),
    Column("rmse", lambda row: row.rmse, "Root mean square error.", "RMSE", format=_SMALL),
)
_TYPE: Column[TypeRow] = Column("page_type", lambda row: row.page_type, "Type of the pages, or `all`.", align="left")
_SIZES: tuple[Column[TypeRow], ...] = (
    _TYPE,
    Column("pages", lambda row: row.pages, "Pages with blocks.", format=COUNT),
    Column("blocks", lambda row: row.blocks, "Their blocks.", format=COUNT),
    Column("words", lambda row: row.words, "Their words.", format=COUNT),
    Column(
        "content_blocks",
        lambda row: row.content_blocks,
        "Share of the blocks that is content.",
        "content",
        "% of blocks",
        PERCENT,
    ),
    Column(
        "content_words",
        lambda row: row.content_words,
        "Share of the words that is content.",
        "content",
        "% of words",
        PERCENT,
    ),
)


def _parameter(
    name: str, fit: Callable[[TypeRow], WriterFit], index: int, meaning: str, header: str
) -> Column[TypeRow]:
    return Column(name, lambda row: fit(row).parameters[index], meaning, header, format=_SMALL)


_WRITERS: tuple[Column[TypeRow], ...] = (
    _parameter("end", lambda row: row.one, 0, "One state (Eq. 2): P_T(N), that a block ends.", "P_T(N)"),
    *within(_FIT, lambda row: row.one, "one_", "One state"),
    _parameter("short", lambda row: row.two, 0, "Two states (Eq. 3): P_N(S), of short text.", "P_N(S)"),
    _parameter("short_end", lambda row: row.two, 1, "Two states: P_S(N), that short text ends.", "P_S(N)"),
    _parameter("long_end", lambda row: row.two, 2, "Two states: P_L(N), that long text ends.", "P_L(N)"),
    *within(_FIT, lambda row: row.two, "two_", "Two states"),
)


def _f1_column(name: str) -> Column[TypeRow]:
    return Column(
        f"f1_{name}", lambda row: row.scores[name].f1, f"`{name}`: F1 in two classes, by words.", name, "F1", NUMBER
    )


TYPE_ROWS: tuple[Column[TypeRow], ...] = (*_SIZES, *_WRITERS, *map(_f1_column, _SHOWN))
HISTOGRAM: tuple[Column[HistogramBin], ...] = (
    Column("feature", lambda row: row.feature, "Number of words, or text density rounded to a whole number."),
    Column("value", lambda row: row.value, "Its value."),
    Column("class", lambda row: row.name, "The class by the gold."),
    Column("blocks", lambda row: row.blocks, "Number of blocks."),
    Column("words", lambda row: row.words, "Number of their words."),
    Column("linked_words", lambda row: row.linked_words, "Number of their words that are linked."),
)


def study_tables(study: BlockStudy) -> tuple[Table, ...]:
    """Return the classes, the classifiers by problem, the features of most gain, and the fits by type of page."""
    blocks = study.blocks
    pages = (
        f"{study.pages:,} pages: {len(blocks.stems):,} with blocks, {len(blocks.without_blocks):,} without,"
        f" {len(blocks.failed):,} that cannot be parsed."
    )
    shown = [column for column in CLASSIFIED if column.name not in _LEFT_OUT]
    return (
        Table.of(CLASS_SHARES, study.classes, f"Classes of blocks (Table 1). {pages}"),
        *(
            Table.of(
                shown,
                [row for row in study.classifiers if row.problem == problem],
                f"Classification into {problem} classes (Table 2), {study.folds}-fold cross-validation by page. First"
                " F1, FPR and ROC area with each block counted once, then by words, then the paper's, which are by words.",
            )
            for problem in problem_names(study)
        ),
        *(
            Table.of(
                GAINS[1:],
                [gain for gain in study.gains if gain.problem == problem][:GAINS_SHOWN],
                f"Features of most information about {problem} classes (Figure 1).",
            )
            for problem in problem_names(study)
        ),
        Table.of(
            (_TYPE, *_WRITERS),
            [*study.types, _published_writers()],
            "Words of blocks as geometric distributions: one state (Eq. 2), two states (Eq. 3).",
        ),
        Table.of(
            (*_SIZES, *TYPE_ROWS[len(_SIZES) + len(_WRITERS) :]),
            study.types,
            "Classification into two classes, by words.",
        ),
    )


_LEFT_OUT = {"problem", *(f"{by}_{name}" for by in ("blocks", "words") for name in ("precision", "recall"))}


def _published_writers() -> TypeRow:
    return TypeRow(_GOOGLE_NEWS, 621, 72662, 520483, 0.21, 0.65, _PUBLISHED_ONE, _PUBLISHED_TWO, {})


def write_study(study: BlockStudy, folder: Path) -> None:
    """Write `blocks.parquet`, the CSV files, `table.md` and the plots into `folder`.

    Raises:
        ThresherError: if the folder cannot be written.
    """
    write_blocks(study.blocks, folder / "blocks.parquet")
    for name, text in (
        ("classes.csv", csv_table(CLASS_SHARES, study.classes)),
        ("classifiers.csv", csv_table(CLASSIFIED, study.classifiers)),
        ("gains.csv", csv_table(GAINS, study.gains)),
        ("page_types.csv", csv_table(TYPE_ROWS, study.types)),
        ("histogram.csv", csv_table(HISTOGRAM, study.histogram)),
        ("table.md", "\n".join(map(render_markdown, study_tables(study)))),
    ):
        write_text(folder / name, text)
    for problem in problem_names(study):
        write_plot(gains_figure(study, problem), folder / f"information-gain-{problem}.svg")
    write_plot(words_figure(study), folder / "words.svg")
    write_plot(density_figure(study), folder / "density.svg")
    write_plot(writers_figure(study.types[0]), folder / "random-writers.svg")

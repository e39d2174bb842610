"""The columns of cleaning evaluation: of cleaners, of pages, and of cleaners by type of page."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from thresher.evaluation.cleaneval.results import CleanerResult, TypeQuality
from thresher.reports import formats
from thresher.reports.cleaning_measures import (
    CLEANER,
    DECIMALS,
    NUMBER,
    AgreementColumns,
    CleanerColumn,
    MeanIntervalColumns,
    Measure,
    agreement_columns,
    f1_column,
    mean_interval_columns,
)
from thresher.reports.cleaning_rows import (
    PageQualityRow,
    f1_interval,
    rouge_agreement,
    token_f1_interval,
    words_agreement,
)
from thresher.reports.columns import Column
from thresher.reports.formatting import MARKS, NOTHING, direction, signed
from thresher.reports.number_formats import single

PRECISION = Measure(
    "precision", "Precision of words by alignment", lambda row: row.summary.words.precision, "precision"
)
RECALL = Measure("recall", "Recall of words by alignment", lambda row: row.summary.words.recall, "recall")
F1 = Measure("f1", "F1 of words by alignment", lambda row: row.summary.words.f1, "F1")
TOKEN_PRECISION = Measure(
    "token_precision", "Precision of tokens as bags", lambda row: row.summary.token_precision, "token", "precision"
)
TOKEN_RECALL = Measure(
    "token_recall", "Recall of tokens as bags", lambda row: row.summary.token_recall, "token", "recall"
)
TOKEN_F1 = Measure("token_f1", "F1 of tokens as bags", lambda row: row.summary.token_f1, "token", "F1")
SIMILARITY = Measure(
    "similarity",
    "Levenshtein similarity in per cent",
    lambda row: row.summary.words.similarity,
    "Levenshtein",
    "%",
    formats.ONE_DECIMAL,
)
ROUGE_PRECISION = Measure(
    "rouge_precision", "Precision by ROUGE-LSum", lambda row: row.summary.rouge_precision, "ROUGE-LSum", "precision"
)
ROUGE_RECALL = Measure(
    "rouge_recall", "Recall by ROUGE-LSum", lambda row: row.summary.rouge_recall, "ROUGE-LSum", "recall"
)
ROUGE_F1 = Measure("rouge_f1", "F1 by ROUGE-LSum", lambda row: row.summary.rouge_f1, "ROUGE-LSum", "F1")
CLEANER_NAME = CleanerColumn("cleaner", lambda row: row.cleaner, CLEANER, formats.TEXT)
EXTRACTOR = CleanerColumn("extractor", lambda row: int(row.is_extractor), "1 for another package's extractor.")
CLEANED_PAGES = CleanerColumn(
    "pages", lambda row: len(row.pages), "Pages that were cleaned and measured.", formats.COUNT
)
EMPTIED = CleanerColumn(
    "emptied", lambda row: row.summary.words.emptied, "Pages without text left.", formats.COUNT, unit="pages"
)
CRASHED = CleanerColumn(
    "crashed",
    lambda row: row.crashes,
    "Pages on which a package crashed.",
    unit="pages",
    text=lambda row: str(row.crashes) if row.is_extractor else NOTHING,
)
MARKED_F1 = replace(F1.mean, mark=lambda row: MARKS[direction(row.comparison)])
PRECISION_INTERVAL: MeanIntervalColumns[CleanerResult] = mean_interval_columns(
    "precision", "precision", lambda row: row.intervals[0], "mean precision"
)
RECALL_INTERVAL: MeanIntervalColumns[CleanerResult] = mean_interval_columns(
    "recall", "recall", lambda row: row.intervals[1], "mean recall"
)
F1_INTERVAL: MeanIntervalColumns[CleanerResult] = mean_interval_columns(
    "f1", "F1", lambda row: row.intervals[2], "mean F1"
)
TOKEN_F1_INTERVAL: MeanIntervalColumns[CleanerResult] = mean_interval_columns(
    "token_f1", "token F1", lambda row: row.token_interval, "mean token F1"
)
MICRO: AgreementColumns[CleanerResult] = agreement_columns(
    lambda row: row.summary.words.micro, "micro_", "Words by alignment, all pages pooled", "micro"
)
F1_P = replace(
    f1_column("p", lambda test: test.p, "two-sided p by the Wilcoxon signed-rank test.", formats.P), header="p"
)
F1_HOLM_P = replace(
    f1_column("p_holm", lambda test: test.p_holm, "p after Holm's correction; empty without a correction.", formats.P),
    header="p",
    unit="Holm",
)
F1_COMPARISON: tuple[CleanerColumn, ...] = (
    f1_column(
        "difference",
        lambda test: test.difference,
        "mean difference from the baseline.",
        single(partial(signed, decimals=DECIMALS)),
    ),
    f1_column("wins", lambda test: test.wins, "pages better than with the baseline.", formats.COUNT),
    f1_column("ties", lambda test: test.ties, "pages as good as with the baseline.", formats.COUNT),
    f1_column("losses", lambda test: test.losses, "pages worse than with the baseline.", formats.COUNT),
    F1_P,
    F1_HOLM_P,
    f1_column(
        "effect", lambda test: test.effect, "matched-pairs rank-biserial correlation, in [−1, 1].", formats.VALUE
    ),
    f1_column(
        "ci_low",
        lambda test: test.ci_low,
        "lower end of the interval of the mean difference, of level 1 − α.",
        formats.VALUE,
    ),
    f1_column(
        "ci_high",
        lambda test: test.ci_high,
        "upper end of the interval of the mean difference, of level 1 − α.",
        formats.VALUE,
    ),
)
CLEANERS: tuple[CleanerColumn, ...] = (
    CLEANER_NAME,
    EXTRACTOR,
    CLEANED_PAGES,
    EMPTIED,
    CRASHED,
    *PRECISION.columns,
    *RECALL.columns,
    *F1.columns,
    *TOKEN_PRECISION.columns,
    *TOKEN_RECALL.columns,
    *TOKEN_F1.columns,
    *SIMILARITY.columns,
    *ROUGE_PRECISION.columns,
    *ROUGE_RECALL.columns,
    *ROUGE_F1.columns,
    *PRECISION_INTERVAL,
    *RECALL_INTERVAL,
    *F1_INTERVAL,
    *TOKEN_F1_INTERVAL,
    *MICRO,
    *F1_COMPARISON,
)
"""The columns of cleaners: means, standard deviations and medians over pages, intervals, pooled values, the test."""

PAGES: tuple[Column[PageQualityRow], ...] = (
    Column("page", lambda row: row.page.stem, "Stem of the page's file."),
    Column("page_type", lambda row: row.page.page_type, "Type of the page by its gold; empty where it names none."),
    Column("cleaner", lambda row: row.cleaner, CLEANER),
    Column("words", lambda row: row.quality.words.words, "Words of the cleaned text."),
    Column("gold", lambda row: row.quality.words.gold, "Words of the gold text."),
    Column("aligned", lambda row: row.quality.words.aligned, "Words in the longest matching blocks of both texts."),
    Column("distance", lambda row: row.quality.words.distance, "Levenshtein distance in words."),
    *agreement_columns(words_agreement, "", "Words by alignment"),
    Column("tokens", lambda row: row.quality.tokens.cleaned, "Tokens of the cleaned text."),
    Column("gold_tokens", lambda row: row.quality.tokens.gold, "Tokens of the gold text."),
    Column("shared_tokens", lambda row: row.quality.tokens.shared, "Tokens of both, without regard to their order."),
    Column("token_f1", lambda row: row.quality.tokens.bag.f1, "F1 of tokens as bags."),
    Column("similarity", lambda row: row.quality.words.similarity, "Levenshtein similarity in per cent."),
    *agreement_columns(rouge_agreement, "rouge_", "ROUGE-LSum"),
)
"""The columns of pages."""

TYPES: tuple[Column[TypeQuality], ...] = (
    Column("cleaner", lambda row: row.cleaner, CLEANER),
    Column("extractor", lambda row: int(row.is_extractor), "1 for another package's extractor."),
    Column("page_type", lambda row: row.page_type, "Type of the pages by their gold."),
    Column("pages", lambda row: row.pages, "Pages of the type.", formats.COUNT),
    Column("emptied", lambda row: row.emptied, "Pages without text left.", formats.COUNT),
    Column("token_f1", lambda row: row.token_f1.mean, "F1 of tokens as bags: mean over pages.", NUMBER),
    *mean_interval_columns("token_f1", "token F1", token_f1_interval, "mean token F1"),
    Column("f1", lambda row: row.f1.mean, "F1 of words by alignment: mean over pages.", NUMBER),
    *mean_interval_columns("f1", "F1", f1_interval, "mean F1"),
)
"""The columns of cleaners by type of page."""

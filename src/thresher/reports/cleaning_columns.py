"""The columns of cleaning evaluation: of cleaners, of pages, and of cleaners by type of page."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from operator import attrgetter

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
    crashes_text,
    extractor_flag,
    f1_interval,
    page_count,
    precision_interval,
    recall_interval,
    rouge_agreement,
    token_f1_interval,
    word_f1_interval,
    words_agreement,
)
from thresher.reports.columns import Column, comparison_mark
from thresher.reports.formatting import signed
from thresher.reports.number_formats import single

PRECISION = Measure("precision", "Precision of words by alignment", attrgetter("summary.words.precision"), "precision")
RECALL = Measure("recall", "Recall of words by alignment", attrgetter("summary.words.recall"), "recall")
F1 = Measure("f1", "F1 of words by alignment", attrgetter("summary.words.f1"), "F1")
TOKEN_PRECISION = Measure(
    "token_precision", "Precision of tokens as bags", attrgetter("summary.token_precision"), "token", "precision"
)
TOKEN_RECALL = Measure(
    "token_recall", "Recall of tokens as bags", attrgetter("summary.token_recall"), "token", "recall"
)
TOKEN_F1 = Measure("token_f1", "F1 of tokens as bags", attrgetter("summary.token_f1"), "token", "F1")
SIMILARITY = Measure(
    "similarity",
    "Levenshtein similarity in per cent",
    attrgetter("summary.words.similarity"),
    "Levenshtein",
    "%",
    formats.ONE_DECIMAL,
)
ROUGE_PRECISION = Measure(
    "rouge_precision", "Precision by ROUGE-LSum", attrgetter("summary.rouge_precision"), "ROUGE-LSum", "precision"
)
ROUGE_RECALL = Measure(
    "rouge_recall", "Recall by ROUGE-LSum", attrgetter("summary.rouge_recall"), "ROUGE-LSum", "recall"
)
ROUGE_F1 = Measure("rouge_f1", "F1 by ROUGE-LSum", attrgetter("summary.rouge_f1"), "ROUGE-LSum", "F1")
ROUGE_5_F1 = Measure(
    "rouge5_f1", "F1 by ROUGE-5, as WebMainBench has it", attrgetter("summary.rouge_5_f1"), "ROUGE-5", "F1"
)
CLEANER_NAME = CleanerColumn("cleaner", attrgetter("cleaner"), CLEANER, formats.TEXT)
EXTRACTOR = CleanerColumn("extractor", extractor_flag, "1 for another package's extractor.")
CLEANED_PAGES = CleanerColumn("pages", page_count, "Pages that were cleaned and measured.", formats.COUNT)
EMPTIED = CleanerColumn(
    "emptied", attrgetter("summary.words.emptied"), "Pages without text left.", formats.COUNT, unit="pages"
)
CRASHED = CleanerColumn(
    "crashed",
    attrgetter("crashes"),
    "Pages on which a package crashed.",
    unit="pages",
    text=crashes_text,
)
MARKED_F1 = replace(F1.mean, mark=comparison_mark(attrgetter("comparison")))
PRECISION_INTERVAL: MeanIntervalColumns[CleanerResult] = mean_interval_columns(
    "precision", "precision", precision_interval, "mean precision"
)
RECALL_INTERVAL: MeanIntervalColumns[CleanerResult] = mean_interval_columns(
    "recall", "recall", recall_interval, "mean recall"
)
F1_INTERVAL: MeanIntervalColumns[CleanerResult] = mean_interval_columns("f1", "F1", word_f1_interval, "mean F1")
TOKEN_F1_INTERVAL: MeanIntervalColumns[CleanerResult] = mean_interval_columns(
    "token_f1", "token F1", attrgetter("token_interval"), "mean token F1"
)
MICRO: AgreementColumns[CleanerResult] = agreement_columns(
    attrgetter("summary.words.micro"), "micro_", "Words by alignment, all pages pooled", "micro"
)
F1_P = replace(f1_column("p", "p", "two-sided p of the test.", formats.P), header="p")
F1_CORRECTED_P = replace(
    f1_column("p_corrected", "p_corrected", "p after the correction; empty without one.", formats.P), header="p"
)
F1_COMPARISON: tuple[CleanerColumn, ...] = (
    f1_column(
        "difference",
        "difference",
        "mean difference from the baseline.",
        single(partial(signed, decimals=DECIMALS)),
    ),
    f1_column("wins", "wins", "pages better than with the baseline.", formats.COUNT),
    f1_column("ties", "ties", "pages as good as with the baseline.", formats.COUNT),
    f1_column("losses", "losses", "pages worse than with the baseline.", formats.COUNT),
    F1_P,
    F1_CORRECTED_P,
    f1_column("effect", "effect", "matched-pairs rank-biserial correlation, in [−1, 1].", formats.VALUE),
    f1_column(
        "ci_low",
        "ci_low",
        "lower end of the interval of the mean difference, of level 1 − α.",
        formats.VALUE,
    ),
    f1_column(
        "ci_high",
        "ci_high",
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
    *ROUGE_5_F1.columns,
    *PRECISION_INTERVAL,
    *RECALL_INTERVAL,
    *F1_INTERVAL,
    *TOKEN_F1_INTERVAL,
    *MICRO,
    *F1_COMPARISON,
)
"""The columns of cleaners: means, standard deviations and medians over pages, intervals, pooled values, the test."""

PAGES: tuple[Column[PageQualityRow], ...] = (
    Column("page", attrgetter("page.stem"), "Stem of the page's file."),
    Column("page_type", attrgetter("page.page_type"), "Type of the page by its gold; empty where it names none."),
    Column("cleaner", attrgetter("cleaner"), CLEANER),
    Column("words", attrgetter("quality.words.words"), "Words of the cleaned text."),
    Column("gold", attrgetter("quality.words.gold"), "Words of the gold text."),
    Column("aligned", attrgetter("quality.words.aligned"), "Words in the longest matching blocks of both texts."),
    Column("distance", attrgetter("quality.words.distance"), "Levenshtein distance in words."),
    *agreement_columns(words_agreement, "", "Words by alignment"),
    Column("tokens", attrgetter("quality.tokens.cleaned"), "Tokens of the cleaned text."),
    Column("gold_tokens", attrgetter("quality.tokens.gold"), "Tokens of the gold text."),
    Column("shared_tokens", attrgetter("quality.tokens.shared"), "Tokens of both, without regard to their order."),
    Column("token_f1", attrgetter("quality.tokens.bag.f1"), "F1 of tokens as bags."),
    Column("similarity", attrgetter("quality.words.similarity"), "Levenshtein similarity in per cent."),
    *agreement_columns(rouge_agreement, "rouge_", "ROUGE-LSum"),
    Column("rouge5_f1", attrgetter("quality.rouge_5.agreement.f1"), "F1 by ROUGE-5, as WebMainBench has it."),
)
"""The columns of pages."""

TYPES: tuple[Column[TypeQuality], ...] = (
    Column("cleaner", attrgetter("cleaner"), CLEANER),
    Column("extractor", extractor_flag, "1 for another package's extractor."),
    Column("page_type", attrgetter("page_type"), "Type of the pages by their gold."),
    Column("pages", attrgetter("pages"), "Pages of the type.", formats.COUNT),
    Column("emptied", attrgetter("emptied"), "Pages without text left.", formats.COUNT),
    Column("token_f1", attrgetter("token_f1.mean"), "F1 of tokens as bags: mean over pages.", NUMBER),
    *mean_interval_columns("token_f1", "token F1", token_f1_interval, "mean token F1"),
    Column("f1", attrgetter("f1.mean"), "F1 of words by alignment: mean over pages.", NUMBER),
    *mean_interval_columns("f1", "F1", f1_interval, "mean F1"),
)
"""The columns of cleaners by type of page."""

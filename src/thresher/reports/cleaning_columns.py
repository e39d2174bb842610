"""The columns of cleaners in cleaning evaluation: means over pages, intervals, the test against the baseline."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Generic, NamedTuple

from thresher.evaluation.cleaneval.cleaning_measures import Agreement, Summary
from thresher.evaluation.cleaneval.results import CleanerResult, MeanInterval
from thresher.evaluation.significance import Comparison
from thresher.reports import formats
from thresher.reports.columns import Column, Row, meaning_of
from thresher.reports.formats import Format
from thresher.reports.formatting import (
    MARKS,
    NOTHING,
    direction,
    fixed,
    signed,
)

CLEANER = "The cleaner, by its canonical name; `extractor(...)` names another package's."
DECIMALS = 3
NUMBER = formats.decimals(DECIMALS)


class AgreementColumns(NamedTuple, Generic[Row]):
    """Precision, recall and F1 of a cleaned text against the gold text."""

    precision: Column[Row]
    recall: Column[Row]
    f1: Column[Row]


def agreement_columns(
    agreement: Callable[[Row], Agreement], prefix: str, about: str, unit: str = ""
) -> AgreementColumns[Row]:
    """Return the columns of an agreement; `prefix` goes before names, `about`, what is compared, before meanings."""
    return AgreementColumns(
        precision=Column(
            f"{prefix}precision",
            lambda row: agreement(row).precision,
            meaning_of(about, "share of the cleaned text that the gold text has."),
            NUMBER,
            "precision",
            unit,
        ),
        recall=Column(
            f"{prefix}recall",
            lambda row: agreement(row).recall,
            meaning_of(about, "share of the gold text that the cleaned text has."),
            NUMBER,
            "recall",
            unit,
        ),
        f1=Column(
            f"{prefix}f1",
            lambda row: agreement(row).f1,
            meaning_of(about, "harmonic mean of precision and recall."),
            NUMBER,
            "F1",
            unit,
        ),
    )


@dataclass(frozen=True)
class Measure:
    """A measure over pages, as columns show it.

    Args:
        name: before the columns' names.
        about: before their meanings.
        summary: of a cleaner's pages.
        header, unit: of the mean.
        format: of the mean.
    """

    name: str
    about: str
    summary: Callable[[CleanerResult], Summary]
    header: str
    unit: str = ""
    format: Format = NUMBER

    @property
    def mean(self) -> CleanerColumn:
        """The column of means over pages."""
        return Column(
            f"{self.name}_mean",
            lambda row: self.summary(row).mean,
            f"{self.about}: mean over pages.",
            self.format,
            self.header,
            self.unit,
        )

    @property
    def sd(self) -> CleanerColumn:
        """The column of standard deviations over pages."""
        return Column(
            f"{self.name}_sd",
            lambda row: self.summary(row).sd,
            f"{self.about}: standard deviation over pages.",
            NUMBER,
            "±",
            "sd",
        )

    @property
    def median(self) -> CleanerColumn:
        """The column of medians over pages."""
        return Column(
            f"{self.name}_median",
            lambda row: self.summary(row).median,
            f"{self.about}: median over pages.",
            NUMBER,
            self.header,
            "median",
        )


CleanerColumn = Column[CleanerResult]
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
    formats.decimals(1),
)
ROUGE_PRECISION = Measure(
    "rouge_precision", "Precision by ROUGE-LSum", lambda row: row.summary.rouge_precision, "ROUGE-LSum", "precision"
)
ROUGE_RECALL = Measure(
    "rouge_recall", "Recall by ROUGE-LSum", lambda row: row.summary.rouge_recall, "ROUGE-LSum", "recall"
)
ROUGE_F1 = Measure("rouge_f1", "F1 by ROUGE-LSum", lambda row: row.summary.rouge_f1, "ROUGE-LSum", "F1")
MEASURES = (
    PRECISION,
    RECALL,
    F1,
    TOKEN_PRECISION,
    TOKEN_RECALL,
    TOKEN_F1,
    SIMILARITY,
    ROUGE_PRECISION,
    ROUGE_RECALL,
    ROUGE_F1,
)


class MeanIntervalColumns(NamedTuple, Generic[Row]):
    """Both ends of a 95 % interval, and both in one column, which tables show."""

    low: Column[Row]
    high: Column[Row]
    both: Column[Row]


def mean_interval_columns(
    name: str, header: str, interval: Callable[[Row], MeanInterval], about: str
) -> MeanIntervalColumns[Row]:
    """Return the columns of the 95 % interval of a mean; `about` says which mean."""

    def both(row: Row) -> str:
        return f"{fixed(interval(row).low, DECIMALS)} to {fixed(interval(row).high, DECIMALS)}"

    return MeanIntervalColumns(
        low=Column(f"{name}_low", lambda row: interval(row).low, f"Lower end of the 95 % interval of {about}."),
        high=Column(f"{name}_high", lambda row: interval(row).high, f"Upper end of the 95 % interval of {about}."),
        both=Column(
            f"{name}_interval",
            lambda row: interval(row).low,
            f"95 % interval of {about}.",
            header=header,
            unit="95 %",
            text=both,
            in_csv=False,
        ),
    )


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


def _f1_column(name: str, read: Callable[[Comparison], float | None], meaning: str, format: Format) -> CleanerColumn:
    """Return a column of the comparison of F1 with the baseline; it is empty for the baseline."""

    def value(row: CleanerResult) -> float | None:
        return None if row.comparison is None else read(row.comparison)

    return Column(f"f1_{name}", value, f"F1 of words by alignment: {meaning}", format)


F1_P = replace(
    _f1_column("p", lambda test: test.p, "two-sided p by the Wilcoxon signed-rank test.", formats.P), header="p"
)
F1_HOLM_P = replace(
    _f1_column("p_holm", lambda test: test.p_holm, "p after Holm's correction; empty without a correction.", formats.P),
    header="p",
    unit="Holm",
)
F1_COMPARISON: tuple[CleanerColumn, ...] = (
    _f1_column(
        "difference",
        lambda test: test.difference,
        "mean difference from the baseline.",
        formats.single(partial(signed, decimals=DECIMALS)),
    ),
    _f1_column("wins", lambda test: test.wins, "pages better than with the baseline.", formats.COUNT),
    _f1_column("ties", lambda test: test.ties, "pages as good as with the baseline.", formats.COUNT),
    _f1_column("losses", lambda test: test.losses, "pages worse than with the baseline.", formats.COUNT),
    F1_P,
    F1_HOLM_P,
    _f1_column(
        "effect", lambda test: test.effect, "matched-pairs rank-biserial correlation, in [−1, 1].", formats.VALUE
    ),
    _f1_column(
        "ci_low",
        lambda test: test.ci_low,
        "lower end of the interval of the mean difference, of level 1 − α.",
        formats.VALUE,
    ),
    _f1_column(
        "ci_high",
        lambda test: test.ci_high,
        "upper end of the interval of the mean difference, of level 1 − α.",
        formats.VALUE,
    ),
)


def _cleaner_columns() -> tuple[CleanerColumn, ...]:
    columns = [CLEANER_NAME, EXTRACTOR, CLEANED_PAGES, EMPTIED, CRASHED]
    for measure in MEASURES:
        columns += [measure.mean, measure.sd, measure.median]
    for interval in (PRECISION_INTERVAL, RECALL_INTERVAL, F1_INTERVAL, TOKEN_F1_INTERVAL):
        columns += interval
    return (*columns, *MICRO, *F1_COMPARISON)


CLEANERS = _cleaner_columns()
"""The columns of cleaners: means, standard deviations and medians over pages, intervals, pooled values, the test."""

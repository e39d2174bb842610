"""Makes columns of cleaning evaluation: of an agreement, a measure over pages, an interval, a comparison of F1."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter
from typing import Generic, NamedTuple

from thresher.evaluation.cleaneval.cleaning_measures import Agreement, Summary
from thresher.evaluation.cleaneval.results import CleanerResult, MeanInterval
from thresher.reports.columns import Column, Row, field_of, meaning_of
from thresher.reports.formatting import (
    fixed,
)
from thresher.reports.number_formats import Format, decimals

CLEANER = "The cleaner, by its canonical name; `extractor(...)` names another package's."
DECIMALS = 3
NUMBER = decimals(DECIMALS)

CleanerColumn = Column[CleanerResult]


class AgreementColumns(NamedTuple, Generic[Row]):
    """Precision, recall and F1 of a cleaned text against the gold text."""

    precision: Column[Row]
    recall: Column[Row]
    f1: Column[Row]


def agreement_columns(
    agreement: Callable[[Row], Agreement], prefix: str, about: str, unit: str = ""
) -> AgreementColumns[Row]:
    """Return the columns of an agreement; `prefix` goes before names; `about` names the compared texts before meanings."""
    return AgreementColumns(
        precision=Column(
            f"{prefix}precision",
            field_of(agreement, "precision"),
            meaning_of(about, "share of the cleaned text that the gold text has."),
            NUMBER,
            "precision",
            unit,
        ),
        recall=Column(
            f"{prefix}recall",
            field_of(agreement, "recall"),
            meaning_of(about, "share of the gold text that the cleaned text has."),
            NUMBER,
            "recall",
            unit,
        ),
        f1=Column(
            f"{prefix}f1",
            field_of(agreement, "f1"),
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
        name: the beginning of the columns' names.
        about: the beginning of the columns' meanings.
        summary: returns the summary over a cleaner's pages.
        header, unit: header and unit of the mean.
        format: the format of the mean.
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
            field_of(self.summary, "mean"),
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
            field_of(self.summary, "sd"),
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
            field_of(self.summary, "median"),
            f"{self.about}: median over pages.",
            NUMBER,
            self.header,
            "median",
        )

    @property
    def columns(self) -> tuple[CleanerColumn, CleanerColumn, CleanerColumn]:
        """Mean, standard deviation and median."""
        return self.mean, self.sd, self.median


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
        low=Column(f"{name}_low", field_of(interval, "low"), f"Lower end of the 95 % interval of {about}."),
        high=Column(f"{name}_high", field_of(interval, "high"), f"Upper end of the 95 % interval of {about}."),
        both=Column(
            f"{name}_interval",
            field_of(interval, "low"),
            f"95 % interval of {about}.",
            header=header,
            unit="95 %",
            text=both,
            in_csv=False,
        ),
    )


def f1_column(name: str, field: str, meaning: str, format: Format) -> CleanerColumn:
    """Return the column of a field of the comparison of F1 with the baseline; it is empty for the baseline."""
    value = field_of(attrgetter("comparison"), field)
    return Column(f"f1_{name}", value, f"F1 of words by alignment: {meaning}", format)

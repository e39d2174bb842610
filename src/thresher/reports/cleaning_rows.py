"""The rows that the columns of cleaned pages and of types of pages read."""

from __future__ import annotations

from dataclasses import dataclass

from thresher.evaluation.cleaneval.cleaning_measures import Agreement
from thresher.evaluation.cleaneval.comparing import PageQuality
from thresher.evaluation.cleaneval.gold import GoldPage
from thresher.evaluation.cleaneval.results import CleanerResult, MeanInterval, TypeQuality
from thresher.reports.formatting import NOTHING


@dataclass(frozen=True)
class PageQualityRow:
    """The quality of a page cleaned by a cleaner, by its canonical name, against the gold text."""

    page: GoldPage
    cleaner: str
    quality: PageQuality


def extractor_flag(row: CleanerResult | TypeQuality) -> int:
    """Return 1 for another package's extractor, else 0."""
    return int(row.is_extractor)


def page_count(row: CleanerResult) -> int:
    """Return the number of pages that were cleaned and measured."""
    return len(row.pages)


def crashes_text(row: CleanerResult) -> str:
    """Return the number of pages on which a package crashed; only packages of others crash."""
    return str(row.crashes) if row.is_extractor else NOTHING


def precision_interval(row: CleanerResult) -> MeanInterval:
    """Return the interval of mean precision of words."""
    return row.intervals[0]


def recall_interval(row: CleanerResult) -> MeanInterval:
    """Return the interval of mean recall of words."""
    return row.intervals[1]


def word_f1_interval(row: CleanerResult) -> MeanInterval:
    """Return the interval of mean F1 of words."""
    return row.intervals[2]


def words_agreement(row: PageQualityRow) -> Agreement:
    """Return the agreement of words by alignment."""
    return row.quality.words.alignment


def rouge_agreement(row: PageQualityRow) -> Agreement:
    """Return the agreement by ROUGE-LSum."""
    return row.quality.rouge.agreement


def token_f1_interval(row: TypeQuality) -> MeanInterval:
    """Return the interval of mean token F1."""
    return row.token_f1


def f1_interval(row: TypeQuality) -> MeanInterval:
    """Return the interval of mean F1 of words."""
    return row.f1

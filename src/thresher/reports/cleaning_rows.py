"""The rows that the columns of cleaned pages and of types of pages read."""

from __future__ import annotations

from dataclasses import dataclass

from thresher.evaluation.cleaneval.cleaning_measures import Agreement
from thresher.evaluation.cleaneval.comparing import PageQuality
from thresher.evaluation.cleaneval.gold import GoldPage
from thresher.evaluation.cleaneval.results import MeanInterval, TypeQuality


@dataclass(frozen=True)
class PageQualityRow:
    """The quality of a page cleaned by a cleaner, by its canonical name, against the gold text."""

    page: GoldPage
    cleaner: str
    quality: PageQuality


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

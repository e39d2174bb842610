"""Columns that several tables of cleaning evaluation share, each over a part of their rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from thresher.cleaneval.cleaning_measures import Agreement, SnippetCounts, Summary
from thresher.cleaneval.gold import GoldPage
from thresher.cleaneval.results import CleanerResult, MeanInterval, SnippetSummary, TTest
from thresher.cleaneval.running import PartialResult
from thresher.cleaneval.separation import Area
from thresher.evaluation.significance import Comparison
from thresher.reports.formatting import NOTHING, fixed, p_text, signed
from thresher.reports.table import COUNT, Column, decimals, each, within

Row = TypeVar("Row")
CLEANER = "The cleaner, by its canonical name; `peer:` names another package."
DECIMALS = 3
NUMBER = decimals(DECIMALS)
_P = each(p_text)


@dataclass(frozen=True)
class MeasuredPage:
    """What a cleaner, by its canonical name, left of a page."""

    page: GoldPage
    cleaner: str


Measured = TypeVar("Measured", bound=CleanerResult | PartialResult)
OfPage = TypeVar("OfPage", bound=MeasuredPage)


def cleaner_columns(emptied: Callable[[Measured], int]) -> tuple[Column[Measured], ...]:
    """Return the columns that say which cleaner a row is, and over how many pages; `emptied` counts those without words."""
    return (
        Column("cleaner", lambda row: row.cleaner, CLEANER, align="left"),
        Column("peer", lambda row: int(row.is_peer), "1 for another package."),
        Column("pages", lambda row: len(row.pages), "Pages that were cleaned and measured.", format=COUNT),
        Column("emptied", emptied, "Pages without text left.", unit="pages", format=COUNT),
        Column(
            "crashed",
            lambda row: row.crashes,
            "Pages on which a package crashed.",
            unit="pages",
            text=lambda row: str(row.crashes) if row.is_peer else NOTHING,
        ),
    )


def page_columns(words: Callable[[OfPage], int]) -> tuple[Column[OfPage], ...]:
    """Return the columns that name a row's page and cleaner, and how many words are left."""
    return (
        Column("page", lambda row: row.page.stem, "Stem of the page's file."),
        Column("page_type", lambda row: row.page.page_type, "Type of the page by its gold; empty where it names none."),
        Column("cleaner", lambda row: row.cleaner, CLEANER),
        Column("words", words, "Words of the cleaned text."),
    )


AGREEMENT: tuple[Column[Agreement], ...] = (
    Column(
        "precision", lambda item: item.precision, "Share of the cleaned text that the gold text has.", format=NUMBER
    ),
    Column("recall", lambda item: item.recall, "Share of the gold text that the cleaned text has.", format=NUMBER),
    Column("f1", lambda item: item.f1, "Harmonic mean of precision and recall.", "F1", format=NUMBER),
)
SUMMARY: tuple[Column[Summary], ...] = (
    Column("mean", lambda item: item.mean, "Mean over pages.", format=NUMBER),
    Column("sd", lambda item: item.sd, "Standard deviation over pages.", "±", "sd", NUMBER),
    Column("median", lambda item: item.median, "Median over pages.", unit="median", format=NUMBER),
)
COMPARISON: tuple[Column[Comparison], ...] = (
    Column(
        "difference",
        lambda item: item.difference,
        "Mean difference from the baseline.",
        format=each(lambda value: signed(value, DECIMALS)),
    ),
    Column("wins", lambda item: item.wins, "Pages better than with the baseline."),
    Column("ties", lambda item: item.ties, "Pages as good as with the baseline."),
    Column("losses", lambda item: item.losses, "Pages worse than with the baseline."),
    Column("p", lambda item: item.p, "Two-sided p by the Wilcoxon signed-rank test.", "p", format=_P),
    Column("p_holm", lambda item: item.p_holm, "The same p after Holm's correction; empty without.", "p", "Holm", _P),
    Column("effect", lambda item: item.effect, "Matched-pairs rank-biserial correlation, in [−1, 1]."),
    Column("ci_low", lambda item: item.ci_low, "Lower end of the interval of the mean difference, of level 1 − α."),
    Column("ci_high", lambda item: item.ci_high, "Upper end of the same interval."),
)
T_TEST: tuple[Column[TTest], ...] = (
    Column("t", lambda item: item.t, "T statistic."),
    Column("df", lambda item: item.df, "Degrees of freedom."),
    Column("p", lambda item: item.p, "Two-sided p, uncorrected.", unit="t-test", format=_P),
    Column("low", lambda item: item.difference.low, "Lower end of the 95 % interval of the mean difference."),
    Column("high", lambda item: item.difference.high, "Upper end of the 95 % interval of the mean difference."),
)


def interval_columns(
    name: str, header: str, read: Callable[[Row], MeanInterval | Area], what: str
) -> list[Column[Row]]:
    """Return the columns of both ends of a 95 % interval of `what`, and one of both for tables."""
    return [
        Column(f"{name}_low", lambda row: read(row).low, f"Lower end of the 95 % interval of {what}."),
        Column(f"{name}_high", lambda row: read(row).high, f"Upper end of the 95 % interval of {what}."),
        Column(
            f"{name}_interval",
            lambda row: read(row).low,
            f"95 % interval of {what}.",
            header,
            "95 %",
            text=lambda row: f"{fixed(read(row).low, DECIMALS)} to {fixed(read(row).high, DECIMALS)}",
            exact=False,
        ),
    ]


def _mean(
    name: str, header: str, what: str, read: Callable[[SnippetSummary], MeanInterval | None]
) -> list[Column[SnippetSummary]]:
    columns: list[Column[MeanInterval]] = [
        Column(name, lambda item: item.mean, f"{what}: mean over pages.", header, format=NUMBER),
        *interval_columns(name, header, _itself, f"mean {header}"),
    ]
    return within(columns, read)


def _itself(interval: MeanInterval) -> MeanInterval:
    return interval


SNIPPET_COUNTS: tuple[Column[SnippetCounts], ...] = (
    Column("required", lambda item: item.required, "Snippets that must stay.", format=COUNT),
    Column("kept", lambda item: item.kept, "Snippets that must stay and are kept.", format=COUNT),
    Column("forbidden", lambda item: item.forbidden, "Snippets that must go.", format=COUNT),
    Column("leaked", lambda item: item.leaked, "Snippets that must go and are kept.", format=COUNT),
)
SNIPPETS: tuple[Column[SnippetSummary], ...] = (
    Column("snippet_pages", lambda item: item.pages, "Pages whose gold names snippets.", "pages", "snippets", COUNT),
    *within(SNIPPET_COUNTS, lambda item: item.counts),
    *_mean(
        "snippet_recall", "snippet recall", "Share of snippets that must stay that are kept", lambda item: item.recall
    ),
    *_mean("leak_rate", "leak rate", "Share of snippets that must go that are kept", lambda item: item.leak_rate),
    Column(
        "micro_snippet_recall",
        lambda item: item.counts.recall,
        "Share of snippets that must stay that are kept, all pages pooled.",
        "snippet recall",
        "micro",
        NUMBER,
    ),
    Column(
        "micro_leak_rate",
        lambda item: item.counts.leak_rate,
        "Share of snippets that must go that are kept, all pages pooled.",
        "leak rate",
        "micro",
        NUMBER,
    ),
)
"""The columns of snippets over pages."""

SNIPPETS_SHOWN = (
    "snippet_recall",
    "snippet_recall_interval",
    "leak_rate",
    "leak_rate_interval",
    "micro_snippet_recall",
    "micro_leak_rate",
)
"""The names of those that tables show."""


def snippet_caption(kept: SnippetSummary) -> str:
    """Return the caption of a table of snippets, for pages whose gold has `found`."""
    return (
        f"Share of the {kept.counts.required:,} snippets that must stay (recall) and of the {kept.counts.forbidden:,} that"
        f" must go (leak rate) that are kept, on {kept.pages:,} pages: means over pages with Student's intervals, and all"
        " snippets pooled (micro)."
    )

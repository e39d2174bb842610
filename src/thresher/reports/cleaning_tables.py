"""The tables and CSV files of cleaning evaluation; each column is declared once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any, TypeVar

from thresher.base.defaults import CORRECTIONS
from thresher.base.number_text import counted
from thresher.evaluation.cleaneval.cleaning_measures import Agreement, Summary
from thresher.evaluation.cleaneval.comparing import PageQuality
from thresher.evaluation.cleaneval.gold import GoldPage
from thresher.evaluation.cleaneval.results import CleanerResult, CleaningRun, MeanInterval, TypeQuality, by_page_type
from thresher.evaluation.significance import Comparison
from thresher.reports.formatting import (
    MARKS,
    NOTHING,
    being,
    correction_text,
    direction,
    fixed,
    marks_text,
    p_text,
    signed,
)
from thresher.reports.table import COUNT, Column, Table, csv_table, decimals, each, pick, within

Row = TypeVar("Row")
CLEANER = "The cleaner, by its canonical name; `extractor(...)` names another package's."
DECIMALS = 3
NUMBER = decimals(DECIMALS)
_P = each(p_text)


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


def interval_columns(name: str, header: str, read: Callable[[Row], MeanInterval], what: str) -> list[Column[Row]]:
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


def _pooled(read: Callable[[Row], Agreement]) -> list[Column[Row]]:
    columns = within(AGREEMENT, read, "micro_", "Words by alignment, all pages pooled")
    return [replace(column, unit="micro") for column in columns]


def _summary(name: str, header: str, about: str, unit: str = "", **mean: Any) -> list[Column[CleanerResult]]:
    """Return mean, deviation and median of a measure, which is an attribute of a summary."""
    prefix = name.rpartition(".")[2]
    first, sd, median = within(SUMMARY, attrgetter(f"summary.{name}"), f"{prefix}_", about)
    return [replace(first, header=header, unit=unit, **mean), sd, replace(median, header=header)]


CLEANERS: tuple[Column[CleanerResult], ...] = (
    Column("cleaner", lambda row: row.cleaner, CLEANER, align="left"),
    Column("extractor", lambda row: int(row.is_extractor), "1 for another package's extractor."),
    Column("pages", lambda row: len(row.pages), "Pages that were cleaned and measured.", format=COUNT),
    Column("emptied", lambda row: row.summary.words.emptied, "Pages without text left.", unit="pages", format=COUNT),
    Column(
        "crashed",
        lambda row: row.crashes,
        "Pages on which a package crashed.",
        unit="pages",
        text=lambda row: str(row.crashes) if row.is_extractor else NOTHING,
    ),
    *_summary("words.precision", "precision", "Precision of words by alignment"),
    *_summary("words.recall", "recall", "Recall of words by alignment"),
    *_summary("words.f1", "F1", "F1 of words by alignment", mark=lambda row: MARKS[direction(row.comparison)]),
    *_summary("token_precision", "token", "Precision of tokens as bags", "precision"),
    *_summary("token_recall", "token", "Recall of tokens as bags", "recall"),
    *_summary("token_f1", "token", "F1 of tokens as bags", "F1"),
    *_summary("words.similarity", "Levenshtein", "Levenshtein similarity in per cent", "%", format=decimals(1)),
    *_summary("rouge_precision", "ROUGE-LSum", "Precision by ROUGE-LSum", "precision"),
    *_summary("rouge_recall", "ROUGE-LSum", "Recall by ROUGE-LSum", "recall"),
    *_summary("rouge_f1", "ROUGE-LSum", "F1 by ROUGE-LSum", "F1"),
    *interval_columns("precision", "precision", lambda row: row.intervals[0], "mean precision"),
    *interval_columns("recall", "recall", lambda row: row.intervals[1], "mean recall"),
    *interval_columns("f1", "F1", lambda row: row.intervals[2], "mean F1"),
    *interval_columns("token_f1", "token F1", lambda row: row.token_interval, "mean token F1"),
    *_pooled(lambda row: row.summary.words.micro),
    *within(COMPARISON, lambda row: row.comparison, "f1_", "F1 of words by alignment"),
)
"""The columns of cleaners: means, standard deviations and medians over pages, intervals, pooled values, the test."""


def cleaning_tables(run: CleaningRun) -> tuple[Table, ...]:
    """Return all tables of a run but empty ones."""
    tables = words_table(run.results), measures_table(run.results), page_type_table(page_types(run))
    return tuple(table for table in tables if table is not None)


def words_table(results: Sequence[CleanerResult]) -> Table:
    """Return the main table, one cleaner per row, the baseline first: words by alignment, and the test against it."""
    crashed = ("crashed",) if any(result.is_extractor for result in results) else ()
    found = [result.comparison for result in results if result.comparison]
    p = "p" if any(comparison.p_holm is None for comparison in found) else "p_holm"
    parts = (f"{name}_{part}" for name in ("precision", "recall", "f1") for part in ("mean", "sd"))
    names = ("cleaner", *parts, "f1_interval", "pages", "emptied", *crashed, f"f1_{p}")
    caption = "Precision, recall, F1: words by alignment, mean over pages; the interval is Student's."
    if len(results) > 1:
        caption += (
            f" p: two-sided Wilcoxon signed-rank test of F1 against {results[0].cleaner}, paired by page,"
            f" {tested_at(found)}: {marks_text(map(direction, found))}"
        )
    return _cleaner_table(names, results, caption)


def measures_table(results: Sequence[CleanerResult]) -> Table:
    """Return the other measures: words of all pages pooled, the median page, bags of tokens, ROUGE-LSum, Levenshtein."""
    parts = ("precision", "recall", "f1")
    names = (
        "cleaner",
        *(f"micro_{part}" for part in parts),
        *(f"{part}_median" for part in parts),
        "token_f1_mean",
        "token_f1_interval",
        *(f"rouge_{part}_mean" for part in parts),
        "similarity_mean",
    )
    caption = (
        "Micro: words of all pages pooled. Median: of pages. Token F1, ROUGE-LSum and Levenshtein similarity: means over"
        " pages; the interval is Student's."
    )
    return _cleaner_table(names, results, caption)


def page_types(run: CleaningRun) -> tuple[TypeQuality, ...]:
    """Return every cleaner over the pages of each type; nothing if the gold names no types."""
    return by_page_type(run.results, [page.page_type for page in run.standard.pages])


def _cleaner_table(names: Sequence[str], results: Sequence[CleanerResult], caption: str) -> Table:
    def group(result: CleanerResult) -> tuple[bool, bool]:
        return result is results[0], result.is_extractor

    return Table.of(pick(CLEANERS, *names), results, caption, group=group)


def tested_at(comparisons: Sequence[Comparison]) -> str:
    """Return how p of these comparisons, which are tested alike, is corrected, and the significance level."""
    first = comparisons[0]
    over = correction_text(CORRECTIONS[first.p_holm is None], counted(len(comparisons), "row"))
    return f"{over}, α = {first.alpha:g}"


@dataclass(frozen=True)
class PageQualityRow:
    """The quality of a page cleaned by a cleaner, by its canonical name, against the gold text."""

    page: GoldPage
    cleaner: str
    quality: PageQuality


PAGES: tuple[Column[PageQualityRow], ...] = (
    Column("page", lambda row: row.page.stem, "Stem of the page's file."),
    Column("page_type", lambda row: row.page.page_type, "Type of the page by its gold; empty where it names none."),
    Column("cleaner", lambda row: row.cleaner, CLEANER),
    Column("words", lambda row: row.quality.words.words, "Words of the cleaned text."),
    Column("gold", lambda row: row.quality.words.gold, "Words of the gold text."),
    Column("aligned", lambda row: row.quality.words.aligned, "Words in the longest matching blocks of both texts."),
    Column("distance", lambda row: row.quality.words.distance, "Levenshtein distance in words."),
    *within(AGREEMENT, lambda row: row.quality.words.alignment, about="Words by alignment"),
    Column("tokens", lambda row: row.quality.tokens.cleaned, "Tokens of the cleaned text."),
    Column("gold_tokens", lambda row: row.quality.tokens.gold, "Tokens of the gold text."),
    Column("shared_tokens", lambda row: row.quality.tokens.shared, "Tokens of both, without regard to their order."),
    Column("token_f1", lambda row: row.quality.tokens.bag.f1, "F1 of tokens as bags."),
    Column("similarity", lambda row: row.quality.words.similarity, "Levenshtein similarity in per cent."),
    *within(AGREEMENT, lambda row: row.quality.rouge.agreement, "rouge_", "ROUGE-LSum"),
)
"""The columns of pages."""


def pages_csv(run: CleaningRun) -> str:
    """Return one line per page and cleaner: counts of words and the measures."""
    rows = (
        PageQualityRow(page, result.cleaner, quality)
        for page, *qualities in zip(run.standard.pages, *(result.pages for result in run.results), strict=True)
        for result, quality in zip(run.results, qualities, strict=True)
    )
    return csv_table(PAGES, rows)


_Typed = Mapping[str, TypeQuality]

TYPES: tuple[Column[TypeQuality], ...] = (
    Column("cleaner", lambda row: row.cleaner, CLEANER),
    Column("extractor", lambda row: int(row.is_extractor), "1 for another package's extractor."),
    Column("page_type", lambda row: row.page_type, "Type of the pages by their gold."),
    Column("pages", lambda row: row.pages, "Pages of the type.", format=COUNT),
    Column("emptied", lambda row: row.emptied, "Pages without text left.", format=COUNT),
    Column("token_f1", lambda row: row.token_f1.mean, "F1 of tokens as bags: mean over pages.", format=NUMBER),
    *interval_columns("token_f1", "token F1", lambda row: row.token_f1, "mean token F1"),
    Column("f1", lambda row: row.f1.mean, "F1 of words by alignment: mean over pages.", format=NUMBER),
    *interval_columns("f1", "F1", lambda row: row.f1, "mean F1"),
)
"""The columns of cleaners by type of page."""


def page_type_table(types: Sequence[TypeQuality]) -> Table | None:
    """Return token F1 with a row for each cleaner and a column for each type; None if there are no types."""
    rows: dict[str, dict[str, TypeQuality]] = {}
    for one in types:
        rows.setdefault(one.cleaner, {})[one.page_type] = one
    if not rows:
        return None
    by_type = next(iter(rows.values()))
    columns: list[Column[_Typed]] = [
        Column("cleaner", lambda row: next(iter(row.values())).cleaner, CLEANER, align="left")
    ]
    columns += [_type_column(name, one.pages) for name, one in by_type.items()]
    caption = "Token F1 by type of page: mean over the pages, ± half of its 95 % interval by Student's t."
    first = next(iter(rows))

    def group(row: _Typed) -> tuple[bool, bool]:
        one = next(iter(row.values()))
        return one.cleaner == first, one.is_extractor

    return Table.of(columns, list(rows.values()), caption, group=group)


def _type_column(name: str, pages: int) -> Column[_Typed]:
    return Column(
        name,
        lambda row: row[name].token_f1.mean,
        f"Token F1 on pages of the type {name}: mean over pages.",
        name,
        counted(pages, "page"),
        text=lambda row: " ± ".join(fixed(one, DECIMALS) for one in (row[name].token_f1.mean, row[name].token_f1.half)),
    )


def sentences(run: CleaningRun) -> Iterator[str]:
    """Give what a reader of the tables should see first."""
    baseline, *others = run.results
    text = baseline.summary.words
    yield (
        f"All text of the {text.pages} pages has precision {fixed(text.precision.mean, 3)}, recall"
        f" {fixed(text.recall.mean, 3)} and F1 {fixed(text.f1.mean, 3)}, means over pages."
    )
    if not others:
        return
    found = [result.comparison for result in others if result.comparison]
    directions = [direction(comparison) for comparison in found]
    better, worse = directions.count("better"), directions.count("worse")
    yield (
        f"Of {len(others)} others, {being(better)} significantly better in F1 ({tested_at(found)}),"
        f" {being(worse)} significantly worse."
    )
    best = max(others, key=lambda result: result.summary.words.f1.mean)
    words = best.summary.words
    gain = best.comparison.difference if best.comparison else 0.0
    yield (
        f"Of these the highest mean F1 is that of {best.cleaner}: {fixed(words.f1.mean, 3)} ({signed(gain, 3)}), at precision"
        f" {fixed(words.precision.mean, 3)} and recall {fixed(words.recall.mean, 3)}."
    )
    if worse:
        names = ", ".join(result.cleaner for result, its in zip(others, directions, strict=True) if its == "worse")
        yield f"Cleaning hurts, significantly in F1, with {names}."
    emptied = [result for result in others if result.summary.words.emptied > text.emptied]
    if emptied:
        most = max(emptied, key=lambda result: result.summary.words.emptied)
        yield f"{most.cleaner} empties {counted(most.summary.words.emptied, 'page')}, the most of all cleaners."

"""The tables and CSV files of cleaning evaluation, and sentences on them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from pathlib import Path

from thresher.base.files import user_errors, write_text
from thresher.base.number_text import counted
from thresher.evaluation.cleaneval.results import CleanerResult, CleaningRun, TypeQuality, by_page_type
from thresher.evaluation.corrections import METHOD_NAMES
from thresher.evaluation.significance import TEST_NAMES, Comparison
from thresher.reports import formats
from thresher.reports.cleaning_columns import (
    CLEANED_PAGES,
    CLEANER_NAME,
    CLEANERS,
    CRASHED,
    EMPTIED,
    F1,
    F1_CORRECTED_P,
    F1_INTERVAL,
    F1_P,
    MARKED_F1,
    MICRO,
    PAGES,
    PRECISION,
    RECALL,
    ROUGE_5_F1,
    ROUGE_F1,
    ROUGE_PRECISION,
    ROUGE_RECALL,
    SIMILARITY,
    TOKEN_F1,
    TOKEN_F1_INTERVAL,
    TYPES,
)
from thresher.reports.cleaning_measures import CLEANER, DECIMALS, CleanerColumn
from thresher.reports.cleaning_rows import PageQualityRow
from thresher.reports.columns import Column
from thresher.reports.formatting import (
    being,
    correction_text,
    direction,
    fixed,
    marks_text,
    signed,
)
from thresher.reports.latex import render_latex
from thresher.reports.table import Table, csv_table
from thresher.reports.text_tables import render_markdown


def write_cleaning_tables(run: CleaningRun, folder: Path) -> None:
    """Write `cleaners.csv`, `pages.csv`, `table.md` and `table.tex` into a folder.

    Gold with types of pages has a `page_types.csv`, too; without types, the file of an earlier run is removed.
    """
    tables = cleaning_tables(run)
    latex: list[str] = []
    for table in tables:
        text = render_latex(table)
        if latex:
            # The package that tables need is stated once, in the first line.
            text = text.partition("\n")[2]
        latex.append(text)
    write_text(folder / "cleaners.csv", csv_table(CLEANERS, run.results))
    write_text(folder / "pages.csv", pages_csv(run))
    write_text(folder / "table.md", "\n".join(map(render_markdown, tables)))
    write_text(folder / "table.tex", "\n".join(latex))
    types = page_types(run)
    path = folder / "page_types.csv"
    if types:
        write_text(path, csv_table(TYPES, types))
    else:
        with user_errors(path):
            path.unlink(missing_ok=True)


def cleaning_tables(run: CleaningRun) -> tuple[Table, ...]:
    """Return all tables of a run; quality by type of page only if the gold names types."""
    tables = [words_table(run.results), measures_table(run.results)]
    by_type = page_type_table(page_types(run))
    if by_type is not None:
        tables.append(by_type)
    return tuple(tables)


def words_table(results: Sequence[CleanerResult]) -> Table:
    """Return the main table, one cleaner per row, the baseline first: words by alignment, and the test against it."""
    comparisons = _comparisons(results)
    columns = [CLEANER_NAME, PRECISION.mean, PRECISION.sd, RECALL.mean, RECALL.sd, MARKED_F1, F1.sd, F1_INTERVAL.both]
    columns += [CLEANED_PAGES, EMPTIED]
    if any(result.is_extractor for result in results):
        columns.append(CRASHED)
    columns.append(_p_column(comparisons))
    caption = "Precision, recall, F1: words by alignment, mean over pages; the interval is Student's."
    if len(results) > 1:
        marks = marks_text(direction(comparison) for comparison in comparisons)
        caption += (
            f" {TEST_NAMES[comparisons[0].test]} of F1 against {results[0].cleaner}, paired by page,"
            f" {tested_at(comparisons)}: {marks}"
        )
    return _cleaner_table(columns, results, caption)


def _comparisons(results: Sequence[CleanerResult]) -> list[Comparison]:
    """Return the comparisons of cleaners with the baseline, one for each cleaner but the baseline."""
    return [result.comparison for result in results if result.comparison]


def _p_column(comparisons: Sequence[Comparison]) -> CleanerColumn:
    """Return the column of p, corrected as these comparisons are."""
    if not comparisons or comparisons[0].p_corrected is None:
        return F1_P
    return replace(F1_CORRECTED_P, unit=METHOD_NAMES[comparisons[0].correction])


def measures_table(results: Sequence[CleanerResult]) -> Table:
    """Return the other measures: pooled words, the median page, bags of tokens, ROUGE-LSum, ROUGE-5, Levenshtein."""
    columns = [CLEANER_NAME]
    columns += MICRO
    columns += [
        PRECISION.median,
        RECALL.median,
        F1.median,
        TOKEN_F1.mean,
        TOKEN_F1_INTERVAL.both,
        ROUGE_PRECISION.mean,
        ROUGE_RECALL.mean,
        ROUGE_F1.mean,
        ROUGE_5_F1.mean,
        SIMILARITY.mean,
    ]
    caption = (
        "Micro: words of all pages pooled. Median: of pages. Token F1, ROUGE-LSum, ROUGE-5 and Levenshtein similarity: means"
        " over pages; the interval is Student's."
    )
    return _cleaner_table(columns, results, caption)


def page_types(run: CleaningRun) -> tuple[TypeQuality, ...]:
    """Return every cleaner over the pages of each type; nothing if the gold names no types."""
    return by_page_type(run.results, [page.page_type for page in run.standard.pages])


def _cleaner_table(columns: Sequence[CleanerColumn], results: Sequence[CleanerResult], caption: str) -> Table:
    def group(result: CleanerResult) -> tuple[bool, bool]:
        return result is results[0], result.is_extractor

    return Table.of(columns, results, caption, group=group)


def tested_at(comparisons: Sequence[Comparison]) -> str:
    """Return the correction of p of comparisons with one test, and the significance level."""
    first = comparisons[0]
    return f"{correction_text(first.correction, counted(len(comparisons), 'row'))}, α = {first.alpha:g}"


def pages_csv(run: CleaningRun) -> str:
    """Return one line per page and cleaner: counts of words and the measures."""
    rows = []
    for number, page in enumerate(run.standard.pages):
        for result in run.results:
            rows.append(PageQualityRow(page, result.cleaner, result.pages[number]))
    return csv_table(PAGES, rows)


@dataclass(frozen=True)
class CleanerByType:
    """A cleaner's quality by type of page."""

    cleaner: str
    is_extractor: bool
    by_type: Mapping[str, TypeQuality]


def page_type_table(types: Sequence[TypeQuality]) -> Table | None:
    """Return token F1 with a row for each cleaner and a column for each type; None if there are no types."""
    if not types:
        return None
    by_cleaner: dict[str, dict[str, TypeQuality]] = {}
    extractors = set()
    for quality in types:
        by_cleaner.setdefault(quality.cleaner, {})[quality.page_type] = quality
        if quality.is_extractor:
            extractors.add(quality.cleaner)
    rows: list[CleanerByType] = []
    for cleaner, by_type in by_cleaner.items():
        rows.append(CleanerByType(cleaner, cleaner in extractors, by_type))
    columns: list[Column[CleanerByType]] = [Column("cleaner", attrgetter("cleaner"), CLEANER, formats.TEXT)]
    for name, quality in rows[0].by_type.items():
        columns.append(_type_column(name, quality.pages))
    caption = "Token F1 by type of page: mean over the pages, ± half of its 95 % interval by Student's t."

    def group(row: CleanerByType) -> tuple[bool, bool]:
        return row is rows[0], row.is_extractor

    return Table.of(columns, rows, caption, group=group)


def _type_column(name: str, pages: int) -> Column[CleanerByType]:
    def mean(row: CleanerByType) -> float:
        return row.by_type[name].token_f1.mean

    def text(row: CleanerByType) -> str:
        interval = row.by_type[name].token_f1
        return f"{fixed(interval.mean, DECIMALS)} ± {fixed(interval.half, DECIMALS)}"

    return Column(
        name,
        mean,
        f"Token F1 on pages of the type {name}: mean over pages.",
        header=name,
        unit=counted(pages, "page"),
        text=text,
    )


def sentences(run: CleaningRun) -> Iterator[str]:
    """Give the sentences that a reader of the tables should see first."""
    baseline, *cleaners = run.results
    text = baseline.summary.words
    yield (
        f"All text of the {text.pages} pages has precision {fixed(text.precision.mean, 3)}, recall"
        f" {fixed(text.recall.mean, 3)} and F1 {fixed(text.f1.mean, 3)}, means over pages."
    )
    if not cleaners:
        return
    comparisons = _comparisons(cleaners)
    directions = [direction(comparison) for comparison in comparisons]
    better = directions.count("better")
    worse = directions.count("worse")
    yield (
        f"Of {len(cleaners)} others, {being(better)} significantly better in F1 ({tested_at(comparisons)}),"
        f" {being(worse)} significantly worse."
    )
    best = max(cleaners, key=attrgetter("summary.words.f1.mean"))
    words = best.summary.words
    gain = 0.0
    if best.comparison:
        gain = best.comparison.difference
    yield (
        f"{best.cleaner} has the highest mean F1, {fixed(words.f1.mean, 3)} ({signed(gain, 3)}), at precision"
        f" {fixed(words.precision.mean, 3)} and recall {fixed(words.recall.mean, 3)}."
    )
    if worse:
        names: list[str] = []
        for result, direction_of_result in zip(cleaners, directions, strict=True):
            if direction_of_result == "worse":
                names.append(result.cleaner)
        yield f"Cleaning hurts, significantly in F1, with {', '.join(names)}."
    strictest = max(cleaners, key=attrgetter("summary.words.emptied"))
    emptied = strictest.summary.words.emptied
    if emptied > text.emptied:
        yield f"{strictest.cleaner} empties {counted(emptied, 'page')}, the most of all cleaners."

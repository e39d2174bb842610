"""The tables of cleaning: every cell against numbers that were worked out by hand."""

from __future__ import annotations

import re
import statistics
from dataclasses import replace
from pathlib import Path

import pytest
from cleaning_samples import PAGES, bare, results, run
from scipy import stats

from thresher.reports.cleaning_tables import (
    cleaning_tables,
    measures_table,
    page_type_table,
    page_types,
    words_table,
    write_cleaning_tables,
)
from thresher.reports.table import Table
from thresher.reports.text_tables import render_text

# Of `words@10`: 11 pages with 60 words of which 45 are right, of 50; and one emptied.
PRECISION, RECALL, F1 = 45 / 60, 45 / 50, 90 / 110


def texts(table: Table) -> list[list[str]]:
    return [[cell.text + cell.mark for cell in row] for row in table.rows]


def heads(table: Table) -> list[str]:
    return [f"{column.header} {column.unit}".strip() for column in table.columns]


def test_words_have_a_row_for_each_cleaner() -> None:
    table = words_table(results())
    assert heads(table) == [
        "cleaner", "precision", "± sd", "recall", "± sd", "F1", "± sd",
        "F1 95 %", "pages", "emptied pages", "crashed pages", "p Holm",
    ]  # fmt: skip
    none, words, extractor = texts(table)
    base = "0.667"
    assert none == [
        "none", "0.500", "0.000", "1.000", "0.000", base, "0.000", f"{base} to {base}", "12", "0", "–", "–",
    ]  # fmt: skip
    f1s = [F1] * 11 + [0.0]
    low, high = stats.t.interval(0.95, PAGES - 1, statistics.fmean(f1s), stats.sem(f1s))
    assert words[:7] == [
        "words@10",
        *(text for value in (PRECISION, RECALL) for text in _mean_and_sd([value] * 11 + [0.0])),
        "0.750†+",
        f"{statistics.stdev(f1s):.3f}",
    ]
    assert words[7:11] == [f"{low:.3f} to {high:.3f}", "12", "1", "–"]
    # Eleven wins of one size and a larger loss: of the 4096 ways to give signs, 2 · (1 + 11 + 55 + 1) are as extreme.
    assert words[11] == f"{2 * 68 / 4096:.4f}"
    # 40 words of which 20 are right: the package loses every page by the same amount.
    worse = f"{40 / 90:.3f}"
    assert extractor == [
        "extractor:x", "0.500", "0.000", "0.400", "0.000", f"{worse}†−", "0.000", f"{worse} to {worse}", "12", "0", "2",
        f"{2 * 2 / 4096:.4f}",
    ]  # fmt: skip
    assert table.rules == (1, 2)
    assert [column.marked for column in table.columns].index(True) == 5


def _mean_and_sd(values: list[float]) -> tuple[str, str]:
    return f"{statistics.fmean(values):.3f}", f"{statistics.stdev(values):.3f}"


def test_without_packages_there_is_no_column_of_crashes() -> None:
    table = words_table(results(extractors=False))
    assert "crashed pages" not in heads(table)
    assert (len(table.rows), table.rules) == (2, (1,))
    assert words_table(results()[:1]).rules == ()


def test_the_caption_says_what_was_tested() -> None:
    assert "Wilcoxon" not in words_table(results()[:1]).caption
    caption = words_table(results()).caption
    for fact in ("Wilcoxon", "against none", "Holm", "over 2 rows", "α = 0.05"):
        assert fact in caption
    one, two, *_ = results()
    assert two.comparison is not None
    mixed = replace(two, comparison=replace(two.comparison, difference=-0.1, p_corrected=0.01, effect=0.5))
    table = words_table([one, mixed])
    assert table.rows[1][5].mark == "†"
    assert "† alone" in table.caption


def test_without_correction_the_tables_say_so_and_show_p() -> None:
    one, *others = results()
    free = [
        replace(other, comparison=replace(other.comparison, p_corrected=None, correction="none", p=0.03, alpha=0.02))
        for other in others
        if other.comparison
    ]
    table = words_table([one, *free])
    assert heads(table)[-1] == "p"
    assert texts(table)[1][-1] == "0.0300"
    assert table.rows[1][5].mark == ""
    assert "not corrected" in table.caption
    assert "α = 0.02: †+" in table.caption


def test_other_measures_are_pooled_medians_and_means() -> None:
    table = measures_table(results())
    assert heads(table)[1:4] == ["precision micro", "recall micro", "F1 micro"]
    words = texts(table)[1]
    aligned, found, gold = 11 * 45, 11 * 60, 12 * 50
    micro = [f"{value:.3f}" for value in (aligned / found, aligned / gold, 2 * aligned / (found + gold))]
    medians = [f"{value:.3f}" for value in (PRECISION, RECALL, F1)]
    means = [f"{11 * value / 12:.3f}" for value in (PRECISION, RECALL, F1)]
    # Of 60 tokens 36 are right.
    f1s = [72 / 110] * 11 + [0.0]
    low, high = stats.t.interval(0.95, PAGES - 1, statistics.fmean(f1s), stats.sem(f1s))
    tokens = [f"{statistics.fmean(f1s):.3f}", f"{low:.3f} to {high:.3f}"]
    # Of the longer text's 60 words 45 are right.
    rouge_5 = means[-1]
    assert words == ["words@10", *micro, *medians, *tokens, *means, rouge_5, f"{11 * 75 / 12:.1f}"]
    assert table.rows[1][-1].value == pytest.approx(11 * 75 / 12)
    assert table.rules == (1, 2)


def test_types_of_pages_have_a_column_each() -> None:
    types = page_types(run())
    table = page_type_table(types)
    assert table is not None
    assert heads(table) == ["cleaner", "article 8 pages", "forum 3 pages", "no type 1 page"]
    none, words, extractor = texts(table)
    f1s = [72 / 110] * 7 + [0.0]
    half = stats.t.ppf(0.975, 7) * stats.sem(f1s)
    assert words == ["words@10", f"{statistics.fmean(f1s):.3f} ± {half:.3f}", "0.655 ± 0.000", "0.655 ± ∞"]
    assert (none[:2], extractor[:2]) == (["none", "0.533 ± 0.000"], ["extractor:x", "0.356 ± 0.000"])
    assert table.rules == (1, 2)
    assert page_type_table(page_types(bare())) is None


def test_tables_that_would_be_empty_are_left_out() -> None:
    assert len(cleaning_tables(bare())) == 2
    whole = cleaning_tables(run())
    assert [table.columns[0].header for table in whole] == ["cleaner"] * 3
    assert all(render_text(table, 100) for table in whole)


def test_the_files_have_all_tables_and_go_where_they_should(tmp_path: Path) -> None:
    folder = tmp_path / "new"
    write_cleaning_tables(run(), folder)
    names = ["cleaners.csv", "page_types.csv", "pages.csv", "table.md", "table.tex"]
    assert sorted(path.name for path in folder.iterdir()) == names
    markdown = (folder / "table.md").read_text(encoding="utf-8")
    assert sum(line.startswith("| ---") for line in markdown.splitlines()) == 3
    latex = (folder / "table.tex").read_text(encoding="utf-8")
    assert latex.count(r"\usepackage{booktabs}") == 1
    assert latex.startswith("% needs")
    _check_latex(latex, 3)
    write_cleaning_tables(bare(), folder)
    bare_names = [name for name in names if name != "page_types.csv"]
    assert sorted(path.name for path in folder.iterdir()) == bare_names
    _check_latex((folder / "table.tex").read_text(encoding="utf-8"), 2)


def _check_latex(latex: str, tables: int) -> None:
    """Every table is closed, its rows have the columns of its layout, and no special character stands bare."""
    blocks = re.findall(r"\\begin{table\*?}.*?\\end{table\*?}", latex, flags=re.DOTALL)
    assert len(blocks) == tables == latex.count(r"\begin{table")
    for block in blocks:
        assert [block.count(rule) for rule in (r"\toprule", r"\bottomrule", r"\end{tabular}", r"\caption{")] == [1] * 4
        layout = re.search(r"\\begin{tabular}{(.*)}", block)
        assert layout
        columns = len(re.findall("[lr]", layout[1]))
        for line in block.splitlines():
            if line.endswith(r"\\"):
                wide = line.count(r"\multicolumn{2}")
                assert line.replace(r"\&", "").count("&") + 1 + wide == columns
                assert not re.search(r"(?<!\\)[_#%]|[†−–]", line)
        bare = re.sub(r"\\[{}]", "", block)
        assert bare.count("{") == bare.count("}")

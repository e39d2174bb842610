"""Tables as text, Markdown and LaTeX."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from report_samples import BASELINE, NDCG, WORDS, comparison, large, small

from thresher.reports import write_all
from thresher.reports.formats import display_width, escape_latex, render_latex, render_markdown, render_text
from thresher.reports.results_tables import break_even_table, bytes_table, caption, main_table, stage_table
from thresher.reports.table import Cell, Head, Table, measure_header

CAPTION = (
    "8 topics. Two-sided Wilcoxon signed-rank test against the baseline, Holm correction over variants and "
    "measures, α = 0.05: †+ is significantly better, †− significantly worse. W/T/L: topics won, tied and "
    "lost in nDCG(dcg='exp-log2')@10. MB: 10⁶ bytes. Latency: median of a query. Break-even: queries after "
    "which cleaning pays off."
)


def test_the_main_table_in_a_narrow_terminal_repeats_the_names() -> None:
    text = render_text(main_table(small()), width=100)
    assert (
        text
        == """\
variant     P@10         nDCG@10   W/T/L  index          index  words kept  emptied  cleaning
                  dcg='exp-log2'  topics     MB  % of baseline           %    pages         s
─────────────────────────────────────────────────────────────────────────────────────────────
none      0.4000        0.5000         –  2.500          100.0       100.0        0       1.5
─────────────────────────────────────────────────────────────────────────────────────────────
words@11  0.4250        0.5123†+   6/1/1  1.235           49.4        50.0       10      12.5
─────────────────────────────────────────────────────────────────────────────────────────────
justext   0.3000        0.4000†−   1/0/7  0.750           30.0        30.0      100      12.5

variant   indexing  latency  break-even
                 s       ms     queries
───────────────────────────────────────
none           2.2     1.25           –
───────────────────────────────────────
words@11       2.2     0.75       1,234
───────────────────────────────────────
justext        2.2     0.75       never

8 topics. Two-sided Wilcoxon signed-rank test against the baseline, Holm correction over variants
and measures, α = 0.05: †+ is significantly better, †− significantly worse. W/T/L: topics won, tied
and lost in nDCG(dcg='exp-log2')@10. MB: 10⁶ bytes. Latency: median of a query. Break-even: queries
after which cleaning pays off.
"""
    )


def test_without_a_width_the_table_stays_in_one_piece() -> None:
    lines = render_text(main_table(small())).splitlines()
    assert {display_width(line) for line in lines[1:8]} == {124}
    assert lines[7].endswith("      30.0        30.0      100      12.5       2.2     0.75       never")
    assert lines[8:] == ["", CAPTION]


def test_several_retrieval_models_get_a_column() -> None:
    table = main_table(large(topics=8, retrievals=("qld", "qld(exact)")))
    assert [column.header for column in table.columns[:3]] == ["variant", "retrieval", "P@10"]
    assert table.keys == 2
    assert [cell.text for cell in table.rows[68][:2]] == ["none", "qld(exact)"]
    assert 68 in table.rules


def test_a_limit_says_what_is_left_out() -> None:
    table = main_table(large(topics=8), limit=20)
    assert len(table.rows) == 20
    assert table.note == "20 of 68 rows; all of them are in results.csv."
    assert render_text(table).endswith("20 of 68 rows; all of them are in results.csv.\n")


def test_a_mixed_significance_is_explained() -> None:
    mixed = replace(comparison(NDCG, 0.1, 2, 0, 6, 0.01), effect=-0.5)
    results = replace(small(), rows=(BASELINE, replace(WORDS, comparisons={NDCG: mixed})))
    assert "† alone is significant, but mean and ranks differ in sign." in caption(results)
    assert main_table(results).rows[1][2] == Cell("0.5123", "†", 0.5123)


def test_only_a_baseline_needs_no_test() -> None:
    assert caption(replace(small(), rows=(BASELINE,))) == "8 topics."
    assert "Holm correction over variants and measures, α = 0.05: †+" in caption(small())
    assert "p not corrected for the number of tests, α = 0.1: †+" in caption(
        replace(small(), correction="none", alpha=0.1)
    )
    assert main_table(replace(small(), rows=(BASELINE,))).caption.startswith("8 topics. MB: 10⁶ bytes.")


@pytest.mark.parametrize(
    ("name", "header", "unit"),
    [
        ("P@10", "P@10", ""),
        (NDCG, "nDCG@10", "dcg='exp-log2'"),
        ("P(rel=2)@5", "P@5", "rel=2"),
        ("AP(a)(b)", "AP(a)(b)", ""),
    ],
)
def test_parameters_of_a_measure_stand_below_it(name: str, header: str, unit: str) -> None:
    assert measure_header(name) == (header, unit)


def test_costs_bytes_and_break_even() -> None:
    results = small()
    assert (
        render_text(replace(stage_table(results, "index"), rules=()))
        == """\
variant   wall  CPU  peak     CO₂
             s    s   MiB       g
─────────────────────────────────
none       2.2  3.5   480  0.0213
words@11   2.2  3.5   480  0.0213
justext    2.2  3.5   480  0.0213

Indexing
"""
    )
    assert [row[4].text for row in stage_table(results, "search").rows] == ["below resolution"] * 3
    sizes = bytes_table(results)
    assert [column.header for column in sizes.columns] == ["variant", ".doc", ".tim", "all"]
    assert [cell.text for cell in sizes.rows[1]] == ["words@11", "0.735", "0.500", "1.235"]
    assert [[cell.text for cell in row] for row in break_even_table(results).rows] == [
        ["words@11", "1,234", "after 1,234 queries"],
        ["justext", "never", "never: costlier to build, no faster to search"],
    ]


def test_wide_and_combining_characters_stay_aligned() -> None:
    names = ["日本語", "e\u0301te\u0301", "ascii"]
    table = Table((Head("name", align="left"), Head("n")), tuple((Cell(name), Cell("1")) for name in names), "three")
    assert [display_width(name) for name in names] == [6, 3, 5]
    lines = render_text(table).splitlines()
    assert lines[2:5] == ["日本語  1", "e\u0301te\u0301     1", "ascii   1"]
    assert {display_width(line) for line in lines[:5]} == {9}


@given(st.lists(st.text(max_size=12), min_size=1, max_size=4), st.integers(10, 80))
def test_any_names_keep_one_line_a_row(names: list[str], width: int) -> None:
    table = Table((Head("name", align="left"), Head("n")), tuple((Cell(name), Cell("1")) for name in names), "")
    lines = render_text(table, width).split("\n")
    assert len(lines) == 2 + len(names) + 1


def test_the_main_table_as_markdown() -> None:
    assert render_markdown(main_table(small())) == (
        "| variant | P@10 | nDCG@10 (dcg='exp-log2') | W/T/L (topics) | index (MB) | index (% of baseline) "
        "| words kept (%) | emptied (pages) | cleaning (s) | indexing (s) | latency (ms) "
        "| break-even (queries) |\n"
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n"
        "| none | 0.4000 | 0.5000 | – | 2.500 | 100.0 | 100.0 | 0 | 1.5 | 2.2 | 1.25 | – |\n"
        "| words@11 | 0.4250 | 0.5123†+ | 6/1/1 | 1.235 | 49.4 | 50.0 | 10 | 12.5 | 2.2 | 0.75 | 1,234 |\n"
        "| justext | 0.3000 | 0.4000†− | 1/0/7 | 0.750 | 30.0 | 30.0 | 100 | 12.5 | 2.2 | 0.75 | never |\n"
        f"\n{CAPTION}\n"
    )


def test_markdown_markup_in_names_is_escaped() -> None:
    table = Table((Head("a|b"),), ((Cell("x_y*[z]<i>&`"),),), "")
    assert render_markdown(table) == "| a\\|b |\n| ---: |\n| x\\_y\\*\\[z\\]&lt;i&gt;&amp;\\` |\n"


def test_a_table_as_latex() -> None:
    table = Table(
        (Head("variant", align="left"), Head("AP", "all", marked=True), Head("size", "%")),
        ((Cell("none"), Cell("0.5"), Cell("–")), (Cell("a_b@1"), Cell("0.6", "†+"), Cell("−3"))),
        "5 % of it",
        note="2 of 9 rows.",
        rules=(1,),
    )
    assert (
        render_latex(table)
        == r"""% needs \usepackage{booktabs}
\begin{table*}
\centering
\caption{5 \% of it 2 of 9 rows.}
\footnotesize
\setlength{\tabcolsep}{4pt}
\begin{tabular}{lr@{}lr}
\toprule
variant & \multicolumn{2}{c}{AP} & \multicolumn{1}{c}{size} \\
 & \multicolumn{2}{c}{all} & \multicolumn{1}{c}{\%} \\
\midrule
none & 0.5 &  & -- \\
\midrule
a\_b@1 & 0.6 & $^{\dagger+}$ & $-$3 \\
\bottomrule
\end{tabular}
\end{table*}
"""
    )


def test_latex_special_characters_are_escaped() -> None:
    assert escape_latex(r"\{}$&#%_^~<>|'`") == (
        r"\textbackslash{}\{\}\$\&\#\%\_\textasciicircum{}\textasciitilde{}"
        r"\textless{}\textgreater{}\textbar{}\textquotesingle{}\textasciigrave{}"
    )
    assert escape_latex('a---b "c" †+ α 10⁶ CO₂') == (
        r"a-{}-{}-b \char34{}c\char34{} $\dagger$+ $\alpha$ 10\textsuperscript{6} CO\textsubscript{2}"
    )


@given(st.text(alphabet=st.characters(max_codepoint=0x2FF), max_size=30))
def test_no_latex_command_survives_unescaped(text: str) -> None:
    ours = (
        r"\\(textbackslash|textasciicircum|textasciitilde|textless|textgreater|textbar|textquotesingle|"
        r"textasciigrave|char34)\{\}|\$\\mu\$|\\[{}$&#%_]|-\{\}"
    )
    assert not re.search(r"[\\{}$&#%_^~]", re.sub(ours, "", escape_latex(text)))


def test_the_files_are_written(tmp_path: Path) -> None:
    write_all(large(topics=8), tmp_path / "new")
    markdown = (tmp_path / "new" / "table.md").read_text(encoding="utf-8")
    latex = (tmp_path / "new" / "table.tex").read_text(encoding="utf-8")
    assert markdown.count("\n| ") == 1 + 68
    assert "40 of 68 rows; all of them are in results.csv." in latex
    assert latex.count(r"\\") == 2 + 40

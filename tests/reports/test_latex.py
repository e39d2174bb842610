"""Tables in LaTeX: what is written, and how wide it is."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.reports.latex import escape_latex, estimated_width, page_width, render_fitted, render_latex
from thresher.reports.table import Cell, Head, Table


def test_a_table_as_latex() -> None:
    table = Table(
        (Head("variant", align="left"), Head("AP", "all", marked=True), Head("size", "%")),
        ((Cell("none"), Cell("0.5"), Cell("–")), (Cell("a_b@1"), Cell("0.6", "†+"), Cell("−3"))),
        "5 % of it",
        note="2 of 9 rows.",
        rules=(1,),
    )
    assert (
        render_latex(table, "tab:a")
        == r"""% needs \usepackage{booktabs}
\begin{table}
\centering
\caption{5 \% of it 2 of 9 rows.}\label{tab:a}
\footnotesize
\setlength{\tabcolsep}{4pt}
\begin{tabular}{@{}lr@{}lr@{}}
\toprule
variant & \multicolumn{2}{c}{AP} & \multicolumn{1}{c}{size} \\
 & \multicolumn{2}{c}{all} & \multicolumn{1}{c}{\%} \\
\midrule
none & 0.5 &  & -- \\
\midrule
a\_b@1 & 0.6 & $^{\dagger+}$ & $-$3 \\
\bottomrule
\end{tabular}
\end{table}
"""
    )


def test_long_names_are_broken_into_lines_and_leave_room_for_columns() -> None:
    name = "content(headings=keep)@0.3+repeated(share,headings=keep)@0.01|weights(title=8,headings=2,anchors=1)|dcp@0.5"
    heads = (Head("", align="left"), *(Head(measure, marked=True) for measure in ("P@5", "P@10", "AP", "exp-nDCG@10")))
    rows = tuple((Cell(text), *(Cell("0.1234", "†+"),) * 4) for text in ("none", name))
    table = Table(heads, rows, "")
    text = render_fitted(table)
    assert "no room" not in text
    assert (
        r"\begin{tabular}[t]{@{}l@{}}content(headings=keep)@0.3+ \\ repeated(share,headings=keep)@0.01 \\ "
        r"\textbar{}weights(title=8,headings=2,anchors=1) \\ \textbar{}dcp@0.5\end{tabular} & 0.1234 & "
    ) in text
    assert estimated_width(table.first(1)) < page_width() / 2
    assert r"\begin{tabular}[t]" not in render_fitted(Table(heads, rows[:1], ""))


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


@pytest.mark.parametrize(
    ("text", "measured"),
    # Points in \\footnotesize, by pdflatex 2022: a 10 pt article, T1.
    [
        ("boilerpipe(rules=words,headings=keep)@0.5", 164.2),
        ("No cleaning", 43.7),
        ("exp-nDCG@10", 54.9),
        ("0.4171", 23.6),
        ("WWW MMM iii lll", 72.2),
        ("% & # = + @", 54.8),
    ],
)
def test_the_estimated_width_is_a_little_more_than_latex_takes(text: str, measured: float) -> None:
    assert 1.05 < estimated_width(Table((Head("a"),), ((Cell(text),),), "")) / measured < 1.2


@pytest.mark.parametrize(
    ("count", "shown", "environment"), [(5, 5, "table"), (6, 6, "table*"), (10, 10, "table*"), (14, 10, "table*")]
)
def test_a_table_is_as_wide_as_a_column_or_as_two(count: int, shown: int, environment: str) -> None:
    heads = tuple(Head(f"column {index}") for index in range(count))
    text = render_fitted(Table(heads, (tuple(Cell("0.5") for _ in heads),), ""))
    assert rf"\begin{{{environment}}}" in text
    assert rf"\begin{{tabular}}{{@{{}}{'r' * shown}@{{}}}}" in text
    left_out = [head.header for head in heads[shown:]]
    assert text.startswith("% columns") == bool(left_out)
    assert ", ".join(left_out) in text.splitlines()[0]


def test_marks_count_beside_the_numbers_only() -> None:
    head = Head("a long header", marked=True)
    width = estimated_width(Table((head,), ((Cell("0.5"),),), ""))
    assert estimated_width(Table((head,), ((Cell("0.5", "abcd"),),), "")) == width
    assert estimated_width(Table((head,), ((Cell("0.5", "abcdefghijklmnopqrst"),),), "")) > width


@pytest.mark.parametrize(("inches", "points"), [(3.3, 501), (3.5, 530), (4.8, 347), (6.5, 470)])
def test_a_page_has_two_columns_or_a_wide_one(inches: float, points: float) -> None:
    assert page_width(inches * 72.27) == pytest.approx(points, abs=0.5)

"""Tables as text, Markdown and LaTeX."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from report_samples import BASELINE, NDCG, WORDS, comparison, footprints, large, measured_time, small

from thresher.reports.report_files import write_all
from thresher.reports.results_tables import (
    break_even_table,
    bytes_table,
    caption,
    footprint_tables,
    main_table,
    stage_table,
    times_tables,
    work_table,
)
from thresher.reports.table import Cell, Head, Table, measure_header
from thresher.reports.text_tables import display_width, escape_latex, render_latex, render_markdown, render_text

TESTED = (
    "8 topics. Two-sided Wilcoxon signed-rank test against the baseline, Holm correction over variants and "
    "measures, α = 0.05: †+ is significantly better, †− significantly worse. W/T/L: topics won, tied and "
    "lost in nDCG(dcg='exp-log2')@10. MB: 10⁶ bytes. Postings and scored documents: of a query, mean over topics."
)
TWIN = (
    "The baseline's twin takes 1.008 of its time. That is noise: differences between 0.990 and 1.030 are "
    "“not measurable here”."
)
PAUSES = "Java's garbage collectors paused 4 times, 0.02 s in all"
CAPTION = f"{TESTED} 30 rounds in 10 openings. {PAUSES}. {TWIN} Break-even: queries after which cleaning pays off."


def texts(table: Table) -> list[list[str]]:
    return [[cell.text for cell in row] for row in table.rows]


def test_the_main_table_in_a_narrow_terminal_repeats_the_names() -> None:
    text = render_text(main_table(small()), width=100)
    assert (
        text
        == """\
variant     P@10         nDCG@10   W/T/L  index          index  words kept  emptied  postings
                  dcg='exp-log2'  topics     MB  % of baseline           %    pages   a query
─────────────────────────────────────────────────────────────────────────────────────────────
none      0.4000        0.5000         –  2.500          100.0       100.0        0       410
─────────────────────────────────────────────────────────────────────────────────────────────
words@11  0.4250        0.5123†+   6/1/1  1.235           49.4        50.0       10       210
─────────────────────────────────────────────────────────────────────────────────────────────
justext   0.3000        0.4000†−   1/0/7  0.750           30.0        30.0      100       210

variant    scored  query      time of a query  break-even
          a query     ms        by baseline's     queries
─────────────────────────────────────────────────────────
none          320  1.250                1.000           –
─────────────────────────────────────────────────────────
words@11      180  0.750                0.600      21,000
─────────────────────────────────────────────────────────
justext       180  1.200  not measurable here           –

8 topics. Two-sided Wilcoxon signed-rank test against the baseline, Holm correction over variants
and measures, α = 0.05: †+ is significantly better, †− significantly worse. W/T/L: topics won, tied
and lost in nDCG(dcg='exp-log2')@10. MB: 10⁶ bytes. Postings and scored documents: of a query, mean
over topics. 30 rounds in 10 openings. Java's garbage collectors paused 4 times, 0.02 s in all. The
baseline's twin takes 1.008 of its time. That is noise: differences between 0.990 and 1.030 are “not
measurable here”. Break-even: queries after which cleaning pays off.
"""
    )


def test_without_a_width_the_table_stays_in_one_piece() -> None:
    lines = render_text(main_table(small())).splitlines()
    assert {display_width(line) for line in lines[1:8]} == {142}
    assert lines[7].endswith("  30.0        30.0      100       210      180  1.200  not measurable here           –")
    assert lines[8:] == ["", CAPTION]


def test_without_times_the_main_table_has_exact_work_alone() -> None:
    timed = small()
    rows = tuple(replace(row, query=None, indexing=None) for row in timed.rows)
    table = main_table(replace(timed, rows=rows, noise=()))
    assert [column.header for column in table.columns][-2:] == ["postings", "scored"]
    assert texts(table) == [row[:-3] for row in texts(main_table(timed))]
    assert table.caption == TESTED


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
    assert texts(main_table(replace(small(), rows=(BASELINE,))))[0][-2:] == ["1.000", "–"]


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
    assert [row[4].text for row in stage_table(results, "clean").rows] == ["below resolution", "0.125", "0.125"]
    sizes = bytes_table(results)
    assert [column.header for column in sizes.columns] == ["variant", ".doc", ".tim", "beside postings", "all"]
    assert [cell.text for cell in sizes.rows[1]] == ["words@11", "0.735", "0.500", "0.500", "1.235"]
    assert texts(break_even_table(results)) == [
        ["words@11", "after 21,000 queries (19,091 to 23,333)"],
        ["justext", "not measurable here: the difference in searching is within noise"],
    ]


def test_exact_work() -> None:
    table = work_table(small())
    assert [(column.header, column.unit) for column in table.columns] == [
        ("variant", ""),
        ("tokens", "index"),
        ("postings", "index"),
        ("terms", "index"),
        ("postings", "a query"),
        ("scored", "a query"),
    ]
    assert texts(table) == [
        ["none", "150,000", "80,000", "9,000", "410", "320"],
        ["words@11", "75,000", "45,000", "7,000", "210", "180"],
        ["justext", "75,000", "45,000", "7,000", "210", "180"],
    ]


def test_times_stand_beside_the_noise_floor() -> None:
    searching, indexing = times_tables(small())
    for table in (searching, indexing):
        assert [(column.header, column.unit) for column in table.columns] == [
            ("variant", ""),
            ("wall", "ms"),
            ("CPU", "ms"),
            ("ratio", ""),
            ("interval", ""),
            ("CPU ratio", ""),
            ("difference", ""),
        ]
    assert texts(searching) == [
        ["none", "1.250", "1.125", "1.0000", "1.000 to 1.000", "1.0000", ""],
        ["words@11", "0.750", "0.675", "0.6000", "0.540 to 0.660", "0.6000", "measurable"],
        ["justext", "1.200", "1.080", "0.9600", "0.864 to 1.056", "0.9600", "not measurable here"],
    ]
    assert texts(indexing) == [
        ["none", "2,000", "1,800", "1.0000", "1.000 to 1.000", "1.0000", ""],
        ["words@11", "1,500", "1,350", "0.7500", "0.675 to 0.825", "0.7500", "measurable"],
        ["justext", "1,500", "1,350", "0.7500", "0.675 to 0.825", "0.7500", "measurable"],
    ]
    assert (searching.caption, searching.note) == ("Time of a query", f"30 rounds in 10 openings. {PAUSES}. {TWIN}")
    assert (indexing.caption, indexing.note) == ("Time of indexing", f"8 rounds. {TWIN}")


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=6))
def test_what_is_within_noise_and_nothing_else_is_not_measurable(measurable: list[tuple[bool, bool]]) -> None:
    query, indexing = measured_time(0.75, 0.6), measured_time(1500.0, 0.75)
    rows = [
        replace(
            WORDS,
            variant=f"words@{number}",
            query=replace(query, measurable=searched),
            indexing=replace(indexing, measurable=indexed),
        )
        for number, (searched, indexed) in enumerate(measurable)
    ]
    results = replace(small(), rows=(BASELINE, *rows))
    for part, table in enumerate(times_tables(results)):
        found = [row[-1] for row in texts(table)]
        assert found == ["", *("measurable" if pair[part] else "not measurable here" for pair in measurable)]
    main = texts(main_table(results))
    assert [row[-2] for row in main] == [
        "1.000",
        *("0.600" if pair[0] else "not measurable here" for pair in measurable),
    ]


def test_what_was_not_timed_has_no_table() -> None:
    timed = small()
    searched = replace(timed, rows=tuple(replace(row, indexing=None) for row in timed.rows), noise=timed.noise[:1])
    (table,) = times_tables(searched)
    assert table.caption == "Time of a query"
    untimed = replace(timed, rows=tuple(replace(row, query=None, indexing=None) for row in timed.rows), noise=())
    assert times_tables(untimed) == []


def test_the_noise_floor_of_each_retrieval_model_is_named() -> None:
    results = large(topics=4, retrievals=("qld", "bm25"))
    floors = [replace(small().noise[0], retrieval=name, rounds=rounds) for name, rounds in (("qld", 30), ("bm25", 9))]
    table = times_tables(replace(results, noise=(*floors, small().noise[1])))[0]
    rounds = f"rounds in 10 openings. {PAUSES}. {TWIN}"
    assert table.note == f"qld: 30 {rounds} bm25: 9 {rounds}"


def test_footprints_have_bounds_where_work_was_repeated() -> None:
    hours, energy, emitted = footprint_tables(small())
    works = ["cleaning", "indexing", "10,000 searches", "1,000,000 searches"]
    for table, title, unit in ((hours, "Hours", "h"), (energy, "Energy", "kWh"), (emitted, "CO₂", "kg CO₂")):
        assert table.caption == title
        assert [(column.header, column.unit) for column in table.columns] == [("variant", "")] + [
            (work, unit) for work in works
        ]
        assert [row[0] for row in texts(table)] == ["none", "words@11", "justext"]
    # 12.5 s once; 1.5 s, and 0.75 ms a query, with a tenth to both sides; 100 W, 0.341 kg/kWh.
    expected = [
        ["0.00347", "0.000417 (0.000375 to 0.000458)", "0.00208 (0.00187 to 0.00229)", "0.208 (0.188 to 0.229)"],
        [
            *["0.000347", "0.0000417 (0.0000375 to 0.0000458)"],
            *["0.000208 (0.000188 to 0.000229)", "0.0208 (0.0187 to 0.0229)"],
        ],
        [
            *["0.000118", "0.0000142 (0.0000128 to 0.0000156)"],
            *["0.0000710 (0.0000639 to 0.0000781)", "0.00710 (0.00639 to 0.00781)"],
        ],
    ]
    assert [texts(table)[1][1:] for table in (hours, energy, emitted)] == expected
    once = replace(WORDS, footprints=tuple(replace(item, repeated=False) for item in WORDS.footprints))
    for table, row in zip(footprint_tables(replace(small(), rows=(once,))), expected, strict=True):
        assert texts(table) == [["words@11", *(text.split(" (")[0] for text in row)]]


def test_footprints_of_short_work_are_below_resolution() -> None:
    row = replace(BASELINE, footprints=footprints(0.75, 2.0, 0.01))
    hours, *others = footprint_tables(replace(small(), rows=(row,)))
    assert texts(hours)[0][1:4:2] == ["0.000208", "0.0000278 (0.0000250 to 0.0000306)"]
    for table in others:
        shown = texts(table)[0][1:]
        assert [text == "below resolution" for text in shown] == [True, False, True, False]
    # Without times there are no searches to tell of.
    untimed = replace(BASELINE, footprints=BASELINE.footprints[:2])
    for table in footprint_tables(replace(small(), rows=(untimed,))):
        assert [column.header for column in table.columns] == ["variant", "cleaning", "indexing"]
    for table in footprint_tables(replace(small(), rows=(WORDS, untimed))):
        assert texts(table)[1][3:] == ["–", "–"]


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
        "| words kept (%) | emptied (pages) | postings (a query) | scored (a query) | query (ms) "
        "| time of a query (by baseline's) | break-even (queries) |\n"
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n"
        "| none | 0.4000 | 0.5000 | – | 2.500 | 100.0 | 100.0 | 0 | 410 | 320 | 1.250 | 1.000 | – |\n"
        "| words@11 | 0.4250 | 0.5123†+ | 6/1/1 | 1.235 | 49.4 | 50.0 | 10 | 210 | 180 | 0.750 | 0.600 | 21,000 |\n"
        "| justext | 0.3000 | 0.4000†− | 1/0/7 | 0.750 | 30.0 | 30.0 | 100 | 210 | 180 | 1.200 | not measurable here "
        "| – |\n"
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

"""Tables for papers: columns, rows, labels, marks and letters, and the verb that writes them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from experiments import BYTES, NDCG, made, small, with_system
from messages import assert_names

import thresher
from thresher.base.errors import ConfigError, InputError
from thresher.cli.experiment import report
from thresher.evaluation.significance import compare_pairs
from thresher.experiments.results import Results, write_results
from thresher.reports.latex import parse_length
from thresher.reports.paper_files import write_paper_table
from thresher.reports.paper_rows import labelled, unused_labels
from thresher.reports.paper_tables import PaperTable, paper_table
from thresher.reports.table import Table

LABELS = {
    "none": "No cleaning",
    "words": "Words",
    "none|dcp": "DCP",
    "dcp": "pruned",
    "P@10": "P@ten",
    "other": "Rival",
}


@pytest.fixture(scope="module")
def results() -> Results:
    """Two retrieval models and a run of another system, with labels."""
    results = with_system(made(retrievals=("qld", "bm25"), topics=40))
    return replace(results, facts=replace(results.facts, labels=LABELS))


def column(table: Table, header: str) -> list[str]:
    place = [head.header for head in table.columns].index(header)
    return [row[place].text + row[place].mark for row in table.rows]


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("none", "No cleaning"),
        ("words@11", "Words@11"),
        ("none|dcp@0.5", "DCP@0.5"),
        ("words@5|dcp@0.5", "Words@5|pruned@0.5"),
        ("bte", "bte"),
        ("words", "Words"),
    ],
)
def test_a_label_is_of_a_variant_a_sweep_or_a_part(name: str, label: str) -> None:
    assert labelled(name, LABELS) == label


def test_rows_are_asked_for_by_name_sweep_or_label(results: Results) -> None:
    table = paper_table(results, PaperTable((), ("bte", "DCP", "Words@8", "Rival")))
    of_model = ["No cleaning", "bte", *(f"DCP@{share}" for share in (0.9, 0.7, 0.5, 0.3, 0.1)), "Words@8"]
    assert column(table, " ") == [*of_model, *of_model, "Rival"]
    assert column(table, "model") == ["qld"] * 8 + ["bm25"] * 8 + [""]
    assert table.rules == (8, 16)
    one = paper_table(results, PaperTable((), ("bte",), "bm25"))
    assert column(one, " ") == ["No cleaning", "bte"]
    assert "40 topics, bm25." in one.caption


def test_labels_of_nothing_are_named(results: Results) -> None:
    assert unused_labels(results) == []
    labels = {**LABELS, "word": "Words?", "exp-nDCG@10": "nDCG", "bm25": "BM25", "../lm/justext": "x", "justext": "x"}
    assert unused_labels(replace(results, facts=replace(results.facts, labels=labels))) == ["word"]


def test_columns_are_those_of_results_csv_and_of_systems(results: Results) -> None:
    asked = PaperTable(
        ("postings_share", "exp-nDCG@10", "exp-nDCG@10 difference", "P@10 outcome"), ("bte", "other"), "qld"
    )
    table = paper_table(results, asked)
    assert [head.title for head in table.columns[1:]] == ["postings (%)", "exp-nDCG@10", "difference", "W/T/L (topics)"]
    assert column(table, "postings") == ["100.0", "60.0", "–"]
    means = [results.tables[0].mean(NDCG)[0], results.tables[0].mean(NDCG)[results.tables[0].position["bte"]]]
    assert [float(text.rstrip("†+−")) for text in column(table, "exp-nDCG@10")[:2]] == pytest.approx(means, abs=5e-5)
    assert column(table, "exp-nDCG@10")[2].endswith("†−")
    assert column(table, "W/T/L")[2] == "0/0/40"
    held_out = paper_table(made(topics=9, held_out=9), PaperTable(("held_out exp-nDCG@10",), ("bte",)))
    assert [head.title for head in held_out.columns] == [" ", "exp-nDCG@10 (held out)"]
    assert "% of the baseline" in table.caption


def test_the_size_of_another_system_is_a_share_too() -> None:
    results = with_system(made(topics=9))
    systems = (replace(results.facts.systems[0], index_bytes=BYTES // 4),)
    results = replace(results, facts=replace(results.facts, systems=systems))
    table = paper_table(results, PaperTable(("bytes_share", "P@10"), ("other",)))
    assert column(table, "bytes") == ["100.0", "25.0"]


def test_a_column_without_a_difference_is_named_in_the_caption() -> None:
    table = paper_table(made(topics=9), PaperTable(("bytes", "emptied", "P@10"), ("words@2",)))
    assert [head.header for head in table.columns] == [" ", "index", "P@10"]
    assert table.note == "In every row: emptied (pages) 0."


def test_the_caption_explains_the_marks_that_are_there() -> None:
    both = paper_table(small()).caption
    for fact in ("Pages & more", "8 topics", "Wilcoxon", "Holm", "4 tests", "α = 0.05", "†− significantly worse"):
        assert fact in both
    worse = paper_table(small(), PaperTable(("P@10", NDCG), ("justext",))).caption
    assert "†−" in worse
    assert "†+" not in worse
    assert "no difference" in paper_table(small(), PaperTable(("P@10",), ("words@11",))).caption


def test_letters_name_the_rows_that_are_worse_over_all_pairs_shown(results: Results) -> None:
    rows = ("words@8", "none|dcp@0.1", "other")
    table = paper_table(results, PaperTable(("P@10",), rows, "qld", pairs=True))
    variants = results.tables[0]
    values = {name: variants.of("P@10")[variants.position[name]] for name in ("none", "words@8", "none|dcp@0.1")}
    values["other"] = results.facts.systems[0].values[0]
    tests = compare_pairs(
        {name: {"P@10": {str(topic): float(value) for topic, value in enumerate(row)}} for name, row in values.items()}
    )
    letters = dict(zip(values, "abcd", strict=True))
    expected = dict.fromkeys(values, "")
    for (first, second), by_measure in tests.items():
        if by_measure["P@10"].direction == "better":
            expected[first] += letters[second]
        elif by_measure["P@10"].direction == "worse":
            expected[second] += letters[first]
    assert [row[0].text for row in table.rows] == list("abcd")
    assert [row[2].mark for row in table.rows] == ["".join(sorted(marks)) for marks in expected.values()]
    assert any(expected.values())
    assert "6 tests" in table.caption


def test_pairs_are_of_all_retrieval_models(results: Results) -> None:
    table = paper_table(results, PaperTable(("P@10",), ("none|dcp@0.1",), pairs=True))
    assert [row[0].text + row[1].text for row in table.rows] == ["aNo cleaning", "bDCP@0.1", "cNo cleaning", "dDCP@0.1"]
    assert table.rows[0][3].mark in ("bd", "bcd")
    assert "6 tests" in table.caption


def test_a_table_that_leaves_cutoffs_out_says_so() -> None:
    names = {"none": 1.0, **{f"words@{cutoff}": 1 - cutoff / 60 for cutoff in range(1, 50)}}
    results = made(names, topics=5)
    assert "40 of 50 built variants" in paper_table(results).note
    assert paper_table(results, PaperTable(rows=("words",))).note == ""
    assert paper_table(made(topics=5)).note == ""


def test_variants_selected_on_the_topics_have_no_letter() -> None:
    results = made(topics=40)
    table = results.tables[0]
    rows = list(table.rows)
    place = table.position["bte"]
    built = rows[place].built
    assert built
    selected = {measure: replace(comparison, selected=True) for measure, comparison in built.comparisons.items()}
    rows[place] = replace(rows[place], built=replace(built, comparisons=selected))
    results = replace(results, tables=(table.with_rows(rows),))
    shown = paper_table(results, PaperTable(("P@10",), ("bte", "justext"), pairs=True))
    assert [row[0].text for row in shown.rows] == ["a", "", "b"]
    assert "1 test:" in shown.caption
    assert "selected on these topics" in shown.caption


@pytest.mark.parametrize(
    ("asked", "facts"),
    [
        (PaperTable(columns=("APP",)), ("columns: ", "no column 'APP'", "Fix: ", "results.csv")),
        (PaperTable(rows=("btee",)), ("no row 'btee'", "Fix: ", "bte")),
        (PaperTable(model="bm26"), ("no retrieval model 'bm26'", "Fix: ")),
        (PaperTable(columns=("bytes",), pairs=True), ("pairs: ", "no column", "Fix: ", "add a measure")),
    ],
)
def test_what_is_not_there_is_an_error(results: Results, asked: PaperTable, facts: tuple[str, ...]) -> None:
    with pytest.raises(ConfigError) as caught:
        paper_table(results, asked)
    assert_names(caught.value, *facts)


@pytest.mark.parametrize(
    ("text", "inches"), [("3.3in", 3.3), ("84 mm", 84 / 25.4), ("8.4cm", 8.4 / 2.54), ("241pt", 241 / 72.27)]
)
def test_widths_have_units(text: str, inches: float) -> None:
    assert parse_length(text) == pytest.approx(inches)


@pytest.mark.parametrize("text", ["3.3", "0in", "99in", "-3in", "3 px", ""])
def test_other_widths_are_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="such as 3"):
        parse_length(text)


def test_python_has_them_too() -> None:
    table = thresher.paper_table(small(), thresher.PaperTable(("P@10",), rows=("justext",)))
    assert r"\label{tab:a}" in thresher.render_latex(table, label="tab:a")
    assert thresher.paper_plot(small(), thresher.PaperPlot(inches=4.0)).svg.startswith("<svg ")


def test_a_table_wider_than_two_columns_is_refused_if_its_columns_were_asked_for(
    results: Results, tmp_path: Path
) -> None:
    wide = PaperTable(
        ("P@10", "exp-nDCG@10", "P@10 difference", "exp-nDCG@10 difference", "bytes_share", "postings_share")
    )
    with pytest.raises(ConfigError, match=r"\d+ pt wide.*labels?"):
        write_paper_table(results, wide, tmp_path / "a.tex", width="1in")
    with pytest.raises(InputError, match=r"\.tex"):
        write_paper_table(results, wide, tmp_path / "a.pdf")
    write_paper_table(results, PaperTable(), tmp_path / "b.tex", width="1.2in")
    assert_names((tmp_path / "b.tex").read_text(encoding="utf-8").splitlines()[0], "% columns ", "no room for: ")


def test_the_verb_takes_names_with_commas_and_the_labels_of_the_file(tmp_path: Path) -> None:
    folder, file, tex = tmp_path / "results", tmp_path / "small.toml", tmp_path / "out" / "a.tex"
    folder.mkdir()
    write_results(small(), folder)
    file.write_text(
        '[experiment]\nname = "small"\n[collection]\npath = "."\n[topics]\npath = "t"\n[qrels]\npath = "q"\n'
        '[report.labels]\n"words" = "Words"\n"justext" = "j_T"\n"words@11" = "Eleven words"\n',
        encoding="utf-8",
    )
    command = [str(folder), "--table", str(tex), "--columns", "bytes_share,P@10", "--rows", "justext, words"]
    done = CliRunner().invoke(report, [*command, "--label", "tab:one"], catch_exceptions=False)
    assert done.exit_code == 0
    assert done.stdout.splitlines()[-1] == f"table: {tex}"
    assert r"justext & 25.0 & " in tex.read_text(encoding="utf-8")
    manifest = {"config": {"path": "../small.toml"}, "code": None, "versions": {}}
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    CliRunner().invoke(report, command, catch_exceptions=False)
    text = tex.read_text(encoding="utf-8")
    assert r"j\_T & 25.0 & " in text
    assert "Eleven words & 50.0 & " in text
    assert r"\label" not in text
    for wrong in (["--pairs"], ["--columns", "P@10"], ["--label", "a"], ["--rows", "justext"], ["--model", "qld"]):
        with pytest.raises(ConfigError, match="--table"):
            CliRunner().invoke(report, [str(folder), *wrong], catch_exceptions=False)

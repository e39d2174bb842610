"""Every two runs compared: in Python, and by `thresher evaluate --pairs`, which names the worse runs by letters."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.stats
from click.testing import CliRunner

from thresher.base.errors import ConfigError
from thresher.cli.main import cli
from thresher.evaluation.comparing import ComparedRuns, compare_runs
from thresher.evaluation.corrections import holm
from thresher.evaluation.significance import compare_pairs
from thresher.reports.compared_runs import marked_table, table_lines
from thresher.reports.latex import render_latex
from thresher.reports.text_tables import render_markdown, render_text

TOPICS = 30
RANKS = {"good": 1, "fine": 2, "bad": 9}
"""The rank of the only relevant document, which the first two runs share by turns."""


def run_of(rank: int, topic: int) -> dict[str, float]:
    place = 3 - rank if rank < 3 and topic % 2 else rank
    ids = [f"x{number}" for number in range(1, 10)]
    ids.insert(place - 1, "r")
    return {document: 20.0 - number for number, document in enumerate(ids)}


QRELS = {str(topic): {"r": 1, "x1": 0} for topic in range(TOPICS)}
RUNS = {name: {str(topic): run_of(rank, topic) for topic in range(TOPICS)} for name, rank in RANKS.items()}


def compared(**options: str) -> ComparedRuns:
    return compare_runs(QRELS, RUNS, ["RR", "P@5", "Judged@5"], pairs=True, **options)  # type: ignore[arg-type]


def test_p_of_pairs_is_scipys_with_one_correction_over_all() -> None:
    generator = np.random.default_rng(5)
    table = {
        run: {name: {str(topic): float(generator.random()) for topic in range(15)} for name in ("AP", "RR", "Judged@5")}
        for run in "abcd"
    }
    pairs = compare_pairs(table, test="t")
    assert list(pairs) == [("a", "b"), ("a", "c"), ("a", "d"), ("b", "c"), ("b", "d"), ("c", "d")]
    tests = [(pair, measure) for pair, by_measure in pairs.items() for measure in by_measure]
    assert {measure for _, measure in tests} == {"AP", "RR"}
    expected = [
        scipy.stats.ttest_rel([*table[one][name].values()], [*table[other][name].values()]).pvalue
        for (one, other), name in tests
    ]
    assert [pairs[pair][name].p for pair, name in tests] == pytest.approx(expected)
    assert [pairs[pair][name].p_corrected for pair, name in tests] == pytest.approx(holm(expected))


@pytest.mark.parametrize("test", ["wilcoxon", "t", "randomisation"])
def test_letters_name_the_runs_that_are_worse(test: str) -> None:
    table = marked_table(compared(test=test, correction="bh"))
    assert [[cell.text for cell in row[:2]] for row in table.rows] == [["a", "good"], ["b", "fine"], ["c", "bad"]]
    assert [[cell.mark for cell in row[2:]] for row in table.rows] == [["c", "c", ""], ["c", "c", ""], ["", "", ""]]
    for fact in (f"{TOPICS} topics", "6 tests", "all pairs", "Benjamini-Hochberg", "α = 0.05"):
        assert fact in table.caption


def test_letters_are_superscripts_in_each_form() -> None:
    table = marked_table(compared())
    assert "0.7500 c" in render_text(table)
    assert "0.7500<sup>c</sup>" in render_markdown(table)
    assert r"0.7500 & \textsuperscript{c}" in render_latex(table)
    assert "0.7500 c" in [*table_lines(table)][1].split("\t")


def test_without_pairs_the_marks_are_of_the_baseline() -> None:
    table = marked_table(compare_runs(QRELS, RUNS, ["RR"]))
    assert [row[1].mark for row in table.rows] == ["", "", "†−"]
    assert "against good" in table.caption


@pytest.mark.slow
def test_more_runs_than_letters_are_refused() -> None:
    runs = {f"run{number}": RUNS["good"] for number in range(53)}
    with pytest.raises(ConfigError, match=r"53 runs.*at most 52"):
        marked_table(compare_runs(QRELS, runs, ["RR"], correction="none", test="t", pairs=True))


def test_the_verb_prints_each_form_and_reads_each_column(tmp_path: Path) -> None:
    qrels = tmp_path / "qrels"
    qrels.write_text("".join(f"{topic} 0 r 0 1 0\n{topic} 0 x1 1 0 0\n" for topic in QRELS), encoding="utf-8")
    for name, run in RUNS.items():
        lines = [f"{topic} Q0 {id} 0 {score} x\n" for topic, hits in run.items() for id, score in hits.items()]
        (tmp_path / name).write_text("".join(lines), encoding="utf-8")
    paths = [str(tmp_path / name) for name in RANKS]

    def evaluate(*options: str) -> str:
        done = CliRunner().invoke(cli, ["evaluate", str(qrels), *paths, "-m", "RR", *options], catch_exceptions=False)
        assert done.exit_code == 0
        return done.stdout

    assert evaluate("--pairs", "--column", "effectiveness").split("\n")[1].split("\t")[::2] == ["a", "0.7500 c"]
    assert evaluate("--pairs").split("\n")[3].split("\t")[::2] == ["c", "1.0000 ab"]
    assert evaluate("--markdown").startswith("| run | RR |\n")
    assert r"\toprule" in evaluate("--latex", "--pairs", "--test", "t")
    assert "| verdict |" in evaluate("--markdown", "--margin", "5%")
    for wrong in (("--pairs", "--margin", "5%"), ("--per-topic", "--latex"), ("--per-topic", "--pairs")):
        with pytest.raises(ConfigError):
            evaluate(*wrong)

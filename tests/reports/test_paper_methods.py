"""The paragraph on methods for a paper, and the bibliography beside it."""

from __future__ import annotations

import json
import os
import re
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from experiments import chosen, made, small
from messages import assert_names

from thresher.base.errors import InputError, StateError
from thresher.cli.experiment import report
from thresher.experiments.manifest import CodeState, Software, software_of
from thresher.experiments.results import RESULTS_FILE, Results, write_results
from thresher.reports.files import REPORT_FILE, write_reports
from thresher.reports.methods import methods
from thresher.reports.paper_methods import write_methods

SOFTWARE = Software(
    {"thresher": "0.9.1", "lucene": "9.9.1", "anserini": "1.7.1", "pyserini": "1.6.0", "ir-measures": "0.4.3"},
    CodeState("0123456789abcdef", changed=True),
    "2026-11-28",
)


def labelled() -> Results:
    results = made(topics=30, retrievals=("qld(mu=500)", "bm25"), held_out=9)
    return replace(
        results, facts=replace(results.facts, test="randomisation", correction="bh", labels={"bte": "B_T_E"})
    )


@pytest.mark.parametrize(("ending", "cited"), [(".md", r"\[(@[^\]]+)\]"), (".tex", r"~\\cite\{([^}]+)\}")])
def test_versions_methods_and_tests_are_said_and_cited(tmp_path: Path, ending: str, cited: str) -> None:
    results = labelled()
    path = tmp_path / f"methods{ending}"
    file = write_methods(results, SOFTWARE, chosen(results, "bte"), path)
    text = path.read_text(encoding="utf-8")
    for fact in (
        "1002 pages",
        "Thresher 0.9.1",
        "commit 0123456789 with changes, 2026-11-28",
        "Lucene 9.9.1",
        "Anserini 1.7.1",
        "Pyserini 1.6.0",
        "ir-measures 0.4.3",
        "= 500",
        "BM25, k1 = 0.9",
        "30 topics",
        "9 held-out topics",
        "randomisation test",
        "Benjamini-Hochberg",
        "P@10",
        "1,000 documents",
        "stemmer: porter",
    ):
        assert fact.replace("1002", "1,002") in text
    keys = {key.strip(" @") for keys in re.findall(cited, text) for key in re.split("[,;]", keys)}
    expected = (
        "thresher kohlschuetter2010boilerplate pomikalek2011justext finn2001bte buettcher2006pruning yang2017anserini"
    )
    expected += " lin2021pyserini zhai2004smoothing robertson1994okapi jarvelin2002cumulated burges2005ranknet"
    expected += " macavaney2022irmeasures fisher1935design smucker2007comparison benjamini1995fdr efron1979bootstrap"
    assert keys == {*expected.split(), "walker2011noninferiority", "bretz2009graphical"}
    entries = re.findall(r"^@\w+\{(\w+),", file.read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(keys) == sorted(entries)
    assert file == tmp_path / "methods.bib"
    assert ("B_T_E (bte)" if ending == ".md" else r"B\_T\_E (bte)") in text


def test_what_was_not_used_or_is_not_known_is_not_said(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    write_methods(made({"none": 1.0, "words@5": 0.5}, 9, only_explored=["words@5"]), Software({}, None), None, path)
    text = path.read_text(encoding="utf-8")
    assert "Thresher [@thresher]." in text
    for absent in ("pruned", "commit", "Differences", "held-out", "looked for"):
        assert absent not in text
    with pytest.raises(InputError, match=r"\.tex or \.md"):
        write_methods(small(), SOFTWARE, None, tmp_path / "a.txt")


def test_the_verb_reads_the_manifest(tmp_path: Path) -> None:
    folder, path = tmp_path / "results", tmp_path / "methods.tex"
    folder.mkdir()
    write_results(small(), folder)
    manifest = {"versions": {"thresher": "7.7"}, "code": {}, "date": "2020-02-02"}
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    done = CliRunner().invoke(report, [str(folder), "--methods", str(path)], catch_exceptions=False)
    assert done.stdout.splitlines()[-2:] == [f"methods: {path}", f"references: {tmp_path / 'methods.bib'}"]
    assert r"Thresher 7.7~\cite{thresher} (2020-02-02)" in path.read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_report_has_the_versions_of_the_paragraph(tmp_path: Path) -> None:
    results, path = labelled(), tmp_path / "methods.md"
    write_methods(results, SOFTWARE, None, path)
    made, programs = dict(methods(results, SOFTWARE))["Software"]
    assert_names(made, "Thresher 0.9.1", "commit 0123456789", "changes", "2026-11-28")
    assert_names(programs, "Lucene 9.9.1", "Anserini 1.7.1", "Pyserini 1.6.0", "ir-measures 0.4.3")
    text = re.sub(r" \[@[^\]]+\]", "", path.read_text(encoding="utf-8"))
    assert made in text
    assert_names(text, "Lucene 9.9.1", "Anserini 1.7.1", "Pyserini 1.6.0")
    assert "Software" not in dict(methods(results))
    assert dict(methods(results, Software({}, None)))["Software"][0] == "Thresher."
    write_reports(results, tmp_path)
    (tmp_path / RESULTS_FILE).write_text("{}", encoding="utf-8")
    os.utime(tmp_path / RESULTS_FILE, (0, 0))
    write_reports(results, tmp_path)
    page = (tmp_path / REPORT_FILE).read_text(encoding="utf-8")
    assert re.search(r"<dd>Thresher [\d.]+ \(.*1970-01-01\)\.</dd>", page)


def test_software_is_that_of_the_manifest_or_what_is_installed(tmp_path: Path) -> None:
    installed = software_of(tmp_path)
    assert {"anserini", "lucene", "pyserini", "thresher"} <= set(installed.versions)
    assert installed.date == ""
    (tmp_path / "manifest.json").write_text("{}", encoding="utf-8")
    with pytest.raises(StateError, match="manifest"):
        software_of(tmp_path)

"""`thresher pseudo-topics`, as a user calls it: what it prints, its errors, and an experiment that runs on what it wrote."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path

import pytest
from commands import thresher

from thresher.cli.main import main
from thresher.evaluation import read_qrels, read_topics

WORDS = "barley copper harbour violin glacier bakery lighthouse telescope orchard railway beehive printing".split()


def call(monkeypatch: pytest.MonkeyPatch, *arguments: str | Path) -> int:
    monkeypatch.setattr(sys, "argv", ["thresher", "pseudo-topics", *map(str, arguments)])
    try:
        main()
    except SystemExit as end:
        return int(end.code or 0)
    return 0


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    folder = tmp_path / "pages"
    folder.mkdir()
    for number, word in enumerate(WORDS):
        after = WORDS[(number + 1) % len(WORDS)]
        (folder / f"{word}.html").write_text(
            f"<title>The {word} trade | Old crafts</title><p>All of the {word} trade, and why it went away for good."
            f"<p>It was followed by <a href={after}.html>{after} craft</a>, as one may read in many an old book."
            "<ul><li><a href=barley.html>Home page</a></ul>"
        )
    return folder


def test_what_is_written_runs(
    tmp_path: Path, pages: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "known items"
    assert call(monkeypatch, pages, "-o", output, "--topics", "20", "--workers", "1") == 0
    printed = capfd.readouterr()
    assert printed.err.splitlines() == [
        "documents: 12 = 12 with HTML",
        "titles: 12 = 2 not drawn + 10 topics",
        "links: 24 = 1 to the page itself + 11 navigation + 12 used",
        "anchors: 12 = 2 not drawn + 10 topics",
    ]
    assert printed.out == (f'[topics]\npath = "{output}/topics.tsv"\n\n[qrels]\npath = "{output}/qrels.txt"\n')
    topics, qrels = read_topics(output / "topics.tsv"), read_qrels(output / "qrels.txt")
    assert topics.keys() == qrels.keys()
    for topic in topics.values():
        (document,) = qrels[topic.id]
        # All titles begin with `The ` and end with ` trade | Old crafts`.
        assert topic.query == (document if topic.id.startswith("title-") else f"{document} craft")
    experiment = tmp_path / "known.toml"
    experiment.write_text(
        f'[experiment]\nname = "known"\n\n[collection]\npath = "pages"\n\n{printed.out}\n'
        '[cleaners]\nnames = ["words@3"]\n\n[retrieval]\nmodels = ["qld"]\n\n[measure]\nseconds = 0\n\n'
        "[costs]\ntdp_watts = 65\n"
    )
    done = thresher("run", experiment, cwd=tmp_path)
    assert done.code == 0, done.err
    rows = list(csv.DictReader((tmp_path / "results/known/results.csv").read_text(encoding="utf-8").splitlines()))
    assert [row["variant"] for row in rows] == ["none", "words@3"]
    per_topic = (tmp_path / "results/known/per_topic.csv").read_text(encoding="utf-8").splitlines()
    values = [row for row in csv.DictReader(per_topic) if row["variant"] == "none" and row["measure"] == "AP"]
    # No page has these words as often as their own.
    assert [float(row["value"]) for row in values if row["topic"].startswith("title-")] == [1.0] * 10
    # The limits of such topics are named with the results, and with a choice.
    report = (tmp_path / "results/known/report.html").read_text(encoding="utf-8")
    assert report.count("These are pseudo-topics") == 1
    chosen = thresher("choose", experiment, cwd=tmp_path)
    assert chosen.code == 0, chosen.err
    assert "- These are pseudo-topics" in chosen.out


def test_ids_as_in_experiment_files(tmp_path: Path, pages: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    options = ("--keep-suffix", "--id-pattern", "l+", "--id-replacement", "L", "--from", "titles", "--topics", "500")
    assert call(monkeypatch, pages, "-o", tmp_path / "out", *options) == 0
    ids = {document for documents in read_qrels(tmp_path / "out" / "qrels.txt").values() for document in documents}
    assert ids == {f"{word}.htmL".replace("l", "L") for word in WORDS}
    about = json.loads((tmp_path / "out" / "pseudo-topics.json").read_text(encoding="utf-8"))
    assert (about["ids"]["keep_suffix"], about["ids"]["pattern"]) == (True, "l+")


@pytest.mark.parametrize(
    ("arguments", "code", "error"),
    [
        (("--topics", "0"), 2, "topics: 0 topics are none. Fix: ask for at least 1."),
        (
            ("--format", "pdf"),
            2,
            "format: there is no format 'pdf'. Fix: use one of html, text, warc, trec-web, jsonl, tar, parquet.",
        ),
        (
            ("--prefix", "deep"),
            3,
            "{pages}: none of its 12 documents can be read, the most frequent reason is: "
            "the file is not below the prefix 'deep'. Fix: check the path, the format and the options of ids.",
        ),
        (
            ("--ids", "name"),
            2,
            "Invalid value for '--ids': 'name' is not one of 'path', 'stem', 'address', 'record'. "
            "Fix: see `thresher pseudo-topics --help`.",
        ),
        (
            ("--id-pattern", "("),
            2,
            "id_pattern: this is not a regular expression with its replacement (missing ), unterminated subpattern at "
            "position 0). Fix: correct it.",
        ),
    ],
)
def test_options_that_are_none(
    tmp_path: Path,
    pages: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    arguments: tuple[str, ...],
    code: int,
    error: str,
) -> None:
    assert call(monkeypatch, pages, "-o", tmp_path / "out", *arguments) == code
    assert capfd.readouterr().err == f"error: {error.format(pages=pages)}\n"
    assert not (tmp_path / "out").exists()


def test_stop_lists_that_are_none(
    tmp_path: Path, pages: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    assert call(monkeypatch, pages, "-o", tmp_path / "out", "--stop-list", "Klingon") == 2
    error = capfd.readouterr().err
    assert error.startswith(
        "error: stop_list: there is no stop list of the language 'Klingon'. Fix: use one of Afrikaans, "
    )
    assert error.endswith("Walloon, Waray_Waray, Welsh, West_Frisian, Western_Panjabi, Yoruba.\n")


def test_collections_without_titles_and_links(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    text = tmp_path / "text.jsonl"
    text.write_text('{"id": "a", "contents": "Barley."}\n{"id": "b", "contents": "Rye."}\n')
    assert call(monkeypatch, text, "-o", tmp_path / "out") == 3
    assert capfd.readouterr().err == (
        f"error: {text}: its documents are plain text, which has no titles and links (2 of 2). "
        "Fix: give the pages as HTML: a member `html` of JSON lines, WARC responses, a folder of pages.\n"
    )
    bare = tmp_path / "bare.jsonl"
    bare.write_text('{"id": "a", "html": "<p>Barley.<a href=x>Rye bread</a>"}\n')
    assert call(monkeypatch, bare, "-o", tmp_path / "out") == 3
    assert capfd.readouterr().err == (
        f"error: {bare}: no topic was found (documents: 1 = 1 with HTML; titles: 1 = 1 without title; "
        "links: 1 = 1 to no web page; anchors: 0). "
        "Fix: give pages with titles or links to each other, or ask for other sources.\n"
    )
    assert call(monkeypatch, bare, "-o", tmp_path / "out", "--from", "questions") == 3
    fix = capfd.readouterr().err.partition(" Fix: ")[2]
    assert "questions" in fix
    assert not {"titles", "links"} & {*fix.split()}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bare.jsonl", "text.jsonl"]


def test_a_folder_that_holds_other_things(
    tmp_path: Path, pages: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    assert call(monkeypatch, pages, "-o", pages) == 5
    assert capfd.readouterr().err == (
        f"error: {pages}: it would be replaced, but holds bakery.html, which is not of pseudo-topics. "
        "Fix: name a new or an empty folder.\n"
    )
    own = tmp_path / "own"
    own.mkdir()
    (own / "topics.tsv").write_text("1\tmine\n")
    assert call(monkeypatch, pages, "-o", own) == 5
    assert capfd.readouterr().err == (
        f"error: {own}: it would be replaced, but holds topics.tsv, which is not of pseudo-topics. "
        "Fix: name a new or an empty folder.\n"
    )
    assert (own / "topics.tsv").read_text() == "1\tmine\n"

"""`thresher clean`: into JSON lines, from members of JSON lines by any name, with the failures listed."""

from __future__ import annotations

import gzip
import json
import os
import re
import shlex
import sys
from pathlib import Path

import pytest
from many_languages import PARAGRAPHS
from messages import Message, assert_names

from thresher.base.defaults import SEARCH_CLEANER
from thresher.cleaners.words.text_training import train
from thresher.cli.main import main


def clean(monkeypatch: pytest.MonkeyPatch, *arguments: str | Path) -> None:
    monkeypatch.setattr(sys, "argv", ["thresher", "clean", *map(str, arguments)])
    main()


@pytest.fixture
def lines(tmp_path: Path) -> Path:
    path = tmp_path / "pages.jsonl"
    records = [
        {"docno": "a", "body": {"page": "<p>Barley and weather, much weather.</p><p>Home</p>"}, "link": "http://x/a"},
        {"docno": "b", "body": {"page": "<p>Home</p>"}},
        {"docno": "c", "body": 7},
        {"docno": "a", "body": {"page": "<p>Once more.</p>"}},
    ]
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


FIELDS = ("--id-field", "docno", "--html-field", "body.page", "--url-field", "link")


def test_members_by_any_name_and_the_failures_beside_them(
    tmp_path: Path, lines: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    failed = tmp_path / "failures.jsonl"
    clean(monkeypatch, lines, "-c", "words@3", "-o", tmp_path / "cleaned.jsonl", "--failures", failed, *FIELDS)
    told = capfd.readouterr().err.splitlines()
    counts = [line for line in told if line.startswith(f"{tmp_path / 'cleaned.jsonl'}: ")]
    assert [re.findall(r"\d+ \w+", line.rpartition(": ")[2]) for line in counts] == [
        ["4 pages", "1 with", "1 emptied", "2 failed", "5 words"]
    ]
    # The rate is the clock's.
    assert re.match(r"\d+\.\d pages a second; ", told[-1])
    assert re.findall(r"\d+", told[-1].partition("; ")[2]) == ["105", "110"]
    with pytest.raises(SystemExit) as end:
        clean(monkeypatch, lines, "-o", tmp_path / "new.jsonl", "--failures", failed, *FIELDS)
    told_then = Message(f"error: {failed}: ", "exists already", "Fix: ", "another name", "--replace")
    assert (end.value.code, capfd.readouterr().err.splitlines()) == (5, [told_then])
    written = [json.loads(line) for line in (tmp_path / "cleaned.jsonl").read_text(encoding="utf-8").splitlines()]
    assert written == [
        {"id": "a", "url": "http://x/a", "contents": "Barley and weather, much weather."},
        {"id": "b", "contents": ""},
    ]
    size = len(lines.read_bytes().splitlines(keepends=True)[0])
    failures = [json.loads(line) for line in failed.read_text(encoding="utf-8").splitlines()]
    assert [(result["file"], result["id"]) for result in failures] == [("pages.jsonl", "c"), ("pages.jsonl", "a")]
    for fact in ("document id", "twice", "pages.jsonl at byte 0"):
        assert fact in failures[1]["reason"]
    assert failures[0]["offset"] > size
    assert [line for line in told if line.startswith("failed: ")] == [
        f"failed: {result['id']}: {result['reason']}" for result in failures
    ]


def test_what_is_removed_and_what_fails_is_compressed_if_its_name_says_so(
    tmp_path: Path, lines: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder, ending in (("plain", ""), ("packed", ".gz")):
        (tmp_path / folder).mkdir()
        extras = {name: tmp_path / folder / f"{name}.jsonl{ending}" for name in ("removed", "failures")}
        options = [part for name, path in extras.items() for part in (f"--{name}", path)]
        clean(monkeypatch, lines, "-c", "words@3", "-o", tmp_path / folder / "cleaned.jsonl", *options, *FIELDS)
    for name, count in (("removed", 2), ("failures", 2)):
        written = (tmp_path / "plain" / f"{name}.jsonl").read_bytes()
        assert gzip.decompress((tmp_path / "packed" / f"{name}.jsonl.gz").read_bytes()) == written
        assert len(written.splitlines()) == count


def test_what_is_written_and_what_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    article = (
        f"<title>Rain</title><p>{PARAGRAPHS['English']}</p><ul><li>hail</li><li>snow</li></ul><pre>a = 1\nb = 2</pre>"
    )
    german = f"<p>{PARAGRAPHS['German']}</p>"
    html = {"a": article, "b": german, "empty": "<p></p>", "short": "<p>Home</p>", "again": german}
    path = tmp_path / "pages.jsonl"
    path.write_text(
        "".join(
            json.dumps({"id": name, "html": page, "topic": {"n": [1]}, "title": "x"}) + "\n"
            for name, page in html.items()
        )
    )

    def cleaned(out: str, *options: str) -> tuple[str, str]:
        clean(monkeypatch, path, "-c", "none", "-o", tmp_path / out, *options)
        told = capfd.readouterr().err.splitlines()
        (left_out,) = (line for line in told if "left out" in line)
        written = (tmp_path / out).read_text(encoding="utf-8")
        if not out.endswith(".md"):
            rows = map(json.loads, written.splitlines())
            words = sum(
                any(map(str.isalnum, word)) for row in rows for word in (row.get("contents") or row["text"]).split()
            )
            assert f"; {words:,} words kept" in told[0]
        return written, left_out

    written, told = cleaned("o.jsonl", "--with-language", "--html", "--markdown", "--text-name", "text", "--drop-empty")
    rows = {row["id"]: row for row in map(json.loads, written.splitlines())}
    assert (list(rows), *re.findall(r"\d+", told)) == (["a", "b", "short", "again"], "1")
    assert [rows[name]["language"] for name in ("a", "b", "again")] == ["en", "de", "de"]
    assert [rows[name]["title"] for name in ("a", "b")] == ["Rain", "x"]
    assert [row["topic"] for row in rows.values()] == [{"n": [1]}] * 4
    assert "<ul><li>hail</li><li>snow</li></ul><pre>a = 1\nb = 2</pre>" in rows["a"]["html"]
    assert rows["a"]["text"].endswith("hail\nsnow\na = 1 b = 2")
    assert rows["a"]["markdown"].endswith("\n\n- hail\n- snow\n\n```\na = 1\nb = 2\n```")
    assert "contents" not in rows["a"]
    written, told = cleaned("o.jsonl", "--language", "de", "--min-words", "2", "--replace")
    assert [json.loads(line)["id"] for line in written.splitlines()] == ["b", "again"]
    assert re.findall(r"\d+", told) == ["3"]
    written, _ = cleaned("o.md", "--min-words", "2")
    assert re.findall('^id: "(.*)"$', written, re.MULTILINE) == ["a", "b", "again"]
    assert "\n```\na = 1\nb = 2\n```\n" in written
    assert written.count('topic: {"n": [1]}\n') == 3


def test_html_is_of_one_page_and_of_its_own_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "pages").mkdir()
    for name in ("a", "b"):
        page = f"<title>Rain</title><p>{PARAGRAPHS['English']}</p><p>Home</p>"
        (tmp_path / "pages" / f"{name}.html").write_text(page)
    clean(monkeypatch, tmp_path / "pages" / "a.html", "-c", "words@3", "-o", tmp_path / "o.html")
    shown = (tmp_path / "o.html").read_text(encoding="utf-8")
    assert shown.endswith(f"<body><p>{PARAGRAPHS['English']}</p></body></html>\n")
    for arguments, fact in (
        (("-c", "words@3", "-o", tmp_path / "p.html"), "write JSON lines"),
        (("-c", "extractor(resiliparse)", "-o", tmp_path / "o.md"), "leave HTML and Markdown out"),
        (("-c", "extractor(resiliparse)", "-o", tmp_path / "o.jsonl", "--html"), "leave HTML and Markdown out"),
    ):
        with pytest.raises(SystemExit) as end:
            clean(monkeypatch, tmp_path / "pages", *arguments)
        assert (end.value.code, fact in capfd.readouterr().err) == (2, True)
    assert {path.name for path in tmp_path.iterdir()} == {"pages", "o.html"}


def test_pages_lost_by_their_language_are_told_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    pages = [
        {"id": f"{language}{number}", "html": f"<p>{PARAGRAPHS[language]}</p>"}
        for language, many in (("English", 37), ("Russian", 1), ("Chinese", 1))
        for number in range(many)
    ]
    path, cleaned = tmp_path / "pages.jsonl", tmp_path / "cleaned.jsonl"

    def told(*arguments: str) -> list[str]:
        path.write_text("".join(json.dumps(page) + "\n" for page in pages), encoding="utf-8")
        clean(monkeypatch, path, "-o", cleaned, "--replace", *arguments)
        return [line for line in capfd.readouterr().err.splitlines() if line.startswith((str(cleaned), "warning"))]

    words = len(PARAGRAPHS["English"].split())
    # Two of 39 pages are more than one in twenty, two of 40 are not.

    def counts(pages: int, emptied: int) -> Message:
        facts = ("37 with text", f"{emptied} emptied", "0 failed", f"{37 * words:,} words kept")
        return Message(f"{cleaned}: {pages} pages", *facts)

    lost = [
        counts(39, 2),
        Message(
            *("warning: justext empties", "2 of 39 pages (5.1 %)", "1 Chinese, 1 Russian"),
            *("lang=LANGUAGE", "floor=W", "W words of each page"),
        ),
    ]
    assert told("-c", "justext", "--workers", "1") == told("-c", "justext", "--workers", "2") == lost
    (line,) = told("-c", "justext(floor=1)")
    assert "39 with text + 0 emptied" in line
    pages.append({"id": "x", "html": "<p></p>"})
    counts_of_40, warning = told("-c", "justext")
    assert counts_of_40 == counts(40, 3)
    assert_names(warning, "warning: ", "3 of 40 pages (7.5 %)", "1 Chinese, 1 Russian, 1 no text")


def test_the_default_cleaner_names_the_one_for_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """An explicit choice of another cleaner needs no such hint."""
    page = tmp_path / "page.html"
    page.write_text("<p>Rain is expected in the north tonight.", encoding="utf-8")

    def hints(*options: str) -> list[str]:
        clean(monkeypatch, page, *options)
        return [line for line in capfd.readouterr().err.splitlines() if "--cleaner" in line]

    (hint,) = hints()
    assert shlex.split(hint.partition(": ")[2]) == ["--cleaner", SEARCH_CLEANER]
    assert hints("-c", SEARCH_CLEANER) == []


def test_the_papers_cutoff_comes_with_what_it_means_for_the_model(
    tmp_path: Path, lines: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    model = tmp_path / "m"
    (tmp_path / "t").write_text("the barley grows\nthe barley weather\nmuch weather\n" * 9, encoding="utf-8")
    train((tmp_path / "t",), model)
    out = tmp_path / "out.jsonl"
    for cleaner, fact in (
        ("perplexity", "a percentile"),
        (f"perplexity(lm={model})", "100 %"),
    ):
        clean(monkeypatch, lines, "-c", cleaner, "-o", out, "--replace", *FIELDS)
        (told,) = (line for line in capfd.readouterr().err.splitlines() if line.startswith("perplexity("))
        assert "@8000: " in told
        assert fact in told
    clean(monkeypatch, lines, "-c", "perplexity@9000", "-o", out, "--replace", *FIELDS)
    assert "8000" not in capfd.readouterr().err


@pytest.mark.parametrize(
    ("options", "facts"),
    [
        (["--format", "pdf"], ["format", "'pdf'", "html, text, warc, trec-web, jsonl, tar, parquet"]),
        (["--id-pattern", "("], ["id_pattern", "unterminated subpattern"]),
        (["--id-pattern", "a", "--id-replacement", r"\2"], ["id_pattern", "invalid group reference 2"]),
        (["--text-name", ""], ["--text-name", "''"]),
        (["--text-name", "title"], ["--text-name", "'title'", "id, url, title, html, markdown, language"]),
    ],
)
def test_options_that_say_nothing(
    tmp_path: Path,
    lines: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    options: list[str],
    facts: list[str],
) -> None:
    with pytest.raises(SystemExit) as end:
        clean(monkeypatch, lines, "-c", "words@3", "-o", tmp_path / "o.jsonl", *options)
    (told,) = capfd.readouterr().err.splitlines()
    assert end.value.code == 2
    assert [fact for fact in facts if fact not in told] == []
    assert not (tmp_path / "o.jsonl").exists()


def test_pages_keep_ids_that_no_run_can_hold_unless_they_are_escaped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    pages = tmp_path / "my pages"
    pages.mkdir()
    for name in ("Home page", "100%", "plain"):
        (pages / f"{name}.html").write_text(f"<p>{PARAGRAPHS['English']}</p>")

    def ids(*arguments: str | Path) -> tuple[list[str], list[str]]:
        clean(monkeypatch, *arguments, "-o", "-")
        output, told = capfd.readouterr()
        return [json.loads(line)["id"] for line in output.splitlines()], re.findall(r"^\d+ ids? .*", told, re.MULTILINE)

    kept, (told,) = ids(pages)
    assert (kept, told.split()[0], "--escape-ids" in told) == (["100%", "Home page", "plain"], "1", True)
    assert ids(pages, "--escape-ids") == (["100%25", "Home%20page", "plain"], [])
    assert ids(pages / "Home page.html")[0] == ["Home page"]


def test_a_file_name_that_is_not_utf8_is_refused_unless_it_is_escaped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    page = os.fsencode(tmp_path) + b"/caf\xe9.html"
    try:
        Path(os.fsdecode(page)).write_text("<p>Coffee</p>")
    except OSError:
        pytest.skip("this file system has no such names")
    with pytest.raises(SystemExit) as end:
        clean(monkeypatch, tmp_path, "-o", "-")
    told = capfd.readouterr().err
    assert (end.value.code, "--escape-ids" in told, "UTF-8" in told) == (3, True, True)
    clean(monkeypatch, tmp_path, "-c", "none", "-o", "-", "--escape-ids")
    assert json.loads(capfd.readouterr().out)["id"] == "caf%ED%B3%A9"


def test_standard_output_and_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.html"
    page.write_text(f"<p>{PARAGRAPHS['English']}</p>")
    clean(monkeypatch, page)
    assert json.loads(capfd.readouterr().out) == {"id": "page", "contents": PARAGRAPHS["English"]}
    clean(monkeypatch, page, "--output-format", "text")
    assert capfd.readouterr().out == f"{PARAGRAPHS['English']}\n"
    # A file, where the tests catch what is printed.
    clean(monkeypatch, page, "-o", "/dev/stdout", "--output-format", "text")
    assert capfd.readouterr().out == f"{PARAGRAPHS['English']}\n"
    (tmp_path / "out").mkdir()
    clean(monkeypatch, page, "-o", tmp_path / "out")
    with pytest.raises(SystemExit) as end:
        clean(monkeypatch, page, "-o", tmp_path / "out")
    assert (end.value.code, "--replace" in capfd.readouterr().err) == (5, True)
    clean(monkeypatch, page, "-o", tmp_path / "out", "--replace", "-c", "words@999")
    assert (tmp_path / "out" / "page.txt").read_text() == ""


@pytest.mark.parametrize(
    ("allowed", "code"),
    [("2", 0), ("50%", 0), ("50.0 %", 0), ("1", 3), ("49.9%", 3), ("0", 3), ("-1", 2), ("5 pages", 2), ("101%", 2)],
)
def test_more_failed_pages_than_allowed_are_an_error_after_all_is_written(
    tmp_path: Path,
    lines: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    allowed: str,
    code: int,
) -> None:
    output = tmp_path / "o.jsonl"
    arguments = (lines, "-c", "words@3", "-o", output, "--max-failed", allowed, *FIELDS)
    if code:
        with pytest.raises(SystemExit) as end:
            clean(monkeypatch, *arguments)
        assert end.value.code == code
        told = capfd.readouterr().err.splitlines()[-1]
        assert [fact for fact in ("error: ", allowed) if fact not in told] == []
        assert code == 2 or "2 of 4 pages" in told
    else:
        clean(monkeypatch, *arguments)
    assert output.exists() == (code != 2)

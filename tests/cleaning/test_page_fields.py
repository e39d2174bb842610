"""The fields of cleaned pages: each kept word stands in one of them."""

from __future__ import annotations

import io
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from thresher.base.defaults import LOCAL, WEIGHTED
from thresher.base.errors import ConfigError
from thresher.base.processes import Backend
from thresher.indexes.pruning.treatments import parse_treatment
from thresher.scores.cleaning import Output, clean_collection
from thresher.scores.cleaning.output_formats import FIELDS
from thresher.scores.cleaning.page_fields import boosts

PAGE = """<title>Page {0} - Site</title>
<nav><a href=p1.html>The first</a> <a href=p{0}.html>self</a> <a href=p2.html>two</a></nav>
<h1>Heading {0}</h1><p>The text of page {0} is here. It has two sentences.<h2>See also</h2><p>Further text of {0}<p>Footer"""


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    folder = tmp_path / "pages"
    folder.mkdir()
    for number in range(1, 5):
        (folder / f"p{number}.html").write_text(PAGE.format(number))
    (folder / "p5.html").write_text("<p>Footer<p>no title")
    return folder


def cleaned(pages: Path, cleaner: str, output: Path, workers: int = 1, **how: Any) -> list[dict[str, Any]]:
    backend = Backend(LOCAL, workers)
    clean_collection(pages, cleaner, output, how=Output(fields=True, **how), backend=backend)
    return [json.loads(line) for line in output.read_text().splitlines()]


def test_each_kept_word_stands_in_a_field(pages: Path, tmp_path: Path) -> None:
    rows = cleaned(pages, "none", tmp_path / "out.jsonl")
    assert rows[0] == {
        "id": "p1",
        "title": "Page 1",
        "contents": "The text of page 1 is here. It has two sentences.\nFurther text of 1",
        "headings": "Heading 1",
        "repeated": "The first self two\nSee also\nFooter",
        # Three pages link to it by a text that names no other: log2(4).
        "anchors": "The first\nThe first",
    }
    assert rows[1]["anchors"] == "two\ntwo"
    assert rows[4] == {
        "id": "p5",
        "title": "",
        "contents": "no title",
        "headings": "",
        "repeated": "Footer",
        "anchors": "",
    }
    clean_collection(pages, "none", tmp_path / "whole.jsonl", backend=Backend(LOCAL, 1))
    wholes = map(json.loads, (tmp_path / "whole.jsonl").read_text().splitlines())
    for row, whole in zip(rows, wholes, strict=True):
        words = Counter(" ".join(row[name] for name in ("contents", "headings", "repeated")).split())
        title = Counter(whole.get("title", "").split())
        assert words + title == Counter(whole["contents"].split())


@pytest.mark.parametrize(
    ("cleaner", "contents", "headings", "repeated"),
    [
        ("words@5", "The text of page 1 is here. It has two sentences.", "", ""),
        ("words(headings=keep)@5", "The text of page 1 is here. It has two sentences.", "Heading 1", "See also"),
        ("repeated(share)", "The text of page 1 is here. It has two sentences.\nFurther text of 1", "Heading 1", ""),
        (
            "bars+words@4",
            "The text of page 1 is here. It has two sentences.\nFurther text of 1",
            "",
            "The first self two",
        ),
    ],
)
def test_fields_are_of_what_the_cleaner_keeps(
    cleaner: str, contents: str, headings: str, repeated: str, pages: Path, tmp_path: Path
) -> None:
    row = cleaned(pages, cleaner, tmp_path / "out.jsonl")[0]
    assert (row["contents"], row["headings"], row["repeated"], row["title"]) == (contents, headings, repeated, "Page 1")


def test_formats_and_workers_give_the_same(pages: Path, tmp_path: Path) -> None:
    rows = cleaned(pages, "none", tmp_path / "one.jsonl", text_name="body")
    assert cleaned(pages, "none", tmp_path / "two.jsonl", workers=2, text_name="body") == rows
    how = Output(fields=True, text_name="body")
    clean_collection(pages, "none", tmp_path / "out.parquet", how=how, backend=Backend(LOCAL, 1))
    table = pq.read_table(tmp_path / "out.parquet")
    assert table.column_names == ["id", "url", "title", "body", *FIELDS]
    assert [{name: value for name, value in row.items() if name != "url"} for row in table.to_pylist()] == rows


def test_all_lines_of_a_pipe_are_one_collection(pages: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines: list[str] = []
    for path in sorted(pages.iterdir()):
        page = {
            "id": path.stem,
            "url": f"http://x.example/{path.name}",
            "html": path.read_text(),
            "headings": "of the line",
        }
        lines.append(json.dumps(page) + "\n")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("".join(lines).encode())))
    monkeypatch.setattr("thresher.scores.cleaning.whole_collections.WINDOW_BYTES", 10)
    rows = cleaned(Path("-"), "none", tmp_path / "out.jsonl")
    assert [row.pop("url") for row in rows] == [f"http://x.example/p{number}.html" for number in range(1, 6)]
    assert rows == cleaned(pages, "none", tmp_path / "files.jsonl")


@pytest.mark.parametrize(
    ("cleaner", "name", "how", "fact"),
    [
        ("extractor(resiliparse)", "out.jsonl", {}, "own blocks"),
        ("none", "out.txt", {}, "txt"),
        ("none", "out.jsonl", {"text_name": "anchors"}, "anchors"),
    ],
)
def test_what_has_no_fields(
    cleaner: str, name: str, how: dict[str, str], fact: str, pages: Path, tmp_path: Path
) -> None:
    with pytest.raises(ConfigError) as caught:
        cleaned(pages, cleaner, tmp_path / name, **how)
    assert fact in caught.value.what
    assert [path.name for path in tmp_path.iterdir()] == ["pages"]


def test_boosts_are_the_weights_of_the_default_families() -> None:
    usual = parse_treatment(WEIGHTED).weights
    assert usual is not None
    assert boosts("body") == {
        "title": usual.times("title"),
        "headings": usual.times("headings"),
        "body": 1,
        "repeated": 0,
        "anchors": usual.anchors,
    }

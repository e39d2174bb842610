"""What `clean` writes: every format is read back with equal ids and texts, whatever the workers."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import assert_names

from thresher.base.defaults import LOCAL, OUTPUT_FORMATS
from thresher.base.errors import ConfigError, InputError
from thresher.base.processes import Backend
from thresher.cleaners.languages import recognised
from thresher.collections import JsonFields, ReadOptions, documents, open_collection
from thresher.scores.cleaning import CleanCounts, Output, clean_collection, whole_collections
from thresher.scores.cleaning.clean_counts import CutShard
from thresher.scores.cleaning.document_files import Rendering, json_line
from thresher.scores.cleaning.output_formats import OutputFormat, output_format
from thresher.scores.cleaning.whole_collections import cut_to_records
from thresher.scores.cutting import CleanedDocument

PAGES = 60
WORDS = "words@4"


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pages in several files, so that the pass has several parts."""
    folder = tmp_path_factory.mktemp("pages")
    for number in range(PAGES):
        page = {
            "id": f"d{number}",
            "html": f"<title>Größe {number}</title><p>The hive and its queen are of number {number}.</p><p>Home</p>",
        }
        if number % 10 == 7:
            page["html"] = "<p>Home</p>"
        if number % 3:
            page["url"] = f"http://x/{number}"
        with (folder / f"{number % 4}.jsonl").open("a", encoding="utf-8") as out:
            out.write(json.dumps(page) + "\n")
    return folder


def texts(path: Path) -> list[tuple[str, str, str | None]]:
    """Read a collection as Thresher does."""
    return [
        (source.id, (source.content or b"").decode(), source.url or None) for source in documents(open_collection(path))
    ]


def clean(pages: Path, path: Path, workers: int = 1, **how: object) -> CleanCounts:
    return clean_collection(pages, WORDS, path, how=Output(**how), backend=Backend(LOCAL, workers))  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def expected(pages: Path) -> list[tuple[str, str, str | None]]:
    """Id, text and URL of each page, by the rule: blocks of at least four words."""
    found = {}
    for path in sorted(pages.iterdir()):
        for page in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
            number = int(page["id"][1:])
            text = "" if number % 10 == 7 else f"The hive and its queen are of number {number}."
            found[page["id"]] = (page["id"], text, page.get("url"))
    return [*found.values()]


@pytest.mark.slow
@pytest.mark.parametrize("name", OUTPUT_FORMATS)
def test_every_format_is_read_back_and_has_the_same_bytes_whatever_the_workers(
    tmp_path: Path, pages: Path, expected: list[tuple[str, str, str | None]], monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    one, many = tmp_path / f"one.{name}", tmp_path / f"many.{name}"
    counts = clean(pages, one)
    assert (counts.documents, counts.kept, counts.emptied, counts.failed) == (PAGES, PAGES - 6, 6, 0)
    assert texts(one) == expected
    packed = {"gz": b"\x1f\x8b", "zst": b"\x28\xb5\x2f\xfd", "parquet": b"PAR1"}.get(name.rpartition(".")[2])
    assert packed is None or one.read_bytes().startswith(packed)
    # Each of the four shards of scores is cut by a worker.
    monkeypatch.setattr(whole_collections, "FEW_SHARDS", 0)
    assert clean(pages, many, workers=2) == counts
    assert many.read_bytes() == one.read_bytes()
    if name.endswith("gz"):
        assert one.read_bytes()[3:8] == bytes(5)  # no flags, no time


def test_invalid_characters_are_left_out_where_asked(tmp_path: Path) -> None:
    page = "<title>T\ue000itle</title><p>It is a para\ue000graph \ufffd.<p>\ue000"
    (tmp_path / "a.html").write_text(page, encoding="utf-8")
    for name, has_them in (("raw.jsonl", True), ("valid.jsonl", False)):
        clean_collection(tmp_path / "a.html", "words@0", tmp_path / name, how=Output(valid=not has_them))
        text = (tmp_path / name).read_text(encoding="utf-8")
        assert [character in text for character in "\ue000\ufffd"] == [has_them] * 2
    (row,) = map(json.loads, (tmp_path / "valid.jsonl").read_text(encoding="utf-8").splitlines())
    assert row["contents"].split("\n") == ["Title", "It is a paragraph ."]
    nested = '<ul><li>a<ul><li>b\ue000c</ul></ul><pre>if x:\n    y = "\ue000"\n    z = 1</pre>'
    (tmp_path / "a.html").write_text(nested, encoding="utf-8")
    clean_collection(tmp_path / "a.html", "none", tmp_path / "o.html", how=Output(valid=True))
    shown = (tmp_path / "o.html").read_text(encoding="utf-8")
    assert '<ul><li>bc</li></ul></li></ul><pre>if x:\n    y = ""\n    z = 1</pre>' in shown


def test_what_stands_before_markdown_is_yaml(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<title>T \x81x\u2028</title><p>Rain", encoding="utf-8")
    clean_collection(tmp_path / "a.html", "none", tmp_path / "a.md")
    about = (tmp_path / "a.md").read_text(encoding="utf-8").split("---\n")[1]
    # YAML 1.2, 5.1: no control of C1 but NEL may stand as it is.
    assert about == 'id: "a"\ntitle: "T \\u0081x"\n'


def test_a_language_that_is_not_recognised_is_refused() -> None:
    assert {"de", "no", "zh"} <= {*recognised()}
    for code in ("nb", "bo", "xx"):
        with pytest.raises(ConfigError, match=rf"--language: .*'{code}'.*\. Fix: .* af, am"):
            Output(language=code)


def test_the_members_of_json_lines_and_the_columns_of_parquet(tmp_path: Path, pages: Path) -> None:
    path, table = tmp_path / "cleaned.jsonl", tmp_path / "cleaned.parquet"
    how = {"with_language": True, "html": True, "markdown": True, "text_name": "text"}
    counts = clean(pages, path, **how)
    clean(pages, table, **how)
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    by_id = {row["id"]: row for row in rows}
    text = "The hive and its queen are of number 1."
    html = by_id["d1"].pop("html")
    assert html.endswith(f'<html><head><meta charset="utf-8"></head><body><p>{text}</p></body></html>')
    assert by_id["d1"] == {
        "id": "d1",
        "url": "http://x/1",
        "title": "Größe 1",
        "text": text,
        "markdown": text,
        "language": "en",
    }
    by_id["d1"]["html"] = html
    assert by_id["d27"] == {"id": "d27", "text": "", "html": "", "markdown": ""}
    written = pq.read_table(table).to_pylist()
    assert [{name: value for name, value in row.items() if value is not None} for row in written] == rows
    assert (counts.left_out, counts.blocks_not_found) == (0, 0)
    assert clean(pages, path, min_words=1).left_out == 6
    assert not {"html", "markdown", "language"} & {*json.loads(path.read_text().splitlines()[0])}
    assert len(texts(path)) == PAGES - 6


def test_further_members_of_json_lines_are_passed_on(tmp_path: Path) -> None:
    line = (
        '{"id": 7, "html": "<p>Rain", "contents": "x", "language": "xx", "n": 1e400, "a": ["\\ud83d"], "title": "T"}\n'
    )
    (tmp_path / "p.jsonl").write_text(line)
    clean_collection(tmp_path / "p.jsonl", "none", tmp_path / "o.jsonl", how=Output(text_name="body"))
    (row,) = map(json.loads, (tmp_path / "o.jsonl").read_text(encoding="utf-8").splitlines())
    assert row == {"id": "7", "body": "Rain", "language": "xx", "n": float("inf"), "a": ["?"], "title": "T"}
    clean_collection(tmp_path / "p.jsonl", "none", tmp_path / "o.parquet")
    assert pq.read_table(tmp_path / "o.parquet").column_names == ["id", "url", "title", "contents"]


def test_further_columns_of_parquet_are_passed_on(tmp_path: Path) -> None:
    columns = {
        "id": ["a", "b"],
        "page": [{"html": "<p>Rain", "length": 4}, {"html": "<p>Hail", "length": 4}],
        "price": [Decimal("9.90"), None],
        "day": [date(2026, 11, 28), None],
        "at": [datetime(2026, 11, 28, 23, 59, tzinfo=UTC), None],
        "tags": [["x", "y"], []],
        "maker": [{"name": "M", "since": date(2020, 1, 2)}, None],
        "picture": [b"\x00\xff", b""],
        "stock": [7, 0],
    }
    pq.write_table(pa.table(columns), tmp_path / "p.parquet")
    reading = ReadOptions(fields=JsonFields(html=("page.html",)))
    clean_collection(tmp_path / "p.parquet", "none", tmp_path / "o.jsonl", reading=reading)
    first, second = map(json.loads, (tmp_path / "o.jsonl").read_text(encoding="utf-8").splitlines())
    assert first == {
        "id": "a",
        "contents": "Rain",
        "price": "9.90",
        "day": "2026-11-28",
        "at": "2026-11-28 23:59:00+00:00",
        "tags": ["x", "y"],
        "maker": {"name": "M", "since": "2020-01-02"},
        "picture": "AP8=",
        "stock": 7,
    }
    assert second == {
        "id": "b",
        "contents": "Hail",
        **dict.fromkeys(("price", "day", "at", "maker")),
        "tags": [],
        "picture": "",
        "stock": 0,
    }
    clean_collection(tmp_path / "p.parquet", "none", tmp_path / "o.parquet", reading=reading)
    assert pq.read_table(tmp_path / "o.parquet").column_names == ["id", "url", "title", "contents"]


def test_documents_in_another_language_are_left_out(tmp_path: Path) -> None:
    text = "<p>Rain is expected in the north tonight, and the wind will be strong along the coast."
    german = "<p>Heute Nacht wird im Norden Regen erwartet, und der Wind weht stark entlang der Küste."
    lines = [{"id": str(at), "html": page} for at, page in enumerate((text, text, german, "<p>Home"))]
    (tmp_path / "p.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    out = tmp_path / "o.jsonl"
    counts = clean_collection(tmp_path / "p.jsonl", "words@4", out, how=Output(language="de"))
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert [(row["contents"][:5], row["language"]) for row in rows] == [("Heute", "de")]
    assert (counts.left_out, counts.kept) == (3, 3)


@pytest.mark.slow
@given(
    st.text(st.characters(exclude_categories=("Cs",))),
    st.text(st.characters(exclude_categories=("Cs",))),
    st.text(),
    st.none() | st.text(),
)
def test_no_text_breaks_a_line(document_id: str, title: str, text: str, url: str | None) -> None:
    document = CleanedDocument(document_id, text, 1, url, title=title)
    rendered = Rendering(OutputFormat("jsonl")).document(document)
    assert rendered is not None
    line = json_line(rendered.row)
    shown = line.decode()
    assert shown.splitlines() == [shown[:-1]]
    assert all(character.isprintable() or character not in map(chr, range(32)) for character in shown[:-1])
    read = json.loads(line)
    sound = text.encode("utf-8", "replace").decode()
    assert (read["id"], read["contents"], read.get("title", "")) == (document_id, sound, title)


def test_formats_by_ending() -> None:
    for name in OUTPUT_FORMATS:
        assert output_format(Path(f"x.{name}"), Output()).name == name
        assert output_format(Path(f"X.{name.upper()}"), Output()).name == name
        assert output_format(Path("x.dat"), Output(name)).name == name
    assert [output_format(Path(f"x.{ending}"), Output()).kind for ending in ("md", "HTML")] == ["markdown", "html"]
    assert output_format(Path("x.ndjson.gz"), Output()).name == "jsonl.gz"
    assert output_format(Path("-"), Output()).name == output_format(Path("/dev/null"), Output()).name == "jsonl"
    assert output_format(Path("-"), Output("jsonl.gz")) == OutputFormat("jsonl", "gz")


@pytest.mark.parametrize(
    ("path", "how", "facts"),
    [
        ("x", Output(), ("x: ", "ends in no format", ".jsonl, .jsonl.gz")),
        ("x.pdf", Output(), ("x.pdf: ", "ends in no format")),
        ("jsonl", Output(), ("jsonl: ", "ends in no format")),
        ("x.jsonl", Output("pdf"), ("--output-format: ", "no format 'pdf'")),
        ("x.warc.gz", Output(), ("x.warc.gz: ", "ends in no format")),
    ],
)
def test_formats_that_cannot_be(path: str, how: Output, facts: tuple[str, ...]) -> None:
    with pytest.raises(ConfigError) as error:
        output_format(Path(path), how)
    assert_names(error.value, *facts, "Fix: ")


def test_nothing_appears_after_an_error(tmp_path: Path, pages: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The first shard is written, the second is broken.
    def broken(path: Path, *arguments: Any) -> CutShard:
        if path.name.startswith("shard-000002"):
            raise InputError("no", "none")
        return cut_to_records(path, *arguments)

    monkeypatch.setattr(whole_collections, "cut_to_records", broken)
    for name in ("x.jsonl.gz", "x.jsonl.zst", "x.parquet"):
        with pytest.raises(InputError):
            clean_collection(pages, WORDS, tmp_path / name)
    assert list(tmp_path.iterdir()) == []

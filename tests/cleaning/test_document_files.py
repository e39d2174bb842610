"""What `clean` writes: every format is read back with equal ids and texts, whatever the workers and shards."""

from __future__ import annotations

import gzip
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.cleaning import CleanCounts, Extras, Output, clean_collection, whole_collections
from thresher.cleaning.document_files import METADATA, Rendering, json_line, members
from thresher.cleaning.output_formats import OutputFormat, is_shard, output_format, parse_size, shard_name
from thresher.cleaning.whole_collections import CutShard, cut_to_records
from thresher.collections import documents, open_collection
from thresher.defaults import LOCAL, OUTPUT_FORMATS
from thresher.errors import ConfigError, InputError
from thresher.files import read_bytes
from thresher.passes.backends import Backend
from thresher.scoring.cutting import CleanedDocument

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


@pytest.mark.parametrize("name", OUTPUT_FORMATS)
def test_every_format_is_read_back(tmp_path: Path, pages: Path, name: str) -> None:
    expected = tmp_path / "expected.jsonl"
    counts = clean(pages, expected)
    assert (counts.documents, counts.kept, counts.emptied, counts.failed) == (PAGES, PAGES - 6, 6, 0)
    path = tmp_path / f"cleaned.{name}"
    assert clean(pages, path) == counts
    if name.startswith("txt"):
        written = read_bytes(path).decode().split("\n\n")
        assert written == [*(text for _, text, _ in texts(expected) if text), ""]
    else:
        assert texts(path) == texts(expected)
    packed = {"gz": b"\x1f\x8b", "zst": b"\x28\xb5\x2f\xfd", "parquet": b"PAR1"}.get(name.rpartition(".")[2])
    assert packed is None or path.read_bytes().startswith(packed)


def test_invalid_characters_are_left_out_where_asked(tmp_path: Path) -> None:
    page = "<title>T\u200bitle</title><p>It is a para\ue000graph \ufffd.<p>\u200b"
    (tmp_path / "a.html").write_text(page, encoding="utf-8")
    for name, has_them in (("raw.jsonl", True), ("valid.jsonl", False), ("valid.txt", False)):
        clean_collection(tmp_path / "a.html", "words@0", tmp_path / name, how=Output(valid=not has_them))
        text = (tmp_path / name).read_text(encoding="utf-8")
        assert [character in text for character in "\u200b\ue000\ufffd"] == [has_them] * 3
    (row,) = map(json.loads, (tmp_path / "valid.jsonl").read_text(encoding="utf-8").splitlines())
    assert row["contents"].split("\n") == ["Title", "It is a paragraph ."]


def test_the_members_of_json_lines_and_the_columns_of_parquet(tmp_path: Path, pages: Path) -> None:
    path, table = tmp_path / "cleaned.jsonl", tmp_path / "cleaned.parquet"
    clean(pages, path, metadata=True)
    clean(pages, table, metadata=True)
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    by_id = {row["id"]: row for row in rows}
    assert list(by_id["d1"]) == ["id", "url", "title", "contents", "language", "metadata"]
    page = json.loads((pages / "1.jsonl").read_text(encoding="utf-8").splitlines()[0])["html"]
    assert by_id["d1"] == {
        "id": "d1",
        "url": "http://x/1",
        "title": "Größe 1",
        "contents": "The hive and its queen are of number 1.",
        "language": "English",
        "metadata": {"file": "1.jsonl", "offset": 0, "bytes": len(page.encode()), "encoding": "utf-8", "words": 9},
    }
    assert tuple(by_id["d1"]["metadata"]) == METADATA
    assert list(by_id["d27"]) == ["id", "contents", "metadata"]
    written = pq.read_table(table).to_pylist()
    assert [{name: value for name, value in row.items() if value is not None} for row in written] == rows
    clean(pages, path)
    assert "metadata" not in path.read_text()


@pytest.mark.parametrize("name", ["jsonl.gz", "parquet", "txt"])
def test_workers_and_shards_change_nothing(
    tmp_path: Path, pages: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    one, many = tmp_path / f"one.{name}", tmp_path / f"many.{name}"
    clean(pages, one)
    # Each of the four shards of scores is cut by a worker.
    monkeypatch.setattr(whole_collections, "FEW_SHARDS", 0)
    clean(pages, many, workers=2)
    assert many.read_bytes() == one.read_bytes()
    for workers in (1, 2):
        clean(pages, tmp_path / f"s{workers}.{name}", workers, shard_size=500)
    shards = [sorted(tmp_path.glob(f"s{workers}-*.{name}")) for workers in (1, 2)]
    assert len(shards[0]) > 4
    assert [path.read_bytes() for path in shards[0]] == [path.read_bytes() for path in shards[1]]
    assert [path.name for path in shards[0]] == [f"s1-{number:06}.{name}" for number in range(len(shards[0]))]
    if name == "parquet":
        assert [row for path in shards[0] for row in pq.read_table(path).to_pylist()] == pq.read_table(one).to_pylist()
    else:
        assert b"".join(map(read_bytes, shards[0])) == read_bytes(one)
        assert all(0 < len(read_bytes(path)) <= 500 for path in shards[0])


def test_a_document_larger_than_a_shard_has_one_of_its_own(tmp_path: Path, pages: Path) -> None:
    clean(pages, tmp_path / "s.jsonl", shard_size=1)
    assert len(list(tmp_path.iterdir())) == PAGES
    # Another size: nothing of the first is left.
    kept = [tmp_path / "s-1.jsonl", tmp_path / "s-000001.jsonl.gz", tmp_path / "t-000001.jsonl"]
    for path in kept:
        path.touch()
    clean(pages, tmp_path / "s.jsonl", shard_size=10**6)
    assert sorted(tmp_path.iterdir()) == sorted([*kept, tmp_path / "s-000000.jsonl"])


def test_files_that_only_look_like_shards_stay(tmp_path: Path) -> None:
    sharded = Output(shard_size=500)
    first = tmp_path / "crawl-000000.jsonl"
    first.write_text('{"id": "d", "html": "<p>The hive is full of bees.</p>"}\n')
    (tmp_path / "linked.jsonl").symlink_to(first)
    (tmp_path / "s-202401.jsonl").write_text("precious")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
    for source, name, extras, what in (
        (first, "crawl.jsonl", Extras(), "one of its shards would be the collection itself"),
        (tmp_path / "linked.jsonl", "crawl.jsonl", Extras(), "one of its shards would be the collection itself"),
        (first, "s.jsonl", Extras(failures=tmp_path / "s-000000.jsonl"), "two of the files to write are the same"),
    ):
        with pytest.raises(ConfigError, match=what):
            clean_collection(source, WORDS, tmp_path / name, how=sharded, extras=extras)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()} == before
    clean_collection(first, WORDS, tmp_path / "s.jsonl", how=sharded)
    assert (tmp_path / "s-202401.jsonl").read_text() == "precious"


def test_the_same_documents_give_the_same_bytes(tmp_path: Path, pages: Path) -> None:
    for name in ("jsonl.gz", "jsonl.zst", "parquet", "txt.gz"):
        first, second = tmp_path / f"a.{name}", tmp_path / f"b.{name}"
        clean(pages, first)
        clean(pages, second)
        assert first.read_bytes() == second.read_bytes()


@given(
    st.text(st.characters(exclude_categories=("Cs",))),
    st.text(st.characters(exclude_categories=("Cs",))),
    st.text(),
    st.none() | st.text(),
)
def test_no_text_breaks_a_line(document_id: str, title: str, text: str, url: str | None) -> None:
    document = CleanedDocument(document_id, text, 1, url, title=title)
    line = json_line(members(document))
    shown = line.decode()
    assert shown.splitlines() == [shown[:-1]]
    assert all(character.isprintable() or character not in map(chr, range(32)) for character in shown[:-1])
    read = json.loads(line)
    sound = text.encode("utf-8", "replace").decode()
    assert (read["id"], read["contents"], read.get("title", "")) == (document_id, sound, title)


@given(st.lists(st.text(min_size=1).filter(str.strip), min_size=1, max_size=4))
def test_plain_text_has_no_line_ends_but_its_own(blocks: list[str]) -> None:
    blocks = [" ".join(block.split()) or "x" for block in blocks]
    plain = Rendering(OutputFormat("txt"), "none", datetime.now(UTC))
    made = plain.record(CleanedDocument("d", "\n".join(blocks), 1), {})
    assert made is not None
    content = made[1]
    assert isinstance(content, bytes)
    assert len(content.decode().splitlines()) == len(blocks) + 1
    assert plain.record(CleanedDocument("d", "", 0), {}) is None


def test_formats_by_ending() -> None:
    for name in OUTPUT_FORMATS:
        assert output_format(Path(f"x.{name}"), Output()).name == name
        assert output_format(Path(f"X.{name.upper()}"), Output()).name == name
        assert output_format(Path("x.dat"), Output(name)).name == name
        assert shard_name(Path(f"a.b.{name}"), 3).name == f"a.b-000003.{name}"
        assert is_shard(Path(f"a.b.{name}"), Path(f"a.b-000003.{name}"))
        assert not is_shard(Path(f"a.b.{name}"), Path(f"x/a.b-000003.{name}"))
    assert output_format(Path("x.ndjson.gz"), Output()).name == "jsonl.gz"
    assert shard_name(Path("x.ndjson.gz"), 0).name == "x-000000.ndjson.gz"
    assert output_format(Path("-"), Output()).name == output_format(Path("/dev/null"), Output()).name == "jsonl"
    assert output_format(Path("-"), Output("warc.gz")) == OutputFormat("warc", "gz")


@pytest.mark.parametrize(
    ("path", "how", "where", "what"),
    [
        ("x", Output(), "x", "the name ends in no format: .jsonl, .jsonl.gz"),
        ("x.pdf", Output(), "x.pdf", "the name ends in no format"),
        ("jsonl", Output(), "jsonl", "the name ends in no format"),
        ("x.jsonl", Output("pdf"), "--output-format", "there is no format 'pdf'"),
        ("x.txt", Output(metadata=True), "--metadata", "txt has no place for metadata"),
        ("x.warc.gz", Output(metadata=True), "--metadata", "warc has no place for metadata"),
        ("-", Output(shard_size=9), "--shard-size", "what is written to a pipe or device has no shards"),
    ],
)
def test_formats_that_cannot_be(path: str, how: Output, where: str, what: str) -> None:
    with pytest.raises(ConfigError) as error:
        output_format(Path(path), how)
    assert str(error.value).startswith(f"{where}: {what}")


def test_sizes() -> None:
    assert [parse_size(text) for text in ("7", "2k", "3M", "1GiB", "1t", "5kB")] == [
        7,
        2048,
        3 * 2**20,
        2**30,
        2**40,
        5120,
    ]
    for text in ("", "0", "x", "-1", "1.5M", "1X", "k"):
        with pytest.raises(ConfigError):
            parse_size(text)
    with pytest.raises(ConfigError, match="more than a million shards"):
        shard_name(Path("x.jsonl"), 10**6)


def test_nothing_appears_after_an_error(tmp_path: Path, pages: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The first shard is written, the second is broken.
    def broken(path: Path, *arguments: Any) -> CutShard:
        if path.name.startswith("shard-000002"):
            raise InputError("no", "none")
        return cut_to_records(path, *arguments)

    monkeypatch.setattr(whole_collections, "cut_to_records", broken)
    for how in (Output(), Output(shard_size=500)):
        for name in ("x.jsonl.gz", "x.parquet", "x.warc"):
            with pytest.raises(InputError):
                clean_collection(pages, WORDS, tmp_path / name, how=how)
    assert list(tmp_path.iterdir()) == []


def test_gzip_files_name_no_time(tmp_path: Path, pages: Path) -> None:
    path = tmp_path / "a.jsonl.gz"
    clean(pages, path)
    assert path.read_bytes()[3:8] == bytes(5)  # no flags, no time
    assert len(gzip.decompress(path.read_bytes()).splitlines()) == PAGES

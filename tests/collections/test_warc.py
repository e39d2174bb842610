"""WARC files: which records are documents, and what each says of itself; with FastWARC as the oracle for sound ones."""

import gzip
from pathlib import Path
from typing import NamedTuple

import pytest
from fastwarc.stream_io import zstd_train_dictionary_from_samples
from fastwarc.warc import ArchiveIterator
from messages import Message
from warc_samples import http, pack, read, read_bytes, record, told, zstd

from thresher.collections.interface import IdRule, ReadOptions
from thresher.collections.sources import Part
from thresher.collections.warc import Warc

SUFFIXES = [".warc", ".warc.gz", ".warc.zst"]
PAGES = [f"<title>{number}</title><p>{'word ' * (number * 91 % 700)}".encode() for number in range(40)]


def sound():
    records = [record(b"software: x\r\n", kind="warcinfo", number=1000)]
    for number, page in enumerate(PAGES):
        records.append(record(b"GET / HTTP/1.1\r\n\r\n", kind="request", number=number + 2000))
        records.append(record(http(page, "Content-Type: text/html; charset=koi8-r"), number=number))
        records.append(record(b"fetchTimeMs: 1\r\n", kind="metadata", number=number + 3000))
    return records


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_pages_of_sound_files(tmp_path, suffix):
    path = tmp_path / f"a{suffix}"
    path.write_bytes(pack(sound(), suffix))
    result, span = read(path)
    assert [source.page().content for source in result] == PAGES
    assert [source.id for source in result] == [str(number) for number in range(40)]
    assert [source.url for source in result] == [f"http://x/{number}" for number in range(40)]
    assert {(source.charset, source.is_text, source.problem, source.file) for source in result} == {
        ("koi8-r", False, None, path.name)
    }
    assert [source.size for source in result] == [len(page) for page in PAGES]
    assert (span.first, span.after) == (0, path.stat().st_size)
    assert Warc().can_split(path)


@pytest.mark.parametrize("suffix", SUFFIXES[:2])
def test_offsets_and_pages_are_those_of_fastwarc(tmp_path, suffix):
    path = tmp_path / f"a{suffix}"
    path.write_bytes(pack(sound(), suffix))
    expected = []
    with path.open("rb") as file:
        for each in ArchiveIterator(file):
            if each.headers["WARC-Type"] == "response":
                expected.append((each.stream_pos, each.record_id[10:-1], each.reader.read(), each.http_charset))
    result = read(path)[0]
    assert [(source.offset, source.id, source.content, source.charset) for source in result] == expected


@pytest.mark.parametrize("suffix", [".warc.gz", ".warc.zst"])
def test_a_file_packed_as_one_piece_cannot_be_split(tmp_path, suffix):
    path = tmp_path / f"a{suffix}"
    whole = b"".join(sound())
    path.write_bytes(pack([whole], suffix))
    assert not Warc().can_split(path)
    result = read(path)[0]
    assert [source.content for source in result] == PAGES
    # Offsets are of the records then.
    assert [whole[source.offset : source.offset + 26] for source in result] == [
        b"WARC/1.0\r\nWARC-Type: respon"[:26]
    ] * 40


def test_blocks_of_gzip_that_know_nothing_of_records(tmp_path):
    whole = b"".join(sound())
    path = tmp_path / "a.warc.gz"
    path.write_bytes(pack([whole[at : at + 999] for at in range(0, len(whole), 999)], ".gz"))
    assert [source.content for source in read(path)[0]] == PAGES


def test_several_records_in_a_member(tmp_path):
    records = sound()
    path = tmp_path / "a.warc.gz"
    members = [gzip.compress(b"".join(records[at : at + 12])) for at in range(0, len(records), 12)]
    path.write_bytes(b"".join(members))
    result = read(path)[0]
    assert [source.content for source in result] == PAGES
    assert Warc().can_split(path)
    assert sorted({source.offset for source in result}) == [
        sum(map(len, members[:at])) for at in range(len(members) - 1)
    ]


def test_zstd_with_a_dictionary(tmp_path):
    records = sound()
    dictionary = zstd_train_dictionary_from_samples(records * 9, 4096)
    frames = [zstd(each, dictionary) for each in records]
    size = 8 + int.from_bytes(frames[0][4:8], "little")
    path = tmp_path / "a.warc.zst"
    for first in (
        frames[0],
        frames[0][:4] + len(packed := zstd(dictionary)).to_bytes(4, "little") + packed + frames[0][size:],
    ):
        assert first.startswith(b"\x5d\x2a\x4d\x18")
        path.write_bytes(first + b"".join(frame[size:] for frame in frames[1:]))
        assert [source.content for source in read(path)[0]] == PAGES
        assert Warc().can_split(path)
    path.write_bytes(b"".join(frame[size:] for frame in frames[:2]))
    assert [source.problem for source in read(path)[0]] == ["a broken zstd frame (Dictionary mismatch)"]


def test_what_cannot_be_read_cannot_be_split(tmp_path):
    assert not Warc().can_split(tmp_path / "none.warc")
    empty = tmp_path / "a.warc"
    empty.write_bytes(b"")
    assert not Warc().can_split(empty)
    assert read(empty) == ([], read(empty)[1])
    assert (read(empty)[1].first, read(empty)[1].after) == (None, 0)
    with pytest.raises(FileNotFoundError):
        list(Warc().read(Part(0, 0, tmp_path / "none.warc", "none.warc", 0, 1), ReadOptions()))


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ((), "1"),
        (("WARC-TREC-ID: clueweb09-en0000-00-00000",), "clueweb09-en0000-00-00000"),
        (("ClueWeb22-ID: clueweb22-en0000-00-00000",), "clueweb22-en0000-00-00000"),
        (("WARC-Record-ID: <http://a/b>",), "http://a/b"),
        (("WARC-Record-ID: urn:uuid:7",), "7"),
        (("WARC-Record-ID: ",), "http://x/1"),
    ],
)
def test_ids(tmp_path, fields, expected):
    assert [source.id for source in read_bytes(tmp_path, record(http(), *fields))] == [expected]


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ((), "http://x/1"),
        (("WARC-TREC-ID: clueweb09-en0000-00-00000",), "clueweb09-en0000-00-00000"),
        (("WARC-Target-URI: <http://x/7>",), "http://x/7"),
        (("WARC-Target-URI: ",), "1"),
        (("WARC-Target-URI: http://x/a b",), "1"),
    ],
)
def test_addresses_as_ids(tmp_path, fields, expected):
    path = tmp_path / "a.warc"
    path.write_bytes(record(http(), *fields))
    part = Part(0, 0, path, "a.warc", 0, path.stat().st_size)
    assert [source.id for source in Warc().read(part, ReadOptions(IdRule("address")))] == [expected]


def test_ids_go_through_the_rule(tmp_path):
    path = tmp_path / "a.warc"
    path.write_bytes(record(http(), "WARC-TREC-ID: old a") + record(http(status="404 Gone"), "WARC-TREC-ID: old b"))
    rule = IdRule(pattern="^old ", replacement="new ", escape=True)
    part = Part(0, 0, path, "a.warc", 0, path.stat().st_size)
    assert [source.id for source in Warc().read(part, ReadOptions(rule))] == ["new%20a", "new%20b"]


class Accepted(NamedTuple):
    """Facts of a document that is read."""

    is_text: bool
    charset: str | None


@pytest.mark.parametrize(
    ("kind", "content_type", "block", "expected"),
    [
        ("resource", "text/html; charset=latin1", b"<p>x", Accepted(False, "latin1")),
        ("resource", "text/plain", b"x", Accepted(True, None)),
        ("resource", "application/xhtml+xml", b"x", Accepted(False, None)),
        ("resource", "", b" <!DOCTYPE html><p>x", Accepted(False, None)),
        ("resource", "application/octet-stream", b"words", Accepted(True, None)),
        ("resource", "", b"%PDF\x00\x01", "not HTML: of an unknown type"),
        ("resource", "image/png", b"\x89PNG", "not HTML: image/png"),
        ("resource", "", b"", Accepted(False, None)),
        ("conversion", "text/plain", "é".encode(), Accepted(True, "utf-8")),
        ("conversion", "text/plain; charset=latin1", b"\xe9", Accepted(True, "latin1")),
        ("response", "application/http", http(b"x", "Content-Type: Text/Plain"), Accepted(True, None)),
        ("response", "application/http", http(b"x", "Content-Type: image/png"), "not HTML: image/png"),
        ("response", "application/http", http(b"<html>", "X-Y: z"), Accepted(False, None)),
        ("response", "application/http", http(status="404 Not Found"), "HTTP status 404"),
        ("response", "application/http", http(status="301 Moved"), "HTTP status 301"),
        ("response", "application/http", http(status="206 Part"), Accepted(False, None)),
        ("response", "text/dns", b"20200101\nexample.org. 300 IN A", "not HTML: text/dns"),
        ("response", "text/html; charset=latin1", b"<p>x", Accepted(False, "latin1")),
        ("response", "application/http", b"<p>x", Accepted(False, None)),
        ("response", "application/http", b"19/Sep/2017|200|GET /", "neither an HTTP header nor HTML"),
        ("response", "text/plain", b"words", Accepted(True, None)),
        ("continuation", "", b"x", Message("a record of", "kind 'continuation'")),
        ("", "", b"x", "the record has no WARC-Type"),
    ],
)
def test_what_is_a_document(
    tmp_path: Path, kind: str, content_type: str, block: bytes, expected: Accepted | Message | str
) -> None:
    """A record is a document, or has a problem."""
    (result,) = read_bytes(tmp_path, record(block, f"WARC-Type: {kind}", f"Content-Type: {content_type}"))
    assert result.id == "1"
    if isinstance(expected, Accepted):
        assert result.problem is None
        assert (result.is_text, result.charset, result.size) == (*expected, len(result.content))
        assert block.endswith(result.content)
    else:
        assert (result.problem, result.content) == (expected, None)


def test_a_payload_that_the_crawler_identified(tmp_path):
    block = record(http(b"x", "X: y"), "WARC-Identified-Payload-Type: application/pdf")
    assert told(read_bytes(tmp_path, block)) == [("1", None, "not HTML: application/pdf")]


def test_records_that_are_no_documents(tmp_path):
    kinds = ["warcinfo", "request", "metadata", "revisit", "unknown"]
    assert read_bytes(tmp_path, b"".join(record(http(), kind=kind) for kind in kinds)) == []


def test_a_record_without_an_id(tmp_path):
    content = record(http(), "WARC-Record-ID: ", "WARC-Target-URI: ")
    assert told(read_bytes(tmp_path, content)) == [("", None, "the record has no id")]


def test_versions(tmp_path):
    content = b"".join(
        record(http(), number=number).replace(b"WARC/1.0", version)
        for number, version in enumerate((b"WARC/0.18", b"WARC/1.0", b"WARC/1.1"))
    )
    assert [source.id for source in read_bytes(tmp_path, content)] == ["0", "1", "2"]


def test_headers_of_clueweb09(tmp_path):
    whole = record(http(), "WARC-Target-URI: http://x/a", "WARC-TREC-ID: c-1").replace(b"WARC/1.0", b"WARC/0.18")
    header = whole[: whole.index(b"\r\n\r\n") + 2]
    broken = [
        whole.replace(b"http://x/a", b"http://x\n/a"),
        whole.replace(b"http://x/a", b"http://x/a\r\n"),
        whole.replace(b"http://x/a", b"http://x/a\n\nWARC-Date: 2009-03-65T08:43:19-0800"),
        header.replace(b"\r\n", b"\n") + b"\n" + http() + b"\n",
        header.replace(b": ", b":") + b"\r\n" + http() + b"\r\n\r\n",
        whole.replace(b"WARC-T", b"warc-t"),
    ]
    for content in broken:
        result = read_bytes(tmp_path, content + record(http(), number=2))
        assert [(source.id, source.url, source.content, source.problem) for source in result] == [
            ("c-1", "http://x/a", b"<p>text", None),
            ("2", "http://x/2", b"<p>text", None),
        ]

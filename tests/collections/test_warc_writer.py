"""Cleaned documents as WARC: FastWARC and our own reader read back what was written, and the bytes never change."""

import gzip
from datetime import UTC, datetime, timedelta, timezone
from uuid import NAMESPACE_URL, uuid5

import pytest
from fastwarc.warc import ArchiveIterator
from warc_samples import read

from thresher.cleaning.document_files import WarcRecords
from thresher.collections.warc import Warc

DATE = datetime(2024, 1, 2, 3, 4, 5, 678, tzinfo=UTC)
DOCUMENTS = [
    ("clueweb09-en0000-00-00000", "Größe\n\nzwei", "http://x/a", "c4c112a5-3503-4483-abf8-51a0dd86dd53"),
    ("d2", "", None, None),
    ("d3", "WARC/1.0\r\nWARC-Type: response\r\n\r\n", "http://x/c", "<urn:uuid:7>"),
    ("d4", "one \ud800 surrogate", None, "http://y/id"),
]


def write(path, date=DATE):
    compression = path.suffix[1:] if path.suffix != ".warc" else ""
    records = WarcRecords("perplexity(lm=books)@8000", "0.1.0", date, compression)
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(b"".join([records.about(path.name), *(records.document(*document) for document in DOCUMENTS)]))
    return path


@pytest.mark.parametrize("name", ["a.warc", "a.warc.gz", "a.warc.zst"])
def test_fastwarc_reads_it(tmp_path, name):
    with write(tmp_path / name).open("rb") as file:
        result = [
            (dict(each.headers.items()), each.reader.read()) for each in ArchiveIterator(file, verify_digests=False)
        ]
    about, *documents = result
    assert about[0]["WARC-Type"] == "warcinfo"
    assert about[0]["Content-Type"] == "application/warc-fields"
    assert about[0]["WARC-Filename"] == name
    assert about[1] == (
        b"software: thresher 0.1.0\r\nformat: WARC File Format 1.1\r\ncleaner: perplexity(lm=books)@8000\r\n"
    )
    assert [body for _, body in documents] == [text.encode("utf-8", "replace") for _, text, _, _ in DOCUMENTS]
    assert {(each["WARC-Type"], each["Content-Type"], each["WARC-Date"]) for each, _ in documents} == {
        ("conversion", "text/plain; charset=utf-8", "2024-01-02T03:04:05Z")
    }
    assert [each["WARC-TREC-ID"] for each, _ in documents] == [document[0] for document in DOCUMENTS]
    assert [each.get("WARC-Target-URI") for each, _ in documents] == [document[2] for document in DOCUMENTS]
    assert [each.get("WARC-Refers-To") for each, _ in documents] == [
        "<urn:uuid:c4c112a5-3503-4483-abf8-51a0dd86dd53>",
        None,
        "<urn:uuid:7>",
        "<http://y/id>",
    ]
    assert len({each["WARC-Record-ID"] for each, _ in result}) == len(result)


@pytest.mark.parametrize("name", ["a.warc", "a.warc.gz", "a.warc.zst"])
def test_our_reader_reads_it(tmp_path, name):
    path = write(tmp_path / name)
    result = read(path)[0]
    assert [
        (page.id, page.content, page.url, page.is_text, page.charset) for page in (each.page() for each in result)
    ] == [(document_id, text.encode("utf-8", "replace"), url, True, "utf-8") for document_id, text, url, _ in DOCUMENTS]
    assert Warc().can_split(path)


def test_the_same_bytes_every_time(tmp_path):
    first, second = (write(tmp_path / folder / "a.warc.gz").read_bytes() for folder in ("x", "y"))
    assert first == second
    there = write(tmp_path / "a.warc.gz", DATE.astimezone(timezone(timedelta(hours=5)))).read_bytes()
    assert there == first == write(tmp_path / "a.warc.gz", DATE.replace(tzinfo=None)).read_bytes()
    plain = write(tmp_path / "a.warc").read_bytes()
    assert gzip.decompress(first).replace(b"a.warc.gz", b"a.warc") == plain


def test_the_bytes_of_a_plain_file(tmp_path):
    records = WarcRecords("words@11", "1", DATE)
    content = records.about("a.warc") + records.document("d1", "x", "http://x/")
    about, document = content.split(b"\r\n\r\n\r\nWARC/1.1\r\n")
    assert about.startswith(b"WARC/1.1\r\nWARC-Type: warcinfo\r\nWARC-Date: 2024-01-02T03:04:05Z\r\n")
    assert document.split(b"\r\n") == [
        b"WARC-Type: conversion",
        b"WARC-Date: 2024-01-02T03:04:05Z",
        b"WARC-Record-ID: <urn:uuid:%b>" % str(uuid5(NAMESPACE_URL, "128\nd1\nx")).encode(),
        b"Content-Length: 1",
        b"WARC-TREC-ID: d1",
        b"WARC-Target-URI: http://x/",
        b"Content-Type: text/plain; charset=utf-8",
        b"",
        b"x",
        b"",
        b"",
    ]


def test_fields_stay_in_their_lines(tmp_path):
    path = tmp_path / "a.warc"
    path.write_bytes(WarcRecords("none", "1", DATE).document("a\r\nWARC-Type: response", "x", "http://x/\nb"))
    (result,) = read(path)[0]
    assert (result.id, result.url) == ("a WARC-Type: response", "http://x/ b")

"""Real WARC files, sound and broken: what each gives, to the id; with FastWARC as the oracle where it reads them."""

import hashlib

import pytest
from fastwarc.warc import ArchiveIterator
from messages import Message
from warc_samples import read

from thresher.collections.warc import Warc

EXAMPLE = "a9c51e3e-0221-11e7-bf66-0242ac120005"

# File: whether it can be split, and of each document its id, offset, bytes (size if it has a problem) and problem.
FILES = {
    "anserini-commoncrawl-warc.warc.gz": (False, [("b92fd779-f40f-4edc-8332-ffddbdbce74b", 603, 46, None)]),
    "anserini-cw09.warc.gz": (False, [("clueweb09-az0000-00-00000", 408, 46, None)]),
    "anserini-cw12.warc.gz": (False, [("clueweb09-az0000-00-00000", 408, 46, None)]),
    "anserini-trecweb.txt": (True, [("", 0, 553, "553 bytes that are no WARC record")]),
    # Records of the kind `unknown`.
    "block-sized-records.warc.gz": (True, []),
    "clipped.warc.gz": (
        False,
        [
            (
                "f3dfa8fa-f031-4a38-90cc-1dcee3d07bb5",
                0,
                75207,
                Message("clipped: ", "gzip member", "75,207 of 88,275 bytes"),
            )
        ],
    ),
    "example.warc.gz": (True, [(EXAMPLE, 784, 1270, None)]),
    # One member for all.
    "example-bad-non-chunked.warc.gz": (False, [(EXAMPLE, 1197, 1270, None)]),
    "example-bad.warc.gz.bad": (
        False,
        [
            ("6d058047-ede2-4a13-be79-90c17c631dd4", 460, 1270, None),
            ("1d673b2a-c593-402e-8973-3950d0bc6163", 4771, 471, "HTTP status 302"),
        ],
    ),
    "example-iana.org-chunked.warc": (True, [("a96ae1a5-931d-4c45-96f3-98576d155f8b", 405, 7223, None)]),
    "example-resource.warc.gz": (True, [("6e7f60da-2c7b-11e7-aaf7-0242ac120007", 802, 1303, None)]),
    # A length two bytes short.
    "example-trunc.warc": (True, [(EXAMPLE, 1197, 1270, None)]),
    # Members that end within a record.
    "example-wrong-chunks.warc.gz": (True, [("80d63307-60af-43e0-903f-574b2f432b7e", 0, 1270, None)]),
}


@pytest.mark.parametrize("name", FILES)
def test_files(shared_data, name):
    path = shared_data / "warc" / name
    can_split, expected = FILES[name]
    result, span = read(path)
    assert [(each.id, each.offset, each.size, each.problem) for each in result] == expected
    assert (span.first, span.after) == (0, path.stat().st_size)
    assert Warc().can_split(path) == can_split


def test_all_files_are_here(shared_data):
    names = {path.name for path in (shared_data / "warc").iterdir()}
    assert names == {*FILES, "clueweb-quirk.warc.gz", "warcfile.warc.gz"}


def test_the_example_page_is_one_page_however_it_was_stored(shared_data):
    names = ["example.warc.gz", "example-bad-non-chunked.warc.gz", "example-trunc.warc", "example-bad.warc.gz.bad"]
    contents = {read(shared_data / "warc" / name)[0][0].content for name in names}
    assert len(contents) == 1
    assert contents.pop().startswith(b"<!doctype html>\n<html>\n<head>\n    <title>Example Domain</title>")


def responses(path, **options):
    with path.open("rb") as file:
        for each in ArchiveIterator(file, auto_decode="all", **options):
            if each.headers["WARC-Type"] == "response":
                yield each.stream_pos, each.headers, each.reader.read(), each.http_charset


def test_common_crawl(shared_data):
    path = shared_data / "warc" / "warcfile.warc.gz"
    result = read(path)[0]
    expected = [
        (offset, fields["WARC-Record-ID"][10:-1], fields["WARC-Target-URI"], content, charset and charset.lower())
        for offset, fields, content, charset in responses(path)
    ]
    assert len(expected) == 16
    assert [
        (each.offset, each.id, each.url, each.content, each.charset and each.charset.lower()) for each in result
    ] == expected


def test_clueweb09_with_line_feeds_in_http_headers(shared_data):
    path = shared_data / "warc" / "clueweb-quirk.warc.gz"
    result = read(path)[0]
    assert [each.id for each in result] == [f"clueweb09-ja0016-50-{number:05}" for number in range(29)]
    assert {(each.charset, each.problem, each.content[:6]) for each in result} == {("EUC-JP", None, b"<html>")}
    # The pages claim gzip and are plain, so that FastWARC must not decode them.
    with path.open("rb") as file:
        expected = [(each.stream_pos, each.reader.read()) for each in ArchiveIterator(file, quirks_mode=True)][1:]
    assert [(each.offset, each.content) for each in result] == expected
    assert hashlib.sha256(b"".join(each.content for each in result)).hexdigest()[:16] == "f1f07ad71d24995b"

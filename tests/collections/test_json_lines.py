"""JSON lines: what comes back, whatever the ranges, and that a broken line costs no other."""

import bz2
import gzip
import json
import lzma
import tracemalloc
import zlib
from pathlib import Path

import pyarrow
import pytest
from file_ranges import read_in_ranges, read_whole
from hypothesis import assume, given
from hypothesis import strategies as st
from messages import Message

from thresher.collections.interface import IdRule, JsonFields, ReadOptions
from thresher.collections.json_lines import JsonLines
from thresher.collections.sources import Part, Source

PACK = {
    "": bytes,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": lambda content: pyarrow.compress(content, "zstd", asbytes=True),
}


def write(tmp_path: Path, *lines: str | bytes, end: bytes = b"\n") -> Path:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"".join((line.encode() if isinstance(line, str) else line) + end for line in lines))
    return path


def read(path: Path, **options) -> list[Source]:
    return read_whole(JsonLines(), path, ReadOptions(**options))


def test_names():
    kind = JsonLines()
    assert kind.name == "jsonl"
    assert sorted(kind.suffixes) == sorted(
        f"{ending}{more}" for ending in (".jsonl", ".ndjson") for more in ("", ".gz", ".bz2", ".xz", ".zst")
    )


@pytest.mark.parametrize("packed", PACK)
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_pages_and_texts(tmp_path, packed, end):
    path = write(
        tmp_path,
        '{"id": "a", "html": "<p>é", "url": "http://x"}',
        "",
        "  \t",
        '{"id": 7, "contents": "plain\\ntext", "url": 3}',
        '{"html": "", "contents": "not taken", "id": "b"}',
        end=end,
    )
    content = path.read_bytes()
    path.write_bytes(PACK[packed](content))
    one, two, three = read(path)
    assert one == Source("a", "a.jsonl", 5, 0, content="<p>é".encode(), url="http://x", charset="utf-8", members={})
    seven = content.index(b'{"id": 7')
    assert two == Source("7", "a.jsonl", 10, seven, content=b"plain\ntext", charset="utf-8", is_text=True, members={})
    last = content.index(b'{"html": ""')
    assert three == Source("b", "a.jsonl", 0, last, content=b"", charset="utf-8", members={})
    assert JsonLines().can_split(path) is (packed == "")


def test_a_last_line_without_end(tmp_path):
    path = write(tmp_path, '{"id": "a", "contents": "x"}\n{"id": "b", "contents": "y"}', end=b"")
    assert [source.id for source in read(path)] == ["a", "b"]


def test_a_byte_order_mark_is_no_defect(tmp_path):
    path = write(tmp_path, b'\xef\xbb\xbf{"id": "a", "contents": "x"}')
    assert [source.id for source in read(path)] == ["a"]


def test_ids_go_through_the_rule(tmp_path):
    path = write(tmp_path, '{"id": "old a.html", "contents": ""}')
    rule = IdRule(pattern="^old ", replacement="new ", escape=True)
    assert [source.id for source in read(path, rule=rule)] == ["new%20a.html"]


def test_members_by_name(tmp_path):
    path = write(
        tmp_path,
        '{"meta": {"docno": "a"}, "page": {"raw": "<p>"}, "link": {"href": "http://x"}}',
        '{"key": 2, "meta": {"docno": null}, "page": "flat", "body": "text"}',
        '{"key": "c", "meta": {"docno": "first"}, "body": "x", "page": {"raw": "<b>"}}',
        '{"id": "d", "html": "x"}',
    )
    fields = JsonFields(id=("meta.docno", "key"), html=("page.raw",), text=("text", "body"), url=("url", "link.href"))
    a, two, first, none = read(path, fields=fields)
    assert (a.id, a.content, a.url, a.is_text) == ("a", b"<p>", "http://x", False)
    assert (two.id, two.content, two.is_text) == ("2", b"text", True)
    assert (first.id, first.content, first.is_text) == ("first", b"<b>", False)
    assert (none.id, none.problem) == ("", Message("no `meta.docno` or `key`"))
    (none,) = read(write(tmp_path, '{"key": 0}'), fields=fields)
    assert (none.id, none.problem) == ("0", Message("neither `page.raw` nor `text` nor `body`"))


def test_what_json_leaves_open(tmp_path):
    path = write(
        tmp_path,
        '{"id": "a", "id": "b", "contents": "1", "contents": "2"}',
        '{"id": "\\ud800", "contents": "x\\udfffy", "url": "\\ud800"}',
        '{"id": "n", "contents": "x", "score": NaN, "rank": -Infinity}',
        '{"id": "null", "html": null, "contents": "x"}',
        '{"id": "x\u2028y\u0085z", "contents": "x\u2028y\u0085z"}',
    )
    assert [(source.id, source.content, source.url, source.problem) for source in read(path)] == [
        ("b", b"2", None, None),
        ("\ud800", b"x?y", "?", None),
        ("n", b"x", None, None),
        ("null", b"x", None, None),
        ("x\u2028y\u0085z", "x\u2028y\u0085z".encode(), None, None),
    ]


NO_VALUE = Message("not JSON", "Expecting value", "its character 0)")
NO_ID = Message("id is neither text nor an integer")
NO_TEXT = Message("neither `html` nor `contents`")


@pytest.mark.parametrize(
    ("line", "document_id", "problem"),
    [
        ("{", "", Message("not JSON", "property name", "its character 1)")),
        ("nothing", "", NO_VALUE),
        ('{"id": "a', "", Message("not JSON", "Unterminated string", "its character 7)")),
        ('{"id": "a"} {}', "", Message("not JSON", "Extra data", "its character 12)")),
        (b'{"id": "\xff"}', "", Message("not UTF-8", "its byte 8)")),
        ('{"id": "a", "contents": "x"}'.encode("utf-16-le"), "", None),
        (b"\x00\x01\x02", "", NO_VALUE),
        ("[" * 100_000, "", "the line nests too deeply"),
        ('{"id": ' * 100_000, "", "the line nests too deeply"),
        ("1" * 5000, "", Message("number of too many digits")),
        ("[1]", "", "the line has no `id`"),
        ("{}", "", "the line has no `id`"),
        ('{"id": null, "contents": ""}', "", "the line has no `id`"),
        ('{"id": 1.5, "contents": ""}', "", NO_ID),
        ('{"id": NaN, "contents": ""}', "", NO_ID),
        ('{"id": true, "contents": ""}', "", NO_ID),
        ('{"id": {"a": 1}, "contents": ""}', "", NO_ID),
        ('{"id": "x"}', "x", NO_TEXT),
        ('{"id": "x", "html": null}', "x", NO_TEXT),
        ('{"id": "x", "contents": ["a"]}', "x", "the text is not a string"),
        ('{"id": "x", "html": 5, "contents": "y"}', "x", "the page is not a string"),
    ],
)
def test_a_broken_line_costs_no_other(tmp_path, line, document_id, problem):
    line = line.encode() if isinstance(line, str) else line
    path = write(tmp_path, '{"id": "a", "contents": ""}', "", line, '{"id": "z", "contents": ""}')
    first, broken, last = read(path)
    assert (first.id, last.id, last.problem) == ("a", "z", None)
    assert (broken.id, broken.file, broken.offset, broken.content) == (document_id, "a.jsonl", 29, None)
    assert broken.size == len(line) + 1
    # UTF-16 is refused as no UTF-8 or as no JSON.
    assert broken.problem == (Message("the line is not ") if problem is None else problem)


def test_pages_over_the_limit(tmp_path):
    line = json.dumps({"id": "b", "contents": "é" * 2**19 + "x"}, ensure_ascii=False)
    path = write(tmp_path, '{"id": "a", "contents": ""}', line, '{"id": "c", "contents": "%s"}' % ("y" * 2**20))
    a, b, c = read(path, max_bytes=2**20)
    assert (a.problem, c.problem, c.size) == (None, None, 2**20)
    assert (b.id, b.size, b.content, b.problem) == (
        "b",
        2**20 + 1,
        None,
        Message("too large", "1.0 MiB", "1 MiB"),
    )


@pytest.mark.parametrize("packed", ["", ".gz"])
def test_a_line_over_the_bound_is_never_held(tmp_path, packed):
    line = b'{"id": "b", "contents": "' + b"x" * 24 * 2**20 + b'"}'
    path = write(tmp_path, '{"id": "a", "contents": ""}', line, '{"id": "c", "contents": ""}')
    path.write_bytes(PACK[packed](path.read_bytes()))
    size = len(line) + 1
    del line
    tracemalloc.start()
    try:
        a, b, c = read(path, max_bytes=2**20)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (a.id, c.id, b.id, b.offset, b.size) == ("a", "c", "", 28, size)
    assert b.problem == Message("too large", "24.0 MiB", "1 MiB")
    assert peak < 8 * 2**20


def test_ranges_within_a_line_are_not_read_to_its_end(tmp_path):
    path = write(tmp_path, '{"id": "a", "contents": "%s"}' % ("x" * 10_000), '{"id": "b", "contents": ""}')
    reading = JsonLines().read(Part(0, 1, path, "a.jsonl", 1000, 2000, exact=False), ReadOptions())
    with pytest.raises(StopIteration) as stop:
        next(reading)
    assert (stop.value.value.first, stop.value.value.after) == (None, 2000)


@given(
    st.dictionaries(st.text(), st.text(), min_size=1, max_size=5), st.integers(1, 200), st.sampled_from(["\n", "\r\n"])
)
def test_whatever_json_can_hold_comes_back(tmp_path_factory, documents, length, end):
    path = tmp_path_factory.mktemp("jsonl") / "a.jsonl"
    lines = [json.dumps({"id": key, "contents": text}) for key, text in documents.items()]
    path.write_bytes(end.join(lines).encode())
    result = read_whole(JsonLines(), path)
    assert {source.id: source.page().content for source in result} == {
        key: text.encode("utf-8", "replace") for key, text in documents.items()
    }
    assert read_in_ranges(JsonLines(), path, length) == result


@given(
    st.lists(
        st.one_of(
            st.just(b""),
            st.just(b'{"id": 1, "contents": "x"}'),
            st.just(b'{"id": 2, "html": "' + b"y" * 300 + b'"}'),
            st.binary(max_size=20),
        )
    ),
    st.sampled_from([1, 2, 3, 7, 20, 64, 1000]),
)
def test_ranges_of_damaged_files_give_the_same_as_the_whole(tmp_path_factory, lines, length):
    path = tmp_path_factory.mktemp("jsonl") / "a.jsonl"
    path.write_bytes(b"\n".join(lines))
    assume(JsonLines().can_split(path))  # bytes that look compressed are read as a whole
    options = ReadOptions(max_bytes=200)
    assert read_in_ranges(JsonLines(), path, length, options) == read_whole(JsonLines(), path, options)


def test_files_that_hold_nothing(tmp_path):
    for content in (b"", b"\n \n\n"):
        path = tmp_path / "a.jsonl"
        path.write_bytes(content)
        assert read(path) == []
    with pytest.raises(FileNotFoundError):
        read(tmp_path / "none.jsonl")
    assert JsonLines().can_split(tmp_path / "none.jsonl") is False
    with pytest.raises(IsADirectoryError):
        read(tmp_path)


LINES = b"".join(
    json.dumps({"id": str(number), "contents": "text " * number}).encode() + b"\n" for number in range(300)
)


@pytest.mark.parametrize("packed", [".gz", ".bz2", ".xz", ".zst"])
def test_clipped_anywhere_what_was_read_stays(tmp_path, packed):
    path = tmp_path / "a.jsonl"
    whole = PACK[packed](LINES)
    path.write_bytes(whole)
    everything = read(path)
    assert [source.id for source in everything] == [str(number) for number in range(300)]
    counts = set()
    for length in [*range(7, len(whole), len(whole) // 40), len(whole) - 1]:
        path.write_bytes(whole[:length])
        *kept, rest = read(path)
        assert kept == everything[: len(kept)]
        end = everything[len(kept)].offset if len(kept) < 300 else len(LINES)
        clipped = Message("compressed data", "(incomplete frame)" if packed == ".zst" else "end too early")
        assert rest == Source("", "a.jsonl", 0, end, problem=clipped), length
        counts.add(len(kept))
    if packed == ".gz":
        assert len(counts) > 20


def test_broken_compression(tmp_path):
    path = tmp_path / "a.jsonl"
    whole = gzip.compress(LINES)
    path.write_bytes(whole[:-8] + bytes(4) + whole[-4:])
    *kept, rest = read(path)
    assert [source.id for source in kept] == [str(number) for number in range(len(kept))]
    assert len(LINES) - 2**14 - 2000 < rest.offset < len(LINES)
    assert rest.problem == Message("compressed data are broken", "Incorrect checksum")
    path.write_bytes(whole + b"\0" * 700_000)
    assert len(read(path)) == 300  # tapes pad with zeros
    path.write_bytes(whole + b"x" * 30)
    *kept, rest = read(path)
    assert (len(kept), rest.offset, rest.problem) == (
        300,
        len(LINES),
        Message("compressed data are broken", "Invalid gzip/zlib wrapper"),
    )


@pytest.mark.parametrize("packed", [".gz", ".bz2", ".xz", ".zst"])
def test_members_in_a_row_are_one_file(tmp_path, packed):
    path = tmp_path / "a.jsonl"
    path.write_bytes(PACK[packed](LINES[:1111]) + PACK[packed](LINES[1111:]))
    assert len(read(path)) == 300
    assert {source.problem for source in read(path)} == {None}


def test_xz_that_wants_too_much_memory(tmp_path):
    path = tmp_path / "a.jsonl"
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 0, "dict_size": 2**20}]
    whole = bytearray(lzma.compress(LINES, check=lzma.CHECK_NONE, filters=filters))
    # The header's byte of the dictionary's size, made 1 GiB (specification of .xz, 5.3.1), with the header's checksum.
    place = whole.index(b"\x21\x01", 12)
    whole[place + 2] = 36
    whole[20:24] = zlib.crc32(bytes(whole[12:20])).to_bytes(4, "little")
    path.write_bytes(whole)
    (rest,) = read(path)
    assert (rest.offset, rest.problem) == (0, Message("compressed data are broken", "Memory usage limit"))

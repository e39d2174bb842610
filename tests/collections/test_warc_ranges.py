"""Ranges of WARC files: however a file is cut, the ranges give together what it gives in one piece."""

import gzip

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from warc_samples import http, pack, read, record

LIMIT = 4096


def in_ranges(path, size):
    """All sources by ranges of `size` bytes; a range that did not begin where the one before said is read again."""
    total = path.stat().st_size
    result, expected, repaired = [], 0, 0
    for begin in range(0, total, size):
        end = min(begin + size, total)
        sources, span = read(path, begin, end, exact=begin == 0, most=LIMIT)
        assert span.after >= end
        if begin and span.first != (expected if expected < end else None):
            repaired += 1
            if expected >= end:
                continue
            sources, span = read(path, expected, end, most=LIMIT)
        if begin == 0 or expected < end:
            expected = span.after
        result += sources
    return result, repaired


def records():
    lengths = st.one_of(st.none(), st.none(), st.none(), st.sampled_from([-5, 3, 100, 5000, 10**7, 10**25, "x", ""]))
    bodies = st.one_of(st.binary(max_size=200), st.integers(0, 6000).map(lambda size: b"<p>" + b"ab \n" * (size // 4)))
    junk = st.sampled_from([b"", b"", b"", b"", b"junk\n" * 90, b"\0" * 700])
    return st.lists(st.tuples(bodies, lengths, junk, st.sampled_from(["response", "request"])), min_size=1, max_size=8)


@settings(max_examples=25)
@given(st.data())
def test_any_cut_of_any_file(tmp_path_factory, data):
    pieces = [
        record(http(body), number=number, length=length, kind=kind) + junk
        for number, (body, length, junk, kind) in enumerate(data.draw(records()))
    ]
    each = data.draw(st.sampled_from([1, 1, 2, 50]))
    members = [b"".join(pieces[at : at + each]) for at in range(0, len(pieces), each)]
    content = bytearray(pack(members, data.draw(st.sampled_from(["", ".gz", ".zst"]))))
    for _ in range(data.draw(st.integers(0, 3))):
        at = data.draw(st.integers(0, len(content)))
        content[at : at + data.draw(st.integers(0, 40))] = data.draw(st.binary(max_size=40))
    path = tmp_path_factory.mktemp("warc") / "a.warc"
    path.write_bytes(content)
    whole, span = read(path, most=LIMIT)
    assert span.after == len(content)
    for size in data.draw(st.lists(st.integers(1, len(content) + 9), min_size=1, max_size=2)):
        size = max(size, len(content) // 200)
        assert in_ranges(path, size)[0] == whole


@pytest.mark.parametrize("suffix", [".warc", ".warc.gz", ".warc.zst"])
@pytest.mark.parametrize("size", [1, 100, 333, 5000, 10**6])
def test_no_range_of_a_sound_file_is_read_twice(tmp_path, suffix, size):
    path = tmp_path / f"a{suffix}"
    path.write_bytes(pack([record(http(b"<p>" * number * 9), number=number) for number in range(12)], suffix))
    result, repaired = in_ranges(path, size)
    assert [source.id for source in result] == [str(number) for number in range(12)]
    assert repaired == 0


def test_what_a_range_says_of_its_bounds(tmp_path):
    members = [gzip.compress(record(http(), number=number)) for number in range(3)]
    first, second, third = (len(b"".join(members[:number])) for number in (1, 2, 3))
    path = tmp_path / "a.warc.gz"
    path.write_bytes(b"".join(members))
    assert [(span.first, span.after) for span in (read(path, 0, first)[1], read(path, 0, first + 1)[1])] == [
        (0, first),
        (0, second),
    ]
    span = read(path, 1, second, exact=False)[1]
    assert (span.first, span.after) == (first, second)
    span = read(path, first + 1, second, exact=False)[1]
    assert (span.first, span.after) == (None, second)
    span = read(path, second + 1, third, exact=False)[1]
    assert (span.first, span.after) == (None, third)


def test_a_record_within_a_page_deceives_only_until_it_is_read_again(tmp_path):
    page = b"<pre>\n" + record(http(b"<p>inner"), number=7) + b"</pre>"
    path = tmp_path / "a.warc"
    path.write_bytes(record(http(page), number=1) + record(http(), number=2))
    begin = len(record(http(page), number=1)) - len(page)
    assert next(iter(read(path, begin - 9, begin + 90, exact=False)[0])).id == "7"
    result, repaired = in_ranges(path, begin)
    assert ([source.id for source in result], repaired > 0) == (["1", "2"], True)


def test_what_is_said_of_a_header_without_an_end_does_not_depend_on_where_reading_began(tmp_path):
    path = tmp_path / "a.warc"
    path.write_bytes(record(http(), number=1) + b"WARC/1.0\nA: 1\n\nWARC-B: 2\r\n" + bytes(600))
    whole = read(path, most=LIMIT)[0]
    assert [source.problem for source in whole] == [None, "clipped: the file ends"]
    for size in (50, 100, 250, 300):
        assert in_ranges(path, size)[0] == whole

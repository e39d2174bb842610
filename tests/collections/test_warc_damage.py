"""Damaged WARC files: what is lost is named, what lies behind it is read, and nothing hangs or fills the memory."""

import gzip
import random
import tracemalloc
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from messages import Message, assert_names
from warc_samples import MIB, http, pack, read, read_bytes, record, told, zstd

from thresher.collections.warc import Warc

PAGE = b"<p>text"
NOISE = random.Random(1).randbytes(MIB)


def good(number, content=PAGE):
    return (str(number), content, None)


@pytest.mark.parametrize("length", [3, 41, 0, 200, 10**6, 10**8, 10**18, 10**30, -1, "abc", ""])
@pytest.mark.parametrize("packed", ["", ".gz", "one.gz"])
def test_wrong_lengths(tmp_path, length, packed):
    records = [record(http(), number=1), record(http(), number=2, length=length), record(http(), number=3)]
    content = gzip.compress(b"".join(records)) if packed == "one.gz" else pack(records, packed)
    assert told(read_bytes(tmp_path, content)) == [good(1), good(2), good(3)]


@pytest.mark.parametrize("length", [4000, 10**8, 10**30])
def test_a_last_record_that_is_too_short(tmp_path, length):
    block = http()
    content = record(http(), number=1) + record(block, number=2, length=length)
    rest = len(block) + 4
    lost = Message("clipped: ", "the file ends", f"{rest} of {length:,} bytes")
    if length < 10**18:
        assert told(read_bytes(tmp_path, content)) == [good(1), ("2", None, lost)]
    else:
        assert told(read_bytes(tmp_path, content)) == [good(1), good(2)]
    # A member that is sound ends where it ends.
    assert told(read_bytes(tmp_path, gzip.compress(content))) == [good(1), good(2)]


def test_records_that_follow_at_once(tmp_path):
    records = [record(http(), number=number).removesuffix(b"\r\n\r\n") for number in range(3)]
    assert told(read_bytes(tmp_path, b"".join(records))) == [good(0), good(1), good(2)]
    spaced = [record(http(), number=number) + b"\r\n" * 700 for number in range(3)]
    assert told(read_bytes(tmp_path, b"".join(spaced))) == [good(0), good(1), good(2)]


LINES = b"<p>one\n<p>two "


@pytest.mark.parametrize("cut", ["", "\n", " ", "r", "<p", "\r\n\r"])
@pytest.mark.parametrize("followers", [1, 3])
@pytest.mark.parametrize("packed", [False, True])
def test_a_record_that_breaks_off_within_a_line(tmp_path, cut, followers, packed):
    """What a killed writer leaves, when the next run appends to its file."""
    broken = record(http(LINES + b"x" * 3000), number=1).partition(b"xxx")[0] + cut.encode()
    behind = [record(http(), number=number) for number in range(2, 2 + followers)]
    content = record(http(), number=0) + broken + b"".join(behind)
    first, second, *others = told(read_bytes(tmp_path, gzip.compress(content) if packed else content))
    assert (first, others) == (good(0), [good(number) for number in range(2, 2 + followers)])
    assert second == ("1", LINES + cut.encode(), None)


@pytest.mark.parametrize("name", ["WARC-Date", "WARC-Record-ID", "Content-Length"])
def test_a_header_that_breaks_off_within_a_line(tmp_path, name):
    whole = record(http(), "WARC-Date: 2026-01-01T00:00:00Z", number=1)
    broken = whole[: whole.index(name.encode()) + len(name) + 3]
    content = broken + record(http(), number=2)
    assert told(read_bytes(tmp_path, content)) == [("", None, Message("header of the record breaks off")), good(2)]


def test_junk_that_ends_within_a_line(tmp_path):
    content = record(http(), number=1) + b"junk" * 9 + record(http(), number=2)
    assert told(read_bytes(tmp_path, content)) == [good(1), ("", None, Message("36 bytes", "no WARC record")), good(2)]


@pytest.mark.parametrize(
    "mention",
    [
        b"<p>a WARC/1.0 file",
        b"<pre>WARC/1.0\nWARC-Type: response\n\n</pre>",
        b"<pre>WARC/1.0\nWARC-Type: response\nWARC-Record-ID: &lt;urn:uuid:1&gt;\n\n</pre>",
    ],
)
def test_a_page_that_mentions_a_record_stays_whole(tmp_path, mention):
    """Also if its length is wrong."""
    content = record(http(mention), number=1, length=10**6) + record(http(), number=2)
    assert told(read_bytes(tmp_path, content)) == [good(1, mention), good(2)]


def test_a_page_about_warc_is_one_page(tmp_path):
    page = b"<pre>\n" + record(http(), number=7) + b"</pre>"
    content = record(http(page), number=1) + record(http(), number=2)
    for suffix in ("", ".gz"):
        assert told(read_bytes(tmp_path, pack([content], suffix))) == [good(1, page), good(2)]


@pytest.mark.parametrize("junk", [b"junk\n" * 900, b"\0" * 5000, b"x" * MIB + b"\n", b"WARC/1.0\n\nWARC/\n"])
def test_bytes_between_records(tmp_path, junk):
    first, second = record(http(), number=1), record(http(), number=2)
    result = read_bytes(tmp_path, first + junk + b"\r\n" + second)
    if junk.startswith(b"WARC/1.0"):
        assert told(result) == [good(1), ("", None, "the record has no WARC-Type"), good(2)]
    else:
        size = len(junk) + 2
        assert told(result) == [good(1), ("", None, f"{size:,} bytes that are no WARC record"), good(2)]
        assert (result[1].offset, result[1].size) == (len(first), size)
    result = read_bytes(tmp_path, gzip.compress(first) + junk + gzip.compress(second))
    assert told(result) == [good(1), ("", None, Message("not a gzip member")), good(2)]
    assert result[1].offset == len(gzip.compress(first))
    result = read_bytes(tmp_path, zstd(first) + junk + zstd(second))
    assert told(result) == [good(1), ("", None, Message("not a zstd frame")), good(2)]


def test_headers_that_break_off(tmp_path):
    whole = record(http(), number=1)
    behind = record(http(), number=2)
    cut = whole[: whole.index(b"WARC-Target")]
    lost = Message("header of the record breaks off")
    assert told(read_bytes(tmp_path, cut + behind)) == [("", None, lost), good(2)]
    assert told(read_bytes(tmp_path, cut)) == [("", None, "clipped: the file ends")]
    assert told(read_bytes(tmp_path, pack([cut, behind], ".gz"))) == [("", None, lost), good(2)]
    endless = whole[:90] + b"X: " + b"y" * 10**6 + b"\n" + behind
    assert [(source.problem, source.content) for source in read_bytes(tmp_path, endless)] == [
        (lost, None),
        (None, PAGE),
    ]


def test_files_that_are_no_warc(tmp_path):
    assert told(read_bytes(tmp_path, NOISE)) == [("", None, f"{len(NOISE):,} bytes that are no WARC record")]
    assert told(read_bytes(tmp_path, gzip.compress(NOISE))) == [
        ("", None, f"{len(NOISE):,} bytes that are no WARC record")
    ]
    assert told(read_bytes(tmp_path, b"\x1f\x8b\x08")) == [("", None, Message("clipped", "within a gzip member"))]
    assert told(read_bytes(tmp_path, b"\x28\xb5\x2f\xfd")) == [("", None, "a broken zstd frame")]
    assert read_bytes(tmp_path, b"\r\n\r\n") == []
    assert read_bytes(tmp_path, gzip.compress(b"")) == []


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_clipped_at_any_byte(tmp_path, suffix):
    page = b"<p>" + NOISE[:300].hex().encode()
    members = [pack([record(http(page), number=number)], suffix) for number in range(3)]
    begin = len(members[0]) + len(members[1])
    kind = "zstd frame" if suffix == ".zst" else "gzip member"
    for size in range(1, len(members[2]), 7):
        first, second, *third, last = read_bytes(tmp_path, b"".join(members)[: begin + size])
        assert told([first, second]) == [good(0, page), good(1, page)]
        # Where only the end of the packing is missing, the page is there, and the damage is told by itself.
        assert told(third) in ([], [good(2, page)])
        assert (last.id in ("", "2"), last.offset, last.content) == (True, begin, None)
        assert f" {kind}" in last.problem


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_a_corrupt_member_in_the_middle(tmp_path, suffix):
    page = b"<p>" + NOISE[:70_000].hex().encode()
    members = [pack([record(http(page), number=number)], suffix) for number in range(4)]
    middle = len(members[1]) // 2
    for damage in (
        members[1][:middle],
        members[1][:middle] + members[1][middle + 9 :],
        members[1][:middle] + b"\xff" * 900,
    ):
        result = read_bytes(tmp_path, members[0] + damage + members[2] + members[3])
        assert told([result[0], *result[2:]]) == [good(0, page), good(2, page), good(3, page)]
        assert (result[1].id, result[1].offset, result[1].content) == (result[1].id, len(members[0]), None)
        assert result[1].id in ("1", "")


def test_a_wrong_checksum(tmp_path):
    members = [gzip.compress(record(http(), number=number), mtime=0) for number in range(3)]
    broken = members[1][:-8] + bytes(4) + members[1][-4:]
    assert told(read_bytes(tmp_path, members[0] + broken + members[2])) == [
        good(0),
        ("", None, Message("broken gzip member", "incorrect checksum")),
        good(2),
    ]


@pytest.mark.parametrize("suffix", [".gz", ".zst", "one.gz", "one.zst"])
def test_a_large_record_is_passed_over(tmp_path, suffix):
    records = [record(http(), number=1), record(http(NOISE * 10), number=2), record(http(), number=3)]
    members = [b"".join(records)] if suffix.startswith("one") else records
    result = read_bytes(tmp_path, pack(members, suffix), most=MIB)
    assert told(result) == [good(1), ("2", None, Message("too large", "10.0 MiB", "1 MiB")), good(3)]


@pytest.mark.slow
def test_a_record_of_100_mib_takes_little_memory(tmp_path):
    path = tmp_path / "a.warc"
    block = http(NOISE * 100)
    path.write_bytes(record(http(), number=1) + record(block, number=2) + record(http(), number=3))
    del block
    tracemalloc.start()
    result = read(path)[0]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert told(result) == [good(1), ("2", None, Message("too large", "100.0 MiB", "16 MiB")), good(3)]
    assert result[1].size == 100 * MIB + len(http(b""))
    assert peak < 45 * MIB


def test_the_limit_is_of_the_page(tmp_path):
    content = b"".join(record(http(b"<" * size), number=size) for size in (9, 10, 11))
    assert [(source.id, source.size, source.problem) for source in read_bytes(tmp_path, content, most=10)] == [
        ("9", 9, None),
        ("10", 10, None),
        ("11", 11 + len(http(b"")), Message("too large", "0.0 MiB", "9.53674e-06 MiB")),
    ]
    image = record(http(bytes(MIB), "Content-Type: image/png"))
    assert told(read_bytes(tmp_path, image, most=10)) == [("1", None, "not HTML: image/png")]


def bomb(size):
    packer = zlib.compressobj(wbits=31)
    begin = record(http(b"<p>"), number=2, length=size)[:-4]
    zeros = bytes(MIB)
    return b"".join([packer.compress(begin), *(packer.compress(zeros) for _ in range(size // MIB)), packer.flush()])


@pytest.mark.slow
@pytest.mark.parametrize("length", [100 * MIB, 5, ""])
def test_a_bomb_is_left_alone(tmp_path, length):
    """A member of 100 MiB of zeros, whatever length its record claims."""
    packed = (
        bomb(100 * MIB)
        if length == 100 * MIB
        else gzip.compress(record(http(), number=2, length=length) + bytes(100 * MIB))
    )
    path = tmp_path / "a.warc.gz"
    path.write_bytes(gzip.compress(record(http(), number=1)) + packed + gzip.compress(record(http(), number=3)))
    result = read(path, most=MIB)[0]
    assert (told(result)[0], told(result)[-1]) == (good(1), good(3))
    problems = [source.problem for source in result[1:-1]]
    assert_names(problems[-1], "rest", "skipped", "beyond the limit")
    assert result[1].id == "2"
    size = "100.0" if length == 100 * MIB else "more than 1.0"
    assert problems[0] == Message("too large", f"{size} MiB", "1 MiB")


@settings(max_examples=40)
@given(st.data())
def test_whatever_happens_to_a_file_it_is_read(tmp_path_factory, data):
    suffix = data.draw(st.sampled_from(["", ".gz", ".zst"]))
    records = [record(http(PAGE * 20), number=number) for number in range(4)]
    content = bytearray(pack(records, suffix))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(content)))
        content[at : at + data.draw(st.integers(0, 60))] = data.draw(st.binary(max_size=60))
    result = read_bytes(tmp_path_factory.mktemp("warc"), bytes(content))
    for source in result:
        assert (source.content is None) == (source.problem is not None)
        assert source.content is not None or not source.id or source.problem
        assert 0 <= source.offset < len(content)


def test_what_headers_say_is_shown_without_control_characters_and_cut_short(tmp_path):
    types = (b"image/\x93\x07", b"image/" + b"x" * 9000)
    blocks = [b"HTTP/1.1 200 OK\r\nContent-Type: " + value + b"\r\n\r\n." for value in types]
    kinds = ["po\x07em", "y" * 9000]
    records = [record(block, number=number) for number, block in enumerate(blocks)]
    records += [record(http(), f"WARC-Type: {kind}", number=number) for number, kind in enumerate(kinds, start=2)]
    assert told(read_bytes(tmp_path, b"".join(records))) == [
        ("0", None, r"not HTML: image/\x93\x07"),
        ("1", None, f"not HTML: image/{'x' * 74}…"),
        ("2", None, Message("unknown kind", r"'po\x07em'")),
        ("3", None, Message("unknown kind", f"'{'y' * 80}…'")),
    ]


def test_where_a_file_packed_in_one_piece_breaks_off(tmp_path):
    """Offsets are those of what it unpacks to, also that of the damage: they never go back."""
    records = [record(http(NOISE[:3000]), number=1), record(http(), number=2), b"WARC/1.0\r\nA: " + NOISE[4000:7000]]
    packed = gzip.compress(b"".join(records))
    sources = read_bytes(tmp_path, packed[:-900], "a.warc.gz")
    begins = [0, len(records[0]), len(records[0]) + len(records[1])]
    assert [source.offset for source in sources] == begins
    assert sources[-1].problem == Message("clipped", "within a gzip member")


@pytest.mark.slow
def test_a_first_record_too_large_to_look_behind(tmp_path):
    """Offsets are of the members, and the file can be cut, although nobody read the first record to its end."""
    large = record(http(b"<p>" + NOISE * 66), number=1)
    members = [gzip.compress(large, 1), *(gzip.compress(record(http(), number=number)) for number in (2, 3))]
    path = tmp_path / "a.warc.gz"
    path.write_bytes(b"".join(members))
    assert Warc().can_split(path)
    begins = [0, len(members[0]), len(members[0]) + len(members[1])]
    assert [(source.id, source.offset) for source in read(path)[0]] == [*zip("123", begins, strict=True)]


def test_a_media_type_ends_no_sentence(tmp_path):
    content = b"WARC/1.0\nWARC-Type:response\nWARC-Record-ID:7\n\nHTTP/\nContent-Type:/."
    assert told(read_bytes(tmp_path, content)) == [("7", None, "not HTML: /")]

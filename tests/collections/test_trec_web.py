"""TREC-web: documents come back, whatever the ranges, with each other's tags in their pages, and out of damaged files."""

import bz2
import gzip
import lzma
import tracemalloc
from pathlib import Path

import pyarrow
import pytest
from file_ranges import read_in_ranges, read_range, read_whole
from hypothesis import assume, given
from hypothesis import strategies as st
from messages import Message
from warc_samples import told

from thresher.collections.interface import IdRule, ReadOptions
from thresher.collections.sources import Source
from thresher.collections.trec_web import TrecWeb, looks_like

PACK = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": lambda content: pyarrow.compress(content, "zstd", asbytes=True),
}


def document(number: str, page: bytes, header: bytes = b"http://x.gov/") -> bytes:
    return b"<DOC>\n<DOCNO>%s</DOCNO>\n<DOCHDR>\n%s\n</DOCHDR>\n%s\n</DOC>\n" % (number.encode(), header, page)


def read(tmp_path: Path, content: bytes, **options) -> list[Source]:
    path = tmp_path / "B01.trec"
    path.write_bytes(content)
    found = read_whole(TrecWeb(), path, ReadOptions(**options))
    for length in (1, 7, 64, 300):
        if len(content) / length < 2000:
            assert read_in_ranges(TrecWeb(), path, length, ReadOptions(**options)) == found
    return found


def test_names():
    kind = TrecWeb()
    assert kind.name == "trec-web"
    assert sorted(kind.suffixes) == sorted(
        f"{ending}{more}" for ending in (".trec", ".trecweb") for more in ("", ".gz", ".bz2", ".xz", ".zst")
    )


def test_as_wt10g_writes_it(tmp_path):
    content = (
        b"<DOC>\n<DOCNO>WTX001-B01-1</DOCNO>\n<DOCOLDNO>IA001-000000-B001-1</DOCOLDNO>\n<DOCHDR>\n"
        b"http://www.ram.org:80/ramblings/movies/jimmy.html 199.245.184.2 19970101013147 text/html 3449\n"
        b'HTTP/1.0 200 OK\nDate: Wed, 01 Jan 1997\nContent-type: text/html; Charset="ISO-8859-1"\n</DOCHDR>\n'
        b"<HTML>\n\xe9\n</HTML>\n</DOC>\n"
    )
    assert read(tmp_path, content) == [
        Source(
            "WTX001-B01-1",
            "B01.trec",
            16,
            0,
            content=b"<HTML>\n\xe9\n</HTML>",
            url="http://www.ram.org:80/ramblings/movies/jimmy.html",
            charset="ISO-8859-1",
        )
    ]


def test_what_the_header_says(tmp_path):
    content = (
        document("1", b"x", b"HTTP/1.0 200 OK\r\ncontent-type:text/html;charset=utf-8\r\n")
        + document("2", b"x", b"\n \nhttps://x.gov/a?b\ncontent-type: text/html")
        + document("3", b"<meta charset=latin-1>", b"will NOT be\n included")
        + b"<DOC><DOCNO>4</DOCNO>x</DOC>"
        + b"<doc>\r\n<docno> 5\t</docno>\r\n<dochdr>ftp://x</dochdr>\r\nx\r\n</doc>\r\n"
    )
    assert [(source.id, source.url, source.charset, source.content) for source in read(tmp_path, content)] == [
        ("1", None, "utf-8", b"x"),
        ("2", "https://x.gov/a?b", None, b"x"),
        ("3", None, None, b"<meta charset=latin-1>"),
        ("4", None, None, b"x"),
        ("5", "ftp://x", None, b"x"),
    ]


def test_anserinis_example(shared_data):
    path = shared_data / "warc" / "anserini-trecweb.txt"
    page = b"<html>Wh at ever here will be parsed \n <br> asdf <div>\n</html>"
    found = read_whole(TrecWeb(), path)
    assert told(found) == [
        ("WEB-0001", page, None),
        ("", None, "the document has no <DOCNO>"),
        ("WEB-0003", page, None),
    ]
    assert path.read_bytes()[found[1].offset :].startswith(b"<DOC>\nWEB-0002 </DOCNO>")
    for length in range(1, 600, 13):
        assert read_in_ranges(TrecWeb(), path, length) == found
    assert looks_like(path.read_bytes()[:100])


@pytest.mark.parametrize(
    "page",
    [
        b"",
        b"\n\n",
        b"a </DOC> b",
        b"a\n</DOC>\nb\n</doc> c",
        b"see <DOC> and </DOC>.",
        b"<DOC>\nno number\n</DOC> x",
        b"</DOCHDR> <DOCHDR> <DOCNO>9</DOCNO>",
        b"<!DOCTYPE html><!-- <DOC> --><p>",
        b"\x00\xff\xfe<",
        b"<DOC" * 300,
        b"</DOC>" * 3000,
        b"<DOC> " * 3000,
        b"<!--" * 2000 + b"<DOC>" + b"-->" * 2000,
    ],
)
def test_tags_within_pages(tmp_path, page):
    content = document("1", page) + document("2", b"x") + document("3", page)
    path = tmp_path / "a"
    path.write_bytes(content)
    found = read_whole(TrecWeb(), path)
    assert told(found) == [("1", page, None), ("2", b"x", None), ("3", page, None)]
    assert [source.offset for source in found] == [
        0,
        content.index(b"<DOC>\n<DOCNO>2"),
        content.index(b"<DOC>\n<DOCNO>3"),
    ]
    for length in (900, 4096, 5000):
        assert read_in_ranges(TrecWeb(), path, length) == found


def test_damage(tmp_path):
    content = (
        b"the end of a page</DOC>\n"
        + document("1", b"x").replace(b"</DOC>\n", b"")
        + document("2", b"y")
        + document("3", b"x").replace(b"<DOCNO>3</DOCNO>", b"")
        + document("", b"x")
        + document("4", b"x").replace(b"</DOCHDR>", b"")
        + document("\xe9", b"x").replace("é".encode(), b"\xe9")
        + document("6", b"x")
        + document("7", b"x").replace(b"</DOC>\n", b"")
    )
    found = read(tmp_path, content)
    assert told(found) == [
        ("", None, "the document's beginning is missing"),
        ("1", b"x", None),
        ("2", b"y", None),
        ("", None, "the document has no <DOCNO>"),
        ("", None, "the document has no <DOCNO>"),
        ("4", None, "its <DOCHDR> is not closed"),
        ("\udce9", b"x", None),
        ("6", b"x", None),
        ("7", None, "the file ends within the document"),
    ]
    assert [source.offset for source in found[:2]] == [0, 24]
    assert {source.file for source in found} == {"B01.trec"}


def test_what_is_between_documents_is_passed_over(tmp_path):
    content = (
        b"\xef\xbb\xbf<!-- no <DOC> here? -->\n<!-- a --> <DOC><DOCID>0</DOCID><DOCNO>1</DOCNO>x</DOC> <!----><DOC>"
    )
    content += b"<DOCTYPE>y</DOCTYPE><DOCNO>2</DOCNO>x</DOC> words " + document("3", b"x") + b"bye"
    assert told(read(tmp_path, content)) == [("1", b"x", None), ("2", b"x", None), ("3", b"x", None)]
    for nothing in (b"", b"\n", b"words, <p>tags</p>, and <DOCNO>1</DOCNO>"):
        assert read(tmp_path, nothing) == []


def test_ids_go_through_the_rule(tmp_path):
    rule = IdRule(pattern="^old ", replacement="new ", escape=True)
    assert [source.id for source in read(tmp_path, document("old a", b""), rule=rule)] == ["new%20a"]


def test_pages_over_the_limit(tmp_path):
    content = document("1", b"x" * 2**20) + document("2", b"x" * (2**20 + 1)) + document("3", b"x" * 3 * 2**20)
    one, two, three = read(tmp_path, content, max_bytes=2**20)
    assert (one.size, one.problem) == (2**20, None)
    assert (two.id, two.size, two.problem) == ("2", 2**20 + 1, Message("too large", "1.0 MiB", "1 MiB"))
    # what is not held counts whole
    assert (three.id, three.size) == ("3", len(document("3", b"")) + 3 * 2**20)
    assert (three.content, three.problem) == (None, Message("too large", "3.0 MiB", "1 MiB"))


@pytest.mark.slow
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_page_over_the_limit_is_never_held(tmp_path, pack):
    path = tmp_path / "a"
    path.write_bytes(
        pack(document("1", b"x") + document("2", (b"<DOC>" + b" text" * 200) * 2**15) + document("3", b"x"))
    )
    tracemalloc.start()
    try:
        found = read_whole(TrecWeb(), path, ReadOptions(max_bytes=2**20))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert [(source.id, source.problem) for source in found] == [
        ("1", None),
        ("2", Message("too large", "31.4 MiB", "1 MiB")),
        ("3", None),
    ]
    assert peak < 12 * 2**20


DOCUMENTS = [document(f"GX{number:03}", b"<p>%d " % number + b"text " * (number % 50)) for number in range(400)]


@pytest.mark.parametrize("packed", PACK)
def test_compressed_and_clipped(tmp_path, packed):
    path = tmp_path / "a"
    whole = PACK[packed](b"".join(DOCUMENTS))
    path.write_bytes(whole)
    everything = read_whole(TrecWeb(), path)
    assert [source.id for source in everything] == [f"GX{number:03}" for number in range(400)]
    assert {source.problem for source in everything} == {None}
    assert not TrecWeb().can_split(path)
    for length in [*range(8, len(whole), len(whole) // 30), len(whole) - 1]:
        path.write_bytes(whole[:length])
        *kept, rest = read_whole(TrecWeb(), path)
        assert kept == everything[: len(kept)]
        assert (rest.id, rest.content) == ("", None)
        assert rest.problem.startswith("the compressed data ")
        place = everything[len(kept)].offset if len(kept) < 400 else sum(map(len, DOCUMENTS))
        # the line end behind the last document is nobody's
        assert rest.offset in (place, place - 1)


def test_split_or_not(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(DOCUMENTS[0])
    assert TrecWeb().can_split(path)
    assert not TrecWeb().can_split(tmp_path / "none")
    with pytest.raises(FileNotFoundError):
        read_range(TrecWeb(), tmp_path / "none", 0, 1, ReadOptions(), exact=True)


def test_a_range_within_a_page_is_not_read_to_its_end(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(document("1", b"<p>" * 3 * 2**20) + document("2", b"x"))
    sources, span = read_range(TrecWeb(), path, 10_000, 20_000, ReadOptions(), False)
    assert (sources, span.first, span.after) == ([], None, 20_000)


@pytest.mark.parametrize(
    ("first", "expected"),
    [
        (b"<DOC>\n<DOCNO>1", True),
        (b"\xef\xbb\xbf \n<!-- x --><doc> <docno>", True),
        (b"<DOC>\n<DOCID>1", False),
        (b"<html><DOC>\n<DOCNO>1", False),
        (b"", False),
        (b"<DOC>", False),
        (b"WARC/1.0", False),
    ],
)
def test_looks_like(first, expected):
    assert looks_like(first) is expected


TEXT = st.lists(
    st.sampled_from(
        [
            b"<DOC>",
            b"</DOC>",
            b"</doc>",
            b"<DOCNO>",
            b"</DOCNO>",
            b"<DOCHDR>",
            b"</DOCHDR>",
            b"\n",
            b" ",
            b"<!--",
            b"-->",
            b"x",
        ]
    ),
    max_size=12,
).map(b"".join)


def harmless(page: bytes) -> bool:
    """Whether a page can be told from the file's own tags: it begins no document and no head."""
    squeezed = b"".join(page.lower().split())
    return not any(begin in squeezed for begin in (b"<doc><docno>", b"</doc><doc>", b"</doc><!--")) and (
        page == page.strip() and not squeezed.endswith(b"<doc>") and not squeezed.startswith(b"<dochdr>")
    )


@given(
    st.lists(st.tuples(st.from_regex(r"[A-Z0-9-]{1,10}", fullmatch=True), TEXT.filter(harmless)), max_size=6),
    st.integers(1, 400),
)
def test_documents_come_back_whatever_the_ranges(tmp_path_factory, documents, length):
    path = tmp_path_factory.mktemp("trec") / "a"
    path.write_bytes(b"".join(document(number, page) for number, page in documents))
    found = read_whole(TrecWeb(), path)
    assert told(found) == [(number, page, None) for number, page in documents]
    assert read_in_ranges(TrecWeb(), path, length) == found


@given(
    st.lists(st.one_of(TEXT, st.just(document("1", b"x" * 50)), st.binary(max_size=9)), max_size=20),
    st.integers(1, 300),
)
def test_ranges_of_damaged_files_give_the_same_as_the_whole(tmp_path_factory, pieces, length):
    path = tmp_path_factory.mktemp("trec") / "a"
    path.write_bytes(b"".join(pieces))
    assume(TrecWeb().can_split(path))  # bytes that look compressed are read as a whole
    options = ReadOptions(max_bytes=40)
    assert read_in_ranges(TrecWeb(), path, length, options) == read_whole(TrecWeb(), path, options)

"""HTTP bodies: headers as crawlers stored them, chunks and content encodings, sound and not."""

import contextlib
import gzip
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import Message
from warc_samples import MIB, brotli, http, read_bytes, record, told, zstd

from thresher.collections.warc.http import BrokenEncodingError, TooLargeError, decode, join_chunks, parse_response

PAGE = b"<html><title>t</title>" + bytes(range(32, 127)) * 40
HTML = "Content-Type: text/html"

# Text that does not shrink to nothing: a brotli stream of a few bytes gives nothing until it has ended.
NUMBERS = b"<p>" + b" ".join(b"%d" % (number * number * 7919 % 1_000_003) for number in range(30_000))


def raw(content: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(content) + packer.flush()


CODINGS = {"gzip": gzip.compress, "x-gzip": gzip.compress, "deflate": zlib.compress, "br": brotli, "zstd": zstd}


@pytest.mark.parametrize(
    ("block", "body"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>\r\n\r\nx", b"<p>\r\n\r\nx"),
        (b"HTTP/1.1 200 OK\nContent-Type: text/html\n\n<p>\r\n\r\nx", b"<p>\r\n\r\nx"),
        (b"HTTP/1.1 200 OK\nContent-Type: text/html\r\n\n<p>", b"<p>"),
        (b"HTTP/1.1 200 OK\r\nContent-Type: text/html\n\r\n<p>", b"<p>"),
        (b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n<html>\n\n<p>", b"<html>\n\n<p>"),
        (b"HTTP/1.0 200\r\ncontent-type :text/html\r\n\r\n", b""),
        (b"HTTP/1.1 200 OK\r\nContent-Type: text/html", b""),
    ],
)
def test_where_the_body_begins(block, body):
    response = parse_response(block)
    assert (response.status, response.content_type, block[response.body :]) == (200, "text/html", body)


HTML_FIELD = b"Content-Type: text/html\r\n\r\n"
HEADERS = {
    "interim": b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n",
    "two interim": b"HTTP/1.1 100 \n\nHTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\nHTTP/2 200\r\n",
    "proxy": b"HTTP/1.0 200 Connection established\r\nProxy-agent: x\r\n\r\nHTTP/1.1 200 OK\r\n",
    "redirect kept before": b"HTTP/1.1 301 Moved\r\nLocation: /a\r\nContent-Length: 0\r\n\r\nHTTP/1.1 200 OK\r\n",
    "twice": b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\nHTTP/1.1 200 OK\r\n",
    "interim with fields": b"HTTP/1.1 100 Continue\r\nConnection: keep-alive\r\n\r\nHTTP/1.1 200 OK\r\n",
    "small letters": b"http/1.1 200 ok\r\n",
    "another protocol": b"ICY 200 OK\r\n",
    "no version": b"HTTP 200 OK\r\n",
    "no space": b"HTTP/1.1200 OK\r\n",
    "no space behind": b"HTTP/1.1 200OK\r\n",
    "a tab": b"HTTP/1.1\t200\tOK\r\n",
    "no protocol": b"200 OK\r\n",
    "an empty line before": b"\r\nHTTP/1.1 200 OK\r\n",
    "space before the colon": b"HTTP/1.1 200 OK\r\nP3P : CP=ALL\r\n",
    "space in a name": b"HTTP/1.1 200 OK\r\nPower by: x\r\n",
    "control characters": b"HTTP/1.1 200 OK\r\nX-A: \x01\xff\r\n",
    "a line that is no field": b"HTTP/1.1 200 OK\r\nno field\r\n",
}
NO_STATUS_LINES = {
    "no status line": (b"Content-Length: 500\r\nServer: x2.404\r\n", None),
    "status as a field": (b"Server: x\r\nStatus: 200 OK\r\n", 200),
    "HTTP/2": (b":status: 200\r\nserver: x\r\n", 200),
    "HTTP/2, the status alone": (b":status: 200\r\n", 200),
    "no status": (b"HTTP/1.1 OK\r\n", None),
}


@pytest.mark.parametrize("name", HEADERS)
def test_headers_that_servers_and_proxies_send(tmp_path, name):
    block = HEADERS[name] + HTML_FIELD + PAGE
    response = parse_response(block)
    assert (response.status, response.content_type, block[response.body :]) == (200, "text/html", PAGE)
    assert told(read_bytes(tmp_path, record(block))) == [("1", PAGE, None)]


@pytest.mark.parametrize("name", NO_STATUS_LINES)
def test_headers_without_a_status_line(tmp_path, name):
    header, status = NO_STATUS_LINES[name]
    response = parse_response(header + HTML_FIELD + PAGE)
    assert (response.status, response.content_type) == (status, "text/html")
    assert told(read_bytes(tmp_path, record(header + HTML_FIELD + PAGE))) == [("1", PAGE, None)]


@pytest.mark.parametrize(
    ("block", "status"),
    [
        (b"HTTP/1.1 100 Continue\r\n\r\n", 100),
        (b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 404 Not Found\r\n" + HTML_FIELD, 404),
        (b"ICY 404 x\r\n" + HTML_FIELD, 404),
        (b"Status: 404 Not Found\r\n" + HTML_FIELD, 404),
        (b"HTTP/1.1 999 Request denied\r\n" + HTML_FIELD, 999),
    ],
)
def test_the_status_is_that_of_the_last_response(tmp_path, block, status):
    assert told(read_bytes(tmp_path, record(block + PAGE))) == [("1", None, f"HTTP status {status}")]


@pytest.mark.parametrize(
    "body",
    [
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>what a server answers",
        b"Title: a text\nAuthor: x\n\nIts words.",
        b"Room 200\nis empty",
    ],
)
def test_a_text_that_looks_like_a_header_is_a_text(tmp_path, body):
    typed = record(http(body, "Content-Type: text/plain"))
    assert told(read_bytes(tmp_path, typed)) == [("1", body, None)]
    if not body.startswith(b"HTTP/"):
        assert told(read_bytes(tmp_path, record(body, "Content-Type: text/plain"))) == [("1", body, None)]


CONTENT_TYPES = {
    '"text/html"': None,
    "'text/html'; charset=koi8-r": "koi8-r",
    '"text/html; charset=koi8-r"': "koi8-r",
    "text/html charset=koi8-r": "koi8-r",
    "text/html;charset:koi8-r": "koi8-r",
    "text/html; charset='koi8-r'": "koi8-r",
    "TEXT/HTML;;charset=koi8-r; charset=utf-8": "koi8-r",
    "text/html,text/html; charset=koi8-r": "koi8-r",
    "\r\n\ttext/html;\r\n charset=koi8-r": "koi8-r",
    '"': None,
}


@pytest.mark.parametrize("value", CONTENT_TYPES)
def test_content_types_as_servers_write_them(tmp_path, value):
    sources = read_bytes(tmp_path, record(http(PAGE, f"Content-Type: {value}")))
    assert [(source.content, source.charset) for source in sources] == [(PAGE, CONTENT_TYPES[value])]


def test_no_header_at_all(tmp_path):
    assert told(read_bytes(tmp_path, record(b"<html><p>x"))) == [("1", b"<html><p>x", None)]
    assert parse_response(b"HTTP/1.1 OK\r\n\r\nx").status is None


def test_fields_that_come_twice():
    response = parse_response(http(b"", "Content-Encoding: gzip", "CONTENT-ENCODING: br, Zstd", HTML, "Content-Type: "))
    assert response.encodings == ("gzip", "br", "zstd")
    assert response.content_type == "text/html"


@pytest.mark.parametrize(
    ("types", "expected"),
    [
        (["text/html; charset=a", "text/html"], "text/html; charset=a"),
        (["text/html; charset=a", "text/html; charset=b"], "text/html; charset=b"),
        (["text/html; charset=a", "image/png"], "image/png"),
        (["", " "], ""),
    ],
)
def test_several_content_types(types, expected):
    assert parse_response(http(b"", *(f"Content-Type: {kind}" for kind in types))).content_type == expected


@given(st.binary(max_size=300), st.lists(st.integers(1, 40), min_size=1), st.sampled_from(["", ";a=b", " "]))
def test_chunks(body, sizes, extension):
    chunked = b""
    at = index = 0
    while at < len(body):
        chunk = body[at : at + sizes[index % len(sizes)]]
        chunked += f"{len(chunk):x}{extension}\r\n".encode() + chunk + b"\r\n"
        at += len(chunk)
        index += 1
    assert join_chunks(chunked + b"0\r\n\r\n") == body
    assert body.startswith(join_chunks(chunked[: len(chunked) * 2 // 3])) or len(chunked) < 12


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"<p>not chunked", b"<p>not chunked"),
        (b"add\n<p>a hexadecimal word", b"<p>a hexadecimal word"),
        (b"2\r\n<p>not chunked", b"2\r\n<p>not chunked"),
        (b"3\r\n<p>\r\n2\r\nxy\r\nzz\r\nrest", b"<p>xy"),
        (b"3\r\n<p>\r\n2\r\nxyz\r\n0\r\n", b"<p>xy"),
        (b"3\r\n<p>\r\nff\r\nclipped", b"<p>clipped"),
        (b"3\n<p>\n0\n", b"<p>"),
        (b"0000000000000003\r\n<p>\r\n00\r\n\r\n", b"<p>"),
        (b"  3  \r\n<p>\r\n0\r\nX-Trailer: 1\r\n\r\n", b"<p>"),
        (b"\r\n3\r\n<p>\r\n\r\n2\r\nxy\r\n0\r\n\r\n", b"<p>xy"),
        (b"0\r\n\r\n", b""),
        (b"", b""),
    ],
)
def test_wrong_chunks(body, expected):
    assert join_chunks(body) == expected


@pytest.mark.parametrize("name", CODINGS)
def test_content_encodings(tmp_path, name):
    content = http(CODINGS[name](PAGE), HTML, f"Content-Encoding: {name.upper()}")
    assert told(read_bytes(tmp_path, record(content))) == [("1", PAGE, None)]
    # Claimed and not so.
    assert decode(PAGE, [name], MIB) == PAGE
    # Clipped: what comes before.
    text = NUMBERS if name in ("br", "zstd") else PAGE
    part = decode(CODINGS[name](text)[:-9], [name], MIB)
    assert text.startswith(part)
    assert len(part) > len(text) // 3
    assert decode(b"", [name], MIB) == b""


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("gzip", gzip.compress(PAGE, mtime=0)[:10] + b"\xff" * 50),
        ("gzip", gzip.compress(PAGE, mtime=0)[:12]),
        ("deflate", b"\x78\x9c" + b"\xff" * 50),
        ("deflate", b"\x07\x00\xff" * 9),
        ("br", b"\x07\x00\xff" * 9),
        ("zstd", zstd(PAGE)[:9]),
    ],
)
def test_encoded_bytes_of_which_nothing_comes(tmp_path, name, body):
    with pytest.raises(BrokenEncodingError):
        decode(body, [name], MIB)
    content = record(http(body, HTML, f"Content-Encoding: {name}"))
    assert told(read_bytes(tmp_path, content)) == [("1", None, f"a broken content encoding ({name})")]


def test_several_encodings():
    assert decode(raw(PAGE), ["deflate"], MIB) == PAGE
    assert decode(brotli(gzip.compress(zlib.compress(PAGE))), ["deflate", "gzip", "br"], MIB) == PAGE
    assert decode(gzip.compress(PAGE[:99]) + gzip.compress(PAGE[99:]) + b"\0\0", ["gzip"], MIB) == PAGE
    assert decode(gzip.compress(PAGE), ["identity", "utf-8"], MIB) == PAGE
    assert decode(gzip.compress(gzip.compress(PAGE)), ["gzip"], MIB) == PAGE


def test_chunks_around_gzip(tmp_path):
    packed = gzip.compress(PAGE)
    body = b"%x\r\n%b\r\n0\r\n\r\n" % (len(packed), packed)
    content = http(body, HTML, "Transfer-Encoding: chunked", "Content-Encoding: gzip")
    assert told(read_bytes(tmp_path, record(content))) == [("1", PAGE, None)]


@pytest.mark.slow
@pytest.mark.parametrize("name", CODINGS)
def test_bombs(tmp_path, name):
    bomb = CODINGS[name](bytes(17 * MIB))
    assert len(bomb) < 20_000
    content = record(http(bomb, HTML, f"Content-Encoding: {name}"))
    assert told(read_bytes(tmp_path, content)) == [
        ("1", None, Message("too large", "more than 16.0 MiB after decoding", "16 MiB"))
    ]
    assert len(decode(bomb, [name], 17 * MIB)) == 17 * MIB
    with pytest.raises(TooLargeError):
        decode(bomb, [name], 17 * MIB - 1)


@given(st.binary(max_size=200), st.lists(st.sampled_from([*CODINGS, "compress", ""]), max_size=3), st.booleans())
def test_any_bytes_are_read(body, names, headed):
    block = http(body, HTML) if headed else body
    response = parse_response(block)
    assert block[response.body :] in block
    with contextlib.suppress(BrokenEncodingError):
        assert len(decode(join_chunks(body), names, MIB)) <= MIB

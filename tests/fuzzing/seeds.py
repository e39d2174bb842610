"""Small sound inputs of each format, and the pieces that such files are made of: what mutations start from and put in."""

# ruff: noqa: E501 - an input is easier to read in one line

from __future__ import annotations

import gzip
import io
import tarfile
import zlib

import pyarrow
import pyarrow.parquet as pq

SECRET_PLACE = b"@SECRET@"
"""Stands in inputs for the path of a file that nothing may open."""

ENTITIES = (
    b'<?xml version="1.0"?><!DOCTYPE topics [<!ENTITY s SYSTEM "file://@SECRET@">]>\n',
    b'<!DOCTYPE html [<!ENTITY s SYSTEM "@SECRET@"><!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>',
    b'<!ENTITY % p SYSTEM "file://@SECRET@"> %p;',
    b"&s;",
    b"&b;",
)
_WORDS = b"The barley harvest was late, and the weather stayed wet until autumn. Nobody knew why it rained so much. "

PAGES = (
    b'<html><head><title>A page</title><meta charset="utf-8"><style>p { x }</style></head><body><ul><li><a href="/">Home</a>'
    b"<li><a href=x>About <b>us</b></a></ul><h1>Barley</h1><p>" + _WORDS * 3 + b"</p><table><tr><td>1<td>2</table>"
    b"<script>var a = '<p>';</script><!-- no --><p>Dr. Smith said: &quot;Caf\xc3\xa9&eacute;&#233;&#xe9;&quot;<br>"
    b"<br>x</body></html>",
    b'<?xml version="1.0" encoding="iso-8859-1"?><!DOCTYPE html [<!ENTITY s SYSTEM "file://@SECRET@">]><html xmlns='
    b'"http://www.w3.org/1999/xhtml"><body><h2>&s;</h2><p>Gr\xf6\xdfe &copy; ' + _WORDS + b"</p></body></html>",
    b"<frameset><frame src=a><noframes>"
    + _WORDS
    + b"</noframes></frameset><select><option>1</select><textarea>t</textarea>",
    "<p>Привет, мир. Это страница.</p>".encode("cp1251") * 3,
    "<div>日本語のページです。</div>".encode("shift_jis") * 3,
    "<p>Ein Satz. Noch einer.</p>".encode("utf-16"),
    b"<div>" * 300 + _WORDS + b"</div>" * 300,
    b"",
)
PAGE_TOKENS = (
    *(f"<{tag}>".encode() for tag in "p b a div h1 h7 title li ul br script style noscript svg math iframe frameset table td"
      " select option textarea button plaintext xmp template embed object html body head pre a:b x-y".split()),
    *(f"</{tag}>".encode() for tag in "p b a div h1 title li script style table html body head select br".split()),
    b"<", b">", b"</", b"<!--", b"-->", b"<![CDATA[", b"]]>", b"<!DOCTYPE", b"<?", b"?>", b'="', b"'", b"&", b"&#", b"&#x",
    b"&amp;", b"&#0;", b"&#10;", b"&#9", b"&#x7f;", b"&#x110000;", b"&#xD800;", b"&#99999999999;", b"&nbsp;", b"&NewLine;",
    b"\0", b"\t", b"\r", b"\n", b"\x7f", b"\x85", b"\xa0", b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf", b"\xe2\x80\xa8",
    b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xc0\x80", b"\x1b$B", b"\x81", b"~{", b" charset=utf-16", b" charset=gb18030",
    b'<meta http-equiv="content-type" content="text/html; charset=koi8-r">', b'<meta charset="big5">', *ENTITIES,
    b"<p hidden>", b"<p style=visibility:hidden>", b"<b style=visibility:visible>",
)  # fmt: skip
CHARSETS = (
    b"utf-8 utf-16 utf-16be utf-32 ascii latin1 windows-1252 gb2312 gbk gb18030 hz big5 shift_jis euc-jp iso-2022-jp"
    b" iso-2022-kr euc-kr koi8-r macintosh windows-874 ibm866 x-user-defined unicode utf-7 base64 zlib rot13 idna punycode undefined"
    b" unicode_escape mbcs klingon cp65001 iso-8859-8-i"
).split()


LINKS = (
    b"http://www.example.org/a/b.html?c#d\n<base href=../e/><link rel=canonical href=f><a href='g?h=%C3%A9#i'>j <img alt=k>"
    b"</a><area href=//l/ alt=m><a href=mailto:n@o>p</a>",
    b"\n<a href=a>b</a><map><area href='http://c.example:8080/../d'></map>",
)
LINK_TOKENS = (
    b"<a href=", b"<base href=", b"<area href=", b"<link rel=canonical href=", b"<img alt=", b"<b hidden>", b"http://", b"//",
    b"../" * 300, b"[", b"]", b"@", b":", b":0", b":99999", b"?", b"#", b"%", b"%00", b"%2e%2E/", b"%FF", b"\\", b"xn--",
    b"data:,", b"folder:", b"A" * 9000, b"&#xD800;", b"&#9;", b"\xc3\xa9", b"\xe3\x80\x82", b"\xed\xa0\x80",
)  # fmt: skip


def _http(body: bytes, *fields: bytes) -> bytes:
    return b"\r\n".join((b"HTTP/1.1 200 OK", b"Content-Type: text/html; charset=utf-8", *fields, b"", body))


def _chunked(body: bytes) -> bytes:
    middle = len(body) // 2
    pieces = (body[:middle], body[middle:], b"")
    return b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces)


def _deflated(body: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(body) + packer.flush()


def compressed(content: bytes, how: str) -> bytes:
    """The content in a member of its own; the same at any time."""
    if how == "gzip":
        return gzip.compress(content, mtime=0)
    packed: bytes = pyarrow.compress(content, how, asbytes=True)
    return packed


HTTP = (
    _http(PAGES[0]),
    _http(_chunked(PAGES[0]), b"Transfer-Encoding: chunked"),
    _http(_chunked(compressed(PAGES[0], "gzip")), b"Transfer-Encoding: chunked", b"Content-Encoding: gzip"),
    _http(compressed(PAGES[0], "gzip"), b"Content-Encoding: gzip"),
    _http(compressed(bytes(1_000_000), "gzip"), b"Content-Encoding: gzip"),
    _http(zlib.compress(PAGES[0]), b"Content-Encoding: deflate"),
    _http(_deflated(PAGES[0]), b"Content-Encoding: deflate"),
    _http(compressed(PAGES[0], "zstd"), b"Content-Encoding: zstd"),
    _http(compressed(PAGES[0], "brotli"), b"Content-Encoding: br"),
    _http(compressed(compressed(PAGES[0], "brotli"), "gzip"), b"Content-Encoding: br, gzip"),
    b"HTTP/1.0 404 Not Found\nContent-Type: image/png\n\n\x89PNG",
    PAGES[0],
)
HTTP_TOKENS = (
    b"HTTP/1.1 200 OK\r\n", b"HTTP/9", b"\r\n\r\n", b"\n\n", b"\r\n", b"\r", b"0\r\n\r\n", b"ffffffff\r\n", b"5\r\nabcde\r\n",
    b"\r\nContent-Encoding: gzip", b"\r\nContent-Encoding: br", b"\r\nContent-Encoding: deflate, zstd", b"\r\nContent-Type:",
    b"\r\nTransfer-Encoding: chunked", b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd", b"\x78\x9c", b"text/plain", b"image/png", b"\0",
    b"WARC/1.0\r\nWARC-Type: response\r\n", b"<p>", compressed(b"<p>inner", "gzip"),
)  # fmt: skip


def record(block: bytes, number: int = 1, kind: bytes = b"response") -> bytes:
    """A WARC record."""
    return (
        b"WARC/1.0\r\nWARC-Type: %s\r\nWARC-Record-ID: <urn:uuid:%d>\r\nWARC-Target-URI: http://x/%d\r\n"
        b"Content-Type: application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n"
        % (kind, number, number, len(block), block)
    )


_SHORT = _http(b"<p>" + _WORDS)
WARCS = (
    record(b"software: x\r\n", 0, b"warcinfo") + b"".join(record(_SHORT, number) for number in range(1, 5)),
    b"".join(record(block, number) for number, block in enumerate(HTTP[:4])),
    record(b"GET / HTTP/1.0\r\n\r\n", 1, b"request") + record(_SHORT, 2) + record(b"Plain text", 3, b"conversion"),
    record(_http(b"<pre>\n" + record(_SHORT, 9) + b"</pre>"), 1) + record(_http(b"x" * 6000), 2) + record(_SHORT, 3),
    (record(_SHORT, 1) + record(_SHORT, 2)).replace(b"\r\n", b"\n").replace(b"WARC/1.0", b"WARC/0.18"),
)
WARC_TOKENS = (
    b"WARC/1.0\r\n", b"WARC/1.1\n", b"WARC/0.18\r\n", b"WARC/", b"\nWARC/1.0\r\nA:", b"WARC-Type: response\r\n", b"\r\n\r\n",
    b"Content-Length: 5\r\n", b"Content-Length: 99999999999\r\n", b"Content-Length: -1\r\n", b"Content-Length:\r\n", b"\r\n",
    b"WARC-TREC-ID: clueweb09-en0000-00-00000\r\n", b"WARC-Type: revisit\r\n", b"WARC-Type: \xff\r\n", b"\n\n", b"\0" * 9,
    b"WARC-Record-ID: <urn:uuid:a b>\r\n", b"HTTP/1.1 200 OK\r\n\r\n", b"\x1f\x8b\x08\0\0\0\0\0\0\0", b"\x28\xb5\x2f\xfd",
    b"\x5d\x2a\x4d\x18\x05\0\0\0dictn", record(_SHORT, 7), compressed(record(_SHORT, 8), "gzip"),
)  # fmt: skip

TREC_WEB = (
    b"".join(
        b"<DOC>\n<DOCNO>GX-%d</DOCNO>\n<DOCHDR>\nhttp://x/%d\nHTTP/1.0 200 OK\nContent-type: text/html; charset=utf-8\n</DOCHDR>\n"
        b"<p>%s\n</DOC>\n" % (number, number, _WORDS)
        for number in range(5)
    ),
    b"<!-- a -->\n<doc><DOCNO> a </DOCNO><p>A <DOC> within <DOC>\n<DOCNO>b</DOCNO></DOC></doc>\n<DOC>none</DOC>\n",
)
TREC_WEB_TOKENS = (
    b"<DOC>", b"</DOC>", b"<DOCNO>", b"</DOCNO>", b"<DOCHDR>", b"</DOCHDR>", b"<DOCOLDNO>x</DOCOLDNO>", b"<doc>", b"</Doc>",
    b"<DOC>\n<DOCNO>x</DOCNO>", b"<!--", b"-->", b"\n", b"\r\n", b" " * 300, b"\0", b"\xff", b"\xef\xbb\xbf", b"charset=",
    b"Content-Type: text/html; charset=\xff\r\n",
)  # fmt: skip

JSON_LINES = (
    b'{"id": "a", "html": "<p>Barley</p>", "url": "http://x/"}\n{"id": 2, "contents": "text\\nof two lines"}\n\n'
    b'{"id": "\\ud800", "contents": "\\ud83d\\ude00"}\r\n{"id": null}\n{"contents": "no id"}\n[1]\n{"id": "z", "html": 5}\n',
    b'\xef\xbb\xbf{"id": "x", "id": "y", "contents": "' + b"long " * 1200 + b'"}\n{"id": "q", "contents": ""}',
)
JSON_TOKENS = (
    b"{", b"}", b"[", b"]", b'"', b"\\", b"\\u", b"\\ud800", b":", b",", b"\n", b"\r", b"null", b"true", b"NaN", b"-Infinity",
    b"1e999", b"9" * 5000, b'"id":', b'"contents":', b'{"a":', b"[" * 2000, b"\x85", b"\0", b"\xff", b"\xe2\x80\xa8",
    b'{"id": "n", "contents": "x"}\n',
)  # fmt: skip


def _tar(how: int) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=how) as archive:
        for number, name in enumerate(("a.html", "./b.htm", "../c.html", "long/" * 30 + "d.html", "e.txt", "é.html")):
            member = tarfile.TarInfo(name)
            content = b"<p>" + _WORDS * number
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return packed.getvalue()[:9000].rstrip(b"\0") + bytes(1500)


TARS = tuple(_tar(how) for how in (tarfile.GNU_FORMAT, tarfile.PAX_FORMAT))
TAR_TOKENS = (
    b"\0" * 512, b"ustar\0", b"ustar  \0", b"20 path=other.html\n", b"9 size=5\n", b"x", b"L", b"g", b"S", b"\x80\xff\xff\xff",
    b"77777777777", b"GNU.sparse.major=1", TARS[0][:512], TARS[1][:1024],
)  # fmt: skip


def _parquet(compression: str) -> bytes:
    rows = [{"id": str(number), "html": f"<p>{number}", "url": "http://x/"} for number in range(9)]
    out = io.BytesIO()
    pq.write_table(pyarrow.Table.from_pylist(rows), out, row_group_size=4, compression=compression)
    return out.getvalue()


PARQUETS = tuple(_parquet(compression) for compression in ("none", "zstd"))
PARQUET_TOKENS = (b"PAR1", b"id", b"html", b"\0\0\0\0", b"\xff\xff\xff\x7f", b"\x15\0", b"\x28\xb5\x2f\xfd")

TOPICS = (
    b'{"_id": "1", "text": "barley rye"}\n{"qid": 2, "title": "\\u00e9"}\n',
    b"1\tbarley harvest\n2\tcopper mine\n",
    b"<DOC>\n<DOCNO> 1 </DOCNO>\n barley &amp; harvest\n</DOC>\n<DOC>\n<DOCNO>2</DOCNO>\ncopper\n</DOC>\n",
    b"<top>\n<num> Number: 051\n<title> Topic: Airbus\n<desc> Description:\nWhat?\n<narr> Narrative: x\n</top>\n<top>\n<num>52"
    b"</num><title>copper</title></top>\n",
    b'<?xml version="1.0"?>\n<topics><topic number="201"><query>barley</query><description>x</description></topic>\n'
    b"<topic><number>2</number><query>a &lt; b</query></topic></topics>",
    b'<!DOCTYPE topics [<!ENTITY s SYSTEM "file://@SECRET@"><!ENTITY i "inner">]>\n<topics><topic number="1"><query>&i; &s;'
    b"</query></topic></topics>",
)
TOPIC_TOKENS = (
    b"<top>", b"</top>", b"<num>", b"<title>", b"<desc>", b"<DOC>", b"</DOC>", b"<DOCNO>", b"</DOCNO>", b"<topic>", b"</topic>",
    b"<query>", b"</query>", b' number="1"', b"<!--", b"-->", b"<![CDATA[", b"\t", b"\n", b"\r", b"\0", b"\x0b", b"\xc2\x85",
    b"\xe2\x80\xa8", b"\xff", b"&#0;", b"&lt;", b"\x1f\x8b", b"<topics xmlns='x'>", b"xmlns:a=''", b"a:", *ENTITIES,
)  # fmt: skip

QRELS = (
    b"query-id\tcorpus-id\tscore\n1\ta\t2\n",
    b"1 0 doc-1 1\n1 0 doc-2 0\n2 0 doc-1 -2\n",
    b"1 0 doc-1 1 2 0\r\n1 0 doc-2 0 0 0\r\n",
)
RUNS = (b"1 Q0 doc-1 1 9.5 tag\n1 Q0 doc-2 2 -1e-3 tag\n2 Q0 doc-1 1 7 tag\n",)
COLUMN_TOKENS = (
    b" ", b"\t", b"\n", b"\r", b"\x0b", b"\x1c", b"\xc2\xa0", b"\xc2\x85", b"\xe2\x80\xa8", b"\0", b"\xff", b"\xef\xbb\xbf",
    b"1e999", b"nan", b"inf", b"0x1", b"1_0", b"\xd9\xa1", b"100001", b"-100000", b"+1", b"1.", b".", b"9" * 5000,
    b"1 0 doc-1 2\n", b"\x1f\x8b",
)  # fmt: skip

EXPERIMENTS = (
    b'[experiment]\nname = "web"\ntitle = "A web"\n\n[collection]\npath = "pages"\nformat = ""\nids = "path"\nprefix = ""\n'
    b'keep_suffix = false\nescape_ids = true\nid_pattern = "-0+"\nid_replacement = "-"\nid_field = ["id", "a.b"]\n'
    b'max_page_mib = 16.0\npage_seconds = 30\n\n[topics]\npath = "topics.tsv"\nfield = "title"\n\n[qrels]\npath = "qrels.txt"\n'
    b'column = "relevance"\n\n[pages]\nblocks = "join"\nlanguage = "en"\n\n[[sweep]]\nscorer = "words"\ncutoffs = [5, 20]\n\n'
    b'[[sweep]]\nscorer = "density"\ncutoffs = { from = 1, to = 9, step = 2 }\n\n[cleaners]\nnames = ["words@11+bte", "words@p30"]\n\n'
    b'[index]\npositions = false\nstemmer = "porter"\n\n[retrieval]\nmodels = ["qld", "bm25"]\ndepth = 40\n\n[evaluation]\n'
    b'measures = ["P@10", "nDCG(dcg=\'exp-log2\')@10"]\nseed = 0\n\n[costs]\ncarbon_intensity = 0.3\ntdp_watts = 65\npue = 1.2\n\n'
    b'[run]\nworkers = 2\nbackend = "local"\n',
    b'experiment.name = "x"\ncollection = { path = "pages" }\ntopics.path = "topics.tsv"\nqrels.path = "qrels.txt"\n'
    b'held_out = { topics = "topics.tsv", qrels = "other.txt" }\ncleaners.names = ["words@5"]\n',
    b'experiment.name = "x"\ncollection = { path = "pages" }\ntopics.path = "topics.tsv"\nqrels.path = "qrels.txt"\n'
    b'[[system]]\nname = "other"\npath = "other.txt"\n[[system]]\nname = "none|dcp@0.5"\npath = "topics.tsv"\n'
    b'[cleaners]\nnames = ["none|dcp@0.5", "words@5|tcp(k=10)@0.3"]\n[pruning]\nstatistics = "original"\n',
)
EXPERIMENT_TOKENS = (
    b'""', b"1", b"-1", b"0", b"1.5", b"inf", b"nan", b"-nan", b"true", b"[]", b"[1]", b'["a", "a"]', b"{}", b"{ from = 1 }",
    b"[[1]]", b"1979-05-27", b"07:32:00", b"9223372036854775808", b"9" * 400, b"1e308", b'"\\u0000"', b'"../x"', b'"${HOME}"',
    b'"${X:-a}"', b'"$"', b'"ir_datasets:"', b'"ir_datasets:vaswani"', b'"a b"', b'"((((a)*)*)*"', b'"\\\\9"', b'"words"',
    b'"words@1e999"', b'"words@p101"', b'"words@p70"', b'"bte@1"', b'"none"', b'"a+b+c"', b'"perplexity(lm=/nowhere)"', b'"qld(mu=-1)"',
    b'"none|nothing@0.5"', b'"none|dcp(k=1)@0.5"', b'"|dcp"',
    b'"bm25(k1=nan)"', b'"P@0"', b'"AP(rel=x)"', b'"nDCG(dcg=open)@1"', b'"dask"', b'"tcp://x"', b'"pydoc"', b'"""', b"[", b"]]",
    b"\n[run]\n", b"\n[[sweep]]\n", b"\n[nothing]\n", b"\nnothing = 1\n", b'"\xf0\x9f\x98\x80"', b"#", b"\0", b"\xff", b"\n", b"=",
    b'"' + b"x" * 300 + b'"', b'"\\ud800"', b"{ from = 0, to = 1, step = 1e-9 }", b"{ from = 1, to = 0, step = 1 }",
)  # fmt: skip

GOLD = (
    b"URL: http://x/\n<h>Barley</h>\n<p>The harvest.\n<l>one\n<l>two &amp; three\n",
    b"A page of Dragnet's.\n!@#$%^&*()  COMMENTS\nA comment.\n",
    b'{"1": {"articleBody": "The harvest."}, "2": {"articleBody": ""}}',
    b'{"url": "http://x/", "_internal": {"page_type": {"primary": "article"}}, "ground_truth": {"main_content": "The harvest.",'
    b' "with": ["harvest"], "without": ["Home"]}}',
    b'{"http://x/": {"file": "1.html", "with": ["harvest"], "without": ["Home"]}, "http://y/": {"file": "2.html"}}',
    b'<html><body><span class="x-nc-sel1">Barley</span><p class="x-nc-sel2">The <b>harvest</b><span class="x-nc-sel0">ad</span>'
    b'<div class="x-nc-sel5 x">comment</div></body></html>',
)
GOLD_TOKENS = (
    b"<p>", b"<h>", b"<l>", b"</p>", b"URL:", b"\n", b"!@#$%^&*()  COMMENTS\n", b"&amp;", b"&#0;", b"&#x110000;", b"\r", b"\0",
    b'class="x-nc-sel2"', b'<span class="x-nc-sel1">', b"</span>", b"<script>", b"[" * 3000, b"{", b"9" * 5000, b"NaN", b"\\ud800",
    b'"with"', b'"main_content"', b"null", b'""', b"[]", b".gz",
)  # fmt: skip

ARPAS = (
    b"\\data\\\nngram 1=5\nngram 2=2\n\n\\1-grams:\n-1\t<unk>\n-99\t<s>\t-0.3\n-1\t</s>\n-0.5\tbarley\t-0.2\n-0.7\tharvest\t-0.1\n\n"
    b"\\2-grams:\n-0.1\t<s> barley\n-0.2\tbarley harvest\n\n\\end\\\n",
)
ARPA_TOKENS = (
    b"\\data\\\n", b"\\1-grams:\n", b"\\2-grams:\n", b"\\3-grams:\n", b"\\end\\\n", b"ngram 1=5\n", b"ngram 3=1\n", b"\t", b"\n",
    b"-1\t<unk>\n", b"<unk>", b"nan", b"1e999", b"-inf", b"\0", b"\xff", b"\x1f\x8b", b"-0.5\tbarley\t-0.2\n",
)  # fmt: skip

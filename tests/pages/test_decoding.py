"""Bytes to text: who says what the encoding is, and how many characters were lost."""

import codecs
import gzip
import random
import re

import pytest
from encoding_cases import CASES, EncodingCase
from hypothesis import given
from hypothesis import strategies as st

from thresher.collections import Page
from thresher.collections.sources import PageError
from thresher.pages import read_page
from thresher.pages.decoding import Decoded, binary_kind, decode
from thresher.pages.encodings import codec_of, to_text

RUSSIAN = "Съешь ещё этих мягких французских булок, да выпей же чаю. Это обычный русский текст о погоде и природе. "
JAPANESE = "これは日本語の文章です。今日はとても良い天気なので、公園を散歩しました。東京は大きな都市です。"
CHINESE = "这是一个中文句子。今天天气很好，我们去公园散步。北京是中国的首都，有很多名胜古迹。"
KOREAN = "이것은 한국어 문장입니다. 오늘은 날씨가 아주 좋아서 공원을 산책했습니다. 서울은 큰 도시입니다."
GREEK = "Αυτή είναι μια ελληνική πρόταση. Σήμερα ο καιρός είναι πολύ καλός και πήγαμε στο πάρκο."
FRENCH = "C’est une phrase française très simple, écrite l’été dernier à la fenêtre. Où est le café ? "


def result(content: bytes, charset: str | None = None) -> tuple[str, str, str, int]:
    decoded = decode(content, charset)
    return decoded.utf8.decode("utf-8"), decoded.encoding, decoded.source, decoded.replaced


# The labels of the Encoding standard and the codec of Python that is nearest to what it prescribes.
LABELS = {
    "utf-8": "unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8",
    "cp866": "866 cp866 csibm866 ibm866",
    "iso8859-2": "csisolatin2 iso-8859-2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 l2 latin2",
    "iso8859-3": "csisolatin3 iso-8859-3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 l3 latin3",
    "iso8859-4": "csisolatin4 iso-8859-4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 l4 latin4",
    "iso8859-5": "csisolatincyrillic cyrillic iso-8859-5 iso-ir-144 iso8859-5 iso88595 iso_8859-5 iso_8859-5:1988",
    "iso8859-6": "arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6 iso-8859-6-e "
    "iso-8859-6-i iso-ir-127 iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987",
    "iso8859-7": "csisolatingreek ecma-118 elot_928 greek greek8 iso-8859-7 iso-ir-126 iso8859-7 iso88597 iso_8859-7 "
    "iso_8859-7:1987 sun_eu_greek",
    "iso8859-8": "csiso88598e csiso88598i csisolatinhebrew hebrew iso-8859-8 iso-8859-8-e iso-8859-8-i iso-ir-138 "
    "iso8859-8 iso88598 iso_8859-8 iso_8859-8:1988 logical visual",
    "iso8859-10": "csisolatin6 iso-8859-10 iso-ir-157 iso8859-10 iso885910 l6 latin6",
    "iso8859-13": "iso-8859-13 iso8859-13 iso885913",
    "iso8859-14": "iso-8859-14 iso8859-14 iso885914",
    "iso8859-15": "csisolatin9 iso-8859-15 iso8859-15 iso885915 iso_8859-15 l9",
    "iso8859-16": "iso-8859-16",
    "koi8-r": "cskoi8r koi koi8 koi8-r koi8_r",
    "koi8-u": "koi8-ru koi8-u",
    "mac-roman": "csmacintosh mac macintosh x-mac-roman",
    "cp874": "dos-874 iso-8859-11 iso8859-11 iso885911 tis-620 windows-874",
    "cp1250": "cp1250 windows-1250 x-cp1250",
    "cp1251": "cp1251 windows-1251 x-cp1251",
    "cp1252": "ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1 iso88591 "
    "iso_8859-1 iso_8859-1:1987 l1 latin1 us-ascii windows-1252 x-cp1252",
    "cp1253": "cp1253 windows-1253 x-cp1253",
    "cp1254": "cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989 l5 latin5 "
    "windows-1254 x-cp1254",
    "cp1255": "cp1255 windows-1255 x-cp1255",
    "cp1256": "cp1256 windows-1256 x-cp1256",
    "cp1257": "cp1257 windows-1257 x-cp1257",
    "cp1258": "cp1258 windows-1258 x-cp1258",
    "mac-cyrillic": "x-mac-cyrillic x-mac-ukrainian",
    "gb18030": "chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 gbk iso-ir-58 x-gbk gb18030",
    "big5hkscs": "big5 big5-hkscs cn-big5 csbig5 x-x-big5",
    "euc_jp": "cseucpkdfmtjapanese euc-jp x-euc-jp",
    "iso2022_jp": "csiso2022jp iso-2022-jp",
    "cp932": "csshiftjis ms932 ms_kanji shift-jis shift_jis sjis windows-31j x-sjis",
    "cp949": "cseuckr csksc56011987 euc-kr iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 windows-949",
    "utf-16-le": "csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le",
    "utf-16-be": "unicodefffe utf-16be",
}


@pytest.mark.parametrize("codec", LABELS)
def test_labels_mean_what_they_mean_to_browsers(codec):
    for label in LABELS[codec].split():
        assert codec_of(label) == codec, label
        assert codec_of(f" {label.upper()}\t") == codec, label
    codecs.lookup(codec)


NO_CHARSETS = (
    "rot13 rot_13 hex hex_codec base64 zlib bz2 uu quopri idna punycode undefined mbcs oem unicode_escape raw_unicode_escape "
    "utf-7 utf-8-sig utf-32 cp037 cp500 cp437 hz iso-2022-kr iso-2022-cn nonsense aliases ünïcode"
).split()


@pytest.mark.parametrize("label", [*NO_CHARSETS, "", " ", "utf-7\0", "a" * 10_000, "\udcff", "../x", "os.path"])
def test_labels_that_are_no_charset_of_the_web(label):
    assert codec_of(label) is None
    assert result("é".encode(), label) == ("é", "utf-8", "valid-utf-8", 0)
    page = f'<meta charset="{label}">é'.encode("utf-8", "replace")
    assert decode(page) == Decoded(page.replace(b"\0", b""), "utf-8", "valid-utf-8", 0)
    assert decode(b"+AGE- 6162 nopq", label).utf8 == b"+AGE- 6162 nopq"


@pytest.mark.parametrize(
    ("mark", "codec", "name"),
    [
        (codecs.BOM_UTF8, "utf-8", "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le", "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be", "utf-16-be"),
    ],
)
def test_a_byte_order_mark_overrules_all(mark, codec, name):
    page = '<meta charset="windows-1251"><p>naïve 中😀'
    assert result(mark + page.encode(codec), "shift_jis") == (page, name, "bom", 0)
    # One broken character at the end, and one U+FFFD of the page's own.
    broken = {"utf-8": b"\xff", "utf-16-le": b"\x3d", "utf-16-be": b"\xd8"}[codec]
    assert result(mark + (page + "\ufffd").encode(codec) + broken) == (page + "\ufffd\ufffd", name, "bom", 1)


def test_utf16_is_counted_by_characters_not_by_bytes():
    # The bytes of U+FFFD stand across two characters.
    assert b"\xfd\xff" in "\ufd00\u00ff".encode("utf-16-le")
    content = codecs.BOM_UTF16_LE + "\ufd00\u00ff".encode("utf-16-le") + b"\x00\xd8" + "a".encode("utf-16-le")
    assert result(content) == ("\ufd00\u00ff\ufffda", "utf-16-le", "bom", 1)


def test_the_transport_overrules_the_page():
    page = '<meta charset="windows-1251"><p>Größe'
    assert result(page.encode("cp1252"), "ISO-8859-1") == (page, "cp1252", "transport", 0)
    assert result(page.encode(), "utf-8") == (page, "utf-8", "transport", 0)
    assert result("a中".encode("utf-16-le"), "utf-16") == ("a中", "utf-16-le", "transport", 0)
    assert result("a中".encode("utf-16-be"), "UTF-16BE") == ("a中", "utf-16-be", "transport", 0)


@pytest.mark.parametrize(
    "head",
    [
        '<meta charset="windows-1251">',
        "<META CHARSET=windows-1251>",
        "<meta charset = ' windows-1251 '/>",
        '<meta http-equiv="Content-Type" content="text/html; charset=windows-1251">',
        "<meta content='text/html;charset=cp1251' http-equiv=content-type>",
        '<meta name="Content-Type" content="text/html; charset=windows-1251">',
        '<meta name=description content="How charset=utf-8 works"><meta name="a>b" charset="windows-1251">',
        '<?xml version="1.0" encoding="windows-1251"?>',
        '\n<?xml version="1.0" encoding=\'windows-1251\' standalone="yes"?>',
        '<!-- <meta charset="utf-8"> --><meta charset="windows-1251">',
        '<meta charset="nonsense"><meta name=x content=y><meta charset="windows-1251">',
        '<script charset="utf-8"></script><meta charset="windows-1251">',
        " " * 4000 + "<meta charset=windows-1251>",
    ],
)
def test_what_the_page_says_of_itself(head):
    page = f"{head}<p>Привет"
    assert result(page.encode("cp1251")) == (page, "cp1251", "meta", 0)


def test_a_page_that_could_be_read_so_far_is_not_utf16():
    page = '<meta charset="utf-16"><p>é'
    assert result(page.encode()) == (page, "utf-8", "meta", 0)


def test_declarations_that_do_not_count():
    page = " " * 5000 + '<meta charset="windows-1251"><p>Привет'
    assert result(page.encode()) == (page, "utf-8", "valid-utf-8", 0)
    for page in (
        '<!-- <meta charset="windows-1251"> -->é',
        '<!-- <meta charset="windows-1251">é',
        '<p charset="windows-1251">é',
        '<meta name="description" content="How charset=windows-1251 works">é',
        "<meta name=description content='charset=windows-1251'><meta name=x content=\"a 'quote\">é",
    ):
        assert result(page.encode()) == (page, "utf-8", "valid-utf-8", 0)


@pytest.mark.parametrize(
    ("text", "encoding", "name"),
    [
        (RUSSIAN, "cp1251", "cp1251"),
        (RUSSIAN, "koi8-r", "koi8-r"),
        (JAPANESE, "cp932", "cp932"),
        (JAPANESE, "euc_jp", "euc_jp"),
        (CHINESE, "gb18030", "gb18030"),
        (CHINESE.translate(str.maketrans("这个们园国", "這個們園國")), "big5", None),
        (KOREAN, "cp949", "cp949"),
        (GREEK, "cp1253", None),
        (FRENCH, "cp1252", None),
    ],
)
def test_detected_where_nothing_is_declared(text, encoding, name):
    page = f"<title>x</title><p>{text}</p>" * 3
    try:
        content = page.encode(encoding)
    except UnicodeEncodeError:
        content = page.encode(encoding, "ignore")
        page = content.decode(encoding)
    assert result(content) in [
        (page, name or codec, "detected", 0) for codec in ("big5hkscs", "cp1253", "iso8859-7", "cp1252")
    ]
    # A wrong declaration of UTF-8 is given up for it.
    head = '<meta charset="utf-8">'
    assert result(head.encode() + content)[0] == head + page
    assert result(content, "utf-8")[0] == page


def test_nothing_detected_is_windows_1252():
    assert result(b"\x80 5") == ("€ 5", "cp1252", "assumed", 0)


@pytest.mark.parametrize("text", [RUSSIAN * 20, JAPANESE * 20, FRENCH * 20, GREEK, CHINESE])
@pytest.mark.parametrize("charset", [None, "utf-8"])
def test_one_broken_byte_does_not_change_what_a_page_is_in(text, charset):
    content = text.encode()
    middle = len(text[: len(text) // 2].encode())
    broken = content[:middle] + b"\xff" + content[middle:]
    source = "transport" if charset else "detected"
    expected = text[: len(text) // 2] + "\ufffd" + text[len(text) // 2 :]
    assert result(broken, charset) == (expected, "utf-8", source, 1)
    # Clipped inside a character.
    if len(text[-2].encode()) > 1:
        clipped = text[:-1].encode()[:-1]
        assert result(clipped, charset) == (text[:-2] + "\ufffd", "utf-8", source, 1)


def test_a_declared_charset_that_does_not_fit():
    # Windows-1252 has a control character for the byte 0x81; the page is UTF-8.
    page = '<meta charset="iso-8859-1"><p>Á'
    assert result(page.encode()) == (page, "utf-8", "valid-utf-8", 0)
    # It is kept where UTF-8 would lose more, and where it loses nothing: a browser shows the same.
    content = b'<meta charset="iso-8859-1"><p>\x81\xe9\xe8'
    assert result(content) == ('<meta charset="iso-8859-1"><p>\x81éè', "cp1252", "meta", 0)
    assert result('<meta charset="iso-8859-1">é'.encode()) == ('<meta charset="iso-8859-1">Ã©', "cp1252", "meta", 0)


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_a_page_is_in_the_encoding_that_it_is_in(case: EncodingCase) -> None:
    decoded = decode(case.content, case.charset)
    texts = re.findall("<p>([^<]*)", decoded.utf8.decode())
    assert (texts[-1], decoded.source) == (case.text, case.source)
    assert decoded.replaced == case.text.count("\ufffd")


@given(st.binary(max_size=60), st.sampled_from([None, *LABELS]))
def test_replaced_is_exact(content, charset):
    decoded = decode(content, charset)
    text = decoded.utf8.decode("utf-8")
    content = next(
        (
            content[len(mark) :]
            for mark in (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
            if decoded.source == "bom" and content.startswith(mark)
        ),
        content,
    )
    assert to_text(content, decoded.encoding).replace("\0", "") == text
    if not decoded.replaced:
        assert to_text(content, decoded.encoding, "ignore").replace("\0", "") == text


@given(st.text())
def test_text_that_is_utf8_stays_as_it_is(text):
    content = text.encode("utf-8", "replace")
    if content.startswith(codecs.BOM_UTF8):
        content = content[3:]
    if b"<meta" not in content.lower() and not content.startswith(codecs.BOM_UTF8):
        assert decode(content) == Decoded(content.replace(b"\0", b""), "utf-8", "valid-utf-8", 0)


def test_cleaneval(shared_data):
    """38 of the 58 pages are valid UTF-8; 7 of those declare another charset in ASCII."""
    pages = {path: path.read_bytes() for path in (shared_data / "cleaning" / "cleaneval-dev" / "input").iterdir()}
    assert len(pages) == 58
    valid = {path for path, content in pages.items() if codecs.utf_8_decode(content, "ignore")[0].encode() == content}
    assert len(valid) == 38
    actual = {path: read_page(Page("x", content))[1] for path, content in pages.items()}
    assert sum(actual[path].encoding == "utf-8" for path in valid) == 31
    assert all(
        actual[path].source == "meta" and pages[path].isascii() for path in valid if actual[path].encoding != "utf-8"
    )
    assert all(actual[path].replaced == 0 for path in valid)
    others = [actual[path] for path in pages if path not in valid]
    assert len(others) == 20
    assert sum(decoded.encoding == "cp1252" for decoded in others) == 17
    assert all(decoded.replaced == 0 for decoded in others)


# What is no text.


BINARY = {
    "gzip": gzip.compress(b"<p>a"),
    "zstd": b"\x28\xb5\x2f\xfd\x04\x00",
    "PDF": b"%PDF-1.4\n",
    "PNG": b"\x89PNG\r\n\x1a\n\x00",
    "JPEG": b"\xff\xd8\xff\xe0\x00\x10JFIF",
    "GIF": b"GIF89a\x01\x00",
    "ZIP": b"PK\x03\x04\x14\x00",
    "control bytes": b"a" + random.Random(0).randbytes(100_000),
}


@pytest.mark.parametrize("kind", BINARY)
def test_bytes_that_are_no_text_are_refused_by_name(kind: str) -> None:
    for is_text, what in ((False, "HTML"), (True, "text")):
        with pytest.raises(PageError) as caught:
            read_page(Page("a", BINARY[kind], is_text=is_text))
        assert caught.value.what == f"not {what}: {kind}"


@given(st.binary(max_size=250))
def test_a_short_page_that_begins_like_a_tag_is_a_page(content: bytes) -> None:
    assert binary_kind(b" \n<" + content) == ""


@pytest.mark.parametrize("begin", [b"start", b"<p>start", b"<\0p\0>\0"])
def test_control_characters_are_no_text(begin: bytes) -> None:
    assert binary_kind(begin + bytes(10_000)) == "control bytes"


@pytest.mark.parametrize("codec", ["utf-8", "utf-16", "iso2022_jp", "shift_jis", "gb18030", "euc_kr"])
def test_texts_of_any_encoding_are_text(codec: str) -> None:
    text = (KOREAN if codec == "euc_kr" else CHINESE if codec == "gb18030" else JAPANESE) * 30
    assert binary_kind(text.encode(codec)) == ""


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_a_plain_text_in_utf_16_without_a_mark(codec: str) -> None:
    text = FRENCH * 9
    assert binary_kind(text.encode(codec)) == ""
    assert result(text.encode(codec)) == (text, codec, "bytes", 0)


def test_utf_16_that_only_its_transport_declares_is_text() -> None:
    content = (CHINESE * 20).encode("utf-16-le")
    assert binary_kind(content, "utf-16le") == ""
    assert binary_kind(content) == "control bytes"

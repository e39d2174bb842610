"""Pages in all kinds of encodings and declarations, what they say, and what Chromium shows where that differs."""

from __future__ import annotations

import codecs
from typing import NamedTuple

RUSSIAN, JAPANESE, CHINESE, ENGLISH = "Рыночная площадь", "港の市場は①日曜日も", "码头的市场星期天也开", "“Café” — open"
MOJIBAKE = "â€œCafÃ©â€\x9d â€” open"
RUSSIAN_MOJIBAKE = "Р\xa0С‹РЅРѕС‡РЅР°СЏ РїР»РѕС‰Р°РґСЊ"
FAR = "<!--" + "x" * 1100 + "-->"
NO_MARK = "<html><head><title>Pier</title></head><body>"


class EncodingCase(NamedTuple):
    """A page, its P's text, the encoding's source, the transport's charset; `browsers`: what Chromium shows, if other text."""

    name: str
    content: bytes
    text: str
    source: str
    charset: str | None = None
    browsers: str | None = None


def page(text: str | bytes, codec: str = "utf-8", head: str = "") -> bytes:
    """A page whose P has the text, after a head in the same encoding."""
    body = text if isinstance(text, bytes) else text.encode(codec)
    return f"{head}<p>".encode(codec) + body + "</p>".encode(codec)


def meta(charset: str) -> str:
    return f'<meta charset="{charset}">'


def pragma(charset: str) -> str:
    return f'<meta http-equiv="Content-Type" content="text/html; charset={charset}">'


CASES = (
    # Marks.
    EncodingCase("UTF-8 mark, header", codecs.BOM_UTF8 + page(RUSSIAN), RUSSIAN, "bom", "windows-1251"),
    EncodingCase(
        "UTF-16LE mark, meta", codecs.BOM_UTF16_LE + page(RUSSIAN, "utf-16-le", meta("koi8-r")), RUSSIAN, "bom"
    ),
    EncodingCase("UTF-16BE mark, header", codecs.BOM_UTF16_BE + page(RUSSIAN, "utf-16-be"), RUSSIAN, "bom", "utf-8"),
    # The header, before the page.
    EncodingCase("header and meta", page(ENGLISH, "cp1252", meta("koi8-r")), ENGLISH, "transport", "ISO-8859-1"),
    EncodingCase("header of no encoding", page(RUSSIAN, "koi8-r", meta("koi8-r")), RUSSIAN, "meta", "utf-7"),
    # The page's declaration.
    EncodingCase("meta", page(RUSSIAN, "koi8-r", meta("koi8-r")), RUSSIAN, "meta"),
    EncodingCase("pragma", page(RUSSIAN, "koi8-r", pragma("KOI8-R")), RUSSIAN, "meta"),
    EncodingCase(
        "pragma, turned",
        page(RUSSIAN, "cp866", "<META content='a;charset = ibm866' http-equiv=content-type>"),
        RUSSIAN,
        "meta",
    ),
    EncodingCase("XML", page(RUSSIAN, "cp1251", '<?xml version="1.0" encoding="windows-1251"?>'), RUSSIAN, "meta"),
    EncodingCase(
        "XML and meta",
        page(RUSSIAN, "koi8-r", '<?xml version="1.0" encoding="utf-8"?>' + meta("koi8-r")),
        RUSSIAN,
        "meta",
    ),
    EncodingCase("two metas", page(RUSSIAN, "koi8-r", meta("koi8-r") + meta("windows-1251")), RUSSIAN, "meta"),
    EncodingCase(
        "meta of no encoding, then meta", page(RUSSIAN, "koi8-r", meta("none") + meta("koi8-r")), RUSSIAN, "meta"
    ),
    EncodingCase(
        "meta with both",
        page(RUSSIAN, "koi8-r", '<meta http-equiv=content-type content="charset=koi8-u" charset=koi8-r>'),
        RUSSIAN,
        "meta",
    ),
    EncodingCase(
        "first of two attributes",
        page(RUSSIAN, "koi8-r", "<meta charset=koi8-r charset=windows-1251>"),
        RUSSIAN,
        "meta",
        None,
        "тЩОПЮОБС РМПЭБДШ",
    ),
    EncodingCase(
        "pragma without charset, then one with it",
        page(RUSSIAN, "koi8-r", "<meta http-equiv=Content-Type content=text/html>" + pragma("koi8-r")),
        RUSSIAN,
        "meta",
    ),
    EncodingCase(
        "meta, then pragma without charset",
        page(ENGLISH, head=meta("utf-8") + '<meta http-equiv=Content-Type content="text/html; ">'),
        ENGLISH,
        "meta",
    ),
    EncodingCase("large letters", page(RUSSIAN, "cp1251", '<meta charSet="Windows-1251"/>'), RUSSIAN, "meta"),
    EncodingCase("UTF-16 label in ASCII", page(ENGLISH, head=meta("utf-16")), ENGLISH, "meta"),
    EncodingCase("x-user-defined", page(ENGLISH, "cp1252", meta("x-user-defined")), ENGLISH, "meta"),
    EncodingCase("Latin-1 is windows-1252", page(ENGLISH, "cp1252", meta("latin1")), ENGLISH, "meta"),
    # What is no declaration.
    EncodingCase(
        "meta in a comment", page(ENGLISH, head="<!-- <meta charset=koi8-r> -->" + meta("utf-8")), ENGLISH, "meta"
    ),
    EncodingCase(
        "meta in an attribute", page(ENGLISH, head="<a title='<meta charset=koi8-r>'>" + meta("utf-8")), ENGLISH, "meta"
    ),
    EncodingCase(
        "charset of a script", page(ENGLISH, head="<script charset=koi8-r></script>" + meta("utf-8")), ENGLISH, "meta"
    ),
    EncodingCase(
        "description",
        page(ENGLISH, head="<meta name=description content='charset=gbk'>"),
        ENGLISH,
        "valid-utf-8",
        None,
        MOJIBAKE,
    ),
    EncodingCase("data-charset", page(ENGLISH, head="<meta data-charset=gbk>"), ENGLISH, "valid-utf-8", None, MOJIBAKE),
    EncodingCase(
        "content without pragma",
        page(ENGLISH, head="<meta content='text/html; charset=gbk'>"),
        ENGLISH,
        "valid-utf-8",
        None,
        MOJIBAKE,
    ),
    # UTF-16 without a mark.
    EncodingCase(
        "XML in UTF-16LE",
        page(ENGLISH, "utf-16-le", '<?xml version="1.0" encoding="utf-16"?>' + NO_MARK),
        ENGLISH,
        "meta",
    ),
    EncodingCase(
        "XML in UTF-16BE",
        page(ENGLISH, "utf-16-be", '<?xml version="1.0" encoding="utf-16"?>' + NO_MARK),
        ENGLISH,
        "meta",
    ),
    EncodingCase("UTF-16LE", page(ENGLISH, "utf-16-le", NO_MARK), ENGLISH, "bytes", None, ""),
    EncodingCase("UTF-16BE", page(CHINESE, "utf-16-be", NO_MARK), CHINESE, "bytes", None, ""),
    EncodingCase(
        "UTF-16LE with wide spaces",
        page("\u3000".join(CHINESE), "utf-16-le", NO_MARK),
        "\u3000".join(CHINESE),
        "bytes",
        None,
        "",
    ),
    EncodingCase("UTF-16LE, header", page(ENGLISH, "utf-16-le", NO_MARK), ENGLISH, "bytes", "utf-8", ""),
    EncodingCase("UTF-16LE, its header", page(ENGLISH, "utf-16-le", NO_MARK), ENGLISH, "transport", "utf-16"),
    EncodingCase("header of UTF-16, ASCII page", page(ENGLISH), ENGLISH, "valid-utf-8", "utf-16", ""),
    # ISO-2022-JP.
    EncodingCase(
        "ISO-2022-JP",
        page(JAPANESE.replace("①", ""), "iso2022_jp"),
        JAPANESE.replace("①", ""),
        "bytes",
        None,
        "\x1b$B9A$N;T>l$OF|MKF|$b\x1b(B",
    ),
    EncodingCase(
        "ISO-2022-JP, declared", page(b"\x1b$B9A$N-!\x1b(I1\x1b(B.", head=meta("iso-2022-jp")), "港の①ｱ.", "meta"
    ),
    EncodingCase(
        "ISO-2022-JP, declared as Shift_JIS",
        page(b"\x1b$B9A$N\x1b(B", head=meta("shift_jis")),
        "港の",
        "bytes",
        None,
        "\x1b$B9A$N\x1b(B",
    ),
    # Characters that Python's codecs lack.
    EncodingCase(
        "C1 in windows-1252", page(b"GONZ\x81LEZ \x93yes\x94", head=meta("windows-1252")), "GONZ\x81LEZ “yes”", "meta"
    ),
    EncodingCase(
        "C1, undeclared",
        page(b"GONZ\x81LEZ \x93yes\x94 \x8d\x8f\x90\x9d"),
        "GONZ\x81LEZ “yes” \x8d\x8f\x90\x9d",
        "assumed",
    ),
    EncodingCase("C1 in windows-1251", page(b"\xd0\x98\x9a", head=meta("windows-1251")), "Р\x98љ", "meta"),
    EncodingCase("windows-1255", page(b"\xe0\xca", head=meta("windows-1255")), "א\u05ba", "meta"),
    EncodingCase("KOI8-U", page(b"\xae\xbe", head=meta("koi8-u")), "ўЎ", "meta"),
    EncodingCase("euro in GBK", page("码头".encode("gbk") + b" 5 \x80", head=meta("gb2312")), "码头 5 €", "meta"),
    EncodingCase("GB18030", page(b"\x81\x30\x86\x38\xa6\xd9", head=meta("gb2312")), "À︐", "meta"),
    EncodingCase("wide space of GB 2312", page(b"\xa3\xa0.", head=meta("gb2312")), "\u3000.", "meta"),
    EncodingCase("EUC-JP of NEC", page(b"\xb9\xc1\xa4\xce\xad\xa1\xa1\xc1", head=meta("euc-jp")), "港の①～", "meta"),
    EncodingCase("Shift_JIS of NEC", page(JAPANESE, "cp932", meta("shift_jis")), JAPANESE, "meta"),
    # Declarations that contradict each other, or the bytes.
    EncodingCase("header, UTF-8 page", page(ENGLISH, head=meta("utf-8")), ENGLISH, "meta", "iso-8859-1", MOJIBAKE),
    EncodingCase(
        "header, long UTF-8",
        page(RUSSIAN),
        RUSSIAN,
        "valid-utf-8",
        "iso-8859-1",
        "Ð\xa0Ñ‹Ð½Ð¾Ñ‡Ð½Ð°Ñ\x8f Ð¿Ð»Ð¾Ñ‰Ð°Ð´ÑŒ",
    ),
    EncodingCase(
        "meta, long UTF-8", page(RUSSIAN, head=meta("windows-1251")), RUSSIAN, "valid-utf-8", None, RUSSIAN_MOJIBAKE
    ),
    EncodingCase("header, UTF-8 by chance", page("Å»", head=""), "Ã…Â»", "transport", "iso-8859-1"),
    EncodingCase(
        "UTF-8 header, other meta",
        page(RUSSIAN, "cp1251", meta("windows-1251")),
        RUSSIAN,
        "meta",
        "utf-8",
        "\ufffd" * 8 + " " + "\ufffd" * 7,
    ),
    EncodingCase(
        "UTF-8 declared, other bytes",
        page(RUSSIAN * 4, "cp1251", meta("utf-8")),
        RUSSIAN * 4,
        "detected",
        None,
        ("\ufffd" * 8 + " " + "\ufffd" * 7) * 4,
    ),
    # Declarations that come late.
    EncodingCase("late meta", page(RUSSIAN, "koi8-r", FAR + meta("koi8-r")), RUSSIAN, "meta"),
    EncodingCase(
        "late meta behind a script",
        page(RUSSIAN, "koi8-r", f"<script>'{meta('gbk')}'; //{FAR}</script>" + meta("koi8-r")),
        RUSSIAN,
        "meta",
    ),
    EncodingCase(
        "late meta in the body", page(RUSSIAN, "koi8-r", f"<body><p>a</p>{FAR}{meta('koi8-r')}"), RUSSIAN, "meta"
    ),
    EncodingCase(
        "late meta, UTF-8",
        page(RUSSIAN, head=FAR + meta("windows-1251")),
        RUSSIAN,
        "valid-utf-8",
        None,
        RUSSIAN_MOJIBAKE,
    ),
    EncodingCase(
        "pragma misspelt", page(RUSSIAN, "koi8-r", pragma("koi8-r").replace("equiv", "eqiv")), RUSSIAN, "meta"
    ),
    EncodingCase(
        "pragma as a name", page(RUSSIAN, "koi8-r", pragma("koi8-r").replace("http-equiv", "name")), RUSSIAN, "meta"
    ),
    EncodingCase(
        "pragma without hyphens", page(CHINESE * 2, "gbk", pragma("gbk").replace("-", "")), CHINESE * 2, "meta"
    ),
    # Bytes that are broken.
    EncodingCase(
        "UTF-8 with a broken byte",
        page("Café in Größe".encode() + b"\xff."),
        "Café in Größe\ufffd.",
        "detected",
        None,
        "CafÃ© in GrÃ¶ÃŸeÿ.",
    ),
    EncodingCase(
        "UTF-8 meta, a broken byte", page("Café".encode() + b"\xe9.", head=meta("utf-8")), "Café\ufffd.", "meta"
    ),
    EncodingCase("UTF-8 cut in a character", page("Café", head=meta("utf-8"))[:-5], "Caf\ufffd", "meta"),
    EncodingCase(
        "GBK with a broken byte", page("码头".encode("gbk") + b"\xff.", head=meta("gbk")), "码头\ufffd.", "meta"
    ),
    EncodingCase("NUL within a word", page(b"har\0bour", head=meta("utf-8")), "harbour", "meta"),
)

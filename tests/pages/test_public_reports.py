"""Pages of bug reports of other readers, written anew: the report, the page, the blocks that browsers show."""

from __future__ import annotations

import pytest

from thresher.pages import read_html

REPORTS: list[tuple[str, str | bytes, list[str]]] = [
    # Encodings.
    ("adbar/trafilatura#231", '<meta charset="iso-8859-1"><p>mööse'.encode("latin-1"), ["mööse"]),
    (
        "adbar/trafilatura#541",
        b"<i></i>" * 3000 + "<p>码头的市场星期天也开".encode("gb18030"),
        ["码头的市场星期天也开"],
    ),
    ("scrapy/w3lib#305", b"<!-- <meta charset=utf-7> --><p>+ADw-b+AD4-", ["+ADw-b+AD4-"]),
    ("scrapy/w3lib#305", b'<!-- <body> --><meta charset="koi8-r"><p>' + "пирс".encode("koi8-r"), ["пирс"]),
    ("jawah/charset_normalizer#12", "<p>héllo world!".encode(), ["héllo world!"]),
    (
        "jawah/charset_normalizer#407",
        "<p>Adil davranmaktan bahsetmişken… Kaptan, gemi hazır değil. Şimdi ne yapacağız?".encode("cp1254"),
        ["Adil davranmaktan bahsetmişken… Kaptan, gemi hazır değil. Şimdi ne yapacağız?"],
    ),
    ("PyYoshi/cChardet#101", "<p>Ślimok śpi.".encode("cp1250"), ["Ślimok śpi."]),
    ("openzim/warc2zim#312", "<p>Der Fährhafen für Gäste früh".encode()[:-2], ["Der Fährhafen für Gäste fr\ufffd"]),
    ("google/compact_enc_det#20", '<meta charst="utf-8"><p>Home › News'.encode(), ["Home › News"]),
    ("scrapy/parsel#76", "<p>on&#133; &#147;bread&#148; &#x80;", ["on… “bread” €"]),
    ("scrapy/parsel#123", b"<html>\0<body>hello!</body></html>", ["hello!"]),
    ("sparklemotion/nokogiri#1535", "<p>ABC&#0;XYZ <b>more</b>", ["ABC XYZ more"]),
    # What stands within a line.
    ("mozilla/readability#997", "<p>mon Die<u>u</u> et <s>m</s>on <bdi>sal</bdi>ut</p>", ["mon Dieu et mon salut"]),
    ("andreskrey/readability.php#81", "<p>The <g class=x>pirates</g> were jailed", ["The pirates were jailed"]),
    ("TeamHG-Memex/html-text#16", "<div><strong>fo</strong>o</div><p><span>N</span>o one", ["foo", "No one"]),
    ("browsermt/bergamot-translator#339", "<p>super<wbr>cali<wbr/>fragi", ["supercalifragi"]),
    ("weblyzard/inscriptis#45", "<span>$<!-- -->90<!-- -->.<!-- -->74</span>", ["$90.74"]),
    ("jhy/jsoup#1877", "<div>Text</div><span>Text</span>", ["Text", "Text"]),
    ("projectEndings/staticSearch#25", "<h3><span>Sir Arnulph</span><br/>Metadata</h3>", ["Sir Arnulph", "Metadata"]),
    ("adbar/trafilatura#390", "<p>Subclasses <code>View</code> is to override", ["Subclasses View is to override"]),
    # What is text, and what no reader sees.
    ("html-to-text/node-html-to-text#152", "<pre>    * <---- vous &ecirc;tes ici .</pre>", ["* <---- vous êtes ici ."]),
    ("defunkt/jquery-pjax#616", "<title>Page</title><p>a<svg><title>SVG</title></svg>b", ["Page", "a b"]),
    ("jina-ai/reader#71", "<svg><title>Search</title></svg><title>Page</title><p>x", ["Page", "x"]),
    (
        "adbar/trafilatura#573",
        "<button is=toggle>1. Question</button><collapsible-content open><p>1. Answer</p></collapsible-content>",
        ["1. Question", "1. Answer"],
    ),
    ("stalwartlabs/mail-parser#134", "a<style>p{}</style><template><p>t</template><script>x</script>b", ["a b"]),
    ("jaytaylor/html2text#55", "<p>a b c</p><noscript><p>Enable JavaScript</p></noscript>", ["a b c"]),
    ("adbar/trafilatura#147", "<a>fox 2</a><h1><a>fox 3</a></h1>fox 4", ["fox 2", "fox 3", "fox 4"]),
    # Invisible characters.
    ("adbar/trafilatura#43", "<p>Unter\u00adnehmen und Frei\u00adberufler", ["Unternehmen und Freiberufler"]),
    ("julkue/mark.js#69", "<p>Lo&shy;rem Lo<wbr>rem Lo&#8203;rem Lo&zwnj;rem", ["Lorem Lorem Lorem Lorem"]),
    ("NVIDIA/SkillSpector#169", "<p>JSON files.\U000e0049\U000e0067", ["JSON files."]),
    ("sheeki03/tirith#147", "<p>har\u3164bour", ["harbour"]),
]


@pytest.mark.parametrize(("page", "blocks"), [row[1:] for row in REPORTS], ids=[row[0] for row in REPORTS])
def test_pages_of_reports(page: str | bytes, blocks: list[str]) -> None:
    assert read_html(page).blocks == blocks

"""Title and links of single pages, of any bytes at all."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from thresher.cleaners.languages import stop_list
from thresher.collections import Page
from thresher.collections.sources import PageError
from thresher.pseudo_topics.extracting import (
    LINK_REASONS,
    LONG,
    NO_PAGE,
    SELF,
    Extracted,
    extract,
    in_source,
    page_address,
)

ENGLISH = stop_list("English")
HERE = page_address("http://x.org/here", None)


def extracted(html: str | bytes, charset: str | None = None) -> Extracted:
    content = html if isinstance(html, bytes) else html.encode()
    return extract(Page("", content, charset=charset), HERE, ENGLISH)


@pytest.mark.parametrize(
    ("html", "title"),
    [
        ("<title> One\n &amp; <b>two</b>\x00\x07 </title>", "One & <b>two</b>"),
        ("<svg><title>Picture</title></svg><title></title><title>Third</title>", "Third"),
        ("<p>No title", ""),
        ("", ""),
        (" \n", ""),
    ],
)
def test_titles(html: str, title: str) -> None:
    assert extracted(html).title == title


def test_pages_are_decoded_as_declared() -> None:
    page = "<title>Žluťoučký kůň</title><a href=y>Příliš žluťoučký</a>"
    result = extracted(page.encode("cp1250"), "windows-1250")
    assert (result.title, result.links[0].text) == ("Žluťoučký kůň", "Příliš žluťoučký")


def test_links_are_those_a_reader_sees() -> None:
    result = extracted(
        "<a href=/y><style>p {}</style>Barley <script>malt()</script>field<!-- oats --></a>"
        "<noscript><a href=/z>Rye without scripts</a></noscript><template><a href=/z>Rye in templates</a></template>"
    )
    assert [link.text for link in result.links] == ["Barley field"]
    assert result.links[0].target == page_address("https://www.x.org/y/", None).key  # type: ignore[union-attr]


def test_a_link_that_is_never_closed_is_too_long() -> None:
    result = extracted("<a href=/y>" + "<p>barley field" * 100_000)
    assert (result.links, result.left_out[LONG]) == ([], 1)


def test_pages_may_be_deep() -> None:
    result = extracted("<div>" * 400 + "<a href=/y>Deep barley</a>")
    assert [link.text for link in result.links] == ["Deep barley"]


def test_a_tag_may_have_very_many_attributes_and_scripts_look_as_if_they_had() -> None:
    """A tree of half a million takes half an hour: the suite would be stopped."""
    many = " ".join(f"a{number}" for number in range(500_000))
    page = "<title>The title of it</title><{}>a</{}><a href=/y {}>Barley <b>field</b></a><a href=/z>Oats field</a>"
    for tag, attributes in (("p", many), ("p " + many, ""), ("script", ""), ("script>if (a<b " + many + "", "")):
        result = extracted(page.format(tag, tag.partition(" ")[0].partition(">")[0], attributes))
        assert result.title == "The title of it"
        assert [link.text for link in result.links] == ["Barley field", "Oats field"]


FAQ = """<script type="application/ld+json">{"@context": "https://schema.org", "@graph": [{"@type": "Question", "name":
"Asked, never answered?"}, {"@type": "FAQPage", "mainEntity": [{"@type": "Question", "name": " How is\trye milled? ",
"acceptedAnswer": {"@type": "Answer", "text": "Slowly."}}]}]}</script>"""


def test_half_a_surrogate_pair_in_a_question_is_replaced() -> None:
    """No table and no file of topics can have it, and one page would end the whole run."""
    entry = r'{"@type": "Question", "name": "How is \ud800 bread baked?", "acceptedAnswer": "Slowly."}'
    assert extracted(f"<script type=application/ld+json>{entry}</script>").question == "How is ? bread baked?"


@pytest.mark.parametrize(
    ("html", "description", "question", "sentence"),
    [
        ("<meta name=Description content='Rye and\n its flour. More of it.'>", "Rye and its flour.", "", ""),
        ("<meta property=og:description content='All rye'><meta name=description content=x>", "All rye", "", ""),
        (f"<script type=application/ld+json>{{no</script>{FAQ}", "", "How is rye milled?", ""),
        (
            "<h1>Rye is never a sentence in headings.</h1><a href=x>Nor is barley that links elsewhere.</a>"
            "<p>Short one. The miller&nbsp;grinds &quot;rye&quot; &amp;\n barley\nevery morning. And then",
            "",
            "",
            'The miller grinds "rye" & barley every morning.',
        ),
        ("<p>The miller <b>grinds rye</b> and barley without any end", "", "", ""),
    ],
)
def test_texts_that_may_be_topics(html: str, description: str, question: str, sentence: str) -> None:
    found = extracted(html)
    assert (found.description, found.question, found.sentence) == (description, question, sentence)
    if sentence:
        assert in_source(sentence).sub("", html).endswith("Short one.  And then")


def test_the_first_base_counts_and_one_that_is_none_does_not() -> None:
    page = "<base href='{}'><base href=/second/><a href=y>Barley field</a>"
    for base, target in (("/first/", "/first/y"), ("mailto:x", "/y"), ("http://z.org", "//z.org/y")):
        (link,) = extracted(page.format(base)).links
        assert link.target == page_address(f"http:{target}" if "z" in target else f"http://x.org{target}", None).key  # type: ignore[union-attr]


def test_without_an_address_only_whole_references_lead_anywhere() -> None:
    html = b"<a href=y>Barley field</a><a href=http://x.org/here>Wheat field</a><a href=''>Oats field</a>"
    result = extract(Page("", html), None, ENGLISH)
    assert ([link.text for link in result.links], result.left_out[NO_PAGE]) == (["Wheat field"], 2)
    assert extract(Page("", html), HERE, ENGLISH).left_out[SELF] == 2


PIECES = [
    "<a href=/y>",
    "</a>",
    "<title>",
    "</title>",
    "<base href=//[x>",
    "<a href='http://[::1'>",
    "word ",
    "全",
    "\x00",
    "<",
    "&#0;",
]


@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=4)), st.binary(max_size=20))
def test_any_bytes_may_be_a_page(pieces: list[str], more: bytes) -> None:
    content = "".join(pieces).encode("utf-8", "surrogatepass") + more
    try:
        result = extract(Page("", content), HERE, ENGLISH)
    except (etree.LxmlError, PageError):
        return  # counted as a page that failed
    assert len(result.left_out) == len(LINK_REASONS)
    assert len({link[:2] for link in result.links}) == len(result.links)
    for text in (result.title, *(link.text for link in result.links)):
        assert text == " ".join(text.split())


def test_shared_pages(shared_data: Path) -> None:
    pages = sorted((shared_data / "cleaning" / "dragnet-300").rglob("*.html"))[::3]
    assert pages
    with_title = [path for path in pages if extracted(path.read_bytes()).title]
    assert len(with_title) > 0.9 * len(pages)

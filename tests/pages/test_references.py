"""Links of a page: their texts, and where they lead."""

from __future__ import annotations

import tracemalloc

import pytest

from thresher.collections.sources import Page
from thresher.pages import DEFAULT_OPTIONS, Detail, read_page
from thresher.pages.links import links_of, page_address, resolve
from thresher.pages.references import Reference, References

URL = "http://www.example.org/docs/guide/page.html?v=1"


def references_of(html: str, detail: Detail = Detail.HEADINGS) -> References:
    references = read_page(Page("x", html.encode()), DEFAULT_OPTIONS, detail, with_references=True)[0].references
    assert references is not None
    return references


@pytest.mark.parametrize("detail", Detail)
@pytest.mark.parametrize(
    ("html", "links"),
    [
        ("<a href=a>one</a> and <a href=b>two</a>", [("a", "one"), ("b", "two")]),
        ("<a href=a>  white\n<br>&nbsp; space <p>of</p> blocks</a>", [("a", "white space of blocks")]),
        ("<a href=a>w<b>or</b>d <i>and</i> more</a>", [("a", "word and more")]),
        ("<a href=a><img src=x alt='the&#10; picture'></a>", [("a", "the picture")]),
        ("<a href=a>before<img src=x alt=image>after</a>", [("a", "before image after")]),
        ("<a href=a><img src=x></a>", [("a", "")]),
        ("<img src=x alt=outside><a href=a>text</a><img src=x alt=behind>", [("a", "text")]),
        ("<a name=here>no link</a><a>nor this</a>", []),
        ("<a href=a>open <a href=b>next</a>", [("a", "open"), ("b", "next")]),
        ("<a href='a b&amp;c'>t</a>", [("a b&c", "t")]),
        ("<a href=''>t</a>", [("", "t")]),
        ("<a href=a>shown<span hidden>hidden <img alt=too></span></a>", [("a", "shown")]),
        ("<a href=a><img alt=shown><img alt=hidden hidden><b hidden><img alt=too></b></a>", [("a", "shown")]),
        ("<div style='display:none'><a href=a>in a menu</a></div><p>text", [("a", "in a menu")]),
        ("<a href=a>shown<svg><title>drawn</title></svg><script>run()</script></a>", [("a", "shown")]),
        ("<map><area href=a alt='a  place'><area alt=none></map>", [("a", "a place")]),
        ("<a href=a rel=nofollow>t</a>", [("a", "t")]),
        ("<!-- <a href=a>t</a> --><script>'<a href=b>t</a>'</script>", []),
    ],
)
def test_links_and_their_texts(html: str, links: list[tuple[str, str]], detail: Detail) -> None:
    assert list(references_of(html, detail).links) == links


def test_references_change_no_block() -> None:
    html = "<base href=b><h1>t</h1><p>a <a href=c>link</a><img alt=i><div hidden><a href=d>e</a></div>"
    for detail in Detail:
        with_references, without = (
            read_page(Page("x", html.encode()), DEFAULT_OPTIONS, detail, wanted)[0] for wanted in (True, False)
        )
        assert (with_references.blocks, with_references.marked) == (without.blocks, without.marked)
        assert without.references is None


def key(url: str) -> int:
    address = resolve(None, url)
    assert address is not None
    return address.key


@pytest.mark.parametrize(
    ("html", "target"),
    [
        ("<a href=other.html>", "http://example.org/docs/guide/other.html"),
        ("<a href=' other.html#part '>", "http://example.org/docs/guide/other.html"),
        ("<a href=..>", "http://example.org/docs"),
        ("<a href=../index.html>", "http://example.org/docs/"),
        ("<a href='/x y'>", "http://example.org/x%20y"),
        ("<a href='/%7Euser/'>", "http://example.org/~user"),
        ("<a href=HTTPS://EXAMPLE.org/x>", "http://www.example.org/x"),
        ("<a href=//example.org:80/X>", "http://example.org/X"),
        ("<a href='#part'>", URL),
        ("<a href=''>", URL),
        ("<a href=' #part'>", URL),
        ("<a href='?v=2'>", "http://example.org/docs/guide/page.html?v=2"),
        ("<a href='b.html?a=1&amp;b=2'>", "http://example.org/docs/guide/b.html?a=1&b=2"),
        ("<base href=/site/><a href=b.html>", "http://example.org/site/b.html"),
        ("<base href=/site/c.html><a href='#part'>", "http://example.org/site/c.html"),
        ("<base target=x><base href=http://other.org/><base href=/third/><a href=b>", "http://other.org/b"),
        ("<base href='mailto:x'><a href=b>", "http://example.org/docs/guide/b"),
    ],
)
def test_targets(html: str, target: str) -> None:
    links = links_of(references_of(f"{html}t</a>"), page_address(URL, None))
    assert [(link.target, link.text) for link in links.links] == [(key(target), "t")]
    assert (links.address, links.unresolved) == (key(URL), 0)


@pytest.mark.parametrize(
    ("url", "path", "html", "found"),
    [
        (None, "a/b.html", "<a href=c.html>t</a>", "a/c.html"),
        (None, "a/b.html", "<a href=../>t</a>", "index.html"),
        (None, "a/b.html", "<a href='d e.html'>t</a>", "a/d e.html"),
        (None, "a/b.html", "<a href='mailto:x@y.org'>t</a>", None),
        (None, None, "<a href=c.html>t</a>", None),
        (URL, "a/b.html", "<a href='javascript:go()'>t</a>", None),
    ],
)
def test_files_and_what_is_no_page(url: str | None, path: str | None, html: str, found: str | None) -> None:
    links = links_of(references_of(html), page_address(url, path))
    if found is None:
        assert (links.links, links.unresolved) == ((), 1)
    else:
        target = page_address(None, found)
        assert target is not None
        assert [link.target for link in links.links] == [target.key]


@pytest.mark.parametrize(
    ("html", "canonical"),
    [
        ("<link rel=canonical href=/x>", "http://example.org/x"),
        ("<link rel='alternate Canonical' href=y><link rel=canonical href=z>", "http://example.org/docs/guide/y"),
        ("<base href=/site/><link rel=canonical href=y>", "http://example.org/site/y"),
        ("<link rel=canonical href='javascript:x'>", None),
        ("<link rel=icon href=x>", None),
    ],
)
def test_canonical_addresses(html: str, canonical: str | None) -> None:
    links = links_of(references_of(html), page_address(URL, None))
    assert links.canonical == (None if canonical is None else key(canonical))


def test_each_link_stands_once() -> None:
    html = "<a href=a>t</a><a href=a#part>t</a><a href=./a>t</a><a href=a>u</a><a href=b>t</a>"
    links = links_of(references_of(html), page_address(URL, None)).links
    assert [link.text for link in links] == ["t", "u", "t"]


def test_memory_holds_no_long_references() -> None:
    tracemalloc.start()
    for number in range(200):
        data = Reference(f"data:text/plain,{number}{'A' * 20_000}", "t")
        assert links_of(References((data,)), page_address(URL, None)).unresolved == 1
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert held < 1_000_000


def test_texts_as_long_as_pages_are_cut() -> None:
    words = "harp " * 2_000
    for html in (f"<a href=a>{words}</a>", f"<area href=a alt='{words}'>"):
        ((_, text),) = references_of(html).links
        assert text == words[:4_096]

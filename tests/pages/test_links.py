"""Addresses: where references lead, against urllib and by hand, and which spellings are one page."""

from __future__ import annotations

import re
from urllib.parse import quote, urljoin

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html

from thresher.pages.links import Address, base_address, canonical_address, page_address, resolve

BASE = Address("example.org", "/docs/guide/intro.html", "?v=1")


def key_of(base: Address | None, href: str | None, path: str | None = None) -> int | None:
    """Return the key of a reference's target, or of a file's path."""
    address = page_address(None, path) if href is None else resolve(base, href)
    return None if address is None else address.key


@pytest.mark.parametrize(
    ("href", "host", "path", "query"),
    [
        ("", "example.org", "/docs/guide/intro.html", "?v=1"),
        ("#top", "example.org", "/docs/guide/intro.html", "?v=1"),
        ("?v=2#top", "example.org", "/docs/guide/intro.html", "?v=2"),
        (".", "example.org", "/docs/guide/", ""),
        ("./", "example.org", "/docs/guide/", ""),
        ("..", "example.org", "/docs/", ""),
        ("../../../../up.html", "example.org", "/up.html", ""),
        ("/root.html", "example.org", "/root.html", ""),
        ("a/./b/../c.html", "example.org", "/docs/guide/a/c.html", ""),
        ("%2e%2E/c.html", "example.org", "/docs/c.html", ""),
        ("..\\c.html", "example.org", "/docs/c.html", ""),
        (" \n\tnext\n.html \f", "example.org", "/docs/guide/next.html", ""),
        ("//other.org/x", "other.org", "/x", ""),
        ("https://user:word@Other.ORG.:443/x?y", "other.org", "/x", "?y"),
        ("http://other.org:8080", "other.org:8080", "/", ""),
        ("http:next.html", "example.org", "/docs/guide/next.html", ""),
        ("HTTP://bücher.example/", "xn--bcher-kva.example", "/", ""),
        ("http://[::1]/x", "[::1]", "/x", ""),
    ],
)
def test_references(href: str, host: str, path: str, query: str) -> None:
    assert resolve(BASE, href) == (host, path, query)


@pytest.mark.parametrize(
    "href", ["mailto:a@b.org", "javascript:void(0)", "ftp://x.org/", "data:,x", "http://a b/", "http://[x"]
)
def test_references_to_no_page(href: str) -> None:
    assert resolve(BASE, href) is None


def test_references_without_a_base() -> None:
    assert resolve(None, "a.html") is None
    assert resolve(None, "/a.html") is None
    assert resolve(None, "http:a.html") is None
    assert resolve(None, "http://x.org/a.html") == ("x.org", "/a.html", "")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("http://example.org/", "https://www.example.org"),
        ("http://example.org/a", "http://EXAMPLE.org:80/a/"),
        ("http://example.org/a/", "http://example.org/a/index.html"),
        ("http://example.org/a/", "http://example.org/a/Default.aspx"),
        ("http://example.org/a%7Eb/%e4%bd%a0", "http://example.org/a~b/你#x"),
        ("http://example.org/a b", "http://example.org/a%20b"),
        ("http://example.org/a", "http://example.org/a?"),
        ("http://example.org/a?q=%7E", "http://example.org/a/?q=~"),
    ],
)
def test_spellings_of_one_page(one: str, other: str) -> None:
    assert key_of(None, one) == key_of(None, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("http://example.org/a", "http://example.org/A"),
        ("http://example.org/a?b=1", "http://example.org/a?b=2"),
        ("http://example.org/a/b", "http://example.org/a%2Fb"),
        ("http://example.org/index.html?p=1", "http://example.org/?p=1"),
        ("http://example.org/a", "http://example.org:8080/a"),
        ("http://example.org/index.txt", "http://example.org/"),
        ("http://example.org/a", "http://docs.example.org/a"),
    ],
)
def test_different_pages(one: str, other: str) -> None:
    assert key_of(None, one) != key_of(None, other)


def test_files_have_addresses_in_which_all_characters_mean_themselves() -> None:
    page = page_address(None, "a/what?#50%.html")
    assert page is not None
    assert key_of(page, "what%3F%2350%25.html") == page.key
    assert key_of(page, "../index.html") == key_of(None, None, "index.html")
    # No web page lies where files do.
    assert key_of(page, "//folder/a") is not None
    assert key_of(None, "http://folder/a/what") != page.key


def test_a_url_that_is_none_gives_way_to_the_path() -> None:
    assert page_address("about:blank", "a.html") == page_address(None, "a.html")
    assert page_address("about:blank", None) is None


# None is empty: what `..` takes away behind one, urllib and browsers see in different ways.
SEGMENTS = st.lists(st.sampled_from(["a", "b.html", "c d", "ä", "..", ".", "x%41", "index.html", "a:b"]), max_size=6)
REFERENCES = st.builds(
    lambda head, segments, tail: head + "/".join(segments) + (tail if segments else tail.lstrip("/")),
    st.sampled_from(["", "/", "//host.org/", "http://host.org/", "https://www.host.org/", "./", "../", "../../"]),
    SEGMENTS,
    st.sampled_from(["", "/", "?", "?q=1", "?q=%41/..", "#frag", "?a#b", "#a?b"]),
)


@given(SEGMENTS, REFERENCES)
def test_references_lead_where_urllib_says(segments: list[str], reference: str) -> None:
    # urllib takes `a:b` for a scheme, as browsers do; an authority must not begin by chance.
    page = "http://host.org/" + "/".join(segments)
    base = page_address(page, None)
    assert base is not None
    result = resolve(base, reference)
    # A browser takes the dots out of a page's own address first.
    joined = urljoin(f"http://{base.host}{base.path}", reference)
    if result is None:
        assert not joined.startswith(("http://", "https://"))
        return
    # urllib keeps dots in what is absolute already: resolving its answer once more takes them out.
    expected = resolve(None, joined)
    assert expected is not None
    one, other = (
        (address.host, re.sub("/+", "/", address.path), address.query.rstrip("?")) for address in (result, expected)
    )
    assert one == other


@given(st.lists(st.text("abcö /?%#", min_size=1, max_size=5), min_size=1, max_size=4), st.integers(0, 3))
def test_a_file_is_found_however_it_is_spelled(names: list[str], up: int) -> None:
    path = "/".join(name.replace("/", "_") for name in names)
    page = page_address(None, path)
    base = page_address(None, "x/" * up + "here.html")
    assert page is not None
    for spelled in (quote(path), quote(path, safe="/ö"), f"{quote(path)}#part"):
        assert key_of(base, "../" * up + spelled) == page.key


@given(st.text(), st.none() | st.text())
def test_anything_may_stand_in_a_reference(href: str, url: str | None) -> None:
    key = key_of(page_address(url, "a/b"), href)
    assert key is None or 0 <= key < 1 << 64


@pytest.mark.parametrize(
    ("head", "base", "canonical"),
    [
        ("", BASE, BASE),
        ("<base href=/x/>", ("example.org", "/x/", ""), BASE),
        ("<base target=_top><base href=//other.org/y/><base href=/z/>", ("other.org", "/y/", ""), BASE),
        ("<base href='javascript:0'>", BASE, BASE),
        ("<link rel=canonical href=../a?b>", BASE, ("example.org", "/docs/a", "?b")),
        (
            "<base href=/x/><link rel='Alternate Canonical' href=a>",
            ("example.org", "/x/", ""),
            ("example.org", "/x/a", ""),
        ),
        ("<link rel=alternate href=/a><link rel=canonical href=mailto:a@b>", BASE, BASE),
    ],
)
def test_base_and_canonical_addresses(head: str, base: tuple[str, str, str], canonical: tuple[str, str, str]) -> None:
    root = html.document_fromstring(f"<html><head>{head}</head><body><p>Rain</p></body></html>")
    assert base_address(root, BASE) == base
    assert canonical_address(root, BASE) == canonical


def test_a_page_without_an_address_may_name_one() -> None:
    root = html.document_fromstring("<base href=http://x.org/a/><link rel=canonical href=b><p>Rain</p>")
    assert base_address(root, None) == ("x.org", "/a/", "")
    assert canonical_address(root, None) == ("x.org", "/a/b", "")
    assert canonical_address(html.document_fromstring("<p>Rain</p>"), None) is None

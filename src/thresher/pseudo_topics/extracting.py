"""The title and the links of a page, by a parse of its own, apart from the scoring pass; and addresses of pages, with one key
for all spellings of a page.

A key is a 64-bit hash. It ignores the scheme (http or https), `www.`, the default port, a slash at the end, the name of an
index page, percent-encoding and the fragment. The query and the case of the path count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from functools import cache, lru_cache
from typing import NamedTuple
from urllib.parse import quote, unquote_to_bytes, urljoin, urlsplit

from lxml import etree

from thresher.collections import Page
from thresher.pages.decoding import decode
from thresher.pages.parsing import MANY_ATTRIBUTES, has_many_attributes
from thresher.pseudo_topics.title_texts import LEAST, MOST, hashed, is_url, text_hash, units, weight

# Why a link is left out; the first reason that applies counts.
NO_PAGE, SELF, NO_TEXT, URL, SHORT, LONG, REPEATED = range(7)
LINK_REASONS = (
    "to no web page",
    "to the page itself",
    "without text",
    "an address as text",
    "too short",
    "too long",
    "repeated on the page",
)
# In characters: longer texts are too long whatever their words.
_LONGEST = 400
_CONTROLS = bytes.maketrans(bytes((*range(9), 11, 12, *range(14, 32), 127)), b" " * 30)
# A reader sees neither text nor links in these.
_DROPPED_TAGS = ("script", "style", "template", "noscript", "svg")

# The host of pages without URLs, an authority that no web page has.
_FOLDER = "folder:"
_WEB = ("http", "https")
_DEFAULT_PORTS = ("80", "443", "")
_INDEX = re.compile(r"(?:index|default)\.(?:x?html?|shtml|php[345]?|aspx?|jspx?|cgi|cfm)", re.IGNORECASE)
# What browsers take for a dot, and remove at the ends.
_DOT = re.compile("%2e", re.IGNORECASE)
_STRIPPED = "".join(map(chr, range(33)))


class Address(NamedTuple):
    """A page's host in lower case, its path from the root (with `/`), and its query (with `?`, or empty)."""

    host: str
    path: str
    query: str

    @property
    def url(self) -> str:
        """What references are relative to."""
        return f"http://{self.host}{self.path}{self.query}"

    @property
    def site(self) -> int:
        """The hash of the host; all pages without URLs have the same."""
        return hashed(_plain_host(self.host))

    @property
    def key(self) -> int:
        """The hash of the normalised address: unsigned, 64 bits."""
        *folders, name = self.path.split("/")
        name = "" if _INDEX.fullmatch(name) and not self.query else name
        path = "/".join(map(_encoded, [*folders, name])).rstrip("/")
        return hashed(f"{_plain_host(self.host)}\n{path}\n{_encoded(self.query)}")


def page_address(url: str | None, path: str | None) -> Address | None:
    """Return the address of a page from its URL, else from its path in a folder; None if it has neither.

    >>> page_address("HTTP://www.Example.org:80/a/../b.html#top", None)
    Address(host='www.example.org', path='/b.html', query='')
    >>> page_address(None, "a/b.html")
    Address(host='folder:', path='/a/b.html', query='')
    """
    if url and (address := resolve(None, url)):
        return address
    # In the name of a file `?`, `#` and `%` have no special meaning.
    return None if path is None else Address(_FOLDER, "/" + quote(path, safe="/", errors="surrogateescape"), "")


def resolve(base: Address | None, href: str) -> Address | None:
    """Resolve a reference against `base`; None if its target is not a web page, or it is relative and there is no base.

    >>> resolve(Address("example.org", "/a/b.html", ""), "../c?d#e")
    Address(host='example.org', path='/c', query='?d')
    """
    path, mark, query = href.strip(_STRIPPED).partition("?")
    reference = _DOT.sub(".", path.replace("\\", "/")) + mark + query
    try:
        target = urlsplit(urljoin(base.url if base else "", reference))
        path = target.path or "/"
        # urljoin leaves dots in what is absolute already.
        path = urlsplit(urljoin("http://host/", f".{path}")).path if "/." in path else path
    except ValueError:
        return None
    host = _FOLDER if target.netloc == _FOLDER else _host(target.netloc)
    query = f"?{target.query}" if target.query else ""
    return Address(host, path, query) if host and target.scheme in _WEB else None


@lru_cache(maxsize=1 << 16)
def link(base: Address | None, href: str) -> tuple[int, str] | None:
    """Return the key of a reference's target, and its host and path as people write them; None where `resolve` gives None.

    Cached, as pages of a site share links.
    """
    address = resolve(base, href)
    return (address.key, (_plain_host(address.host) + address.path).rstrip("/").lower()) if address else None


def _host(authority: str) -> str:
    """Return the host of an authority in lower case, with any port but a default one; empty if it has none."""
    host, _, port = authority.rpartition("@")[2].partition(":")
    with suppress(UnicodeError):
        host = host if host.isascii() else host.encode("idna").decode()
    host = host.lower().rstrip(".")
    if not host or any(character.isspace() for character in host):
        return ""
    return host if port in _DEFAULT_PORTS else f"{host}:{port}"


def _plain_host(host: str) -> str:
    return host.removeprefix("www.")


def _encoded(text: str) -> str:
    # The path was split before, so that %2F does not become a separator.
    if text.isalnum() and text.isascii():
        return text
    return quote(unquote_to_bytes(text.encode("utf-8", "surrogatepass")), safe="")


def document_key(document_id: str) -> int:
    """Return the key of a page without an address, from its id."""
    return hashed(f"id\n{document_id}")


class Link(NamedTuple):
    """A link: the hash of its text, the key of its target, its text."""

    text_hash: int
    target: int
    text: str


class Extracted(NamedTuple):
    """A page's title, perhaps empty; its links, each once; and how many were left out, by `LINK_REASONS`."""

    title: str
    links: list[Link]
    left_out: list[int]


def extract(page: Page, address: Address | None, stop_words: frozenset[str]) -> Extracted:
    """Return the title and the links of an HTML page at `address`."""
    utf8 = decode(page.content, page.charset).utf8.translate(_CONTROLS)
    if has_many_attributes(utf8):
        raise ValueError(f"a tag has more than {MANY_ATTRIBUTES:,} attributes")
    root = etree.fromstring(utf8, _parser()) if utf8.strip() else None
    if root is None:
        return Extracted("", [], [0] * len(LINK_REASONS))
    etree.strip_elements(root, *_DROPPED_TAGS, with_tail=False)
    title = ""
    base = None
    anchors: list[etree._Element] = []
    for element in root.iter("a", "title", "base"):
        if element.tag == "title":
            title = title or _text(element)
        elif (href := element.get("href")) is not None:
            if element.tag == "a":
                anchors.append(element)
            elif base is None:
                # As in browsers, an invalid one has no effect.
                base = resolve(address, href) or address
    return Extracted(title, *_links(anchors, address, base or address, stop_words))


def _links(
    anchors: list[etree._Element], address: Address | None, base: Address | None, stop_words: frozenset[str]
) -> tuple[list[Link], list[int]]:
    own = address.key if address else None
    # Relative to its folder, a reference means the same from all pages there, so that `link` is called with fewer bases.
    folder = base._replace(path=base.path[: base.path.rindex("/") + 1], query="") if base else None
    left_out = [0] * len(LINK_REASONS)
    seen: dict[tuple[int, int], str] = {}
    for element in anchors:
        href = element.get("href").strip()
        target = link(folder if href and href[0] not in "?#" else base, href)
        if target is None:
            left_out[NO_PAGE] += 1
            continue
        if target[0] == own:
            left_out[SELF] += 1
            continue
        text = _text(element)
        number, reason = _judged(text, stop_words)
        if reason != NO_TEXT and is_url(text, target[1]):
            reason = URL
        if reason is not None:
            left_out[reason] += 1
            continue
        pair = (number, target[0])
        if pair in seen:
            left_out[REPEATED] += 1
        # One spelling, whatever their order.
        seen[pair] = min(seen.get(pair, text), text)
    return [Link(*pair, text) for pair, text in seen.items()], left_out


@lru_cache(maxsize=1 << 14)
def _judged(text: str, stop_words: frozenset[str]) -> tuple[int, int | None]:
    """Return the hash of a text, and why it can't be a query (None if it can). Cached, as pages share links."""
    words = units(text)
    if not words:
        return 0, NO_TEXT
    least, most = weight(words, stop_words)
    if least < LEAST:
        return 0, SHORT
    return text_hash(words), LONG if most > MOST or len(text) > _LONGEST else None


def _text(element: etree._Element) -> str:
    """Return the text in an element, spaces normalised, cut off where it is too long."""
    if not len(element):
        return " ".join((element.text or "")[: _LONGEST * 4].split())
    return " ".join("".join(_pieces(element)).split())


def _pieces(element: etree._Element) -> Iterator[str]:
    length = 0
    for piece in element.itertext():
        yield str(piece)[: _LONGEST * 4]
        length += len(piece)
        if length > _LONGEST * 4:
            return


@cache
def _parser() -> etree.HTMLParser:
    return etree.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, collect_ids=False, huge_tree=True)

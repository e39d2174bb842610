"""Addresses of pages, references between them, and one key for all spellings of a page's address.

The key is a 64-bit hash. It ignores the scheme (http or https), `www.`, the default port, a slash at the end, the name of an
index page, percent-encoding and the fragment. The query and the case of the path count.
"""

from __future__ import annotations

import hashlib
import re
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import quote, unquote_to_bytes, urljoin, urlsplit

from lxml import etree

from thresher.pages.references import References

# The host of pages without URLs: an authority that no web page has.
_FOLDER = "folder:"
_WEB_SCHEMES = ("http", "https")
_DEFAULT_PORTS = ("80", "443", "")
_INDEX_PAGE = re.compile(r"(?:index|default)\.(?:x?html?|shtml|php[345]?|aspx?|jspx?|cgi|cfm)", re.IGNORECASE)
# Browsers read %2e as a dot, and remove controls and spaces at the ends of a reference.
_ENCODED_DOT = re.compile("%2e", re.IGNORECASE)
_REMOVED_AT_ENDS = "".join(map(chr, range(33)))
# Text that `quote` leaves as it is.
_UNRESERVED = re.compile(r"[A-Za-z0-9_.~-]*")
# Targets of links in memory: pages of a folder share most links.
_TARGETS_KEPT = 2**14
# Longer references are mostly data and lead to no web page. RFC 9110, 4.1: all should support addresses of 8,000 octets.
_LONGEST = 8_000


class Address(NamedTuple):
    """A page's host in lower case, its path from the root (with `/`), and its query (with `?`, or empty)."""

    host: str
    path: str
    query: str

    @property
    def url(self) -> str:
        """The base of relative references."""
        return f"http://{self.host}{self.path}{self.query}"

    @property
    def key(self) -> int:
        """The hash of the normalised address: unsigned, 64 bits."""
        parts = self.path.split("/")
        if _INDEX_PAGE.fullmatch(parts[-1]) and not self.query:
            parts[-1] = ""
        # Parts are decoded after the split, so that %2F does not become a separator.
        path = "/".join(map(_normalised_escapes, parts)).rstrip("/")
        host = self.host.removeprefix("www.")
        return _hash64(f"{host}\n{path}\n{_normalised_escapes(self.query)}")


class Link(NamedTuple):
    """The key of a link's target, and the link's text."""

    target: int
    text: str


@dataclass(frozen=True)
class PageLinks:
    """A page's links to web pages.

    Attributes:
        address: the key of the page's address; None without one.
        canonical: the key of the canonical address that the page names; None if it names none.
        links: the different links, in the page's order.
        unresolved: the number of links that lead to no web page, such as mail addresses.
    """

    address: int | None = None
    canonical: int | None = None
    links: tuple[Link, ...] = ()
    unresolved: int = 0


NO_LINKS = PageLinks()


def links_of(references: References, address: Address | None) -> PageLinks:
    """Resolve the references of a page at an address, None if it has none."""
    base = address
    if references.base is not None:
        base = resolve(address, references.base) or address
    folder = None
    if base is not None:
        folder = base._replace(path=base.path.rpartition("/")[0] + "/", query="")
    canonical = None
    if references.canonical is not None:
        canonical = resolve(base, references.canonical)
    links: dict[Link, None] = {}
    unresolved = 0
    for href, text in references.links:
        reference = href.strip(_REMOVED_AT_ENDS).partition("#")[0]
        has_path = reference[:1] not in ("", "?")
        target = _target_key(folder if has_path else base, reference)
        if target is None:
            unresolved += 1
        else:
            links[Link(target, text)] = None
    return PageLinks(
        address=_key(address),
        canonical=_key(canonical),
        links=tuple(links),
        unresolved=unresolved,
    )


def _target_key(base: Address | None, href: str) -> int | None:
    if len(href) > _LONGEST:
        return None
    return _kept_key(base, href)


@lru_cache(_TARGETS_KEPT)
def _kept_key(base: Address | None, href: str) -> int | None:
    return _key(resolve(base, href))


def _key(address: Address | None) -> int | None:
    if address is None:
        return None
    return address.key


def page_address(url: str | None, path: str | None) -> Address | None:
    """Return the address of a page from its URL, else from its path in a folder; None if it has neither.

    >>> page_address("HTTP://www.Example.org:80/a/../b.html#top", None)
    Address(host='www.example.org', path='/b.html', query='')
    >>> page_address(None, "a/b.html")
    Address(host='folder:', path='/a/b.html', query='')
    """
    if url:
        address = resolve(None, url)
        if address is not None:
            return address
    if path is None:
        return None
    # In the name of a file `?`, `#` and `%` have no special meaning.
    return Address(_FOLDER, "/" + quote(path, safe="/", errors="surrogateescape"), "")


def resolve(base: Address | None, href: str) -> Address | None:
    """Resolve a reference against `base`.

    Returns:
        the target's address; None if the target is not a web page, or if the reference is relative and there is no base.

    >>> resolve(Address("example.org", "/a/b.html", ""), "../c?d#e")
    Address(host='example.org', path='/c', query='?d')
    """
    if len(href) > _LONGEST:
        return None
    path, mark, query = href.strip(_REMOVED_AT_ENDS).partition("?")
    reference = _ENCODED_DOT.sub(".", path.replace("\\", "/")) + mark + query
    try:
        target = urlsplit(urljoin(base.url if base else "", reference))
        target_path = _without_dots(target.path or "/")
    except ValueError:
        return None
    host = _FOLDER if target.netloc == _FOLDER else _host(target.netloc)
    if not host or target.scheme not in _WEB_SCHEMES:
        return None
    target_query = f"?{target.query}" if target.query else ""
    return Address(host, target_path, target_query)


def base_address(root: etree._Element, address: Address | None) -> Address | None:
    """Return the base of a page's references: its first BASE with an `href`, resolved against its address.

    As in browsers, a BASE that names no web page has no effect.

    Args:
        root: the page's tree.
        address: the page's address; None if it has none.
    """
    for element in root.iter("base"):
        href = element.get("href")
        if href is not None:
            return resolve(address, href) or address
    return address


def canonical_address(root: etree._Element, address: Address | None) -> Address | None:
    """Return the canonical address that a page names; its own address if it names none.

    Source: RFC 6596, the link relation `canonical`.

    Args:
        root: the page's tree.
        address: the page's address; None if it has none.
    """
    base = base_address(root, address)
    for element in root.iter("link"):
        relations = (element.get("rel") or "").lower().split()
        if "canonical" in relations:
            return resolve(base, element.get("href") or "") or address
    return address


def _without_dots(path: str) -> str:
    """Remove `.` and `..` from an absolute path; urljoin leaves them in a reference that is absolute already."""
    if "/." not in path:
        return path
    return urlsplit(urljoin("http://host/", f".{path}")).path


def _host(authority: str) -> str:
    """Return the host of an authority in lower case, with its port unless that is a default; empty if there is none."""
    host, _, port = authority.rpartition("@")[2].partition(":")
    if not host.isascii():
        with suppress(UnicodeError):
            host = host.encode("idna").decode()
    host = host.lower().rstrip(".")
    if not host or any(character.isspace() for character in host):
        return ""
    if port in _DEFAULT_PORTS:
        return host
    return f"{host}:{port}"


def _normalised_escapes(text: str) -> str:
    if _UNRESERVED.fullmatch(text):
        return text
    return quote(unquote_to_bytes(text.encode("utf-8", "surrogatepass")), safe="")


def _hash64(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest())

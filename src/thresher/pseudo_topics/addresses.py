"""Addresses of pages and targets of links: RFC 3986 as browsers apply it, with one key for all spellings of a page.

A key is a 64-bit hash. It ignores the scheme (http or https), `www.`, the default port, a slash at the end, the name of an
index page, percent-encoding and the fragment. The query and the case of the path count.
"""

from __future__ import annotations

import hashlib
import re
from contextlib import suppress
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import quote, unquote_to_bytes

# The host of pages without URLs, which no web page can have.
_FOLDER = "folder:"
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_WEB = ("http", "https")
_DEFAULT_PORTS = ("80", "443", "")
_INDEX = re.compile(r"(?:index|default)\.(?:x?html?|shtml|php[345]?|aspx?|jspx?|cgi|cfm)", re.IGNORECASE)
# What browsers remove anywhere in an address, and at its ends.
_REMOVED = str.maketrans("", "", "\t\r\n")
_STRIPPED = "".join(map(chr, range(33)))
_KEY_BYTES = 8


class Address(NamedTuple):
    """A page's host in lower case, its path from the root (with `/`), and its query (with `?`, or empty)."""

    host: str
    path: str
    query: str

    @property
    def site(self) -> int:
        """The hash of the host; all pages without URLs have the same."""
        return _hashed(_plain_host(self.host))

    @property
    def key(self) -> int:
        """The hash of the normalised address: unsigned, 64 bits."""
        *folders, name = self.path.split("/")
        name = "" if _INDEX.fullmatch(name) and not self.query else name
        path = "/".join(map(_encoded, [*folders, name])).rstrip("/")
        query = _encoded(self.query) if len(self.query) > 1 else ""
        return _hashed(f"{_plain_host(self.host)}\n{path}\n{query}")


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
    reference = href.strip(_STRIPPED).translate(_REMOVED).partition("#")[0]
    if scheme := _SCHEME.match(reference):
        if scheme[1].lower() not in _WEB:
            return None
        reference = reference[scheme.end() :]
        base = base if base and base.host != _FOLDER else None
    reference, mark, query = reference.partition("?")
    reference = reference.replace("\\", "/")
    if reference.startswith("//"):
        authority, _, path = reference[2:].partition("/")
        host = _host(authority)
        return Address(host, _without_dots("/" + path), mark + query) if host else None
    if base is None:
        return None
    if not reference:
        return Address(base.host, base.path, mark + query if mark else base.query)
    if not reference.startswith("/"):
        reference = base.path[: base.path.rindex("/") + 1] + reference
    return Address(base.host, _without_dots(reference), mark + query)


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


def _without_dots(path: str) -> str:
    """Return a path without the segments `.` and `..` (RFC 3986, 5.2.4); `%2e` is a dot, as to browsers."""
    if "." not in path and "%2" not in path:
        return path
    kept: list[str] = []
    segments = path.split("/")[1:]
    for index, segment in enumerate(segments):
        dots = segment.replace("%2e", ".").replace("%2E", ".") if len(segment) <= 6 else segment
        if dots == "..":
            kept = kept[:-1]
        elif dots != ".":
            kept.append(segment)
            continue
        if index == len(segments) - 1:
            kept.append("")
    return "/" + "/".join(kept)


def _plain_host(host: str) -> str:
    return host.removeprefix("www.")


def _encoded(text: str) -> str:
    # The path was split before, so that %2F does not become a separator.
    if text.isalnum() and text.isascii():
        return text
    return quote(unquote_to_bytes(text.encode("utf-8", "surrogatepass")), safe="")


def _hashed(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_KEY_BYTES).digest())


def document_key(document_id: str) -> int:
    """Return the key of a page without an address, from its id."""
    return _hashed(f"id\n{document_id}")

"""Addresses of pages, and where links lead: RFC 3986 as browsers read it, and spellings that mean the same page made one.

An address is known by its key, 64 bits of a hash. These are one address: http and https; a host with `www.` and without; the
port that the scheme stands for, or none; a folder, with a slash at its end or without, and its index page; what is written as
it is, and the same percent-encoded. Fragments are dropped. A query is part of the address, and so is the case of a path.
"""

from __future__ import annotations

import hashlib
import re
from contextlib import suppress
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import quote, unquote_to_bytes

# Where a page without a URL lies: a host that no page can have.
_FOLDER = "folder:"
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_WEB = ("http", "https")
_DEFAULT_PORTS = ("80", "443", "")
_INDEX = re.compile(r"(?:index|default)\.(?:x?html?|shtml|php[345]?|aspx?|jspx?|cgi|cfm)", re.IGNORECASE)
# What browsers take out of an address, wherever it stands, and what they strip.
_REMOVED = str.maketrans("", "", "\t\r\n")
_STRIPPED = "".join(map(chr, range(33)))
_KEY_BYTES = 8


class Address(NamedTuple):
    """Where a page is: its host in lower case, its path from the root (with `/`), and its query (with `?`), perhaps empty."""

    host: str
    path: str
    query: str

    @property
    def site(self) -> int:
        """A number for the host, that of all pages without URLs being one."""
        return _hashed(_plain_host(self.host))

    @property
    def key(self) -> int:
        """The number of the address: unsigned, 64 bits."""
        return _key(self)


def page_address(url: str | None, path: str | None) -> Address | None:
    """Return the address of a page by its URL, else by its path in a folder; None if it has neither.

    >>> page_address("HTTP://www.Example.org:80/a/../b.html#top", None)
    Address(host='www.example.org', path='/b.html', query='')
    >>> page_address(None, "a/b.html")
    Address(host='folder:', path='/a/b.html', query='')
    """
    if url and (found := resolve(None, url)):
        return found
    # The name of a file is no reference: in it, `?` and `#` and `%` mean themselves.
    return None if path is None else Address(_FOLDER, "/" + quote(path, safe="/", errors="surrogateescape"), "")


def resolve(base: Address | None, href: str) -> Address | None:
    """Return where a reference leads from the address `base`; None if it is to no web page, or there is nothing to go from.

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
    """Return the key of the address that a reference leads to, and its host and path as people write them.

    None where `resolve` gives none. Remembers many, for pages of a site share links.
    """
    address = resolve(base, href)
    return (address.key, _spelled(address)) if address else None


def _host(authority: str) -> str:
    """Return the host of an authority in lower case, with its port unless it is the scheme's; empty if there is none."""
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
    for place, segment in enumerate(segments):
        dots = segment.replace("%2e", ".").replace("%2E", ".") if len(segment) <= 6 else segment
        if dots == "..":
            kept = kept[:-1]
        elif dots != ".":
            kept.append(segment)
            continue
        if place == len(segments) - 1:
            kept.append("")
    return "/" + "/".join(kept)


def _plain_host(host: str) -> str:
    return host.removeprefix("www.")


def _key(address: Address) -> int:
    *folders, name = address.path.split("/")
    name = "" if _INDEX.fullmatch(name) and not address.query else name
    path = "/".join(map(_encoded, [*folders, name])).rstrip("/")
    query = _encoded(address.query) if len(address.query) > 1 else ""
    return _hashed(f"{_plain_host(address.host)}\n{path}\n{query}")


def _encoded(text: str) -> str:
    # A slash that is written %2F stays one, for the path was split before.
    if text.isalnum() and text.isascii():
        return text
    return quote(unquote_to_bytes(text.encode("utf-8", "surrogatepass")), safe="")


def _spelled(address: Address) -> str:
    return (_plain_host(address.host) + address.path).rstrip("/").lower()


def _hashed(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_KEY_BYTES).digest())


def document_key(document_id: str) -> int:
    """Return the key of a page that has no address: that of its id."""
    return _hashed(f"id\n{document_id}")

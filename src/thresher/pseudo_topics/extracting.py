"""The title, the links and other texts of a page that may be topics, by a parse of its own, apart from the scoring pass; and
addresses of pages, with one key for all spellings of a page.

A key is a 64-bit hash. It ignores the scheme (http or https), `www.`, the default port, a slash at the end, the name of an
index page, percent-encoding and the fragment. The query and the case of the path count.
"""

from __future__ import annotations

import hashlib
import html
import json
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from http import HTTPStatus
from typing import Any, NamedTuple
from urllib.parse import quote, unquote_to_bytes, urljoin, urlsplit

from lxml import etree

from thresher.base.files import fit_text
from thresher.collections import Page
from thresher.pages import check_text
from thresher.pages.decoding import decode
from thresher.pages.parsing import has_many_attributes, with_breaks

LEAST, MOST = 4, 24
"""Bounds on the `weight` of a text, without its stop words."""
FEWEST_TITLES = 3

# What separates the parts of a title.
_SEPARATORS = " -‐‑‒–—―|¦:·•»«›‹>/_~,;、｜：／－"
# Han, kana, Thai, Lao, Burmese and Khmer, which put no spaces between words.
_UNSPACED = (
    (0x0E00, 0x0EFF),
    (0x1000, 0x109F),
    (0x1780, 0x17FF),
    (0x3040, 0x30FF),
    (0x31F0, 0x31FF),
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x3FFFF),
)
_URL = re.compile(r"(?:[a-z][a-z0-9+.-]*://|www\.|mailto:)\S*", re.IGNORECASE)
_NUMBER = re.compile(r"\d{3}")
_REASONS = {str(int(status)): status.phrase.casefold() for status in HTTPStatus if status >= HTTPStatus.BAD_REQUEST}


class _Units(dict[int, str]):
    """Maps characters for `str.translate`: to a space what is not a letter, digit or mark; unspaced letters get one before."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        kind = unicodedata.category(character)
        if kind == "Cf":  # joiners and soft hyphens, which occur within words
            self[code] = ""
        elif kind[0] in "PSZC":
            self[code] = " "
        else:
            self[code] = f" {character}" if kind[0] != "M" and is_unspaced(character) else character
        return self[code]


_UNITS = _Units()


def is_unspaced(character: str) -> bool:
    """Return whether a character is of a script that puts no spaces between words."""
    code = ord(character)
    return code >= 0x0E00 and any(low <= code <= high for low, high in _UNSPACED)


def units(text: str) -> list[str]:
    """Split a text into words, or characters where words are not spaced, ignoring case, width and punctuation.

    >>> units("What’s new – in C++?"), units("全文検索")
    (['what', 's', 'new', 'in', 'c'], ['全', '文', '検', '索'])
    """
    return unicodedata.normalize("NFKC", text).casefold().translate(_UNITS).split()


def weight(words: list[str], stop_words: frozenset[str]) -> tuple[int, int]:
    """Return two lengths of a text without stop words, to compare with `LEAST` and with `MOST`.

    In the first a word counts its letters, an unspaced character 2; in the second a word counts 2, an unspaced character 1.
    """
    least = most = 0
    for word in words:
        if word not in stop_words:
            unspaced = is_unspaced(word[0])
            least += 2 if unspaced else len(word)
            most += 1 if unspaced else 2
    return least, most


def hashed(text: str) -> int:
    """Return an unsigned 64-bit hash."""
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest())


def is_url(text: str, target: str) -> bool:
    """Return whether an anchor text is an address: one with a scheme or `www.`, or `target` as people write it."""
    return bool(_URL.fullmatch(text)) or text.strip("/").lower() == target


def is_error(words: list[str]) -> bool:
    """Return whether a title is an error page's: an HTTP status from 400 on with its reason or `error`, or a reason alone.

    >>> is_error(units("404 - Page Not Found")), is_error(units("Error 500")), is_error(units("500 days of summer"))
    (True, True, False)
    """
    text = " ".join(words)
    if text in _REASONS.values() or text == "page not found":
        return True
    codes = [word for word in words if _NUMBER.fullmatch(word) and word in _REASONS]
    return any("error" in words or _REASONS[code].replace("-", " ") in text for code in codes)


@dataclass(frozen=True)
class Boilerplate:
    """The prefix and suffix of more than half of a site's titles, and of at least `FEWEST_TITLES`."""

    prefix: str
    suffix: str

    def cut(self, title: str) -> str:
        """Remove as much of the prefix and suffix as a title has, with the separators next to them.

        >>> Boilerplate("Python: module ", "").cut("Python: package json")
        'package json'
        """
        end = len(title) - _boundary(title[::-1], _common(title[::-1], self.suffix[::-1]))
        rest = title[:end].rstrip(_SEPARATORS) if end < len(title) else title
        begin = _boundary(rest, _common(rest, self.prefix))
        return rest[begin:].lstrip(_SEPARATORS) if begin else rest


def title_boilerplate(titles: Collection[str]) -> Boilerplate:
    """Find the boilerplate in a site's titles, such as its name, in whole words. Equal titles count once."""
    different = sorted(set(titles))
    return Boilerplate(_shared(different), _shared([title[::-1] for title in different])[::-1])


def _shared(titles: list[str]) -> str:
    need = max(len(titles) // 2 + 1, FEWEST_TITLES)
    shared: list[str] = []
    holders = titles
    while True:
        depth = len(shared)
        heads = Counter(title[depth] for title in holders if len(title) > depth)
        head, count = heads.most_common(1)[0] if heads else ("", 0)
        if count < need:
            break
        shared.append(head)
        holders = [title for title in holders if len(title) > depth and title[depth] == head]
    text = "".join(shared)
    # At least one title must have a word boundary there.
    return text[: max(_boundary(title, len(text)) for title in holders)] if text else ""


def _common(title: str, affix: str) -> int:
    pairs = enumerate(zip(title, affix, strict=False))
    return next((index for index, (one, other) in pairs if one != other), min(len(title), len(affix)))


def _boundary(text: str, offset: int) -> int:
    while 0 < offset < len(text) and all(
        unicodedata.category(character)[0] in "LMN" and not is_unspaced(character)
        for character in text[offset - 1 : offset + 1]
    ):
        offset -= 1
    return offset


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
        """The base of relative references."""
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
    """A page's title, its links, each once, how many were left out, by `LINK_REASONS`, and texts, any of them perhaps empty.

    Those are its meta description (the first sentence), a question of its JSON-LD, and a random sentence of its text.
    """

    title: str
    links: list[Link]
    left_out: list[int]
    description: str = ""
    question: str = ""
    sentence: str = ""


def extract(page: Page, address: Address | None, stop_words: frozenset[str]) -> Extracted:
    """Return the title, the links and other texts of an HTML page at `address`.

    Raises:
        PageError: if it is no text.
    """
    check_text(page)
    utf8 = with_breaks(decode(page.content, page.charset).utf8.translate(_CONTROLS))
    options = {"remove_comments": True, "remove_pis": True, "collect_ids": False, "huge_tree": True}
    target = _Few() if has_many_attributes(utf8) else None
    parser = etree.HTMLParser(encoding="utf-8", target=target, **options)
    root = etree.fromstring(utf8, parser) if utf8.strip() else None
    if root is None:
        return Extracted("", [], [0] * len(LINK_REASONS))
    question = _question(root)
    etree.strip_elements(root, *_DROPPED_TAGS, with_tail=False)
    title = description = ""
    base = None
    anchors: list[etree._Element] = []
    for element in root.iter("a", "title", "base", "meta"):
        if element.tag == "title":
            title = title or _text(element)
        elif element.tag == "meta":
            if (element.get("name") or element.get("property") or "").lower() in _DESCRIPTIONS:
                description = description or _END.split(" ".join((element.get("content") or "").split()))[0]
        elif (href := element.get("href")) is not None:
            if element.tag == "a":
                anchors.append(element)
            elif base is None:
                # As in browsers, an invalid one has no effect.
                base = resolve(address, href) or address
    links = _links(anchors, address, base or address, stop_words)
    return Extracted(title, *links, description, question, _sentence(root, utf8, stop_words))


_DESCRIPTIONS = ("description", "og:description", "twitter:description")
_JSON_LD, _DEEPEST = "application/ld+json", 20
_END = re.compile(r"(?<=[.!?])\s+(?=\S)|(?<=[。！？])")
# Neither sentences nor what stands where nobody reads on.
_NO_SENTENCES = ("a", "button", "label", "option", "textarea", "title", *(f"h{level}" for level in range(1, 7)))
_LEAST_WORDS = 5
SENTENCE_ENDS = tuple(".!?。！？")


def _question(root: etree._Element) -> str:
    """Return the first question with an answer in the JSON-LD of a page (schema.org's `Question`)."""
    for element in root.iter("script"):
        if (element.get("type") or "").strip().lower() == _JSON_LD:
            with suppress(ValueError, RecursionError):
                if found := _asked(json.loads(element.text or "", strict=False), _DEEPEST):
                    # JSON may have half of a surrogate pair, which no file can.
                    return fit_text(" ".join(found.split()))
    return ""


def _asked(value: Any, depth: int) -> str:
    if isinstance(value, dict):
        named, answered = value.get("name"), value.get("acceptedAnswer") or value.get("suggestedAnswer")
        if value.get("@type") == "Question" and isinstance(named, str) and answered:
            return named
        value = [*value.values()]
    inner = value if isinstance(value, list) and depth else ()
    return next(filter(None, (_asked(one, depth - 1) for one in inner)), "")


def _sentence(root: etree._Element, utf8: bytes, stop_words: frozenset[str]) -> str:
    """Return a sentence of the page's text with the length of a topic that stands in its source as it is; a random one."""
    found: dict[int, str] = {}
    for element in root.iter():
        for piece in (element.tail, None if element.tag in _NO_SENTENCES else element.text):
            for sentence in _END.split(piece) if piece and len(piece) >= 2 * _LEAST_WORDS - 1 else ():
                words = sentence.split()
                if len(words) >= _LEAST_WORDS and sentence.rstrip().endswith(SENTENCE_ENDS):
                    found[hashed(" ".join(words))] = " ".join(words)
    source = utf8.decode("utf-8", "replace")
    for _, sentence in sorted(found.items()):
        least, most = weight(units(sentence), stop_words)
        if least >= 2 * LEAST and most <= MOST and in_source(sentence).search(source):
            return sentence
    return ""


_SPACED = r"(?:\s|&nbsp;|&#160;)+"
_ESCAPED = {one: f"(?:{re.escape(one)}|{html.escape(one)}|&#{ord(one)};)" for one in "<>&\"'"}


def in_source(sentence: str) -> re.Pattern[str]:
    """Return what finds a sentence in the source of a page, however its words are spaced and its characters escaped."""
    words = ("".join(_ESCAPED.get(one, re.escape(one)) for one in word) for word in sentence.split())
    return re.compile(_SPACED.join(words))


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
        number, reason = _normalised(text, stop_words)
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
def _normalised(text: str, stop_words: frozenset[str]) -> tuple[int, int | None]:
    """Return the hash of a text, and why it can't be a query (None if it can). Cached, as pages share links."""
    words = units(text)
    if not words:
        return 0, NO_TEXT
    least, most = weight(words, stop_words)
    if least < LEAST:
        return 0, SHORT
    return hashed(" ".join(words)), LONG if most > MOST or len(text) > _LONGEST else None


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


_READ = ("href", "name", "property", "content", "type")


class _Few:
    """A parser target that makes a tree without attributes that are not read: time goes with the square of their number."""

    def __init__(self) -> None:
        builder = etree.TreeBuilder()
        self._start, self.end, self.data, self.close = builder.start, builder.end, builder.data, builder.close

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        self._start(tag, {name: attributes[name] for name in _READ if name in attributes})

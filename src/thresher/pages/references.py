"""The references of a page, noted while it is parsed: links with their texts, its BASE, and its canonical address."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

StartTag = Callable[[str, Mapping[str, str]], None]
EndTag = Callable[[str], None]
# Characters of a link's text that count: more are a part of the page that links, and no name of the page linked to.
_LONGEST_TEXT = 4_096
_WATCHED = frozenset(("a", "area", "base", "img", "link"))


class Reference(NamedTuple):
    """A link: its attribute HREF, and its text with the texts in place of images, up to `_LONGEST_TEXT` characters.

    Words are joined by single spaces.
    """

    href: str
    text: str


@dataclass(frozen=True)
class References:
    """What a page refers to.

    Attributes:
        links: of A and AREA with an HREF, in their order.
        base: the HREF of the first BASE that has one; None without any.
        canonical: the HREF of the first LINK of the relation `canonical`; None without any.
    """

    links: tuple[Reference, ...] = ()
    base: str | None = None
    canonical: str | None = None


@dataclass
class ReferenceReader:
    """Notes references while the parser's functions write a page into `pieces`.

    Attributes:
        pieces: what is written; a link's text is what was written since it began.
        marks: matches what is written and is no text.
        begin: the first piece of the link that is open; -1 for none.
        href: of that link.
        images: for each image in that link the number of pieces before it, and its text.
    """

    pieces: list[str]
    marks: re.Pattern[str]
    begin: int = -1
    href: str = ""
    images: list[tuple[int, str]] = field(default_factory=list)
    links: list[Reference] = field(default_factory=list)
    base: str | None = None
    canonical: str | None = None

    def watch_start(self, start: StartTag) -> StartTag:
        """Return a function that notes a begin tag and calls `start`."""
        note = self._note

        def watched(tag: str, attributes: Mapping[str, str]) -> None:
            if tag in _WATCHED:
                note(tag, attributes)
            start(tag, attributes)

        return watched

    def watch_end(self, end: EndTag) -> EndTag:
        """Return a function that notes an end tag and calls `end`."""
        close = self._close_link

        def watched(tag: str) -> None:
            if tag == "a":
                close()
            end(tag)

        return watched

    def take_back(self, first: int) -> None:
        """Forget the images of the open link behind the first `first` pieces, which are hidden."""
        while self.images and self.images[-1][0] >= first:
            self.images.pop()

    def references(self) -> References:
        """Return what was noted."""
        return References(tuple(self.links), self.base, self.canonical)

    def _note(self, tag: str, attributes: Mapping[str, str]) -> None:
        if tag == "a":
            self._close_link()
            if "href" in attributes:
                self.begin, self.href = len(self.pieces), attributes["href"]
        elif tag == "img":
            if self.begin >= 0:
                self.images.append((len(self.pieces), attributes.get("alt", "")))
        elif tag == "area":
            if "href" in attributes:
                self.links.append(Reference(attributes["href"], _named_by(attributes.get("alt", ""))))
        elif tag == "base":
            if self.base is None:
                self.base = attributes.get("href")
        elif self.canonical is None and "canonical" in attributes.get("rel", "").lower().split():
            self.canonical = attributes.get("href", "")

    def _close_link(self) -> None:
        if self.begin < 0:
            return
        pieces: list[str] = []
        first = self.begin
        for place, text in self.images:
            pieces += [*self.pieces[first:place], " ", text, " "]
            first = place
        written = "".join([*pieces, *self.pieces[first:]])
        self.links.append(Reference(self.href, _named_by(self.marks.sub("", written))))
        self.begin = -1
        self.images.clear()


def _named_by(text: str) -> str:
    return " ".join(text.split())[:_LONGEST_TEXT].rstrip()

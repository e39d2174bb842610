"""The references of a page, noted while it is parsed: links with their texts, its BASE, and its canonical address."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

# Characters of a link's text that count. A longer text is a part of the page itself, and no name of the link's target.
_LONGEST_TEXT = 4_096
WATCHED = frozenset(("a", "area", "base", "img", "link"))
"""The tags whose attributes are references or the texts of links."""


class Reference(NamedTuple):
    """A link: its attribute HREF, and its text with the ALT texts of images, up to `_LONGEST_TEXT` characters.

    Words are joined by single spaces.
    """

    href: str
    text: str


@dataclass(frozen=True)
class References:
    """The references of a page.

    Attributes:
        links: the links of A and AREA with an HREF, in their order.
        base: the HREF of the first BASE with an HREF; None if there is none.
        canonical: the HREF of the first LINK of the relation `canonical`; None if there is none.
    """

    links: tuple[Reference, ...] = ()
    base: str | None = None
    canonical: str | None = None


@dataclass
class ReferenceReader:
    """Notes references while the parser's functions write a page into `pieces`.

    Attributes:
        pieces: the written pieces; a link's text is in the pieces since it began.
        marks: matches the marks in written pieces, which are no text.
        begin: the first piece of the link that is open; -1 for none.
        href: the HREF of the link that has begun.
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

    def take_back(self, first: int) -> None:
        """Forget the images of the open link behind the first `first` pieces: they are in an element that is left out."""
        while self.images and self.images[-1][0] >= first:
            self.images.pop()

    def references(self) -> References:
        """Return what was noted."""
        return References(tuple(self.links), self.base, self.canonical)

    def note(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Note a begin tag of `WATCHED`, before anything is written for it."""
        if tag == "a":
            self.close_link()
            if "href" in attributes:
                # The link's text begins behind the link's own mark, which is one piece.
                self.begin = len(self.pieces) + 1
                self.href = attributes["href"]
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

    def close_link(self) -> None:
        """Note the open link with its text, if there is one."""
        if self.begin < 0:
            return
        pieces: list[str] = []
        first = self.begin
        for place, text in self.images:
            pieces.extend(self.pieces[first:place])
            pieces.append(f" {text} ")
            first = place
        pieces.extend(self.pieces[first:])
        written = "".join(pieces)
        self.links.append(Reference(self.href, _named_by(self.marks.sub("", written))))
        self.begin = -1
        self.images.clear()


def _named_by(text: str) -> str:
    return " ".join(text.split())[:_LONGEST_TEXT].rstrip()

"""What many titles of a site begin or end with: the site's name and the like, which says nothing of a page."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass

from thresher.pseudo_topics.texts import is_unspaced

FEWEST_TITLES = 3
# What stands between the parts of a title.
_SEPARATORS = " -‐‑‒–—―|¦:·•»«›‹>/_~,;、｜：／－"


@dataclass(frozen=True)
class Furniture:
    """What more than half of a site's titles, and at least `FEWEST_TITLES`, begin and end with."""

    prefix: str
    suffix: str

    def cut(self, title: str) -> str:
        """Return a title without as much of the prefix and suffix as it has, and without separators where it was cut.

        >>> Furniture("Python: module ", "").cut("Python: package json")
        'package json'
        """
        end = len(title) - _boundary(title[::-1], _common(title[::-1], self.suffix[::-1]))
        rest = title[:end].rstrip(_SEPARATORS) if end < len(title) else title
        begin = _boundary(rest, _common(rest, self.prefix))
        return rest[begin:].lstrip(_SEPARATORS) if begin else rest


def furniture(titles: Collection[str]) -> Furniture:
    """Find what more than half of the titles of a site begin or end with, wherever that is not within a word.

    Titles that are the same count as one. Fewer than `FEWEST_TITLES` say nothing.
    """
    different = sorted(set(titles))
    return Furniture(_shared(different), _shared([title[::-1] for title in different])[::-1])


def _shared(titles: list[str]) -> str:
    """Return the longest text that enough of the titles begin with and that ends between two words."""
    need = max(len(titles) // 2 + 1, FEWEST_TITLES)
    shared: list[str] = []
    holders = titles
    while True:
        depth = len(shared)
        # The end of a title is a place like any other: a title that is nothing more holds it as well.
        heads = Counter(title[depth] for title in holders if len(title) > depth)
        head, count = heads.most_common(1)[0] if heads else ("", 0)
        if count < need:
            break
        shared.append(head)
        holders = [title for title in holders if len(title) > depth and title[depth] == head]
    text = "".join(shared)
    # Where titles go on differently; one of them tells whether that is within a word.
    return text[: max(_boundary(title, len(text)) for title in holders)] if text else ""


def _common(title: str, affix: str) -> int:
    """Return how many characters a title and an affix have in common at their beginning."""
    length = 0
    for one, other in zip(title, affix, strict=False):
        if one != other:
            break
        length += 1
    return length


def _boundary(text: str, place: int) -> int:
    """Return the last place up to `place` that is not within a word of `text`."""
    while 0 < place < len(text) and _in_word(text[place - 1], text[place]):
        place -= 1
    return place


def _in_word(before: str, after: str) -> bool:
    return all(_is_spaced_letter(character) for character in (before, after))


def _is_spaced_letter(character: str) -> bool:
    return unicodedata.category(character)[0] in "LMN" and not is_unspaced(character)

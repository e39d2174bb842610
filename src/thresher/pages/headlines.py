"""The headline of a page: the heading that shares most words with the title, beyond the name of the site."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

from thresher.pages.parsing import TITLE_LEVEL

_WORD = re.compile(r"\w+")
_SOFT_HYPHEN = "\u00ad"
_SEPARATOR = re.compile(r"\s*[|│»«·•–—]\s*|\s+[-:/~]+\s+|:\s+")
"""The separators of the parts of a title."""
_MOST_PARTS = 12
"""A title of more parts names no site."""
_LONG_WORD = 4
"""Shorter words are no evidence if two texts share them."""
_LOWEST_LEVEL = 3
"""Lower headings are no headlines if an H1 shares words with the title."""
_OWN_SHARE = 1 / 4
"""The least share of its own letters that an H1 has in common with the title."""
_TITLE_SHARE = 1 / 3
_MOST_OF_TITLE = 3 / 4
"""The least share of the title's letters in a lower heading: if its words stand there in a row, and if they do not."""
Words = tuple[str, ...]


class _Heading(NamedTuple):
    """A heading: its block, its level, its words, and its words as one text."""

    block: int
    level: int
    words: Words
    text: str


class _Site(NamedTuple):
    """The words of the site's name, empty if unknown; and the headline, if its heading was found together with the name."""

    words: Words
    headline: _Heading | None = None


class _TitlePart(NamedTuple):
    """A part of a title that may be the site's name, and the words before it."""

    words: Words
    before: Words
    is_end: bool


@dataclass(frozen=True)
class _Title:
    """A title's words as one text, and its words that are not in the site's name."""

    text: str
    words: frozenset[str]

    def holds(self, heading: _Heading) -> bool:
        """Return whether the heading's words stand in the title in a row."""
        return heading.text in self.text

    def shared(self, heading: _Heading) -> int:
        """Return the letters of the words that the heading shares with the title."""
        return _letters(self.words.intersection(heading.words))

    def is_about(self, heading: _Heading) -> bool:
        """Return whether a lower heading says a good part of the title."""
        letters = self.shared(heading)
        if not letters:
            return False
        shared = letters / _letters(self.words)
        return shared >= _MOST_OF_TITLE or (self.holds(heading) and shared >= _TITLE_SHARE)


def find_headline(blocks: Sequence[str], levels: Sequence[int]) -> int | None:
    """Return the index of the block that is the page's headline, if any; for the arguments see `Segments`.

    The headline is the H1 that shares most with the title beyond the site's name, or a lower heading that shares more than
    twice as much. Without either it is the first H1 that is not the site's name, else the longest other block whose words are
    at least half of the title. Source: this project's; scripts/pages/content.md reports its effect.
    """
    headings: list[_Heading] = []
    for at, level in enumerate(levels):
        if 0 < level < TITLE_LEVEL and (words := _words(blocks[at])):
            headings.append(_Heading(at, level, words, _spaced(words)))
    title = ""
    if TITLE_LEVEL in levels:
        title = blocks[levels.index(TITLE_LEVEL)]
    headline = _by_title(title, headings)
    if headline is not None:
        return headline.block
    if 1 in levels:
        return levels.index(1)
    return _longest_text_in(_spaced(_words(title)), blocks, levels)


def _by_title(title: str, headings: Sequence[_Heading]) -> _Heading | None:
    """Return the heading that is the headline by a page's title, or the first H1 that is not the site's name, if any."""
    site = _site_name(title, headings)
    if site.headline is not None:
        return site.headline
    words = _words(title)
    about = _Title(_spaced(words), frozenset(words).difference(site.words))
    h1s: list[_Heading] = []
    lower: list[_Heading] = []
    for heading in headings:
        if heading.words == site.words:
            continue
        if heading.level == 1:
            h1s.append(heading)
        else:
            lower.append(heading)
    best = _best_h1(h1s, about)
    fits_title = about.is_about if h1s else about.holds
    best_lower: _Heading | None = None
    for heading in lower:
        is_low = best is not None and heading.level > _LOWEST_LEVEL
        if is_low or not fits_title(heading):
            continue
        if best_lower is None or about.shared(heading) > about.shared(best_lower):
            best_lower = heading
    if best_lower is not None and (best is None or about.shared(best_lower) > 2 * about.shared(best)):
        return best_lower
    if best is None and h1s:
        return h1s[0]
    return best


def _best_h1(h1s: Sequence[_Heading], title: _Title) -> _Heading | None:
    """Return the H1 that shares most with the title; an H1 whose words stand there in a row may share half as much."""
    sharing: list[_Heading] = []
    most = 0
    for heading in h1s:
        shared = title.shared(heading)
        if shared >= max(_OWN_SHARE * _letters(heading.words), 1):
            sharing.append(heading)
            most = max(most, shared)
    likely = [heading for heading in sharing if 2 * title.shared(heading) >= most]
    return max(likely, key=lambda heading: (title.holds(heading), title.shared(heading)), default=None)


def _site_name(title: str, headings: Sequence[_Heading]) -> _Site:
    """Return the name of the site: a part of the title that is a heading too, while another heading says another part.

    The name mostly stands last in the title and first on the page.
    """
    parts: list[Words] = []
    for part_text in _SEPARATOR.split(title):
        words = _words(part_text)
        if words:
            parts.append(words)
    title_text = _spaced(_words(title))
    first_by_words = {heading.words: heading for heading in reversed(headings)}
    for part in _parts_behind_the_first(parts):
        named = first_by_words.get(part.words)
        if named is None:
            continue
        for other in headings:
            if other.words == part.words:
                continue
            begins_title = title_text.startswith(other.text)
            if begins_title and other.block < named.block:
                if _is_name_before(other, named):
                    return _Site(other.words, named)
            elif (begins_title and (part.is_end or len(named.text) < 2 * len(other.text))) or _is_headline_after(
                other, named, part
            ):
                return _Site(part.words)
    return _Site(())


def _parts_behind_the_first(parts: Sequence[Words]) -> list[_TitlePart]:
    """Return the ends of the title, and then its single parts, from the last on."""
    if len(parts) > _MOST_PARTS:
        return []
    ends: list[_TitlePart] = []
    singles: list[_TitlePart] = []
    for place in range(len(parts) - 1, 0, -1):
        before = tuple(chain.from_iterable(parts[:place]))
        ends.append(_TitlePart(tuple(chain.from_iterable(parts[place:])), before, is_end=True))
        singles.append(_TitlePart(parts[place], before, is_end=False))
    return ends + singles


def _is_name_before(first: _Heading, second: _Heading) -> bool:
    """Return whether the first of two headings on the page, which begins the title, is the site's name."""
    if first.level == second.level:
        return True
    return first.level < second.level <= 2 and len(first.text) < len(second.text)


def _is_headline_after(heading: _Heading, named: _Heading, part: _TitlePart) -> bool:
    """Return whether a heading follows `named`, the heading of a short part, on its level, and shares a word with the rest."""
    if heading.block < named.block or heading.level != named.level or len(named.text) >= len(_spaced(part.before)):
        return False
    return any(len(word) >= _LONG_WORD for word in set(heading.words).intersection(part.before))


def _longest_text_in(title: str, blocks: Sequence[str], levels: Sequence[int]) -> int | None:
    """Return the first of the longest blocks that are no headings and whose words stand in the title, half of it at least."""
    longest: int | None = None
    most = max(len(title) / 2, 1)
    for at, level in enumerate(levels):
        if level or not len(title) / 2 <= len(blocks[at]) <= 2 * len(title):
            continue
        text = _spaced(_words(blocks[at]))
        if text in title and (len(text) > most or (longest is None and len(text) >= most)):
            longest = at
            most = len(text)
    return longest


def _words(text: str) -> Words:
    return tuple(_WORD.findall(text.lower().replace(_SOFT_HYPHEN, "")))


def _spaced(words: Words) -> str:
    """Return words with a space before and after each."""
    if not words:
        return ""
    return f" {' '.join(words)} "


def _letters(words: Iterable[str]) -> int:
    """Return the number of letters of different words."""
    return sum(map(len, set(words)))

"""Blocks of marked text, and their features from a page's tags: links, paragraphs, list items, tag counts, elements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from thresher.base.numbers import Ints
from thresher.pages import parsing

Mask = npt.NDArray[np.bool_]
_LINE_FEED = ord("\n")
_MARK = ord(parsing.MARK)
_SPACE = ord(" ")
_NO_HEADING = ord("0")
# In UTF-8, the first two bits of every byte that continues a character.
_FIRST_BITS = 0xC0
_CONTINUES = 0x80
_FORM_MARKS = parsing.SELECT + parsing.SELECT_END + parsing.TEXTAREA + parsing.TEXTAREA_END


def _is_among(marks: str) -> Mask:
    """Return for each byte whether it is one of these marks; shape (256,)."""
    among = np.zeros(256, dtype=np.bool_)
    among[list(marks.encode())] = True
    return among


# Marks after a line feed that end no paragraph, with and without the marks of forms; and marks that begin an element.
_WITHIN_PARAGRAPH = _is_among(parsing.WITHIN_PARAGRAPH)
_OUTSIDE_FORMS = _WITHIN_PARAGRAPH & ~_is_among(_FORM_MARKS)
_BEGIN = _is_among(parsing.BEGIN)


class Lines(NamedTuple):
    """The blocks of marked text.

    Attributes:
        text: the blocks, joined by line feeds, with one space between words.
        levels: each block's heading level: 0 for none, 1 to 6, 7 for the page's title.
        places: the position of each character of the text in the marked text, in bytes; for white space, the begin of its
            run. None if `lines` was called without `placed`.
    """

    text: str
    levels: list[int]
    places: Ints | None


class LinkSpans(NamedTuple):
    """The offsets in a page's text at which the text of each link begins and ends; ascending, disjoint, none empty."""

    begins: Ints
    ends: Ints


class ElementMarks(NamedTuple):
    """The positions in the marked text where elements begin or end, ascending; and whether an element begins there."""

    positions: Ints
    is_begin: Mask


class _TagCounts(NamedTuple):
    """The number of tags before each block's first character and before its last one."""

    before_first: Ints
    before_last: Ints


class _MarksByKind(NamedTuple):
    """The positions of marks, ordered by kind; and for each byte the number of marks of lower bytes."""

    positions: Ints
    marks_of_lower_bytes: list[int]


@dataclass(frozen=True)
class Stretches:
    """A page cut at jusText's block tags, SELECT and TEXTAREA included, into stretches numbered from 0.

    Some stretches have no text.

    Attributes:
        of_block: the stretch of each block, ascending; shape (blocks,).
        images: the stretches of images, ascending.
        selects: the stretches at which a SELECT begins, ascending.
    """

    of_block: Ints
    images: Ints
    selects: Ints


@dataclass(frozen=True)
class Marks:
    """Facts about a page's blocks, in order, each computed on demand.

    Attributes:
        marked: the detailed output of `parsing.flatten`; for plain text, that text in UTF-8.
        places: the position in `marked` of the first byte of each character of the page's text; for white space, the begin
            of its run.
        block_ends: the offset in the page's text where each block ends, its line feed included.
        has_tags: whether the page is HTML.
    """

    marked: bytes
    places: Ints
    block_ends: Ints
    has_tags: bool = True

    @cached_property
    def links(self) -> LinkSpans:
        """The links (elements A) with text."""
        begins = self.places.searchsorted(self._of_kind(parsing.LINK))
        ends = self.places.searchsorted(self._of_kind(parsing.LINK_END))
        if (begins[1:] < ends[:-1]).any():
            # If links are nested, which HTML forbids, only the outermost remain.
            shown = self._shown
            begun = np.bincount(shown.searchsorted(begins), minlength=len(shown) + 1)
            ended = np.bincount(shown.searchsorted(ends), minlength=len(shown) + 1)
            edges = np.diff((begun - ended).cumsum() > 0, prepend=False, append=False).nonzero()[0]
            begins = shown[edges[::2]]
            ends = shown[edges[1::2] - 1] + 1
        has_text = begins < ends
        begins = begins[has_text]
        ends = ends[has_text]
        # Spaces at the edges of a link do not belong to it.
        begins_by_space = self._codes[self.places[begins]] <= _SPACE
        ends_by_space = self._codes[self.places[ends - 1]] <= _SPACE
        begins[begins_by_space] += 1
        ends[ends_by_space] -= 1
        has_text = begins < ends
        return LinkSpans(begins[has_text], ends[has_text])

    def linked_before(self, offsets: Ints) -> Ints:
        """Return for each offset in the text the number of characters in links before it."""
        begins, ends = self.links
        if not len(begins):
            return np.zeros(len(offsets), dtype=np.int64)
        total = np.concatenate(([0], (ends - begins).cumsum()))
        link = begins.searchsorted(offsets, side="right")
        beyond = ends[link - 1] - offsets
        # An offset before the first link has no link before it: its `beyond`, computed from the last link, is void.
        return total[link] - np.where(link > 0, np.maximum(beyond, 0), 0)

    @cached_property
    def paragraphs(self) -> Ints:
        """Each block's paragraph, from 0. As in jusText, `parsing.PARAGRAPH_TAGS` or two BR in a row end a paragraph."""
        before = self._paragraph_ends(_WITHIN_PARAGRAPH).searchsorted(self.firsts)
        return np.cumsum(np.diff(before, prepend=before[:1]) > 0, dtype=np.int64)

    @property
    def stretches(self) -> Stretches:
        """The page as jusText's Java document cuts it: with form controls, and with images and SELECT that have no text."""
        ends = self._paragraph_ends(_OUTSIDE_FORMS)
        return Stretches(
            of_block=ends.searchsorted(self.firsts),
            images=ends.searchsorted(self._of_kind(parsing.IMAGE)),
            selects=ends.searchsorted(self._of_kind(parsing.SELECT)),
        )

    def _paragraph_ends(self, within: Mask) -> Ints:
        """Return the positions of line feeds in the marked text that end paragraphs; the marks `within` end no paragraph."""
        line_feeds = self._codes == _LINE_FEED
        line_feeds[self._marks_at[within[self._kinds]] - 1] = False
        breaks = self._of_kind(parsing.BREAK)
        if len(breaks) > 1:
            # If two BR have neither text nor a begin tag between them, the second BR ends a paragraph.
            in_a_row = np.ones(len(breaks) - 1, dtype=np.bool_)
            text_or_tags = (self.places[self._shown], self._marks_at[_BEGIN[self._kinds]])
            for positions in text_or_tags:
                in_a_row &= np.diff(positions.searchsorted(breaks)) == 0
            line_feeds[breaks[1:][in_a_row] - 1] = True
        return np.flatnonzero(line_feeds)

    @cached_property
    def is_control(self) -> Mask:
        """For each block, whether it is in a form control: BUTTON, SELECT or TEXTAREA."""
        return self._inside(parsing.CONTROL, parsing.CONTROL_END)

    @property
    def is_in_select(self) -> Mask:
        """For each block, whether it is in SELECT."""
        return self._inside(parsing.SELECT, parsing.SELECT_END)

    @cached_property
    def is_list_item(self) -> Mask:
        """For each block, whether it is the first of a list item."""
        items = self._of_kind(parsing.ITEM)
        previous = np.concatenate(([0], self.lasts))[:-1]
        return items.searchsorted(self.firsts) > items.searchsorted(previous)

    @property
    def tags_before(self) -> Ints:
        """For each block, the number of tags between the block before it, or the page's beginning, and its first character."""
        counts = self._tag_counts
        return counts.before_first - np.concatenate(([0], counts.before_last))[:-1]

    @property
    def tags_inside(self) -> Ints:
        """For each block, the number of tags between its first and last character."""
        counts = self._tag_counts
        return counts.before_last - counts.before_first

    @property
    def element_marks(self) -> ElementMarks:
        """The marks of elements."""
        begun = self._kinds == ord(parsing.ELEMENT)
        of_elements = begun | (self._kinds == ord(parsing.ELEMENT_END))
        return ElementMarks(self._marks_at[of_elements], begun[of_elements])

    @cached_property
    def _tag_counts(self) -> _TagCounts:
        if not self.has_tags:
            zeros = np.zeros(len(self.block_ends), dtype=np.int64)
            return _TagCounts(zeros, zeros)
        codes = self._codes
        # Each line feed is one tag, except at dropped elements, and except the second line feed of a heading. Each mark of a
        # tag within a line is one tag too. Marks of images and controls are counted at the white space before them.
        tags = codes == _LINE_FEED
        tags[self._of_kind(parsing.IMAGE + parsing.CONTROL + parsing.CONTROL_END) - 1] = True
        tags[self._of_kind(parsing.INLINE + parsing.INLINE_END + parsing.LINK + parsing.LINK_END)] = True
        tags[self._of_kind(parsing.DROPPED) - 1] = False
        tags[self._marks_at[(self._kinds >= ord("0")) & (self._kinds <= ord("7"))] + 2] = False
        positions = tags.nonzero()[0]
        return _TagCounts(positions.searchsorted(self.firsts), positions.searchsorted(self.lasts))

    @cached_property
    def _codes(self) -> npt.NDArray[np.uint8]:
        return np.frombuffer(self.marked, dtype=np.uint8)

    @cached_property
    def _marks_at(self) -> Ints:
        return np.flatnonzero(self._codes == _MARK)

    @cached_property
    def _kinds(self) -> npt.NDArray[np.uint8]:
        return self._codes[self._marks_at + 1]

    @cached_property
    def _shown(self) -> Ints:
        """The offsets in the page's text of characters other than white space."""
        return (self._codes.take(self.places) > _SPACE).nonzero()[0]

    @cached_property
    def lasts(self) -> Ints:
        """The position of each block's last character in the marked text."""
        lasts = self.block_ends - 2
        # The last block has no line feed.
        lasts[-1:] += 1
        return self.places[lasts]

    @cached_property
    def firsts(self) -> Ints:
        """The position of each block's first character in the marked text."""
        return self.places[np.concatenate(([0], self.block_ends))[:-1]]

    def _inside(self, begins: str, ends: str) -> Mask:
        return self._of_kind(begins).searchsorted(self.firsts) > self._of_kind(ends).searchsorted(self.firsts)

    @cached_property
    def _by_kind(self) -> _MarksByKind:
        counts = np.bincount(self._kinds, minlength=256)
        marks_of_lower_bytes = np.concatenate(([0], counts.cumsum())).tolist()
        return _MarksByKind(self._marks_at[self._kinds.argsort(kind="stable")], marks_of_lower_bytes)

    def _of_kind(self, kinds: str) -> Ints:
        positions, before = self._by_kind
        by_kind = [positions[before[kind] : before[kind + 1]] for kind in kinds.encode()]
        if len(by_kind) == 1:
            return by_kind[0]
        return np.sort(np.concatenate(by_kind))


def lines(flat: bytes, placed: bool = False) -> Lines:
    """Return the blocks of marked text, whose white space is U+0020 and line feeds alone; `Lines.places` only if `placed`."""
    codes = np.frombuffer(b"\n%b\n" % flat, dtype=np.uint8)
    marks = (codes == _MARK).nonzero()[0]
    kinds = codes[marks + 1]
    shown = (codes >= _SPACE) | (codes == _LINE_FEED)
    shown[marks + 1] = False
    places = shown.nonzero()[0]
    codes = codes.take(places)
    # One character of each run of white space remains: a line feed if the run has any. The text begins and ends with a run.
    remains = codes > _SPACE
    edges = (remains[1:] != remains[:-1]).nonzero()[0] + 1
    words = edges[::2]
    runs = np.concatenate(([0], edges[1::2]))
    # A run and the word after it have their minimum in the run: line feeds and spaces have the lowest codes.
    separators = np.minimum.reduceat(codes, runs)
    codes[runs] = separators
    remains[runs] = True
    # There are line feeds on both sides of a heading's mark.
    headings = (kinds >= _NO_HEADING) & (kinds <= _NO_HEADING + parsing.TITLE_LEVEL)
    levels = np.concatenate(([0], kinds[headings] - _NO_HEADING))
    first_words = places[words[separators[:-1] == _LINE_FEED]]
    levels_of_blocks = levels[marks[headings].searchsorted(first_words)].tolist()
    remaining = remains.nonzero()[0]
    codes = codes.take(remaining)
    text = codes.tobytes().decode()[1:-1]
    if not placed:
        return Lines(text, levels_of_blocks, None)
    begins_character = codes & _FIRST_BITS != _CONTINUES
    # A line feed was put before the marked text, and one stands at each end of the lines.
    return Lines(text, levels_of_blocks, places.take(remaining.compress(begins_character))[1:-1] - 1)


def one_space(utf8: bytes, outside: set[str]) -> bytes:
    """Return a text with U+0020 for all other white space; `outside` are its characters outside ASCII."""
    for character in outside:
        if character.isspace():
            utf8 = utf8.replace(character.encode(), b" ")
    return utf8


@dataclass(frozen=True)
class Elements:
    """A page's displayed elements in the order of their begin tags, after the page itself, which is number 0.

    A block is in the elements around its first character: inline elements that begin later are in the block.

    Attributes:
        descriptions: each element's tag, the words of its attributes, and `parsing.HIDDEN` for an attribute that hides it;
            shape (elements,).
        parents: the element around each element; -1 for the page; shape (elements,).
        depths: the number of elements around each element; shape (elements,).
        after_elements: the number after each element's last descendant; shape (elements,).
        first_blocks, after_blocks: each element's first block, and the block after its last; shape (elements,).
        ends: the position in the marked text where each element ends; shape (elements,).
        innermost: the innermost element around each block; shape (blocks,).
    """

    descriptions: Sequence[str]
    parents: Ints
    depths: Ints
    after_elements: Ints
    first_blocks: Ints
    after_blocks: Ints
    ends: Ints
    innermost: Ints


def find_elements(marks: Marks, descriptions: Sequence[str]) -> Elements:
    """Return the elements of a page that was read with them; a plain text has no element but the page itself."""
    positions, is_begin = marks.element_marks
    size = len(positions)
    # The number of open elements before a mark that begins an element, and after a mark that ends one.
    depths = np.where(is_begin, 1, -1).cumsum()
    depths[is_begin] -= 1
    # Among the marks of one depth, the end of an element follows its begin. Small numbers are sorted faster.
    order = depths.astype(np.min_scalar_type(len(depths))).argsort(kind="stable")
    begins = order[::2]
    ends = np.empty_like(order)
    ends[begins] = order[1::2]
    # By element, in the order of begin tags: the mark that begins it, and the mark that ends it.
    begin_marks = is_begin.nonzero()[0]
    end_marks = ends[is_begin]
    # By mark: the number of the last element that began. By `begins`: the element, its depth, and both as a sorted key.
    elements = is_begin.cumsum()
    numbers = elements[begins]
    depths_of_begins = depths[begins]
    keys = depths_of_begins * size + begins
    # The parent is the last element before it that is one level less deep.
    parents = np.full(len(begins) + 1, -1)
    parents[numbers] = np.where(depths_of_begins > 0, numbers[keys.searchsorted(keys - size) - 1], 0)
    # The innermost element behind each mark: the element that begins at the mark, or the parent of the element that ends
    # there.
    inside = elements.copy()
    inside[end_marks] = parents[1:]
    # The number of marks before each block's first character, and the number of blocks that begin before each mark.
    marks_before = positions.searchsorted(marks.firsts)
    blocks_before = np.bincount(marks_before, minlength=size + 1).cumsum()
    # The page itself comes first.
    return Elements(
        descriptions=["", *descriptions],
        parents=parents,
        depths=np.concatenate(([0], depths[begin_marks] + 1)),
        after_elements=np.concatenate(([len(parents)], elements[end_marks] + 1)),
        first_blocks=np.concatenate(([0], blocks_before[begin_marks])),
        after_blocks=np.concatenate(([len(marks.firsts)], blocks_before[end_marks])),
        ends=np.concatenate(([len(marks.marked)], positions[end_marks])),
        innermost=np.concatenate(([0], inside))[marks_before],
    )

"""Features of a page's blocks for the learned scorer.

No feature needs a word of any language. Words are white-space tokens; in scripts without spaces two letters count as one word,
as in `scorers.shallow_features`. A feature is a sum of whole or half numbers, or one sum divided by another, so that it is
equal on every machine.

After Kohlschuetter et al. (WSDM 2010, section 3: words, densities, neighbours), Vogels et al. (Web2Text, ECIR 2018: the tree),
Peters and Lecocq (Content Extraction Using Diverse Feature Sets, WWW 2013: words of class and id).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from thresher.base.numbers import Ints
from thresher.cleaners.content_model import characters as kinds
from thresher.cleaners.content_model.characters import count_kinds, kinds_of
from thresher.cleaners.content_model.page_parts import PageParts, parts_of
from thresher.cleaners.content_model.page_tree import COUNTED, FAMILIES, TAGS, PageTree, page_tree
from thresher.pages import Detail, Segments, read_html
from thresher.pages.marks import Elements
from thresher.pages.parsing import TITLE_LEVEL
from thresher.pages.plain import sizes

Floats = npt.NDArray[np.float32]
Wide = npt.NDArray[np.float64]
Row = npt.NDArray[np.generic] | Sequence[float]

FEATURES = 284
"""The number of features."""
LEVELS = 4
"""The number of innermost elements around a block that have features; wrappers of the same blocks count once."""
REPEATED_WORDS = 5
"""Shorter texts may stand on a page more than once."""
THOUSAND = 1000
"""Probabilities are summed up as whole thousandths."""
NONE = -1000
"""The distance from a missing heading."""
FAR_BLOCKS, FAR_WORDS = 60, 500
"""Distances are capped: much longer pages differ, and are too few to learn from."""
PAGE_FAMILIES = "article product forum single blog post list search documentation recipe event".split()
"""Families of words that describe the page if its elements HTML, BODY and META have them."""
TALK_FAMILIES = ("comment", "forum", "message", "post", "review")
"""Class-name families of user-written text."""
DESCRIBED = FAMILIES + tuple(f"tag_{tag}" for tag in TAGS) + ("hidden",)
"""The bits of descriptions of elements, by name."""
OWN_AROUND = "words share links marks prose blocks mean headings place".split()
"""Quantities of the elements around a block; the last is the block's place in the element."""
_PROSE_WORDS, _PROSE_LINKS = 10, 0.5
"""Blocks of more words, and of a smaller share of links, are prose."""
_MOST_PROSE, _NEARLY_ALL = 0.6, 0.9
_BITS = np.arange(8, dtype=np.uint8)[:, None]
_TALK = [FAMILIES.index(family) for family in TALK_FAMILIES]
_COMMENT = FAMILIES.index("comment")
_SHARED = [
    kinds.UPPER,
    kinds.DIGIT,
    kinds.STOP,
    kinds.COMMA,
    kinds.COLON,
    kinds.BAR,
    kinds.BRACKET,
    kinds.OTHER,
    kinds.CASELESS,
    kinds.UNSPACED,
]
# Names are put together once, since this takes as long as computing the features.
_SHARES = "capitals digits stops commas colons bars brackets symbols caseless unspaced".split()
_IN = [f"in_{name}" for name in DESCRIBED]
_OF_PAGE = {f"page_{family}": FAMILIES.index(family) for family in PAGE_FAMILIES}
_OF_TALK = [name for family in TALK_FAMILIES for name in (f"page_{family}_share", f"page_before_{family}")]
_AROUND = [f"around{level + 1}_{name}" for level in range(LEVELS) for name in OWN_AROUND + list(COUNTED)]
_REPEATED = [f"repeated_{name}" for name in ("siblings", "rank", "mean", "share", "before", "own", "place")]
_CAPS = {
    **dict.fromkeys(("index", "index_from_end", "after_h1", "to_heading", "since_heading"), FAR_BLOCKS),
    **dict.fromkeys(("words_before_count", "words_after_count", "words_after_h1"), FAR_WORDS),
    **{f"page_before_{family}": FAR_WORDS for family in TALK_FAMILIES},
    "words_since_heading": 300,
    "page_words": 2000,
    "page_blocks": 300,
    "page_elements": 1500,
    "page_longest": 300,
    "page_images": 60,
    "page_paragraphs": 40,
    "page_currency": 30,
}


@dataclass(frozen=True)
class BlockFeatures:
    """The features of a page's blocks.

    Attributes:
        names: of the features.
        values: shape (features, blocks).
        words: of each block; shape (blocks,).
        alike: the first block with the same text, of `REPEATED_WORDS` or more; shape (blocks,).
        parts: its footer, code and comments.
    """

    names: tuple[str, ...]
    values: Floats
    words: Wide
    alike: Ints
    parts: PageParts


class Rows:
    """Features by name, in order; each goes into the matrix at once, so that pages of many blocks take little memory."""

    def __init__(self, features: int, blocks: int) -> None:
        self._names: list[str] = []
        self._values = np.empty((features, blocks), dtype=np.float32)

    def add(self, **rows: Row | float) -> None:
        """Add features by name."""
        for name, row in rows.items():
            self._values[len(self._names)] = row
            self._names.append(name)

    def extend(self, names: Sequence[str], rows: npt.NDArray[np.generic]) -> None:
        """Add features as rows of a matrix."""
        first = len(self._names)
        self._values[first : first + len(rows)] = rows
        self._names.extend(names)

    def matrix(self) -> NamedRows:
        """Return names and values, which are capped."""
        capped = _caps(tuple(self._names))
        self._values[capped.rows] = np.minimum(self._values[capped.rows], capped.caps)
        return NamedRows(capped.names, self._values)


class NamedRows(NamedTuple):
    """Names of features and their values, shape (features, blocks)."""

    names: tuple[str, ...]
    values: Floats


class _Capped(NamedTuple):
    """The features with caps."""

    names: tuple[str, ...]
    """The names of all features: one object for all pages."""
    rows: Ints
    """The rows of the features with caps; shape (rows,)."""
    caps: Floats
    """Their caps; shape (rows, 1)."""


@cache
def _caps(names: tuple[str, ...]) -> _Capped:
    rows: list[int] = []
    caps: list[int] = []
    for row, name in enumerate(names):
        if name in _CAPS:
            rows.append(row)
            caps.append(_CAPS[name])
    return _Capped(names, np.array(rows, dtype=np.int64), np.array(caps, dtype=np.float32)[:, None])


class PageFacts:
    """The quantities of a page and its blocks that features are computed from.

    An array has the shape (blocks,) unless another shape is given.

    Attributes:
        segments: the page.
        elements, tree: its elements.
        tags_before: the number of elements of each tag of `COUNTED` before each element, and on the page;
            shape (COUNTED, elements + 1).
        ends: the offset where each block ends, in characters.
        blocks: the number of blocks.
        index: the number of each block.
        levels: the heading level of each block.
        kind: the kind of each character; shape (characters,).
        kinds: each block's number of characters of each kind; shape (KINDS, blocks).
        characters, words: each block's numbers; in scripts without spaces two letters count as one word.
        words_before: the page's words before each block.
        total: the page's words, at least 1; a single number.
        linked: each block's characters in links.
        links: the share of each block's characters that are in links.
        stops, marks: each block's full stops; its full stops and commas.
        alike: the first block with the same text, of `REPEATED_WORDS` or more.
        prose: each block's words if it is long and hardly linked, else 0.
    """

    def __init__(self, segments: Segments) -> None:
        self.segments = segments
        self.elements: Elements = segments.elements
        self.tree: PageTree = page_tree(self.elements)
        self.tags_before = _tags_before(self.tree)
        self.ends = segments.block_ends
        self.blocks = len(self.ends)
        self.index = np.arange(self.blocks)
        self.levels = segments.levels.astype(np.int64)
        self.kind = kinds_of(segments.text)
        self.kinds = count_kinds(self.kind, self.ends)
        self.characters = sizes(self.ends)
        unspaced = self.kinds[kinds.UNSPACED]
        # A run of unspaced letters was counted as one word.
        counted_words = np.where(unspaced > 0, 1, 0)
        self.words = segments.words_in_blocks + unspaced / 2 - counted_words
        self.words_before = self.words.cumsum() - self.words
        self.total = max(float(self.words.sum()), 1.0)
        self.linked = segments.linked_characters_in_blocks
        self.links = np.minimum(share(self.linked, self.characters - 1), 1)
        self.stops = self.kinds[kinds.STOP]
        self.marks = self.stops + self.kinds[kinds.COMMA]
        self.alike = _first_alike(segments.blocks, self.words)
        is_prose = (self.words > _PROSE_WORDS) & (self.links < _PROSE_LINKS)
        self.prose = np.where(is_prose, self.words, 0)


def _tags_before(tree: PageTree) -> npt.NDArray[np.int32]:
    numbers = np.array([[tree.tags.get(tag, -1)] for tag in COUNTED])
    before = np.zeros((len(COUNTED), len(tree.tag) + 1), dtype=np.int32)
    (tree.tag == numbers).cumsum(axis=1, out=before[:, 1:], dtype=np.int32)
    return before


def _first_alike(blocks: Sequence[str], words: Wide) -> Ints:
    """Return for each block the first block with its text; a short block is only like itself."""
    first_by_text: dict[str, int] = {}
    alike = np.arange(len(blocks))
    for index in (words >= REPEATED_WORDS).nonzero()[0].tolist():
        alike[index] = first_by_text.setdefault(blocks[index], index)
    return alike


def features_of(segments: Segments) -> BlockFeatures:
    """Return the features of every block of a page that was read with its elements; it has at least one block."""
    page = PageFacts(segments)
    rows = Rows(FEATURES, page.blocks)
    _add_block(page, rows)
    _add_position(page, rows)
    around = bits_of(page.tree.around)
    _add_markup(page, around, rows)
    _add_elements_around(page, rows)
    _add_main_elements(page, rows)
    _add_repetition(page, rows)
    _add_page(page, rows)
    features = rows.matrix()
    main_part = slice(0)
    if page.prose.any():
        main_part = _smallest_with(page, _NEARLY_ALL)
    parts = parts_of(segments, page.tree, page.words, main_part, np.asarray(around[_COMMENT], dtype=np.bool_))
    return BlockFeatures(features.names, features.values, page.words, page.alike, parts)


@cache
def feature_names() -> tuple[str, ...]:
    """Return the names of all features."""
    return features_of(read_html("<p>a", detail=Detail.ELEMENTS)).names


def running_sum(values: npt.NDArray[np.generic]) -> Wide:
    """Return the sums of the values before each block, and of all; shape (..., blocks + 1)."""
    sums = np.zeros((*values.shape[:-1], values.shape[-1] + 1))
    values.cumsum(axis=-1, out=sums[..., 1:])
    return sums


def share(part: npt.NDArray[np.generic], whole: npt.NDArray[np.generic]) -> Wide:
    """Return quotients; a whole below 1 counts as 1."""
    shares: Wide = part / np.maximum(whole, 1)
    return shares


def bits_of(described: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """Return the bits of descriptions around blocks, shape (BYTES, blocks), for each of `DESCRIBED`: (described, blocks)."""
    bits: npt.NDArray[np.uint8] = np.bitwise_and(described[:, None] >> _BITS, 1).reshape(-1, described.shape[1])
    return bits[: len(DESCRIBED)]


def _add_block(page: PageFacts, rows: Rows) -> None:
    """Add the quantities of the block itself."""
    counts = page.kinds
    marks = page.segments.marks
    letters = counts[kinds.UPPER] + counts[kinds.LOWER] + counts[kinds.CASELESS] + counts[kinds.UNSPACED]
    rows.add(words=page.words, characters=page.characters, links=page.links)
    rows.add(word_length=share(letters, page.words), sentence_length=share(page.words, page.stops))
    rows.extend(_SHARES, share(counts[_SHARED], page.characters))
    rows.add(stop_count=page.stops, comma_count=counts[kinds.COMMA], currency=counts[kinds.CURRENCY] > 0)
    first_characters = np.concatenate(([0], page.ends[:-1]))
    # Every block but the last ends in a separator.
    last_characters = page.ends - 2
    last_characters[-1] += 1
    rows.add(first_kind=page.kind[first_characters], last_kind=page.kind[last_characters])
    rows.add(level=page.levels, list_item=marks.is_list_item, control=marks.is_control)
    rows.add(tags_before=marks.tags_before, tags_inside=marks.tags_inside)


def _add_position(page: PageFacts, rows: Rows) -> None:
    """Add the block's place on the page, and its distances from headings."""
    index, before = page.index, page.words_before
    rows.add(place=index / page.blocks, index=index, index_from_end=page.blocks - 1 - index)
    rows.add(words_before=before / page.total, words_before_count=before)
    rows.add(words_after_count=page.total - before - page.words)
    prose = page.prose.cumsum()
    rows.add(prose_before=(prose - page.prose) / max(float(prose[-1]), 1.0))
    is_heading = (page.levels > 0) & (page.levels < TITLE_LEVEL)
    last_heading = np.maximum.accumulate(np.where(is_heading, index, -1))
    has_heading = last_heading >= 0
    rows.add(
        since_heading=np.where(has_heading, index - last_heading, -1),
        heading_level=np.where(has_heading, page.levels[last_heading], 0),
        words_since_heading=np.where(has_heading, before - before[last_heading], -1),
    )
    heading_or_far = np.where(is_heading, index, page.blocks - NONE)
    next_heading = np.minimum.accumulate(heading_or_far[::-1])[::-1]
    rows.add(to_heading=np.minimum(next_heading - index, -NONE))
    _add_since_first_h1(page, rows)


def _add_since_first_h1(page: PageFacts, rows: Rows) -> None:
    """Add the number of blocks and words from the first H1 to each block."""
    is_h1 = page.levels == 1
    first = int(is_h1.argmax())
    if is_h1[first]:
        rows.add(after_h1=page.index - first, words_after_h1=page.words_before - page.words_before[first])
    else:
        rows.add(after_h1=NONE, words_after_h1=NONE)


def _add_markup(page: PageFacts, around: npt.NDArray[np.uint8], rows: Rows) -> None:
    """Add the tags, classes, ids and roles of the elements around; `around` are the bits of `DESCRIBED`."""
    rows.extend(_IN, around)
    rows.add(depth=page.elements.depths[page.elements.innermost])
    in_talk = around.take(_TALK, axis=0)
    first_talk = np.where(in_talk.any(axis=1), in_talk.argmax(axis=1), page.blocks - 1)
    talk_shares = in_talk @ page.words / page.total
    prose_before_talk = running_sum(page.prose)[first_talk]
    rows.extend(_OF_TALK, np.array((talk_shares, prose_before_talk)).T.reshape(-1, 1))


def _add_elements_around(page: PageFacts, rows: Rows) -> None:
    """Add quantities of the innermost elements around the block, and its place in each."""
    elements = page.elements
    first, after = elements.first_blocks, elements.after_blocks
    values = _quantities_of_elements(page)
    around = _elements_around(page)
    features = np.array(values, dtype=np.float32).take(around, axis=1)
    features[OWN_AROUND.index("place")] = (page.index - first[around]) / (after[around] - first[around])
    rows.extend(_AROUND, features.transpose(1, 0, 2).reshape(-1, page.blocks))


def _quantities_of_elements(page: PageFacts) -> list[npt.NDArray[Any]]:
    """Return `OWN_AROUND` of each element, and its number of each tag of `COUNTED` per block; the place is 0 so far."""
    elements = page.elements
    first, after = elements.first_blocks, elements.after_blocks
    quantities = (page.words, page.linked, page.characters, page.marks, page.prose, page.levels > 0)
    # Sums of each element; most are around several blocks.
    sums = running_sum(np.array(quantities, dtype=np.float64))
    words, linked, characters, marks, prose, headings = sums.take(after, axis=1) - sums.take(first, axis=1)
    blocks = np.maximum(after - first, 1)
    counts = page.tags_before.take(elements.after_elements, axis=1) - page.tags_before[:, :-1]
    values = [
        words,
        words / page.total,
        share(linked, characters),
        share(marks, words),
        share(prose, words),
        blocks,
        words / blocks,
        headings / blocks,
        np.zeros(len(words)),
    ]
    return values + list(counts / blocks)


def _elements_around(page: PageFacts) -> Ints:
    """Return the elements around each block, from the innermost with other blocks too; shape (LEVELS, blocks)."""
    elements, wider = page.elements, page.tree.wider
    around = elements.innermost
    is_alone = (elements.first_blocks[around] == page.index) & (elements.after_blocks[around] == page.index + 1)
    around = np.where(is_alone & (wider[around] >= 0), wider[around], around)
    elements_around = np.empty((LEVELS, page.blocks), dtype=np.int64)
    for level in range(LEVELS):
        elements_around[level] = around
        around = np.maximum(wider[around], 0)
    return elements_around


def _smallest_with(page: PageFacts, share_of_prose: float) -> slice:
    """Return the blocks of the smallest element with this share of the prose."""
    first, after, prose = page.elements.first_blocks, page.elements.after_blocks, running_sum(page.prose)
    with_share = (prose[after] - prose[first] >= share_of_prose * prose[-1]).nonzero()[0]
    smallest = int(with_share[-1])
    return slice(int(first[smallest]), int(after[smallest]))


def _add_main_elements(page: PageFacts, rows: Rows) -> None:
    """Add whether the block is in elements that may hold the main content.

    These are the smallest element with most of the prose, and the largest ARTICLE and MAIN.
    """
    first, after, index = page.elements.first_blocks, page.elements.after_blocks, page.index
    words = running_sum(page.words)
    in_most_prose = np.zeros(page.blocks)
    in_most_prose[_smallest_with(page, _MOST_PROSE)] = 1
    rows.add(in_most_prose=in_most_prose)
    for tag in ("article", "main"):
        of_tag = (page.tree.tag == page.tree.tags.get(tag, -1)).nonzero()[0]
        inside: Row | float = -1
        largest_share = 0.0
        if len(of_tag):
            words_inside = words[after[of_tag]] - words[first[of_tag]]
            largest = int(of_tag[words_inside.argmax()])
            inside = (index >= first[largest]) & (index < after[largest])
            largest_share = float(words_inside.max(initial=0)) / page.total
        features: dict[str, Row | float] = {
            f"{tag}_elements": len(of_tag),
            f"in_largest_{tag}": inside,
            f"largest_{tag}_share": largest_share,
        }
        rows.add(**features)


def _add_repetition(page: PageFacts, rows: Rows) -> None:
    """Add quantities of the list, table or thread that the block is in.

    This is the element with most siblings alike among the elements around the block. All quantities are -1 if there is none.
    """
    elements, tree = page.elements, page.tree
    first, after = elements.first_blocks, elements.after_blocks
    words = running_sum(page.words)
    element = tree.repeated[elements.innermost]
    group = tree.groups[element]
    siblings = np.bincount(tree.groups)[group]
    words_of_group = np.bincount(tree.groups, weights=words[after] - words[first])[group]
    begin, end = first[element], after[element]
    leader = first[tree.leaders[element]]
    values = (
        siblings,
        tree.ranks[element],
        words_of_group / siblings,
        words_of_group / page.total,
        words[leader] / page.total,
        words[end] - words[begin],
        (page.index - begin) / (end - begin),
    )
    rows.extend(_REPEATED, np.where(element > 0, values, -1))


def _add_page(page: PageFacts, rows: Rows) -> None:
    """Add quantities of the page, which all its blocks share."""
    marks = page.segments.marks
    counts = page.kinds
    characters = max(int(page.ends[-1]), 1)
    values = {
        "page_words": page.total,
        "page_blocks": page.blocks,
        "page_elements": len(page.tree.tag),
        "page_links": page.linked.sum() / characters,
        "page_prose": page.prose.sum() / page.total,
        "page_marks": page.marks.sum() / page.total,
        "page_mean": page.total / page.blocks,
        "page_longest": page.words.max(),
        "page_currency": np.count_nonzero(counts[kinds.CURRENCY]),
        "page_list_items": np.count_nonzero(page.segments.is_list_item) / page.blocks,
        "page_controls": np.count_nonzero(marks.is_control) / page.blocks,
        "page_headings": np.count_nonzero(page.levels) / page.blocks,
        "page_unspaced": counts[kinds.UNSPACED].sum() / characters,
        "page_images": page.tags_before[COUNTED.index("img"), -1],
        "page_paragraphs": page.tags_before[COUNTED.index("p"), -1],
    }
    for name, bit in _OF_PAGE.items():
        values[name] = page.tree.page_bits >> bit & 1
    rows.extend(list(values), np.fromiter(values.values(), dtype=np.float32)[:, None])

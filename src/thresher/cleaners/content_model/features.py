"""Features of a page's blocks for the learned scorer.

None needs a word of any language. Words are white-space tokens; in scripts without spaces two letters count as one, as in
`scorers.shallow_features`. All features are sums of whole or half numbers and one division of two, so that they
are the same on every machine.

After Kohlschuetter et al. (WSDM 2010, section 3: words, densities, neighbours), Vogels et al. (Web2Text, ECIR 2018: the tree),
Peters and Lecocq (Content Extraction Using Diverse Feature Sets, WWW 2013: words of class and id).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from thresher.base.numbers import Ints
from thresher.cleaners.content_model import characters as kinds
from thresher.cleaners.content_model.characters import count_kinds, kinds_of
from thresher.cleaners.content_model.page_tree import COUNTED, FAMILIES, TAGS, PageTree, page_tree
from thresher.pages import Detail, Segments, read_html
from thresher.pages.marks import Elements
from thresher.pages.parsing import TITLE_LEVEL
from thresher.pages.plain import sizes

Floats = npt.NDArray[np.float32]
Wide = npt.NDArray[np.float64]
Row = npt.NDArray[np.generic] | Sequence[float]

LEVELS = 4
"""The number of innermost elements around a block that have features; wrappers of the same blocks count once."""
PAGE_FAMILIES = "article product forum single blog post list search documentation recipe event".split()
"""Families of words that say something about the page, where its elements HTML, BODY and META have them."""
TALK_FAMILIES = ("comment", "forum", "message", "post", "review")
"""Class-name families of user-written text."""
SAID = (*FAMILIES, *(f"tag_{tag}" for tag in TAGS), "hidden")
_BITS = np.arange(8, dtype=np.uint8)[:, None]
_IN = [f"in_{name}" for name in SAID]
_OF_PAGE = {f"page_{family}": FAMILIES.index(family) for family in PAGE_FAMILIES}
_TALK = [FAMILIES.index(family) for family in TALK_FAMILIES]
_OF_TALK = [name for family in TALK_FAMILIES for name in (f"page_{family}_share", f"page_before_{family}")]
# Names are put together once: they take as long as the features.
OWN_AROUND = "words share links marks prose blocks mean headings place".split()
_AROUND = [f"around{level + 1}_{name}" for level in range(LEVELS) for name in (*OWN_AROUND, *COUNTED)]
_REPEATED = [f"repeated_{name}" for name in ("siblings", "rank", "mean", "share", "before", "own", "place")]
_SHARES = "capitals digits stops commas colons bars brackets symbols caseless unspaced".split()
_SHARED = [kinds.UPPER, kinds.DIGIT, kinds.STOP, kinds.COMMA, kinds.COLON, kinds.BAR, kinds.BRACKET, kinds.OTHER]
_SHARED += [kinds.CASELESS, kinds.UNSPACED]
_PROSE_WORDS, _PROSE_LINKS = 10, 0.5
REPEATED_WORDS = 5
"""Shorter texts may stand on a page more than once."""
FEATURES = 284
"""Their number."""
THOUSAND = 1000
"""Probabilities are whole thousandths where they are summed up."""
NONE = -1000
"""The value where there is nothing to count from."""
FAR_BLOCKS, FAR_WORDS = 60, 500
"""Distances are capped: pages that are much longer are too few to learn from, and differ."""
_LIMITS = (
    dict.fromkeys("index index_from_end after_h1 after_headline to_heading since_heading".split(), FAR_BLOCKS)
    | dict.fromkeys("words_before_count words_after_count words_after_h1 words_after_headline".split(), FAR_WORDS)
    | {f"page_before_{family}": FAR_WORDS for family in TALK_FAMILIES}
    | {"words_since_heading": 300, "page_words": 2000, "page_blocks": 300, "page_elements": 1500, "page_longest": 300}
    | {"page_years": 30, "page_images": 60, "page_paragraphs": 40, "page_currency": 30}
)


@dataclass(frozen=True)
class BlockFeatures:
    """The features of a page's blocks.

    Attributes:
        names: of the features.
        values: shape (features, blocks).
        words: of each block; shape (blocks,).
        comments: whether an element around each block is called a comment; shape (blocks,).
        alike: the first block with the same text, of `REPEATED_WORDS` or more; shape (blocks,).
    """

    names: tuple[str, ...]
    values: Floats
    words: Wide
    comments: npt.NDArray[np.bool_]
    alike: Ints


class Rows:
    """Features by name, in order; each goes into the matrix at once, so that pages of many blocks take little memory."""

    def __init__(self, features: int, blocks: int) -> None:
        self._names: list[str] = []
        self._values = np.empty((features, blocks), dtype=np.float32)

    def add(self, **rows: Row | float) -> None:
        """Add features by name."""
        for number, row in enumerate(rows.values(), len(self._names)):
            self._values[number] = row
        self._names += rows

    def extend(self, names: Iterable[str], rows: npt.NDArray[np.generic]) -> None:
        """Add features as rows of a matrix."""
        first = len(self._names)
        self._values[first : first + len(rows)] = rows
        self._names += names

    def matrix(self) -> tuple[tuple[str, ...], Floats]:
        """Return names and values."""
        names, limited, limits = _limits(tuple(self._names))
        self._values[limited] = np.minimum(self._values[limited], limits)
        return names, self._values


@cache
def _limits(names: tuple[str, ...]) -> tuple[tuple[str, ...], Ints, Floats]:
    """Return the names, the same object for all pages; and the rows with limits, and these."""
    limited = [row for row, name in enumerate(names) if name in _LIMITS]
    limits = np.array([_LIMITS[names[row]] for row in limited], dtype=np.float32)
    return names, np.array(limited, dtype=np.int64), limits[:, None]


class PageFacts:
    """The page's own quantities, from which features are made; of blocks unless it says otherwise."""

    def __init__(self, segments: Segments, around: int = LEVELS, with_paths: bool = False) -> None:
        self.segments, self.around = segments, around
        self.elements: Elements = segments.elements
        self.tree: PageTree = page_tree(self.elements, with_paths)
        # The elements of each of `COUNTED` before each element, and in all.
        numbers = np.array([[self.tree.tags.get(tag, -1)] for tag in COUNTED])
        self.tags_before = np.zeros((len(COUNTED), len(self.tree.tag) + 1), dtype=np.int32)
        (self.tree.tag == numbers).cumsum(axis=1, out=self.tags_before[:, 1:], dtype=np.int32)
        self.ends = segments.block_ends
        self.blocks = len(self.ends)
        self.index = np.arange(self.blocks)
        self.levels = segments.levels.astype(np.int64)
        # The kind of each character.
        self.kind = kinds_of(segments.text)
        self.kinds = count_kinds(self.kind, self.ends)
        self.characters = sizes(self.ends)
        unspaced = self.kinds[kinds.UNSPACED]
        # A run of unspaced letters was counted as one word.
        self.words = segments.words_in_blocks + unspaced / 2 - (unspaced > 0)
        self.words_before = self.words.cumsum() - self.words
        self.total = max(float(self.words.sum()), 1.0)
        self.linked = segments.linked_characters_in_blocks
        self.links = np.minimum(share(self.linked, self.characters - 1), 1)
        self.stops = self.kinds[kinds.STOP]
        self.marks = self.stops + self.kinds[kinds.COMMA]
        blocks, firsts = segments.blocks, dict[str, int]()
        self.alike = self.index.copy()
        long = (self.words >= REPEATED_WORDS).nonzero()[0]
        self.alike[long] = [firsts.setdefault(blocks[at], at) for at in long.tolist()]
        self.prose = np.where((self.words > _PROSE_WORDS) & (self.links < _PROSE_LINKS), self.words, 0)


class Around(NamedTuple):
    """What stands around the blocks of a page.

    `comments`: whether an element around each block is called a comment; `lists`: the first block of the list, table or
    thread that each is in, -1 if none; shape (blocks,). `begins`, `ends`, `own`: of the elements around each, from the
    innermost, their first block and the one after their last, and their `OWN_AROUND`; shape (..., levels, blocks).
    """

    comments: npt.NDArray[np.bool_]
    lists: Ints
    begins: Ints
    ends: Ints
    own: Floats


def features_of(segments: Segments) -> BlockFeatures:
    """Return the features of every block of a page that was read with its elements; it has at least one block."""
    page = PageFacts(segments)
    rows = Rows(FEATURES, page.blocks)
    around = add_features(page, rows)
    names, values = rows.matrix()
    return BlockFeatures(names, values, page.words, around.comments, page.alike)


def add_features(page: PageFacts, rows: Rows) -> Around:
    """Add the features of a page's blocks to rows."""
    _own(page, rows)
    _position(page, rows)
    comments = _markup(page, rows)
    containers = _containers(page, rows)
    _main_elements(page, rows)
    lists = _repeated(page, rows)
    _page_features(page, rows)
    return Around(comments, lists, *containers)


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
    """Return quotients, where the whole is at least 1."""
    shares: Wide = part / np.maximum(whole, 1)
    return shares


def _own(page: PageFacts, rows: Rows) -> None:
    segments, counts = page.segments, page.kinds
    firsts, lasts = np.concatenate(([0], page.ends[:-1])), page.ends - 2
    # A block ends in a separator, but for the last.
    lasts[-1] += 1
    letters = counts[kinds.UPPER] + counts[kinds.LOWER] + counts[kinds.CASELESS] + counts[kinds.UNSPACED]
    rows.add(words=page.words, characters=page.characters, links=page.links)
    rows.add(word_length=share(letters, page.words), sentence_length=share(page.words, page.stops))
    rows.extend(_SHARES, share(counts[_SHARED], page.characters))
    rows.add(stop_count=page.stops, comma_count=counts[kinds.COMMA], currency=counts[kinds.CURRENCY] > 0)
    rows.add(first_kind=page.kind[firsts], last_kind=page.kind[lasts])
    marks = segments.marks
    rows.add(level=page.levels, list_item=marks.is_list_item, control=marks.is_control)
    rows.add(tags_before=marks.tags_before, tags_inside=marks.tags_inside)


def _position(page: PageFacts, rows: Rows) -> None:
    index, before, levels = page.index, page.words_before, page.levels
    prose = page.prose.cumsum()
    rows.add(place=index / page.blocks, index=index, index_from_end=page.blocks - 1 - index)
    rows.add(words_before=before / page.total, words_before_count=before)
    rows.add(words_after_count=page.total - before - page.words)
    rows.add(prose_before=(prose - page.prose) / max(float(prose[-1]), 1.0))
    heading = (levels > 0) & (levels < TITLE_LEVEL)
    last = np.maximum.accumulate(np.where(heading, index, -1))
    begun = last >= 0
    rows.add(since_heading=np.where(begun, index - last, -1), heading_level=np.where(begun, levels[last], 0))
    rows.add(words_since_heading=np.where(begun, before - before[last], -1))
    following = np.minimum.accumulate(np.where(heading, index, page.blocks - NONE)[::-1])[::-1]
    rows.add(to_heading=np.minimum(following - index, -NONE))
    add_since(page, rows, "h1", levels == 1)


def add_since(page: PageFacts, rows: Rows, name: str, found: npt.NDArray[np.bool_]) -> None:
    """Add how many blocks and words each block is after the first one found."""
    first = int(found.argmax())
    blocks, words = page.index - first, page.words_before - page.words_before[first]
    since = (blocks, words) if found[first] else (NONE, NONE)
    rows.add(**{f"after_{name}": since[0], f"words_after_{name}": since[1]})


def _markup(page: PageFacts, rows: Rows) -> npt.NDArray[np.bool_]:
    """Tags, classes, ids and roles of the elements around; returns which blocks are in comments."""
    around = bits_of(page.tree.around)
    rows.extend(_IN, around)
    rows.add(depth=page.elements.depths[page.elements.innermost])
    prose = running_sum(page.prose)
    inside = around.take(_TALK, axis=0)
    before = prose[np.where(inside.any(axis=1), inside.argmax(axis=1), page.blocks - 1)]
    rows.extend(_OF_TALK, np.array((inside @ page.words / page.total, before)).T.reshape(-1, 1))
    return np.asarray(inside[TALK_FAMILIES.index("comment")], dtype=np.bool_)


def bits_of(said: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """Return the bits of what is said around blocks, shape (BYTES, blocks), for each of `SAID`; shape (said, blocks)."""
    bits: npt.NDArray[np.uint8] = np.bitwise_and(said[:, None] >> _BITS, 1).reshape(-1, said.shape[1])[: len(SAID)]
    return bits


def _containers(page: PageFacts, rows: Rows) -> tuple[Ints, Ints, Floats]:
    """The elements around, from the innermost; returns their first blocks, those after their last, and `OWN_AROUND`."""
    elements, tree, index = page.elements, page.tree, page.index
    first, after = elements.first_blocks, elements.after_blocks
    sums = running_sum(
        np.array((page.words, page.linked, page.characters, page.marks, page.prose, page.levels > 0), dtype=np.float64)
    )
    # Of each element; most are around several blocks.
    blocks = np.maximum(after - first, 1)
    words, linked, characters, marks, prose, headings = sums.take(after, axis=1) - sums.take(first, axis=1)
    links, means = share(linked, characters), (words / blocks, headings / blocks)
    own = words, words / page.total, links, share(marks, words), share(prose, words), blocks, *means
    counts = page.tags_before.take(elements.after_elements, axis=1) - page.tags_before[:, :-1]
    around = elements.innermost
    # From the innermost element with other blocks than this.
    alone = (first[around] == index) & (after[around] == index + 1) & (tree.wider[around] >= 0)
    around = np.where(alone, tree.wider[around], around)
    elements_around = np.empty((page.around, page.blocks), dtype=np.int64)
    for level in range(page.around):
        elements_around[level] = around
        around = np.maximum(tree.wider[around], 0)
    begins, ends = first[elements_around], after[elements_around]
    # The place is that of the block.
    values = np.array((*own, blocks, *(counts / blocks)), dtype=np.float32).take(elements_around, axis=1)
    values[len(own)] = (index - begins) / (ends - begins)
    rows.extend(_AROUND, values[:, :LEVELS].transpose(1, 0, 2).reshape(-1, page.blocks))
    return begins, ends, values[: len(own) + 1]


def _main_elements(page: PageFacts, rows: Rows) -> None:
    """Elements that may hold the main content: the least with most prose, the largest ARTICLE and MAIN."""
    first, after, index = page.elements.first_blocks, page.elements.after_blocks, page.index
    prose, words = running_sum(page.prose), running_sum(page.words)
    most = (prose[after] - prose[first] >= 0.6 * prose[-1]).nonzero()[0]
    candidate = int(most[-1])
    rows.add(in_most_prose=(index >= first[candidate]) & (index < after[candidate]))
    for tag in ("article", "main"):
        of_tag = (page.tree.tag == page.tree.tags.get(tag, -1)).nonzero()[0]
        sizes = words[after[of_tag]] - words[first[of_tag]]
        largest = int(of_tag[sizes.argmax()]) if len(of_tag) else 0
        inside = (index >= first[largest]) & (index < after[largest]) if len(of_tag) else -1
        share = float(sizes.max(initial=0)) / page.total
        rows.add(**{f"{tag}_elements": len(of_tag), f"in_largest_{tag}": inside, f"largest_{tag}_share": share})


def _repeated(page: PageFacts, rows: Rows) -> Ints:
    """The list, table or thread that the block is in: of the elements around, the one with most siblings alike.

    Returns its first block, -1 if there is none; shape (blocks,).
    """
    elements, tree = page.elements, page.tree
    first, after = elements.first_blocks, elements.after_blocks
    words = running_sum(page.words)
    element = tree.repeated[elements.innermost]
    group = tree.groups[element]
    sizes = np.bincount(tree.groups)[group]
    totals = np.bincount(tree.groups, weights=words[after] - words[first])[group]
    begins, ends, found = first[element], after[element], element > 0
    leading = first[tree.leaders[element]]
    shares = totals / sizes, totals / page.total, words[leading] / page.total
    place = words[ends] - words[begins], (page.index - begins) / (ends - begins)
    rows.extend(_REPEATED, np.where(found, (sizes, tree.ranks[element], *shares, *place), -1))
    return np.where(found, leading, -1)


def _page_features(page: PageFacts, rows: Rows) -> None:
    tree, blocks, characters = page.tree, page.blocks, max(int(page.ends[-1]), 1)
    values = {
        "page_words": page.total,
        "page_blocks": blocks,
        "page_elements": len(tree.tag),
        "page_links": page.linked.sum() / characters,
        "page_prose": page.prose.sum() / page.total,
        "page_marks": page.marks.sum() / page.total,
        "page_mean": page.total / blocks,
        "page_longest": page.words.max(),
        "page_currency": np.count_nonzero(page.kinds[kinds.CURRENCY]),
        "page_list_items": np.count_nonzero(page.segments.is_list_item) / blocks,
        "page_controls": np.count_nonzero(page.segments.marks.is_control) / blocks,
        "page_headings": np.count_nonzero(page.levels) / blocks,
        "page_unspaced": page.kinds[kinds.UNSPACED].sum() / characters,
        "page_images": page.tags_before[COUNTED.index("img"), -1],
        "page_paragraphs": page.tags_before[COUNTED.index("p"), -1],
    }
    values |= {name: tree.page_bits >> bit & 1 for name, bit in _OF_PAGE.items()}
    rows.extend(values, np.fromiter(values.values(), dtype=np.float32)[:, None])

"""Features of a page's blocks for the learned scorer.

None needs a word of any language. Words are white-space tokens; in scripts without spaces two letters count as one, as in
`thresher.scorers.shallow_features`. All features are sums of whole or half numbers and one division of two, so that they
are the same on every machine.

After Kohlschuetter et al. (WSDM 2010, section 3: words, densities, neighbours), Vogels et al. (Web2Text, ECIR 2018: the tree),
Peters and Lecocq (Content Extraction Using Diverse Feature Sets, WWW 2013: words of class and id).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from thresher.content_models import characters as kinds
from thresher.content_models.characters import count_kinds, dates, kinds_of
from thresher.content_models.page_tree import COUNTED, FAMILIES, TAGS, PageTree, grouped, page_tree
from thresher.pages import Detail, Segments, read_html
from thresher.pages.marks import Elements
from thresher.pages.parsing import TITLE_LEVEL, outside_ascii
from thresher.pages.plain import Ints, count_by_end, sizes

Floats = npt.NDArray[np.float32]
Wide = npt.NDArray[np.float64]
Row = npt.NDArray[np.generic] | Sequence[float]

LEVELS = 6
"""The number of innermost elements around a block that have features; wrappers of the same blocks count once."""
COUNTED_LEVELS = 4
"""The number of these in which tags are counted."""
NEIGHBOURS = (1, 2, 3)
WINDOWS = (5, 15, 40)
PAGE_FAMILIES = "article product forum single blog post list search documentation recipe event".split()
"""Families of words that say something about the page, where its elements HTML, BODY and META have them."""
TALK_FAMILIES = ("comment", "forum", "message", "post", "review")
"""Class-name families of user-written text."""
_SAID = (*FAMILIES, *(f"tag_{tag}" for tag in TAGS), "hidden")
_BITS = np.arange(8, dtype=np.uint8)[:, None]
_IN, _NEAR = (tuple(f"{prefix}_{name}" for name in _SAID) for prefix in ("in", "near"))
# Longer blocks repeat no title.
_TITLE_WORDS = 40
# Names are put together once: they take as long as the features.
_OWN_AROUND = "words share links marks prose blocks mean headings place".split()
# Of the levels in which tags are counted, and of the others.
_AROUND = (
    [f"around{level + 1}_{name}" for level in range(COUNTED_LEVELS) for name in (*_OWN_AROUND, *COUNTED)],
    [f"around{level + 1}_{name}" for level in range(COUNTED_LEVELS, LEVELS) for name in _OWN_AROUND],
)
_STEPS = [by for step in NEIGHBOURS for by in (-step, step)]
_OF_NEIGHBOUR = "words links marks level same".split()
_BESIDE = [f"{'before' if by < 0 else 'after'}{abs(by)}_{name}" for by in _STEPS for name in _OF_NEIGHBOUR]
_WINDOWS = [f"window{width}_{name}" for width in WINDOWS for name in ("words", "links", "marks", "digits", "years")]
_REPEATED = [f"repeated_{name}" for name in ("siblings", "rank", "mean", "share", "before", "own", "place")]
_OF_PATH = "blocks share mean links marks rank".split()
_PATHS = [[f"{path}_{name}" for name in _OF_PATH] for path in ("path", "exact_path")]
_SHARES = "capitals digits stops commas colons bars brackets symbols caseless unspaced".split()
_SHARED = [kinds.UPPER, kinds.DIGIT, kinds.STOP, kinds.COMMA, kinds.COLON, kinds.BAR, kinds.BRACKET, kinds.OTHER]
_SHARED += [kinds.CASELESS, kinds.UNSPACED]
_PROSE_WORDS, _PROSE_LINKS = 10, 0.5
_FEATURES = 490
"""Their number."""
_NONE = -1000
"""The value where there is nothing to count from."""
_FAR_BLOCKS, _FAR_WORDS = 60, 500
# Distances are capped: pages that are much longer are too few to learn from, and differ.
_LIMITS = (
    dict.fromkeys("index index_from_end after_h1 after_headline to_heading since_heading".split(), _FAR_BLOCKS)
    | dict.fromkeys("words_before_count words_after_count words_after_h1 words_after_headline".split(), _FAR_WORDS)
    | {f"page_before_{family}": _FAR_WORDS for family in TALK_FAMILIES}
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
        begins, ends: of the elements around each block, from the innermost, their first block and the one after their last;
            shape (LEVELS, blocks).
        paths: numbers of the blocks' paths, by tags and by descriptions; shape (2, blocks).
        lists: the first block of the list, table or thread that each block is in, -1 if none; shape (blocks,).
        comments: whether an element around each block is called a comment; shape (blocks,).
    """

    names: tuple[str, ...]
    values: Floats
    words: Wide
    begins: Ints
    ends: Ints
    paths: Ints
    lists: Ints
    comments: npt.NDArray[np.bool_]


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


class _Page:
    """The page's own quantities, from which features are made; of blocks unless it says otherwise."""

    def __init__(self, segments: Segments) -> None:
        self.segments = segments
        self.elements: Elements = segments.elements
        self.tree: PageTree = page_tree(self.elements)
        # The elements of each of `COUNTED` before each element, and in all.
        numbers = np.array([[self.tree.tags.get(tag, -1)] for tag in COUNTED])
        self.tags_before = np.zeros((len(COUNTED), len(self.tree.tag) + 1), dtype=np.int32)
        np.cumsum(self.tree.tag == numbers, axis=1, out=self.tags_before[:, 1:])
        self.ends = segments.block_ends
        self.blocks = len(self.ends)
        self.index = np.arange(self.blocks)
        self.levels = segments.levels.astype(np.int64)
        # The kind of each character.
        self.kind = kinds_of(segments.text, outside_ascii(segments.text))
        self.kinds = count_kinds(self.kind, self.ends)
        self.characters = sizes(self.ends)
        unspaced = self.kinds[kinds.UNSPACED]
        # A run of unspaced letters was counted as one word.
        self.words = segments.words_in_blocks + unspaced / 2 - (unspaced > 0)
        self.words_before = np.cumsum(self.words) - self.words
        self.total = max(float(self.words.sum()), 1.0)
        self.linked = segments.linked_characters_in_blocks
        self.links = np.minimum(_share(self.linked, self.characters - 1), 1)
        self.stops = self.kinds[kinds.STOP]
        self.marks = self.stops + self.kinds[kinds.COMMA]
        self.prose = np.where((self.words > _PROSE_WORDS) & (self.links < _PROSE_LINKS), self.words, 0)
        years, times = dates(segments.text, self.kind)
        self.years, self.times = (count_by_end(at, self.ends) for at in (years, times))
        self.in_title = self._in_title()

    def _in_title(self) -> Wide:
        """Return the share of words that are in the page's title; 0 for long blocks."""
        shares, short = np.zeros(self.blocks), np.flatnonzero(self.words <= _TITLE_WORDS)
        wanted = frozenset(self.segments.title.casefold().split())
        # Most blocks are ASCII, whose case is folded faster.
        blocks = map(self.segments.blocks.__getitem__, short.tolist())
        tokens = " ".join(map(str.casefold, blocks)).split(" ")
        found = np.flatnonzero(np.fromiter(map(wanted.__contains__, tokens), dtype=np.bool_, count=len(tokens)))
        counts = self.segments.tokens_in_blocks[short]
        shares[short] = count_by_end(found, np.cumsum(counts)) / counts
        return shares


def features_of(segments: Segments) -> BlockFeatures:
    """Return the features of every block of a page that was read with its elements; it has at least one block."""
    page = _Page(segments)
    rows = Rows(_FEATURES, page.blocks)
    _own(page, rows)
    _position(page, rows)
    comments = _markup(page, rows)
    begins, ends = _containers(page, rows)
    _main_elements(page, rows)
    lists = _repeated(page, rows)
    paths = _paths(page, rows)
    _neighbours(page, rows)
    _page_features(page, rows)
    names, values = rows.matrix()
    return BlockFeatures(names, values, page.words, begins, ends, paths, lists, comments)


@cache
def empty_page() -> BlockFeatures:
    """Return the features of a page with one block."""
    return features_of(read_html("<p>a", detail=Detail.ELEMENTS))


def feature_names() -> tuple[str, ...]:
    """Return the names of all features."""
    return empty_page().names


def shifted(values: npt.NDArray[np.generic], steps: Sequence[int], beyond: float) -> list[Wide]:
    """Return for each step the values of the blocks that many further on; `beyond` past an edge; shape (..., blocks)."""
    most, blocks = max(map(abs, steps)), values.shape[-1]
    padded = np.full((*values.shape[:-1], blocks + 2 * most), beyond, dtype=np.float64)
    padded[..., most : most + blocks] = values
    return [padded[..., most + step : most + step + blocks] for step in steps]


def window_sums(values: npt.NDArray[np.generic], widths: Sequence[int]) -> list[Wide]:
    """Return for each width the sum over the blocks at most that many blocks away on either side; shape (..., blocks)."""
    most, blocks = max(widths), values.shape[-1]
    # Sums before the page are 0, and after it all of it.
    sums = np.zeros((*values.shape[:-1], blocks + 1 + 2 * most))
    np.cumsum(values, axis=-1, out=sums[..., most + 1 : most + 1 + blocks])
    sums[..., most + 1 + blocks :] = sums[..., most + blocks, None]
    return [
        sums[..., most + 1 + width : most + 1 + width + blocks] - sums[..., most - width : most - width + blocks]
        for width in widths
    ]


def running_sum(values: npt.NDArray[np.generic]) -> Wide:
    """Return the sums of the values before each block, and of all; shape (..., blocks + 1)."""
    sums = np.zeros((*values.shape[:-1], values.shape[-1] + 1))
    np.cumsum(values, axis=-1, out=sums[..., 1:])
    return sums


def _share(part: npt.NDArray[np.generic], whole: npt.NDArray[np.generic]) -> Wide:
    shares: Wide = part / np.maximum(whole, 1)
    return shares


def _own(page: _Page, rows: Rows) -> None:
    segments, counts = page.segments, page.kinds
    firsts, lasts = np.concatenate(([0], page.ends[:-1])), page.ends - 2
    # A block ends in a separator, but for the last.
    lasts[-1] += 1
    letters = counts[[kinds.UPPER, kinds.LOWER, kinds.CASELESS, kinds.UNSPACED]].sum(axis=0)
    rows.add(words=page.words, characters=page.characters, links=page.links)
    rows.add(word_length=_share(letters, page.words), sentence_length=_share(page.words, page.stops))
    rows.extend(_SHARES, _share(counts[_SHARED], page.characters))
    rows.add(stop_count=page.stops, comma_count=counts[kinds.COMMA], currency=counts[kinds.CURRENCY] > 0)
    starts = segments.word_starts
    capitalised = count_by_end(starts[page.kind[starts] == kinds.UPPER], page.ends)
    rows.add(capitalised=_share(capitalised, segments.words_in_blocks))
    rows.add(first_kind=page.kind[firsts], last_kind=page.kind[lasts], years=page.years, times=page.times)
    marks = segments.marks
    rows.add(level=page.levels, list_item=marks.is_list_item, control=marks.is_control)
    rows.add(tags_before=marks.tags_before, tags_inside=marks.tags_inside)
    seen = Counter(segments.blocks)
    rows.add(repeats=[*map(seen.__getitem__, segments.blocks)], title_words=page.in_title)


def _position(page: _Page, rows: Rows) -> None:
    index, before, levels = page.index, page.words_before, page.levels
    prose = np.cumsum(page.prose)
    rows.add(place=index / page.blocks, index=index, index_from_end=page.blocks - 1 - index)
    rows.add(words_before=before / page.total, words_before_count=before)
    rows.add(words_after_count=page.total - before - page.words)
    rows.add(prose_before=(prose - page.prose) / max(float(prose[-1]), 1.0))
    heading = (levels > 0) & (levels < TITLE_LEVEL)
    last = np.maximum.accumulate(np.where(heading, index, -1))
    begun = last >= 0
    rows.add(since_heading=np.where(begun, index - last, -1), heading_level=np.where(begun, levels[last], 0))
    rows.add(words_since_heading=np.where(begun, before - before[last], -1))
    following = np.minimum.accumulate(np.where(heading, index, page.blocks - _NONE)[::-1])[::-1]
    rows.add(to_heading=np.minimum(following - index, -_NONE))
    for name, found in (
        ("h1", levels == 1),
        ("headline", (page.in_title > 0.99) & (levels < TITLE_LEVEL) & (page.words > 1.5)),
    ):
        first = int(np.argmax(found))
        since = (index - first, before - before[first]) if found[first] else (_NONE, _NONE)
        rows.add(**{f"after_{name}": since[0], f"words_after_{name}": since[1]})


def _markup(page: _Page, rows: Rows) -> npt.NDArray[np.bool_]:
    """Tags, classes, ids and roles of the elements around; returns which blocks are in comments."""
    tree = page.tree
    around, near = (
        (said[:, None] >> _BITS & 1).reshape(-1, page.blocks)[: len(_SAID)] for said in (tree.around, tree.near)
    )
    rows.extend(_IN, around)
    rows.extend(_NEAR, near)
    rows.add(depth=page.elements.depths[page.elements.innermost])
    prose = running_sum(page.prose)
    for family in TALK_FAMILIES:
        inside = around[FAMILIES.index(family)]
        first = int(np.argmax(inside)) if inside.any() else page.blocks - 1
        share = inside @ page.words / page.total
        rows.add(**{f"page_{family}_share": share, f"page_before_{family}": prose[first]})
    comments: npt.NDArray[np.bool_] = around[FAMILIES.index("comment")].view(np.bool_)
    return comments


def _containers(page: _Page, rows: Rows) -> tuple[Ints, Ints]:
    """The elements around, from the innermost; returns their first blocks and those after their last."""
    elements, tree, index = page.elements, page.tree, page.index
    first, after = elements.first_blocks, elements.after_blocks
    sums = running_sum(
        np.array((page.words, page.linked, page.characters, page.marks, page.prose, page.levels > 0), dtype=np.float64)
    )
    # Of each element; most are around several blocks.
    blocks = np.maximum(after - first, 1)
    words, linked, characters, marks, prose, headings = sums.take(after, axis=1) - sums.take(first, axis=1)
    links, means = _share(linked, characters), (words / blocks, headings / blocks)
    own = words, words / page.total, links, _share(marks, words), _share(prose, words), blocks, *means
    counts = page.tags_before.take(elements.after_elements, axis=1) - page.tags_before[:, :-1]
    around = elements.innermost
    # From the innermost element with other blocks than this.
    alone = (first[around] == index) & (after[around] == index + 1) & (tree.wider[around] >= 0)
    around = np.where(alone, tree.wider[around], around)
    elements_around = np.empty((LEVELS, page.blocks), dtype=np.int64)
    for level in range(LEVELS):
        elements_around[level] = around
        around = np.maximum(tree.wider[around], 0)
    begins, ends = first[elements_around], after[elements_around]
    # The place is that of the block.
    values = np.array((*own, blocks, *(counts / blocks)), dtype=np.float32).take(elements_around, axis=1)
    values[len(own)] = (index - begins) / (ends - begins)
    levels = values[:, :COUNTED_LEVELS], values[: len(_OWN_AROUND), COUNTED_LEVELS:]
    for names, of_levels in zip(_AROUND, levels, strict=True):
        rows.extend(names, of_levels.transpose(1, 0, 2).reshape(-1, page.blocks))
    return begins, ends


def _main_elements(page: _Page, rows: Rows) -> None:
    """Elements that may hold the main content: the least with most prose, the largest ARTICLE and MAIN."""
    first, after, index = page.elements.first_blocks, page.elements.after_blocks, page.index
    prose, words = running_sum(page.prose), running_sum(page.words)
    most = np.flatnonzero(prose[after] - prose[first] >= 0.6 * prose[-1])
    candidate = int(most[-1])
    rows.add(in_most_prose=(index >= first[candidate]) & (index < after[candidate]))
    for tag in ("article", "main"):
        of_tag = np.flatnonzero(page.tree.tag == page.tree.tags.get(tag, -1))
        sizes = words[after[of_tag]] - words[first[of_tag]]
        largest = int(of_tag[np.argmax(sizes)]) if len(of_tag) else 0
        inside = (index >= first[largest]) & (index < after[largest]) if len(of_tag) else -1
        share = float(sizes.max(initial=0)) / page.total
        rows.add(**{f"{tag}_elements": len(of_tag), f"in_largest_{tag}": inside, f"largest_{tag}_share": share})


def _repeated(page: _Page, rows: Rows) -> Ints:
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


def _paths(page: _Page, rows: Rows) -> Ints:
    """The blocks on the same path from the page down; returns the paths' numbers."""
    numbers = []
    quantities = np.array((page.words, page.linked, page.characters, page.marks), dtype=np.float64)
    for names, paths in zip(_PATHS, page.tree.paths.take(page.elements.innermost, axis=1), strict=True):
        which, _, ranks, sizes = grouped(paths)
        numbers.append(which)
        # All sums at once: one after another in one row.
        places = which + len(sizes) * np.arange(len(quantities))[:, None]
        words, linked, characters, marks = np.bincount(places.ravel(), weights=quantities.ravel())[places]
        blocks = sizes[which]
        shares = words / page.total, words / blocks, _share(linked, characters), _share(marks, words)
        rows.extend(names, np.array((blocks, *shares, ranks)))
    return np.array(numbers)


def _neighbours(page: _Page, rows: Rows) -> None:
    innermost = page.elements.innermost
    marks = _share(page.marks, page.words)
    values = np.array((page.words, page.links, marks, page.levels, innermost))
    moved = np.array(shifted(values, _STEPS, -1))
    moved[:, -1] = moved[:, -1] == innermost
    rows.extend(_BESIDE, moved.reshape(-1, page.blocks))
    digits = page.kinds[kinds.DIGIT]
    values = np.array((page.words, page.characters, page.index >= 0, page.linked, page.marks, digits, page.years))
    sums = np.array(window_sums(values, WINDOWS))
    # Words and years by blocks, links and digits by characters, marks by words.
    shares = _share(sums[:, [0, 3, 4, 5, 6]], sums[:, [2, 1, 0, 1, 2]])
    rows.extend(_WINDOWS, shares.reshape(-1, page.blocks))


def _page_features(page: _Page, rows: Rows) -> None:
    tree, blocks, characters = page.tree, page.blocks, max(int(page.ends[-1]), 1)
    values = {
        "words": page.total,
        "blocks": blocks,
        "elements": len(tree.tag),
        "links": page.linked.sum() / characters,
        "prose": page.prose.sum() / page.total,
        "marks": page.marks.sum() / page.total,
        "mean": page.total / blocks,
        "longest": page.words.max(),
        "currency": np.count_nonzero(page.kinds[kinds.CURRENCY]),
        "years": page.years.sum(),
        "list_items": np.count_nonzero(page.segments.is_list_item) / blocks,
        "controls": np.count_nonzero(page.segments.marks.is_control) / blocks,
        "headings": np.count_nonzero(page.levels) / blocks,
        "unspaced": page.kinds[kinds.UNSPACED].sum() / characters,
        "images": page.tags_before[COUNTED.index("img"), -1],
        "paragraphs": page.tags_before[COUNTED.index("p"), -1],
    }
    values |= {family: tree.page_bits >> FAMILIES.index(family) & 1 for family in PAGE_FAMILIES}
    rows.extend(map("page_{}".format, values), np.array([*values.values()])[:, None])

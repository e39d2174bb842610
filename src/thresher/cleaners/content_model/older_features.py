"""What models of format 3 see besides: features that were found to gain nothing, and what their first stage says around.

Such models have trees as their second stage, which learn from the first one's probabilities of the blocks around.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from thresher.base.numbers import Ints
from thresher.cleaners.content_model import characters as kinds
from thresher.cleaners.content_model.characters import dates
from thresher.cleaners.content_model.features import (
    FEATURES,
    LEVELS,
    OWN_AROUND,
    SAID,
    THOUSAND,
    Around,
    BlockFeatures,
    Floats,
    PageFacts,
    Rows,
    Wide,
    add_features,
    add_since,
    bits_of,
    running_sum,
    share,
)
from thresher.cleaners.content_model.page_tree import grouped
from thresher.pages import Detail, Segments, read_html
from thresher.pages.parsing import TITLE_LEVEL
from thresher.pages.plain import count_by_end

# Longer blocks repeat no title.
_TITLE_WORDS = 40
_BESIDE_STEPS = [by for step in (1, 2, 3) for by in (-step, step)]
_OF_NEIGHBOUR = "words links marks level same".split()
_BESIDE = [f"{'before' if by < 0 else 'after'}{abs(by)}_{name}" for by in _BESIDE_STEPS for name in _OF_NEIGHBOUR]
_WIDTHS = (5, 15, 40)
_WINDOWS = [f"window{width}_{name}" for width in _WIDTHS for name in ("words", "links", "marks", "digits", "years")]
_LEVELS = 6
_OUTER = [f"around{level + 1}_{name}" for level in range(LEVELS, _LEVELS) for name in OWN_AROUND]
_NEAR = [f"near_{name}" for name in SAID]
_OF_PATH = "blocks share mean links marks rank".split()
_PATHS = [[f"{path}_{name}" for name in _OF_PATH] for path in ("path", "exact_path")]
_OLDER = 206
MANY = 500
"""Longer blocks count as having this many words."""
NEIGHBOURS = (1, 2, 3, 4, 5)
WINDOWS = (2, 5, 15, 40)
_OF_SEQUENCE = 47
_STEPS = [by for step in NEIGHBOURS for by in (-step, step)]
_FIRST_BESIDE = [f"first_{'before' if by < 0 else 'after'}{abs(by)}" for by in _STEPS]
_FIRST_WINDOWS = [f"first_window{width}" for width in WINDOWS]
_FIRST_AROUND = [f"first_around{level + 1}{what}" for level in range(_LEVELS) for what in ("", "_share", "_others")]


@dataclass(frozen=True)
class OlderFeatures(BlockFeatures):
    """The features of a page's blocks, with what stands around them; and the numbers of their paths, by tags and by
    descriptions, shape (2, blocks).
    """

    around: Around
    paths: Ints


def older_features(segments: Segments) -> OlderFeatures:
    """Return the features of every block that models of format 3 know; as `features_of`."""
    page = PageFacts(segments, _LEVELS, with_paths=True)
    rows = Rows(FEATURES + _OLDER, page.blocks)
    around = add_features(page, rows)
    starts, in_title = segments.word_starts, _in_title(page)
    capitalised = count_by_end(starts[page.kind[starts] == kinds.UPPER], page.ends)
    years, times = (count_by_end(at, page.ends) for at in dates(segments.text, page.kind))
    seen = Counter(segments.blocks)
    rows.add(capitalised=share(capitalised, segments.words_in_blocks), years=years, times=times, page_years=years.sum())
    rows.add(repeats=[*map(seen.__getitem__, segments.blocks)], title_words=in_title)
    add_since(page, rows, "headline", (in_title > 0.99) & (page.levels < TITLE_LEVEL) & (page.words > 1.5))
    rows.extend(_OUTER, around.own[:, LEVELS:].transpose(1, 0, 2).reshape(len(_OUTER), -1))
    tree = page.tree
    if tree.near is None or tree.paths is None:
        raise TypeError("the tree has no paths")
    rows.extend(_NEAR, bits_of(tree.near))
    paths = _paths(page, tree.paths, rows)
    _neighbours(page, rows, years)
    names, values = rows.matrix()
    return OlderFeatures(names, values, page.words, around.comments, page.alike, around, paths)


@cache
def older_names() -> tuple[str, ...]:
    """Return the names of these features."""
    return older_features(read_html("<p>a", detail=Detail.ELEMENTS)).names


def _in_title(page: PageFacts) -> Wide:
    """Return the share of words that are in the page's title; 0 for long blocks."""
    shares, short = np.zeros(page.blocks), np.flatnonzero(page.words <= _TITLE_WORDS)
    wanted = frozenset(page.segments.title.casefold().split())
    # Most blocks are ASCII, whose case is folded faster.
    blocks = map(page.segments.blocks.__getitem__, short.tolist())
    tokens = " ".join(map(str.casefold, blocks)).split(" ")
    found = np.flatnonzero(np.fromiter(map(wanted.__contains__, tokens), dtype=np.bool_, count=len(tokens)))
    counts = page.segments.tokens_in_blocks[short]
    shares[short] = count_by_end(found, np.cumsum(counts)) / counts
    return shares


def _paths(page: PageFacts, of_elements: Ints, rows: Rows) -> Ints:
    """The blocks on the same path from the page down; returns the paths' numbers."""
    numbers = []
    quantities = np.array((page.words, page.linked, page.characters, page.marks), dtype=np.float64)
    for names, paths in zip(_PATHS, of_elements.take(page.elements.innermost, axis=1), strict=True):
        which, _, ranks, sizes = grouped(paths)
        numbers.append(which)
        # All sums at once: one after another in one row.
        places = which + len(sizes) * np.arange(len(quantities))[:, None]
        words, linked, characters, marks = np.bincount(places.ravel(), weights=quantities.ravel())[places]
        blocks = sizes[which]
        shares = words / page.total, words / blocks, share(linked, characters), share(marks, words)
        rows.extend(names, np.array((blocks, *shares, ranks)))
    return np.array(numbers)


def _neighbours(page: PageFacts, rows: Rows, years: Ints) -> None:
    innermost = page.elements.innermost
    marks = share(page.marks, page.words)
    values = np.array((page.words, page.links, marks, page.levels, innermost))
    moved = np.array(shifted(values, _BESIDE_STEPS, -1))
    moved[:, -1] = moved[:, -1] == innermost
    rows.extend(_BESIDE, moved.reshape(-1, page.blocks))
    digits = page.kinds[kinds.DIGIT]
    values = np.array((page.words, page.characters, page.index >= 0, page.linked, page.marks, digits, years))
    sums = np.array(window_sums(values, _WIDTHS))
    # Words and years by blocks, links and digits by characters, marks by words.
    shares = share(sums[:, [0, 3, 4, 5, 6]], sums[:, [2, 1, 0, 1, 2]])
    rows.extend(_WINDOWS, shares.reshape(-1, page.blocks))


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


def sequence_features(first: Wide, features: OlderFeatures) -> tuple[tuple[str, ...], Floats]:
    """Return the names and values of the second stage's own features.

    `first` are the first stage's probabilities of a page's blocks, in whole thousandths, so that sums over blocks are exact.
    """
    blocks = len(first)
    rows = Rows(_OF_SEQUENCE, blocks)
    rows.add(first=first)
    weight = features.words + 1
    weighted = first * weight
    rows.extend(_FIRST_BESIDE, np.array(shifted(first, _STEPS, -1)))
    both = np.array((weighted, weight))
    in_windows = np.array(window_sums(both, WINDOWS))
    rows.extend(_FIRST_WINDOWS, in_windows[:, 0] / in_windows[:, 1])
    sums = running_sum(both)
    mass, total = sums
    whole, content = max(total[-1], 1.0), max(mass[-1], 1.0)
    rows.add(first_page=mass[-1] / whole, first_before=mass[:-1] / np.maximum(total[:-1], 1))
    rows.add(first_after=(mass[-1] - mass[1:]) / np.maximum(whole - total[1:], 1))
    rows.add(first_mass_before=mass[:-1] / content)
    in_element, words = sums.take(features.around.ends, axis=1) - sums.take(features.around.begins, axis=1)
    words = np.maximum(words, 1)
    others = (in_element - weighted) / np.maximum(words - weight, 1)
    around = np.array((in_element / words, in_element / content, others))
    rows.extend(_FIRST_AROUND, around.transpose(1, 0, 2).reshape(len(_FIRST_AROUND), blocks))
    for name, which in zip(("path", "exact_path"), features.paths, strict=True):
        mean = np.bincount(which, weights=weighted) / np.bincount(which, weights=weight)
        rows.add(**{f"first_{name}": mean[which]})
    index = np.arange(blocks)
    # In whole words: how much content there is besides comments, and before the list that the block is in.
    outside = float(weighted[~features.comments].sum()) / THOUSAND
    first_comment = int(np.argmax(features.comments)) if features.comments.any() else blocks
    rows.add(first_outside_comments=min(outside, MANY), first_comments=min(mass[-1] / THOUSAND - outside, MANY))
    rows.add(first_before_comments=min(mass[first_comment] / THOUSAND, MANY))
    in_list, before_list = features.around.lists >= 0, mass[features.around.lists]
    rows.add(first_before_list=np.where(in_list, np.minimum(before_list / THOUSAND, MANY), -1))
    rows.add(first_before_list_share=np.where(in_list, before_list / content, -1))
    sure = (first > 500) & (features.words > 8)
    before = np.maximum.accumulate(np.where(sure, index, -1000))
    after = np.minimum.accumulate(np.where(sure, index, blocks + 1000)[::-1])[::-1]
    rows.add(since_sure=np.minimum(index - before, 1000), to_sure=np.minimum(after - index, 1000))
    rows.add(first_highest=first.max())
    return rows.matrix()


@cache
def sequence_names() -> tuple[str, ...]:
    """Return the names of the second stage's own features."""
    features = older_features(read_html("<p>a", detail=Detail.ELEMENTS))
    return sequence_features(np.zeros(len(features.words)), features)[0]

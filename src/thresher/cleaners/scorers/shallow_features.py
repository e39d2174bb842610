"""Shallow features of blocks, and the descriptive text, that is, running sentences, that they detect in any language.

Source: Kohlschuetter, Fankhauser, Nejdl, Boilerplate Detection using Shallow Text Features, WSDM 2010: long text is
descriptive, short text functional (section 5.3). A block must pass all of Table 2's rules for one feature: text density at
10.5, number of words at 15, link density at 0.33. In scripts without spaces two letters count as a word, which is about right
for Chinese and Japanese, where every line of 80 columns has more than 10.5 of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from thresher.base.numbers import Floats
from thresher.cleaners.scorer import BLOCK, KEEP_HIGH, KEEP_LOW, Parameter, Scorer, Scores
from thresher.cleaners.words.tokenisers import tokenise, tokenise_characters
from thresher.pages import Detail, Segments

LETTERS_A_WORD = 2
"""About right for Chinese and Japanese."""
LINE_WIDTH = 80
WORDS = "words"
TOKENS = "tokens"
COUNT = Parameter(
    "count",
    str,
    WORDS,
    "the unit: words, as in the code of the paper's authors, or tokens between white space, as in the paper",
    choices=(WORDS, TOKENS),
    terse=True,
)
"""The unit that densities and link densities count."""
Mask = npt.NDArray[np.bool_]
# As the paper prints them: 1/3 is above the first, 5/9 below the second.
MOST_LINKED = 0.333333
MOST_LINKED_BEFORE = 0.555556
LEAST_DENSITY = 10.5
LEAST_WORDS = 15
RULE = {"density": LEAST_DENSITY, "words": LEAST_WORDS, "links": MOST_LINKED, "letters": LETTERS_A_WORD}
"""The rule's constants, for fingerprints."""


def unspaced_words(segments: Segments) -> npt.NDArray[np.float64]:
    """Return the estimated words of each block that is mostly in scripts without spaces, else 0; shape (blocks,)."""
    if segments.plain.text.isascii():
        return np.zeros(len(segments.block_ends))
    _, runs = tokenise(segments.plain, segments.block_ends)
    _, letters = tokenise_characters(segments.plain, segments.block_ends)
    # Both counts are equal for words with spaces between them.
    return np.where(letters >= 2 * runs, letters / LETTERS_A_WORD, 0.0)


@dataclass(frozen=True)
class Neighbourhood:
    """A feature of each block, of the block before it and of the block after it; shape (blocks,) each."""

    previous: Floats
    current: Floats
    next: Floats


def neighbourhood(values: npt.NDArray[Any], parted: Mask) -> Neighbourhood:
    """Return a feature of every block and its neighbours, 0 beyond an edge.

    `parted` says whether an edge separates each block but the first from the block before; shape (blocks - 1,).
    """
    current = values.astype(np.float64)
    previous = np.zeros_like(current)
    following = np.zeros_like(current)
    np.copyto(previous[1:], current[:-1], where=~parted)
    np.copyto(following[:-1], current[1:], where=~parted)
    return Neighbourhood(previous, current, following)


def link_densities(segments: Segments, count: str = WORDS) -> Floats:
    """Return the share of each block's words, or tokens, that are linked, 0 where there are none; range 0 to 1.

    By section 3.3 they are tokens. The page must have been read with its marks.
    """
    if count == WORDS:
        return shares(segments.linked_words_in_blocks, segments.words_in_blocks)
    return shares(segments.linked_tokens_in_blocks, segments.tokens_in_blocks)


def shares(parts: npt.NDArray[Any], wholes: npt.NDArray[Any]) -> Floats:
    """Return parts by wholes, 0 where a whole is 0."""
    result: Floats = parts / np.maximum(wholes, 1)
    return result


class Density(Scorer):
    """Words (or tokens) per line of the block, wrapped at 80 characters, without the last line; of a block of one line, its
    words. The paper's rule of a single feature (1R) is @10.5."""

    name = "density"
    segment = BLOCK
    keep = KEEP_HIGH
    unit = "words per line"
    needs_spaces = True
    low = 0
    grid = tuple(range(1, 21))
    parameters = (COUNT,)
    source = (
        "Kohlschuetter, Fankhauser, Nejdl: Boilerplate Detection using Shallow Text Features, WSDM 2010, section 3.3"
    )

    def score(self, segments: Segments) -> Scores:
        """Return the density of each block."""
        return densities(segments, str(self.values["count"])).astype(np.float32)


def densities(segments: Segments, count: str = WORDS) -> npt.NDArray[np.float64]:
    """Return rho(b) = |T'(b)| / (|L(b)| - 1) where the block wraps, else |T(b)| (Eq. 1), of each block; shape (blocks,).

    T are the block's `WORDS` or `TOKENS`, as `count` says.
    """
    if count == WORDS:
        starts = segments.word_starts
        counts = segments.words_in_blocks
    else:
        starts = segments.token_starts
        counts = segments.tokens_in_blocks
    density = counts.astype(np.float64)
    ends = segments.block_ends
    begins = np.concatenate(([0], ends[:-1])).astype(np.int64)
    # Of each block that wraps: its number, its line breaks, and the first character of its last line.
    wrapped: list[int] = []
    breaks: list[int] = []
    last_lines: list[int] = []
    for index in (ends - begins > LINE_WIDTH).nonzero()[0].tolist():
        lines = wrap(segments.plain.text[begins[index] : ends[index]].rstrip("\n"))
        if lines.breaks:
            wrapped.append(index)
            breaks.append(lines.breaks)
            last_lines.append(lines.last + begins[index])
    if wrapped:
        counts_before_last_line = starts.searchsorted(last_lines) - starts.searchsorted(begins[wrapped])
        density[wrapped] = counts_before_last_line / np.array(breaks)
    return density


class Wrapped(NamedTuple):
    """The number of line breaks of a wrapped text, and the first character of its last line."""

    breaks: int
    last: int


def wrap(block: str) -> Wrapped:
    """Wrap text greedily at 80 characters between words; a longer word has a line to itself."""
    start = breaks = 0
    length = len(block)
    while length - start > LINE_WIDTH:
        space = block.rfind(" ", start, start + LINE_WIDTH + 1)
        if space < 0:
            space = block.find(" ", start + LINE_WIDTH)
            if space < 0:
                break
        start = space + 1
        breaks += 1
    return Wrapped(breaks, start)


class Words(Scorer):
    """Number of words in the block. A word is a white-space token with a letter, digit or combining mark."""

    name = "words"
    segment = BLOCK
    keep = KEEP_HIGH
    unit = "words"
    needs_spaces = True
    low = 0
    grid = tuple(range(1, 101))
    source = "Kohlschuetter, Fankhauser, Nejdl: Boilerplate Detection using Shallow Text Features, WSDM 2010, section 3"

    def score(self, segments: Segments) -> Scores:
        """Return the number of words of each block."""
        return segments.words_in_blocks.astype(np.float32)


class Links(Scorer):
    """Share of the block's words (or tokens) that are linked; in scripts without spaces, of its characters."""

    name = "links"
    segment = BLOCK
    keep = KEEP_LOW
    detail = Detail.TAGS
    unit = "share of words"
    low, high = 0.0, 1.0
    grid = (0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.33, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
    source = (
        "Kohlschuetter, Fankhauser, Nejdl: Boilerplate Detection using Shallow Text Features, WSDM 2010, section 3.3 and "
        "Table 2 (@0.33)"
    )
    parameters = (COUNT,)

    def score(self, segments: Segments) -> Scores:
        """Return the share of each block, in [0, 1]; 0 for a block without words."""
        return linked_shares(segments, unspaced_words(segments) > 0, str(self.values["count"])).astype(np.float32)


def linked_shares(segments: Segments, unspaced: Mask, count: str = WORDS) -> Floats:
    """Return the share of each block's words or tokens that are linked, of its characters where `unspaced`; shape (blocks,).

    The page must have been read with its marks.
    """
    shares = link_densities(segments, count)
    if unspaced.any():
        lengths = np.diff(segments.block_ends, prepend=0)
        # All blocks but the last end with a line feed.
        lengths[:-1] -= 1
        shares = np.where(unspaced, segments.linked_characters_in_blocks / lengths, shares)
    return shares


def descriptive_blocks(segments: Segments) -> Mask:
    """Return which blocks are descriptive text; title and headings never are. Shape (blocks,).

    The page must have been read with its marks.
    """
    words = segments.words_in_blocks
    long: Mask = (words >= LEAST_WORDS) & (densities(segments) >= LEAST_DENSITY)
    unspaced = unspaced_words(segments)
    long |= unspaced >= LEAST_WORDS
    return long & (linked_shares(segments, unspaced > 0) <= MOST_LINKED) & ~segments.is_heading

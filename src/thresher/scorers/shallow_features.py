"""Shallow features of blocks, and the descriptive text, that is, running sentences, that they detect in any language.

Source: Kohlschuetter, Fankhauser, Nejdl, Boilerplate Detection using Shallow Text Features, WSDM 2010: long text is
descriptive, short text functional (section 5.3). A block must pass all of Table 2's rules for one feature: text density at
10.5, number of words at 15, link density at 0.33. In scripts without spaces two letters count as a word, which is about right
for Chinese and Japanese, where every line of 80 columns has more than 10.5 of them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.language_models.words.tokenisers import tokenise, tokenise_characters
from thresher.pages import Detail, Segments
from thresher.pages.parsing import TITLE_LEVEL
from thresher.pages.plain import LETTER, count_by_end
from thresher.scorers.base import BLOCK, KEEP_HIGH, KEEP_LOW, Parameter, Scorer, Scores

LETTERS_A_WORD = 2
"""About right for Chinese and Japanese."""
LINE_WIDTH = 80
WORDS, TOKENS = "words", "tokens"
COUNT = Parameter(
    "count",
    str,
    WORDS,
    "words, as in the code that the paper's authors released, or tokens, as in the paper: all that white space separates",
    choices=(WORDS, TOKENS),
    terse=True,
)
"""What densities and link densities count."""
Mask = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
# As the paper prints them: 1/3 is above the first, 5/9 below the second.
MOST_LINKED, MOST_LINKED_BEFORE = 0.333333, 0.555556
# The dots of addresses and numbers are followed by a letter or digit; of several dots in a row the last one counts.
_FULL_STOP = re.compile(r"\.(?![\w.])|[。｡।۔።]")
LEAST_DENSITY, LEAST_WORDS = 10.5, 15
RULE: dict[str, float] = {
    "density": LEAST_DENSITY,
    "words": LEAST_WORDS,
    "links": MOST_LINKED,
    "letters": LETTERS_A_WORD,
}
"""The rule's constants, for fingerprints."""


def unspaced_words(segments: Segments) -> npt.NDArray[np.float64]:
    """Return the estimated words of each block that is mostly in scripts without spaces, 0 for the others; shape (blocks,)."""
    if segments.plain.text.isascii():
        return np.zeros(len(segments.block_ends))
    _, runs = tokenise(segments.plain, segments.block_ends)
    _, letters = tokenise_characters(segments.plain, segments.block_ends)
    # Where words have spaces between them, both count the same.
    return np.where(letters >= 2 * runs, letters / LETTERS_A_WORD, 0.0)


def words_or_estimate(segments: Segments) -> npt.NDArray[np.float64]:
    """Return the words of each block, estimated where it is mostly in scripts without spaces; shape (blocks,)."""
    estimated = unspaced_words(segments)
    return np.where(estimated > 0, estimated, segments.words_in_blocks)


@dataclass(frozen=True)
class Neighbourhood:
    """A feature of each block, of the block before it and of the block after it; shape (blocks,) each."""

    previous: Floats
    current: Floats
    next: Floats


def neighbourhood(values: npt.NDArray[Any], parted: Mask) -> Neighbourhood:
    """Return a feature of every block and its neighbours, 0 beyond an edge.

    Args:
        values: the feature; shape (blocks,).
        parted: whether an edge separates each block but the first from the block before; shape (blocks - 1,).
    """
    current = values.astype(np.float64)
    previous, following = np.zeros_like(current), np.zeros_like(current)
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
    """Words per line of the block wrapped at 80 characters, its last line left out; a one-line block has its word count.

    Or tokens, words or not. At 10.5 it is the paper's rule of a single feature (1R).
    """

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
    starts = segments.word_starts if count == WORDS else segments.token_starts
    density = (segments.words_in_blocks if count == WORDS else segments.tokens_in_blocks).astype(np.float64)
    ends = segments.block_ends
    begins = np.concatenate(([0], ends[:-1])).astype(np.int64)
    wrapped, breaks, last_lines = [], [], []
    for index in np.flatnonzero(ends - begins > LINE_WIDTH).tolist():
        lines, start = wrap(segments.plain.text[begins[index] : ends[index]].rstrip("\n"))
        if lines:
            wrapped.append(index)
            breaks.append(lines)
            last_lines.append(start + begins[index])
    if wrapped:
        inside = np.searchsorted(starts, last_lines) - np.searchsorted(starts, begins[wrapped])
        density[wrapped] = inside / np.array(breaks)
    return density


def wrap(block: str) -> tuple[int, int]:
    """Wrap text greedily at 80 characters between words; a longer word has a line to itself.

    Returns:
        the number of line breaks, and where the last line begins.
    """
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
    return breaks, start


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


class WordLength(Scorer):
    """Mean number of characters of the block's words, their punctuation included."""

    name = "wordlength"
    segment = BLOCK
    keep = KEEP_LOW
    unit = "characters per word"
    needs_spaces = True
    low = 0
    grid = (4, 4.25, 4.5, 4.75, 5, 5.25, 5.5, 5.75, 6, 6.5, 7, 8, 10)
    source = (
        "Kohlschuetter, Fankhauser, Nejdl: Boilerplate Detection using Shallow Text Features, WSDM 2010, section 3.3"
    )

    def score(self, segments: Segments) -> Scores:
        """Return the mean of each block; 0 for a block without words."""
        starts, ends = segments.word_starts, np.append(segments.spaces, len(segments.text))
        lengths = ends[np.searchsorted(ends, starts)] - starts
        blocks = np.searchsorted(segments.block_ends, starts, side="right")
        characters = np.bincount(blocks, lengths, len(segments.block_ends))
        return (characters / np.maximum(segments.words_in_blocks, 1)).astype(np.float32)


class SentenceLength(Scorer):
    """Mean number of words of the block's sentences; in scripts without spaces two letters count as a word.

    Sentences are the project's own; the paper also ends them at semicolons.
    """

    name = "sentencelength"
    segment = BLOCK
    keep = KEEP_HIGH
    unit = "words per sentence"
    low = 0
    grid = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 17, 20, 25)
    source = (
        "Kohlschuetter, Fankhauser, Nejdl: Boilerplate Detection using Shallow Text Features, WSDM 2010, section 3.3"
    )

    def score(self, segments: Segments) -> Scores:
        """Return the mean of each block, over sentences with words; 0 for a block without words."""
        with_words = segments.block_of_sentence[segments.words_in_sentences > 0]
        sentences = np.bincount(with_words, minlength=len(segments.block_ends))
        return (words_or_estimate(segments) / np.maximum(sentences, 1)).astype(np.float32)


class FullStops(Scorer):
    """Full stops of the block by its words; in scripts without spaces two letters count as a word.

    A full stop is a dot that no letter, digit or dot follows, or the full stop of another script.
    """

    name = "fullstops"
    segment = BLOCK
    keep = KEEP_HIGH
    unit = "full stops per word"
    low = 0
    grid = (0.01, 0.02, 0.025, 0.03, 0.035, 0.04, 0.05, 0.06, 0.08, 0.1)
    source = (
        "Kohlschuetter, Fankhauser, Nejdl: Boilerplate Detection using Shallow Text Features, WSDM 2010, section 3.3"
    )

    def score(self, segments: Segments) -> Scores:
        """Return the ratio of each block; 0 for a block without words."""
        stops = np.array([match.start() for match in _FULL_STOP.finditer(segments.text)], dtype=np.int64)
        words = words_or_estimate(segments)
        counts = count_by_end(stops, segments.block_ends)
        return np.where(words > 0, counts / np.maximum(words, 1), 0).astype(np.float32)


class Capitals(Scorer):
    """Share of the block's words whose first letter or digit is an upper-case letter; 0 in scripts without case."""

    name = "capitals"
    segment = BLOCK
    keep = KEEP_LOW
    unit = "share of words"
    low, high = 0.0, 1.0
    grid = (0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
    source = (
        "Kohlschuetter, Fankhauser, Nejdl: Boilerplate Detection using Shallow Text Features, WSDM 2010, section 3.3"
    )

    def score(self, segments: Segments) -> Scores:
        """Return the share of each block, in [0, 1]; 0 for a block without words."""
        starts = segments.word_starts
        letters = np.flatnonzero(segments.plain.classes & LETTER)
        # Quotes and brackets may come before a word's first letter.
        firsts = letters[np.searchsorted(letters, starts)].tolist()
        upper = np.array([segments.text[at].istitle() for at in firsts], dtype=np.bool_)
        counts = count_by_end(starts[upper], segments.block_ends)
        return (counts / np.maximum(segments.words_in_blocks, 1)).astype(np.float32)


class Position(Scorer):
    """Relative position of the block among the blocks of its page: how far from the middle, or from the top."""

    name = "position"
    segment = BLOCK
    keep = KEEP_LOW
    unit = "share of the way"
    low, high = 0.0, 1.0
    grid = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
    source = (
        "Kohlschuetter, Fankhauser, Nejdl: Boilerplate Detection using Shallow Text Features, WSDM 2010, section 3.3 "
        "(boilerplate surrounds the main content)"
    )
    parameters = (
        Parameter(
            "origin",
            str,
            "middle",
            "where it is measured from: the middle of the page (1 is either end), or its top (1 is the bottom)",
            choices=("middle", "top"),
            terse=True,
        ),
    )

    def score(self, segments: Segments) -> Scores:
        """Return (i + 1/2) / n for block i of n, counted from 0, or |2 (i + 1/2) / n - 1|, in [0, 1)."""
        count = len(segments.block_ends)
        positions = (np.arange(count) + 0.5) / max(count, 1)
        if self.values["origin"] == "middle":
            positions = np.abs(2 * positions - 1)
        return positions.astype(np.float32)


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


class Quotient(Scorer):
    """Words or text density of the block by that of a neighbour, which counts as 1 if it is less or there is none.

    The page's title has no neighbours and is not the neighbour of any block.
    """

    name = "quotient"
    segment = BLOCK
    keep = KEEP_HIGH
    unit = "quotient"
    needs_spaces = True
    low = 0
    grid = (0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5, 10)
    source = (
        "Kohlschuetter, Fankhauser, Nejdl: Boilerplate Detection using Shallow Text Features, WSDM 2010, section 4.3.1 and "
        "Figure 1"
    )
    parameters = (
        Parameter("of", str, "words", "the feature", choices=("words", "density")),
        Parameter("to", str, "previous", "the neighbour", choices=("previous", "next"), terse=True),
    )

    def score(self, segments: Segments) -> Scores:
        """Return the quotient of each block, at least 0."""
        feature = densities(segments) if self.values["of"] == "density" else segments.words_in_blocks
        title = segments.levels == TITLE_LEVEL
        around = neighbourhood(feature, title[1:] != title[:-1])
        other = around.previous if self.values["to"] == "previous" else around.next
        return (around.current / np.maximum(other, 1)).astype(np.float32)


def descriptive_blocks(segments: Segments) -> Mask:
    """Return which blocks are descriptive text; title and headings never are. Shape (blocks,).

    The page must have been read with its marks.
    """
    words = segments.words_in_blocks
    long: Mask = (words >= LEAST_WORDS) & (densities(segments) >= LEAST_DENSITY)
    unspaced = unspaced_words(segments)
    long |= unspaced >= LEAST_WORDS
    return long & (linked_shares(segments, unspaced > 0) <= MOST_LINKED) & ~segments.is_heading

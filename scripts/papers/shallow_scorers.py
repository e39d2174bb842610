"""Scorers for shallow features of blocks that are rarely used for cleaning.

Source: Kohlschütter, Fankhauser, Nejdl, Boilerplate Detection using Shallow Text Features, WSDM 2010, sections 3.3 and 4.3.1.
"""

from __future__ import annotations

import re

import numpy as np
import numpy.typing as npt

from thresher import BLOCK, KEEP_HIGH, KEEP_LOW, Parameter, Scorer, Scores, Segments
from thresher.cleaners.scorers.shallow_features import densities, neighbourhood, unspaced_words
from thresher.pages.parsing import TITLE_LEVEL
from thresher.pages.plain import LETTER, count_by_end

Doubles = npt.NDArray[np.float64]
# A letter or digit follows the dots of addresses and numbers, which do not count. In a row of dots only the last one counts.
_SEMICOLON = re.compile("[;；]")
_FULL_STOP = re.compile(r"\.(?![\w.])|[。｡।۔።]")


def _words_or_estimate(segments: Segments) -> Doubles:
    """Return the number of words of each block. In scripts without spaces two letters count as a word."""
    estimated = unspaced_words(segments)
    return np.where(estimated > 0, estimated, segments.words_in_blocks)


class _Shallow(Scorer):
    segment = BLOCK
    low = 0
    source = "Kohlschuetter, Fankhauser, Nejdl, WSDM 2010, section 3.3"


class WordLength(_Shallow):
    """Mean number of characters of the block's words, including punctuation; 0 without words."""

    name = "wordlength"
    keep = KEEP_LOW
    unit = "characters per word"
    grid = (4, 4.25, 4.5, 4.75, 5, 5.25, 5.5, 5.75, 6, 6.5, 7, 8, 10)

    def score(self, segments: Segments) -> Scores:
        """See `Scorer`."""
        starts, ends = segments.word_starts, np.append(segments.spaces, len(segments.text))
        lengths = ends[np.searchsorted(ends, starts)] - starts
        blocks = np.searchsorted(segments.block_ends, starts, side="right")
        characters = np.bincount(blocks, lengths, len(segments.block_ends))
        return (characters / np.maximum(segments.words_in_blocks, 1)).astype(np.float32)


class SentenceLength(_Shallow):
    """Mean number of words of the block's sentences with words. As in the paper, semicolons also end sentences."""

    name = "sentencelength"
    keep = KEEP_HIGH
    unit = "words per sentence"
    grid = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 17, 20, 25)

    def score(self, segments: Segments) -> Scores:
        """See `Scorer`."""
        semicolons = [match.end() for match in _SEMICOLON.finditer(segments.text)]
        ends = np.union1d(segments.sentence_ends, np.array(semicolons, dtype=np.int64))
        with_words = ends[count_by_end(segments.word_starts, ends) > 0]
        sentences = count_by_end(with_words - 1, segments.block_ends)
        return (_words_or_estimate(segments) / np.maximum(sentences, 1)).astype(np.float32)


class FullStops(_Shallow):
    """Full stops of the block over its words; 0 without words. A dot before a letter, digit or dot is no full stop."""

    name = "fullstops"
    keep = KEEP_HIGH
    unit = "full stops per word"
    grid = (0.01, 0.02, 0.025, 0.03, 0.035, 0.04, 0.05, 0.06, 0.08, 0.1)

    def score(self, segments: Segments) -> Scores:
        """See `Scorer`."""
        stops = np.array([match.start() for match in _FULL_STOP.finditer(segments.text)], dtype=np.int64)
        words = _words_or_estimate(segments)
        counts = count_by_end(stops, segments.block_ends)
        return np.where(words > 0, counts / np.maximum(words, 1), 0).astype(np.float32)


class Capitals(_Shallow):
    """Share of the block's words whose first letter or digit is an upper-case letter; 0 in scripts without case."""

    name = "capitals"
    keep = KEEP_LOW
    unit = "share of words"
    high = 1.0
    grid = (0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)

    def score(self, segments: Segments) -> Scores:
        """See `Scorer`."""
        starts = segments.word_starts
        letters = np.flatnonzero(segments.plain.classes & LETTER)
        # Quotes and brackets may come before a word's first letter.
        firsts = letters[np.searchsorted(letters, starts)].tolist()
        upper = np.array([segments.text[at].istitle() for at in firsts], dtype=np.bool_)
        counts = count_by_end(starts[upper], segments.block_ends)
        return (counts / np.maximum(segments.words_in_blocks, 1)).astype(np.float32)


class Position(_Shallow):
    """Position of block i of n, counted from 0: (i + 1/2) / n from the top, or |2 (i + 1/2) / n - 1| from the middle.

    The paper's relative position is from the top. The position from the middle fits boilerplate on both sides of the content.
    """

    name = "position"
    keep = KEEP_LOW
    unit = "share of the way"
    high = 1.0
    grid = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
    parameters = (Parameter("origin", str, "middle", "where 0 is", choices=("middle", "top"), terse=True),)

    def score(self, segments: Segments) -> Scores:
        """See `Scorer`."""
        count = len(segments.block_ends)
        positions = (np.arange(count) + 0.5) / max(count, 1)
        if self.values["origin"] == "middle":
            positions = np.abs(2 * positions - 1)
        return positions.astype(np.float32)


class Quotient(_Shallow):
    """Words or text density of the block, over that of the previous block.

    The previous block counts as at least 1, and as 1 if there is none. The page's title is never the previous block.
    """

    name = "quotient"
    keep = KEEP_HIGH
    unit = "quotient"
    grid = (0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5, 10)
    parameters = (Parameter("of", str, "words", "the feature", choices=("words", "density")),)

    def score(self, segments: Segments) -> Scores:
        """See `Scorer`."""
        feature = densities(segments) if self.values["of"] == "density" else segments.words_in_blocks
        title = segments.levels == TITLE_LEVEL
        around = neighbourhood(feature, title[1:] != title[:-1])
        return (around.current / np.maximum(around.previous, 1)).astype(np.float32)

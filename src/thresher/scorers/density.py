"""Text density."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from thresher.pages import Segments
from thresher.scorers.base import BLOCK, KEEP_HIGH, Parameter, Scorer, Scores

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

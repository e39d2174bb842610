"""Words of blocks in scripts without spaces, estimated from their letters."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from thresher.language_models.words.tokenisers import tokenise, tokenise_characters
from thresher.pages import Segments

LETTERS_A_WORD = 2
"""About right for Chinese and Japanese."""


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

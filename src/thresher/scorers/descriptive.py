"""Which blocks are descriptive text: running sentences, by shallow features, in any language.

Source: Kohlschuetter, Fankhauser, Nejdl, Boilerplate Detection using Shallow Text Features, WSDM 2010. Long text describes,
short text is functional (section 5.3). The rules for one feature in Table 2, text density at 10.5, number of words at 15 and
link density at 0.33, are all demanded here. Scripts that write no spaces have no such words: there two letters count as one,
which is about right for Chinese and Japanese, and every line of 80 columns has more than 10.5 of them.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from thresher.language_models.words.tokenisers import tokenise, tokenise_characters
from thresher.pages import Segments
from thresher.scorers.boilerpipe import MOST_LINKED, Floats, Mask, link_densities
from thresher.scorers.density import densities

LEAST_DENSITY, LEAST_WORDS = 10.5, 15
LETTERS_A_WORD = 2
RULE: dict[str, float] = {
    "density": LEAST_DENSITY,
    "words": LEAST_WORDS,
    "links": MOST_LINKED,
    "letters": LETTERS_A_WORD,
}
"""All that decides, for fingerprints."""


def descriptive_blocks(segments: Segments) -> Mask:
    """Return which blocks are descriptive text; title and headings never are. Shape (blocks,).

    The page must have been read with its marks.
    """
    words = segments.words_in_blocks
    links = link_densities(words, segments.linked_words_in_blocks)
    found: Mask = (words >= LEAST_WORDS) & (densities(segments) >= LEAST_DENSITY)
    unspaced = _unspaced_words(segments)
    if unspaced.any():
        found |= unspaced >= LEAST_WORDS
        links = np.where(unspaced > 0, _linked_characters(segments), links)
    return found & (links <= MOST_LINKED) & ~segments.is_heading


def _unspaced_words(segments: Segments) -> Floats:
    """Return the estimated words of each block that is mostly in scripts without spaces, 0 for the others."""
    if segments.plain.text.isascii():
        return np.zeros(len(segments.block_ends))
    _, runs = tokenise(segments.plain, segments.block_ends)
    _, letters = tokenise_characters(segments.plain, segments.block_ends)
    # Where words have spaces between them, both count the same.
    return np.where(letters >= 2 * runs, letters / LETTERS_A_WORD, 0.0)


def _linked_characters(segments: Segments) -> npt.NDArray[np.float64]:
    lengths = np.diff(segments.block_ends, prepend=0)
    share: Floats = segments.linked_characters_in_blocks / np.maximum(lengths, 1)
    return share

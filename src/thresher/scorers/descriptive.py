"""Detecting descriptive text, that is, running sentences, by shallow features in any language.

Source: Kohlschuetter, Fankhauser, Nejdl, Boilerplate Detection using Shallow Text Features, WSDM 2010: long text is
descriptive, short text functional (section 5.3). A block must pass all of Table 2's rules for one feature: text density at
10.5, number of words at 15, link density at 0.33. In scripts without spaces two letters count as a word, which is about right
for Chinese and Japanese, where every line of 80 columns has more than 10.5 of them.
"""

from __future__ import annotations

import numpy as np

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
"""The rule's constants, for fingerprints."""


def descriptive_blocks(segments: Segments) -> Mask:
    """Return which blocks are descriptive text; title and headings never are. Shape (blocks,).

    The page must have been read with its marks.
    """
    words = segments.words_in_blocks
    links = link_densities(words, segments.linked_words_in_blocks)
    long: Mask = (words >= LEAST_WORDS) & (densities(segments) >= LEAST_DENSITY)
    unspaced = _unspaced_words(segments)
    if unspaced.any():
        long |= unspaced >= LEAST_WORDS
        lengths = np.maximum(np.diff(segments.block_ends, prepend=0), 1)
        links = np.where(unspaced > 0, segments.linked_characters_in_blocks / lengths, links)
    return long & (links <= MOST_LINKED) & ~segments.is_heading


def _unspaced_words(segments: Segments) -> Floats:
    """Return the estimated words of each block that is mostly in scripts without spaces, 0 for the others."""
    if segments.plain.text.isascii():
        return np.zeros(len(segments.block_ends))
    _, runs = tokenise(segments.plain, segments.block_ends)
    _, letters = tokenise_characters(segments.plain, segments.block_ends)
    # Where words have spaces between them, both count the same.
    return np.where(letters >= 2 * runs, letters / LETTERS_A_WORD, 0.0)

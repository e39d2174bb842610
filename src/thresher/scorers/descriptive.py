"""Detecting descriptive text, that is, running sentences, by shallow features in any language.

Source: Kohlschuetter, Fankhauser, Nejdl, Boilerplate Detection using Shallow Text Features, WSDM 2010: long text is
descriptive, short text functional (section 5.3). A block must pass all of Table 2's rules for one feature: text density at
10.5, number of words at 15, link density at 0.33. In scripts without spaces two letters count as a word, which is about right
for Chinese and Japanese, where every line of 80 columns has more than 10.5 of them.
"""

from __future__ import annotations

from thresher.pages import Segments
from thresher.scorers.boilerpipe import MOST_LINKED, Mask
from thresher.scorers.density import densities
from thresher.scorers.links import linked_shares
from thresher.scorers.unspaced import LETTERS_A_WORD, unspaced_words

LEAST_DENSITY, LEAST_WORDS = 10.5, 15
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
    long: Mask = (words >= LEAST_WORDS) & (densities(segments) >= LEAST_DENSITY)
    unspaced = unspaced_words(segments)
    long |= unspaced >= LEAST_WORDS
    return long & (linked_shares(segments, unspaced > 0) <= MOST_LINKED) & ~segments.is_heading

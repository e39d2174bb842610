"""Average sentence length."""

from __future__ import annotations

import numpy as np

from thresher.pages import Segments
from thresher.scorers.base import BLOCK, KEEP_HIGH, Scorer, Scores
from thresher.scorers.unspaced import words_or_estimate


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

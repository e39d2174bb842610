"""The language model `self`: learnt from the very collection that it then judges, with no other text.

It is given the sentences of the collection's descriptive blocks. Of these it leaves out the ones that stand on many pages, as
a footer would else be the best text there is, and counts each of the others once. The model knows the sentences that it was
trained on and finds them more probable than others like them. That is wanted: they were chosen for standing in long, dense
blocks, and what is like them in words and phrases follows at some distance. Its perplexities compare the sentences of one
collection with each other, and with nothing else.
"""

from __future__ import annotations

from thresher.language_models.interpolated import CURRENT
from thresher.language_models.plans import INTERPOLATED
from thresher.language_models.tokenisers import CHARACTERS

NAME = "self"
LEAST_WORDS = 1000
"""From fewer words nothing is learnt."""
MOST_PAGES = 2
"""Sentences of more pages are no content; a page that is there twice still is."""

ESTIMATOR, UNIGRAM, ORDER = INTERPOLATED, CURRENT, 3
# `characters` treats text with spaces as `words` does, so that collections of several languages need no choice.
TOKENISER = CHARACTERS
# Raised when the same sentences would make another model.
_VERSION = 1
SETTINGS: dict[str, str | int] = {
    "version": _VERSION,
    "estimator": ESTIMATOR,
    "unigram": UNIGRAM,
    "order": ORDER,
    "tokeniser": TOKENISER,
    "most_pages": MOST_PAGES,
    "least_words": LEAST_WORDS,
}
"""All that the model depends on besides its sentences."""

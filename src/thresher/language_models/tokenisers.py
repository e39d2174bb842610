"""Tokenisers by name: the name stands in a model's card, and what it means is done to every text that the model scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from thresher.errors import ConfigError
from thresher.language_models.tokens import tokenise
from thresher.language_models.tokens_characters import tokenise_characters
from thresher.language_models.tokens_pyplexity import tokenise_pyplexity, tokenise_pyplexity_trigrams
from thresher.pages.plain import Ints, PlainText

Tokeniser = Callable[[PlainText, Ints], tuple[list[bytes], Ints]]
"""Takes the plain form of a text and where its sentences end; returns for each sentence its tokens as UTF-8 with white space
between them, and the number of its tokens."""

WORDS, CHARACTERS, PYPLEXITY, PYPLEXITY_TRIGRAMS = "words", "characters", "pyplexity", "pyplexity-trigrams"
TOKENISERS: Mapping[str, Tokeniser] = {
    WORDS: tokenise,
    CHARACTERS: tokenise_characters,
    PYPLEXITY: tokenise_pyplexity,
    PYPLEXITY_TRIGRAMS: tokenise_pyplexity_trigrams,
}
NORMALISATIONS: Mapping[str, str] = {
    WORDS: "lower case; anything but letters, digits, combining marks and apostrophes separates words",
    CHARACTERS: "as `words`, but each letter of a script that writes no spaces is a word",
    PYPLEXITY: "PyPlexity's: ASCII only, lower case, punctuation as words",
    PYPLEXITY_TRIGRAMS: "PyPlexity's: ASCII only, lower case, punctuation as words; the last word of a sentence is left out",
}
"""What each does to words, for cards."""


def tokeniser(name: str, where: str) -> Tokeniser:
    """Return the tokeniser of that name.

    Raises:
        ConfigError: if there is none; `where` is the place of the name.
    """
    if name not in TOKENISERS:
        raise ConfigError(f"unknown tokeniser {name!r}", f"use one of {', '.join(TOKENISERS)}", where)
    return TOKENISERS[name]

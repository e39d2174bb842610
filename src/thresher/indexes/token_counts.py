"""Exact lengths of documents, in tokens."""

from __future__ import annotations

import numpy as np

from thresher.base.numbers import Ints
from thresher.base.tables import Lists, Table, Texts
from thresher.indexes.analysis import Analysis, valid_unicode
from thresher.indexes.lexicon import Lexicon, split_words

_CHARACTERS = 1 << 20
"""Characters of texts that are split into words at once."""


class TokenCounter:
    """Counts the tokens of texts as an index of these texts would.

    Raises:
        ConfigError: if the language's words cannot be analysed one by one.
    """

    def __init__(self, analysis: Analysis) -> None:
        self._lexicon = Lexicon(analysis)
        self._lengths: list[Ints] = []
        self._waiting: list[str] = []
        self._characters = 0

    def add(self, text: str) -> None:
        """Take the next text."""
        self._waiting.append(valid_unicode(text))
        self._characters += len(text)
        if self._characters >= _CHARACTERS:
            self._count()

    def lengths(self) -> Ints:
        """Return the number of tokens of each text; shape (texts,)."""
        self._count()
        return np.concatenate(self._lengths)

    def _count(self) -> None:
        # Each text is a shard's page of one sentence.
        sentence_ends = Lists.of([[len(text)] for text in self._waiting], np.int64)
        words = split_words(Table({"text": Texts.of(self._waiting), "sentence_ends": sentence_ends}))
        sentence_of_token = self._lexicon.tokens(words).sentence
        self._lengths.append(np.bincount(sentence_of_token, minlength=len(self._waiting)))
        self._waiting.clear()
        self._characters = 0

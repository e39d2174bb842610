"""Documents as lists of analysed terms with their tf, which Lucene indexes as it would index the text they come from.

A term stands for itself, with its tf after a delimiter where that is not 1, and terms are separated by spaces:
`list<U+0001>3 string`. Anserini's analysis gives no term that holds a delimiter, white space or a private-use character.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from thresher.lucene.jvm import java_class

DELIMITER = "\u0001"
"""Not white space to Java, and in no term."""

FILLER = "\ue000"
"""The term that stands for tokens that were removed: a private-use character, which word segmentation (Unicode Standard
Annex 29) never puts into a word, so that no query has it.
"""

_LONGEST_TERM = 32766


def term_list(counts: Iterable[tuple[str, int]]) -> str:
    """Return (term, tf) pairs as a list.

    >>> term_list([("list", 3), ("string", 1)])
    'list\\x013 string'
    """
    return " ".join(term if tf == 1 else f"{term}{DELIMITER}{tf}" for term, tf in counts)


def term_list_analyzer() -> Any:
    """Return the analyzer (a Java object) that reads such lists."""
    builder = java_class("org.apache.lucene.analysis.custom.CustomAnalyzer").builder()
    builder.withTokenizer("whitespace", _arguments(maxTokenLen=str(_LONGEST_TERM)))
    builder.addTokenFilter("delimitedTermFrequency", _arguments(delimiter=DELIMITER))
    return builder.build()


def _arguments(**given: str) -> Any:
    arguments = java_class("java.util.HashMap")()
    for name, value in given.items():
        arguments.put(name, value)
    return arguments

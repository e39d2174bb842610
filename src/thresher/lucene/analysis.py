"""From text to index terms, by Anserini's English analysis; and documents as lists of terms with their tf, which Lucene
indexes as it would index the text they come from.

A term stands for itself, with its tf after a delimiter where that is not 1, and terms are separated by spaces:
`list<U+0001>3 string`. Anserini's analysis gives no term that holds a delimiter, white space or a private-use character.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import count
from typing import Any

from thresher.lucene import handles
from thresher.lucene.jvm import java_cast, java_class

DELIMITER = "\u0001"
"""Not white space to Java, and in no term."""
FILLER = "\ue000"
"""The term that stands for tokens that were removed: a private-use character, which word segmentation (Unicode Standard
Annex 29) never puts into a word, so that no query has it.
"""
_LONGEST_TERM = 32766
_SEPARATOR = "\0"


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


def english_analyzer(stemmer: str, stopwords: bool) -> Any:
    """Return Anserini's English analyzer (a Java object), as `IndexCollection` would make it.

    Args:
        stemmer: one of `STEMMERS`.
        stopwords: True to drop Lucene's 33 English stop words.
    """
    return java_class("io.anserini.analysis.DefaultEnglishAnalyzer").fromArguments(stemmer, not stopwords, None)


def analyse(analyzer: Any, text: str) -> list[str]:
    """Return the tokens of `text` in order, as an index made with `analyzer` has them."""
    tokens = java_class("io.anserini.analysis.AnalyzerUtils").analyze(analyzer, valid_unicode(text))
    return [tokens.get(index) for index in range(tokens.size())]


def analyse_each(analyzer: Any, texts: Sequence[str]) -> tuple[list[str], list[int]]:
    """Return the tokens of all texts in order, and the number of tokens of each, in one call into Java.

    Faster than `analyse` for short texts.
    """
    if not texts:
        return [], []
    joined = valid_unicode("\n".join(texts))
    # Texts are separated by a word that none of them contains and that the analysis leaves unchanged.
    marker = next(word for word in (f"{number}z0" for number in count()) if word not in joined.lower())
    whole = java_class("io.anserini.analysis.AnalyzerUtils").analyze(
        analyzer, valid_unicode(f"\n{marker}\n".join(texts))
    )
    listed = java_class("java.lang.String").join(handles.characters(_SEPARATOR), java_cast("java.lang.Iterable", whole))
    tokens = listed.split(_SEPARATOR) if listed else []
    ends = [index for index, token in enumerate(tokens) if token == marker]
    counts = [after - before - 1 for before, after in zip([-1, *ends], [*ends, len(tokens)], strict=True)]
    return [token for token in tokens if token != marker], counts


def valid_unicode(text: str) -> str:
    """Return `text` with U+FFFD for lone surrogates, which cannot be passed to Java."""
    try:
        text.encode("utf-16-le")
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text

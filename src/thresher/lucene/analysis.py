"""Anserini's English analysis: from text to index terms."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import Any

from thresher.lucene import handles
from thresher.lucene.jvm import java_cast, java_class

_SEPARATOR = "\0"


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

"""Anserini's English analysis: what becomes of the words of a text in the index."""

from __future__ import annotations

from typing import Any

from thresher.lucene.jvm import java_class

STEMMERS = ("porter", "krovetz", "none")


def english_analyzer(stemmer: str, stopwords: bool) -> Any:
    """Return Anserini's English analyzer (a Java object), as `IndexCollection` would make it.

    Args:
        stemmer: one of `STEMMERS`.
        stopwords: True to drop Lucene's 33 English stop words.
    """
    return java_class("io.anserini.analysis.DefaultEnglishAnalyzer").fromArguments(stemmer, not stopwords, None)


def analyse(analyzer: Any, text: str) -> list[str]:
    """Return the tokens of `text` in their order, as they stand in an index made with `analyzer`."""
    tokens = java_class("io.anserini.analysis.AnalyzerUtils").analyze(analyzer, valid_unicode(text))
    return [tokens.get(place) for place in range(tokens.size())]


def valid_unicode(text: str) -> str:
    """Return `text` with each surrogate that has no partner replaced by U+FFFD; Java cannot be given such."""
    try:
        text.encode("utf-16-le")
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text

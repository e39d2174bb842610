"""Anserini's English analysis: what becomes of the words of a text in the index."""

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
    """Return the tokens of `text` in their order, as they stand in an index made with `analyzer`."""
    tokens = java_class("io.anserini.analysis.AnalyzerUtils").analyze(analyzer, valid_unicode(text))
    return [tokens.get(place) for place in range(tokens.size())]


def analyse_each(analyzer: Any, texts: Sequence[str]) -> tuple[list[str], list[int]]:
    """Return the tokens of all texts in their order, and how many each text has: as `analyse`, in one call for all.

    For words and other short texts, where `analyse` would spend its time on going to Java and back.
    """
    if not texts:
        return [], []
    joined = valid_unicode("\n".join(texts))
    # Between two texts stands a word of which the analysis makes one token, itself, and which none of the texts holds.
    marker = next(word for word in (f"{number}z0" for number in count()) if word not in joined.lower())
    whole = java_class("io.anserini.analysis.AnalyzerUtils").analyze(
        analyzer, valid_unicode(f"\n{marker}\n".join(texts))
    )
    listed = java_class("java.lang.String").join(handles.characters(_SEPARATOR), java_cast("java.lang.Iterable", whole))
    found = listed.split(_SEPARATOR) if listed else []
    ends = [place for place, token in enumerate(found) if token == marker]
    counts = [after - before - 1 for before, after in zip([-1, *ends], [*ends, len(found)], strict=True)]
    return [token for token in found if token != marker], counts


def valid_unicode(text: str) -> str:
    """Return `text` with each surrogate that has no partner replaced by U+FFFD; Java cannot be given such."""
    try:
        text.encode("utf-16-le")
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text

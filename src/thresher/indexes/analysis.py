"""Anserini's analysis of texts, lists of terms, and retrieval models.

A list of terms is a document whose terms are counted already. Lucene indexes the list as it would index the document's text.
Spaces separate the terms. A delimiter and the tf follow a term whose tf is not 1: `list<U+0001>3 string`. Anserini's analysis
gives no term with a delimiter, white space or a private-use character.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from thresher.base.defaults import BM25_B, BM25_K1, INDEX_LANGUAGES, LANGUAGE, QLD_MU, STEMMERS
from thresher.base.errors import ConfigError
from thresher.base.number_text import number_text
from thresher.indexes.jvm import java_cast, java_characters, java_class, start

FamilyName = Literal["qld", "bm25", "classic"]

DELIMITER = "\u0001"
"""Not white space to Java, and in no term."""
FILLER = "\ue000"
"""The term that stands for removed tokens. Word segmentation (Unicode Standard Annex 29) never puts a private-use character
into a word, so no query has this term.
"""
NO_STEMMER = "none"
_CJK = "cjk"
_CHINESE = "zh"
_JAPANESE = "ja"
_THAI = "th"
# Their analysers look for words in whole sentences.
_IN_CONTEXT = (_JAPANESE, _THAI)
_LONGEST_TERM = 32766
_SEPARATOR = "\0"
_LETTERS = str.maketrans("0123456789", "bcdfghjkmp")
_PARAMETERS: dict[FamilyName, tuple[str, ...]] = {"qld": ("mu",), "bm25": ("b", "k1"), "classic": ()}
_FIX = "use qld, qld(mu=1000), qld(exact), qld(exact,mu=1000), bm25, bm25(b=0.3,k1=1.2) or classic"
_NAME = re.compile(r"(?P<family>[a-z0-9]+)(?:\((?P<arguments>[^()]*)\))?")
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_EXACT = "exact"


def term_list(counts: Iterable[tuple[str, int]]) -> str:
    """Return (term, tf) pairs as a list of terms.

    >>> term_list([("list", 3), ("string", 1)])
    'list\\x013 string'
    """
    entries: list[str] = []
    for term, tf in counts:
        if tf == 1:
            entries.append(term)
        else:
            entries.append(f"{term}{DELIMITER}{tf}")
    return " ".join(entries)


def term_list_analyzer() -> Any:
    """Return the analyzer (a Java object) of lists of terms."""
    builder = java_class("org.apache.lucene.analysis.custom.CustomAnalyzer").builder()
    builder.withTokenizer("whitespace", _arguments(maxTokenLen=str(_LONGEST_TERM)))
    builder.addTokenFilter("delimitedTermFrequency", _arguments(delimiter=DELIMITER))
    return builder.build()


def _arguments(**arguments: str) -> Any:
    java_map = java_class("java.util.HashMap")()
    for name, value in arguments.items():
        java_map.put(name, value)
    return java_map


@dataclass(frozen=True)
class Analysis:
    """How documents and queries become terms. Languages other than English have their own stemmer and stop list.

    Args:
        language: one of `INDEX_LANGUAGES`. Anserini takes any other for English.
        stemmer: of English: `porter`, `krovetz` or `none`.
        stopwords: drop Lucene's 33 English stop words.
    """

    language: str = LANGUAGE
    stemmer: str = STEMMERS[0]
    stopwords: bool = True

    def __post_init__(self) -> None:
        if self.language not in INDEX_LANGUAGES:
            fix = f"use one of {', '.join(INDEX_LANGUAGES)}"
            raise ConfigError(f"there is no analyser of the language {self.language!r}", fix, "language")
        if self.stemmer not in STEMMERS:
            raise ConfigError(f"there is no stemmer {self.stemmer!r}", f"use one of {', '.join(STEMMERS)}")
        if self.language != LANGUAGE and (self.stemmer, self.stopwords) != (STEMMERS[0], True):
            what = f"the analyser of {self.language!r} has its own stemmer and stop list"
            raise ConfigError(what, "leave out `stemmer` and `stopwords`, which are for English", "language")

    @property
    def anserini_language(self) -> str:
        """The language by Anserini's name."""
        return _CHINESE if self.language == _CJK else self.language

    def check_words(self) -> None:
        """Check that the terms of a word do not depend on words before and after it.

        Raises:
            ConfigError: if they do, so that nothing can be counted by words or sentences.
        """
        if self.language in _IN_CONTEXT:
            what = f"terms of {self.language!r} depend on neighbouring words: no exploring, no pruning, no qld(exact)"
            fix = "run cleaners with other models, or use cjk for Japanese"
            raise ConfigError(what, fix, "language")

    @property
    def description(self) -> str:
        """The stemmer and the stop list, in words."""
        if self.language != LANGUAGE:
            return f"Analyser: Lucene's of the language {self.language}, with its stemmer and stop list"
        stop = "Lucene's English stop words left out" if self.stopwords else "no stop words left out"
        return f"Stemmer: {self.stemmer}; {stop}"


def text_analyzer(analysis: Analysis) -> Any:
    """Return Anserini's analyzer (a Java object), as `IndexCollection` would make it.

    Raises:
        ConfigError: if this Java cannot split Thai.
    """
    start()
    if analysis.language != LANGUAGE:
        if analysis.language == _THAI and not java_class("org.apache.lucene.analysis.th.ThaiTokenizer").DBBI_AVAILABLE:
            raise ConfigError(
                "this Java cannot split Thai", "use a full JDK, with the module jdk.localedata", "language"
            )
        analyzers = java_class("io.anserini.analysis.AnalyzerMap")
        return analyzers.getLanguageSpecificAnalyzer(analysis.anserini_language)
    from pyserini.analysis import get_lucene_analyzer

    return get_lucene_analyzer(
        stemming=analysis.stemmer != NO_STEMMER, stemmer=analysis.stemmer, stopwords=analysis.stopwords
    )


def analyse(analyzer: Any, text: str) -> list[str]:
    """Return the tokens of `text` in order, as an index made with `analyzer` has them."""
    from pyserini.analysis import Analyzer

    tokens: list[str] = Analyzer(analyzer).analyze(valid_unicode(text))
    return tokens


class TokensOfTexts(NamedTuple):
    """The tokens of all texts in order, and the number of tokens of each text."""

    tokens: list[str]
    counts: list[int]


def analyse_each(analyzer: Any, texts: Sequence[str]) -> TokensOfTexts:
    """Return the tokens of texts in one call into Java; for short texts this is faster than `analyse`."""
    if not texts:
        return TokensOfTexts([], [])
    marker = _unused_word("\n".join(texts))
    joined = valid_unicode(f"\n{marker}\n".join(texts))
    java_tokens = java_class("io.anserini.analysis.AnalyzerUtils").analyze(analyzer, joined)
    # One call copies all tokens, which hold no separator.
    joined_tokens = java_class("java.lang.String").join(
        java_characters(_SEPARATOR), java_cast("java.lang.Iterable", java_tokens)
    )
    tokens: list[str] = []
    counts: list[int] = []
    before = 0
    for token in joined_tokens.split(_SEPARATOR) if joined_tokens else []:
        if token == marker:
            counts.append(len(tokens) - before)
            before = len(tokens)
        else:
            tokens.append(token)
    counts.append(len(tokens) - before)
    return TokensOfTexts(tokens, counts)


def _unused_word(text: str) -> str:
    """Return a word that a text lacks and that the analysis leaves unchanged."""
    lowered = valid_unicode(text).lower()
    number = 0
    while _marker(number) in lowered:
        number += 1
    return _marker(number)


def _marker(number: int) -> str:
    # Letters alone: Japanese analysis splits at digits. No stemmer of any language removes the end.
    return f"zq{str(number).translate(_LETTERS)}zq"


def tokens_of_each(analyzer: Any, texts: Sequence[str]) -> list[list[str]]:
    """Return the tokens of each text; see `analyse_each`."""
    analysed = analyse_each(analyzer, texts)
    tokens_of_texts: list[list[str]] = []
    begin = 0
    for count in analysed.counts:
        tokens_of_texts.append(analysed.tokens[begin : begin + count])
        begin += count
    return tokens_of_texts


def valid_unicode(text: str) -> str:
    """Return `text` with U+FFFD for lone surrogates, which cannot be passed to Java."""
    if text.isascii():
        return text
    try:
        text.encode("utf-16-le")
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


@dataclass(frozen=True)
class RetrievalModel:
    """A retrieval model with its parameters.

    `qld` is query likelihood with Dirichlet smoothing (Zhai and Lafferty, 2004), as in Lucene or, if `exact`, as published.
    `bm25` is Lucene's BM25 (Robertson et al., 1994). Defaults are Anserini's. `classic` is Lucene's TF-IDF, its ranking
    before version 6.

    Args:
        family: `qld`, `bm25` or `classic`.
        exact: for `qld`: the published formula with exact document lengths.
        mu: for `qld`: the smoothing parameter µ, above 0.
        k1: for `bm25`: tf saturation, 0 or more.
        b: for `bm25`: length normalisation, in [0, 1].
    """

    family: FamilyName
    exact: bool = False
    mu: float = QLD_MU
    k1: float = BM25_K1
    b: float = BM25_B

    def __post_init__(self) -> None:
        if not (self.mu > 0 and math.isfinite(self.mu)):
            raise self._out_of_range("mu", "a number above 0")
        if not (self.k1 >= 0 and math.isfinite(self.k1)):
            raise self._out_of_range("k1", "a number of 0 or more")
        if not 0 <= self.b <= 1:
            raise self._out_of_range("b", "a number from 0 to 1")

    def _out_of_range(self, parameter: str, range_words: str) -> ConfigError:
        value = number_text(getattr(self, parameter))
        return ConfigError(f"{parameter}={value} is out of range", f"give {parameter} {range_words}", self.family)

    @property
    def parameters(self) -> dict[str, float]:
        """The parameters of this family, by name in alphabetical order."""
        return {parameter: getattr(self, parameter) for parameter in _PARAMETERS[self.family]}

    @property
    def formula(self) -> str:
        """The formula that scores a document, in words and with all parameters."""
        if self.family == "classic":
            return "Lucene's TF-IDF (ClassicSimilarity)"
        if self.family == "bm25":
            return f"Lucene's BM25, k1 = {number_text(self.k1)}, b = {number_text(self.b)}"
        if self.exact:
            terms = "of all terms of the query, which ranks as the published formula"
        else:
            terms = (
                "of the terms in the document, at least 0 each, with the document's length in one byte, as in Lucene"
            )
        summand = "ln(1 + tf / (µ p)) + ln(µ / (µ + length))"
        model = f"query likelihood with Dirichlet smoothing, µ = {number_text(self.mu)}"
        return f"{model}: the sum of {summand} {terms}"

    @property
    def name(self) -> str:
        """The canonical name: parameters in alphabetical order, without parameters at their default value."""
        default = RetrievalModel(self.family)
        arguments: list[str] = []
        if self.exact:
            arguments.append(_EXACT)
        for parameter, value in self.parameters.items():
            if value != getattr(default, parameter):
                arguments.append(f"{parameter}={number_text(value)}")
        if not arguments:
            return self.family
        return f"{self.family}({','.join(arguments)})"

    def __str__(self) -> str:
        return self.name


def formula_of(name: str) -> str:
    """Return a model's name, and its formula if it is known here: results of another version may have other models."""
    try:
        return f"{name}: {parse_retrieval(name).formula}."
    except ConfigError:
        return f"{name}."


def parse_retrieval(name: str) -> RetrievalModel:
    """Return the retrieval model of that name; spaces are ignored and arguments come in any order.

    >>> parse_retrieval("bm25(k1=1.2, b=0.4)").name
    'bm25(k1=1.2)'
    """
    match = _NAME.fullmatch("".join(name.split()))
    family = _family(match["family"]) if match else None
    if match is None or family is None:
        raise ConfigError("there is no such retrieval model", _FIX, name)
    if match["arguments"] is None:
        return RetrievalModel(family)
    exact = False
    values: dict[str, float] = {}
    for argument in match["arguments"].split(","):
        parameter, _, value = argument.partition("=")
        if argument == _EXACT and family == "qld" and not exact:
            exact = True
        elif parameter in _PARAMETERS[family] and parameter not in values and _NUMBER.fullmatch(value):
            values[parameter] = float(value)
        else:
            raise ConfigError(f"{family} cannot take {argument!r}", _FIX, name)
    return RetrievalModel(family, exact, **values)


def _family(name: str) -> FamilyName | None:
    for family in _PARAMETERS:
        if family == name:
            return family
    return None

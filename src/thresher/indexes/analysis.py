"""From text to index terms, by Anserini's English analysis; and documents as lists of terms with their tf, which Lucene
indexes as it would index the text they come from.

A term stands for itself, with its tf after a delimiter where that is not 1, and terms are separated by spaces:
`list<U+0001>3 string`. Anserini's analysis gives no term that holds a delimiter, white space or a private-use character.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate, count
from typing import Any, Literal

from thresher.base.defaults import BM25_B, BM25_K1, QLD_MU
from thresher.base.errors import ConfigError
from thresher.base.number_text import number_text
from thresher.indexes.jvm import java_cast, java_characters, java_class, start

DELIMITER = "\u0001"
"""Not white space to Java, and in no term."""
FILLER = "\ue000"
"""The term that stands for tokens that were removed: a private-use character, which word segmentation (Unicode Standard
Annex 29) never puts into a word, so that no query has it.
"""
_LONGEST_TERM = 32766
_SEPARATOR = "\0"
NO_STEMMER = "none"


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
        stemmer: `porter`, `krovetz` or `none`.
        stopwords: drop Lucene's 33 English stop words.
    """
    start()
    from pyserini.analysis import get_lucene_analyzer

    return get_lucene_analyzer(stemming=stemmer != NO_STEMMER, stemmer=stemmer, stopwords=stopwords)


def analyse(analyzer: Any, text: str) -> list[str]:
    """Return the tokens of `text` in order, as an index made with `analyzer` has them."""
    from pyserini.analysis import Analyzer

    tokens: list[str] = Analyzer(analyzer).analyze(valid_unicode(text))
    return tokens


def count_tokens(analyzer: Any, text: str) -> int:
    """Return the number of tokens of `text`, without a copy of the tokens from Java."""
    from pyserini.analysis import JAnalyzerUtils

    count: int = JAnalyzerUtils.analyze(analyzer, valid_unicode(text)).size()
    return count


def analyse_each(analyzer: Any, texts: Sequence[str]) -> tuple[list[str], list[int]]:
    """Return the tokens of all texts in order, and the number of tokens of each, in one call into Java.

    Faster than `analyse` for short texts.
    """
    if not texts:
        return [], []
    joined = valid_unicode("\n".join(texts))
    # Texts are separated by a word that none of them contains and that the analysis leaves unchanged.
    marker = next(word for word in (f"{number}z0" for number in count()) if word not in joined.lower())
    marked = valid_unicode(f"\n{marker}\n".join(texts))
    whole = java_class("io.anserini.analysis.AnalyzerUtils").analyze(analyzer, marked)
    listed = java_class("java.lang.String").join(java_characters(_SEPARATOR), java_cast("java.lang.Iterable", whole))
    tokens = listed.split(_SEPARATOR) if listed else []
    ends = [index for index, token in enumerate(tokens) if token == marker]
    counts = [after - before - 1 for before, after in zip([-1, *ends], [*ends, len(tokens)], strict=True)]
    return [token for token in tokens if token != marker], counts


def tokens_of_each(analyzer: Any, texts: Sequence[str]) -> list[list[str]]:
    """Return the tokens of each text: see `analyse_each`."""
    tokens, counts = analyse_each(analyzer, texts)
    return [tokens[end - count : end] for count, end in zip(counts, accumulate(counts), strict=True)]


def valid_unicode(text: str) -> str:
    """Return `text` with U+FFFD for lone surrogates, which cannot be passed to Java."""
    try:
        text.encode("utf-16-le")
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


_FIX = "use qld, qld(mu=1000), qld(exact), qld(exact,mu=1000), bm25, bm25(b=0.3,k1=1.2) or classic"
_NAME = re.compile(r"(?P<family>[a-z0-9]+)(?:\((?P<arguments>[^()]*)\))?")
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")


FamilyName = Literal["qld", "bm25", "classic"]


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
        ranges = {
            "mu": (self.mu > 0 and math.isfinite(self.mu), "a number above 0"),
            "k1": (self.k1 >= 0 and math.isfinite(self.k1), "a number of 0 or more"),
            "b": (0 <= self.b <= 1, "a number from 0 to 1"),
        }
        for parameter, (holds, words) in ranges.items():
            if not holds:
                value = number_text(getattr(self, parameter))
                raise ConfigError(f"{parameter}={value} is out of range", f"give {parameter} {words}", self.family)

    @property
    def parameters(self) -> dict[str, float]:
        """The parameters of this family, by name in alphabetical order."""
        return {parameter: getattr(self, parameter) for parameter in _PARAMETERS[self.family]}

    @property
    def formula(self) -> str:
        """What scores a document, in words and with all parameters."""
        numbers = {parameter: number_text(value) for parameter, value in self.parameters.items()}
        if self.family == "qld":
            how = (
                "of all terms of the query, which ranks as the published formula"
                if self.exact
                else "of those that the document has, at least 0 each, with its length in one byte, as Lucene has it"
            )
            each = "ln(1 + tf / (µ p)) + ln(µ / (µ + length))"
            return f"query likelihood with Dirichlet smoothing, µ = {numbers['mu']}: the sum of {each} {how}"
        if self.family == "bm25":
            return f"Lucene's BM25, k1 = {numbers['k1']}, b = {numbers['b']}"
        return "Lucene's TF-IDF (ClassicSimilarity)"

    @property
    def name(self) -> str:
        """The canonical name: parameters in alphabetical order, without those at their default value."""
        default = RetrievalModel(self.family)
        arguments = ["exact"] if self.exact else []
        for parameter, value in self.parameters.items():
            if value != getattr(default, parameter):
                arguments.append(f"{parameter}={number_text(value)}")
        return f"{self.family}({','.join(arguments)})" if arguments else self.family

    def __str__(self) -> str:
        return self.name


_PARAMETERS: dict[FamilyName, tuple[str, ...]] = {"qld": ("mu",), "bm25": ("b", "k1"), "classic": ()}


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
    family = next((family for family in _PARAMETERS if match and family == match["family"]), None)
    if match is None or family is None:
        raise ConfigError("there is no such retrieval model", _FIX, name)
    exact = False
    values: dict[str, float] = {}
    for argument in match["arguments"].split(",") if match["arguments"] is not None else []:
        parameter, _, value = argument.partition("=")
        if argument == "exact" and family == "qld" and not exact:
            exact = True
        elif parameter in _PARAMETERS[family] and parameter not in values and _NUMBER.fullmatch(value):
            values[parameter] = float(value)
        else:
            raise ConfigError(f"{family} cannot take {argument!r}", _FIX, name)
    return RetrievalModel(family, exact, **values)

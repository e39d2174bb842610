"""Retrieval models and their names: `qld`, `qld(mu=1000)`, `qld(exact)`, `bm25`, `bm25(b=0.3,k1=1.2)`, `classic`."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Literal

from thresher.defaults import BM25_B, BM25_K1, QLD_MU
from thresher.errors import ConfigError
from thresher.number_texts import number_text

_FIX = "use qld, qld(mu=1000), qld(exact), qld(exact,mu=1000), bm25, bm25(b=0.3,k1=1.2) or classic"
_NAME = re.compile(r"(?P<family>[a-z0-9]+)(?:\((?P<arguments>[^()]*)\))?")
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")


FamilyName = Literal["qld", "bm25", "classic"]


@dataclass(frozen=True)
class RetrievalModel:
    """How documents are ranked for a query.

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

"""What a method of index pruning is: a number for each posting, and the cutoffs that keep it; and logs of past queries."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from thresher.errors import ConfigError
from thresher.pages.plain import Ints
from thresher.pruning_methods.postings import CollectionStatistics, DocumentPostings, Flags, Floats, Postings
from thresher.scorers.base import Declared, Parameter, Value

LoggedQuery = Mapping[int, int]
"""Occurrences of each term of a query, by the term's hash."""
QueryLogs = Mapping[str, Sequence[LoggedQuery]]
"""The queries of each log, by the path that methods name it by."""
# What names of variants are written with, and white space, which separates the columns of run files.
_SYNTAX = re.compile(r"[,()|@+=\s\x00-\x1f\x7f]")
KEEP_ABOVE, KEEP_SHARE = "keep above", "keep share"
TENTHS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


class LogParameter(Parameter):
    """A parameter that is the path of a query log."""

    @property
    def spelling(self) -> str:
        """The values allowed, in words."""
        return "a path without white space and , ( ) | @ + ="

    def parse(self, text: str, where: str) -> Value:
        """Return the path that `text` spells.

        Raises:
            ConfigError: if it has a character that names of variants are written with.
        """
        found = _SYNTAX.search(text)
        if found:
            what = f"the path {text!r} of {self.name!r} has {found[0]!r}, which names of variants cannot hold"
            raise ConfigError(what, "rename the file or its folder", where)
        return text


LOG = LogParameter(
    "log",
    str,
    "",
    "the queries, which experiments must name: a file of topics, relative to the experiment file",
    terse=True,
)


class PruningMethod(Declared, ABC):
    """Assigns a number to each posting; the docstrings of subclasses have the formula.

    Attributes:
        keep: `KEEP_ABOVE` where a posting stays if its number >= cutoff; `KEEP_SHARE` where the cutoff is a share, above 0,
            and the number is the share before the posting in a ranking: it stays if its number < cutoff, so that 1 keeps all.
        control: whether it is there to be compared with, and not chosen.
        example: values of parameters that have no useful default, for examples.
    """

    keep: ClassVar[str]
    control: ClassVar[bool] = False
    example: ClassVar[Mapping[str, Value]] = {}

    @property
    def log(self) -> str:
        """The path of the query log that `fit` needs; empty if none."""
        return ""

    def fit(self, postings: Postings, logs: QueryLogs | None = None) -> Any:  # noqa: ARG002, for subclasses
        """Return what the numbers need beyond the statistics, such as a threshold for each term; None if nothing.

        Args:
            postings: all; memory must not grow with them, but may with the terms and the log's queries.
            logs: the queries of `log`, if it needs one.
        """
        return None

    @abstractmethod
    def scores(self, postings: DocumentPostings, statistics: CollectionStatistics, fitted: Any) -> Floats:
        """Return the number of each posting; shape (postings,).

        It must depend on the documents and the collection alone, not on which documents are in `postings`.

        Args:
            postings: of some documents.
            statistics: of the collection.
            fitted: what `fit` returned for the collection.
        """


class ShareMethod(PruningMethod):
    """A method of which cutoffs are shares, above 0, of what it ranks."""

    keep = KEEP_SHARE
    low, high = 0.0, 1.0
    grid = TENTHS


def kept(method: PruningMethod, scores: Floats, cutoff: float) -> Flags:
    """Return which postings stay at a cutoff."""
    return scores >= cutoff if method.keep == KEEP_ABOVE else scores < cutoff


def steps(method: PruningMethod, scores: Floats, cutoffs: Floats) -> Ints:
    """Return for each posting the index of the first cutoff that keeps it, `len(cutoffs)` if none does.

    Args:
        method: says which are kept.
        scores: of the postings.
        cutoffs: the strictest first: see `strictest_first`.
    """
    if method.keep == KEEP_ABOVE:
        return np.searchsorted(-cutoffs, -scores, side="left")
    return np.searchsorted(cutoffs, scores, side="right")


def strictest_first(method: PruningMethod, cutoffs: Floats) -> Floats:
    """Return different cutoffs, each of which keeps all that those before it keep."""
    ascending: Floats = np.unique(np.asarray(cutoffs, dtype=np.float64))
    return ascending[::-1] if method.keep == KEEP_ABOVE else ascending

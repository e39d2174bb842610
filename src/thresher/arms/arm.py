"""What an arm of index pruning is: a number for each posting, and the cutoffs that keep it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from thresher.arms.postings import CollectionStatistics, DocumentPostings, Flags, Floats, Postings
from thresher.arms.query_logs import QueryLogs
from thresher.pages.plain import Ints
from thresher.scorers.base import Parameter, Value, with_values

KEEP_ABOVE, KEEP_SHARE = "keep above", "keep share"


class Arm(ABC):
    """Assigns a number to each posting. Subclasses are declared by class attributes and a docstring with the formula.

    Attributes:
        name: the beginning of canonical names.
        keep: `KEEP_ABOVE` where a posting stays if its number >= cutoff; `KEEP_SHARE` where the cutoff is a share, above 0,
            and the number is the share before the posting in a ranking: it stays if its number < cutoff, so that 1 keeps all.
        unit: of the cutoff, for axes and tables.
        low, high: the range of cutoffs, inclusive (but no share is 0); None for no bound.
        grid: cutoffs worth trying, as published.
        source: the publication of the method.
        parameters: the constructor's keyword arguments.
        control: whether it is there to be compared with, and not chosen.
        example: values of parameters that have no useful default, for examples.
    """

    name: ClassVar[str]
    keep: ClassVar[str]
    unit: ClassVar[str]
    low: ClassVar[float | None] = None
    high: ClassVar[float | None] = None
    grid: ClassVar[tuple[float, ...]]
    source: ClassVar[str]
    parameters: ClassVar[tuple[Parameter, ...]] = ()
    control: ClassVar[bool] = False
    example: ClassVar[Mapping[str, Value]] = {}

    def __init__(self, **values: Any) -> None:
        self.values: Mapping[str, Value] = {
            parameter.name: values.get(parameter.name, parameter.default) for parameter in self.parameters
        }

    @property
    def canonical_name(self) -> str:
        """The arm's name with its parameters, without terse ones at their default."""
        named = {
            parameter.name: self.values[parameter.name]
            for parameter in self.parameters
            if not (parameter.terse and self.values[parameter.name] == parameter.default)
        }
        return with_values(self.name, named)

    @property
    def log(self) -> str:
        """The path of the query log that `fit` needs; empty if none."""
        return ""

    def check(self, where: str) -> None:  # noqa: B027, for subclasses
        """Check that parameters without a useful default are given.

        Raises:
            ConfigError: if one is missing; `where` is named in the message.
        """

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


def kept(arm: Arm, scores: Floats, cutoff: float) -> Flags:
    """Return which postings stay at a cutoff."""
    return scores >= cutoff if arm.keep == KEEP_ABOVE else scores < cutoff


def steps(arm: Arm, scores: Floats, cutoffs: Floats) -> Ints:
    """Return for each posting the index of the first cutoff that keeps it, `len(cutoffs)` if none does.

    Args:
        arm: says which are kept.
        scores: of the postings.
        cutoffs: the strictest first: see `strictest_first`.
    """
    if arm.keep == KEEP_ABOVE:
        return np.searchsorted(-cutoffs, -scores, side="left")
    return np.searchsorted(cutoffs, scores, side="right")


def strictest_first(arm: Arm, cutoffs: Floats) -> Floats:
    """Return different cutoffs, each of which keeps all that those before it keep."""
    ascending: Floats = np.unique(np.asarray(cutoffs, dtype=np.float64))
    return ascending[::-1] if arm.keep == KEEP_ABOVE else ascending

"""What a cutoff saves over many queries: bytes, seconds, CO2, and after how many queries it pays off."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from thresher.choosing.decisions import Decision, Savings, SizedVariant, SizeKind
from thresher.costs import break_even

FEWEST = 3
"""Fewest indexes to fit a line of times through, the baseline's among them."""


@dataclass(frozen=True)
class Timed:
    """An index that was built and searched: wall seconds of cleaning, of building, and of one query on average."""

    variant: str
    scorers: tuple[str, ...]
    bytes: int
    clean_seconds: float
    index_seconds: float
    query_seconds: float


@dataclass(frozen=True)
class TimeLine:
    """Seconds by bytes of an index, `fixed` + `per_byte` · bytes, neither negative, by least squares."""

    fixed: float
    per_byte: float

    @classmethod
    def through(cls, sizes: Sequence[float], seconds: Sequence[float]) -> TimeLine:
        """Fit the line; bytes are scaled, so that both coefficients count."""
        from scipy.optimize import nnls  # of the extra `retrieval`

        scale = max(sizes)
        (fixed, slope), _ = nnls(np.array([[1.0, size / scale] for size in sizes]), np.array(seconds))
        return cls(float(fixed), float(slope) / scale)

    def at(self, size: float) -> float:
        """Return the seconds for an index of so many bytes."""
        return self.fixed + self.per_byte * size


def savings(
    decision: Decision,
    variant: SizedVariant,
    scorers: tuple[str, ...],
    timed: Sequence[Timed],
    queries: int,
    grams: Callable[[float], float | None],
) -> Savings:
    """Estimate what a variant saves against the baseline over so many queries.

    Times and bytes of a variant that was run are those measured. For others, building and searching are read off lines through
    all indexes that were run, and cleaning is the mean of the variants with the same scorer: a cutoff costs nothing.

    Args:
        decision: has the baseline's size.
        variant: one of the decision's.
        scorers: the names of the variant's scorers.
        timed: what was run, the baseline first; empty if nothing was.
        queries: at least 1.
        grams: CO2 of wall seconds, None below resolution.
    """
    known = next((row for row in timed if row.variant == variant.name), None)
    exact = decision.size_kind is not SizeKind.POSTINGS
    # Bytes of indexes that were built go before estimates.
    base_size, size = (timed[0].bytes, known.bytes) if known else (decision.baseline_size, variant.size)
    saved = Savings(
        retrieval=decision.retrieval,
        variant=variant.name,
        queries=queries,
        bytes=base_size - size if known or exact else None,
        share=1 - size / base_size if base_size else 0.0,
        query_seconds=None,
        extra_seconds=None,
        co2_kg=None,
        break_even=None,
        measured=known is not None,
        indexes=len(timed),
    )
    times = known or (_estimated(variant, scorers, timed) if exact else None)
    if times is None:
        return saved
    base = timed[0] if known else _estimated_baseline(timed)
    extra = times.clean_seconds - base.clean_seconds + times.index_seconds - base.index_seconds
    per_query = base.query_seconds - times.query_seconds
    break_even_point = break_even(
        times.clean_seconds - base.clean_seconds,
        times.index_seconds,
        times.query_seconds,
        baseline_index_seconds=base.index_seconds,
        baseline_query_seconds=base.query_seconds,
    )
    net = per_query * queries - extra
    emitted = grams(abs(net))
    return replace(
        saved,
        query_seconds=per_query * queries,
        extra_seconds=extra,
        co2_kg=None if emitted is None else emitted / 1000 * (1 if net > 0 else -1),
        break_even=break_even_point,
    )


def query_line(timed: Sequence[Timed]) -> TimeLine | None:
    """Return seconds per query by bytes of the index; None with too few indexes."""
    if len(timed) < FEWEST:
        return None
    return TimeLine.through([row.bytes for row in timed], [row.query_seconds for row in timed])


def _estimated(variant: SizedVariant, scorers: tuple[str, ...], timed: Sequence[Timed]) -> Timed | None:
    """Return the times the variant would take; None if too little was run."""
    same = [row.clean_seconds for row in timed if row.scorers == scorers]
    if len(timed) < FEWEST or not same:
        return None
    return _on_the_lines(variant.name, scorers, variant.size, sum(same) / len(same), timed)


def _estimated_baseline(timed: Sequence[Timed]) -> Timed:
    """Return the baseline's times on the same lines, so that its own deviation from them does not count as a saving."""
    base = timed[0]
    return _on_the_lines(base.variant, base.scorers, base.bytes, base.clean_seconds, timed)


def _on_the_lines(
    variant: str, scorers: tuple[str, ...], size: float, clean_seconds: float, timed: Sequence[Timed]
) -> Timed:
    sizes = [row.bytes for row in timed]
    index = TimeLine.through(sizes, [row.index_seconds for row in timed])
    query = TimeLine.through(sizes, [row.query_seconds for row in timed])
    return Timed(variant, scorers, round(size), clean_seconds, index.at(size), query.at(size))

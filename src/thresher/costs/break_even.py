"""After how many queries the cleaning of a collection has paid for itself."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class BreakEven:
    """The number of queries, and the same in words: None where cleaning never pays, 0 where it does at once."""

    queries: float | None
    note: str


def break_even(
    clean_seconds: float,
    index_seconds: float,
    query_seconds: float,
    *,
    baseline_index_seconds: float,
    baseline_query_seconds: float,
) -> BreakEven:
    """Compare a variant's extra cost before the first query with what it saves on each query.

    All are seconds of one kind (wall or CPU) on one machine. The answer holds for CO2 too, as Eq. 9 is linear in time.

    Args:
        clean_seconds: cleaning, beyond the parsing that the baseline needs too.
        index_seconds: building the variant's index.
        query_seconds: one query, on average.
        baseline_index_seconds: building the baseline's index.
        baseline_query_seconds: one query of the baseline, on average.

    Returns:
        The number of queries, not rounded, at which both have cost the same.
    """
    extra = clean_seconds + index_seconds - baseline_index_seconds
    saving = baseline_query_seconds - query_seconds
    if extra <= 0 <= saving:
        return BreakEven(0.0, "at once: no costlier to build, no slower to search")
    if extra < 0:
        until = extra / saving
        return BreakEven(0.0, f"at once, but slower to search: the gain is used up after {until:,.0f} queries")
    if extra == 0:
        return BreakEven(None, "never: no cheaper to build, slower to search")
    if saving <= 0:
        return BreakEven(None, "never: costlier to build, no faster to search")
    queries = extra / saving
    return BreakEven(queries, f"after {queries:,.0f} queries")

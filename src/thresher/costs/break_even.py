"""After how many queries the cleaning of a collection has paid for itself."""

from __future__ import annotations

from dataclasses import dataclass

from thresher.costs.repeats import Interval


@dataclass(frozen=True)
class BreakEven:
    """The number of queries with its interval, and the same in words: None where cleaning never pays, or nobody can say."""

    queries: Interval | None
    note: str


def break_even(extra_seconds: float, saved: Interval | None) -> BreakEven:
    """Compare a variant's extra cost before the first query with what it saves on each.

    All are seconds of one kind (wall or CPU) on one machine. The answer holds for CO2 too, as Eq. 9 is linear in time.

    Args:
        extra_seconds: to clean the collection, beyond the parsing that the baseline needs too, and to build its index, beyond
            the baseline's; negative for less.
        saved: seconds a query is faster than the baseline's, of one sign; None if the difference cannot be measured.
    """
    if saved is None:
        if extra_seconds <= 0:
            return BreakEven(None, "no costlier to build; the difference in searching is not measurable here")
        return BreakEven(None, "not measurable here: the difference in searching is within noise")
    if saved.value > 0:
        if extra_seconds <= 0:
            return BreakEven(Interval(0.0, 0.0, 0.0), "at once: no costlier to build, faster to search")
        queries = Interval(extra_seconds / saved.value, extra_seconds / saved.high, extra_seconds / saved.low)
        return BreakEven(queries, f"after {queries.value:,.0f} queries ({queries.low:,.0f} to {queries.high:,.0f})")
    if extra_seconds >= 0:
        return BreakEven(None, "never: no cheaper to build, slower to search")
    until = extra_seconds / saved.value
    return BreakEven(None, f"at once, but slower to search: the gain is used up after {until:,.0f} queries")

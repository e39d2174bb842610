"""The columns of the costs of variants."""

from __future__ import annotations

from operator import attrgetter

from thresher.reports import formats
from thresher.reports.cost_columns import (
    BreakEvenColumns,
    VariantColumn,
    break_even_columns,
    cost_columns,
    time_columns,
    time_ratio_text,
)
from thresher.reports.variant_rows import VariantRow

CLEANING_COST = cost_columns("Cleaning", "clean_", attrgetter("clean"))
INDEXING_COST = cost_columns("Indexing", "index_", attrgetter("index"))

QUERY_TIME = time_columns("Searching", "searching", "query_", attrgetter("query"))
INDEXING_TIME = time_columns("Indexing", "repeated indexing", "indexing_", attrgetter("indexing"))

BREAK_EVEN: BreakEvenColumns[VariantRow] = break_even_columns(attrgetter("break_even"))
CO2_BREAK_EVEN: BreakEvenColumns[VariantRow] = break_even_columns(attrgetter("co2_break_even"), "CO₂")

QUERY_MEAN = VariantColumn(
    "query_mean",
    QUERY_TIME.seconds.value,
    "Searching: wall seconds, mean over topics.",
    formats.MILLISECONDS,
    "query",
    "ms",
    in_csv=False,
)
"""The time of a query without its interval."""
QUERY_RATIO = VariantColumn(
    "query_ratio_or_noise",
    QUERY_TIME.ratio.value,
    "Searching: wall time by the baseline's, where it is more than noise.",
    formats.VALUE,
    "time of a query",
    "by baseline's",
    text=time_ratio_text,
    in_csv=False,
)

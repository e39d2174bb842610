"""The columns of what variants cost."""

from __future__ import annotations

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

CLEANING_COST = cost_columns("Cleaning", "clean_", lambda built: built.clean)
INDEXING_COST = cost_columns("Indexing", "index_", lambda built: built.index)

QUERY_TIME = time_columns("Searching", "searching", "query_", lambda built: built.query)
INDEXING_TIME = time_columns("Indexing", "repeated indexing", "indexing_", lambda built: built.indexing)

BREAK_EVEN: BreakEvenColumns[VariantRow] = break_even_columns(lambda row: row.break_even)

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

"""The columns of variants: their names, sizes and effectiveness, and all columns of `results.csv`."""

from __future__ import annotations

from functools import cache
from operator import attrgetter, methodcaller

from thresher.indexes.work import IndexPart
from thresher.reports import formats
from thresher.reports import variant_cost_columns as costs
from thresher.reports.columns import Column, ComparisonColumns, comparison_columns, comparison_mark
from thresher.reports.cost_columns import FOOTPRINTS, footprint_columns
from thresher.reports.formatting import size_mark
from thresher.reports.table import measure_header
from thresher.reports.variant_rows import VariantRow

VariantColumn = Column[VariantRow]

RETRIEVAL = VariantColumn("retrieval", attrgetter("table.retrieval"), "The retrieval model.", formats.TEXT)
VARIANT = VariantColumn("variant", attrgetter("record.name"), "The canonical name.", formats.TEXT)
FAMILY = VariantColumn(
    "family", attrgetter("record.variant.family"), "Cleaners, pruning, combinations or weights.", formats.TEXT
)
SWEEP = VariantColumn(
    "sweep", attrgetter("record.variant.sweep"), "The variant's sweep; empty outside sweeps.", formats.TEXT
)
CUTOFF = VariantColumn("cutoff", attrgetter("record.variant.cutoff"), "Its cutoff in the sweep.")
CLEANER_CUTOFF = VariantColumn(
    "cleaner_cutoff",
    attrgetter("record.variant.cleaner_cutoff"),
    "In a sweep over scorer and pruning method, the scorer's cutoff.",
)

WORDS = VariantColumn("words", attrgetter("record.words"), "Words left by cleaning.", formats.COUNT)
BYTES = VariantColumn(
    "bytes",
    attrgetter("record.bytes"),
    "Bytes of the built index (MB: 10⁶ bytes).",
    formats.MEGABYTES,
    "index",
    "MB",
)
ESTIMATED_BYTES = VariantColumn(
    "estimated_bytes",
    attrgetter("estimated_bytes"),
    "Estimated bytes of an index that was not built.",
    formats.MEGABYTES,
)
SIZE = VariantColumn(
    "index_bytes",
    attrgetter("size"),
    "Bytes of the index: measured where it was built, estimated (≈) elsewhere (MB: 10⁶ bytes).",
    formats.MEGABYTES,
    "index",
    "MB",
    prefix=lambda row: size_mark(row.estimated_bytes is None),
    in_csv=False,
)
QUERY_POSTINGS = VariantColumn(
    "query_postings",
    attrgetter("query_postings"),
    "Postings of a query's terms, Σ df, mean over topics.",
    formats.COUNT,
    "postings",
    "a query",
)
POSTINGS_SHARE = VariantColumn(
    "postings_share",
    attrgetter("share"),
    "Postings, as a share of the baseline's.",
    formats.PERCENT,
    "postings",
    "% of baseline",
)
WORDS_SHARE = VariantColumn(
    "words_share",
    attrgetter("word_share"),
    "Share of words left by cleaning.",
    formats.PERCENT,
    "words kept",
    "%",
)
BYTES_SHARE = VariantColumn(
    "bytes_share",
    attrgetter("bytes_share"),
    "Bytes, as a share of the baseline's: measured where the index was built, estimated (≈) elsewhere.",
    formats.PERCENT,
    "bytes",
    "% of baseline",
    prefix=lambda row: size_mark(row.estimated_bytes is None),
)
EMPTIED = VariantColumn(
    "emptied",
    attrgetter("emptied"),
    "Pages that cleaning leaves without text, or pruning without a posting.",
    formats.COUNT,
    unit="pages",
)
EMPTIED_SHARE = VariantColumn(
    "emptied_share",
    attrgetter("emptied_share"),
    "Share of the pages that cleaning leaves without text, or pruning without a posting.",
    formats.PERCENT,
    "emptied",
    "% of pages",
)
DOCUMENTS = VariantColumn(
    "documents",
    attrgetter("record.index.documents"),
    "Documents with text left and, if it is pruned, a posting.",
    formats.COUNT,
)
TOKENS = VariantColumn("tokens", attrgetter("record.index.tokens"), "Tokens in the index.", formats.COUNT, unit="index")
POSTINGS = VariantColumn(
    "postings",
    attrgetter("record.index.postings"),
    "Postings in the index: pairs of a document and a term.",
    formats.COUNT,
    unit="index",
)
VOCABULARY = VariantColumn(
    "vocabulary",
    attrgetter("record.index.vocabulary"),
    "Different terms in the index.",
    formats.COUNT,
    "terms",
    "index",
)
QUERY_DOCUMENTS = VariantColumn(
    "query_documents",
    attrgetter("query_documents"),
    "Documents scored for a query, mean over topics.",
    formats.COUNT,
    "scored",
    "a query",
)


def part_column(part: IndexPart) -> VariantColumn:
    """Return the column of a part's share in the bytes of each built index."""

    def share(row: VariantRow) -> float | None:
        if row.built is None:
            return None
        return row.built.share_of(part.types)

    return VariantColumn(part.name, share, f"{part.purpose}.", formats.PERCENT, unit="% of bytes")


# Measures


def mean_column(measure: str) -> VariantColumn:
    """Return the column of means over the topics, marked where they differ significantly from the baseline's."""
    header = measure_header(measure)
    return VariantColumn(
        measure,
        methodcaller("mean", measure),
        f"Mean {measure} over the topics.",
        header=header.name,
        unit=header.parameters,
        mark=comparison_mark(methodcaller("comparison", measure)),
    )


def difference_column(measure: str) -> VariantColumn:
    """Return the column of mean differences from the baseline; explored variants have one, too."""
    return VariantColumn(
        f"{measure} difference",
        methodcaller("difference", measure),
        "Mean difference from the baseline over the topics.",
        formats.DIFFERENCE,
        "difference",
    )


def measure_comparison(measure: str) -> ComparisonColumns[VariantRow]:
    """Return the columns of the comparison with the baseline over the topics."""
    return comparison_columns(methodcaller("comparison", measure), f"{measure} ", measure)


def held_out_mean_column(measure: str) -> VariantColumn:
    """Return the column of means over the held-out topics, marked where they differ significantly from the baseline's."""
    return VariantColumn(
        f"held_out {measure}",
        methodcaller("held_out_mean", measure),
        f"Mean {measure} over the held-out topics.",
        header=measure_header(measure).name,
        unit="held out",
        mark=comparison_mark(methodcaller("held_out_comparison", measure)),
    )


def held_out_difference_column(measure: str) -> VariantColumn:
    """Return the column of mean differences from the baseline over the held-out topics."""
    return VariantColumn(
        f"held_out {measure} difference",
        methodcaller("held_out_difference", measure),
        "Mean difference from the baseline over the held-out topics.",
        formats.DIFFERENCE,
        "difference",
        "held out",
    )


def _held_out_comparison(measure: str) -> ComparisonColumns[VariantRow]:
    about = f"{measure} on the held-out topics"
    return comparison_columns(methodcaller("held_out_comparison", measure), f"held_out {measure} ", about)


# All of them


@cache
def variant_columns(measures: tuple[str, ...]) -> tuple[VariantColumn, ...]:
    """Return all columns of `results.csv`, in its order."""
    columns: list[VariantColumn] = [RETRIEVAL, VARIANT, FAMILY, SWEEP, CUTOFF, CLEANER_CUTOFF]
    for measure in measures:
        comparison = measure_comparison(measure)
        columns += [mean_column(measure), difference_column(measure)]
        columns += comparison[1:]
    for measure in measures:
        comparison = _held_out_comparison(measure)
        columns += [held_out_mean_column(measure), held_out_difference_column(measure)]
        columns += comparison[1:]
    columns += [WORDS, BYTES, ESTIMATED_BYTES, SIZE, QUERY_POSTINGS, POSTINGS_SHARE, WORDS_SHARE, BYTES_SHARE]
    columns += [EMPTIED, EMPTIED_SHARE]
    columns += [DOCUMENTS, TOKENS, POSTINGS, VOCABULARY, QUERY_DOCUMENTS]
    for group in (costs.CLEANING_COST, costs.INDEXING_COST, costs.QUERY_TIME, costs.INDEXING_TIME):
        columns += group
    columns += costs.BREAK_EVEN
    columns += costs.CO2_BREAK_EVEN
    for work in FOOTPRINTS:
        columns += footprint_columns(work)
    return tuple(columns)

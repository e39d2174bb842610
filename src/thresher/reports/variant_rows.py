"""The rows that the columns of variants read."""

from __future__ import annotations

from dataclasses import dataclass

from thresher.base.repeats import BreakEven
from thresher.evaluation.significance import Comparison
from thresher.experiments.results import Results
from thresher.experiments.table import Built, Row, VariantTable


@dataclass(frozen=True, eq=False)
class VariantRow:
    """A variant of a table: the row that the columns of variants read."""

    table: VariantTable
    index: int

    @property
    def record(self) -> Row:
        """The variant with its size and costs."""
        return self.table.rows[self.index]

    @property
    def built(self) -> Built | None:
        """The record of building, searching and timing; None for a variant that was not built."""
        return self.record.built

    @property
    def break_even(self) -> BreakEven | None:
        """When cleaning pays off; None for a variant that was not built."""
        return self.built.break_even if self.built else None

    @property
    def co2_break_even(self) -> BreakEven | None:
        """When cleaning pays off in CO₂; None where one machine cleans, and for a variant that was not built."""
        return self.built.co2_break_even if self.built else None

    @property
    def is_baseline(self) -> bool:
        """Whether it is the baseline."""
        return self.index == 0

    @property
    def share(self) -> float:
        """The postings, as a share of the baseline's."""
        return float(self.table.shares[self.index])

    @property
    def word_share(self) -> float:
        """The words, as a share of the baseline's."""
        return float(self.table.word_shares[self.index])

    @property
    def size(self) -> int:
        """The bytes, measured if the index was built, or else estimated."""
        return int(self.table.index_bytes[self.index])

    @property
    def estimated_bytes(self) -> int | None:
        """The estimated bytes of an index that was not built; None for a built index."""
        return self.size if self.record.bytes is None else None

    @property
    def bytes_share(self) -> float:
        """The bytes, as a share of the baseline's, each measured or estimated."""
        return float(self.table.bytes_shares[self.index])

    @property
    def emptied(self) -> int:
        """The number of pages left without text, or by pruning without a posting."""
        return int(self.table.emptied[self.index])

    @property
    def emptied_share(self) -> float:
        """The share of the pages with text that are left without text, or by pruning without a posting."""
        return float(self.table.emptied_shares[self.index])

    @property
    def query_postings(self) -> float:
        """The postings of a query's terms, mean over the topics."""
        return float(self.table.mean_query_postings[self.index])

    @property
    def query_documents(self) -> float | None:
        """The documents scored for a query, mean over the topics; None for a variant that was not built."""
        return self.built.work.documents if self.built else None

    def comparison(self, measure: str) -> Comparison | None:
        """Return the comparison with the baseline over the topics, if there is one."""
        if self.built is None:
            return None
        return self.built.comparisons.get(measure)

    def held_out_comparison(self, measure: str) -> Comparison | None:
        """Return the comparison with the baseline over the held-out topics, if there is one."""
        if self.built is None:
            return None
        return self.built.held_out.get(measure)

    def mean(self, measure: str) -> float:
        """Return the mean over the topics."""
        return float(self.table.mean(measure)[self.index])

    def held_out_mean(self, measure: str) -> float:
        """Return the mean over the held-out topics; NaN without any."""
        return float(self.table.held_out_mean(measure)[self.index])

    def difference(self, measure: str) -> float | None:
        """Return the mean difference from the baseline; None for the baseline."""
        if self.is_baseline:
            return None
        means = self.table.mean(measure)
        return float(means[self.index] - means[0])

    def held_out_difference(self, measure: str) -> float | None:
        """Return the mean difference from the baseline over the held-out topics; None for the baseline."""
        if self.is_baseline:
            return None
        means = self.table.held_out_mean(measure)
        return float(means[self.index] - means[0])


def variant_rows(results: Results) -> list[VariantRow]:
    """Return all variants of all retrieval models."""
    rows: list[VariantRow] = []
    for table in results.tables:
        for index in range(len(table.rows)):
            rows.append(VariantRow(table, index))
    return rows

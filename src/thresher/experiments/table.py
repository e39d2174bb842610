"""The table of variants: for one retrieval model, columns by variant and values by measure, variant and topic.

`explore` fills it, `run` fills it or adds to it, `choose` and all reports read it. Sizes are postings, which are exact with or
without an index. Row 0 is the baseline.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from thresher.base.errors import StateError
from thresher.base.machine import Footprint
from thresher.base.numbers import Floats, Ints
from thresher.base.repeats import BreakEven, MeasuredTime, Times
from thresher.cleaners.cleaner import Cleaner
from thresher.evaluation.significance import Comparison, pareto_front, tested_measures
from thresher.indexes.pruning.treatments import Family, Pruning, Treatment
from thresher.indexes.size_estimates import CountedIndex, IndexContents, estimated_bytes, scaled_bytes
from thresher.indexes.work import IndexStatistics, QueryWork
from thresher.scores.weighting import Weights


@dataclass(frozen=True)
class Cost(Times):
    """The time, memory and CO₂ of a stage, and the joules of the whole machine that counters measured, by cpu, ram and gpu.

    Args:
        co2_grams: grams of CO₂ equivalents; empty below resolution.
    """

    co2_grams: float | None = None
    joules: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Built:
    """A variant whose index was built and searched.

    Args:
        bytes_by_type: bytes of the index by the types of its files.
        work: the work of a query in the index, a mean over the topics.
        clean, index, search: the costs of making this index and run, once.
        query, indexing: times that were measured for all variants together; None if nothing was timed.
        break_even: the break-even of these times; None without them, and for the baseline.
        footprints: rows of Tables 4 and 5 of the PyPlexity paper.
        comparisons: the comparisons with the baseline, by measure; empty for the baseline.
        held_out: the comparisons on the held-out topics.
        cutoffs: the numbers of percentiles, by the names of the cuts.
        emptied_languages: the emptied pages by language; see `thresher.scores.lost_pages`.
        co2_break_even: the break-even of CO₂; None if one machine cleans, which makes it the break-even of seconds.
    """

    bytes_by_type: Mapping[str, int]
    work: QueryWork
    clean: Cost
    index: Cost
    search: Cost
    query: MeasuredTime | None
    indexing: MeasuredTime | None
    break_even: BreakEven | None
    footprints: tuple[Footprint, ...]
    comparisons: Mapping[str, Comparison] = field(default_factory=dict)
    held_out: Mapping[str, Comparison] = field(default_factory=dict)
    cutoffs: Mapping[str, float] = field(default_factory=dict)
    emptied_languages: Mapping[str, int] = field(default_factory=dict)
    co2_break_even: BreakEven | None = None

    def share_of(self, types: Iterable[str]) -> float:
        """Return the share of some types of files in the index's bytes."""
        all_bytes = sum(self.bytes_by_type.values())
        bytes_of_types = sum(self.bytes_by_type.get(kind, 0) for kind in types)
        return bytes_of_types / max(all_bytes, 1)


@dataclass(frozen=True)
class NoiseFloor:
    """Timing noise of a retrieval model's queries, or of indexing: the apparent speed-up of a copy of the baseline.

    `retrieval` is empty for indexing. See `thresher.base.repeats.Repeats`.
    """

    retrieval: str
    copy: MeasuredTime
    restarts: int
    rounds: int


@dataclass(frozen=True)
class Variant:
    """A variant of the collection: a treatment, and its place in a sweep if it belongs to one.

    A sweep has the name of its scorer, followed by `@p` or `@r` if cutoffs are percentiles from 0 to 100, or by `@doc` if they
    are quotas in per cent. A sweep over a pruning method has the names of cleaner and method, such as `words|dcp`.

    Args:
        treatment: cleaner, weights and pruning.
        sweep: the name of its sweep; None if it belongs to none.
        cutoff: its cutoff in the sweep.
        cleaner_cutoff: in a sweep over scorer and pruning method, the scorer's cutoff.
    """

    treatment: Treatment
    sweep: str | None = None
    cutoff: float | None = None
    cleaner_cutoff: float | None = None

    @cached_property
    def name(self) -> str:
        """The canonical name."""
        return self.treatment.name

    @property
    def cleaner(self) -> Cleaner:
        """The cleaner of the pages."""
        return self.treatment.cleaner

    @property
    def weights(self) -> Weights | None:
        """The weights of the pages' parts; None without weights."""
        return self.treatment.weights

    @property
    def pruning(self) -> Pruning | None:
        """The pruning of the index; None for an unpruned index."""
        return self.treatment.pruning

    @cached_property
    def family(self) -> Family:
        """Cleaners, pruning, combinations or weights."""
        return self.treatment.family


@dataclass(frozen=True)
class Row:
    """A variant with its size and costs: all but its values by topic.

    Args:
        variant: the variant.
        index: the counts of its index, whether it was built or not.
        words: the number of words after cleaning.
        bytes: the bytes of its index; None for a variant that was not built.
        explored: whether it was ranked without an index.
        built: the record of building, searching and timing it; None for a variant that was not built.
    """

    variant: Variant
    index: IndexStatistics
    words: int
    bytes: int | None = None
    explored: bool = False
    built: Built | None = None

    @property
    def name(self) -> str:
        """The canonical name."""
        return self.variant.name


class IndexSize(NamedTuple):
    """The size that orders indexes: by bytes, measured or estimated, and by postings if bytes are equal."""

    bytes: int
    postings: int


@dataclass(frozen=True)
class VariantTable:
    """The variants of an experiment as one retrieval model ranks them, the baseline first.

    Args:
        retrieval: the model's name.
        measures: canonical names of the measures.
        topics: ids of the evaluated topics.
        rows: one row for each variant.
        values: the values; shape (measures, variants, topics).
        query_postings: the postings of a query's terms, Σ df; shape (variants, topics).
        held_out_topics: ids of the held-out topics; empty without any.
        held_out: the values on the held-out topics; shape (measures, variants, held-out topics).
        contents: the parts of all indexes, for estimating their bytes.
    """

    retrieval: str
    measures: tuple[str, ...]
    topics: tuple[str, ...]
    rows: tuple[Row, ...]
    values: Floats
    query_postings: Floats
    held_out_topics: tuple[str, ...]
    held_out: Floats
    contents: IndexContents = IndexContents()

    def __post_init__(self) -> None:
        variants = len(self.rows)
        measures = len(self.measures)
        if not self.rows or not self.rows[0].variant.treatment.is_baseline:
            raise ValueError("row 0 is not the baseline")
        if len(self.position) != variants:
            raise ValueError("a variant occurs twice")
        shapes = (self.values.shape, self.query_postings.shape, self.held_out.shape)
        topics = len(self.topics)
        held_out = len(self.held_out_topics)
        if shapes != ((measures, variants, topics), (variants, topics), (measures, variants, held_out)):
            raise ValueError("values are not one for each measure, variant and topic")

    # Single columns and rows: columns have the shape (variants,), and a share of 0 is NaN

    @cached_property
    def position(self) -> Mapping[str, int]:
        """The index of each variant by its name."""
        return {row.name: index for index, row in enumerate(self.rows)}

    def row(self, name: str) -> Row | None:
        """Return the row of a variant, by its name; None if the table does not have it."""
        if name not in self.position:
            return None
        return self.rows[self.position[name]]

    def treatment(self, name: str) -> Treatment:
        """Return the treatment of a variant, by its name."""
        return self.rows[self.position[name]].variant.treatment

    @property
    def baseline(self) -> Row:
        """Row 0."""
        return self.rows[0]

    @property
    def main(self) -> str:
        """The measure that stands for effectiveness: the first nDCG, or else the last."""
        return main_measure(self.measures)

    def of(self, measure: str) -> Floats:
        """Return the values of a measure; shape (variants, topics)."""
        values: Floats = self.values[self._place(measure)]
        return values

    def _place(self, measure: str) -> int:
        if measure not in self.measures:
            raise StateError(
                f"the results have no measure {measure!r}", "run `thresher run` and `thresher choose` again"
            )
        return self.measures.index(measure)

    @cached_property
    def means(self) -> Floats:
        """Means over the topics; shape (measures, variants)."""
        return _mean(self.values)

    @cached_property
    def held_out_means(self) -> Floats:
        """Means over the held-out topics, NaN without any; shape (measures, variants)."""
        return _mean(self.held_out)

    def mean(self, measure: str) -> Floats:
        """Return the means of a measure over the topics; shape (variants,)."""
        means: Floats = self.means[self._place(measure)]
        return means

    def held_out_mean(self, measure: str) -> Floats:
        """Return the means of a measure over the held-out topics, NaN without any; shape (variants,)."""
        means: Floats = self.held_out_means[self._place(measure)]
        return means

    @cached_property
    def mean_query_postings(self) -> Floats:
        """Postings of a query's terms, Σ df, mean over the topics."""
        return _mean(self.query_postings)

    @cached_property
    def sizes(self) -> Ints:
        """Postings of each index; shape (variants,)."""
        return np.array([row.index.postings for row in self.rows], dtype=np.int64)

    @cached_property
    def shares(self) -> Floats:
        """Postings, as a share of the baseline's."""
        return _over(self.sizes, self.sizes[0])

    @cached_property
    def word_shares(self) -> Floats:
        """Share of words left by cleaning."""
        return _over(np.array([row.words for row in self.rows]), self.baseline.words)

    @cached_property
    def index_bytes(self) -> Ints:
        """Bytes of each index: measured if it was built, otherwise estimated; shape (variants,)."""
        return np.array([self._bytes(row) for row in self.rows], dtype=np.int64)

    def _bytes(self, row: Row) -> int:
        """Return the bytes of an index; if the baseline was built, estimates are scaled by the bytes of its files."""
        if row.bytes is not None:
            return row.bytes
        estimate = self._estimate_by_type(row)
        if self.baseline.built is not None:
            baseline_estimate = self._estimate_by_type(self.baseline)
            estimate = scaled_bytes(estimate, baseline_estimate, self.baseline.built.bytes_by_type)
        return round(sum(estimate.values()))

    def _estimate_by_type(self, row: Row) -> Mapping[str, float]:
        removed = max(self.baseline.index.postings - row.index.postings, 0)
        counted = CountedIndex(row.index, row.words, row.variant.pruning is not None, removed)
        return estimated_bytes(counted, self.contents)

    @cached_property
    def bytes_shares(self) -> Floats:
        """Bytes, measured or estimated, as a share of the baseline's."""
        return _over(self.index_bytes, self.index_bytes[0])

    def size(self, index: int) -> IndexSize:
        """Return the size of a variant's index."""
        return IndexSize(int(self.index_bytes[index]), int(self.sizes[index]))

    @cached_property
    def emptied(self) -> Ints:
        """The number of pages that lose all text by cleaning, or all postings by pruning."""
        documents = np.array([row.index.documents for row in self.rows], dtype=np.int64)
        emptied: Ints = documents[0] - documents
        return emptied

    @cached_property
    def emptied_shares(self) -> Floats:
        """The share of the pages with text that lose all text by cleaning, or all postings by pruning."""
        return self.emptied / max(self.baseline.index.documents, 1)

    # Groups of variants

    @cached_property
    def candidates(self) -> tuple[int, ...]:
        """The variants that may be chosen: all but the baseline and controls."""
        candidates: list[int] = []
        for index, row in enumerate(self.rows):
            if index and not row.variant.treatment.is_control:
                candidates.append(index)
        return tuple(candidates)

    @property
    def baseline_and_candidates(self) -> tuple[int, ...]:
        """The baseline, and the variants that may be chosen."""
        return (0, *self.candidates)

    def front(self, measure: str, among: Iterable[int] | None = None) -> tuple[int, ...]:
        """Return the Pareto front of size and mean among some variants, or all, by ascending size and mean."""
        means = self.mean(measure)
        sizes = self.index_bytes
        if among is None:
            among = range(len(self.rows))
        finite: list[int] = []
        points: list[tuple[float, float]] = []
        for index in among:
            if np.isfinite(means[index]):
                finite.append(index)
                points.append((float(sizes[index]), float(means[index])))
        front = [finite[place] for place in pareto_front(points)]
        return tuple(sorted(front, key=lambda index: (self.size(index), means[index], index)))

    def frontier(self, measure: str, among: Sequence[int]) -> tuple[int, ...]:
        """Return the variants with a higher mean than all variants of at most their size, by ascending size."""
        means = self.mean(measure)

        def order(index: int) -> tuple[int, float, IndexSize, int]:
            return self.index_bytes[index], -means[index], self.size(index), index

        frontier: list[int] = []
        for index in sorted(among, key=order):
            if not frontier or means[index] > means[frontier[-1]]:
                frontier.append(index)
        return tuple(frontier)

    def best(self, measure: str, among: Sequence[int]) -> int:
        """Return the variant with the highest mean; among equal means the smallest, then the first. NaN never ranks
        first.
        """
        means = np.nan_to_num(self.mean(measure), nan=-np.inf)
        return min(among, key=lambda index: (-means[index], self.size(index), index))

    @cached_property
    def families(self) -> Mapping[Family, tuple[int, ...]]:
        """The candidates of each family that has candidates, in the order of `Family`."""
        families: dict[Family, tuple[int, ...]] = {}
        for family in Family:
            members = tuple(index for index in self.candidates if self.rows[index].variant.family is family)
            if members:
                families[family] = members
        return families

    @cached_property
    def sweeps(self) -> Mapping[str, tuple[int, ...]]:
        """The variants of each sweep with two or more, without controls, the largest index first."""
        members: dict[str, list[int]] = {}
        for index in self.candidates:
            sweep = self.rows[index].variant.sweep
            if sweep is not None:
                members.setdefault(sweep, []).append(index)
        sweeps: dict[str, tuple[int, ...]] = {}
        for sweep, indices in members.items():
            if len(indices) > 1:
                sweeps[sweep] = self.largest_first(indices)
        return sweeps

    @cached_property
    def singles(self) -> tuple[int, ...]:
        """The candidates that are in none of `sweeps`, the largest index first."""
        singles = set(self.candidates)
        singles.difference_update(*self.sweeps.values())
        return self.largest_first(singles)

    def largest_first(self, indices: Iterable[int]) -> tuple[int, ...]:
        """Return variants by descending size."""

        def order(index: int) -> tuple[int, int, int]:
            size = self.size(index)
            return -size.bytes, -size.postings, index

        return tuple(sorted(indices, key=order))

    @cached_property
    def built(self) -> tuple[int, ...]:
        """The variants whose indexes were built and searched."""
        return tuple(index for index, row in enumerate(self.rows) if row.built is not None)

    # Tables of other rows or topics

    def only(self, indices: Sequence[int]) -> VariantTable:
        """Return the table with only these rows; the baseline must be the first of them."""
        chosen = list(indices)
        return replace(
            self,
            rows=tuple(self.rows[index] for index in chosen),
            values=self.values[:, chosen],
            query_postings=self.query_postings[chosen],
            held_out=self.held_out[:, chosen],
        )

    def of_topics(self, topics: Iterable[str]) -> VariantTable:
        """Return the table with only these topics."""
        chosen_topics = tuple(topics)
        columns = [self.topics.index(topic) for topic in chosen_topics]
        return replace(
            self,
            topics=chosen_topics,
            values=self.values[:, :, columns],
            query_postings=self.query_postings[:, columns],
        )

    def with_rows(self, rows: Iterable[Row]) -> VariantTable:
        """Return the table with other records of the same variants."""
        return replace(self, rows=tuple(rows))

    def extended(self, rows: Sequence[Row], values: Floats, query_postings: Floats, held_out: Floats) -> VariantTable:
        """Return the table with further rows behind its own; the arrays have the values of these rows."""
        return replace(
            self,
            rows=self.rows + tuple(rows),
            values=np.concatenate((self.values, values), axis=1),
            query_postings=np.concatenate((self.query_postings, query_postings)),
            held_out=np.concatenate((self.held_out, held_out), axis=1),
        )

    def joined(self, other: VariantTable) -> VariantTable:
        """Return this table and the further rows of another table, which has the same model, measures and topics."""
        inputs = (self.retrieval, self.measures, self.topics, self.held_out_topics)
        if inputs != (other.retrieval, other.measures, other.topics, other.held_out_topics):
            raise ValueError("tables of other models, measures or topics do not join")
        rows: list[Row] = []
        indices: list[int] = []
        for index, row in enumerate(other.rows):
            if row.name not in self.position:
                rows.append(row)
                indices.append(index)
        return self.extended(rows, other.values[:, indices], other.query_postings[indices], other.held_out[:, indices])


def main_measure(measures: Sequence[str]) -> str:
    """Return the measure that stands for effectiveness: of the tested measures the first nDCG, or else the last."""
    tested = tested_measures(measures) or measures
    for measure in tested:
        if measure.lower().startswith("ndcg"):
            return measure
    return tested[-1]


def _mean(values: Floats) -> Floats:
    if not values.shape[-1]:
        return np.full(values.shape[:-1], np.nan)
    means: Floats = values.mean(axis=-1)
    return means


def _over(values: npt.NDArray[Any], whole: float) -> Floats:
    if not whole:
        return np.full(len(values), np.nan)
    return values / whole

"""The table of variants: for one retrieval model, columns by variant and values by measure, variant and topic.

`explore` fills it, `run` fills it or adds to it, `choose` and every renderer read it. Sizes are postings,
which are exact with or without an index. Row 0 is the baseline.
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
from thresher.evaluation.significance import Comparison, is_tested, pareto_front
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
        clean, index, search: the costs of making this index and run, once.
        query, indexing: times that were measured for all variants together; None where they were not.
        break_even: computed from these; None without them, and for the baseline.
        co2_break_even: the same for CO₂; None where one machine cleans, as it is equal.
        footprints: rows of Tables 4 and 5 of the PyPlexity paper.
        comparisons: with the baseline, by measure; empty for the baseline.
        held_out: the same on the held-out topics.
        cutoffs: the numbers of percentiles, by the names of the cuts.
        emptied_languages: the emptied pages by language; see `thresher.scores.lost_pages`.
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

    def share_of(self, types: Iterable[str]) -> float:
        """Return the share of the index's bytes that types of files have."""
        return sum(self.bytes_by_type.get(kind, 0) for kind in types) / max(sum(self.bytes_by_type.values()), 1)

    co2_break_even: BreakEven | None = None


@dataclass(frozen=True)
class NoiseFloor:
    """Timing noise, of a retrieval model's queries or of indexing: the apparent speed-up of a copy of the baseline.

    `retrieval` is empty for indexing. See `thresher.base.repeats.Repeats`.
    """

    retrieval: str
    copy: MeasuredTime
    restarts: int
    rounds: int


@dataclass(frozen=True)
class Variant:
    """A variant of the collection: a treatment, and the sweep that it is a cutoff of.

    A sweep is named by its scorer, with `@p` or `@r` behind it where cutoffs are percentiles, of 0 to 100, or `@doc` where
    they are quotas, in per cent; or by its cleaner and pruning method: `words|dcp` if both have cutoffs.

    Args:
        sweep: the sweep that it belongs to; empty for none.
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
        """The weights of the pages' parts, or None."""
        return self.treatment.weights

    @property
    def pruning(self) -> Pruning | None:
        """The pruning of the index, or None."""
        return self.treatment.pruning

    @cached_property
    def family(self) -> Family:
        """Cleaners, pruning, combinations or weights."""
        return self.treatment.family


@dataclass(frozen=True)
class Row:
    """A variant with its size and costs: all but its values by topic.

    Args:
        index: the counts of its index, whether it was built or not.
        words: left by cleaning.
        bytes: of its index; None for a variant that was not built.
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
    """The size that orders indexes: bytes, measured or estimated, and postings where bytes are equal."""

    bytes: int
    postings: int


@dataclass(frozen=True)
class VariantTable:
    """The variants of an experiment as one retrieval model ranks them, the baseline first.

    Args:
        retrieval: the model's name.
        measures: canonical names.
        topics: ids of the evaluated topics.
        rows: by variant.
        values: shape (measures, variants, topics).
        query_postings: of a query's terms, Σ df; shape (variants, topics).
        held_out_topics: ids; empty without held-out topics.
        held_out: values on these; shape (measures, variants, held-out topics).
        contents: what all indexes hold, by which their bytes are estimated.
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

    # Single columns and rows: columns have the shape (variants,), and shares of nothing are NaN

    @cached_property
    def position(self) -> Mapping[str, int]:
        """The index of each variant by its name."""
        return {row.name: index for index, row in enumerate(self.rows)}

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
        """Return the place of a measure.

        Raises:
            StateError: there is none, such as where a file beside the results names it.
        """
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
        """Bytes of each index: measured where it was built, estimated elsewhere; shape (variants,)."""
        return np.array([self._estimate(row) if row.bytes is None else row.bytes for row in self.rows], dtype=np.int64)

    def _estimate(self, row: Row) -> int:
        """Return the estimated bytes of an index, scaled by what the baseline's files have in truth if it was built."""
        estimate = self._estimate_by_type(row)
        if self.baseline.built is None:
            return round(sum(estimate.values()))
        of_baseline = self._estimate_by_type(self.baseline)
        return round(sum(scaled_bytes(estimate, of_baseline, self.baseline.built.bytes_by_type).values()))

    def _estimate_by_type(self, row: Row) -> Mapping[str, float]:
        removed = max(self.baseline.index.postings - row.index.postings, 0)
        counted = CountedIndex(row.index, row.words, row.variant.pruning is not None, removed)
        return estimated_bytes(counted, self.contents)

    @cached_property
    def bytes_shares(self) -> Floats:
        """Bytes, as a share of the baseline's, each measured or estimated."""
        return _over(self.index_bytes, self.index_bytes[0])

    def size(self, index: int) -> IndexSize:
        """Return the size of a variant's index."""
        return IndexSize(int(self.index_bytes[index]), int(self.sizes[index]))

    @cached_property
    def emptied(self) -> Ints:
        """Pages with text before cleaning that are left without any, or by pruning without a posting."""
        documents = np.array([row.index.documents for row in self.rows], dtype=np.int64)
        emptied: Ints = documents[0] - documents
        return emptied

    @cached_property
    def emptied_shares(self) -> Floats:
        """Share of the pages with text that are left without any, or by pruning without a posting."""
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
        """Return the variants with a higher mean than all that are as small or smaller, by ascending size."""
        frontier: list[int] = []
        means = self.mean(measure)
        for index in sorted(among, key=lambda index: (self.index_bytes[index], -means[index], self.size(index), index)):
            if not frontier or means[index] > means[frontier[-1]]:
                frontier.append(index)
        return tuple(frontier)

    def best(self, measure: str, among: Sequence[int]) -> int:
        """Return the variant with the highest mean; of equals the smallest, then the first. NaN never ranks first."""
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
        """The candidates of no sweep of two variants or more, the largest index first."""
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
        """Return the table with these rows alone; the baseline must be the first of them."""
        chosen = list(indices)
        return replace(
            self,
            rows=tuple(self.rows[index] for index in chosen),
            values=self.values[:, chosen],
            query_postings=self.query_postings[chosen],
            held_out=self.held_out[:, chosen],
        )

    def of_topics(self, topics: Iterable[str]) -> VariantTable:
        """Return the table with these topics alone."""
        chosen = [self.topics.index(topic) for topic in topics]
        names = tuple(self.topics[index] for index in chosen)
        postings = self.query_postings[:, chosen]
        return replace(self, topics=names, values=self.values[:, :, chosen], query_postings=postings)

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
        """Return this table with the rows of another, of the same model, measures and topics, that it lacks."""
        mine = (self.retrieval, self.measures, self.topics, self.held_out_topics)
        if mine != (other.retrieval, other.measures, other.topics, other.held_out_topics):
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
    tested = [measure for measure in measures if is_tested(measure)] or measures
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

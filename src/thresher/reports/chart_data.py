"""The variants of a retrieval model as charts draw them: a typed record for each point, and the levels beside them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter

from thresher.experiments.choosing.choices import Choice, ModelChoice
from thresher.experiments.table import VariantTable
from thresher.reports.formatting import change_text, measure_text, percent, plain, size_mark
from thresher.reports.table import measure_header, spread

SINGLES = "variants without a sweep"
"""The series of variants without a cutoff, or alone in their sweep."""
MOST_POINTS = 100
"""The most points of a sweep, besides those on the front: more cannot be seen, and make a chart slow."""


@dataclass(frozen=True)
class ChartPoint:
    """A variant in a chart.

    Args:
        name: the variant's name.
        series: the sweep of the variant, or `SINGLES`.
        share: the bytes of its index, in % of the baseline's, measured or estimated.
        mean: the mean of the main measure.
        label: the variant with its figures, postings among them, for pointers and screen readers.
        on_line: whether the line of its sweep joins it with its neighbours.
        on_front: whether it is on the Pareto front.
        bytes: the bytes of its index, which order the points of a line.
    """

    name: str
    series: str
    share: float
    mean: float
    label: str
    on_line: bool
    on_front: bool
    bytes: int


@dataclass(frozen=True)
class Recommended:
    """The recommended variant; `bound` is the lower bound of its mean by the test that recommends it, if there is one."""

    point: ChartPoint
    bound: float | None


@dataclass(frozen=True)
class ChartData:
    """The variants of a retrieval model, without controls.

    Args:
        retrieval: the name of the retrieval model.
        measure: the header of the main measure.
        size: the title of the axis of sizes, which says whether these are measured.
        baseline: the baseline as a point.
        points: all other variants that are drawn, sweep by sweep.
        margin: the largest accepted loss of the main measure; None without a choice.
        recommended: the recommended variant; None if there is none.
    """

    retrieval: str
    measure: str
    size: str
    baseline: ChartPoint
    points: tuple[ChartPoint, ...]
    margin: float | None = None
    recommended: Recommended | None = None

    @property
    def front(self) -> tuple[ChartPoint, ...]:
        """The points of the Pareto front, the smallest index first."""
        front = [point for point in self.points if point.on_front]
        return tuple(sorted(front, key=attrgetter("bytes")))


def chart_data(table: VariantTable, choice: Choice | None = None, other_measure: str | None = None) -> ChartData:
    """Return the variants of a table as charts draw them, by the main measure of the choice, or else of the table.

    With an `other_measure` than that of the choice, nothing is recommended.
    """
    measure = other_measure or table.main
    margin: float | None = None
    recommended: Recommended | None = None
    if choice and other_measure in (None, choice.measure):
        measure = choice.measure
        margin = choice.criteria.margin.loss(table.of(measure)[0])
        model = choice.of(table.retrieval)
        if model:
            recommended = _recommended(table, measure, model)
    return ChartData(
        retrieval=table.retrieval,
        measure=measure_header(measure).name,
        size=f"index, % of the baseline's bytes ({_source(table)})",
        baseline=_point(table, measure, 0, SINGLES, False),
        points=tuple(_points(table, measure)),
        margin=margin,
        recommended=recommended,
    )


def _source(table: VariantTable) -> str:
    """Return whether the bytes of a table's indexes are measured."""
    measured = 0
    for row in table.rows:
        if row.bytes is not None:
            measured += 1
    if measured == len(table.rows):
        return "measured"
    if measured:
        return "partly estimated"
    return "estimated"


def _recommended(table: VariantTable, measure: str, model: ModelChoice) -> Recommended | None:
    """Return the recommended variant, even if it is not among the points that are drawn."""
    index = model.first
    if index is None or index.variant not in table.position:
        return None
    position = table.position[index.variant]
    series = table.rows[position].variant.sweep or SINGLES
    point = _point(table, measure, position, series, on_line=False)
    low = index.effects[0].low
    if low is None:
        return Recommended(point, None)
    return Recommended(point, float(table.mean(measure)[0]) + low)


def _points(table: VariantTable, measure: str) -> Iterator[ChartPoint]:
    front = set(table.front(measure, table.baseline_and_candidates))
    for sweep, members in table.sweeps.items():
        joined = set(members)
        if any(table.rows[index].variant.cleaner_cutoff is not None for index in members):
            # Of two cutoffs, a line through all variants would jump to and fro.
            joined = set(table.frontier(measure, members))
        for index in _thinned(members, front):
            yield from _finite(_point(table, measure, index, sweep, index in joined, index in front))
    for index in table.singles:
        yield from _finite(_point(table, measure, index, SINGLES, False, index in front))


def _thinned(members: Sequence[int], front: set[int]) -> list[int]:
    """Return about `MOST_POINTS` of a sweep's variants, evenly spread, and all its variants of the front."""
    spaced_places = set(spread(len(members), MOST_POINTS))
    shown: list[int] = []
    for place, index in enumerate(members):
        if place in spaced_places or index in front:
            shown.append(index)
    return shown


def _finite(point: ChartPoint) -> Iterator[ChartPoint]:
    if math.isfinite(point.mean):
        yield point


def _point(
    table: VariantTable, measure: str, index: int, series: str, on_line: bool, on_front: bool = False
) -> ChartPoint:
    means = table.mean(measure)
    mean = float(means[index])
    share = float(table.bytes_shares[index])
    name = plain(table.rows[index].name)
    mark = size_mark(table.rows[index].bytes is not None)
    size = f"{mark}{percent(share)} % of the bytes ({percent(table.shares[index])} % of the postings)"
    label = f"{name}: {size}, {measure_header(measure).name} {measure_text(mean)}"
    if index:
        label += f" ({change_text(mean - float(means[0]))})"
    return ChartPoint(
        name=table.rows[index].name,
        series=series,
        share=100 * share,
        mean=mean,
        label=label,
        on_line=on_line,
        on_front=on_front,
        bytes=int(table.index_bytes[index]),
    )

"""Plots for papers: size against effectiveness at the size of print, with names beside points and curves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter

from thresher.base.errors import ConfigError
from thresher.base.number_text import counted
from thresher.cleaners.cleaner import BASELINE
from thresher.experiments.choosing.choices import Choice
from thresher.experiments.results import Results
from thresher.experiments.table import VariantTable
from thresher.reports import charts
from thresher.reports.chart_data import SINGLES, ChartData, ChartPoint, chart_data
from thresher.reports.charts import INK, LOSS, SERIES, Row, Spec, layer
from thresher.reports.drawing import Plot
from thresher.reports.paper_layout import ABOVE, BELOW, BESIDE, FONT, Axis, Curve, Layout, PlottedVariants, layout_of
from thresher.reports.paper_rows import check_rows, labelled, named_variants
from thresher.reports.table import measure_named

_INCH = 72.0
"""Points of PDF."""
_MANY = 15
_LEAST = 0.6
"""If a sweep has many variants, a plot leaves out variants with a smaller share of the baseline's mean."""
_ALIGNS = {0.0: "left", 0.5: "center", 1.0: "right"}
"""The alignment of a name by the side that it keeps to."""


@dataclass(frozen=True)
class PaperPlot:
    """The content of a plot for a paper.

    Args:
        rows: variants, sweeps and systems by name or label; by default all built variants and all systems.
        measure: canonical, or as tables name it; None for the main one.
        model: the retrieval model; None for the first.
        inches: the width.
    """

    rows: tuple[str, ...] = ()
    measure: str | None = None
    model: str | None = None
    inches: float = 3.3


def paper_plot(results: Results, specification: PaperPlot = PaperPlot(), choice: Choice | None = None) -> Plot:
    """Return the plot of a retrieval model: a curve for each sweep, a point for each other variant, and their names.

    Raises:
        ConfigError: if a row, the measure or the model is unknown, or if the names have no room.
    """
    plotted = _plotted(results, specification, choice)
    layout = layout_of(plotted, _INCH * specification.inches)
    if layout is None:
        what = f"{counted(len(plotted.curves) + 1, 'name')} have no room in a plot of {specification.inches:.3g} inches"
        raise ConfigError(what, "ask for fewer rows, a larger width, or shorter labels", "--plot")
    return Plot(_spec(plotted, layout), width=layout.x.length, printed=True)


# What is drawn


def _plotted(results: Results, specification: PaperPlot, choice: Choice | None) -> PlottedVariants:
    """Return the asked variants, and the runs of other systems whose size is known."""
    labels = results.facts.labels
    table = _specified_table(results, specification)
    measure = specification.measure and measure_named(specification.measure, results.measures)
    data = chart_data(table, choice, measure)
    points = list(data.points)
    points += _systems(results, specification, table, measure)
    margin = None
    if data.margin is not None:
        margin = data.baseline.mean - data.margin
    baseline = Curve(labels.get(BASELINE, "no cleaning"), (data.baseline,))
    return PlottedVariants(
        baseline=baseline,
        curves=tuple(_curves(points, data.baseline, results)),
        margin=margin,
        recommended=_recommended(data, points),
        size=data.size,
        measure=labels.get(measure or table.main) or labels.get(data.measure, data.measure),
    )


def _recommended(data: ChartData, points: Sequence[ChartPoint]) -> ChartPoint | None:
    """Return the recommended variant, which may be the baseline; None if it is not plotted."""
    if data.recommended is None:
        return None
    name = data.recommended.point.name
    if data.baseline.name == name:
        return data.baseline
    for point in points:
        if point.name == name:
            return point
    return None


def _specified_table(results: Results, specification: PaperPlot) -> VariantTable:
    table = results.table(specification.model)
    check_rows(results, specification.rows)
    indices = set(named_variants(table, specification.rows, results.facts.labels))
    if not specification.rows:
        indices = set(table.built if len(table.built) > 1 else table.candidates)
    indices.add(0)
    return table.only(sorted(indices))


def _systems(
    results: Results, specification: PaperPlot, table: VariantTable, measure: str | None
) -> Iterator[ChartPoint]:
    """Give the runs of other systems whose size is known, beside the first retrieval model."""
    place = results.measures.index(measure or table.main)
    for system in results.facts.systems:
        whole = int(table.index_bytes[0])
        share = system.share_of(whole)
        names = {system.name, labelled(system.name, results.facts.labels)}
        is_named = not specification.rows or not names.isdisjoint(specification.rows)
        is_of_model = specification.model in (None, results.retrievals[0])
        if share is not None and is_named and is_of_model:
            yield ChartPoint(
                system.name, SINGLES, 100 * share, float(system.means[place]), "", False, False, round(share * whole)
            )


def _curves(points: list[ChartPoint], baseline: ChartPoint, results: Results) -> Iterator[Curve]:
    by_name: dict[str, list[ChartPoint]] = {}
    for point in points:
        name = point.name if point.series == SINGLES else point.series
        by_name.setdefault(name, []).append(point)
    for name, members in by_name.items():
        if len(members) > _MANY:
            members = _best_of_many(members, baseline) or members
        smallest_first = sorted(members, key=attrgetter("bytes"))
        yield Curve(labelled(name, results.facts.labels), tuple(smallest_first))


def _best_of_many(members: Sequence[ChartPoint], baseline: ChartPoint) -> list[ChartPoint]:
    """Return the points on the line of a sweep whose mean is not far below the baseline's."""
    points: list[ChartPoint] = []
    for point in members:
        if point.on_line and point.mean >= _LEAST * baseline.mean:
            points.append(point)
    return points


# How it is drawn


def _spec(plotted: PlottedVariants, layout: Layout) -> Spec:
    """Return the specification in points of print: of curves, levels, points, and names with their lines."""
    x = _channel("share", layout.x)
    y = _channel("mean", layout.y)
    colour: Spec = {"field": "colour", "type": "nominal", "scale": None, "legend": None}
    layers = [layer("rule", {"strokeWidth": 0.5, "opacity": 0.6}, [_place(plotted.baseline.points[0])], y=y)]
    if plotted.margin is not None:
        layers.append(layer("rule", {**charts.DASHED, "strokeWidth": 0.8}, [{"mean": plotted.margin}], y=y))
    for number, curve in enumerate(plotted.curves):
        look = {"stroke": _colour(number, curve), "strokeDash": _dashes(number), "strokeWidth": 1}
        rows = [_place(point) for point in curve.line]
        if rows:
            layers.append(layer("line", look, rows, x=x, y=y, order={"field": "share"}))
    thin = {"strokeWidth": 0.4, "opacity": 0.7}
    layers.append(layer("rule", thin, list(_lines(layout)), x=x, y=y, x2={"field": "x2"}, y2={"field": "y2"}))
    layers.append(layer("circle", {"size": 16, "opacity": 1}, list(_dots(plotted)), x=x, y=y, color=colour))
    layers.append(layer("point", {**charts.BASELINE, "size": 28}, [_place(plotted.baseline.points[0])], x=x, y=y))
    if plotted.recommended:
        layers.append(layer("point", {**charts.RECOMMENDED, "size": 44}, [_place(plotted.recommended)], x=x, y=y))
    texts = list(_texts(plotted, layout))
    for align in _ALIGNS.values():
        look = {"fontSize": FONT, "align": align, "baseline": "middle"}
        rows = [row for row in texts if row["align"] == align]
        layers.append(layer("text", look, rows, x=x, y=y, text={"field": "text", "type": "nominal"}, color=colour))
    spec = charts.whole(layers, int(layout.y.length), f"{plotted.size} against {plotted.measure}")
    padding = {"left": layout.left, "top": ABOVE, "right": BESIDE, "bottom": BELOW}
    return {**spec, "autosize": {"type": "none"}, "padding": padding}


def _channel(field: str, axis: Axis) -> Spec:
    look: Spec = {
        "values": list(axis.ticks),
        "format": f".{axis.decimals}f",
        "grid": False,
        "labelFontSize": FONT,
        "titleFontSize": FONT,
        "labelPadding": 2,
        "tickSize": 3,
        "titlePadding": 3,
        "labelOverlap": False,
        "labelFlush": False,
    }
    return charts.number(field, axis.title, (axis.low, axis.high), axis=look)


def _place(point: ChartPoint) -> Row:
    return {"share": point.share, "mean": point.mean}


def _colour(number: int, curve: Curve) -> str:
    """Return the colour of a curve; variants alone have that of text."""
    return SERIES[number % len(SERIES)] if len(curve.points) > 1 else INK


def _dashes(number: int) -> list[int]:
    return list(charts.DASHES[number // len(SERIES) % len(charts.DASHES)])


def _dots(plotted: PlottedVariants) -> Iterator[Row]:
    for number, curve in enumerate(plotted.curves):
        for point in curve.dots:
            yield {**_place(point), "colour": _colour(number, curve)}


def _lines(layout: Layout) -> Iterator[Row]:
    """Give the lines from names to their points."""
    for placed in layout.names:
        if placed.line:
            (x, y), (x2, y2) = placed.line
            begin = {"share": layout.x.value(x), "mean": layout.y.value(layout.y.length - y)}
            yield {**begin, "x2": layout.x.value(x2), "y2": layout.y.value(layout.y.length - y2)}


def _texts(plotted: PlottedVariants, layout: Layout) -> Iterator[Row]:
    """Give the names with their places."""
    colours = [INK]
    for number, curve in enumerate(plotted.curves):
        colours.append(_colour(number, curve))
    if plotted.margin is not None:
        colours.append(LOSS)
    if plotted.recommended:
        colours.append(INK)
    for placed, colour in zip(layout.names, colours, strict=True):
        box = placed.box
        place = {
            "share": layout.x.value(box.left + placed.side * (box.right - box.left)),
            "mean": layout.y.value(layout.y.length - box.middle.y),
        }
        yield {**place, "text": placed.name.text, "colour": colour, "align": _ALIGNS[placed.side]}

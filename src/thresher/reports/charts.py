"""The charts of reports as Vega-Lite specifications: the frontier, all variants, the topics that gain and lose.

Colours are variables of the reports' style sheet, which follows a light or dark page; `thresher.reports.drawing` draws them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from operator import attrgetter
from typing import Any, NamedTuple

from thresher.reports.chart_data import ChartData, ChartPoint
from thresher.reports.chart_names import BESIDE_AREA, FONT_SIZE, Area, Marks
from thresher.reports.formatting import change_text, plain
from thresher.reports.label_places import Place, PlacedName
from thresher.reports.table import measure_header
from thresher.reports.topic_rows import TopicChange

Spec = dict[str, Any]
Row = Mapping[str, Any]

INK = "currentColor"
SOFT = "var(--soft)"
GROUND = "var(--ground)"
LOSS = "var(--worse)"
SERIES = tuple(f"var(--series-{number})" for number in range(6))
DASHES = ((1, 0), (5, 3), (2, 2), (8, 3, 2, 3))
LOOK: Spec = {
    "background": "transparent",
    "font": "system-ui, sans-serif",
    "view": {"stroke": None},
    "axis": {
        "labelColor": INK,
        "titleColor": INK,
        "domainColor": INK,
        "tickColor": INK,
        "gridColor": "var(--line)",
        "tickCount": 5,
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": 500,
        "domainOpacity": 0.5,
        "tickOpacity": 0.5,
        "aria": False,
    },
    "legend": {
        "labelColor": INK,
        "titleColor": INK,
        "labelFontSize": 12,
        "labelLimit": 560,
        "titleFontWeight": 500,
        "aria": False,
    },
    "title": {"color": INK, "anchor": "start", "frame": "group", "fontSize": 13, "fontWeight": 500, "aria": False},
    "text": {"fill": INK, "fontSize": FONT_SIZE},
    "rule": {"stroke": INK},
}
"""How all charts look."""
DASHED: Spec = {"stroke": LOSS, "strokeDash": [5, 4], "strokeWidth": 1.5}
BASELINE: Spec = {"shape": "square", "size": 90, "filled": True, "fill": INK, "opacity": 1}
RECOMMENDED: Spec = {"shape": "diamond", "size": 240, "filled": True, "fill": SERIES[1], "opacity": 1}
HALO: Spec = {"stroke": GROUND, "strokeWidth": 4, "strokeJoin": "round"}
_LEADER: Spec = {"strokeWidth": 0.75, "stroke": SOFT}
_DOT = 55
_SMALL_DOT = 20
_BOUND_END = 14
"""Areas of points, and the length of the line across the end of a bound, in pixels."""
_MARGIN = "margin"
_ALIGNS = {0.0: "left", 0.5: "center", 1.0: "right"}
"""How a text is aligned to a side of its box."""
DEEPEST = 8.0
"""Margins below the baseline that a chart shows: the size of a larger loss matters little."""
LEGEND_CHARACTERS = 90
"""Characters that fit a legend's row in a chart of 640 pixels."""
_NARROW = 500
"""Pixels below which a legend has one column."""
_LABEL_CHARACTERS = 80
_NARROW_LABEL_CHARACTERS = 44
"""Characters of a name that a legend shows; of a longer name its two ends, since long names differ at the end."""


# Parts of charts


def layer(mark: str, look: Row, rows: Iterable[Row] | None = None, where: str = "", **channels: Any) -> Spec:
    """Return one mark for each row: of `rows`, or of the chart's own rows that pass the filter `where`.

    Marks with the channel `description` have it for pointers and screen readers; all others are hidden from these.
    """
    spec: Spec = {"mark": {"type": mark, "aria": "description" in channels, **look}, "encoding": channels}
    if rows is not None:
        spec["data"] = {"values": list(rows)}
    if where:
        spec["transform"] = [{"filter": where}]
    return spec


def number(field: str, title: str | None = None, domain: Sequence[float] | None = None, **more: Any) -> Spec:
    """Return a channel of numbers, whose axis has exactly the given ends."""
    channel: Spec = {"field": field, "type": "quantitative", "title": title, **more}
    if domain:
        channel["scale"] = {"domain": list(domain), "zero": False, "nice": False}
    return channel


def whole(layers: Sequence[Spec], height: int, description: str, **more: Any) -> Spec:
    """Return a chart of layers; its width is set where it is drawn."""
    fit = {"type": "fit-x", "contains": "padding"}
    return {"height": height, "autosize": fit, "description": description, "layer": list(layers), **more}


class AxisRange(NamedTuple):
    """The lowest and the highest number of an axis."""

    low: float
    high: float


def roomy(numbers: Iterable[float], room: float = 0.06) -> AxisRange:
    """Return the lowest and the highest number, each with a share of the distance between them as room."""
    ends = list(numbers)
    low = min(ends)
    high = max(ends)
    margin = room * ((high - low) or abs(high) or 1.0)
    return AxisRange(low - margin, high + margin)


def series(field: str, names: Sequence[str], width: int) -> dict[str, Spec]:
    """Return the channels by which lines differ, also for readers who see no colours, with a legend below the chart."""
    columns = 1
    end = _NARROW_LABEL_CHARACTERS // 2
    if width >= _NARROW:
        end = _LABEL_CHARACTERS // 2
        longest = 4 + max(map(len, names), default=0)
        columns = max(1, min(3, LEGEND_CHARACTERS // longest))
    legend = {
        "orient": "bottom",
        "columns": columns,
        "symbolType": "stroke",
        "symbolSize": 300,
        "symbolStrokeWidth": 2,
        "title": None,
        "labelExpr": (
            f"length(datum.label) > {2 * end} ? slice(datum.label, 0, {end}) + '…' + slice(datum.label, -{end}) : datum.label"
        ),
    }
    colours: list[str] = []
    dashes: list[tuple[int, ...]] = []
    for place in range(len(names)):
        colours.append(SERIES[place % len(SERIES)])
        dashes.append(DASHES[place // len(SERIES) % len(DASHES)])
    channel: Spec = {"field": field, "type": "nominal", "legend": legend}
    if not names:
        # A legend without entries has no size that can be drawn.
        channel["legend"] = None
    return {
        "color": {**channel, "scale": {"domain": list(names), "range": colours}},
        "strokeDash": {**channel, "scale": {"domain": list(names), "range": dashes}},
    }


# The charts


def frontier_chart(data: ChartData, width: int, height: int = 460) -> Spec:
    """Return index size against the main measure: the Pareto front, the baseline, the margin, and the recommended index."""
    front = _rows(data.front)
    axes = _axes(data, data.front)
    x = axes.size
    y = axes.mean
    step = {"interpolate": "step-after", "stroke": SOFT, "strokeWidth": 1.5, "clip": True}
    point = {"size": _DOT, "opacity": 1, "fill": SERIES[0], "clip": True}
    layers = [
        layer("line", step, front, x=x, y=y),
        layer("circle", point, front, x=x, y=y, description=_label()),
    ]
    marks = Marks(_area(axes, width, height))
    marks.add_points(data.front, _half(_DOT))
    marks.add_steps(data.front)
    layers += _levels(data, axes, marks)
    return whole(layers, height, f"Index size against {data.measure}: the frontier of all variants")


def variants_chart(data: ChartData, width: int, height: int = 420) -> Spec:
    """Return index size against the main measure for all variants: a line for each sweep."""
    axes = _axes(data, data.points)
    x = axes.size
    y = axes.mean
    line_points: dict[str, list[ChartPoint]] = {}
    for point in data.points:
        points_of_series = line_points.setdefault(point.series, [])
        if point.on_line:
            points_of_series.append(point)
    channels = series("series", list(line_points), width)
    line = {"strokeWidth": 1.5, "clip": True}
    layers = [
        layer(
            "line",
            line,
            where="datum.on_line",
            x=x,
            y=y,
            color=channels["color"],
            strokeDash=channels["strokeDash"],
            order={"field": "bytes"},
        ),
        layer("circle", {"size": _SMALL_DOT, "clip": True}, x=x, y=y, color=channels["color"], description=_label()),
    ]
    marks = Marks(_area(axes, width, height))
    marks.add_points(data.points, _half(_SMALL_DOT))
    for points_of_series in line_points.values():
        marks.add_line(sorted(points_of_series, key=attrgetter("bytes")))
    layers += _levels(data, axes, marks)
    description = f"Index size against {data.measure}: a line for each sweep"
    return whole(layers, height, description, data={"values": _rows(data.points)})


def topics_chart(changes: Sequence[TopicChange], measure: str, height: int = 200) -> Spec:
    """Return a bar for each topic's difference, from the most gained to the most lost; `changes` are in this order."""
    rows: list[Spec] = []
    for rank, change in enumerate(changes, start=1):
        label = f"{plain(change.topic)}: {plain(change.query)} ({change_text(change.difference)})"
        rows.append({"rank": rank, "difference": change.difference, "label": label})
    x = {
        "field": "rank",
        "type": "ordinal",
        "title": "topics, from most gained to most lost",
        "axis": {"labels": False, "ticks": False},
        "scale": {"paddingInner": 0.1},
    }
    y = number("difference", f"difference in {measure_header(measure).name}")
    colour = {"condition": {"test": "datum.difference < 0", "value": SERIES[1]}, "value": SERIES[0]}
    bars = layer("bar", {}, rows, x=x, y=y, color=colour, description=_label())
    return whole([bars], height, "Topics by their difference from the baseline")


def _rows(points: Iterable[ChartPoint]) -> list[Spec]:
    return [asdict(point) for point in points]


def _label() -> Spec:
    return {"field": "label", "type": "nominal"}


class _Axes(NamedTuple):
    """The channels of index size and of the main measure's mean."""

    size: Spec
    mean: Spec


def _axes(data: ChartData, points: Sequence[ChartPoint]) -> _Axes:
    """Return the axes; means begin at most `DEEPEST` margins below the baseline and the recommended index."""
    baseline = lowest_named = data.baseline.mean
    means = [point.mean for point in points]
    means.append(baseline)
    if data.recommended:
        recommended = data.recommended.point.mean
        lowest_named = min(baseline, recommended)
        means.append(recommended)
        if data.recommended.bound is not None:
            means.append(data.recommended.bound)
    bottom = min(means)
    if data.margin is not None:
        bottom = max(bottom, lowest_named - DEEPEST * data.margin)
        bottom = min(bottom, baseline - 1.5 * data.margin)
    low, high = roomy([bottom, max(means)], 0.08)
    largest = 104.0
    for point in points:
        if point.mean >= low:
            largest = max(largest, point.share)
    return _Axes(number("share", data.size, (0, largest)), number("mean", data.measure, (low, high)))


def _area(axes: _Axes, width: float, height: float) -> Area:
    shares = axes.size["scale"]["domain"]
    means = axes.mean["scale"]["domain"]
    return Area(tuple(shares), tuple(means), width - BESIDE_AREA, height)


def _levels(data: ChartData, axes: _Axes, marks: Marks) -> list[Spec]:
    """Return the lines of baseline and margin, and the marks of the baseline and of the recommended variant, with names.

    `marks` has the points and lines of all other variants.
    """
    x = axes.size
    y = axes.mean
    baseline = asdict(data.baseline)
    layers = [
        layer("rule", {"strokeWidth": 1, "opacity": 0.5}, [baseline], y=y),
        layer("point", BASELINE, [baseline], x=x, y=y, description=_label()),
    ]
    marks.add_level(data.baseline.mean)
    marks.add_points([data.baseline], _half(BASELINE["size"]))
    beside = marks.edges(data.baseline, _half(BASELINE["size"]))
    names = [marks.name_of_level("baseline", data.baseline.mean, beside)]
    if data.margin is not None:
        level = data.baseline.mean - data.margin
        layers.append(layer("rule", DASHED, [{"mean": level}], y=y))
        marks.add_level(level)
        names.append(marks.name_of_level(_MARGIN, level))
    if data.recommended:
        point = data.recommended.point
        bound = data.recommended.bound
        layers += _recommended_marks(point, bound, x, y)
        marks.add_points([point], _half(RECOMMENDED["size"]))
        if bound is not None:
            marks.add_bound(point, bound, _BOUND_END / 2)
        names.insert(0, marks.name_of_point("recommended", point, _half(RECOMMENDED["size"])))
    for placed in marks.placed(names):
        layers += _text(placed, marks.area, x, y)
    return layers


def _half(size: float) -> float:
    """Return half the side of the square around a mark of an area, in pixels; a diamond's is the widest."""
    return math.sqrt(size) / 2 + 1


def _recommended_marks(point: ChartPoint, bound: float | None, x: Spec, y: Spec) -> list[Spec]:
    row = {**asdict(point), "bound": bound}
    layers = []
    if bound is not None:
        tick = {"thickness": 2, "size": _BOUND_END, "orient": "horizontal", "color": SERIES[1]}
        layers.append(layer("rule", {"strokeWidth": 2, "stroke": SERIES[1]}, [row], x=x, y=y, y2={"field": "bound"}))
        layers.append(layer("tick", tick, [row], x=x, y={**y, "field": "bound"}))
    layers.append(layer("point", RECOMMENDED, [row], x=x, y=y, description=_label()))
    return layers


def _text(placed: PlacedName, area: Area, x: Spec, y: Spec) -> Iterator[Spec]:
    """Give a name in its place, and its line if it is far from its mark; a halo keeps the grid's lines off the letters."""
    box = placed.box
    if placed.line:
        begin = area.values(placed.line.begin)
        end = area.values(placed.line.end)
        row = {"share": begin.share, "mean": begin.mean, "share2": end.share, "mean2": end.mean}
        yield layer("rule", _LEADER, [row], x=x, y=y, x2={"field": "share2"}, y2={"field": "mean2"})
    middle = area.values(Place(box.left + placed.side * (box.right - box.left), box.middle.y))
    look = {"align": _ALIGNS[placed.side], "baseline": "middle"}
    if placed.name.text == _MARGIN:
        look["fill"] = LOSS
    for halo in (HALO, {}):
        row = {"share": middle.share, "mean": middle.mean}
        yield layer("text", {**look, **halo}, [row], x=x, y=y, text={"value": placed.name.text})

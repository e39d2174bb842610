"""Charts as Vega-Lite specifications: pure functions of rows.

Reports embed them, `thresher.reports.drawing` makes files of them. Colours are variables of the reports' style sheet, which
follows a light or dark page. Rows of variants are those of `thresher.reports.chart_rows`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from thresher.reports.formatting import CUTOFF, WIDE, cutoff_label
from thresher.reports.table import spread

Spec = dict[str, Any]
Row = Mapping[str, Any]

INK, SOFT, GROUND, LOSS = "currentColor", "var(--soft)", "var(--ground)", "var(--worse)"
SERIES = tuple(f"var(--series-{number})" for number in range(6))
DASHES = ((1, 0), (5, 3), (2, 2), (8, 3, 2, 3))
LOOK: Spec = {
    "background": "transparent",
    "font": "system-ui, sans-serif",
    "view": {"stroke": None},
    "axis": {
        **{f"{part}Color": INK for part in ("label", "title", "domain", "tick")},
        "gridColor": "var(--line)",
        "tickCount": 5,
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": 500,
        "domainOpacity": 0.5,
        "tickOpacity": 0.5,
    },
    "legend": {"labelColor": INK, "titleColor": INK, "labelFontSize": 12, "labelLimit": 560, "titleFontWeight": 500},
    "title": {"color": INK, "anchor": "start", "frame": "group", "fontSize": 13, "fontWeight": 500},
    "text": {"fill": INK, "fontSize": 12},
    "rule": {"stroke": INK},
}
"""How all charts look."""
DASHED: Spec = {"stroke": LOSS, "strokeDash": [5, 4], "strokeWidth": 1.5}
STEP: Spec = {"interpolate": "step-after", "stroke": SOFT, "strokeWidth": 1.5, "tooltip": None}
BASELINE: Spec = {"shape": "square", "size": 90, "filled": True, "fill": INK, "opacity": 1}
DEEPEST = 8.0
"""Margins below the baseline that a chart shows: how large a larger loss is matters little."""
LEAST = 5.0
"""Percent of the baseline's size: a chart of cutoffs ends where less is left."""
MOST_MARKED = 40
"""Variants of a line that have points of their own where it stands alone: more would run into one."""
_WIDTH = 300
"""Pixels of a page's chart that labels are placed for: those of a phone."""
_NAMED = 8
"""Variants of the front whose names are written at most."""
_ROWS: Spec = {"name": "rows"}
_HELD = {"sweep": "drawn", "family": "best"}


def layer(mark: str, look: Row, rows: Iterable[Row] | None = None, where: str = "", **channels: Any) -> Spec:
    """Return one mark for each row of its own, or of the chart's rows that pass a filter."""
    own: Spec = {} if rows is None else {"data": {"values": list(rows)}}
    kept: Spec = {"transform": [{"filter": where}]} if where else {}
    return {**own, **kept, "mark": {"type": mark, **look}, "encoding": channels}


def number(field: str, title: str | None = None, domain: Sequence[float] | None = None, **more: Any) -> Spec:
    """Return a channel of numbers, whose axis has exactly the given ends."""
    ends = {"scale": {"domain": list(domain), "zero": False, "nice": False}} if domain else {}
    return {"field": field, "type": "quantitative", "title": title, **ends, **more}


def whole(layers: Sequence[Spec], height: int, description: str, **more: Any) -> Spec:
    """Return a chart as wide as its container."""
    fit = {"type": "fit-x", "contains": "padding"}
    return {"width": "container", "height": height, "autosize": fit, "description": description, "layer": layers} | more


def roomy(numbers: Iterable[float], room: float = 0.06) -> tuple[float, float]:
    """Return the lowest and the highest number, each with a share of what is between them as room."""
    known = list(numbers)
    low, high = min(known), max(known)
    room *= (high - low) or abs(high) or 1.0
    return low - room, high + room


def series(field: str, names: Sequence[str], legend: bool = False) -> dict[str, Spec]:
    """Return the channels by which lines differ, also for those who see no colours; a legend has as many columns as fit."""
    columns = max(1, min(3, _SIGNS // max([1, *(4 + len(name) for name in names)])))
    below = {"orient": "bottom", "columns": columns, "symbolType": "stroke", "symbolSize": 300, "symbolStrokeWidth": 2}
    look = {**below, "title": None} if legend and names else None

    def channel(kinds: Sequence[Any], each: int = 1) -> Spec:
        scale = {"domain": list(names), "range": [kinds[at // each % len(kinds)] for at in range(len(names))]}
        return {"field": field, "type": "nominal", "legend": look, "scale": scale}

    return {"color": channel(SERIES), "strokeDash": channel(DASHES, len(SERIES))}


_SIGNS = 90
"""Characters of a legend's row."""
_SPOTS = tuple(
    (dx, dy, align)
    for far in (9, 25)
    for dx, dy, align in (
        *((11, -far, "left"), (11, far + 1, "left"), (-11, -far, "right"), (-11, far + 1, "right")),
        *((0, -far - 8, "center"), (0, far + 9, "center")),
    )
)
"""Where a label may be, in pixels from its point, the most readable first."""
_BEFORE = {"left": 0.0, "center": 0.5, "right": 1.0}


def placed(
    labels: Iterable[Row], points: Iterable[tuple[float, float]], x: Spec, y: Spec, size: tuple[int, int]
) -> list[Row]:
    """Return labels at the first free spots near their points; without those that have none.

    Args:
        labels: the most important first, each with its `label` and the fields of both axes; a `needed` one may cover points.
        points: what labels should not cover.
        x, y: the channels, whose ends are known.
        size: of the inside, in pixels.
    """
    (left, right), (bottom, top) = x["scale"]["domain"], y["scale"]["domain"]

    def box(at: tuple[float, float], spot: tuple[int, int, str], length: float, half: float) -> list[float]:
        dx, dy, align = spot
        start = (at[0] - left) / (right - left) * size[0] + dx - _BEFORE[align] * length
        middle = (top - at[1]) / (top - bottom) * size[1] + dy
        return [start, middle - half, start + length, middle + half]

    def covered(one: list[float]) -> int:
        inside = min(one) >= 0 and one[2] <= size[0] and one[3] <= size[1]
        hit = [one[0] < it[2] and it[0] < one[2] and one[1] < it[3] and it[1] < one[3] for it in (*dots, *taken)]
        return sum(hit[: len(dots)]) + _NEVER * (sum(hit[len(dots) :]) + (not inside))

    dots, taken = [box(point, (0, 0, "center"), 8, 4) for point in points], list[list[float]]()
    found: list[Row] = []
    for label in labels:
        length, at = 6.6 * len(label["label"]), (label[x["field"]], label[y["field"]])
        boxes = [box(at, spot, length, 7) for spot in _SPOTS]
        worst, best = min((covered(one), number) for number, one in enumerate(boxes))
        if worst == 0 or (label.get("needed") and worst < _NEVER):
            taken.append(boxes[best])
            found.append({**label, **dict(zip(("dx", "dy", "align"), _SPOTS[best], strict=True))})
    return found


_NEVER = 10**6


def written(labels: Sequence[Row], x: Spec, y: Spec) -> list[Spec]:
    """Return placed labels as layers, with the ground's colour around them, so that lines do not cross them."""
    look: Spec = {name: {"expr": f"datum.{name}"} for name in ("dx", "dy", "align")}
    look |= {"baseline": "middle", "fill": {"expr": "datum.fill"}, "tooltip": None}
    halo = {"stroke": GROUND, "strokeWidth": 4, "strokeJoin": "round"}
    text = {"field": "label", "type": "nominal"}
    rows = [{"fill": INK, **label} for label in labels]
    return [layer("text", {**look, **more}, rows, x=x, y=y, text=text) for more in (halo, {}) if rows]


@dataclass(frozen=True)
class Variants:
    """The variants of a retrieval model as charts and pages read them.

    Args:
        name: the retrieval model's.
        measures: headers, the main measure first.
        base, held: the baseline's means, by measure, on the topics and on held-out ones.
        size: what sizes are.
        margin: the largest accepted loss; None where nothing was chosen.
        rows: see `thresher.reports.chart_rows`.
    """

    name: str
    measures: tuple[str, ...]
    base: tuple[float | None, ...]
    held: tuple[float | None, ...]
    size: str
    margin: float | None
    rows: tuple[Row, ...]

    @property
    def baseline(self) -> Row:
        """The baseline's row."""
        return {"name": "none", "share": 100, "mean": self.base[0] or 0.0, "difference": 0}


_BOUNDS = ("low", "high", "bound")


def on_held_out(model: Variants) -> Variants:
    """Return the same variants with their main measure on the held-out topics."""
    base = model.held[0] or 0.0
    rows = (
        {**row, "mean": mean, "difference": None if mean is None else mean - base, **dict.fromkeys(_BOUNDS)}
        for row in model.rows
        for mean in row["held"][:1]
    )
    header = f"{model.measures[0]}, held-out topics"
    return replace(model, measures=(header, *model.measures[1:]), base=model.held, rows=tuple(rows))


def frontier(model: Variants, height: int = 500) -> Spec:
    """Return index size against the main measure: the Pareto front, and what is recommended with its bound.

    Baseline and margin are lines. The bound reaches down from what is recommended: it is shown if that ends above the margin.
    """
    rows = [row for row in model.rows if row["front"] or row["recommended"]]
    x, y, low = _axes(model, rows)
    front = sorted((row for row in rows if row["front"] and row["mean"] >= low), key=lambda row: row["size"])
    lines, marks, labels = _levels(model, x, y)
    labels += [{**one, "label": "frontier", "fill": SOFT} for one in front[len(front) // 2 :][:1]]
    layers = [
        layer("line", STEP, front, x=x, y=y),
        layer(
            "circle", {"size": 55, "opacity": 1}, front, x=x, y=y, color={"value": SERIES[0]}, tooltip=_tooltip(model)
        ),
        *lines,
        *marks,
        *written(placed(labels, map(_point, front), x, y, (_WIDTH, height)), x, y),
    ]
    return whole(layers, height, f"{model.size} against {model.measures[0]}: the frontier of all variants")


def overview(model: Variants, field: str = "sweep", height: int = 420, legend: bool = False) -> Spec:
    """Return index size against the main measure for all variants, or for the best of each family: a line for each `field`.

    Pages show those of `leading` first, let readers choose others, and pin variants. With a legend it stands alone: the
    front is drawn and named, and lines of many variants have no points.
    """
    shown = [row for row in model.rows if row[_HELD[field]]]
    x, y, low = _axes(model, shown)
    first = leading(model) if field == "sweep" and not legend else []
    kinds = series(field, list(dict.fromkeys([*first, *(row[field] for row in shown)])), legend)
    lines, marks, labels = _levels(model, x, y)
    inside = [row for row in shown if row["mean"] is not None and row["mean"] >= low]
    front = sorted((row for row in inside if row["front"]), key=lambda row: row["size"])
    front = front if legend and field == "sweep" else []
    labels += [{**front[index], "label": front[index]["name"]} for index in spread(len(front), _NAMED)]
    drawn = f"datum.{_HELD[field]}"
    above = f"{drawn} && datum.mean >= {low}{' && datum.marked' if legend else ''}"
    look = {"strokeWidth": 1.5, "clip": True, "interpolate": "linear" if field == "sweep" else "step-after"}
    near = {"name": "near", "select": {"type": "point", "on": "pointerover", "nearest": True, "clear": "pointerout"}}
    pinned = "indexof(pinned, datum.name) >= 0"
    sizes = [{"test": pinned, "value": 220}, {"param": "near", "empty": False, "value": 130}]
    channels: Spec = {"x": x, "y": y, "color": kinds["color"]}

    def dimmed(shown: float, hidden: float, more: str = "") -> Spec:
        test = f"indexof(shown, datum.{field}) >= 0{more}"
        return {"condition": {"test": test, "value": shown}, "value": hidden if first else shown}

    layers = [
        *lines,
        layer(
            "line",
            look,
            # The best of a family may be of no sweep.
            where=drawn if field == "family" else f"{drawn} && datum.line",
            **channels,
            strokeDash=kinds["strokeDash"],
            # Exact: shares are rounded, and of two that are then equal the line must end at the larger.
            order={"field": "size"},
            opacity=dimmed(0.9, 0.06),
        ),
        *([layer("line", STEP, front, x=x, y=y)] if front else []),
        {"params": [near]}
        | layer(
            "circle",
            {"cursor": "pointer"},
            where=above,
            **channels,
            size={"value": 20, "condition": sizes},
            opacity=dimmed(0.85, 0.04, f" || {pinned}"),
            tooltip=_tooltip(model),
        ),
        *marks,
        *written(
            placed(labels, [_point(row) for row in inside if row["marked"]], x, y, (560 if legend else _WIDTH, height)),
            x,
            y,
        ),
    ]
    params = [{"name": "shown", "value": first}, {"name": "pinned", "value": []}]
    description = f"{model.size} against {model.measures[0]}: a line for each {field}"
    return whole(layers, height, description, params=params, data=_ROWS)


def leading(model: Variants) -> list[str]:
    """Return the sweeps that matter most, at least one: that of what is recommended, and of each family the one with the most
    variants that none of the family beats.
    """
    families: dict[str, Counter[str]] = {}
    for row in model.rows:
        families.setdefault(row["family"], Counter())[row["sweep"]] += row["best"]
    recommended = [row["sweep"] for row in _chosen(model.rows)]
    return list(dict.fromkeys([*recommended, *(max(of, key=of.__getitem__) for of in families.values())]))


def _axes(model: Variants, rows: Sequence[Row]) -> tuple[Spec, Spec, float]:
    """Return the axes of size and mean, and where the latter begins: at most `DEEPEST` margins below what must be seen."""
    base = model.baseline["mean"]
    means = [base, *(row["mean"] for row in rows if row["mean"] is not None)]
    means += [base + row["bound"] for row in rows if row["recommended"] and row["bound"] is not None]
    bottom = min(means)
    if model.margin is not None:
        least = min([base, *(row["mean"] for row in rows if row["recommended"])])
        bottom = min(max(bottom, least - DEEPEST * model.margin), base - 1.5 * model.margin)
    low, high = roomy([bottom, max(means)], 0.08)
    sizes = [row["share"] for row in rows if row["mean"] is not None and row["mean"] >= low]
    x = number("share", f"{model.size}, % of the baseline's", (0, max([104.0, *sizes])))
    return x, number("mean", model.measures[0], (low, high)), low


def _levels(model: Variants, x: Spec, y: Spec) -> tuple[list[Spec], list[Spec], list[Row]]:
    """Return the lines of baseline and margin, the marks of the baseline and what is recommended, and the labels of all."""
    base = model.baseline
    lines = [layer("rule", {"strokeWidth": 1, "opacity": 0.5}, [base], y=y)]
    marks = [layer("point", BASELINE, [base], x=x, y=y, tooltip=_tooltip(model))]
    labels: list[Row] = [{**base, "label": "baseline", "needed": True}]
    if model.margin is not None:
        level = {"share": 0, "mean": base["mean"] - model.margin}
        lines.append(layer("rule", DASHED, [level], y=y))
        labels.append({**level, "label": "margin", "needed": True, "fill": DASHED["stroke"]})
    chosen = _chosen(model.rows)
    if chosen:
        diamond = {**BASELINE, "shape": "diamond", "size": 240, "fill": SERIES[1]}
        bounded = [{**row, "end": base["mean"] + row["bound"]} for row in chosen if row["bound"] is not None]
        end = {**y, "field": "end"}
        if bounded:
            marks.append(layer("rule", {"strokeWidth": 2, "stroke": SERIES[1]}, bounded, x=x, y=y, y2={"field": "end"}))
            tick = {"thickness": 2, "size": 14, "orient": "horizontal", "color": SERIES[1]}
            marks.append(layer("tick", tick, bounded, x=x, y=end))
        marks.append(layer("point", diamond, chosen, x=x, y=y, tooltip=_tooltip(model)))
        labels.insert(0, {**chosen[0], "label": "recommended", "needed": True})
    return lines, marks, labels


def _chosen(rows: Sequence[Row]) -> list[Row]:
    return [row for row in rows if row["recommended"]]


def _tooltip(model: Variants) -> list[Spec]:
    """Return the fields that a tooltip shows of a point."""
    return [
        {"field": "name", "title": "variant"},
        number("share", f"{model.size}, %", format=".1f"),
        number("mean", model.measures[0], format=".4f"),
        number("difference", "difference", format="+.4f"),
    ]


def _point(row: Row) -> tuple[float, float]:
    return row["share"], row["mean"]


def cutoffs(model: Variants, sweep: str, height: int = 220) -> Spec:
    """Return panels over the variants of a sweep: the difference from the baseline with its bounds, other measures, size.

    They stand by cutoff, or by size where they have none. Pages mark the one that is read, whose number is `step`.
    """
    rows = [row for row in model.rows if row["sweep"] == sweep]
    swept, label = rows[0]["cutoff"] is not None, cutoff_label(sweep)
    shown = [row["at"] for row in rows if row["share"] >= LEAST or row["recommended"]]
    first, last = (end(shown if len(shown) > 1 else [row["at"] for row in rows]) for end in (min, max))
    wide = swept and label == CUTOFF and first > 0 and last > WIDE * first
    below = number("at", label if swept else f"{model.size}, % of the baseline's", **_cutoff_axis(first, last, wide))
    x = {**below, "title": None, "axis": {**below["axis"], "labels": False, "ticks": False}}
    drawn = "datum.kept"
    mark, area = ("line", "area") if swept else ("circle", "rule")
    hover = _tooltip(model)

    def look(**colour: str) -> Spec:
        points = {"point": {"size": 20, **colour}} if swept and len(rows) <= MOST_MARKED else {}
        return {**colour, **points, "clip": True}

    def here(x: Spec, y: Spec) -> list[Spec]:
        dot = {"size": 90, "fill": SERIES[1], "opacity": 1, "clip": True}
        rule = layer("rule", {"strokeDash": [2, 2], "clip": True}, where="datum.step === step", x=x)
        return [rule, {"name": f"here_{y['field']}", **layer("circle", dot, where="datum.step === step", x=x, y=y)}]

    known = [row[end] for row in rows for end in ("low", "high", "difference") if row[end] is not None]
    low, high = min([0.0, *known]), max([0.0, *known])
    margin = [] if model.margin is None else [{"difference": -model.margin}]
    if model.margin is not None:
        low = max(-DEEPEST * model.margin, min(-1.5 * model.margin, low))
    y = number("difference", f"difference in {model.measures[0]}", (low, roomy([low, high])[1]))
    band = {"clip": True} | ({"opacity": 0.16, "fill": SERIES[0]} if swept else {"opacity": 0.12})
    diamond = {**BASELINE, "shape": "diamond", "size": 160, "fill": SERIES[1], "clip": True}
    left = {"align": "left", "dx": 4, "dy": -7, "fill": DASHED["stroke"]}
    difference = [
        layer(area, band, where=drawn, x=x, y={**y, "field": "low"}, y2={"field": "high"}),
        layer("rule", {"opacity": 0.6}, [{"difference": 0}], y=y),
        layer("rule", DASHED, margin, y=y),
        layer("text", left, margin, x={"value": 0}, y=y, text={"value": "margin"}),
        layer(mark, look(color=SERIES[0]), where=drawn, x=x, y=y, tooltip=hover),
        layer("point", diamond, where="datum.recommended", x=x, y=y, tooltip=hover),
        layer("text", {"dy": -14}, where="datum.recommended", x=x, y=y, text={"value": "recommended"}),
        *here(x, y),
    ]
    others = [place for place, mean in enumerate(model.base) if place and mean]
    names = [model.measures[place] for place in others]
    colours = {"domain": names, "range": [SERIES[(place + 2) % len(SERIES)] for place in range(len(names))]}
    legend = {"orient": "top", "direction": "horizontal", "columns": 4, "title": None, "offset": 4}
    ratio = number("ratio", "others, %", scale={"zero": False})
    ratios = [
        layer(mark, look(), where=drawn, x=x, y=ratio, color={"datum": name, "scale": colours, "legend": legend})
        for name in names
    ]
    for one, place in zip(ratios, others, strict=True):
        share = f"100 * datum.means[{place}] / {model.base[place]}"
        one["transform"].append({"calculate": share, "as": "ratio"})
    size = number("share", "size, %", (0, max([105.0, *(row["share"] for row in rows)])))
    sizes = [layer(mark, look(color=SERIES[2]), where=drawn, x=below, y=size, tooltip=hover), *here(below, size)]
    panels = [(height, difference), (height // 2, ratios), (height // 2, sizes)]
    return {
        "data": _ROWS,
        "params": [{"name": "step", "value": -1}],
        "description": f"{sweep}: difference from the baseline, other measures and index size",
        "spacing": 14,
        "resolve": {"legend": {"color": "independent"}},
        "vconcat": [{"width": "container", "height": tall, "layer": layers} for tall, layers in panels if layers],
    }


def _cutoff_axis(first: float, last: float, log: bool) -> Spec:
    if not log:
        return {"scale": {"domain": [first, last], "nice": False, "zero": False}, "axis": {}}
    powers = range(math.floor(math.log10(first)), math.ceil(math.log10(last)) + 1)
    steps = (1, 2, 5) if len(powers) < _DECADES else (1,)
    ticks = [step * 10.0**power for power in powers for step in steps if first <= step * 10.0**power <= last]
    return {
        "scale": {"type": "log", "domain": [first, last], "nice": False},
        "axis": {"values": ticks, "format": "~s" if last >= 1000 else "~g"},
    }


_DECADES = 5
"""From so many on a logarithmic axis has ticks at powers of ten alone."""


def topics(measure: str, height: int = 200, ends: tuple[float, float] | None = None) -> Spec:
    """Return each topic's difference, from the most gained to the most lost; `ends` are those of figures to be compared."""
    rank = {"field": "rank", "type": "ordinal", "title": "topics, from most gained to most lost"}
    said = [{"field": "topic"}, {"field": "query"}, *(number(name, name.upper(), format=".4f") for name in "ab")]
    bars = layer(
        "bar",
        {},
        x={**rank, "axis": {"labels": False, "ticks": False}, "scale": {"paddingInner": 0.1}},
        y=number("difference", f"difference in {measure}", ends),
        color={"condition": {"test": "datum.difference < 0", "value": SERIES[1]}, "value": SERIES[0]},
        tooltip=[*said, number("difference", format="+.4f")],
    )
    return whole([bars], height, f"Topics by difference in {measure}", data=_ROWS)

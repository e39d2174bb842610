"""Charts of variants: all of them or the best against size, one sweep by cutoff; and of topics."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from thresher.reports.charts import (
    BASELINE,
    DASHED,
    SERIES,
    SOFT,
    STEP,
    Row,
    Spec,
    layer,
    number,
    placed,
    roomy,
    series,
    whole,
    written,
)
from thresher.reports.formatting import CUTOFF, WIDE, cutoff_label
from thresher.reports.variant_tables import spread

DEEPEST = 8.0
"""Margins below the baseline that a chart shows: how large a larger loss is matters little."""
MOST_POINTS = 150
"""Of a line, besides those on the front: more cannot be seen, and make a chart slow."""
MOST_MARKED = 40
"""Variants of a line that have points of their own where it stands alone: more would run into one."""
_WIDTH = 300
"""Pixels of a page's chart that labels are placed for: those of a phone."""
_NAMED = 8
"""Variants of the front whose names are written at most."""
_ROWS: Spec = {"name": "rows"}
_HELD = {"sweep": "drawn", "family": "best"}


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


def on_held_out(model: Variants) -> Variants:
    """Return the same variants with their main measure on the held-out topics."""
    base = model.held[0] or 0.0
    rows = (
        {**row, "mean": mean, "difference": None if mean is None else mean - base, "low": None, "high": None}
        for row in model.rows
        for mean in row["held"][:1]
    )
    header = f"{model.measures[0]}, held-out topics"
    return replace(model, measures=(header, *model.measures[1:]), base=model.held, rows=tuple(rows))


def thinned(count: int) -> int:
    """Return of how many variants of a sweep one is drawn."""
    return max(1, math.ceil(count / MOST_POINTS))


def frontier(model: Variants, height: int = 500) -> Spec:
    """Return index size against the main measure: the Pareto front, the baseline, the margin, and what is recommended."""
    rows = [row for row in model.rows if row["front"] or row["recommended"]]
    x, y, low = _axes(model, rows)
    front = sorted((row for row in rows if row["front"] and row["mean"] >= low), key=lambda row: row["share"])
    lines, marks, labels = _levels(model, x, y)
    labels += [{**one, "label": "frontier", "fill": SOFT} for one in front[len(front) // 2 :][:1]]
    layers = [
        layer("line", STEP, front, x=x, y=y),
        layer("circle", {"size": 55, "fill": SERIES[0], "opacity": 1}, front, x=x, y=y, tooltip=_tooltip(model)),
        *lines,
        *marks,
        *written(placed(labels, map(_point, front), x, y, (_WIDTH, height)), x, y),
    ]
    return whole(layers, height, f"{model.size} against {model.measures[0]}: the frontier of all variants")


def overview(model: Variants, field: str = "sweep", height: int = 420, legend: bool = False) -> Spec:
    """Return index size against the main measure for all variants, or for the best of each family: a line for each `field`.

    Pages let readers isolate one, and pin variants. With a legend it stands alone: the front is drawn and named, and lines of
    many variants have no points.
    """
    shown = [row for row in model.rows if row[_HELD[field]]]
    x, y, low = _axes(model, shown)
    kinds = series(field, list(dict.fromkeys(row[field] for row in shown)), legend)
    lines, marks, labels = _levels(model, x, y)
    inside = [row for row in shown if row["mean"] is not None and row["mean"] >= low]
    front = sorted((row for row in inside if row["front"]), key=lambda row: row["share"])
    front = front if legend and field == "sweep" else []
    labels += [{**front[index], "label": front[index]["name"]} for index in spread(len(front), _NAMED)]
    drawn = f"datum.{_HELD[field]}"
    above = f"{drawn} && datum.mean >= {low}{' && datum.marked' if legend else ''}"
    look = {"strokeWidth": 1.5, "clip": True, "interpolate": "linear" if field == "sweep" else "step-after"}
    near = {"name": "near", "select": {"type": "point", "on": "pointerover", "nearest": True, "clear": "pointerout"}}
    sizes = [
        {"test": "indexof(pinned, datum.name) >= 0", "value": 220},
        {"param": "near", "empty": False, "value": 130},
    ]
    channels: Spec = {"x": x, "y": y, "color": kinds["color"]}

    def dimmed(shown: float, hidden: float) -> Spec:
        test = f"isolated === null || datum.{field} === isolated"
        return {"condition": {"test": test, "value": shown}, "value": hidden}

    layers = [
        *lines,
        layer(
            "line",
            look,
            where=f"{drawn} && datum.line",
            **channels,
            strokeDash=kinds["strokeDash"],
            order={"field": "share"},
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
            opacity=dimmed(0.85, 0.04),
            tooltip=_tooltip(model),
        ),
        *marks,
        *written(
            placed(labels, [_point(row) for row in inside if row["marked"]], x, y, (560 if legend else _WIDTH, height)),
            x,
            y,
        ),
    ]
    params = [{"name": "isolated", "value": None}, {"name": "pinned", "value": []}]
    description = f"{model.size} against {model.measures[0]}: a line for each {field}"
    return whole(layers, height, description, params=params, data=_ROWS)


def _axes(model: Variants, rows: Sequence[Row]) -> tuple[Spec, Spec, float]:
    """Return the axes of size and mean, and where the latter begins: at most `DEEPEST` margins below what must be seen."""
    base = model.baseline["mean"]
    means = [base, *(row["mean"] for row in rows if row["mean"] is not None)]
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
    base, hover = model.baseline, _tooltip(model)
    lines = [layer("rule", {"strokeWidth": 1, "opacity": 0.5}, [base], y=y)]
    marks = [layer("point", BASELINE, [base], x=x, y=y, tooltip=hover)]
    labels: list[Row] = [{**base, "label": "baseline", "needed": True}]
    if model.margin is not None:
        level = {"share": 0, "mean": base["mean"] - model.margin}
        lines.append(layer("rule", DASHED, [level], y=y))
        labels.append({**level, "label": "margin", "needed": True, "fill": DASHED["stroke"]})
    chosen = _chosen(model.rows)
    if chosen:
        diamond = {**BASELINE, "shape": "diamond", "size": 240, "fill": SERIES[1]}
        marks.append(layer("point", diamond, chosen, x=x, y=y, tooltip=hover))
        labels.insert(0, {**chosen[0], "label": "recommended", "needed": True})
    return lines, marks, labels


def _chosen(rows: Sequence[Row]) -> list[Row]:
    return [row for row in rows if row["recommended"]]


def _tooltip(model: Variants) -> list[Spec]:
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
    first, last = min(row["at"] for row in rows), max(row["at"] for row in rows)
    wide = swept and label == CUTOFF and first > 0 and last > WIDE * first
    below = number("at", label if swept else f"{model.size}, % of the baseline's", **_cutoff_axis(first, last, wide))
    x = {**below, "title": None, "axis": {**below["axis"], "labels": False, "ticks": False}}
    drawn = f"datum.step % {thinned(len(rows))} === 0 || datum.front || datum.recommended"
    mark, area = ("line", "area") if swept else ("circle", "rule")
    look = {"point": {"size": 20}} if swept and len(rows) <= MOST_MARKED else {}
    hover = _tooltip(model)

    def here(x: Spec, y: Spec) -> list[Spec]:
        dot = {"size": 90, "fill": SERIES[1], "opacity": 1, "clip": True}
        rule = layer("rule", {"strokeDash": [2, 2]}, where="datum.step === step", x=x)
        return [rule, {"name": f"here-{y['field']}", **layer("circle", dot, where="datum.step === step", x=x, y=y)}]

    known = [row[end] for row in rows for end in ("low", "high", "difference") if row[end] is not None]
    low, high = min([0.0, *known]), max([0.0, *known])
    margin = [] if model.margin is None else [{"difference": -model.margin}]
    if model.margin is not None:
        low = max(-DEEPEST * model.margin, min(-1.5 * model.margin, low))
    y = number("difference", f"difference in {model.measures[0]}", (low, high))
    band = {"clip": True} | ({"opacity": 0.16, "fill": SERIES[0]} if swept else {"opacity": 0.12})
    diamond = {**BASELINE, "shape": "diamond", "size": 160, "fill": SERIES[1], "clip": True}
    left = {"align": "left", "dx": 4, "dy": -7, "fill": DASHED["stroke"]}
    difference = [
        layer(area, band, where=drawn, x=x, y={**y, "field": "low"}, y2={"field": "high"}),
        layer("rule", {"opacity": 0.6}, [{"difference": 0}], y=y),
        layer("rule", DASHED, margin, y=y),
        layer("text", left, margin, x={"value": 0}, y=y, text={"value": "margin"}),
        layer(mark, {**look, "color": SERIES[0], "clip": True}, where=drawn, x=x, y=y, tooltip=hover),
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
        layer(mark, look, where=drawn, x=x, y=ratio, color={"datum": name, "scale": colours, "legend": legend})
        for name in names
    ]
    for one, place in zip(ratios, others, strict=True):
        share = f"100 * datum.means[{place}] / {model.base[place]}"
        one["transform"].append({"calculate": share, "as": "ratio"})
    size = number("share", "size, %", (0, max([105.0, *(row["share"] for row in rows)])))
    sizes = [layer(mark, {**look, "color": SERIES[2]}, where=drawn, x=below, y=size, tooltip=hover), *here(below, size)]
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

"""Parts of charts: Vega-Lite specifications as pure functions of rows.

Reports embed charts, `thresher.reports.drawing` makes files of them. Colours are variables of the reports' style sheet, which
follows a light or dark page.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

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
    "title": {
        "color": INK,
        "subtitleColor": INK,
        "anchor": "start",
        "frame": "group",
        "fontSize": 13,
        "fontWeight": 500,
    },
    "text": {"fill": INK, "fontSize": 12},
    "rule": {"stroke": INK},
}
"""How all charts look."""
DASHED: Spec = {"stroke": LOSS, "strokeDash": [5, 4], "strokeWidth": 1.5}
STEP: Spec = {"interpolate": "step-after", "stroke": SOFT, "strokeWidth": 1.5, "tooltip": None}
BASELINE: Spec = {"shape": "square", "size": 90, "filled": True, "fill": INK, "opacity": 1}


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
    """Return labels at the first free spots near their points, without those that have none.

    Args:
        labels: the most important first, each with its `label` and the fields of both axes; a `needed` one is never left out.
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

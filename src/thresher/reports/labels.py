"""Labels beside points that cover neither each other nor the points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Bbox
from numpy.typing import NDArray

_OFFSETS = (
    (6, -6, "left", "top"),
    (6, 6, "left", "bottom"),
    (-6, 6, "right", "bottom"),
    (-6, -6, "right", "top"),
    (0, 9, "center", "bottom"),
    (0, -9, "center", "top"),
    (14, -16, "left", "top"),
    (-14, 16, "right", "bottom"),
    (14, 18, "left", "bottom"),
    (-14, -18, "right", "top"),
    (24, -30, "left", "top"),
    (-24, 30, "right", "bottom"),
)
"""Where a label may stand from its point, in points, the most readable places first."""

_RADIUS = 4.0


def place_labels(
    figure: Figure,
    axes: Axes,
    labels: Sequence[tuple[float, float, str]],
    points: Sequence[tuple[float, float]],
    fontsize: float = 8.0,
) -> int:
    """Write each label at the first free place near its point, or leave it out; return how many were written.

    Args:
        figure: the figure; it is laid out first, for places are measured in its pixels.
        axes: the axes of `labels` and `points`.
        labels: (x, y, text) in data coordinates, the most important first.
        points: (x, y) of all that labels must not cover.
        fontsize: in points.
    """
    canvas: Any = FigureCanvasAgg(figure)
    figure.draw_without_rendering()
    renderer = canvas.get_renderer()
    frame = axes.get_window_extent(renderer)
    radius = _RADIUS * figure.dpi / 72
    taken = [_around(axes.transData.transform(point), radius) for point in points]
    written = 0
    for x, y, text in labels:
        for right, up, across, along in _OFFSETS:
            far = abs(right) > 10
            label = axes.annotate(
                text,
                (x, y),
                xytext=(right, up),
                textcoords="offset points",
                ha=across,
                va=along,
                fontsize=fontsize,
                arrowprops={"arrowstyle": "-", "linewidth": 0.5, "shrinkB": 3, "alpha": 0.6} if far else None,
            )
            label.update_positions(renderer)
            box = Text.get_window_extent(label, renderer)  # of the text alone, without its line
            inside = frame.x0 <= box.x0 and box.x1 <= frame.x1 and frame.y0 <= box.y0 and box.y1 <= frame.y1
            if inside and not any(box.overlaps(other) for other in taken):
                taken.append(box)
                written += 1
                break
            label.remove()
    return written


def _around(place: NDArray[np.float64], radius: float) -> Bbox:
    x, y = float(place[0]), float(place[1])
    return Bbox.from_extents(x - radius, y - radius, x + radius, y + radius)

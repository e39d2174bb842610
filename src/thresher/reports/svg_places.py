"""Where points of a plot are in its SVG, for what a page draws on top of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

POINTS = 72.0
"""Units of an SVG's viewBox in an inch of the figure."""


@dataclass(frozen=True)
class Frame:
    """An area of a plot in the units of its SVG, y downwards."""

    left: float
    top: float
    right: float
    bottom: float


def svg_size(figure: Figure) -> tuple[float, float]:
    """Return the width and height of a figure's viewBox."""
    width, height = figure.get_size_inches()
    return float(width * POINTS), float(height * POINTS)


def frame_of(figure: Figure, axes: Axes) -> Frame:
    """Return where the axes are. The figure must have been written before: that is when it is laid out."""
    width, height = svg_size(figure)
    box = axes.get_position()
    return Frame(box.x0 * width, (1 - box.y1) * height, box.x1 * width, (1 - box.y0) * height)


def svg_places(figure: Figure, axes: Axes, x: Sequence[float], y: Sequence[float]) -> tuple[tuple[float, float], ...]:
    """Return where points of data are, those outside the axes at their edge.

    Args:
        figure: written before, see `frame_of`.
        axes: of the points.
        x, y: as many of either.
    """
    width, height = svg_size(figure)
    # In shares of the figure, so that the resolution it was written in does not matter.
    to_figure = axes.transData + figure.transFigure.inverted()
    shares = to_figure.transform(np.column_stack([x, y]))
    frame = frame_of(figure, axes)
    across = np.clip(shares[:, 0] * width, frame.left, frame.right)
    down = np.clip((1 - shares[:, 1]) * height, frame.top, frame.bottom)
    return tuple(zip(across.tolist(), down.tolist(), strict=True))

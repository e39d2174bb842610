"""How plots look and how they become files: colours that differ for everyone, the same bytes every time."""

from __future__ import annotations

import html
import io
import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, MaxNLocator, NullLocator
from matplotlib.transforms import Bbox
from numpy.typing import NDArray

from thresher.errors import InputError
from thresher.files import atomic_path
from thresher.reports.formatting import CUTOFF, MINUS, WIDE, short_number

INK = "#1f2429"
"""Text, axes and the baseline; a page may replace it by its own text colour."""
GAIN, LOSS = "#2a78b5", "#c25a12"
SERIES = ("#2a78b5", "#c25a12", "#17876a", "#9c5aa5", "#8a7a00", "#c23b5a")
"""At least 3:1 against white and against near-black; markers and line styles repeat what the colours say."""
MARKERS = ("o", "s", "^", "D", "v", "P")
_LEGEND_SIGNS = 70  # characters of a legend's row that fit below a plot

_SETTINGS: dict[Any, Any] = {
    "font.family": ["sans-serif"],
    "font.sans-serif": ["DejaVu Sans"],  # comes with matplotlib: measures are the same on every machine
    "font.size": 9.0,
    "axes.titlesize": 10.0,
    "axes.titlelocation": "left",
    "axes.titleweight": "bold",
    "axes.labelsize": 9.0,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.linewidth": 0.7,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.unicode_minus": True,
    "text.color": INK,
    "text.parse_math": False,  # a dollar sign in a topic or a name is a dollar sign
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.labelsize": 8.0,
    "ytick.labelsize": 8.0,
    "legend.fontsize": 8.0,
    "legend.frameon": False,
    "lines.linewidth": 1.5,
    "lines.markersize": 4.5,
    "svg.fonttype": "none",  # text stays text: it can be searched, read aloud, and shown in any script
    "svg.hashsalt": "thresher",
    "path.simplify": False,
}


@contextmanager
def style() -> Iterator[None]:
    """Apply the settings inside the block only; say nothing of characters that the measuring font lacks."""
    with matplotlib.rc_context(_SETTINGS), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        yield


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure of that many inches; call it inside `style`."""
    return Figure(figsize=(width, height), layout="constrained")


def light_grid(axes: Axes) -> None:
    """Draw faint horizontal lines behind the data."""
    axes.set_axisbelow(True)
    axes.grid(axis="y", color=INK, alpha=0.13, linewidth=0.6)


def of_series(number: int) -> dict[str, Any]:
    """Return the colour and the marker of a series, by its number from 0."""
    return {"color": SERIES[number % len(SERIES)], "marker": MARKERS[number % len(MARKERS)]}


def star(axes: Axes, x: float, y: float, label: str = "baseline", **kind: Any) -> None:
    """Mark the baseline."""
    axes.plot([x], [y], color=INK, marker="*", markersize=10, linewidth=0, label=label, **kind)


def write_above(axes: Axes, text: str, height: float = 1.04) -> None:
    """Write a line between the title, which wants a pad of 17, and the axes."""
    axes.text(0, height, text, transform=axes.transAxes, ha="left", va="bottom", fontsize=8)


def signed_ticks(axes: Axes, most: int) -> None:
    """Let the y axis have at most that many ticks, with signs."""
    axes.yaxis.set_major_locator(MaxNLocator(nbins=most))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: _signed_tick(value)))


def _signed_tick(value: float) -> str:
    return "0" if abs(value) < 1e-9 else f"{value:+.4g}".replace("-", MINUS)


def columns_of(labels: Sequence[str], signs: int) -> int:
    """Return two columns of a legend where they are no wider than that many characters."""
    half = (len(labels) + 1) // 2
    return 2 if max(map(len, labels[:half])) + max(map(len, labels[half:])) <= signs else 1


def legend_below(figure: Figure, axes: Axes) -> None:
    """Put the legend of `axes` below them, in as many columns as fit."""
    handles, labels = axes.get_legend_handles_labels()
    longest = max(map(len, labels)) + 6
    figure.legend(handles, labels, loc="outside lower left", ncols=max(1, min(len(labels), _LEGEND_SIGNS // longest)))


def cutoff_axis(axes: Axes, cutoffs: list[float], label: str = CUTOFF) -> None:
    """Make the x axis fit ascending cutoffs: logarithmic where they span more than a factor of 20.

    With another `label` than `CUTOFF` they are percentiles or quotas: even steps, however small the first is.
    """
    if label != CUTOFF:
        axes.xaxis.set_major_locator(MaxNLocator(nbins=8))
        return
    axes.xaxis.set_minor_locator(NullLocator())
    if cutoffs[0] > 0 and cutoffs[-1] > WIDE * cutoffs[0]:
        axes.set_xscale("log")
        axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        axes.xaxis.set_minor_locator(NullLocator())
    elif len(set(cutoffs)) <= 8:
        axes.xaxis.set_major_locator(FixedLocator(sorted(set(cutoffs))))
    else:
        axes.xaxis.set_major_locator(MaxNLocator(nbins=8))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: short_number(value)))


def figure_svg(figure: Figure, name: str) -> str:
    """Return the figure as one `<svg>` element, the same bytes every time, to stand inside a page.

    Args:
        figure: what to draw, on a transparent ground.
        name: letters, digits, `-` and `_`; opens every id, so that several figures fit into one page.
    """
    buffer = io.StringIO()
    with style():
        metadata = {"Date": None, "Creator": None, "Format": None, "Type": None}
        figure.savefig(buffer, format="svg", transparent=True, metadata=metadata)
    text = buffer.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<style[^>]*>.*?</style>", "", text, count=1, flags=re.DOTALL)  # it would reach the whole page
    text = re.sub(r'\bid="', f'id="{name}-', text)
    text = re.sub(r'((?:xlink:)?href="#|url\(#)', rf"\g<1>{name}-", text)
    return text.rstrip() + "\n"


@dataclass(frozen=True)
class Picture:
    """A plot inside the page and the words below it."""

    svg: Markup
    caption: str


def picture(figure: Figure, name: str, label: str, caption: str = "") -> Picture:
    """Return the figure for a page, in the page's text colour, with words for screen readers.

    Args:
        figure: the plot.
        name: what makes the ids inside it unique on the page.
        label: the words.
        caption: what stands below it.
    """
    svg = re.sub(re.escape(INK), "currentColor", figure_svg(figure, name), flags=re.IGNORECASE)
    return Picture(Markup(svg.replace("<svg ", f'<svg role="img" aria-label="{html.escape(label)}" ', 1)), caption)


_METADATA: dict[str, dict[str, None]] = {
    "svg": {"Date": None},
    "pdf": {"CreationDate": None},
    "png": {"Software": None},
}
"""By format, what would make the bytes differ from day to day or machine to machine."""


def write_plot(figure: Figure, path: Path) -> None:
    """Write the figure on white ground to `path`, the same bytes every time: SVG, PDF, or PNG of 200 dots per inch.

    Raises:
        InputError: if the path ends otherwise, or cannot be written.
    """
    kind = path.suffix.lower().removeprefix(".")
    if kind not in _METADATA:
        raise InputError("a plot is written as SVG, PDF or PNG", "end the file name in .svg, .pdf or .png", str(path))
    metadata = _METADATA[kind]
    with atomic_path(path) as temporary, style():
        figure.savefig(temporary, format=kind, dpi=200, facecolor="white", metadata=metadata)


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
"""Where a label may be, seen from its point, in points, the most readable first."""

_RADIUS = 4.0


def place_labels(
    figure: Figure,
    axes: Axes,
    labels: Sequence[tuple[float, float, str]],
    points: Sequence[tuple[float, float]],
    fontsize: float = 8.0,
) -> int:
    """Write each label at the first free position near its point, or leave it out; return how many were written.

    Args:
        figure: the figure; it is laid out first, and for good, for positions are measured in its pixels.
        axes: the axes of `labels` and `points`.
        labels: (x, y, text) in data coordinates, the most important first.
        points: (x, y) of all that labels must not cover.
        fontsize: in points.
    """
    canvas: Any = FigureCanvasAgg(figure)
    if layout := figure.get_layout_engine():
        layout.execute(figure)
        figure.set_layout_engine(None)  # or writing would lay it out again
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


def _around(point: NDArray[np.float64], radius: float) -> Bbox:
    x, y = float(point[0]), float(point[1])
    return Bbox.from_extents(x - radius, y - radius, x + radius, y + radius)

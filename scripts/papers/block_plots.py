"""Plots of the block study in the form of Figures 1 and 3 to 5 of Kohlschütter et al. (2010)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from block_classes import CLASSES
from paper_files import COLOURS, INK
from random_writers import WriterFit, one_state, three_parts, two_states

Spec = dict[str, Any]
_MOST_WORDS, _MOST_DENSITY = 60, 22
_BY_CLASS = {"field": "class", "type": "nominal", "scale": {"domain": list(CLASSES), "range": list(COLOURS)}}


def _layer(rows: pd.DataFrame, mark: Mapping[str, Any], **encoding: Any) -> Spec:
    return {"data": {"values": rows.to_dict("records")}, "mark": mark, "encoding": encoding}


def gains_plot(gains: pd.DataFrame) -> Spec:
    """Return a plot of features with the most information gain, by words and by blocks (Figure 1)."""
    feature = {"field": "feature", "type": "nominal", "sort": None, "title": None}

    x = {"type": "quantitative", "title": "information gain, bits: bars by words, points by blocks"}
    bars = _layer(gains, {"type": "bar", "color": COLOURS[0]}, y=feature, x={"field": "by_words", **x})
    points = _layer(gains, {"type": "point", "color": COLOURS[1]}, y=feature, x={"field": "by_blocks", **x})
    return {"width": 380, "layer": [bars, points]}


def words_plot(histogram: pd.DataFrame, one_fit: WriterFit, two_fit: WriterFit) -> Spec:
    """Return a plot of the share of blocks by number of words and class, with both fits (Figure 4)."""
    bins = histogram[(histogram.feature == "words") & histogram.value.between(1, _MOST_WORDS)]
    words = np.arange(1.0, _MOST_WORDS + 1)
    lines = []
    for name, fit, model in (("one state (Eq. 2)", one_fit, one_state), ("two states (Eq. 3)", two_fit, two_states)):
        share = 100 * model(np.array(fit.parameters), words)
        lines.append(pd.DataFrame({"words": words, "share": share, "fit": f"{name}, R² {fit.r2:.3f}"}))
    x = {"type": "quantitative", "title": "words of the block", "scale": {"domain": [0, _MOST_WORDS]}}
    y = {"type": "quantitative", "title": "% of the blocks with words", "scale": {"type": "symlog", "constant": 1}}
    stacked = _stacked(bins.assign(height=100 * bins.share))
    heights = {
        "y": {"field": "top", "axis": {"values": [0, 0.5, 1, 2, 5, 10, 20, 40], "format": "~g"}, **y},
        "y2": {"field": "bottom"},
    }
    bars = _layer(stacked, {"type": "bar", "width": 5}, x={"field": "value", **x}, color=_BY_CLASS, **heights)
    ends = {
        "x": {"field": "words", **x},
        "y": {"field": "share", **y},
        "strokeDash": {"field": "fit", "type": "nominal"},
    }
    drawn = _layer(pd.concat(lines), {"type": "line", "color": INK}, **ends)
    return {"width": 460, "height": 260, "layer": [bars, drawn]}


def density_plot(histogram: pd.DataFrame, mixture: WriterFit, densities: int) -> Spec:
    """Return a plot of words by text density and class, linked words, and the fit of three parts (Figures 3 and 5).

    `densities` is the number of densities that were fitted.
    """
    bins = histogram[(histogram.feature == "density") & (histogram.value <= _MOST_DENSITY)]
    scale = {"domain": [-0.5, _MOST_DENSITY + 0.5], "nice": False}
    x = {
        "field": "value",
        "type": "quantitative",
        "scale": scale,
        "title": "text density, rounded; the line is at 10.5",
    }
    y = {"type": "quantitative", "title": "thousand words"}
    linked = (bins.groupby("value", as_index=False).linked_words.sum()).assign(kind="linked text")
    linked["height"] = linked.linked_words / 1000
    words = int(histogram[histogram.feature == "density"].words.sum())
    values = np.arange(float(densities))
    fitted = pd.DataFrame({"value": values, "height": three_parts(np.array(mixture.parameters), values) * words / 1000})
    fitted["kind"] = f"two beta distributions and a normal one, R² {mixture.r2:.3f}"
    lines = pd.concat([linked[["value", "height", "kind"]], fitted[fitted.value <= _MOST_DENSITY]])
    stacked = _stacked(bins.assign(height=bins.words / 1000))
    heights = {"y": {"field": "top", **y}, "y2": {"field": "bottom"}}
    bars = _layer(stacked, {"type": "bar", "width": 14}, x=x, color=_BY_CLASS, **heights)
    dash = {"field": "kind", "type": "nominal", "scale": {"range": [[2, 2], [1, 0]]}}
    line = _layer(lines, {"type": "line", "color": INK}, x=x, y={"field": "height", **y}, strokeDash=dash)
    rule = _layer(pd.DataFrame({"value": [10.5]}), {"type": "rule", "color": COLOURS[1]}, x=x)
    return {"width": 460, "height": 260, "layer": [bars, line, rule]}


def _stacked(bins: pd.DataFrame) -> pd.DataFrame:
    """Return the bins with the ends of their stacked bars in the columns `bottom` and `top`."""
    top = bins.groupby("value").height.cumsum()
    return bins.assign(top=top, bottom=top - bins.height)

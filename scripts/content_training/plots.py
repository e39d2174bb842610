"""A reliability diagram of a content model."""

from __future__ import annotations

from collections.abc import Sequence

from content_training.fitting import CalibrationBin
from thresher import Plot
from thresher.reports.charts import DASHED, INK, SERIES, layer, number, whole


def calibration_plot(title: str, bins: Sequence[CalibrationBin]) -> Plot:
    """Return a reliability diagram: the share of content among blocks, by their probability. Larger dots mean more blocks."""
    rows = [{"predicted": row.predicted, "observed": row.observed, "weight": row.weight} for row in bins]
    x = number("predicted", "probability, by cross-validation over domains", (0, 1))
    y = number("observed", "share that is content", (0, 1))
    layers = [
        layer("line", {**DASHED, "stroke": INK}, [{"predicted": end, "observed": end} for end in (0, 1)], x=x, y=y),
        layer("line", {"stroke": SERIES[0]}, rows, x=x, y=y),
        layer(
            "circle",
            {"fill": SERIES[0], "opacity": 1},
            rows,
            x=x,
            y=y,
            size={"field": "weight", "type": "quantitative", "legend": None, "scale": {"range": [20, 400]}},
        ),
    ]
    return Plot(whole(layers, 400, "Share of blocks that are content by probability"), title, 480)

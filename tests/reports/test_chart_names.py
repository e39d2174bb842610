"""The names of a chart's marks lie on no point, line or other name: in what a browser draws, by its own boxes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from browser import Browser

from thresher.reports.chart_data import SINGLES, ChartData, ChartPoint, Recommended
from thresher.reports.charts import Spec, frontier_chart, variants_chart
from thresher.reports.drawing import Plot

NAMES = {"baseline", "margin", "recommended"}
# The demo's front: sizes (%) and means; the recommended index has the mean of a much smaller one.
FRONT = (
    *((5.6, 0.0389), (9.9, 0.1033), (14.2, 0.2087), (20.8, 0.3401), (27.6, 0.3925), (34.0, 0.4477), (39.8, 0.4570)),
    *((44.7, 0.4964), (48.6, 0.5063), (52.7, 0.5159), (55.9, 0.5262), (79.7, 0.5265), (81.5, 0.5274), (81.8, 0.5296)),
    *((83.0, 0.5339), (83.7, 0.5381), (84.3, 0.5418)),
)
BASELINE = 0.5254
MARGIN = 0.0263
# In the page: whether boxes of names meet places along lines and marks, or the boxes of other texts.
COVERED = """
(names) => {
  const texts = Array.from(document.querySelectorAll("svg text"));
  const named = texts.filter((text) => names.includes(text.textContent));
  const shapes = Array.from(document.querySelectorAll("svg path, svg line")).filter(
    (shape) => !shape.closest(".role-axis, .role-legend") && !/ground/.test(shape.getAttribute("class")));
  const holds = (box, place) => box.left < place.x && place.x < box.right && box.top < place.y && place.y < box.bottom;
  const meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
  // The box of a line that is drawn level or upright is empty, and its stroke is wider.
  const near = (a, b) => a.left - 2 < b.right && b.left < a.right + 2 && a.top - 2 < b.bottom && b.top < a.bottom + 2;
  const meetings = [];
  for (const text of named) {
    const box = text.getBoundingClientRect();
    for (const other of texts) {
      if (other.textContent !== text.textContent && meet(box, other.getBoundingClientRect())) meetings.push(other.textContent);
    }
    for (const shape of shapes.filter((shape) => near(box, shape.getBoundingClientRect()))) {
      const length = shape.getTotalLength();
      const onScreen = shape.getScreenCTM();
      for (let at = 0; at <= length; at += 1) {
        if (holds(box, shape.getPointAtLength(at).matrixTransform(onScreen))) {
          meetings.push(text.textContent + " on " + shape.outerHTML);
          break;
        }
      }
    }
  }
  return { meetings, names: [...new Set(named.map((text) => text.textContent))] };
}
"""


def point(share: float, mean: float, series: str = SINGLES) -> ChartPoint:
    return ChartPoint(f"{series} {share}", series, share, mean, "", series != SINGLES, True, round(1000 * share))


def data_of(points: list[ChartPoint], recommended: ChartPoint, bound: float | None) -> ChartData:
    return ChartData(
        retrieval="qld",
        measure="exp-nDCG@10",
        size="index, % of the baseline's bytes (measured)",
        baseline=point(100.0, BASELINE),
        points=tuple(points),
        margin=MARGIN,
        recommended=Recommended(recommended, bound),
    )


DEMO = data_of([point(*place) for place in FRONT], point(79.7, 0.5265), 0.5049)
# Beside the baseline's mark, without a bound.
CLOSE = data_of([point(*place) for place in FRONT], point(97.0, 0.5250), None)
SWEEPS = data_of(
    [
        point(5.0 * step, 0.35 + 0.012 * step - 0.01 * number, f"words(headings=keep,floor={number})")
        for number in range(8)
        for step in range(1, 20)
    ],
    point(75.0, 0.51, "words(headings=keep,floor=2)"),
    0.501,
)


def drawn(browser: Browser, folder: Path, spec: Spec, width: int) -> dict[str, Any]:
    file = folder / "chart.html"
    file.write_text(f"<!DOCTYPE html><body>{Plot(spec, width=width).svg}", encoding="utf-8")
    browser.open(file)
    seen: dict[str, Any] = browser.page.evaluate(COVERED, sorted(NAMES))
    return seen


@pytest.mark.parametrize(("width", "height"), [(640, 460), (350, 460), (780, 215)])
@pytest.mark.parametrize(
    "data",
    [
        pytest.param(DEMO, id="demo"),
        pytest.param(CLOSE, id="close", marks=pytest.mark.slow),
        pytest.param(SWEEPS, id="sweeps", marks=pytest.mark.slow),
    ],
)
def test_names_cover_nothing(browser: Browser, tmp_path: Path, data: ChartData, width: int, height: int) -> None:
    for spec in (frontier_chart(data, width, height), variants_chart(data, width, height)):
        seen = drawn(browser, tmp_path, spec, width)
        assert seen["meetings"] == []
        assert {"baseline", "margin"} <= set(seen["names"])
    assert set(drawn(browser, tmp_path, frontier_chart(DEMO, width, height), width)["names"]) == NAMES


def test_a_name_without_room_is_left_out() -> None:
    everywhere = [point(share, 0.5 + 0.001 * step) for share in range(0, 104, 3) for step in range(40)]
    data = data_of(everywhere, point(50.0, 0.52), None)
    texts = [layer for layer in variants_chart(data, 350)["layer"] if layer["mark"]["type"] == "text"]
    assert {layer["encoding"]["text"]["value"] for layer in texts} == {"margin"}

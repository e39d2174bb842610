"""Plots for papers: names lie on no curve, point or other name; sizes are those of print; the verb writes them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, pairwise
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from experiments import BYTES, NDCG, chosen, made, small, with_system
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from thresher.base.errors import ConfigError
from thresher.cli.experiment import report
from thresher.experiments.results import Results, write_results
from thresher.reports.chart_data import ChartPoint
from thresher.reports.label_places import Box, Name, Obstacles, Place, PlacedName, Segment, placed_names
from thresher.reports.paper_layout import Curve, Layout, PlottedVariants, layout_of
from thresher.reports.paper_plots import PaperPlot, paper_plot

SVG = "{http://www.w3.org/2000/svg}"
WIDTH = 3.3 * 72
SWEEPS = {"words": 0.3, "density": 0.35, "perplexity(lm=books)": 0.4, "links": 0.6, "none|dcp": 0.2, "none|prp": 0.25}


def many() -> Results:
    """Six sweeps of eight cutoffs whose curves nearly coincide, and two variants alone."""
    names = {"none": 1.0, "justext": 0.4, "bte": 0.6}
    for sweep, lowest in SWEEPS.items():
        for step in range(1, 9):
            cutoff = step / 10 if "|" in sweep or sweep == "links" else step
            names[f"{sweep}@{cutoff}"] = lowest + (1 - lowest) * step / 9
    return made(names, timed=False)


def along(line: Segment) -> Iterator[Place]:
    """Give many places of a line."""
    (x, y), (to_x, to_y) = line
    for share in np.linspace(0, 1, 400):
        yield Place(x + share * (to_x - x), y + share * (to_y - y))


def inside(box: Box, place: Place) -> bool:
    return box.left < place.x < box.right and box.top < place.y < box.bottom


def check_free(names: list[PlacedName], obstacles: Obstacles) -> None:
    """Check that names lie within the area, and on no line, point or other name."""
    area = obstacles.area
    for placed in names:
        box = placed.box
        assert area.left <= box.left < box.right <= area.right
        assert area.top <= box.top < box.bottom <= area.bottom
        assert not any(inside(box, place) for line in obstacles.lines for place in along(line)), placed.name.text
        assert not any(inside(box, point.middle) for point in obstacles.points), placed.name.text
        others = [other.line for other in names if other.line and other is not placed]
        assert not any(inside(box, place) for line in others for place in along(line)), placed.name.text
    for one, other in combinations(names, 2):
        across = min(one.box.right, other.box.right) - max(one.box.left, other.box.left)
        down = min(one.box.bottom, other.box.bottom) - max(one.box.top, other.box.top)
        assert min(across, down) <= 0, (one.name.text, other.name.text)


@settings(deadline=None, max_examples=20)
@given(
    st.lists(st.lists(st.tuples(st.floats(0, 200), st.floats(0, 150)), min_size=1, max_size=6), min_size=1, max_size=7),
    st.integers(10, 60),
)
def test_names_lie_on_no_curve_point_or_name(curves: list[list[tuple[float, float]]], width: int) -> None:
    places = [[Place(*place) for place in curve] for curve in curves]
    points = [Box.around(place, 2.5) for curve in places for place in curve]
    lines = [Segment(*pair) for curve in places for pair in pairwise(curve)]
    obstacles = Obstacles(Box(0, 0, 200, 150), points, lines)
    placed = placed_names([Name(str(number), width, 9, tuple(curve)) for number, curve in enumerate(places)], obstacles)
    if placed is not None:
        assert [name.name.text for name in placed] == [str(number) for number in range(len(curves))]
        check_free(placed, obstacles)


def test_a_name_without_room_has_no_place() -> None:
    place = Place(5, 5)
    assert placed_names([Name("a", 50, 9, (place,))], Obstacles(Box(0, 0, 40, 40), [], [])) is None


def test_a_name_far_from_its_point_has_a_line_to_it() -> None:
    place = Place(100, 100)
    walls = [Box.around(Place(x, y), 6) for x in range(70, 131, 12) for y in range(70, 131, 12) if (x, y) != (106, 94)]
    (near,) = placed_names([Name("a", 20, 9, (place,))], Obstacles(Box(0, 0, 200, 200), [], [])) or []
    assert near.line is None
    assert placed_names([Name("a", 20, 9, (place,))], Obstacles(Box(0, 0, 200, 200), walls, [])) is None
    (far,) = placed_names([Name("a", 20, 9, (place,))], Obstacles(Box(0, 0, 200, 200), walls[:12], [])) or []
    check_free([far], Obstacles(Box(0, 0, 200, 200), walls[:12], []))


def texts_of(svg: str) -> dict[str, tuple[float, float]]:
    """Return the places of an SVG's texts, in its coordinates."""
    places: dict[str, tuple[float, float]] = {}
    for text in etree.fromstring(svg.encode()).iter(f"{SVG}text"):
        x = y = 0.0
        for element in (text, *text.iterancestors()):
            moved = re.match(r"translate\(([-\d.]+),([-\d.]+)\)", element.get("transform", ""))
            if moved:
                x, y = x + float(moved[1]), y + float(moved[2])
        places["".join(text.itertext())] = x, y
    return places


def layout_of_many() -> Layout:
    names = [f"sweep {number}" for number in range(6)]
    points = []
    for number, _ in enumerate(names):
        xs = np.linspace(20 + number, 98, 8)
        points.append(
            [ChartPoint("v", "s", x, 0.5 - (60 - x) ** 2 / 2e4 + number / 500, "", True, False, 1) for x in xs]
        )
    curves = tuple(Curve(name, tuple(of_curve)) for name, of_curve in zip(names, points, strict=True))
    baseline = Curve("no cleaning", (ChartPoint("none", "", 100.0, 0.47, "", False, False, 1),))
    layout = layout_of(PlottedVariants(baseline, curves, 0.44, curves[0].points[3], "index", "AP"), WIDTH)
    assert layout is not None
    return layout


def test_a_crowded_plot_has_room_for_all_names() -> None:
    layout = layout_of_many()
    texts = [placed.name.text for placed in layout.names]
    assert texts == ["no cleaning", *(f"sweep {number}" for number in range(6)), "margin", "recommended"]
    check_free(list(layout.names), layout.obstacles)
    assert len(layout.obstacles.lines) == 2 + 6 * 7


def test_names_are_drawn_in_their_places_in_eight_points() -> None:
    results = many()
    choice = chosen(results, "none|dcp@0.5")
    plot = paper_plot(results, PaperPlot(("words", "none|dcp", "justext", "bte")), choice)
    drawn = texts_of(plot.svg)
    for name in ("words", "none|dcp", "justext", "bte", "no cleaning", "margin", "recommended", "exp-nDCG@10"):
        assert name in drawn
    assert "index, % of the baseline's bytes (measured)" in drawn
    assert set(re.findall(r'font-size="([^"]+)"', plot.svg)) == {"8px"}
    values = [layer["data"]["values"] for layer in plot.spec["layer"] if layer["mark"]["type"] == "text"]
    rows = [row for of_layer in values for row in of_layer]
    x, y = (plot.spec["layer"][-1]["encoding"][axis]["scale"]["domain"] for axis in "xy")
    padding = plot.spec["padding"]
    for row in rows:
        across = padding["left"] + (row["share"] - x[0]) / (x[1] - x[0]) * plot.width
        down = padding["top"] + (y[1] - row["mean"]) / (y[1] - y[0]) * plot.spec["height"]
        assert drawn[row["text"]] == pytest.approx((across, down), abs=3)


def test_the_axis_says_whether_bytes_are_measured() -> None:
    assert "baseline's bytes (measured)" in paper_plot(small()).svg
    explored = paper_plot(made(topics=9, only_explored=["bte"]), PaperPlot(("bte", "justext")))
    assert "baseline's bytes (partly estimated)" in explored.svg


def test_a_curve_of_many_variants_has_no_dots_and_ends_where_little_is_left() -> None:
    names = {"none": 1.0, **{f"words@{cutoff}": 1 - cutoff / 50 for cutoff in range(1, 50)}, "bte": 0.6}
    results = made(names, 20, loss=2.0)
    spec = paper_plot(results).spec
    (dots,) = [layer["data"]["values"] for layer in spec["layer"] if layer["mark"]["type"] == "circle"]
    (curve,) = [layer["data"]["values"] for layer in spec["layer"] if layer["mark"]["type"] == "line"]
    assert len(dots) == 1
    means = results.tables[0].mean(NDCG)
    low = 0.6 * means[0]
    assert min(means) < low <= min(row["mean"] for row in curve)
    assert 15 < len(curve) < 49


def test_other_systems_of_known_size_are_beside_the_first_model() -> None:
    results = with_system(made(topics=9, retrievals=("qld", "bm25")))
    assert "other" not in texts_of(paper_plot(results).svg)
    (system,) = results.facts.systems
    systems = (replace(system, index_bytes=BYTES // 2),)
    results = replace(results, facts=replace(results.facts, systems=systems))
    assert "other" in texts_of(paper_plot(results).svg)
    spec = paper_plot(results, PaperPlot(("other",))).spec
    (dots,) = [layer["data"]["values"] for layer in spec["layer"] if layer["mark"]["type"] == "circle"]
    assert [(dot["share"], dot["mean"]) for dot in dots] == [(50.0, pytest.approx(systems[0].means[1]))]
    for asked in (PaperPlot(("bte",)), PaperPlot(model="bm25")):
        assert "other" not in texts_of(paper_plot(results, asked).svg)


def test_the_baseline_alone_has_a_plot() -> None:
    assert set(texts_of(paper_plot(made({"none": 1.0}, 6)).svg)) > {"no cleaning"}


def test_rows_labels_and_measures_are_asked_for() -> None:
    results = made(topics=9)
    labels = {"none": "All text", "words": "Word count", "P@10": "P at ten"}
    results = replace(results, facts=replace(results.facts, labels=labels))
    texts = texts_of(paper_plot(results, PaperPlot(("Word count", "bte"), "P@10")).svg)
    assert {"All text", "Word count", "bte", "P at ten"} <= set(texts)
    assert not {"justext", "none|dcp"} & set(texts)
    for asked, fact in (
        (PaperPlot(measure="MAP"), "no measure 'MAP'"),
        (PaperPlot(("btee",)), "no row 'btee'"),
        (PaperPlot(model="bm25"), "no retrieval model"),
        (PaperPlot(inches=1.0), "no room"),
    ):
        with pytest.raises(ConfigError, match=fact):
            paper_plot(results, asked)


@pytest.mark.slow
def test_the_verb_writes_it_as_wide_as_asked_for(tmp_path: Path) -> None:
    folder = tmp_path / "results"
    folder.mkdir()
    write_results(small(), folder)
    for ending in ("pdf", "svg", "png"):
        path = tmp_path / f"a.{ending}"
        command = [str(folder), "--plot", str(path), "--width", "84mm", "--measure", NDCG, "--rows", "justext,words@11"]
        done = CliRunner().invoke(report, command, catch_exceptions=False)
        assert done.stdout.splitlines()[-1] == f"plot: {path}"
    points = 84 / 25.4 * 72
    box = re.search(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", (tmp_path / "a.pdf").read_bytes())
    assert box
    assert float(box[1]) == pytest.approx(points, abs=0.1)
    width = etree.fromstring((tmp_path / "a.svg").read_bytes()).get("width", "")
    assert float(width.removesuffix("pt")) == pytest.approx(points, abs=0.1)
    dots = int.from_bytes((tmp_path / "a.png").read_bytes()[16:20], "big")
    assert dots == pytest.approx(84 / 25.4 * 600, abs=2)
    with pytest.raises(ConfigError, match="--plot"):
        CliRunner().invoke(report, [str(folder), "--measure", "P@10"], catch_exceptions=False)

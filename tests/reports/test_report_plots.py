"""Plots: what they show, that they are the same every time, and that names cannot break them."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest
from lxml import etree
from matplotlib.figure import Figure
from report_samples import BASELINE, NDCG, WORDS, large, small

from thresher.errors import InputError
from thresher.reports.plot_style import figure_svg, new_figure, place_labels, style, write_plot
from thresher.reports.plots import common_scale, shown_topics, sweep_figure, topics_figure, trade_off_figure
from thresher.results.experiment_results import Results
from thresher.results.selection import front_rows, sweep_rows

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def results() -> Results:
    return large(topics=20)


def _texts(svg: str) -> list[str]:
    return ["".join(element.itertext()) for element in etree.fromstring(svg).iter(f"{SVG}text")]


def test_a_sweep_shows_measures_and_size_over_its_cutoffs(results: Results) -> None:
    figure = sweep_figure(results, "words", "qld")
    upper, lower = figure.axes
    assert (upper.get_xscale(), lower.get_xscale()) == ("log", "log")
    rows = sweep_rows(results, "words", "qld")
    sizes = [100 * row.index_bytes / 97_000_000 for row in rows]
    assert list(lower.lines[0].get_xdata()) == [row.cutoff for row in rows]
    assert list(lower.lines[0].get_ydata()) == pytest.approx(sizes)
    (baseline,) = [row for row in results.rows if row.is_baseline]
    line = next(line for line in upper.lines if str(line.get_label()).startswith("AP"))
    assert line.get_ydata() == pytest.approx([100 * row.measures["AP"] / baseline.measures["AP"] for row in rows])
    assert line.get_label() == f"AP ({baseline.measures['AP']:.4f})"
    marked = [row.cutoff for row in rows if row.comparisons["AP"].p_holm < 0.05]
    filled = upper.lines[upper.lines.index(line) + 1]
    assert marked
    assert list(filled.get_xdata()) == marked
    assert [level.get_ydata()[0] for level in upper.lines[-1:]] == [100]


def test_a_narrow_sweep_has_a_linear_axis_with_short_labels(results: Results) -> None:
    figure = sweep_figure(results, "perplexity(lm=books)", "qld")
    assert figure.axes[1].get_xscale() == "linear"
    texts = _texts(figure_svg(figure, "s"))
    assert {"2K", "14K", "cutoff", "perplexity(lm=books)"} <= set(texts)


def test_one_cutoff_and_a_measure_that_is_zero_at_the_baseline() -> None:
    zero = replace(BASELINE, measures={"P@10": 0.0, NDCG: 0.5})
    figure = sweep_figure(replace(small(), rows=(zero, WORDS)), "words", "qld")
    labels = [str(line.get_label()) for line in figure.axes[0].lines]
    assert [label for label in labels if not label.startswith("_")] == [f"{NDCG} (0.5000)"]
    assert "11" in _texts(figure_svg(figure, "s"))


def test_the_trade_off_draws_and_labels_the_front(results: Results) -> None:
    figure = trade_off_figure(results, "qld")
    (axes,) = figure.axes
    front = front_rows(results, "qld")
    line = next(line for line in axes.lines if line.get_label() == "Pareto front")
    assert list(line.get_xdata()) == pytest.approx([100 * row.index_bytes / 97_000_000 for row in front])
    assert list(line.get_ydata()) == [row.measures[NDCG] for row in front]
    names = {text.get_text() for text in axes.texts}
    assert names <= {row.variant for row in front}
    assert front[0].variant in names
    points = [line for line in axes.lines if line.get_linewidth() == 0]
    assert sum(len(line.get_xdata()) for line in points) == 68


def test_the_trade_off_on_held_out_topics_has_the_front_of_the_topics(results: Results) -> None:
    tested = large(topics=12, seed=8)
    (axes,) = trade_off_figure(results, "qld", tested).axes
    assert axes.get_title("left") == "held-out topics"
    there = {row.variant: (100 * (row.index_bytes / 97_000_000), row.measures[NDCG]) for row in tested.rows}
    line = next(line for line in axes.lines if line.get_label() == "Pareto front on the topics")
    chosen = [row.variant for row in front_rows(results, "qld")]
    assert chosen != [row.variant for row in front_rows(tested, "qld")]
    assert list(zip(*line.get_data(), strict=True)) == [there[name] for name in chosen]
    points = [line for line in axes.lines if line.get_linewidth() == 0]
    shown = [point for line in points for point in zip(*line.get_data(), strict=True)]
    assert sorted(shown) == sorted(there.values())
    (level,) = (line for line in axes.lines if line.get_linestyle() == "--")
    assert list(level.get_ydata()) == [there["none"][1]] * 2


def test_labels_that_find_no_place_are_left_out() -> None:
    with style():
        figure = new_figure(3, 3)
        axes = figure.subplots()
        axes.plot([0, 1], [0, 1])
        crowd = [(0.5, 0.5, f"a rather long label {number}") for number in range(40)]
        written = place_labels(figure, axes, crowd, [(0.5, 0.5)])
        boxes = [text.get_window_extent() for text in axes.texts if text.arrow_patch is None]
    assert 1 <= written == len(axes.texts) < 40
    assert not any(a.overlaps(b) for a, b in combinations(boxes, 2))


def test_topics_are_sorted_and_share_a_scale(results: Results) -> None:
    shown = shown_topics(results, "qld")
    assert len(shown) == 6
    scale = common_scale(shown)
    everything = [item.difference for topics in shown for item in topics.differences]
    assert scale == (min(everything), max(everything))
    axes = topics_figure(NDCG, shown[0], scale).axes[0]
    low, high = axes.get_ylim()
    assert low < scale[0]
    assert high > scale[1]
    bars = [bar.get_height() for bar in axes.patches]
    differences = [gain + loss for gain, loss in zip(bars[:20], bars[20:], strict=True)]
    assert differences == sorted(differences, reverse=True)
    comparison = shown[0].row.comparisons[NDCG]
    assert sum(differences) / 20 == pytest.approx(comparison.difference)
    (text,) = [text.get_text() for text in axes.texts]
    assert text.endswith(f"; {comparison.wins} won, {comparison.ties} tied, {comparison.losses} lost")


def test_many_topics_become_areas() -> None:
    results = large(topics=120)
    figure = topics_figure(NDCG, shown_topics(results, "qld")[0], (-0.5, 0.5))
    assert len(figure.axes[0].patches) == 0
    assert len(figure.axes[0].collections) == 2


def test_a_picture_is_the_same_every_time_and_holds_nothing_foreign(results: Results) -> None:
    first, second = (figure_svg(trade_off_figure(results, "qld"), "one") for _ in range(2))
    assert first == second
    assert first.startswith("<svg ")
    assert "<style" not in first
    assert "metadata" not in first
    targets = re.findall(r'(?:href="#|url\(#)([^")]+)', first)
    ids = re.findall(r'\bid="([^"]+)"', first)
    assert set(targets) <= set(ids)
    assert all(name.startswith("one-") for name in ids)
    assert not re.search(r'(?:href|src)="(?!#)', first)


def test_dollars_brackets_and_other_scripts_are_only_text() -> None:
    name = "a$b$ <script> 日本語 \\frac{"
    rows = (BASELINE, replace(WORDS, variant=name, sweep=name))
    per_topic = tuple(
        value._replace(variant=name) if value.variant == "words@11" else value for value in small().per_topic
    )
    results = replace(small(), rows=rows, per_topic=per_topic)
    for figure in (
        sweep_figure(results, name, "qld"),
        trade_off_figure(results, "qld"),
        topics_figure(NDCG, shown_topics(results, "qld")[0], (-1, 1)),
    ):
        svg = figure_svg(figure, "x")
        assert name in _texts(svg)
        assert "<script" not in svg


def test_files_are_the_same_every_time(tmp_path: Path) -> None:
    for suffix in ("svg", "png", "PNG", "pdf"):
        for name in ("a", "b"):
            write_plot(trade_off_figure(small(), "qld"), tmp_path / f"{name}.{suffix}")
        assert (tmp_path / f"a.{suffix}").read_bytes() == (tmp_path / f"b.{suffix}").read_bytes()
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "a.pdf").read_bytes().startswith(b"%PDF-")
    etree.parse(tmp_path / "a.svg")
    with pytest.raises(InputError) as caught:
        write_plot(Figure(), tmp_path / "a.eps")
    assert str(caught.value) == (
        f"{tmp_path / 'a.eps'}: a plot is written as SVG, PDF or PNG. Fix: end the file name in .svg, .pdf or .png."
    )

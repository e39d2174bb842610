"""The plots of a choice: they show the records' numbers, mark what was picked, stay small, and say where their points are."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from choice_samples import choice_of, explored, measured
from lxml import etree
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from thresher.choosing.records import Choice, Decision
from thresher.reports.choice_plots import (
    MOST_VERTICES,
    candidates_figure,
    columns_of,
    curve_figure,
    drawn_candidates,
    drawn_curve,
    thinned,
)
from thresher.reports.choice_selection import Judged, Sweep, judged, laxest_first, singles_of, sweeps_of
from thresher.reports.plot_style import GAIN, figure_svg, frame_of, svg_places, svg_size

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def choice() -> Choice:
    return choice_of(explored(retrieval=("qld",)))


@pytest.fixture(scope="module")
def one(choice: Choice) -> Judged:
    return judged(choice)[0]


def line(axes: Axes, label: str) -> list[tuple[float, float]]:
    (found,) = [line for line in axes.lines if str(line.get_label()).startswith(label)]
    return list(zip(np.asarray(found.get_xdata()).tolist(), np.asarray(found.get_ydata()).tolist(), strict=True))


def texts(figure: Figure) -> set[str]:
    return {text.get_text() for legend in figure.legends for text in legend.get_texts()}


def point(decision: Decision, place: int) -> tuple[float, float]:
    return 100 * (decision.candidates[place].size / decision.baseline_size), decision.means[place]


def vertices(svg: str, colour: str) -> list[list[tuple[float, float]]]:
    """Return the corners of each path of that colour, as the SVG has them, in the units of its viewBox."""
    tree = etree.fromstring(svg)
    found = []
    for path in tree.iter(f"{SVG}path"):
        style = path.get("style", "")
        if f"stroke: {colour}" in style and "fill: none" in style and path.getparent().tag != f"{SVG}defs":
            numbers = re.findall(r"[ML] (\S+) (\S+)", path.get("d"))
            found.append([(float(x), float(y)) for x, y in numbers])
    return found


def test_decisions_are_shown_by_retrieval_model_and_scorers_in_the_order_of_their_cutoffs(choice: Choice) -> None:
    two = choice_of(explored())
    assert [(found.main.retrieval, [other.measure for other in found.others]) for found in judged(two)] == [
        ("qld", ["P@10"]),
        ("bm25", ["P@10"]),
    ]
    main = judged(choice)[0].main
    density, perplexity = sweeps_of(main)
    assert (density.name, perplexity.name, len(density.places)) == ("density", "perplexity(lm=books)", 120)
    assert list(density.cutoffs) == sorted(density.cutoffs)
    assert [main.candidates[place].cutoff for place in perplexity.places] == list(perplexity.cutoffs)
    # High density is strict, high perplexity lax.
    assert main.candidates[laxest_first(main, density)[0]].name == "density@0.5"
    assert main.candidates[laxest_first(main, perplexity)[0]].name == "perplexity(lm=books)@900000"
    assert [main.candidates[place].name for place in singles_of(main)] == ["justext"]


def test_a_curve_has_the_differences_between_their_bounds(one: Judged) -> None:
    main, (sweep, _) = one.main, sweeps_of(one.main)
    figure = curve_figure(main, sweep, one.others)
    upper, middle, lower = figure.axes
    verdicts = [main.verdicts[place] for place in sweep.places]
    expected = [(cutoff, verdict.difference) for cutoff, verdict in zip(sweep.cutoffs, verdicts, strict=True)]
    assert line(upper, "difference") == expected
    corners = {tuple(corner) for corner in upper.collections[0].get_paths()[0].vertices.tolist()}
    for cutoff, verdict in zip(sweep.cutoffs, verdicts, strict=True):
        assert {(cutoff, verdict.low), (cutoff, verdict.high)} <= corners
    assert {y for _, y in line(upper, "margin")} == {-main.margin}
    assert {y for _, y in line(upper, "baseline")} == {0}
    other = one.others[0]
    ratios = [100 * other.means[place] / other.baseline_mean for place in sweep.places]
    assert [y for _, y in line(middle, "P@10")] == pytest.approx(ratios)
    assert lower.lines[0].get_ydata() == pytest.approx([point(main, place)[0] for place in sweep.places])
    assert {f"baseline ({main.baseline_mean:.4f})", f"P@10 ({other.baseline_mean:.4f})"} <= texts(figure)
    assert f"margin (\N{MINUS SIGN}{main.margin:.4f})" in texts(figure)


def test_a_curve_marks_the_front_and_what_is_picked(one: Judged) -> None:
    main, (density, perplexity) = one.main, sweeps_of(one.main)
    cutoffs = dict(zip(density.places, density.cutoffs, strict=True))
    (upper, *_) = curve_figure(main, density, ()).axes

    def marked(label: str) -> list[float]:
        return [x for x, _ in line(upper, label)]

    assert main.recommended in cutoffs
    assert marked("recommended") == [cutoffs[main.recommended]]
    assert marked("smallest non-inferior") == [cutoffs[density.pick.smallest]]
    assert marked("Pareto front") == [cutoffs[place] for place in main.front if place in cutoffs]
    labels = texts(curve_figure(main, perplexity, ()))
    assert "smallest non-inferior" in labels
    assert "recommended" not in labels


def test_a_scorer_without_a_pick_has_no_mark_of_one(one: Judged) -> None:
    main, (sweep, _) = replace(one.main, picks=(), front=()), sweeps_of(one.main)
    bare = Sweep(sweep.name, sweep.places, sweep.cutoffs, replace(sweep.pick, smallest=None))
    figure = curve_figure(main, bare, ())
    assert len(figure.axes) == 2
    assert texts(figure) == {
        "band of all differences",
        "difference",
        f"baseline ({main.baseline_mean:.4f})",
        f"margin (\N{MINUS SIGN}{main.margin:.4f})",
    }


def test_losses_far_beyond_the_margin_do_not_press_the_rest_together(one: Judged) -> None:
    main, (sweep, _) = replace(one.main, margin=0.002), sweeps_of(one.main)
    (upper, *_) = curve_figure(main, sweep, ()).axes
    low, high = upper.get_ylim()
    top = max(main.verdicts[place].high for place in sweep.places)
    assert high > top
    assert low == pytest.approx(-0.016 - 0.05 * (top + 0.016))


def test_all_candidates_have_their_place_in_one_plot(one: Judged) -> None:
    main = one.main
    figure = candidates_figure(main)
    (axes,) = figure.axes
    for sweep in sweeps_of(main):
        assert line(axes, sweep.name) == [point(main, place) for place in sweep.places]
    assert line(axes, "without a sweep") == [point(main, place) for place in singles_of(main)]
    assert line(axes, "Pareto front") == sorted(point(main, place) for place in main.front)
    assert {y for _, y in line(axes, "baseline less")} == {main.baseline_mean - main.margin}
    for pick in main.picks:
        name = f"{pick.rule}: {main.candidates[pick.place or 0].name}"
        assert line(axes, name) == [point(main, pick.place or 0)]
        assert name in texts(figure)
    assert {text.get_text() for text in axes.texts} == {"smallest non-inferior", "knee", "highest mean"}


def test_rules_that_pick_the_same_have_one_mark(one: Judged) -> None:
    first, *others = one.main.picks
    figure = candidates_figure(
        replace(one.main, picks=(first, *(replace(other, place=first.place) for other in others)))
    )
    name = one.main.candidates[first.place or 0].name
    assert f"smallest non-inferior, knee, highest mean: {name}" in texts(figure)
    none = candidates_figure(replace(one.main, picks=tuple(replace(pick, place=None) for pick in one.main.picks)))
    assert not any(name in text for text in texts(none))


def test_long_lines_keep_their_marks_and_stay_small() -> None:
    assert thinned(300, ()) == list(range(300))
    kept = thinned(2000, [3, 1234])
    assert {0, 3, 1234, 1999} <= set(kept)
    assert kept == sorted(set(kept))
    assert MOST_VERTICES <= len(kept) <= MOST_VERTICES + 2
    gaps = np.diff(thinned(2000, ()))
    assert set(gaps.tolist()) == {6, 7}
    main, *_ = choice_of(explored(topics=26, held_out=26, retrieval=("qld",), points=900)).decisions
    (sweep, _) = sweeps_of(main)
    svg = figure_svg(curve_figure(main, sweep, ()), "x")
    on_front = sum(place in sweep.places for place in main.front)
    (drawn,) = [path for path in vertices(svg, GAIN) if len(path) > 3]
    assert len(drawn) <= MOST_VERTICES + on_front + 2
    assert len(svg) < 100_000
    assert len(figure_svg(candidates_figure(main), "x")) < 60_000


def test_points_are_where_the_svg_has_them(one: Judged) -> None:
    main = one.main
    for sweep in sweeps_of(main):
        drawn = drawn_curve(main, sweep, one.others, "x")
        svg = str(drawn.picture.svg)
        ours = [drawn.dots[place] for place in sweep.places]
        width, height = drawn.size
        assert f'viewBox="0 0 {width:g} {height:g}"' in svg
        (path,) = [path for path in vertices(svg, GAIN) if len(path) > 3]
        # Lines run on below the panel, and beyond its sides; the points stop there.
        frame = drawn.frame
        inside = 0
        for (x, y), ((x1, y1), _) in zip(path, ours, strict=True):
            assert x1 == pytest.approx(min(max(x, frame.left), frame.right), abs=1e-4)
            if x == pytest.approx(x1, abs=1e-4) and y == pytest.approx(y1, abs=1e-4):
                inside += 1
        assert inside > 90
        below = [path for path in vertices(svg, "currentColor") if len(path) == len(sweep.places)]
        assert np.array(below[0])[:, 1] == pytest.approx([dots[1][1] for dots in ours], abs=1e-4)
        assert f'id="{drawn.id}"' in svg


def test_single_cleaners_are_where_the_plot_of_all_has_them(one: Judged) -> None:
    main = one.main
    drawn = drawn_candidates(main, "x")
    tree = etree.fromstring(str(drawn.picture.svg))
    uses = {(float(use.get("x")), float(use.get("y"))) for use in tree.iter(f"{SVG}use") if use.get("x")}
    for place in (*singles_of(main), *(pick.place or 0 for pick in main.picks)):
        ((x, y),) = drawn.dots[place]
        assert any(abs(x - u) < 1e-4 and abs(y - v) < 1e-4 for u, v in uses)


def test_points_outside_the_panel_are_at_its_edge(one: Judged) -> None:
    figure = candidates_figure(one.main)
    figure_svg(figure, "x")
    (axes,) = figure.axes
    frame, (width, height) = frame_of(figure, axes), svg_size(figure)
    assert svg_places(figure, axes, [-1e6, 1e6], [1e6, -1e6]) == (
        (pytest.approx(frame.left), pytest.approx(frame.top)),
        (pytest.approx(frame.right), pytest.approx(frame.bottom)),
    )
    assert 0 < frame.left < frame.right <= width
    assert 0 < frame.top < frame.bottom < height


def test_cutoffs_that_a_logarithm_has_no_place_for_are_at_the_edge(one: Judged) -> None:
    main, (sweep, _) = one.main, sweeps_of(one.main)
    # The laxest cutoffs keep nearly everything, and the axis begins behind them.
    low = Sweep(sweep.name, sweep.places, (-1.0, 0.0, *sweep.cutoffs[2:]), sweep.pick)
    bare = replace(
        main,
        candidates=tuple(
            replace(candidate, size=main.baseline_size) if place in sweep.places[:3] else candidate
            for place, candidate in enumerate(main.candidates)
        ),
    )
    assert curve_figure(bare, low, ()).axes[0].get_xscale() == "log"
    drawn = drawn_curve(bare, low, (), "x")
    for place in low.places[:2]:
        assert [x for x, _ in drawn.dots[place]] == pytest.approx([drawn.frame.left] * 2)


def test_percentiles_are_even_steps(one: Judged) -> None:
    main, (sweep, _) = one.main, sweeps_of(one.main)
    percentiles = Sweep("density@p", sweep.places, sweep.cutoffs, sweep.pick)
    lower = curve_figure(main, percentiles, ()).axes[-1]
    assert lower.get_xscale() == "linear"
    assert lower.get_xlabel() == "cutoff, percentile of the collection's words"


def test_legends_have_two_columns_where_they_fit() -> None:
    assert columns_of(["abc", "de", "f"], 4) == 2
    assert columns_of(["abc", "de", "f"], 3) == 1


def test_plots_are_the_same_every_time_and_names_are_only_text(one: Judged) -> None:
    names = ("<script>a$b$</script>", "&\"'", "c")
    (main, other) = choice_of(explored(topics=26, held_out=0, retrieval=("qld",), names=names, points=6)).decisions
    for sweep in sweeps_of(main):
        svg = figure_svg(curve_figure(main, sweep, (other,)), "x")
        assert svg == figure_svg(curve_figure(main, sweep, (other,)), "x")
        assert sweep.name in "".join(etree.fromstring(svg).itertext())
    figure = candidates_figure(main)
    assert {names[0], names[1]} <= texts(figure)
    assert figure_svg(figure, "x") == figure_svg(candidates_figure(main), "x")


def test_measured_choices_have_few_points_each_with_its_marker() -> None:
    _, choice = measured()
    main = judged(choice)[0].main
    (axes,) = candidates_figure(main).axes
    for sweep in sweeps_of(main):
        (found,) = [line for line in axes.lines if line.get_label() == sweep.name]
        assert found.get_marker() != "None"
    assert [sweep.name for sweep in sweeps_of(main)] == ["words"]
    assert [main.candidates[place].name for place in singles_of(main)] == ["bte", "justext"]

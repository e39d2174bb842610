"""The plots of a choice: they show the records' numbers, mark what was picked, and stay small."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from choice_samples import choice_of, explored, measured
from decision_samples import GUARDED
from lxml import etree
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from thresher.choosing.choices import Choice
from thresher.choosing.deciding import Terms
from thresher.choosing.decisions import Decision, JudgedVariant, ModelDecisions
from thresher.reports.choice_plots import (
    MOST_VERTICES,
    judged_sweep_figure,
    overview_figure,
    thinned,
)
from thresher.reports.plot_style import GAIN, columns_of, figure_svg

QUICK = Terms(resamples=200, folds=2, repeats=1)
"""For choices of which the figures do not matter."""
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def choice() -> Choice:
    return choice_of(explored(retrieval=("qld",)))


@pytest.fixture(scope="module")
def one(choice: Choice) -> ModelDecisions:
    return choice.models[0]


def line(axes: Axes, label: str) -> list[tuple[float, float]]:
    (result,) = [line for line in axes.lines if str(line.get_label()).startswith(label)]
    return list(zip(np.asarray(result.get_xdata()).tolist(), np.asarray(result.get_ydata()).tolist(), strict=True))


def texts(figure: Figure) -> set[str]:
    return {text.get_text() for legend in figure.legends for text in legend.get_texts()}


def point(decision: Decision, variant: JudgedVariant) -> tuple[float, float]:
    return 100 * (variant.size / decision.baseline_size), variant.mean


def unpicked(decision: Decision) -> Decision:
    return replace(decision, picks=tuple(replace(pick, variant=None) for pick in decision.picks))


def vertices(svg: str, colour: str) -> list[list[tuple[float, float]]]:
    """Return the corners of each path of that colour, as the SVG has them, in the units of its viewBox."""
    tree = etree.fromstring(svg)
    result = []
    for path in tree.iter(f"{SVG}path"):
        style = path.get("style", "")
        if f"stroke: {colour}" in style and "fill: none" in style and path.getparent().tag != f"{SVG}defs":
            numbers = re.findall(r"[ML] (\S+) (\S+)", path.get("d"))
            result.append([(float(x), float(y)) for x, y in numbers])
    return result


def test_decisions_are_shown_by_retrieval_model_and_scorers_in_the_order_of_their_cutoffs(choice: Choice) -> None:
    two = choice_of(explored(points=6), QUICK)
    assert [(result.main.retrieval, [other.measure for other in result.others]) for result in two.models] == [
        ("qld", ["P@10"]),
        ("bm25", ["P@10"]),
    ]
    main = choice.models[0].main
    density, perplexity = main.ordered_sweeps
    assert (density.name, perplexity.name, len(density.variants)) == ("density", "perplexity(lm=books)", 120)
    assert list(density.cutoffs) == sorted(density.cutoffs)
    assert [variant.cutoff for variant in perplexity.variants] == list(perplexity.cutoffs)
    # High density is strict, high perplexity lax.
    assert density.laxest_first[0].name == "density@0.5"
    assert perplexity.laxest_first[0].name == "perplexity(lm=books)@900000"
    assert [variant.name for variant in main.singles] == ["justext"]


def test_a_curve_has_the_differences_between_their_bounds(one: ModelDecisions) -> None:
    main, (sweep, _) = one.main, one.main.ordered_sweeps
    figure = judged_sweep_figure(main, sweep, one.others)
    upper, middle, lower = figure.axes
    tests = [variant.test for variant in sweep.variants]
    expected = [(cutoff, test.difference) for cutoff, test in zip(sweep.cutoffs, tests, strict=True)]
    assert line(upper, "difference") == expected
    corners = {tuple(corner) for corner in upper.collections[0].get_paths()[0].vertices.tolist()}
    for cutoff, test in zip(sweep.cutoffs, tests, strict=True):
        assert {(cutoff, test.low), (cutoff, test.high)} <= corners
    assert {y for _, y in line(upper, "margin")} == {-main.margin}
    assert {y for _, y in line(upper, "baseline")} == {0}
    other = one.others[0]
    ratios = [100 * other.by_name[variant.name].mean / other.baseline_mean for variant in sweep.variants]
    assert [y for _, y in line(middle, "P@10")] == pytest.approx(ratios)
    assert lower.lines[0].get_ydata() == pytest.approx([point(main, variant)[0] for variant in sweep.variants])
    assert {f"baseline ({main.baseline_mean:.4f})", f"P@10 ({other.baseline_mean:.4f})"} <= texts(figure)
    assert f"margin (\N{MINUS SIGN}{main.margin:.4f})" in texts(figure)


def test_a_curve_marks_the_front_and_what_is_picked(one: ModelDecisions) -> None:
    main, (density, perplexity) = one.main, one.main.ordered_sweeps
    cutoffs = {variant.name: cutoff for variant, cutoff in zip(density.variants, density.cutoffs, strict=True)}
    (upper, *_) = judged_sweep_figure(main, density, ()).axes

    on_front = {variant.cutoff for variant in main.front if variant.sweep == density.name}

    def marked(label: str) -> list[float]:
        return [x for x, _ in line(upper, label)]

    assert main.recommended is not None
    assert density.picks.smallest is not None
    assert marked("recommended") == [cutoffs[main.recommended.name]]
    assert marked("smallest non-inferior") == [cutoffs[density.picks.smallest.name]]
    assert marked("Pareto front") == [cutoff for cutoff in density.cutoffs if cutoff in on_front]
    labels = texts(judged_sweep_figure(main, perplexity, ()))
    assert "smallest non-inferior" in labels
    assert "recommended" not in labels


def test_a_scorer_without_a_pick_has_no_mark_of_one(one: ModelDecisions) -> None:
    main, (sweep, _) = unpicked(one.main), one.main.ordered_sweeps
    off_front = tuple(replace(variant, on_front=False) for variant in sweep.variants)
    bare = replace(sweep, variants=off_front, picks=replace(sweep.picks, smallest=None))
    figure = judged_sweep_figure(main, bare, ())
    assert len(figure.axes) == 2
    assert texts(figure) == {
        "band of all differences",
        "difference",
        f"baseline ({main.baseline_mean:.4f})",
        f"margin (\N{MINUS SIGN}{main.margin:.4f})",
    }


def test_losses_far_beyond_the_margin_do_not_press_the_rest_together(one: ModelDecisions) -> None:
    main, (sweep, _) = replace(one.main, margin=0.002), one.main.ordered_sweeps
    (upper, *_) = judged_sweep_figure(main, sweep, ()).axes
    low, high = upper.get_ylim()
    top = max(variant.test.high for variant in sweep.variants)
    assert high > top
    assert low == pytest.approx(-0.016 - 0.05 * (top + 0.016))


def test_all_variants_are_in_one_plot(one: ModelDecisions) -> None:
    main = one.main
    figure = overview_figure(main)
    (axes,) = figure.axes
    for sweep in main.ordered_sweeps:
        assert line(axes, sweep.name) == [point(main, variant) for variant in sweep.variants]
    assert line(axes, "without a sweep") == [point(main, variant) for variant in main.singles]
    assert line(axes, "Pareto front") == sorted(point(main, variant) for variant in main.variants if variant.on_front)
    assert {y for _, y in line(axes, "baseline less")} == {main.baseline_mean - main.margin}
    for rules, variant in (("recommended, smallest non-inferior", main.recommended), *picked_alone(main)):
        assert variant is not None
        name = f"{rules}: {variant.name}"
        assert line(axes, name) == [point(main, variant)]
        assert name in texts(figure)
    together = {"recommended, smallest non-inferior", "knee", "highest mean"}
    assert {text.get_text() for text in axes.texts} == together


def picked_alone(main: Decision) -> list[tuple[str, JudgedVariant | None]]:
    return [(pick.rule.value, pick.variant) for pick in main.picks[2:]]


def test_four_picks_have_four_marks() -> None:
    picks = tuple(replace(pick, variant=variant) for pick, variant in zip(GUARDED.picks, GUARDED.variants, strict=True))
    (axes,) = overview_figure(replace(GUARDED, picks=picks)).axes
    for pick in picks:
        assert pick.variant is not None
        assert line(axes, f"{pick.rule}: {pick.variant.name}") == [point(GUARDED, pick.variant)]


def test_rules_that_pick_the_same_have_one_mark(one: ModelDecisions) -> None:
    first, *others = one.main.picks
    figure = overview_figure(
        replace(one.main, picks=(first, *(replace(other, variant=first.variant) for other in others)))
    )
    assert first.variant is not None
    name = first.variant.name
    assert f"recommended, smallest non-inferior, knee, highest mean: {name}" in texts(figure)
    none = overview_figure(unpicked(one.main))
    assert not any(name in text for text in texts(none))


def test_long_lines_keep_their_marks_and_stay_small() -> None:
    assert thinned(300, ()) == list(range(300))
    kept = thinned(2000, [3, 1234])
    assert {0, 3, 1234, 1999} <= set(kept)
    assert kept == sorted(set(kept))
    assert MOST_VERTICES <= len(kept) <= MOST_VERTICES + 2
    gaps = np.diff(thinned(2000, ()))
    assert set(gaps.tolist()) == {6, 7}
    main, *_ = choice_of(explored(topics=26, held_out=26, retrieval=("qld",), points=900), QUICK).decisions
    (sweep, _) = main.ordered_sweeps
    svg = figure_svg(judged_sweep_figure(main, sweep, ()), "x")
    on_front = sum(variant.on_front for variant in sweep.variants)
    (drawn,) = [path for path in vertices(svg, GAIN) if len(path) > 3]
    assert len(drawn) <= MOST_VERTICES + on_front + 2
    assert len(svg) < 100_000
    assert len(figure_svg(overview_figure(main), "x")) < 60_000


def test_cutoffs_that_a_logarithm_has_no_place_for_are_left_of_the_panel(one: ModelDecisions) -> None:
    main, (sweep, _) = one.main, one.main.ordered_sweeps
    # The laxest cutoffs keep nearly everything, and the axis begins behind them.
    whole = tuple(replace(variant, size=main.baseline_size) for variant in sweep.variants[:3])
    low = replace(sweep, variants=(*whole, *sweep.variants[3:]), cutoffs=(-1.0, 0.0, *sweep.cutoffs[2:]))
    figure = judged_sweep_figure(main, low, ())
    left, right = figure.axes[0].get_xlim()
    assert figure.axes[0].get_xscale() == "log"
    assert 0 < left < right
    (path,) = [path for path in vertices(figure_svg(figure, "x"), GAIN) if len(path) > 3]
    width = 72 * figure.get_figwidth()
    assert sum(0 < x < width for x, _ in path) == len(low.cutoffs) - 2


def test_percentiles_are_even_steps(one: ModelDecisions) -> None:
    main, (sweep, _) = one.main, one.main.ordered_sweeps
    percentiles = replace(sweep, picks=replace(sweep.picks, sweep="density@p"))
    lower = judged_sweep_figure(main, percentiles, ()).axes[-1]
    assert lower.get_xscale() == "linear"
    assert lower.get_xlabel() == "cutoff, percentile of the collection's words"


def test_legends_have_two_columns_where_they_fit() -> None:
    assert columns_of(["abc", "de", "f"], 4) == 2
    assert columns_of(["abc", "de", "f"], 3) == 1


def test_plots_are_the_same_every_time_and_names_are_only_text(one: ModelDecisions) -> None:
    names = ("<script>a$b$</script>", "&\"'", "c")
    (main, other) = choice_of(
        explored(topics=26, held_out=0, retrieval=("qld",), names=names, points=6), QUICK
    ).decisions
    for sweep in main.ordered_sweeps:
        svg = figure_svg(judged_sweep_figure(main, sweep, (other,)), "x")
        assert svg == figure_svg(judged_sweep_figure(main, sweep, (other,)), "x")
        assert sweep.name in "".join(etree.fromstring(svg).itertext())
    figure = overview_figure(main)
    assert {names[0], names[1]} <= texts(figure)
    assert figure_svg(figure, "x") == figure_svg(overview_figure(main), "x")


def test_measured_choices_have_few_points_each_with_its_marker() -> None:
    _, choice = measured()
    main = choice.models[0].main
    (axes,) = overview_figure(main).axes
    for sweep in main.ordered_sweeps:
        (result,) = [line for line in axes.lines if line.get_label() == sweep.name]
        assert result.get_marker() != "None"
    assert [sweep.name for sweep in main.ordered_sweeps] == ["words"]
    assert [variant.name for variant in main.singles] == ["bte", "justext"]

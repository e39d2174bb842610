"""Charts of variants: they have the records' numbers, mark what is recommended, and stay small."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from choice_samples import choice_of, explored, measured
from report_samples import BASELINE, NDCG, WORDS, large, small
from thresher.choosing.decisions import Decision
from thresher.results.experiment_results import Results
from thresher.results.selection import front_rows, topic_differences

from thresher.choosing.choices import Choice
from thresher.choosing.deciding import Terms
from thresher.reports.chart_rows import MOST_POINTS, of_choice, of_exploration, of_results, topic_rows
from thresher.reports.charts import (
    DASHES,
    DEEPEST,
    SERIES,
    Variants,
    cutoffs,
    frontier,
    number,
    on_held_out,
    overview,
    placed,
    series,
    topics,
)
from thresher.reports.html_parts import TEMPLATES, templates
from thresher.reports.plot_files import sweep_plot

QUICK = Terms(resamples=200, folds=2, repeats=1)
Layers = list[dict[str, Any]]


@pytest.fixture(scope="module")
def results() -> Results:
    return large(topics=20)


@pytest.fixture(scope="module")
def choice() -> Choice:
    return choice_of(explored(retrieval=("qld",)))


@pytest.fixture(scope="module")
def main(choice: Choice) -> Decision:
    return choice.models[0].main


@pytest.fixture(scope="module")
def model(choice: Choice) -> Variants:
    return of_choice(choice, choice.models[0])


def marks(layers: Layers, kind: str) -> Layers:
    return [layer for layer in layers if layer["mark"]["type"] == kind]


def own(layer: dict[str, Any], *fields: str) -> list[tuple[Any, ...]]:
    return [tuple(row[field] for field in fields) for row in layer["data"]["values"]]


def labels(layers: Layers) -> set[str]:
    return {row["label"] for layer in marks(layers, "text") for row in layer["data"]["values"]}


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


def test_the_frontier_marks_what_matters(model: Variants, main: Decision) -> None:
    layers = frontier(model)["layer"]
    front = sorted((round(100 * main.size_share(one.size), 1), round(one.mean, 10)) for one in main.front)
    assert own(marks(layers, "line")[0], "share", "mean") == front
    (diamond,) = [one for one in marks(layers, "point") if one["mark"]["shape"] == "diamond"]
    assert main.recommended is not None
    assert own(diamond, "name") == [(main.recommended.name,)]
    zero, margin = marks(layers, "rule")
    assert own(zero, "mean") == [(round(main.baseline_mean, 10),)]
    assert own(margin, "mean") == [(pytest.approx(main.baseline_mean - main.margin),)]
    assert labels(layers) == {"recommended", "baseline", "margin", "frontier"}


def test_losses_far_beyond_the_margin_do_not_press_the_rest_together(model: Variants) -> None:
    narrow = replace(model, margin=0.002)
    base = model.base[0] or 0.0
    low, _ = overview(narrow)["layer"][0]["encoding"]["y"]["scale"]["domain"]
    assert low < base - DEEPEST * 0.002
    assert low > min(row["mean"] for row in model.rows)
    (low, high) = cutoffs(narrow, "density")["vconcat"][0]["layer"][0]["encoding"]["y"]["scale"]["domain"]
    assert low == -DEEPEST * 0.002
    assert high == max(row["high"] for row in model.rows if row["sweep"] == "density")


def test_all_variants_are_in_one_chart(model: Variants, main: Decision) -> None:
    assert [row["name"] for row in model.rows] == [
        *(one.name for sweep in main.ordered_sweeps for one in sweep.laxest_first),
        *(one.name for one in main.singles),
    ]
    for row in model.rows:
        one = main.by_name[row["name"]]
        assert row["mean"] == round(one.mean, 10)
        assert row["share"] == round(100 * main.size_share(one.size), 1)
        assert row["line"] == (row["name"] != "justext")
    chart = overview(model)
    (line,) = marks(chart["layer"], "line")
    assert line["encoding"]["color"]["scale"]["domain"] == [
        "density",
        "perplexity(lm=books)",
        "cleaners without a sweep",
    ]
    assert line["encoding"]["color"]["legend"] is None
    assert {"recommended", "baseline", "margin"} == labels(chart["layer"])
    alone = overview(model, legend=True)["layer"]
    assert marks(alone, "line")[0]["encoding"]["color"]["legend"]["columns"] == 3
    front = {row["name"] for row in model.rows if row["front"]}
    assert {name for (name,) in own(marks(alone, "line")[1], "name")} == front
    names = labels(alone) - {"recommended", "baseline", "margin"}
    assert names
    assert names <= front


def test_runs_have_the_front_and_every_variant(results: Results) -> None:
    model = of_results(results, "qld")
    front = [row.variant for row in front_rows(results, "qld") if not row.is_baseline]
    assert [name for (name,) in own(marks(frontier(model)["layer"], "line")[0], "name")] == front
    rows = {row["name"]: row for row in model.rows}
    assert set(rows) == {row.variant for row in results.rows if not row.is_baseline}
    for row in results.rows:
        if not row.is_baseline:
            found = rows[row.variant]
            assert found["mean"] == round(row.measures[NDCG], 10)
            assert (found["low"], found["high"]) == (
                round(row.comparisons[NDCG].ci_low, 4),
                round(row.comparisons[NDCG].ci_high, 4),
            )
    assert labels(overview(model)["layer"]) == {"baseline"}


def test_held_out_topics_have_the_front_of_the_topics(results: Results) -> None:
    tested = large(topics=12, seed=8)
    model = of_results(replace(results, held_out=tested), "qld")
    held_out = on_held_out(model)
    there = {row.variant: round(row.measures[NDCG], 10) for row in tested.rows}
    assert {row["name"]: row["mean"] for row in held_out.rows} == {
        name: mean for name, mean in there.items() if name != "none"
    }
    assert held_out.base[0] == there["none"]
    assert held_out.measures[0] == "nDCG@10, held-out topics"
    fronts = ({row["name"] for row in one.rows if row["front"]} for one in (model, held_out))
    assert next(fronts) == next(fronts)


def test_a_curve_has_the_differences_between_their_bounds(choice: Choice, model: Variants, main: Decision) -> None:
    chart = cutoffs(model, "density")
    upper, middle, lower = (panel["layer"] for panel in chart["vconcat"])
    sweep = main.ordered_sweeps[0]
    rows = [row for row in model.rows if row["sweep"] == "density"]
    found = {row["at"]: (row["difference"], row["low"], row["high"]) for row in rows}
    assert found == {
        cutoff: (pytest.approx(one.test.difference, abs=1e-9), round(one.test.low, 4), round(one.test.high, 4))
        for cutoff, one in zip(sweep.cutoffs, sweep.variants, strict=True)
    }
    assert [(layer["mark"]["type"], layer["encoding"]["y"].get("field")) for layer in upper[:2]] == [
        ("area", "low"),
        ("rule", "difference"),
    ]
    assert upper[0]["encoding"]["y2"] == {"field": "high"}
    assert own(upper[2], "difference") == [(-main.margin,)]
    other = choice.models[0].others[0]
    assert [layer["encoding"]["color"]["datum"] for layer in middle] == ["P@10"]
    (kept, share) = middle[0]["transform"]
    assert share["calculate"] == f"100 * datum.means[1] / {round(other.baseline_mean, 10)}"
    assert kept["filter"] == "datum.kept"
    assert lower[0]["encoding"]["y"]["field"] == "share"
    # Pages mark the variant that is read, in both panels that have its value.
    assert [layer["name"] for layer in (*upper, *lower) if "name" in layer] == ["here_difference", "here_share"]


def test_cutoffs_have_axes_that_fit(model: Variants) -> None:
    def axis(sweep: str, rows: list[Any] | None = None) -> Any:
        shown = model if rows is None else replace(model, rows=tuple(rows))
        return cutoffs(shown, sweep)["vconcat"][-1]["layer"][0]["encoding"]["x"]

    wide = axis("perplexity(lm=books)")
    assert wide["scale"] == {"type": "log", "domain": [20, 900_000], "nice": False}
    assert wide["axis"] == {"values": [100, 1000, 10_000, 100_000], "format": "~s"}
    narrow = [{**row, "at": row["at"] + 30} for row in model.rows if row["sweep"] == "density"]
    assert "type" not in axis("density", narrow)["scale"]
    below = [{**row, "at": row["at"] - 1} for row in model.rows if row["sweep"] == "density"]
    assert "type" not in axis("density", below)["scale"]
    percentiles = [{**row, "sweep": "density@p"} for row in model.rows if row["sweep"] == "density"]
    even = axis("density@p", percentiles)
    assert "type" not in even["scale"]
    assert even["title"] == "cutoff, percentile of the collection's words"
    without = axis("cleaners without a sweep")
    assert without["title"] == "index size (bytes, estimated), % of the baseline's"


def test_a_measure_that_is_zero_at_the_baseline_and_a_variant_without_a_test() -> None:
    zero = replace(BASELINE, measures={"P@10": 0.0, NDCG: 0.5})
    words = replace(WORDS, comparisons={NDCG: WORDS.comparisons[NDCG], "P@10": WORDS.comparisons["P@10"]})
    two = (words, replace(words, variant="words@3", cutoff=3.0, comparisons={}))
    model = of_results(replace(small(), rows=(zero, *two)), "qld")
    chart = cutoffs(model, "words")
    assert len(chart["vconcat"]) == 2
    assert [row["low"] is None for row in model.rows] == [True, False]


def test_cutoffs_that_leave_all_or_next_to_nothing_are_outside_a_picture(model: Variants) -> None:
    rows = [row for row in model.rows if row["sweep"] == "density"]
    shown = list(sweep_plot(model, "density").rows)
    assert shown == rows[rows.index(shown[0]) :][: len(shown)]
    assert all(4 <= row["share"] <= 99 for row in shown[1:-1])
    assert shown[-1]["share"] < 4


def test_long_lines_are_thinned() -> None:
    choice = choice_of(explored(topics=26, held_out=26, retrieval=("qld",), points=900), QUICK)
    model = of_choice(choice, choice.models[0])
    rows = [row for row in model.rows if row["sweep"] == "density"]
    assert len(rows) == 900
    drawn = [row for row in rows if row["drawn"]]
    extra = [row for row in rows if row["front"] or row["recommended"]]
    assert MOST_POINTS <= len(drawn) <= MOST_POINTS + len(extra) + 1
    assert all(row["drawn"] for row in extra)
    assert rows[0]["drawn"]
    assert rows[-1]["drawn"]


def test_topics_are_in_order(results: Results) -> None:
    row = results.rows[3]
    rows = topic_rows(results, row, NDCG)
    assert [one["difference"] for one in rows] == [one.difference for one in topic_differences(results, row, NDCG)]
    assert [one["rank"] for one in rows] == list(range(1, 21))
    chart = topics("nDCG@10", ends=(-0.5, 0.5))
    assert chart["layer"][0]["encoding"]["y"]["scale"]["domain"] == [-0.5, 0.5]


def test_an_exploration_has_postings_and_means() -> None:
    exploration = explored()
    model = of_exploration(exploration, 1)
    assert (model.name, model.size) == ("bm25", "postings")
    sweeps = [sweep for sweep in exploration.sweeps if sweep.name != "none"]
    assert len(model.rows) == sum(len(sweep.variants) for sweep in sweeps)
    means = {name: mean for sweep in sweeps for name, mean in zip(sweep.variants, sweep.means(1, 0), strict=True)}
    assert {row["name"]: row["mean"] for row in model.rows} == {
        name: round(float(mean), 10) for name, mean in means.items()
    }


def test_a_choice_of_runs_has_its_sweeps_and_singles() -> None:
    _, choice = measured()
    model = of_choice(choice, choice.models[0])
    assert list(dict.fromkeys(row["sweep"] for row in model.rows)) == ["words", "cleaners without a sweep"]
    assert model.size == "index size"
    assert all(row["marked"] for row in model.rows)


def test_series_differ_by_colour_and_then_by_dashes() -> None:
    names = [f"scorer {number}" for number in range(14)]
    channels = series("sweep", names, True)
    looks = list(zip(*(channels[name]["scale"]["range"] for name in ("color", "strokeDash")), strict=True))
    assert len(set(looks)) == 14
    assert channels["color"]["legend"]["columns"] == 3
    assert series("sweep", ["a" * 70, "b"], True)["color"]["legend"]["columns"] == 1
    # The page's own legend shows the same.
    sample = (
        templates(TEMPLATES)
        .from_string(
            '{% from "macros.html.j2" import line_sample %}{% for at in range(14) %}{{ line_sample(at) }}{% endfor %}'
        )
        .render()
    )
    assert sample.count("<svg") == 14
    for colour, dash in looks:
        assert f'stroke="{colour}" stroke-width="3" stroke-dasharray="{" ".join(map(str, dash))}"' in sample
    assert {colour for colour, _ in looks} == set(SERIES)
    assert {dash for _, dash in looks} == set(DASHES[:3])


def test_labels_that_find_no_place_are_left_out() -> None:
    x, y = number("x", None, (0, 1)), number("y", None, (0, 1))
    crowd = [{"x": 0.5, "y": 0.5, "label": f"a rather long label {count}"} for count in range(40)]
    found = placed(crowd, [(0.5, 0.5)], x, y, (400, 300))
    assert 1 <= len(found) < 12
    assert len({(row["dx"], row["dy"]) for row in found}) == len(found)
    needed = placed([{**crowd[0], "needed": True}], [(place / 50, 0.5) for place in range(50)], x, y, (400, 40))
    assert len(needed) == 1

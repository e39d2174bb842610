"""Charts of variants: they have the table's numbers, mark what is recommended, and stay small."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from experiments import NDCG, made, small

from thresher.experiments.choosing.choices import Choice
from thresher.experiments.results import Results
from thresher.experiments.table import VariantTable
from thresher.reports.chart_rows import MOST_POINTS, answered_variants, topic_rows, variants_of
from thresher.reports.charts import (
    DASHES,
    DEEPEST,
    SERIES,
    Variants,
    cutoffs,
    frontier,
    leading,
    number,
    on_held_out,
    overview,
    placed,
    series,
    topics,
)
from thresher.reports.drawing import sweep_plot
from thresher.reports.html_parts import TEMPLATES, templates

Layers = list[dict[str, Any]]


@pytest.fixture(scope="module")
def table(judged: Results) -> VariantTable:
    return judged.tables[0]


@pytest.fixture(scope="module")
def model(table: VariantTable, choice: Choice) -> Variants:
    return answered_variants(table, choice)[1]


def marks(layers: Layers, kind: str) -> Layers:
    return [layer for layer in layers if layer["mark"]["type"] == kind]


def own(layer: dict[str, Any], *fields: str) -> list[tuple[Any, ...]]:
    return [tuple(row[field] for field in fields) for row in layer["data"]["values"]]


def labels(layers: Layers) -> set[str]:
    return {row["label"] for layer in marks(layers, "text") for row in layer["data"]["values"]}


def in_sweep(model: Variants, sweep: str) -> list[Any]:
    return [row for row in model.rows if row["sweep"] == sweep]


def test_the_frontier_marks_what_matters(model: Variants, table: VariantTable) -> None:
    layers = frontier(model)["layer"]
    front = [index for index in table.front(NDCG, (0, *table.candidates)) if index]
    low = layers[0]["encoding"]["y"]["scale"]["domain"][0]
    means = table.mean(NDCG)
    assert sorted(name for (name,) in own(marks(layers, "line")[0], "name")) == sorted(
        table.rows[index].name for index in front if means[index] >= low
    )
    (diamond,) = [one for one in marks(layers, "point") if one["mark"]["shape"] == "diamond"]
    assert own(diamond, "name") == [("none|dcp@0.5",)]
    zero, margin, bound = marks(layers, "rule")
    assert own(zero, "mean") == [(pytest.approx(means[0], abs=1e-9),)]
    assert model.margin is not None
    assert own(margin, "mean") == [(pytest.approx(means[0] - model.margin, abs=1e-9),)]
    assert labels(layers) == {"recommended", "baseline", "margin", "frontier"}
    # What is recommended has the bound of its test, here 0.02 below the baseline, as a line down from it.
    assert own(bound, "mean", "end") == [(own(diamond, "mean")[0][0], pytest.approx(means[0] - 0.02, abs=1e-4))]
    assert own(marks(layers, "tick")[0], "name", "end") == [("none|dcp@0.5", own(bound, "end")[0][0])]


def test_losses_far_beyond_the_margin_do_not_press_the_rest_together(model: Variants) -> None:
    narrow = replace(model, margin=0.002)
    least = min(row["mean"] for row in model.rows if row["recommended"])
    base = model.base[0] or 0.0
    low, _ = overview(narrow)["layer"][0]["encoding"]["y"]["scale"]["domain"]
    assert min(row["mean"] for row in model.rows) < low < min(least, base) - DEEPEST * 0.002
    (low, high) = cutoffs(narrow, "words")["vconcat"][0]["layer"][0]["encoding"]["y"]["scale"]["domain"]
    assert low == -DEEPEST * 0.002
    assert high > max(0.0, *(row["difference"] for row in in_sweep(model, "words")))


def test_all_variants_are_in_one_chart(model: Variants, table: VariantTable) -> None:
    assert sorted(row["name"] for row in model.rows) == sorted(row.name for row in table.rows[1:])
    for row in model.rows:
        index = table.position[row["name"]]
        assert row["mean"] == round(table.mean(NDCG)[index].item(), 10)
        assert row["share"] == round(100 * table.shares[index].item(), 1)
        assert row["size"] == table.rows[index].index.postings
    chart = overview(model)
    (line,) = marks(chart["layer"], "line")
    sweeps = [*table.sweeps, "variants without a sweep"]
    # What matters most has the first colours, and is shown first.
    first = ["none|dcp", "words", "words@5|dcp"]
    assert leading(model) == first == chart["params"][0]["value"]
    assert line["encoding"]["color"]["scale"]["domain"] == list(dict.fromkeys([*first, *sweeps]))
    assert line["encoding"]["color"]["legend"] is None
    assert {"recommended", "baseline", "margin"} == labels(chart["layer"])
    alone = overview(model, legend=True)["layer"]
    assert marks(alone, "line")[0]["encoding"]["color"]["legend"]["columns"] == 3
    low = alone[0]["encoding"]["y"]["scale"]["domain"][0]
    front = {row["name"] for row in model.rows if row["front"] and row["mean"] >= low}
    assert {name for (name,) in own(marks(alone, "line")[1], "name")} == front
    names = labels(alone) - {"recommended", "baseline", "margin"}
    assert names
    assert names <= front


def test_lines_join_cutoffs_and_of_combinations_the_best(model: Variants, table: VariantTable) -> None:
    joined = {row["name"] for row in model.rows if row["line"]}
    for members in table.sweeps.values():
        combined = any(table.rows[index].variant.cleaner_cutoff is not None for index in members)
        best = table.frontier(NDCG, members) if combined else members
        names = {table.rows[index].name for index in members}
        assert joined & names == {table.rows[index].name for index in best}
    assert not joined & {table.rows[index].name for index in table.singles}
    assert all(row["drawn"] for row in model.rows if row["line"] or row["sweep"] == "variants without a sweep")


def test_families_are_lines_of_their_best(model: Variants, table: VariantTable) -> None:
    best = {index for members in table.families.values() for index in table.frontier(NDCG, members)}
    assert {row["name"] for row in model.rows if row["best"]} == {table.rows[index].name for index in best}
    (line,) = marks(overview(model, "family")["layer"], "line")
    assert line["mark"]["interpolate"] == "step-after"
    assert line["encoding"]["color"]["scale"]["domain"] == [family.value for family in table.families]
    # Also those of no sweep, of which lines of sweeps have none.
    assert line["transform"] == [{"filter": "datum.best"}]
    assert any(row["best"] and not row["line"] for row in model.rows)


def test_held_out_topics_have_the_front_of_the_topics(model: Variants, table: VariantTable) -> None:
    held_out = on_held_out(model)
    there = {
        row.name: round(mean, 10) for row, mean in zip(table.rows, table.held_out_mean(NDCG).tolist(), strict=True)
    }
    assert {row["name"]: row["mean"] for row in held_out.rows} == {
        name: mean for name, mean in there.items() if name != "none"
    }
    assert held_out.base[0] == there["none"]
    assert held_out.measures[0] == "exp-nDCG@10, held-out topics"
    fronts = ({row["name"] for row in one.rows if row["front"]} for one in (model, held_out))
    assert next(fronts) == next(fronts)


def test_a_curve_has_the_differences_between_their_bounds(model: Variants, table: VariantTable) -> None:
    upper, middle, lower = (panel["layer"] for panel in cutoffs(model, "words")["vconcat"])
    means = table.mean(NDCG)
    for row in in_sweep(model, "words"):
        index = table.position[row["name"]]
        assert row["at"] == table.rows[index].variant.cutoff
        assert row["difference"] == pytest.approx(means[index] - means[0], abs=1e-9)
        built = table.rows[index].built
        assert built is not None
        assert (row["low"], row["high"]) == pytest.approx(built.comparisons[NDCG].interval, abs=1e-4)
    assert [(layer["mark"]["type"], layer["encoding"]["y"].get("field")) for layer in upper[:2]] == [
        ("area", "low"),
        ("rule", "difference"),
    ]
    assert upper[0]["encoding"]["y2"] == {"field": "high"}
    assert model.margin is not None
    assert own(upper[2], "difference") == [(-model.margin,)]
    assert [layer["encoding"]["color"]["datum"] for layer in middle] == ["P@10"]
    (kept, share) = middle[0]["transform"]
    assert share["calculate"] == f"100 * datum.means[1] / {model.base[1]}"
    assert kept["filter"] == "datum.kept"
    assert lower[0]["encoding"]["y"]["field"] == "share"
    # Pages mark the variant that is read, in both panels that have its value.
    assert [layer["name"] for layer in (*upper, *lower) if "name" in layer] == ["here_difference", "here_share"]


def test_cutoffs_have_axes_that_fit(model: Variants) -> None:
    rows = in_sweep(model, "words")

    def axis(sweep: str, change: Any) -> Any:
        shown = replace(model, rows=tuple({**row, "sweep": sweep, "at": change(row["at"])} for row in rows))
        return cutoffs(shown, sweep)["vconcat"][-1]["layer"][0]["encoding"]["x"]

    wide = axis("words", lambda cutoff: 20.0 if cutoff == 2 else 900_000.0 if cutoff == 24 else 100 * cutoff)
    assert wide["scale"] == {"type": "log", "domain": [20, 900_000], "nice": False}
    assert wide["axis"] == {"values": [100, 1000, 10_000, 100_000], "format": "~s"}
    for narrow in (axis("words", lambda cutoff: cutoff), axis("words", lambda cutoff: 100 * cutoff - 200)):
        assert "type" not in narrow["scale"]
    # From 0.5 to 98.5, and yet no logarithms.
    even = axis("words@p", lambda cutoff: 0.5 + 4.4 * (cutoff - 2))
    assert "type" not in even["scale"]
    assert even["title"] == "cutoff, percentile of the collection's words"
    without = cutoffs(model, "variants without a sweep")["vconcat"][-1]["layer"][0]["encoding"]["x"]
    assert without["title"] == "postings, % of the baseline's"


def test_cutoffs_end_where_next_to_nothing_is_left(model: Variants) -> None:
    rows = tuple({**row, "share": 4.9 if row["at"] > 20 else 80.0} for row in in_sweep(model, "words"))
    panels = cutoffs(replace(model, rows=rows), "words")["vconcat"]
    assert panels[-1]["layer"][0]["encoding"]["x"]["scale"]["domain"] == [
        2,
        max(row["at"] for row in rows if row["at"] <= 20),
    ]
    assert all(layer["mark"]["clip"] for panel in panels for layer in panel["layer"] if layer["mark"]["type"] == "line")
    # Unless that is all there is.
    nothing = tuple({**row, "share": 0.0} for row in rows)
    axis = cutoffs(replace(model, rows=nothing), "words")["vconcat"][-1]["layer"][0]["encoding"]["x"]
    assert axis["scale"]["domain"] == [2, max(row["at"] for row in rows)]


def test_a_measure_that_is_zero_at_the_baseline_has_no_panel() -> None:
    results = made(measures=(NDCG, "P@10"))
    values = results.tables[0].values.copy()
    values[1, 0] = 0
    model = variants_of(replace(results.tables[0], values=values))
    assert len(cutoffs(model, "words")["vconcat"]) == 2


def test_long_lines_are_thinned() -> None:
    names = {"none": 1.0, **{f"density@{number / 100:g}": 1 - number / 901 for number in range(1, 901)}}
    rows = in_sweep(variants_of(made(names, topics=3, only_explored=[*names]).tables[0]), "density")
    assert len(rows) == 900
    drawn = [row for row in rows if row["drawn"]]
    assert MOST_POINTS <= len(drawn) <= MOST_POINTS + 1 + sum(row["front"] for row in rows)
    assert all(row["drawn"] for row in rows if row["front"])
    assert rows[0]["drawn"]
    assert rows[-1]["drawn"]


def test_topics_are_in_order(table: VariantTable) -> None:
    rows = topic_rows(table, NDCG, 3)
    values = table.of(NDCG)
    assert sorted((row["topic"], row["difference"]) for row in rows) == sorted(
        zip(table.topics, (values[3] - values[0]).tolist(), strict=True)
    )
    assert [row["difference"] for row in rows] == sorted((row["difference"] for row in rows), reverse=True)
    assert [row["rank"] for row in rows] == list(range(1, len(table.topics) + 1))
    chart = topics("nDCG@10", ends=(-0.5, 0.5))
    assert chart["layer"][0]["encoding"]["y"]["scale"]["domain"] == [-0.5, 0.5]


def test_cutoffs_that_leave_all_or_next_to_nothing_are_outside_a_picture(model: Variants) -> None:
    rows = [
        {**row, "share": share} for row, share in zip(in_sweep(model, "words"), (100, 100, 60, 3, 2, 1), strict=False)
    ]
    assert [row["share"] for row in sweep_plot(replace(model, rows=tuple(rows)), "words").rows] == [100, 60, 3]


def test_a_combination_is_a_line_for_each_cutoff_of_the_scorer(model: Variants, table: VariantTable) -> None:
    pairs = [{**row, "pair": [5.0, row["cutoff"]], "cleaner": "words@5"} for row in model.rows]
    plot = sweep_plot(replace(model, rows=tuple(pairs)), "words")
    assert {row["sweep"] for row in plot.rows} == {"words@5"}
    assert all(row["line"] and row["drawn"] for row in plot.rows)
    assert len(plot.rows) == len(table.sweeps["words"])


def test_variants_that_nothing_was_chosen_of_have_intervals_of_their_tests() -> None:
    table = small().tables[0]
    for row in variants_of(table).rows:
        made_of = table.rows[table.position[row["name"]]].built
        assert made_of is not None
        assert (row["low"], row["high"]) == pytest.approx(made_of.comparisons[NDCG].interval)
    assert labels(overview(variants_of(table))["layer"]) == {"baseline"}


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

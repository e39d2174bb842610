"""Charts of variants: they have the table's numbers, mark what is recommended, and stay small."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from experiments import NAMES, NDCG, chosen, made, small

from thresher.choosing.choices import Choice
from thresher.reports.chart_rows import MOST_POINTS, SINGLES, answered_variants, topic_rows, variants_of
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
from thresher.variants.results import Results
from thresher.variants.table import VariantTable

Layers = list[dict[str, Any]]
BEST = "none|dcp@0.5"
DENSE = {
    "none": 1.0,
    **{f"perplexity(lm=books)@{round(20 * 1.5**at)}": 0.05 + 0.035 * at for at in range(27)},
    **{f"density@{cutoff}": 1 - cutoff / 101 for cutoff in range(1, 100)},
    "justext": 0.4,
}
"""Scores of which high ones are kept, and low ones over five decades."""


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


def test_rows_have_the_tables_numbers_sweep_by_sweep(table: VariantTable, model: Variants) -> None:
    members = [*(index for sweep in table.sweeps.values() for index in sweep), *table.singles]
    assert [row["name"] for row in model.rows] == [table.rows[index].name for index in members]
    assert list(dict.fromkeys(row["sweep"] for row in model.rows)) == [*table.sweeps, SINGLES]
    means = table.mean(NDCG)
    for row, index in zip(model.rows, members, strict=True):
        of_table = table.rows[index]
        assert row["mean"] == round(means[index], 10)
        assert row["difference"] == round(means[index] - means[0], 10)
        assert row["share"] == round(100 * table.shares[index], 1)
        assert of_table.bounds is not None
        assert (row["low"], row["high"]) == (round(of_table.bounds.low[NDCG], 4), round(means[index] - means[0], 4))
        assert row["cutoff"] == (of_table.variant.cutoff if row["sweep"] != SINGLES else None)
        assert row["front"] == (index in table.front(NDCG))
        assert row["recommended"] == (row["name"] == BEST)
        assert row["line"] == (row["sweep"] != SINGLES)
    assert [row["step"] for row in model.rows if row["sweep"] == "words"] == list(range(12))


def test_runs_have_their_own_intervals_and_no_margin() -> None:
    results = small()
    model = variants_of(results.tables[0])
    assert (model.margin, model.size, model.measures) == (None, "postings", ("nDCG@10", "P@10"))
    (row, _) = model.rows
    assert (row["low"], row["high"], row["verdict"]) == (0.0025, 0.0225, None)
    assert labels(overview(model)["layer"]) == {"baseline"}


def test_the_frontier_marks_what_matters(model: Variants, table: VariantTable, choice: Choice) -> None:
    layers = frontier(model)["layer"]
    front = [index for index in table.front(NDCG) if index]
    assert own(marks(layers, "line")[0], "share", "mean") == [
        (round(100 * table.shares[index], 1), round(table.mean(NDCG)[index], 10)) for index in front
    ]
    (diamond,) = [one for one in marks(layers, "point") if one["mark"]["shape"] == "diamond"]
    assert own(diamond, "name") == [(BEST,)]
    zero, margin = marks(layers, "rule")
    base = table.mean(NDCG)[0]
    assert own(zero, "mean") == [(round(base, 10),)]
    assert own(margin, "mean") == [(pytest.approx(base - choice.terms.margin.loss(table.of(NDCG)[0])),)]
    assert labels(layers) == {"recommended", "baseline", "margin", "frontier"}


def test_losses_far_beyond_the_margin_do_not_press_the_rest_together(model: Variants) -> None:
    narrow = replace(model, margin=0.002)
    base = model.base[0] or 0.0
    low, _ = overview(narrow)["layer"][0]["encoding"]["y"]["scale"]["domain"]
    assert min(row["mean"] for row in model.rows) < low < base - DEEPEST * 0.002
    (low, high) = cutoffs(narrow, "words")["vconcat"][0]["layer"][0]["encoding"]["y"]["scale"]["domain"]
    assert low == -DEEPEST * 0.002
    assert high == max(row["difference"] for row in model.rows if row["sweep"] == "words")


def test_all_variants_are_in_one_chart(model: Variants, table: VariantTable) -> None:
    (line,) = marks(overview(model)["layer"], "line")
    assert line["encoding"]["color"]["scale"]["domain"] == [*table.sweeps, SINGLES]
    assert {"recommended", "baseline", "margin"} == labels(overview(model)["layer"])
    alone = overview(model, legend=True)["layer"]
    front = {row["name"] for row in model.rows if row["front"]}
    assert {name for (name,) in own(marks(alone, "line")[1], "name")} == front
    assert labels(alone) - {"recommended", "baseline", "margin"} <= front
    families = overview(model, "family")["layer"]
    assert set(marks(families, "line")[0]["encoding"]["color"]["scale"]["domain"]) == {
        family.value for family in table.families
    }


def test_held_out_topics_have_the_front_of_the_topics(model: Variants, table: VariantTable) -> None:
    held_out = on_held_out(model)
    means = table.held_out_mean(NDCG)
    assert all(row["mean"] == round(means[table.position[row["name"]]], 10) for row in held_out.rows)
    assert held_out.base[0] == round(means[0], 10)
    assert held_out.measures[0] == "nDCG@10, held-out topics"
    assert [row["front"] for row in held_out.rows] == [row["front"] for row in model.rows]


def test_a_curve_has_the_differences_above_their_bounds(model: Variants) -> None:
    upper, middle, lower = (panel["layer"] for panel in cutoffs(model, "words")["vconcat"])
    assert [(layer["mark"]["type"], layer["encoding"]["y"].get("field")) for layer in upper[:2]] == [
        ("area", "low"),
        ("rule", "difference"),
    ]
    assert upper[0]["encoding"]["y2"] == {"field": "high"}
    assert own(upper[2], "difference") == [(-(model.margin or 0),)]
    assert [layer["encoding"]["color"]["datum"] for layer in middle] == ["P@10"]
    assert middle[0]["transform"][1]["calculate"] == f"100 * datum.means[1] / {model.base[1]}"
    assert lower[0]["encoding"]["y"]["field"] == "share"
    # Pages mark the variant that is read, in both panels that have its value.
    assert [layer["name"] for layer in (*upper, *lower) if "name" in layer] == ["here_difference", "here_share"]


def test_cutoffs_have_axes_that_fit() -> None:
    model = variants_of(made(DENSE, topics=10).tables[0])

    def axis(sweep: str, rows: list[Any] | None = None) -> Any:
        shown = model if rows is None else replace(model, rows=tuple(rows))
        return cutoffs(shown, sweep)["vconcat"][-1]["layer"][0]["encoding"]["x"]

    wide = axis("perplexity(lm=books)")
    assert wide["scale"]["type"] == "log"
    assert wide["axis"] == {"values": [100, 1000, 10_000, 100_000], "format": "~s"}
    narrow = [{**row, "at": row["at"] + 30} for row in model.rows if row["sweep"] == "density"]
    assert "type" not in axis("density", narrow)["scale"]
    percentiles = [{**row, "sweep": "density@p"} for row in model.rows if row["sweep"] == "density"]
    even = axis("density@p", percentiles)
    assert "type" not in even["scale"]
    assert even["title"] == "cutoff, percentile of the collection's words"
    assert axis(SINGLES)["title"] == "postings, % of the baseline's"


def test_a_measure_that_is_zero_at_the_baseline_has_no_ratios() -> None:
    results = small()
    table = results.tables[0]
    values = table.values.copy()
    values[0, 0] = 0
    assert len(cutoffs(variants_of(table), SINGLES)["vconcat"]) == 3
    assert len(cutoffs(variants_of(replace(table, values=values)), SINGLES)["vconcat"]) == 2


def test_cutoffs_that_leave_all_or_next_to_nothing_are_outside_a_picture() -> None:
    model = variants_of(made(DENSE, topics=10).tables[0])
    rows = [row for row in model.rows if row["sweep"] == "density"]
    shown = list(sweep_plot(model, "density").rows)
    assert shown == rows[rows.index(shown[0]) :][: len(shown)]
    assert all(4 <= row["share"] <= 99 for row in shown[1:-1])
    assert shown[-1]["share"] < 4


def test_long_lines_are_thinned() -> None:
    names = {"none": 1.0, **{f"density@{cutoff}": 1 - cutoff / 1000 for cutoff in range(1, 901)}}
    model = variants_of(made(names, topics=6, only_explored=[*names]).tables[0], recommended="density@7")
    drawn = [row for row in model.rows if row["drawn"]]
    extra = [row for row in model.rows if row["front"] or row["recommended"]]
    assert MOST_POINTS <= len(drawn) <= MOST_POINTS + len(extra) + 1
    assert all(row["drawn"] for row in (*extra, model.rows[0], model.rows[-1]))


def test_topics_are_in_order(table: VariantTable) -> None:
    rows = topic_rows(table, NDCG, 3)
    differences = [one["difference"] for one in rows]
    assert differences == sorted(differences, reverse=True)
    assert sorted(differences) == sorted((table.of(NDCG)[3] - table.of(NDCG)[0]).tolist())
    assert [one["rank"] for one in rows] == list(range(1, 61))
    chart = topics("nDCG@10", ends=(-0.5, 0.5))
    assert chart["layer"][0]["encoding"]["y"]["scale"]["domain"] == [-0.5, 0.5]


def test_without_an_answer_nothing_is_marked() -> None:
    results = made(only_explored=list(NAMES))
    main, model = answered_variants(results.tables[0], chosen(results, None))
    assert main == NDCG
    assert not any(row["recommended"] for row in model.rows)
    assert model.margin is not None


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

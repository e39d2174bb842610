"""What is chosen and tested held-out, and runs of other systems."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import numpy as np
import pytest
from experiments import NAMES, NDCG, made, small, variant, with_system
from messages import assert_names
from scipy.stats import wilcoxon
from test_variant_tables import column

from thresher.experiments.held_out import chosen_on_topics
from thresher.reports.chosen_sentences import held_out_findings
from thresher.reports.formatting import MARKS, NOTHING, being, change_text, direction
from thresher.reports.further_tables import (
    CHOSEN_COLUMNS,
    chosen_table,
    held_out_table,
    report_table,
    system_columns,
    systems_table,
)
from thresher.reports.table import csv_table, measure_header
from thresher.reports.variant_tables import all_variants_table


def test_what_topics_choose_is_tested_on_others_as_one_family() -> None:
    results = made(held_out=30, seed=7)
    (table,) = results.tables
    chosen = chosen_on_topics(results)
    assert [one.sweep for one in chosen] == [*table.sweeps, *[None] * len(table.singles)]
    for one in chosen:
        members = table.sweeps[one.sweep] if one.sweep else (one.index,)
        assert one.training == max(table.mean(NDCG)[list(members)])
        values = table.held_out[1]
        assert one.comparison.p == pytest.approx(wilcoxon(values[one.index] - values[0]).pvalue, rel=1e-6)
        if one.sweep:
            assert one.best is not None
            assert one.best_held_out == max(table.held_out_mean(NDCG)[list(members)])
            assert one.optimism == pytest.approx(one.best_held_out - one.held_out)
    # Holm's correction over what was chosen alone.
    ps = sorted(one.comparison.p for one in chosen)
    corrected = np.maximum.accumulate([min(1.0, p * (len(ps) - rank)) for rank, p in enumerate(ps)])
    assert sorted(one.comparison.p_corrected or 0 for one in chosen) == pytest.approx(list(corrected))
    lines = list(csv.DictReader(io.StringIO(csv_table(CHOSEN_COLUMNS, chosen_on_topics(results)))))
    assert [line["chosen"] for line in lines] == [one.chosen for one in chosen]
    assert [float(line["held_out p_corrected"]) for line in lines] == [one.comparison.p_corrected for one in chosen]
    shown = chosen_table(results)
    assert shown is not None
    assert column(shown, "chosen") == [one.chosen for one in chosen]


def test_the_chosen_variants_stand_below_the_baseline_by_all_measures() -> None:
    """The form of the paper's Table 3: a mark for each measure in which the held-out topics show a difference."""
    results = made(held_out=30, seed=7)
    (table,) = results.tables
    chosen = chosen_on_topics(results)
    shown = held_out_table(results)
    assert shown is not None
    assert column(shown, "variant") == ["none", *(one.chosen for one in chosen)]
    marks = set()
    for measure in results.measures:
        cells = column(shown, measure_header(measure).name)
        own = {one.chosen: one.comparisons[measure] for one in chosen}
        ps = sorted(comparison.p for comparison in own.values())
        corrected = np.maximum.accumulate([min(1.0, p * (len(ps) - rank)) for rank, p in enumerate(ps)])
        assert sorted(comparison.p_corrected or 0 for comparison in own.values()) == pytest.approx(list(corrected))
        for cell, index in zip(cells, [0, *(one.index for one in chosen)], strict=True):
            value, mark = cell[:6], cell[6:]
            assert value == f"{table.held_out_mean(measure)[index]:.4f}"
            assert mark == MARKS[direction(own.get(table.rows[index].name))]
            marks.add(mark)
    assert len(marks) > 1
    assert str(len(chosen)) in shown.caption
    assert "30" in shown.caption


def test_without_held_out_topics_nothing_is_chosen() -> None:
    assert chosen_on_topics(small()) == ()
    assert chosen_table(small()) is None
    assert held_out_table(small()) is None
    explored = made(held_out=10, only_explored=list(NAMES))
    assert chosen_on_topics(explored) == ()


def test_runs_of_other_systems_stand_beside_the_baseline() -> None:
    results = with_system(made(topics=20))
    (system,) = results.facts.systems
    (line,) = csv.DictReader(io.StringIO(csv_table(system_columns(results.measures), results.facts.systems)))
    assert line["system"] == "other"
    assert float(line[NDCG]) == pytest.approx(system.values[1].mean())
    assert int(line[f"{NDCG} L"]) == system.comparisons[NDCG].losses
    assert line["retrieved"] == "20"
    shown = systems_table(results)
    assert shown is not None
    assert column(shown, "system") == ["other"]
    assert systems_table(small()) is None


def test_runs_of_other_systems_are_the_last_rows_of_the_reports_table() -> None:
    results = with_system(made(topics=20))
    (system,) = results.facts.systems
    known_size = replace(system, index_bytes=int(results.tables[0].index_bytes[0]) // 2)
    results = replace(results, facts=replace(results.facts, systems=(known_size,)))
    shown = report_table(results)
    variants = all_variants_table(results)
    assert shown.rows[:-1] == variants.rows
    assert shown.rules[-1] == len(variants.rows)
    cells = dict(zip([head.title for head in shown.columns], shown.rows[-1], strict=True))
    by_main = system.comparisons[NDCG]
    assert cells["variant"].text == "other"
    assert cells["exp-nDCG@10"].text == f"{system.values[1].mean():.4f}"
    assert cells["exp-nDCG@10"].mark == MARKS[direction(by_main)]
    assert cells["W/T/L (topics)"].text == f"{by_main.wins}/{by_main.ties}/{by_main.losses}"
    assert cells["bytes (% of baseline)"].text == "50.0"
    assert cells["words kept (%)"].text == NOTHING
    assert "Runs of other systems: other." in shown.note
    assert report_table(small()) == all_variants_table(small())


def test_sentences_say_which_chosen_variants_differ_on_held_out_topics() -> None:
    results = made(held_out=30, seed=7)
    chosen = chosen_on_topics(results)
    better = [choice for choice in chosen if choice.comparison.direction == "better"]
    worse = [choice for choice in chosen if choice.comparison.direction == "worse"]
    counts, differences = held_out_findings(results.facts, chosen, len(chosen))
    assert_names(
        counts,
        f"{len(chosen)} variants",
        "30 held-out topics",
        being(len(better)),
        "better",
        being(len(worse)),
        "worse",
    )
    assert better or worse
    for choice in better + worse:
        assert f"{choice.chosen} ({change_text(choice.comparison.difference)})" in differences
    assert differences.count("(") == sum(choice.comparison.direction != "none" for choice in chosen)
    assert [*held_out_findings(small().facts, (), 0)] == []


def test_a_name_is_parsed_into_sweep_and_cutoff() -> None:
    assert [(one.sweep, one.cutoff) for one in map(variant, ("none", "words@5", "none|dcp@0.5", "bte"))] == [
        (None, None),
        ("words", 5.0),
        ("none|dcp", 0.5),
        (None, None),
    ]
    assert replace(variant("words@5"), cutoff=5.0).name == "words@5"

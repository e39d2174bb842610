"""The table of variants as CSV files and as tables: each number where its column says, nothing else."""

from __future__ import annotations

import csv
import io
import math
from dataclasses import replace

import numpy as np
import pytest
from experiments import DOCUMENTS, MEASURES, NAMES, NDCG, made, small, with_system
from hypothesis import given
from hypothesis import strategies as st

from thresher.base.errors import StateError
from thresher.base.repeats import BreakEven, Payoff
from thresher.experiments.results import Results
from thresher.experiments.table import Built
from thresher.reports.columns import csv_fields
from thresher.reports.formatting import MARKS, direction
from thresher.reports.methods import methods
from thresher.reports.table import Table, spread
from thresher.reports.topic_rows import topic_changes
from thresher.reports.variant_columns import variant_columns
from thresher.reports.variant_rows import VariantRow, variant_rows
from thresher.reports.variant_tables import (
    all_variants_table,
    costs_table,
    frontier_table,
    main_table,
    per_topic_csv,
    results_csv,
    shown_rows,
    topics_table,
)

PRUNED = [name for name in NAMES if "|dcp" in name]


def read(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def column(table: Table, header: str, unit: str = "") -> list[str]:
    """Return the texts of a column below its head."""
    (place,) = [at for at, head in enumerate(table.columns) if (head.header, head.unit) == (header, unit)]
    return [cells[place].text + cells[place].mark for cells in table.rows]


@pytest.fixture(scope="module")
def results() -> Results:
    return with_system(made(held_out=20, retrievals=("qld", "bm25"), only_explored=PRUNED))


def test_results_csv_has_every_number_of_every_variant(results: Results) -> None:
    lines = iter(read(results_csv(results)))
    for table in results.tables:
        for index, one in enumerate(table.rows):
            line = next(lines)
            assert (line["retrieval"], line["variant"]) == (table.retrieval, one.name)
            assert line["family"] == one.variant.family.value
            assert line["cutoff"] == ("" if one.variant.cutoff is None else repr(one.variant.cutoff))
            assert line["bytes"] == ("" if one.bytes is None else str(one.bytes))
            assert [int(line[name]) for name in ("documents", "postings", "words")] == [
                one.index.documents,
                one.index.postings,
                one.words,
            ]
            assert float(line["postings_share"]) == one.index.postings / table.baseline.index.postings
            assert float(line["query_postings"]) == pytest.approx(table.query_postings[index].mean())
            for number, measure in enumerate(MEASURES):
                values, others = table.values[number], table.held_out[number]
                assert float(line[measure]) == pytest.approx(values[index].mean())
                assert float(line[f"held_out {measure}"]) == pytest.approx(others[index].mean())
                if index:
                    difference = (values[index] - values[0]).mean()
                    assert float(line[f"{measure} difference"]) == pytest.approx(difference, abs=1e-12)
                compared = one.built.comparisons.get(measure) if one.built else None
                assert line[f"{measure} p_corrected"] == ("" if compared is None else repr(compared.p_corrected))
                assert line[f"{measure} W"] == ("" if compared is None else str(compared.wins))
            query = one.built.query if one.built else None
            for name, value in (("query_ratio", "value"), ("query_ratio_low", "low"), ("query_ratio_high", "high")):
                assert line[name] == ("" if query is None else repr(getattr(query.ratio, value)))
    assert next(lines, None) is None


def test_columns_have_a_name_each_and_say_what_they_mean() -> None:
    columns = [*csv_fields(variant_columns(MEASURES))]
    assert len({one.name for one in columns}) == len(columns)
    assert all(not one.meaning[0].islower() or one.meaning.startswith(NDCG) for one in columns)
    assert all(one.meaning.endswith(".") for one in columns)


def test_columns_without_any_value_are_left_out(results: Results) -> None:
    names = set(read(results_csv(results))[0])
    untimed = set(read(results_csv(made(timed=False)))[0])
    assert untimed < names
    assert not [
        name for name in untimed if name.startswith(("query_ratio", "indexing_seconds", "held_out", "break_even"))
    ]
    explored = set(read(results_csv(made(only_explored=[*NAMES])))[0])
    assert not [name for name in explored if name.startswith(("clean_", "index_")) or name.endswith(" p_corrected")]
    assert {"retrieval", "variant", NDCG, f"{NDCG} difference", "postings"} <= explored


def test_a_measure_that_the_results_lack_is_an_error_of_one_line(results: Results) -> None:
    """A damaged choice.json may name one."""
    with pytest.raises(StateError, match="no measure 'P@7'"):
        results.tables[0].mean("P@7")


def test_columns_do_not_depend_on_how_long_anything_took(results: Results) -> None:
    def too_short(built: Built) -> Built:
        return replace(
            built,
            clean=replace(built.clean, co2_grams=None),
            index=replace(built.index, co2_grams=None),
            footprints=tuple(replace(footprint, kwh=None, kg=None) for footprint in built.footprints),
            break_even=built.break_even and BreakEven(Payoff.UNKNOWN),
        )

    tables = []
    for table in results.tables:
        rows = [replace(row, built=row.built and too_short(row.built)) for row in table.rows]
        tables.append(table.with_rows(rows))
    long, short = (read(results_csv(found))[0] for found in (results, replace(results, tables=tuple(tables))))
    assert list(short) == list(long)
    assert {"indexing_kwh_low", "tag_removal_kg", "index_co2_grams", "break_even_until"} <= short.keys()
    assert short["indexing_kwh"] == short["index_co2_grams"] == ""


def test_values_by_topic_are_those_of_built_variants_and_systems(results: Results) -> None:
    lines = read(per_topic_csv(results))
    found = {
        tuple(line[name] for name in ("variant", "retrieval", "held_out", "topic", "measure")): line["value"]
        for line in lines
    }
    assert len(found) == len(lines)
    variants, topics = len(NAMES) - len(PRUNED), 60 + 20
    assert len(lines) == 2 * variants * topics * len(MEASURES) + 60 * len(MEASURES)
    table = results.tables[1]
    for index in (0, 3):
        for number, measure in enumerate(MEASURES):
            for place, topic in enumerate(table.held_out_topics):
                key = (table.rows[index].name, "bm25", "1", topic, measure)
                assert float(found[key]) == table.held_out[number, index, place]
    assert float(found["other", "qld", "0", "7", NDCG]) == results.facts.systems[0].values[1, 7]


def test_the_main_table_shows_what_was_built(results: Results) -> None:
    table = main_table(results)
    assert column(table, "variant") == 2 * [name for name in NAMES if name not in PRUNED]
    assert [head.header for head in table.columns[:2]] == ["variant", "retrieval"]
    assert table.keys == 2
    words = small()
    shown = main_table(words)
    assert column(shown, "exp-nDCG@10") == ["0.4250", "0.4375†+", "0.3250†−"]
    assert column(shown, "W/T/L", "topics") == ["–", "6/1/1", "1/0/7"]
    assert column(shown, "postings", "% of baseline") == ["100.0", "50.0", "25.0"]
    assert column(shown, "index", "MB") == ["2.500", "1.250", "0.625"]
    assert column(shown, "emptied", "pages") == ["0", "10", "100"]
    assert column(shown, "time of a query", "by baseline's") == ["1.000", "0.500", "not measurable here"]
    assert column(shown, "break-even", "queries") == ["–", "12,800 (11,636 to 14,222)", "–"]
    assert "8 topics" in shown.caption
    assert "α = 0.05" in shown.caption


def test_without_tests_none_are_spoken_of() -> None:
    """As after `run --chosen`: all variants that were built were selected on the topics."""
    results = made({"none": 1.0, "words@5": 0.5}, topics=40)
    table = results.tables[0]
    rows = list(table.rows)
    built = rows[1].built
    assert built
    comparisons = {measure: replace(comparison, selected=True) for measure, comparison in built.comparisons.items()}
    rows[1] = replace(rows[1], built=replace(built, comparisons=comparisons))
    chosen = replace(results, tables=(table.with_rows(rows),))
    assert chosen.tests == 0
    evaluation = " ".join(dict(methods(chosen))["Evaluation"])
    for text in (main_table(chosen).caption, frontier_table(chosen, 9).caption, evaluation):
        assert "Holm" not in text
        assert "Wilcoxon" not in text
    assert "selected on these topics" in main_table(chosen).caption
    for text in (main_table(results).caption, frontier_table(results, 9).caption):
        assert "Holm correction over" in text


def test_where_nothing_was_built_the_best_of_each_sweep_is_shown() -> None:
    found = made(only_explored=list(NAMES))
    table = found.tables[0]
    shown = [row.record.name for row in shown_rows(table, None)]
    best = [max(members, key=lambda index: table.mean(NDCG)[index]) for members in table.sweeps.values()]
    assert shown == [table.rows[index].name for index in sorted({0, *best, *table.singles})]
    assert len(main_table(found).rows) == len(shown)


def test_a_limit_keeps_singles_and_the_best_of_each_sweep() -> None:
    table = made().tables[0]
    best = {table.best(table.main, members) for members in table.sweeps.values()}
    for limit in range(1, 31):
        shown = [row.index for row in shown_rows(table, limit)]
        assert {0, *best, *table.singles} <= set(shown)
        assert len(shown) <= max(limit, 1 + len(best) + len(table.singles))
        assert shown == sorted(set(shown))


@given(st.integers(0, 50), st.integers(0, 60))
def test_spread_indices_reach_both_ends(count: int, keep: int) -> None:
    found = spread(count, keep)
    assert found == sorted(set(found))
    assert len(found) == min(count, keep)
    if keep > 1 and count > 1:
        assert (found[0], found[-1]) == (0, count - 1)


def test_a_cut_table_says_where_the_rest_is(results: Results) -> None:
    table = main_table(results, 10)
    assert len(table.rows) < 2 * len(NAMES)
    assert f"{len(table.rows)} of {2 * len(NAMES)} rows" in table.caption
    assert "results.csv" in table.caption
    assert "results.csv" not in main_table(small()).caption


def test_the_answer_has_the_baseline_the_front_and_what_is_recommended(results: Results) -> None:
    table = results.tables[0]
    rows = column(frontier_table(results, 12, ["bte"]), "variant")
    for one in results.tables:
        front = {one.rows[index].name for index in one.front(one.main)}
        assert {"none", "bte"} <= set(rows)
        assert set(rows) - {"none", "bte"} <= front | {
            one.rows[i].name for t in results.tables for i in t.front(t.main)
        }
    assert len(rows) <= 12 + 2
    alone = frontier_table(replace(results, tables=(table,)), 99)
    shares = [float(text) for text in column(alone, "postings", "% of baseline")]
    assert shares == sorted(shares, reverse=True)
    # Of ties only the smallest is shown, beside the baseline.
    baseline, *means = [text[:6] for text in column(alone, "exp-nDCG@10")]
    assert len(set(means)) == len(means)
    front = {f"{table.mean(table.main)[index]:.4f}" for index in table.front(table.main, (0, *table.candidates))}
    assert {baseline, *means} >= front


def test_all_variants_have_their_work_and_their_held_out_means(results: Results) -> None:
    table = all_variants_table(small())
    assert column(table, "postings", "index") == ["80,000", "40,000", "20,000"]
    assert column(table, "scored", "a query") == ["320", "160", "80"]
    held_out = all_variants_table(results)
    means = results.tables[0].held_out_mean(NDCG)
    cells = column(held_out, "exp-nDCG@10", "held out")[: len(NAMES) - len(PRUNED)]
    shown = [index for index, name in enumerate(NAMES) if name not in PRUNED]
    assert [cell.rstrip("†+−") for cell in cells] == [f"{means[index]:.4f}" for index in shown]
    directions = [direction(VariantRow(results.tables[0], index).held_out_comparison(NDCG)) for index in shown]
    assert [cell[6:] for cell in cells] == [MARKS[each] for each in directions]
    assert len(set(directions)) > 1


def test_all_variants_have_the_parts_of_their_indexes_as_shares_of_the_bytes() -> None:
    table = all_variants_table(small())
    assert column(table, "postings", "% of bytes") == ["60.0"] * 3
    assert column(table, "dictionary", "% of bytes") == ["39.6"] * 3
    assert column(table, "description", "% of bytes") == ["0.4"] * 3
    explored = all_variants_table(made(only_explored=list(NAMES)))
    assert "% of bytes" not in [head.unit for head in explored.columns]


def test_costs_stand_beside_the_noise_floor() -> None:
    table = costs_table(small())
    assert column(table, "index", "MB") == ["2.500", "1.250", "0.625"]
    assert column(table, "searching ratio", "by baseline's") == [
        "1.000",
        "0.500 (0.450 to 0.550)",
        "0.250 (0.225 to 0.275)",
    ]
    assert column(table, "searching wall", "ms")[1] == "0.625 (0.563 to 0.688)"
    assert column(table, "searching difference") == ["", "measurable", "not measurable here"]
    assert column(table, "repeated indexing difference") == ["", "measurable", "measurable"]
    assert all(number in table.note for number in ("1.008", "0.990", "1.030", "9 rounds"))
    assert column(table, "cleaning CPU", "s") == ["1.4"] * 3
    assert column(table, "indexing CO₂", "g") == ["0.0213"] * 3


def test_footprints_have_bounds_where_work_was_repeated_and_none_below_resolution() -> None:
    table = costs_table(small())
    assert column(table, "tag removal", "kWh") == ["0.0000417"] * 3
    assert column(table, "indexing", "kg CO₂")[0] == "0.0000189 (0.0000171 to 0.0000208)"
    assert column(table, "indexing", "kWh")[2] == "below resolution"
    line = read(results_csv(small()))[2]
    assert line["indexing_kwh"] == ""
    assert float(line["indexing_hours"]) == pytest.approx(0.5 / 3600)


def test_without_times_there_are_no_columns_of_times() -> None:
    untimed = costs_table(made(timed=False))
    heads = {head.header for head in untimed.columns}
    assert {"variant", "index", "cleaning wall", "tag removal", "scoring"} <= heads
    assert not [head for head in heads if "ratio" in head or "searches" in head or "difference" in head]
    assert untimed.note == ""


def test_topics_stand_from_the_most_gained_to_the_most_lost(results: Results) -> None:
    table = results.tables[0]
    index = table.position["words@8"]
    changes = topic_changes(results, table, NDCG, index)
    values = table.of(NDCG)
    by_topic = {topic: (values[0, place], values[index, place]) for place, topic in enumerate(table.topics)}
    assert {change.topic: (change.baseline, change.variant) for change in changes} == by_topic
    differences = [change.difference for change in changes]
    assert differences == sorted(differences, reverse=True)
    shown = topics_table(changes, NDCG, "words@8")
    assert column(shown, "topic") == [change.topic for change in changes]
    assert column(shown, "query")[0] == results.facts.topics[changes[0].topic]
    won = len([difference for difference in differences if difference > 0])
    assert f"{won} topics won" in shown.caption


def test_an_empty_baseline_has_no_shares() -> None:
    found = small()
    (table,) = found.tables
    empty = replace(table.rows[0], words=0, bytes=0, index=replace(table.rows[0].index, postings=0))
    alone = replace(found, tables=(table.only((0,)).with_rows((empty,)),))
    line = read(results_csv(alone))[0]
    assert "postings_share" not in line
    assert column(main_table(alone), "postings", "% of baseline") == ["–"]


def test_every_row_knows_its_variant(results: Results) -> None:
    rows = variant_rows(results)
    assert len(rows) == 2 * len(NAMES)
    assert rows[1].record is results.tables[0].rows[1]
    assert (rows[0].is_baseline, rows[1].is_baseline) == (True, False)
    assert rows[0].comparison(NDCG) is None
    assert rows[0].difference(NDCG) is None
    assert VariantRow(results.tables[0], 1).comparison(NDCG) is not None
    assert all(math.isfinite(row.table.shares[row.index]) for row in rows)
    assert np.all(results.tables[0].emptied <= DOCUMENTS)

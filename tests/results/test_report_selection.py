"""Which rows stand for an experiment."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from report_samples import BASELINE, JUSTEXT, NDCG, WORDS, comparison, large, small

from thresher.errors import InputError
from thresher.results.selection import (
    baseline_row,
    best_of,
    compared_measures,
    direction,
    finalists,
    front_rows,
    main_measure,
    retrievals,
    shown_rows,
    spread,
    sweep_rows,
    sweeps,
    topic_differences,
)


def test_directions() -> None:
    assert direction(None) == "none"
    assert direction(comparison("P@10", 0.1, 5, 0, 0, 0.049)) == "better"
    assert direction(comparison("P@10", -0.1, 5, 0, 0, 0.049)) == "worse"
    assert direction(comparison("P@10", 0.1, 5, 0, 0, 0.05)) == "none"
    assert direction(comparison("P@10", 0.1, 5, 0, 0, float("nan"))) == "none"
    # Its own level counts, and p itself where nothing is corrected: a quarter of p_holm in these samples.
    assert direction(replace(comparison("P@10", 0.1, 5, 0, 0, 0.05), alpha=0.06)) == "better"
    assert direction(replace(comparison("P@10", 0.1, 5, 0, 0, 0.049), alpha=0.01)) == "none"
    assert direction(replace(comparison("P@10", 0.1, 5, 0, 0, 0.16), p_holm=None)) == "better"
    assert direction(replace(comparison("P@10", 0.1, 5, 0, 0, 0.2), p_holm=None)) == "none"
    assert direction(replace(comparison("P@10", 0.1, 5, 0, 0, 0.01), effect=-0.2)) == "mixed"
    assert direction(replace(comparison("P@10", 0.0, 5, 0, 0, 0.01), effect=-0.2)) == "worse"


def test_the_main_measure_is_the_first_tested_ndcg_or_the_last_tested() -> None:
    assert main_measure(small()) == NDCG
    tested = replace(small(), measures=("nDCG@5", "AP", "P@10"), rows=(BASELINE, WORDS))
    assert main_measure(tested) == "P@10"  # nDCG@5 was not tested
    assert main_measure(replace(small(), rows=(BASELINE,), measures=("P@10", "AP"))) == "AP"
    with pytest.raises(InputError) as caught:
        main_measure(replace(small(), rows=(BASELINE,), measures=()))
    assert str(caught.value) == (
        "tiny: the results hold no measure. Fix: name at least one measure in the experiment file."
    )


def test_groups_of_a_large_experiment() -> None:
    results = large(topics=12, retrievals=("qld", "qld(exact)"))
    assert retrievals(results) == ("qld", "qld(exact)")
    assert sweeps(results) == ("words", "density", "perplexity(lm=books)")
    assert compared_measures(results) == ("P@10", "AP", NDCG)
    assert [row.cutoff for row in sweep_rows(results, "words", "qld")][:3] == [1, 2, 3]
    best = [best_of(sweep_rows(results, name, "qld"), NDCG).variant for name in sweeps(results)]
    singles = [
        row.variant for row in results.rows if row.sweep is None and not row.is_baseline and row.retrieval == "qld"
    ]
    found = finalists(results, "qld")
    assert {row.variant for row in found} == set(best) | set(singles)
    assert [row.measures[NDCG] for row in found] == sorted((row.measures[NDCG] for row in found), reverse=True)


def test_of_equal_rows_the_smaller_index_is_better_and_nan_never_wins() -> None:
    smaller = replace(WORDS, variant="smaller", index_bytes=1)
    broken = replace(WORDS, variant="broken", index_bytes=0, measures={NDCG: float("nan")})
    assert best_of([WORDS, broken, smaller], NDCG) == smaller


def test_the_front_is_what_no_row_beats_twice() -> None:
    results = large(topics=12)
    expected = sorted(
        row.index_bytes
        for row in results.rows
        if not any(
            other.index_bytes <= row.index_bytes
            and other.measures[NDCG] >= row.measures[NDCG]
            and (other.index_bytes, other.measures[NDCG]) != (row.index_bytes, row.measures[NDCG])
            for other in results.rows
        )
    )
    assert [row.index_bytes for row in front_rows(results, "qld")] == expected


def test_a_short_list_keeps_what_matters() -> None:
    results = large(topics=12)
    shown = shown_rows(results, 20)
    assert len(shown) == 20
    names = [row.variant for row in shown]
    assert names == [row.variant for row in results.rows if row.variant in names]
    for sweep in sweeps(results):
        members = sweep_rows(results, sweep, "qld")
        assert best_of(members, NDCG) in shown
        assert members[0] in shown
        assert members[-1] in shown
    assert all(row in shown for row in results.rows if row.sweep is None)
    assert len(shown_rows(results, 1)) == 11  # one baseline, seven singles, three best
    assert shown_rows(results, None) == shown_rows(results, 68) == results.rows


@given(st.integers(0, 200), st.integers(0, 50))
def test_spread_is_even_and_ascending(count: int, keep: int) -> None:
    places = spread(count, keep)
    assert len(places) == min(count, keep)
    assert places == sorted(set(places))
    assert all(0 <= place < count for place in places)
    if 2 <= keep <= count:
        assert (places[0], places[-1]) == (0, count - 1)
        steps = {after - before for before, after in pairwise(places)}
        assert max(steps) - min(steps) <= 1


def test_topic_differences_pair_topics_and_sort_them() -> None:
    found = topic_differences(small(), JUSTEXT, NDCG)
    assert [(item.difference, item.topic) for item in found] == sorted(
        ((item.difference, item.topic) for item in found), key=lambda pair: (-pair[0], pair[1])
    )
    assert all(item.difference == item.value - item.baseline for item in found)
    assert [(item.query, item.baseline) for item in found if item.topic == "4"] == [("query 4", 0.45)]
    kept = tuple(value for value in small().per_topic if not (value.variant == "none" and value.topic == "3"))
    assert {item.topic for item in topic_differences(replace(small(), per_topic=kept), JUSTEXT, NDCG)} == set("1245678")


def test_a_missing_baseline_is_an_error() -> None:
    with pytest.raises(InputError) as caught:
        baseline_row(replace(small(), rows=(WORDS,)), "qld")
    assert str(caught.value) == ("tiny: there is no baseline for qld. Fix: run the experiment with the variant none.")

"""Results to JSON and back."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from report_samples import BASELINE, WORDS, large, small

from thresher.costs import BreakEven, Footprint, Interval, MeasuredTime
from thresher.errors import InputError
from thresher.evaluation.significance import Comparison
from thresher.lucene.query_rounds import CollectorPauses
from thresher.lucene.work import IndexStatistics, QueryWork
from thresher.results.experiment_results import RESULTS, Cost, NoiseFloor, Results, TopicValue, VariantResult

FIX = "Fix: run the experiment again, or use the version of thresher that wrote the file."


def _through_json(results: Results) -> Results:
    return RESULTS.parse(RESULTS.text(results), "results")


def test_samples_come_back_as_they_were() -> None:
    for results in (small(), large(topics=4, retrievals=("qld", "qld(exact)"))):
        assert _through_json(results) == results


numbers = st.floats(allow_nan=False)
names = st.text(max_size=8)
counts = st.integers(0, 2**60)
costs = st.builds(Cost, numbers, numbers, numbers, st.none() | numbers)
comparisons = st.builds(
    Comparison,
    names,
    numbers,
    counts,
    counts,
    counts,
    counts,
    numbers,
    numbers,
    numbers,
    numbers,
    numbers,
    names,
)
intervals = st.builds(Interval, numbers, numbers, numbers)
measured_times = st.builds(MeasuredTime, intervals, intervals, intervals, intervals, intervals, st.booleans())
footprints = st.builds(Footprint, names, intervals, st.none() | intervals, st.none() | intervals, st.booleans())
pauses = st.builds(CollectorPauses, counts, numbers)
rows = st.builds(
    VariantResult,
    variant=names,
    retrieval=names,
    is_baseline=st.booleans(),
    sweep=st.none() | names,
    cutoff=st.none() | numbers,
    measures=st.dictionaries(names, numbers, max_size=3),
    comparisons=st.dictionaries(names, comparisons, max_size=2),
    documents=counts,
    indexed=counts,
    emptied=counts,
    failed=counts,
    words_kept=counts,
    words_total=counts,
    index_bytes=counts,
    index_bytes_baseline=counts,
    index_bytes_by_type=st.dictionaries(names, counts, max_size=3),
    clean=costs,
    index=costs,
    search=costs,
    statistics=st.builds(IndexStatistics, counts, counts, counts),
    work=st.builds(QueryWork, numbers, numbers, st.lists(numbers, max_size=3).map(tuple)),
    query=st.none() | measured_times,
    indexing=st.none() | measured_times,
    break_even=st.builds(BreakEven, st.none() | intervals, names),
    footprints=st.lists(footprints, max_size=2).map(tuple),
)
whole = st.builds(
    Results,
    experiment=names,
    title=names,
    measures=st.lists(names, max_size=3).map(tuple),
    topics=counts,
    rows=st.lists(rows, max_size=2).map(tuple),
    per_topic=st.lists(st.builds(TopicValue, names, names, names, names, names, numbers), max_size=3).map(tuple),
    methods=st.lists(st.tuples(names, names), max_size=2).map(tuple),
    notices=st.lists(names, max_size=2).map(tuple),
    failed_pages=st.lists(st.tuples(names, names), max_size=2).map(tuple),
    test=names,
    noise=st.lists(st.builds(NoiseFloor, names, measured_times, counts, counts, st.none() | pauses), max_size=2).map(
        tuple
    ),
)


@settings(max_examples=60, deadline=None)
@given(whole)
def test_any_results_come_back_as_they_were(results: Results) -> None:
    assert _through_json(results) == results


def test_a_nan_and_numpy_numbers_come_back_as_plain_numbers() -> None:
    row = replace(BASELINE, work=QueryWork(math.nan, 1.0), documents=np.int64(7), measures={"P@10": np.float64(0.3)})
    (found,) = _through_json(replace(small(), rows=(row,))).rows
    assert math.isnan(found.work.postings)
    assert (found.documents, type(found.documents)) == (7, int)
    assert (found.measures["P@10"], type(found.measures["P@10"])) == (0.3, float)


def test_an_interval_without_bounds_comes_back_as_it_was() -> None:
    once = Interval(0.5, 0.0, math.inf)
    time = MeasuredTime(once, once, once, once, Interval(0.0, -math.inf, math.inf), measurable=False)
    results = replace(small(), rows=(replace(BASELINE, query=time),), noise=(NoiseFloor("qld", time, 1, 1, None),))
    assert _through_json(results) == results


def test_a_field_with_a_default_may_be_missing() -> None:
    bare = replace(small(), failed_pages=(), noise=())
    value = json.loads(RESULTS.text(bare))
    del value["failed_pages"], value["test"], value["noise"]
    assert RESULTS.parse(json.dumps(value), "results") == bare


def _damaged(*path: Any, value: Any) -> dict[str, Any]:
    data: Any = json.loads(RESULTS.text(replace(small(), rows=(BASELINE, WORDS))))
    place = data
    for step in path[:-1]:
        place = place[step]
    if value is None:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    result: dict[str, Any] = data
    return result


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (_damaged("title", value=None), f"results: title: it is missing. {FIX}"),
        (
            _damaged("rows", 1, "indexed", value="many"),
            f"results: rows[1].indexed: it should be a whole number. {FIX}",
        ),
        (
            _damaged("rows", 0, "is_baseline", value=1),
            f"results: rows[0].is_baseline: it should be true or false. {FIX}",
        ),
        (_damaged("rows", 0, "clean", value=[1]), f"results: rows[0].clean: it should be a mapping. {FIX}"),
        (_damaged("rows", 0, "cutoff", value="x"), f"results: rows[0].cutoff: it should be a number. {FIX}"),
        (
            _damaged("rows", 1, "query", "wall", "low", value="x"),
            f"results: rows[1].query.wall.low: it should be a number. {FIX}",
        ),
        (_damaged("rows", 0, "statistics", value=None), f"results: rows[0].statistics: it is missing. {FIX}"),
        (
            _damaged("rows", 0, "work", "postings", value=None),
            f"results: rows[0].work.postings: it is missing. {FIX}",
        ),
        (_damaged("noise", 0, "rounds", value=0.5), f"results: noise[0].rounds: it should be a whole number. {FIX}"),
        (_damaged("rows", value=3), f"results: rows: it should be a list. {FIX}"),
        (_damaged("measures", 0, value=1), f"results: measures[0]: it should be text. {FIX}"),
        (_damaged("methods", 0, value=["a"]), f"results: methods[0][1]: it is missing. {FIX}"),
        (_damaged("per_topic", 0, 5, value=None), f"results: per_topic[0][5]: it is missing. {FIX}"),
        (_damaged("per_topic", 0, 5, value="q"), f"results: per_topic[0][5]: it should be a number. {FIX}"),
        (_damaged("per_topic", 0, value=3), f"results: per_topic[0]: it should be a list. {FIX}"),
        (_damaged("version", value=1), f"results: version 1 is not known, only 4. {FIX}"),
        (
            {"rows": []},
            "results: this is not a results file. Fix: name a file of the format thresher-results.",
        ),
        ([], "results: this is not a results file. Fix: name a file of the format thresher-results."),
    ],
)
def test_what_is_damaged_is_named(data: Any, message: str) -> None:
    with pytest.raises(InputError) as caught:
        RESULTS.parse(json.dumps(data), "results")
    assert str(caught.value) == message

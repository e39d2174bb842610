"""What exploring is made of: steps, cutoffs, measures, lengths, sizes, files."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import assert_names

from thresher.base.errors import ConfigError
from thresher.base.numbers import Ints
from thresher.cleaners.cleaner import Cleaner, parse_cleaner, parse_sweep
from thresher.cleaners.scorer import KEEP_HIGH
from thresher.evaluation.evaluating import evaluate
from thresher.evaluation.measures import parse_measure
from thresher.experiments.exploring import counts, rank_measures
from thresher.experiments.exploring import nested_sweeps as nested_sweeps_module
from thresher.experiments.exploring.counts import HashedTerms, add_vocabularies
from thresher.experiments.exploring.nested_sweeps import NestedSweep, _shortened, nested_sweeps, spread_cutoffs
from thresher.experiments.exploring.rank_measures import Evaluator
from thresher.experiments.exploring.ranking import NONE
from thresher.experiments.exploring.similarity import stored_lengths
from thresher.indexes.jvm import java_class
from thresher.scores.cutting import Layout, sentence_mask

single = st.floats(width=32) | st.sampled_from([math.inf, -math.inf, math.nan, 0.0, -0.0, 3.0, 3.4028234663852886e38])


def test_lengths_are_those_of_lucenes_byte() -> None:
    small_float = java_class("org.apache.lucene.util.SmallFloat")
    lengths = [*range(300), *(2**power + shift for power in range(9, 31) for shift in (-1, 0, 1, 2**power // 3))]
    lucene = [small_float.byte4ToInt(small_float.intToByte4(length)) for length in lengths]
    assert stored_lengths(np.array(lengths)).tolist() == lucene


def drawn_pages(
    blocks: list[tuple[float, float, bool]], data: st.DataObject
) -> tuple[Layout, dict[str, npt.NDArray[np.float32]]]:
    """Fifteen sentences on up to four pages, and their scores by block and by sentence."""
    block_of_sentence = np.array(sorted(data.draw(st.integers(0, len(blocks) - 1)) for _ in range(15)))
    heading = np.array([block[2] for block in blocks])
    per_block = np.array([block[0] for block in blocks], dtype=np.float32)
    per_sentence = np.array([blocks[block][1] for block in block_of_sentence], dtype=np.float32)
    words = np.array(data.draw(st.lists(st.integers(0, 9), min_size=15, max_size=15)))
    between = data.draw(st.lists(st.integers(0, len(blocks)), max_size=3).map(sorted))
    layout = Layout(block_of_sentence, words, heading, np.array([0, *between, len(blocks)]))
    return layout, {"words": per_block, "perplexity(lm=books)": per_sentence}


@given(
    st.lists(st.tuples(single, single, st.booleans()), min_size=1, max_size=12),
    st.lists(st.floats(1, 1e39), min_size=1, max_size=6),
    st.sampled_from(
        [f"{name}{inside}" for name in ("words", "perplexity") for inside in ("", "(headings=keep)", "(headings=drop)")]
    ),
    st.integers(0, 30),
    st.data(),
)
def test_steps_are_the_first_cutoffs_that_keep(
    blocks: list[tuple[float, float, bool]], cutoffs: list[float], name: str, floor: int, data: st.DataObject
) -> None:
    layout, scores = drawn_pages(blocks, data)
    (sweep,) = nested_sweeps({replace(parse_sweep(name), floor=floor): cutoffs}, [])
    assert sweep.cutoffs is not None
    assert sorted(sweep.cutoffs) == sorted(set(cutoffs))
    steps = sweep.steps(scores, layout)
    for number, cleaner in enumerate(sweep.cleaners):
        assert cleaner.cuts[0].floor == floor
        assert (steps <= number).tolist() == sentence_mask(cleaner, scores, layout).tolist()


@given(
    st.lists(st.tuples(single, single, st.booleans()), min_size=1, max_size=12),
    st.lists(st.floats(0, 100, exclude_min=True) | st.sampled_from([50.0, 100.0]), min_size=1, max_size=6),
    st.sampled_from(
        [f"{name}{inside}" for name in ("words", "perplexity") for inside in ("", "(headings=keep)", "(headings=drop)")]
    ),
    st.integers(0, 30),
    st.data(),
)
def test_steps_are_the_first_quotas_that_keep(
    blocks: list[tuple[float, float, bool]], quotas: list[float], name: str, floor: int, data: st.DataObject
) -> None:
    layout, scores = drawn_pages(blocks, data)
    template = replace(parse_sweep(name), floor=floor, quota=True)
    (sweep,) = nested_sweeps({template: quotas}, [])
    assert (sweep.name, sweep.cutoffs) == (template.name, tuple(sorted(set(quotas))))
    steps = sweep.steps(scores, layout)
    for number, cleaner in enumerate(sweep.cleaners):
        assert cleaner.name.startswith(template.name)
        assert (steps <= number).tolist() == sentence_mask(cleaner, scores, layout).tolist()


def test_quotas_are_explored_in_even_steps_beside_the_scores(store: Path) -> None:
    numbers, quotas = parse_sweep("words"), replace(parse_sweep("words"), quota=True)
    found = spread_cutoffs(store, [quotas, numbers], 20)
    assert found[quotas] == tuple(map(float, range(5, 101, 5)))
    assert found[numbers] == spread_cutoffs(store, [numbers], 20)[numbers]
    # No score is read.
    assert spread_cutoffs(store / "none", [quotas], 3) == {quotas: (100 / 3, 200 / 3, 100.0)}
    every = nested_sweeps(
        {quotas: (50.0, 100.0), numbers: (5.0,)}, map(parse_cleaner, ("words@doc7.5", "words@doc100"))
    )
    assert [(sweep.name, [cleaner.name for cleaner in sweep.cleaners]) for sweep in every] == [
        ("words@doc", ["words@doc7.5", "words@doc50", "words@doc100"]),
        ("words", ["words@5"]),
    ]


def test_cleaners_that_differ_by_their_cutoff_alone_join_the_sweep() -> None:
    sweep = parse_sweep("words(headings=keep)")
    names = ("none", "bte", "words@3", "words(headings=keep)@3", "words(headings=keep)@4+bte")
    found = nested_sweeps({sweep: [5.0, 1.0]}, map(parse_cleaner, names))
    assert [(sweep.name, sweep.cutoffs) for sweep in found] == [
        ("none", None),
        ("bte", None),
        ("words@3", None),
        ("words(headings=keep)@4+bte", None),
        ("words(headings=keep)", (5.0, 3.0, 1.0)),
    ]
    assert nested_sweeps({sweep: []}, []) == ()
    with pytest.raises(ConfigError) as long:
        nested_sweeps({sweep: [float(number) for number in range(65535)]}, [])
    assert_names(long.value, "words(headings=keep): ", "65535", "Fix: ", "65534")
    layout = Layout(np.array([0, 0, 1]), np.array([4, 5, 6]), np.array([True, False]), np.array([0, 2]))
    assert NestedSweep("none", (Cleaner(),)).steps({}, layout).tolist() == [0, 0, 0]


def test_all_different_scores_are_cutoffs_if_they_are_few(store: Path) -> None:
    words, density = parse_sweep("words"), parse_sweep("density")
    few, more = (spread_cutoffs(store, [words, density], points) for points in (20, 10**6))
    assert more[words] == tuple(map(float, range(int(more[words][0]), len(more[words])))) or len(more[words]) > 30
    for template in (words, density):
        assert 20 <= len(few[template]) < len(more[template])
        assert list(few[template]) == sorted(set(few[template]))
    assert (few[words][0], few[words][-1]) == (more[words][0], more[words][-1])
    # Whole numbers are short already; of others fewer digits are needed the fewer cutoffs there are.
    assert set(few[words]) <= set(more[words])
    digits = [np.mean([len(repr(cutoff)) for cutoff in of[density]]) for of in (few, more)]
    assert digits[0] < digits[1]
    assert spread_cutoffs(store, [], 20) == {}


def test_of_many_scores_some_that_occur_are_held(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    template = parse_sweep("perplexity(lm=books)")
    whole = spread_cutoffs(store, [template], 10**6)[template]
    monkeypatch.setattr(nested_sweeps_module, "_MOST_SCORES", 100)
    monkeypatch.setattr(nested_sweeps_module, "_AT_ONCE", 50)
    held = spread_cutoffs(store, [template], 20)[template]
    assert len(held) >= 20
    assert held[-1] >= whole[-1]
    # Evenly by words or by scores: no two neighbours leave out a fifth of all scores.
    assert max(np.diff(np.searchsorted(whole, held))) < len(whole) / 5


@given(
    st.lists(st.floats(-100, 100, width=32).map(lambda value: float(str(np.float32(value)))), min_size=2, unique=True),
    st.sampled_from(["ncleaner", "perplexity(lm=books)", "density"]),
)
def test_cutoffs_have_the_digits_that_matter(values: list[float], name: str) -> None:
    scorer = parse_sweep(name).scorer
    inside = sorted(value for value in values if scorer.low is None or value >= scorer.low)
    found = [*_shortened(inside, scorer)]
    assert len(found) == len(inside)
    for place, (short, value) in enumerate(zip(found, inside, strict=True)):
        # Kept is what was kept: of all scores, none is between.
        kept = [
            (one >= short, one >= value) if scorer.keep == KEEP_HIGH else (one <= short, one <= value) for one in inside
        ]
        assert all(now == before for now, before in kept)
        assert len(repr(short)) <= max(len(repr(value)), 7)
        assert scorer.low is None or short >= scorer.low
        assert inside[place] == value


def test_cutoffs_are_short_where_scores_are_far_apart() -> None:
    ncleaner = parse_sweep("ncleaner").scorer
    assert [*_shortened([-0.54413485, -0.54013485, -0.49812, 0.1234567], ncleaner)] == [-0.545, -0.541, -0.5, 0.0]
    assert [*_shortened([18175.639, 18300.25], parse_sweep("perplexity(lm=books)").scorer)] == [18200.0, 18310.0]
    assert [*_shortened([3.7], ncleaner)] == [3.7]


MEASURES = (
    "P@1",
    "P@7",
    "P(rel=2)@3",
    "R@2",
    "R(rel=2)@9",
    "AP",
    "AP(rel=3)",
    "AP@4",
    "nDCG",
    "nDCG@3",
    "nDCG(dcg='exp-log2')@5",
    "nDCG(dcg='exp-log2')",
    "Judged@5",
    "Judged@50",
    "RR",
    "RR@2",
    "RR(rel=3)",
    "Success@1",
    "Success(rel=2)@4",
    "Bpref",
    "Rprec",
    "infAP",
    "IPrec@0.3",
    "SetF",
    "SetAP(rel=2)",
    "AP(judged_only=True)",
)
IDS = [f"d{number}" for number in range(12)]
# As if many other documents stood between them, some at the same places of a table.
NUMBERS = {identifier: 65_536 * (place % 5) + place for place, identifier in enumerate(IDS)}
DOCUMENTS = 5 * 65_536


def ranking_at_each_step(orders: Sequence[Sequence[int]]) -> Ints:
    documents = np.full((len(orders), max(map(len, orders))), NONE, dtype=np.int64)
    for row, order in zip(documents, orders, strict=True):
        row[: len(order)] = [NUMBERS[IDS[place]] for place in order]
    return documents


def evaluated(
    qrels: dict[str, dict[str, int]], topics: Sequence[str], orders: Sequence[Sequence[int]]
) -> list[list[float]]:
    run = {
        topic: {IDS[place]: -float(rank) for rank, place in enumerate(order)}
        for topic, order in zip(topics, orders, strict=True)
    }
    return [[*values.values()] for values in evaluate(qrels, run, MEASURES, topics).values()]


@given(st.data())
def test_measures_are_those_of_evaluate(data: st.DataObject) -> None:
    """To the last bit, for several topics at several steps."""
    topics, steps = ["t2", "t0", "t1"], data.draw(st.integers(1, 3))
    grades = st.dictionaries(st.sampled_from([*IDS, "elsewhere", "there"]), st.integers(-2, 4), max_size=9)
    qrels = {topic: data.draw(grades) for topic in topics[:2]}
    order = st.lists(st.sampled_from(range(12)), unique=True, max_size=8)
    orders = [[data.draw(order) for _ in range(steps)] for _ in topics]
    evaluators = Evaluator(qrels, topics, NUMBERS, DOCUMENTS, MEASURES)
    found = evaluators.values([*map(ranking_at_each_step, orders)])
    assert evaluators.names == tuple(map(str, map(parse_measure, MEASURES)))
    for step, values in enumerate(found.tolist()):
        expected = evaluated(qrels, topics, [of_topic[step] for of_topic in orders])
        for name, ours, theirs in zip(MEASURES, values, expected, strict=True):
            assert ours == theirs, name


def test_long_rankings_are_measured_to_the_last_bit() -> None:
    draw = np.random.default_rng(8)
    ids = [f"d{number:04}" for number in range(3000)]
    qrels = {"t": dict(zip(ids[::3], draw.integers(0, 4, 1000).tolist(), strict=True))}
    order = draw.permutation(3000)[:1000]
    names = ("AP", "AP@700", "nDCG", "nDCG@900", "nDCG(dcg='exp-log2')@900", "R@1000", "P@30")
    found = Evaluator(qrels, ["t"], {identifier: place for place, identifier in enumerate(ids)}, 3000, names).values(
        [order[None]]
    )
    expected = evaluate(qrels, {"t": {ids[place]: -float(rank) for rank, place in enumerate(order)}}, names, ["t"])
    assert found[0, :, 0].tolist() == [values["t"] for values in expected.values()]


def test_rankings_that_judges_cannot_tell_apart_are_evaluated_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def counting(
        qrels: dict[str, dict[str, int]], run: dict[str, dict[str, float]], names: Sequence[str], topics: Sequence[str]
    ) -> dict[str, dict[str, float]]:
        asked.append(len(run))
        return evaluate(qrels, run, names, topics)

    monkeypatch.setattr(rank_measures, "evaluate", counting)
    evaluators = Evaluator({"t": {"d3": 1}, "u": {"d3": 1, "d5": 2}}, ["t", "u"], NUMBERS, DOCUMENTS, ["Rprec", "SetP"])
    asked.clear()
    # For t: twice third of four, third of three, and not retrieved. Only SetP counts the fourth.
    orders = [[[1, 2, 3, 4], [6, 5, 3, 1], [1, 2, 3], []], [[3, 5], [5, 3], [5, 3], [3, 5]]]
    values = evaluators.values([*map(ranking_at_each_step, orders)])
    assert asked == [2, 2, 1, 2, 2]
    assert values[:, 1, 0].tolist() == [1 / 4, 1 / 4, 1 / 3, 0]
    assert values[:, 0].tolist() == [[0, 1], [0, 1], [0, 1], [0, 1]]


def test_a_large_vocabulary_is_estimated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counts, "MOST_TERMS", 2000)
    draw = np.random.default_rng(1)
    terms = np.unique(draw.integers(0, 2**64 - 1, 50_000, dtype=np.uint64))
    steps = draw.integers(0, 10, len(terms)).astype(np.uint16)

    def part(chosen: npt.NDArray[np.bool_], later: int) -> HashedTerms:
        return HashedTerms(terms[chosen], (steps[chosen] + np.uint16(later),), 2**64 - 1)

    some = draw.random(len(terms)) < 0.6
    parts = [part(some, 0), part(~some, 0), part(some, 3), part(~some, 7)]
    whole = add_vocabularies(parts, 1)
    assert len(whole.terms) <= 2000
    assert len(whole.terms) / ((whole.limit + 1) / 2**64) == pytest.approx(len(terms), rel=0.07)
    held = np.searchsorted(terms, whole.terms)
    assert whole.steps[0].tolist() == steps[held].tolist()
    one_by_one = parts[0]
    for other in parts[:0:-1]:
        one_by_one = add_vocabularies([one_by_one, other], 1)
    assert one_by_one.terms.tolist() == whole.terms.tolist()
    assert add_vocabularies([], 2).steps[1].tolist() == []

"""Explored and measured variants as evidence."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from report_samples import small

from thresher.choosing.decisions import SizedVariant, SizeKind
from thresher.choosing.evidence import explored_evidence, measured_evidence
from thresher.errors import InputError
from thresher.exploring.exploration import Exploration, ExploredSweep
from thresher.lucene.work import IndexStatistics


def sweep(name: str, cleaners: tuple[str, ...], cutoffs: tuple[float, ...] | None, first: int) -> ExploredSweep:
    points = len(cleaners)
    values = np.arange(first, first + 2 * 2 * points * 3, dtype=np.float64).reshape(2, 2, points, 3)
    held_out = 1000 + np.arange(first, first + 2 * 2 * points * 2, dtype=np.float64).reshape(2, 2, points, 2)
    sizes = tuple(IndexStatistics(step, 10 * step, 5 * step, 4) for step in range(1, points + 1))
    postings = np.outer(np.arange(1, points + 1), (0.0, 0.5, 1.0))
    held = tuple(range(7, 7 + points))
    return ExploredSweep(name, cleaners, cutoffs, (1,) * points, sizes, postings, held, values, held_out)


EXPLORED = Exploration(
    retrieval=("qld", "bm25"),
    measures=("P@10", "AP"),
    topics=("1", "2", "3"),
    documents=3,
    words=30,
    depth=1000,
    sweeps=(
        sweep("none", ("none",), None, 0),
        sweep("bte", ("bte",), None, 100),
        sweep("words", ("words@9", "words@2"), (9.0, 2.0), 200),
    ),
    size_errors=None,
    held_out=("8", "9"),
    key="k",
)


def test_variants_of_all_sweeps_but_the_baseline() -> None:
    result = explored_evidence(EXPLORED, 1, 0)
    assert (result.retrieval, result.measure, result.explored) == ("bm25", "P@10", True)
    assert (result.size_kind, result.baseline_size) == (SizeKind.ESTIMATED, 7.0)
    assert result.variants == (
        SizedVariant("bte", "bte", None, 7.0, 1),
        SizedVariant("words@9", "words", 9.0, 7.0, 1),
        SizedVariant("words@2", "words", 2.0, 8.0, 2),
    )
    assert result.documents == 1
    assert result.values.tolist() == [[106, 107, 108], [212, 213, 214], [215, 216, 217]]
    assert result.baseline.tolist() == [6, 7, 8]
    assert result.held_out is not None
    values, baseline = result.held_out
    assert values.tolist() == [[1104, 1105], [1208, 1209], [1210, 1211]]
    assert baseline.tolist() == [1004, 1005]


def test_some_scorers_alone() -> None:
    result = explored_evidence(EXPLORED, 0, 1, ["words"])
    assert [variant.name for variant in result.variants] == ["words@9", "words@2"]
    assert result.values.shape == (2, 3)
    none = explored_evidence(EXPLORED, 0, 1, ["nothing"])
    assert (none.variants, none.values.shape) == ((), (0, 3))


@pytest.mark.parametrize("held_out", [True, False])
def test_postings_where_bytes_are_unknown(held_out: bool) -> None:
    sweeps = tuple(
        replace(result, bytes=None, held_out=result.held_out if held_out else None) for result in EXPLORED.sweeps
    )
    result = explored_evidence(replace(EXPLORED, sweeps=sweeps, held_out=("8", "9") if held_out else ()), 0, 0)
    assert (result.size_kind, result.baseline_size) == (SizeKind.POSTINGS, 5.0)
    assert [variant.size for variant in result.variants] == [5.0, 5.0, 10.0]
    assert (result.held_out is not None) is held_out


def test_measured_variants() -> None:
    results = small()
    base = next(row for row in results.rows if row.is_baseline)
    measure = results.measures[0]
    result = measured_evidence(results, base.retrieval, measure)
    rows = [row for row in results.rows if row.retrieval == base.retrieval and not row.is_baseline]
    assert result.variants == tuple(
        SizedVariant(row.variant, row.sweep or row.variant, row.cutoff, row.index_bytes, row.indexed) for row in rows
    )
    assert (result.explored, result.size_kind, result.baseline_size) == (False, SizeKind.BYTES, base.index_bytes)
    assert result.documents == base.indexed
    values = {
        (value.variant, value.topic): value.value
        for value in results.per_topic
        if value.measure == measure and value.retrieval == base.retrieval
    }
    topics = list(dict.fromkeys(topic for _, topic in values))
    assert result.baseline.tolist() == [values[base.variant, topic] for topic in topics]
    assert result.values.tolist() == [[values[row.variant, topic] for topic in topics] for row in rows]
    assert result.held_out is None


def test_measured_variants_on_held_out_topics() -> None:
    results = small()
    there = replace(results, per_topic=tuple(value._replace(value=value.value / 2) for value in results.per_topic))
    result = measured_evidence(replace(results, held_out=there), results.rows[0].retrieval, results.measures[0])
    assert result.held_out is not None
    assert result.held_out[0].tolist() == (result.values / 2).tolist()
    assert result.held_out[1].tolist() == (result.baseline / 2).tolist()


def test_a_missing_value_is_told() -> None:
    results = small()
    with pytest.raises(InputError, match=r"values of .* by topic are missing"):
        measured_evidence(
            replace(results, per_topic=results.per_topic[1:]), results.rows[0].retrieval, results.measures[0]
        )
    with pytest.raises(InputError, match=r"values of .* by topic are missing"):
        measured_evidence(replace(results, per_topic=()), results.rows[0].retrieval, results.measures[0])


def test_controls_are_chosen_among_only_where_they_are_asked_for() -> None:
    name = "none|random(seed=0)"
    control = sweep(name, (f"{name}@0.5",), (0.5,), 300)
    explored = replace(EXPLORED, sweeps=(*EXPLORED.sweeps, control))
    assert explored_evidence(explored, 0, 0) == approximately(explored_evidence(EXPLORED, 0, 0))
    assert [one.name for one in explored_evidence(explored, 0, 0, (name,)).variants] == [f"{name}@0.5"]
    results = small()
    rows = [replace(row, variant=f"{name}@0.5", sweep=name) if not row.is_baseline else row for row in results.rows[:2]]
    values = tuple(
        value._replace(variant=rows[1].variant) if value.variant == results.rows[1].variant else value
        for value in results.per_topic
    )
    pruned = replace(results, rows=tuple(rows), per_topic=values, held_out=None)
    measure = next(iter(rows[1].comparisons))
    assert measured_evidence(pruned, rows[0].retrieval, measure).variants == ()
    (only,) = measured_evidence(pruned, rows[0].retrieval, measure, (name,)).variants
    assert only.name == f"{name}@0.5"


class approximately:  # noqa: N801, reads like pytest.approx
    """Evidence with equal fields, arrays by their values."""

    def __init__(self, expected: object) -> None:
        self.expected = vars(expected)

    def __eq__(self, other: object) -> bool:
        return all(
            np.array_equal(mine, vars(other)[name]) for name, mine in self.expected.items() if name != "held_out"
        )

    __hash__ = None  # type: ignore[assignment]

"""Explored points and measured variants as candidates."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from thresher.choosing.evidence import explored_evidence
from thresher.choosing.records import Candidate, SizeKind
from thresher.exploring.records import Curve, Exploration, Size


def curve(name: str, cleaners: tuple[str, ...], cutoffs: tuple[float, ...] | None, first: int) -> Curve:
    points = len(cleaners)
    values = np.arange(first, first + 2 * 2 * points * 3, dtype=np.float64).reshape(2, 2, points, 3)
    held_out = 1000 + np.arange(first, first + 2 * 2 * points * 2, dtype=np.float64).reshape(2, 2, points, 2)
    sizes = tuple(Size(step, 10 * step, 5 * step, 4) for step in range(1, points + 1))
    return Curve(name, cleaners, cutoffs, (1,) * points, sizes, tuple(range(7, 7 + points)), values, held_out)


EXPLORED = Exploration(
    retrieval=("qld", "bm25"),
    measures=("P@10", "AP"),
    topics=("1", "2", "3"),
    documents=3,
    words=30,
    depth=1000,
    curves=(
        curve("none", ("none",), None, 0),
        curve("bte", ("bte",), None, 100),
        curve("words", ("words@9", "words@2"), (9.0, 2.0), 200),
    ),
    size_errors=None,
    held_out=("8", "9"),
    key="k",
)


def test_points_of_all_curves_but_the_baseline() -> None:
    found = explored_evidence(EXPLORED, 1, 0)
    assert (found.retrieval, found.measure, found.explored) == ("bm25", "P@10", True)
    assert (found.size_kind, found.baseline_size) == (SizeKind.ESTIMATED, 7.0)
    assert found.candidates == (
        Candidate("bte", "bte", None, 7.0, 1),
        Candidate("words@9", "words", 9.0, 7.0, 1),
        Candidate("words@2", "words", 2.0, 8.0, 2),
    )
    assert found.documents == 1
    assert found.values.tolist() == [[106, 107, 108], [212, 213, 214], [215, 216, 217]]
    assert found.baseline.tolist() == [6, 7, 8]
    assert found.held_out is not None
    values, baseline = found.held_out
    assert values.tolist() == [[1104, 1105], [1208, 1209], [1210, 1211]]
    assert baseline.tolist() == [1004, 1005]


def test_some_scorers_alone() -> None:
    found = explored_evidence(EXPLORED, 0, 1, ["words"])
    assert [candidate.name for candidate in found.candidates] == ["words@9", "words@2"]
    assert found.values.shape == (2, 3)
    none = explored_evidence(EXPLORED, 0, 1, ["nothing"])
    assert (none.candidates, none.values.shape) == ((), (0, 3))


@pytest.mark.parametrize("held_out", [True, False])
def test_postings_where_bytes_are_unknown(held_out: bool) -> None:
    curves = tuple(
        replace(found, bytes=None, held_out=found.held_out if held_out else None) for found in EXPLORED.curves
    )
    found = explored_evidence(replace(EXPLORED, curves=curves, held_out=("8", "9") if held_out else ()), 0, 0)
    assert (found.size_kind, found.baseline_size) == (SizeKind.POSTINGS, 5.0)
    assert [candidate.size for candidate in found.candidates] == [5.0, 5.0, 10.0]
    assert (found.held_out is not None) is held_out

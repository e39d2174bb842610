"""Records of stages: found only by the key of all they depend on."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.base.numbers import Interval
from thresher.base.repeats import MeasuredTime, Repeats
from thresher.experiments import stages
from thresher.experiments.measuring import Measurements
from thresher.experiments.stages import (
    INDEXES,
    MEASURES,
    SEARCHES,
    IndexRecord,
    MeasureRecord,
    SearchRecord,
    finished,
    stage_key,
)
from thresher.experiments.table import Cost
from thresher.indexes.work import IndexStatistics, QueryWork

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=3),
    max_leaves=6,
)
NAMES = st.sampled_from(["scores", "variant", "options"])


def same(left: object, right: object) -> bool:
    """Equality as JSON has it: True is not 1."""
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    return type(left) is type(right) and left == right


@given(st.dictionaries(NAMES, PLAIN), st.dictionaries(NAMES, PLAIN))
def test_keys_are_equal_only_for_what_is_equal(left: dict[str, object], right: dict[str, object]) -> None:
    assert (stage_key(**left) == stage_key(**right)) == same(left, right)


def test_a_key_depends_on_every_part_and_on_the_version(monkeypatch: pytest.MonkeyPatch) -> None:
    key = stage_key(a=1, b=[1, 2], c={"x": 1.5, "y": None})
    assert key == stage_key(c={"y": None, "x": 1.5}, b=[1, 2], a=1)
    others = [
        stage_key(a=2, b=[1, 2], c={"x": 1.5, "y": None}),
        stage_key(a=1, b=[2, 1], c={"x": 1.5, "y": None}),
        stage_key(a=1, b=[1, 2], c={"x": 1.25, "y": None}),
        stage_key(a=1, b=[1, 2], c={"x": 1.5}),
        stage_key(a="1", b=[1, 2], c={"x": 1.5, "y": None}),
        stage_key(a=1, b=[1, 2]),
        stage_key(a=1, b=[1, 2], c={"x": 1.5, "y": None}, d=0),
    ]
    monkeypatch.setattr(stages, "STAGE_VERSION", stages.STAGE_VERSION + 1)
    others.append(stage_key(a=1, b=[1, 2], c={"x": 1.5, "y": None}))
    assert len({key, *others}) == len(others) + 1


COST = Cost(1.5, 2.0, 300.0, None)
INDEX = IndexRecord(
    "k1",
    7,
    1,
    900,
    4000,
    {"doc": 3000, "é": 1000},
    IndexStatistics(7, 800, 500, 90),
    0.25,
    0.2,
    COST,
    {"words@p30": 4.0},
    {"Thai": 1},
)
SEARCH = SearchRecord("k1", "d1", QueryWork(1.5, 1.0), COST)
ONCE = Interval(1.0, 0.0, math.inf)
TIME = MeasuredTime(ONCE, ONCE, ONCE, ONCE, ONCE, measurable=False)
MEASURE = MeasureRecord(
    "k1",
    Measurements({"qld": Repeats({"none": TIME}, TIME, 1, 1)}, None),
)


@pytest.mark.parametrize(("file", "record"), [(INDEXES, INDEX), (SEARCHES, SEARCH), (MEASURES, MEASURE)])
def test_a_record_is_read_by_its_file_and_key(tmp_path: Path, file: Any, record: Any) -> None:
    path = tmp_path / "stages" / "index-words@5.json"
    assert finished(file, path, "k1") is None
    file.write(path, record)
    assert finished(file, path, "k1") == record
    assert finished(file, path, "k2") is None
    assert finished(file, path.with_name("index-words@6.json"), "k1") is None
    file.write(path, replace(record, key="k2"))
    assert finished(file, path, "k1") is None
    assert finished(file, path, "k2") == replace(record, key="k2")


@pytest.mark.parametrize("file", [INDEXES, SEARCHES, MEASURES])
@pytest.mark.parametrize(
    "damage",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"7",
        b'"k1"',
        b"\xff\xfe\xff",
        b"{}",
        b'{"key": "k1"}',
        b'{"key": "k1", "record": {}}',
    ],
)
def test_a_damaged_record_counts_as_missing(tmp_path: Path, file: Any, damage: bytes) -> None:
    (tmp_path / "s.json").write_bytes(damage)
    assert finished(file, tmp_path / "s.json", "k1") is None


def test_a_record_of_another_version_counts_as_missing(tmp_path: Path) -> None:
    INDEXES.write(tmp_path / "s.json", INDEX)
    written = json.loads((tmp_path / "s.json").read_text())
    del written["cost"]
    (tmp_path / "s.json").write_text(json.dumps({**written, "wall_seconds": 1.5}))
    assert finished(INDEXES, tmp_path / "s.json", "k1") is None


@given(st.floats(0, 1))
def test_a_clipped_record_counts_as_missing(tmp_path_factory: pytest.TempPathFactory, share: float) -> None:
    path = tmp_path_factory.getbasetemp() / "clipped.json"
    INDEXES.write(path, INDEX)
    content = path.read_bytes().rstrip()
    path.write_bytes(content[: int(share * (len(content) - 1))])
    assert finished(INDEXES, path, "k1") is None

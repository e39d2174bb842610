"""Records of stages: found only by the key of all they depend on."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.experiments import stages
from thresher.experiments.stages import StageRecords, stage_key

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


def test_a_record_is_found_by_its_name_and_key(tmp_path: Path) -> None:
    records = StageRecords(tmp_path / "stages")
    assert records.read("index-words@5", "k1") is None
    records.write("index-words@5", "k1", {"bytes": 7, "by_type": {"doc": 1.5}, "name": "é"})
    assert records.read("index-words@5", "k1") == {"bytes": 7, "by_type": {"doc": 1.5}, "name": "é"}
    assert records.read("index-words@5", "k2") is None
    assert records.read("index-words@6", "k1") is None
    records.write("index-words@5", "k2", {"bytes": 8})
    assert records.read("index-words@5", "k1") is None
    assert records.read("index-words@5", "k2") == {"bytes": 8}


@pytest.mark.parametrize(
    "damage",
    [b"", b"{", b"[]", b"null", b"7", b'"k"', b"\xff\xfe\xff", b"{}", b'{"key": "k"}', b'{"key": "k", "record": [1]}'],
)
def test_a_damaged_record_counts_as_missing(tmp_path: Path, damage: bytes) -> None:
    records = StageRecords(tmp_path)
    records.write("s", "k", {"a": 1})
    (tmp_path / "s.json").write_bytes(damage)
    assert records.read("s", "k") is None
    records.write("s", "k", {"a": 2})
    assert records.read("s", "k") == {"a": 2}


@given(st.integers(0, 60))
def test_a_clipped_record_counts_as_missing(tmp_path_factory: pytest.TempPathFactory, keep: int) -> None:
    records = StageRecords(tmp_path_factory.getbasetemp() / "clipped")
    records.write("s", "k", {"a": 1, "text": "long enough to be clipped anywhere"})
    path = records.folder / "s.json"
    path.write_bytes(path.read_bytes()[:keep])
    assert records.read("s", "k") is None

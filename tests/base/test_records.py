"""Records as JSON files and back: exact, and checked."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import assert_names

from thresher.base.errors import InputError, StateError
from thresher.base.records import RecordFile, adapter_of


class Colour(StrEnum):
    RED = "red"
    DEEP_BLUE = "deep blue"


@dataclass(frozen=True)
class Part:
    name: str
    share: float
    colour: Colour | None = None


@dataclass(frozen=True)
class Whole:
    parts: tuple[Part, ...]
    pair: tuple[int, str]
    by_name: Mapping[str, float]
    flag: bool
    colour: Colour
    other: Whole | None = None


FILE = RecordFile(Whole, "a whole", "write it again")
NAMED = RecordFile(Whole, "a whole", "write it again", "wholes", 3, StateError)

parts = st.builds(Part, st.text(), st.floats(allow_nan=False), st.none() | st.sampled_from(Colour))
wholes = st.builds(
    Whole,
    st.lists(parts).map(tuple),
    st.tuples(st.integers(), st.text()),
    st.dictionaries(st.text(), st.floats(allow_nan=False)),
    st.booleans(),
    st.sampled_from(Colour),
)


@given(wholes, wholes)
def test_what_is_written_is_read(whole: Whole, other: Whole) -> None:
    both = Whole(whole.parts, whole.pair, whole.by_name, whole.flag, whole.colour, other)
    for file in (FILE, NAMED):
        json.loads(file.text(both), parse_constant=pytest.fail)  # any reader of JSON can read it
        assert file.parse(file.text(both), "x") == both


def test_a_file_and_its_name(tmp_path: Path) -> None:
    whole = FILE.parse(json.dumps(GOOD), "x")
    for file in (FILE, NAMED):
        file.write(tmp_path / "whole.json", whole)
        assert file.read(tmp_path / "whole.json") == whole
    written = json.loads((tmp_path / "whole.json").read_text())
    assert (written["format"], written["version"], written["pair"]) == ("wholes", 3, [1, "b"])
    with pytest.raises(InputError, match="no such file"):
        FILE.read(tmp_path / "none.json")


def test_numbers_that_json_does_not_know() -> None:
    special: Any = (Part("NaN", math.nan), Part("Infinity", np.float64(math.inf)), Part("x", -math.inf))
    mapping = MappingProxyType({"a": np.float32(0.5), "b": math.inf})
    pair: Any = (np.int64(3), "inf")
    written = FILE.text(Whole(special, pair, mapping, np.True_, Colour.RED))  # type: ignore[arg-type]
    assert json.loads(written)["parts"][1] == {"name": "Infinity", "share": "Infinity", "colour": None}
    read = FILE.parse(written, "x")
    assert math.isnan(read.parts[0].share)
    assert [part.name for part in read.parts] == ["NaN", "Infinity", "x"]
    assert (read.parts[1].share, read.parts[2].share) == (math.inf, -math.inf)
    assert (read.by_name, read.pair, read.flag) == ({"a": 0.5, "b": math.inf}, (3, "inf"), True)
    assert (type(read.pair[0]), type(read.by_name["a"]), type(read.flag)) == (int, float, bool)


GOOD = {"parts": [{"name": "a", "share": 1}], "pair": [1, "b"], "by_name": {}, "flag": True, "colour": "red"}


@pytest.mark.parametrize(
    ("change", "where", "message"),
    [
        ({"parts": 3}, "parts", "a list"),
        ({"parts": [3]}, "parts[0]", "a mapping"),
        ({"parts": [{"name": 3, "share": 1}]}, "parts[0].name", "text"),
        ({"parts": [{"name": "a", "share": "1"}]}, "parts[0].share", "a number"),
        ({"parts": [{"name": "a", "share": True}]}, "parts[0].share", "a number"),
        ({"parts": [{"name": "a", "share": "NaN"}, {"name": "b", "share": "x"}]}, "parts[1].share", "a number"),
        ({"pair": [1.0, "b"]}, "pair[0]", "a whole number"),
        ({"pair": [1.5, "b"]}, "pair[0]", "a whole number"),
        ({"by_name": []}, "by_name", "a mapping"),
        ({"by_name": {"a": "b"}}, "by_name.a", "a number"),
        ({"flag": 1}, "flag", "true or false"),
        ({"colour": "blue"}, "colour", "one of red, deep blue"),
        ({"colour": []}, "colour", "one of red, deep blue"),
        ({"other": 3}, "other", "a mapping"),
    ],
)
def test_what_does_not_fit_is_named_with_its_field(change: dict[str, object], where: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        FILE.parse(json.dumps(GOOD | change), "whole.json")
    assert_names(caught.value, "whole.json: ", where, message, "Fix: ", "write it again")


@pytest.mark.parametrize(
    ("change", "where"),
    [({"parts": [{"name": "a"}]}, "parts[0].share"), ({"pair": [1]}, "pair[1]"), ({"other": {}}, "other.parts")],
)
def test_what_is_missing_is_named(change: dict[str, object], where: str) -> None:
    with pytest.raises(InputError) as caught:
        FILE.parse(json.dumps(GOOD | change), "whole.json")
    assert_names(caught.value, "whole.json: ", where, "Fix: ", "write it again")


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("{", "the file is damaged"),
        ("[]", "this is not a whole"),
        (json.dumps(GOOD), "this is not a whole"),
        (json.dumps({"format": "wholes", **GOOD}), "version None is not known, only 3"),
        (json.dumps({"format": "wholes", "version": 2, **GOOD}), "version 2 is not known, only 3"),
        (json.dumps({"format": "wholes", "version": 3}), "it is missing"),
    ],
)
def test_other_files_are_refused(text: str, what: str) -> None:
    with pytest.raises(StateError, match=what) as caught:
        NAMED.parse(text, "whole.json")
    assert str(caught.value).startswith("whole.json: ")


def test_what_has_a_default_may_be_missing_and_what_is_unknown_is_ignored() -> None:
    assert FILE.parse(json.dumps({**GOOD, "new": 1}), "x").parts == (Part("a", 1.0),)


@dataclass(frozen=True)
class Place:
    file: str
    offset: int | None


@dataclass(frozen=True)
class Simple:
    name: str
    count: int
    share: float
    place: Place
    note: str = "none"


simple = st.none() | st.booleans() | st.integers(0, 2**80) | st.sampled_from([0.5, -math.inf]) | st.text(max_size=3)
places = simple | st.dictionaries(st.sampled_from(["file", "offset"]), simple)


@given(st.dictionaries(st.sampled_from(["name", "count", "share", "note", "more"]), simple), places)
def test_records_of_texts_and_numbers_are_read_as_by_pydantic(data: dict[str, object], place: object) -> None:
    text = json.dumps(data | {"place": place}).replace("-Infinity", "-1e999")
    try:
        expected = adapter_of(Simple).validate_json(text, strict=True)
    except ValueError:
        with pytest.raises(InputError):
            RecordFile(Simple, "", "").parse(text, "x")
    else:
        read = RecordFile(Simple, "", "").parse(text, "x")
        assert read == expected
        assert [*map(type, vars(read).values())] == [*map(type, vars(expected).values())]


@dataclass(frozen=True)
class Listed:
    names: tuple[str, ...]
    counts: Mapping[str, int]


@pytest.mark.parametrize(
    "damage", ['{"names": "a", "counts": {}}', '{"names": [], "counts": "a"}', '{"names": [], "counts": 7}']
)
def test_a_text_or_a_number_is_no_list_and_no_mapping(damage: str) -> None:
    file = RecordFile(Listed, "", "")
    assert file.parse('{"names": ["a"], "counts": {"b": 1}}', "x") == Listed(("a",), {"b": 1})
    with pytest.raises(InputError):
        file.parse(damage, "x")


@pytest.mark.slow
def test_workers_read_their_records_without_pydantic(tmp_path: Path) -> None:
    program = """import sys
from thresher.cleaners.characters.scoring import load_character_model
from thresher.scores.store import ShardReport, _REPORT_FILE
load_character_model("standard")
report = ShardReport(1, 1, 0, 0, 5, 90, None, 0, 90)
assert _REPORT_FILE.parse(_REPORT_FILE.text(report), "x") == report
sys.exit("pydantic" in sys.modules)
"""
    subprocess.run([sys.executable, "-c", program], check=True, cwd=tmp_path)

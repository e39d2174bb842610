"""Records as JSON and back: exact, and checked."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.errors import InputError
from thresher.json_records import decode, encode


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


parts = st.builds(Part, st.text(), st.floats(allow_nan=False), st.none() | st.sampled_from(Colour))
wholes = st.builds(
    Whole,
    st.lists(parts).map(tuple),
    st.tuples(st.integers(), st.text()),
    st.dictionaries(st.text(), st.floats(allow_nan=False)),
    st.booleans(),
    st.sampled_from(Colour),
)


@given(wholes)
def test_what_is_written_is_read(whole: Whole) -> None:
    text = json.dumps(encode(whole), allow_nan=False)
    assert decode(Whole, json.loads(text), "whole", "write again") == whole


def test_numbers_that_json_does_not_know() -> None:
    assert encode((math.inf, -math.inf, np.float64(0.5), np.int64(3))) == ["inf", "-inf", 0.5, 3]
    assert math.isnan(decode(float, encode(math.nan), "x", "y"))


GOOD = {"parts": [{"name": "a", "share": 1}], "pair": [1, "b"], "by_name": {}, "flag": True, "colour": "red"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"parts": 3}, "whole.parts: it should be a list"),
        ({"parts": [3]}, "whole.parts[0]: it should be a mapping"),
        ({"parts": [{"name": "a"}]}, "whole.parts[0].share: it is missing"),
        ({"parts": [{"name": 3, "share": 1}]}, "whole.parts[0].name: it should be text"),
        ({"parts": [{"name": "a", "share": "1"}]}, "whole.parts[0].share: it should be a number"),
        ({"parts": [{"name": "a", "share": True}]}, "whole.parts[0].share: it should be a number"),
        ({"pair": [1]}, "whole.pair: it should be a list of 2"),
        ({"pair": [1.0, "b"]}, "whole.pair[0]: it should be a whole number"),
        ({"by_name": []}, "whole.by_name: it should be a mapping"),
        ({"flag": 1}, "whole.flag: it should be true or false"),
        ({"colour": "blue"}, "whole.colour: it should be one of red, deep blue"),
        ({"colour": []}, "whole.colour: it should be one of red, deep blue"),
    ],
)
def test_what_does_not_fit_is_told_with_its_place(change: dict[str, object], message: str) -> None:
    with pytest.raises(InputError) as caught:
        decode(Whole, GOOD | change, "whole", "write it again")
    assert str(caught.value) == f"{message}. Fix: write it again."


def test_what_has_a_default_may_be_missing() -> None:
    assert decode(Whole, GOOD, "whole", "fix").parts == (Part("a", 1.0),)

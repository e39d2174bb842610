"""Numbers and names as people read them."""

from __future__ import annotations

import math
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.base.number_text import number_text
from thresher.reports.formatting import (
    decimals_for,
    fixed,
    p_text,
    percent,
    plain,
    signed,
    significant_digits,
)


@pytest.mark.parametrize(
    ("value", "decimals", "text"),
    [
        (0.12345, 4, "0.1235"),
        (-0.00004, 4, "0.0000"),
        (-1234.5, 1, "−1,234.5"),
        (None, 2, "–"),
        (math.nan, 2, "–"),
        (math.inf, 1, "∞"),
        (-math.inf, 1, "−∞"),
        (0, 0, "0"),
    ],
)
def test_fixed(value: float | None, decimals: int, text: str) -> None:
    assert fixed(value, decimals) == text


@pytest.mark.parametrize(
    ("value", "text"), [(0.0123, "+0.0123"), (-0.0123, "−0.0123"), (0.0, "0.0000"), (0.00001, "0.0000")]
)
def test_signed(value: float, text: str) -> None:
    assert signed(value, 4) == text


def test_columns_get_the_decimals_that_they_need() -> None:
    assert decimals_for([97.0, 15.2]) == 1
    assert decimals_for([1.2345, 0.5]) == 3
    assert decimals_for([0.0001]) == 3
    assert decimals_for([382_000, 2.0]) == 0
    assert decimals_for([14, 23, 0], digits=2) == 0
    assert decimals_for([]) == decimals_for([0.0, math.nan]) == 0


def test_small_forms() -> None:
    assert percent(0.4321) == "43.2"
    assert percent(None) == "–"
    assert [number_text(cutoff) for cutoff in (8000.0, 0.35, -2.0)] == ["8000", "0.35", "-2"]
    assert [significant_digits(value) for value in (0.012345, 1234.5, 0.0, 98.76, 0.02125)] == [
        "0.0123",
        "1,234",
        "0",
        "98.8",
        "0.0213",
    ]
    assert [p_text(p) for p in (0.00009, 0.0001, 0.03125, 1.0)] == ["< 0.0001", "0.0001", "0.0312", "1.0000"]


def test_control_characters_cannot_reach_a_terminal() -> None:
    assert plain("a\x1b[31mred\n\tb\u202ec") == "a\\u001b[31mred b\\u202ec"


@given(st.text())
def test_plain_text_is_one_line_and_stable(text: str) -> None:
    once = plain(text)
    assert plain(once) == once
    assert not any(unicodedata.category(sign) in ("Cc", "Cs", "Zl", "Zp") for sign in once)

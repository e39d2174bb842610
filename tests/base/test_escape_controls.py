from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.base.errors import MOST, ConfigErrors, InputError, escape_controls


@pytest.mark.slow
@given(st.text())
def test_nothing_steers_and_nothing_else_changes(text: str) -> None:
    seen = escape_controls(text, None)
    for sign in seen:
        assert unicodedata.category(sign) not in ("Cc", "Cs", "Zl", "Zp")
        assert unicodedata.bidirectional(sign) not in ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")
    if seen == text:
        return
    assert "\\u" in seen
    # Each sign is itself or four digits, as in JSON.
    rest = text
    while seen:
        if not seen.startswith(rest[0]) or (rest[0] == "\\" and seen.startswith(f"\\u{ord(rest[0]):04x}")):
            assert seen.startswith(f"\\u{ord(rest[0]):04x}")
            seen = seen[6:]
        else:
            seen = seen[1:]
        rest = rest[1:]
    assert rest == ""


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_json_keeps_its_meaning(text: str) -> None:
    assert json.loads(escape_controls(json.dumps(text, ensure_ascii=False), None)) == text


def test_bidirectional_overrides_and_the_other_line_ends() -> None:
    assert escape_controls("a\u202eb\u2066c\u200fd\u2028e\x85f\x9bg\ud800h") == (
        "a\\u202eb\\u2066c\\u200fd\\u2028e\\u0085f\\u009bg\\ud800h"
    )
    assert escape_controls("نمی\u200cخواهم, 👩\u200d🌾") == "نمی\u200cخواهم, 👩\u200d🌾"


@given(st.integers(0, 5000), st.integers(30, 2000))
def test_the_middle_of_long_texts_is_left_out(length: int, most: int) -> None:
    text = "".join(chr(ord("a") + place % 26) for place in range(length))
    seen = escape_controls(text, most)
    if length <= most:
        assert seen == text
        return
    first, told, last = seen.split(" … ")
    assert (text.startswith(first), text.endswith(last), len(first) + len(last)) == (True, True, most)
    assert told == f"({length:,} characters)"


def test_errors_keep_their_fix() -> None:
    (line,) = InputError("\x1b[2J" + "x" * 900_000, "leave\nit", "a\nb").lines()
    assert len(line) < MOST + 50
    assert line.startswith("a\\u000ab: \\u001b[2Jxxx")
    assert line.endswith("xxx. Fix: leave\\u000ait.")
    error = InputError("a\nb", "c")
    assert ConfigErrors([error, error]).lines() == error.lines() * 2  # type: ignore[list-item]

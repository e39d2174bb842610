"""Tables that fit a terminal: long names are wrapped or shortened, and figures stay."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.base.defaults import DEFAULT_INDEX
from thresher.reports.fitted_tables import fitted_lines
from thresher.reports.table import Cell, Head, Table
from thresher.reports.text_tables import display_width, ends_of, wrapped


def table_of(*names: str) -> Table:
    """Return a table with a role, a name and five columns of figures for each name."""
    heads = (Head("answer", align="left"), Head("variant", align="left"), *(Head(f"figure {n}") for n in range(5)))
    rows = tuple((Cell("smallest"), Cell(name), *(Cell(f"{n}.125") for n in range(5))) for name in names)
    return Table(heads, rows, "A caption.", rules=(1,) if len(rows) > 1 else ())


def test_a_long_name_is_wrapped_at_its_joints_before_a_figure_goes() -> None:
    lines = fitted_lines(table_of("none", DEFAULT_INDEX), 80, wraps=True)
    assert lines == [
        "answer    variant                       figure 0  figure 1  figure 2  figure 3",
        "──────────────────────────────────────────────────────────────────────────────",
        "smallest  none                             0.125     1.125     2.125     3.125",
        "──────────────────────────────────────────────────────────────────────────────",
        "smallest  content(headings=keep)@0.3       0.125     1.125     2.125     3.125",
        "          +repeated(share,",
        "          headings=keep)@0.01",
        "          |weights(title=8,headings=2,",
        "          anchors=1)|dcp@0.5",
        "",
        "A caption.",
    ]


def test_a_long_name_is_shortened_to_its_two_ends() -> None:
    row = fitted_lines(table_of(DEFAULT_INDEX), 80, wraps=False)[2]
    assert row == "smallest  content(heading…ors=1)|dcp@0.5     0.125     1.125     2.125     3.125"


@pytest.mark.parametrize("wraps", [True, False])
def test_a_name_with_room_is_whole(wraps: bool) -> None:
    (row,) = [line for line in fitted_lines(table_of(DEFAULT_INDEX), 180, wraps) if DEFAULT_INDEX in line]
    assert row.endswith("4.125")


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=60), st.integers(16, 60), st.booleans())
def test_any_name_fits(name: str, width: int, wraps: bool) -> None:
    lines = fitted_lines(
        Table((Head("name", align="left"), Head("n")), ((Cell(name), Cell("1")),), ""), width + 24, wraps
    )
    assert max(map(display_width, lines)) <= width + 24
    assert lines[2].endswith("1")
    assert display_width(ends_of(name, width)) <= width


@given(st.integers(16, 120))
def test_a_wrapped_name_loses_no_character(width: int) -> None:
    lines = list(wrapped(f"Use {DEFAULT_INDEX}: a size.", width))
    assert "".join(lines).replace(" ", "") == f"Use {DEFAULT_INDEX}: a size.".replace(" ", "")
    assert max(map(len, lines)) <= width


def test_numbers_are_no_joints() -> None:
    assert list(wrapped("1,496+2|3,125 and so on", 16)) == ["1,496+2|3,125", "and so on"]

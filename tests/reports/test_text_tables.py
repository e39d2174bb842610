"""Tables as text, Markdown and LaTeX."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from thresher.reports.table import Cell, Head, Table
from thresher.reports.text_tables import display_width, render_markdown, render_text


def test_wide_and_combining_characters_stay_aligned() -> None:
    names = ["日本語", "e\u0301te\u0301", "ascii"]
    table = Table((Head("name", align="left"), Head("n")), tuple((Cell(name), Cell("1")) for name in names), "three")
    assert [display_width(name) for name in names] == [6, 3, 5]
    lines = render_text(table).splitlines()
    assert lines[2:5] == ["日本語  1", "e\u0301te\u0301     1", "ascii   1"]
    assert {display_width(line) for line in lines[:5]} == {9}


@given(st.lists(st.text(max_size=12), min_size=1, max_size=4), st.integers(10, 80))
def test_any_names_keep_one_line_a_row(names: list[str], width: int) -> None:
    table = Table((Head("name", align="left"), Head("n")), tuple((Cell(name), Cell("1")) for name in names), "")
    lines = render_text(table, width).split("\n")
    assert len(lines) == 2 + len(names) + 1


def test_markdown_markup_in_names_is_escaped() -> None:
    table = Table((Head("a|b"),), ((Cell("x_y*[z]<i>&`"),),), "")
    assert render_markdown(table) == "| a\\|b |\n| ---: |\n| x\\_y\\*\\[z\\]&lt;i&gt;&amp;\\` |\n"


def test_a_narrow_terminal_repeats_the_columns_that_name_a_row() -> None:
    heads = (Head("name", align="left"), *(Head(f"number {index}", "unit") for index in range(8)))
    rows = tuple((Cell(name), *(Cell(f"{index}.5") for index in range(8))) for name in ("first", "second"))
    table = Table(heads, rows, "A caption of several words.", "A note.")
    whole, narrow = render_text(table), render_text(table, 40)
    assert [line for line in whole.splitlines() if line.startswith("first")] == [whole.splitlines()[3]]
    blocks = narrow.split("\n\n")
    assert all(block.startswith("name") and "second" in block for block in blocks[:-1])
    assert max(map(display_width, narrow.splitlines())) <= 40
    for index in range(8):
        assert narrow.count(f"number {index}") == 1
    assert narrow.endswith("A caption of several words.\nA note.\n")

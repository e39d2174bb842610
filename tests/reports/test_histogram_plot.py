"""The plot and the tables of a collection's perplexities."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from thresher.reports.histograms import (
    histogram_figure,
    percentile_table,
    removed_table,
    write_histogram_csv,
)
from thresher.scoring.distribution import DECILES, PERCENTILES, Distribution, Removed

from thresher.reports.plot_style import figure_svg
from thresher.reports.text_tables import display_width, render_text, shortened

CUTOFFS = (1000, 2000, 4000, 6000, 8000, 10000, 12000, 14000)
SHARES = np.array([0.0001, 0.2, 0.5, *[0.0] * 80, 0.2, 0.0999])
FOUND = Distribution(
    sentences=1200,
    words=20_000,
    wordless=3,
    by_sentences={at: math.inf if at == 99 else at * 20.0 for at in PERCENTILES},
    by_words={at: at * 10.5 for at in PERCENTILES},
    examples={at: f"the {at}th\tsentence, which is long enough to be cut" for at in DECILES},
    removed=tuple(Removed(float(at), 0.5, 400 / at) for at in CUTOFFS),
    edges=10.0 ** (np.arange(20, 20 + len(SHARES) + 1) / 20),
    shares=SHARES,
)
REFERENCE = {float(at): at * 9.0 for at in PERCENTILES if at != 5}


def test_bars_are_shares_and_lines_are_cutoffs() -> None:
    figure = histogram_figure(FOUND, "web: perplexity(lm=books)")
    (axes,) = figure.axes
    (bars,) = axes.patches
    values, edges, _ = bars.get_data()
    # The first bin is less than 0.05 % of the words.
    assert values.tolist() == (100 * SHARES[1:]).tolist()
    assert edges.tolist() == FOUND.edges[1:].tolist()
    assert axes.get_xscale() == "log"
    positions = [line.get_xdata()[0] for line in axes.get_lines() if len(line.get_xdata()) == 2]
    assert positions == [*CUTOFFS, FOUND.by_words[50]]
    low, high = axes.get_xlim()
    assert low < FOUND.edges[1] < FOUND.edges[-1] < high
    text = figure_svg(figure, "x")
    assert [
        label for label in ("1K: 40.0", "2K: 20.0", "8K: 5.0", "10K: 4.0", "14K: 2.9") if f">{label}<" not in text
    ] == []
    # It would cover its neighbour.
    assert "12K" not in text
    assert text == figure_svg(histogram_figure(FOUND, "web: perplexity(lm=books)"), "x")


def test_cutoffs_beyond_all_perplexities_are_shown() -> None:
    one = Distribution(
        1, 5, 0, dict.fromkeys(PERCENTILES, 30.0), dict.fromkeys(PERCENTILES, 30.0), {}, FOUND.removed,
        np.array([28.2, 31.6]), np.array([1.0]),
    )  # fmt: skip
    (axes,) = histogram_figure(one, "x").axes
    low, high = axes.get_xlim()
    assert low < 28.2 < 14000 < high


def test_tables_fit_their_width() -> None:
    table = percentile_table(FOUND, REFERENCE, 80)
    assert [column.header for column in table.columns] == [
        "percentile", "by sentences", "by words", "reference text", "a sentence there, by words",
    ]  # fmt: skip
    rows = {row[0].text: [cell.text for cell in row[1:]] for row in table.rows}
    assert rows["5"] == ["100.0", "52.50", "–", ""]
    assert rows["70"] == ["1,400", "735.0", "630.0", "the 70th sentence, which is…"]
    assert rows["99"] == ["∞", "1,040", "891.0", ""]
    text = render_text(table, 80)
    assert max(map(display_width, text.splitlines())) <= 80
    assert "1,200 sentences with 20,000 words; 3 sentences have no word" in " ".join(text.split())
    bare = percentile_table(FOUND, {}, 200)
    assert [column.header for column in bare.columns][3:] == ["a sentence there, by words"]
    assert bare.rows[2][3].text == "the 10th sentence, which is long enough to be cut"
    assert "Reference" not in bare.caption
    assert [[cell.text for cell in row] for row in removed_table(FOUND).rows[:2]] == [
        ["1000", "50.0", "40.0"],
        ["2000", "50.0", "20.0"],
    ]


def test_csv_has_every_number(tmp_path: Path) -> None:
    write_histogram_csv(FOUND, REFERENCE, tmp_path / "x.csv")
    with (tmp_path / "x.csv").open(encoding="utf-8", newline="") as handle:
        rows = list(csv.DictReader(handle))
    percentiles = [row for row in rows if row["kind"] == "percentile"]
    assert {int(row["at"]): float(row["by_words"]) for row in percentiles} == FOUND.by_words
    assert {int(row["at"]): float(row["by_sentences"]) for row in percentiles} == FOUND.by_sentences
    assert {float(row["at"]): float(row["reference_text"]) for row in percentiles if row["reference_text"]} == REFERENCE
    assert {int(row["at"]): row["sentence"] for row in percentiles if row["sentence"]} == FOUND.examples
    removed = [row for row in rows if row["kind"] == "removed"]
    assert [(float(row["at"]), float(row["by_sentences"]), float(row["by_words"])) for row in removed] == [
        (item.cutoff, item.sentences, item.words) for item in FOUND.removed
    ]
    assert len(rows) == len(percentiles) + len(removed)


@given(st.text(st.sampled_from("a e\u6f22\u0301 "), max_size=30), st.integers(2, 20))
def test_a_shortened_text_begins_the_text_and_fits(text: str, room: int) -> None:
    result = shortened(text, room)
    assert display_width(result) <= room
    assert result == text if display_width(text) <= room else text.startswith(result.removesuffix("…"))
    if result != text:
        assert result.endswith("…")


@pytest.mark.parametrize(("room", "text"), [(20, "barley and rye"), (14, "barley and rye"), (13, "barley and r…")])
def test_a_text_is_cut_no_sooner_than_it_must(room: int, text: str) -> None:
    assert shortened("barley and rye", room) == text

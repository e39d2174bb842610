"""Sweeps over percentiles in reports: what the axis says, and how the numbers found are printed."""

from __future__ import annotations

from dataclasses import replace

import pytest
from report_samples import large

from thresher.number_texts import exact_number
from thresher.reports.chart_rows import of_results
from thresher.reports.charts import cutoffs
from thresher.reports.formatting import cutoff_label
from thresher.results.selection import sweep_rows, sweeps

BY_WORDS = "cutoff, percentile of the collection's words"


@pytest.mark.parametrize(
    ("sweep", "label"),
    [
        ("words", "cutoff"),
        ("perplexity(lm=books)", "cutoff"),
        ("perplexity(lm=/models/a@p)", "cutoff"),
        ("words@p", BY_WORDS),
        ("perplexity(lm=books,headings=keep)@p", BY_WORDS),
        ("words@doc", "cutoff, per cent of each page's words"),
        ("perplexity(lm=/m)@r", "cutoff, percentile of the reference text's sentences"),
    ],
)
def test_what_cutoffs_are(sweep: str, label: str) -> None:
    assert cutoff_label(sweep) == label


def test_numbers_and_percentiles_of_one_scorer_are_two_sweeps() -> None:
    results = large()
    name = sweeps(results)[0]
    rows = [row for row in results.rows if row.sweep == name]
    count = len(rows)
    twins = tuple(
        replace(row, sweep=f"{name}@p", cutoff=0.5 + 98.0 * place / (count - 1), variant=f"{name}@p{place}")
        for place, row in enumerate(rows)
    )
    both = replace(results, rows=(*results.rows, *twins))
    assert f"{name}@p" in sweeps(both)
    assert sweep_rows(both, name, "qld") == sweep_rows(results, name, "qld")
    for sweep, label in ((name, "cutoff"), (f"{name}@p", BY_WORDS)):
        x = cutoffs(of_results(both, "qld"), sweep)["vconcat"][-1]["layer"][0]["encoding"]["x"]
        assert x["title"] == label
    # From 0.5 to 98.5, and yet no logarithms.
    assert "type" not in x["scale"]


@pytest.mark.parametrize(
    ("value", "text"), [(8412.3, "8,412.3"), (12.0, "12"), (-0.25, "−0.25"), (1234567.0, "1,234,567"), (0.1, "0.1")]
)
def test_numbers_keep_all_their_decimals(value: float, text: str) -> None:
    assert exact_number(value) == text

"""Variants with title and headings beside the same without, on samples made by hand."""

from __future__ import annotations

from dataclasses import replace

from report_samples import BASELINE, NDCG, WORDS, comparison, small

from thresher.reports.further_tables import twins_table
from thresher.reports.html import render_report
from thresher.reports.summary import summary
from thresher.results.experiment_results import Results
from thresher.results.selection import twins

KEPT, DROPPED, ALL = "words(headings=keep)@11", "words(headings=drop)@11", "words(headings=drop)@0"


def results() -> Results:
    kept = replace(WORDS, variant=KEPT)
    worse = {NDCG: comparison(NDCG, -0.2, 0, 0, 8, 0.01)}
    without = replace(
        small(),
        rows=(
            replace(
                BASELINE, variant=ALL, measures={"P@10": 0.3, NDCG: 0.45}, index_bytes=900, index_bytes_baseline=900
            ),
            replace(
                WORDS,
                variant=DROPPED,
                measures={"P@10": 0.1, NDCG: 0.25},
                comparisons=worse,
                index_bytes=450,
                index_bytes_baseline=900,
            ),
        ),
    )
    return replace(small(), rows=(*small().rows, kept), without_headings=without, twins={"none": ALL, KEPT: DROPPED})


def test_each_variant_is_beside_its_twin() -> None:
    found = results()
    assert [(pair.variant.variant, pair.twin.variant) for pair in twins(found)] == [("none", ALL), (KEPT, DROPPED)]
    table = twins_table(found)
    assert table is not None
    assert [head.header for head in table.columns] == ["variant", *["nDCG@10", "difference", "index"] * 2]
    measures, share = WORDS.measures, 100 * WORDS.index_bytes / WORDS.index_bytes_baseline
    assert [[cell.text + cell.mark for cell in row] for row in table.rows] == [
        ["none", "0.5000", "–", "100.0", "0.4500", "–", "100.0"],
        [KEPT, f"{measures[NDCG]:.4f}†+", "+0.0123", f"{share:.1f}", "0.2500†−", "−0.2000", "50.0"],
    ]
    assert table.caption.startswith(f"{NDCG}, 8 topics. Variants with headings=keep, and the same with headings=drop. ")
    assert "Holm correction over variants and measures of each, α = 0.05" in table.caption


def test_the_summary_counts_both() -> None:
    (sentence,) = set(summary(results())) - set(summary(replace(results(), without_headings=None)))
    assert sentence == (
        f"Of 1 variant with `headings=keep`, 0 are significantly worse than the baseline in {NDCG}. Without title and "
        "headings in any index, 1 is."
    )


def test_the_page_has_both_where_there_are_any() -> None:
    assert 'id="without-headings"' in render_report(results())
    assert 'id="without-headings"' not in render_report(small())
    assert twins_table(small()) is None
    assert twins(small()) == ()

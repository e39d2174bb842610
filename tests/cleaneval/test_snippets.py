"""Which snippets a cleaned page has, and cleaners by type of page."""

from __future__ import annotations

import re
import statistics
from dataclasses import replace

import pytest
from cleaning_samples import BARE, TYPES, results
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from thresher.cleaneval.cleaning_measures import SnippetCounts, count_snippets
from thresher.cleaneval.results import UNTYPED, MeanInterval, by_page_type, mean_interval, summarize_snippets

PIECES = st.lists(
    st.sampled_from(["rain", "Rain", "it's", "it’s", "9", "_", "雨", ".", "»", "\n", " ", "\u00a0"]), min_size=1
).map("".join)


def has(text: str, snippet: str) -> bool:
    """Search for the snippet's runs of word characters with anything but those between; for others as they are."""
    runs = re.split(r"\W+", snippet)
    runs = [run for run in runs if run]
    if not runs:
        return re.search(r"\s+".join(map(re.escape, snippet.split())), text) is not None
    return re.search(r"\W+".join(runs), text) is not None


@given(PIECES, st.lists(PIECES), st.lists(PIECES))
def test_a_snippet_is_found_over_punctuation_and_white_space(
    text: str, required: list[str], forbidden: list[str]
) -> None:
    found = count_snippets(text, required, forbidden)
    if not required and not forbidden:
        assert found is None
        return
    kept, leaked = (sum(has(text, snippet) for snippet in snippets) for snippets in (required, forbidden))
    assert found == SnippetCounts(len(required), kept, len(forbidden), leaked)


def test_case_counts_and_punctuation_and_blocks_do_not() -> None:
    text = "It rained.\nAll day long, he’d said ©"
    assert count_snippets(
        text, [" rained  All ", "It Rained", "he'd", "day\u00a0long"], ["ained!", "longer", "©", "®"]
    ) == (SnippetCounts(4, 3, 4, 2))
    assert count_snippets("", ["rain"], []) == SnippetCounts(1, 0, 0, 0)


def test_shares_of_a_page() -> None:
    assert (SnippetCounts(4, 3, 2, 1).recall, SnippetCounts(4, 3, 2, 1).leak_rate) == (0.75, 0.5)
    assert (SnippetCounts(0, 0, 2, 0).recall, SnippetCounts(4, 3, 0, 0).leak_rate) == (None, None)


def test_pages_without_snippets_do_not_count() -> None:
    found = summarize_snippets([SnippetCounts(4, 3, 0, 0), None, SnippetCounts(1, 0, 2, 2), SnippetCounts(2, 2, 0, 0)])
    assert found is not None
    assert (found.pages, found.counts) == (3, SnippetCounts(7, 5, 2, 2))
    recalls = [0.75, 0.0, 1.0]
    low, high = stats.t.interval(0.95, 2, statistics.fmean(recalls), stats.sem(recalls))
    assert found.recall is not None
    assert (found.recall.mean, found.recall.low, found.recall.high) == pytest.approx((1.75 / 3, low, high))
    assert found.leak_rate == MeanInterval(1.0, float("-inf"), float("inf"))
    assert summarize_snippets([None, None]) is None
    none_required = summarize_snippets([SnippetCounts(0, 0, 1, 0)])
    assert none_required is not None
    assert none_required.recall is None


def test_types_divide_the_pages() -> None:
    cleaned = results(snippets=True)
    found = by_page_type(cleaned, TYPES)
    assert [(one.cleaner, one.page_type, one.pages, one.emptied) for one in found] == [
        ("none", "article", 8, 0), ("none", "forum", 3, 0), ("none", UNTYPED, 1, 0),
        ("words@10", "article", 8, 1), ("words@10", "forum", 3, 0), ("words@10", UNTYPED, 1, 0),
        ("peer:x", "article", 8, 0), ("peer:x", "forum", 3, 0), ("peer:x", UNTYPED, 1, 0),
    ]  # fmt: skip
    assert [one.is_peer for one in found] == [*[False] * 6, *[True] * 3]
    articles = found[3]
    assert articles.token_f1 == mean_interval([72 / 110] * 3 + [0.0] + [72 / 110] * 4)
    assert articles.f1 == mean_interval([90 / 110] * 3 + [0.0] + [90 / 110] * 4)
    assert articles.snippets is not None
    assert articles.snippets.counts == SnippetCounts(16, 7, 8, 0)
    assert found[5].snippets is None
    # Every page is in one type.
    for result in cleaned:
        mine = [one for one in found if one.cleaner == result.cleaner]
        total = sum(one.pages * one.token_f1.mean for one in mine)
        assert total == pytest.approx(len(TYPES) * result.summary.token_f1.mean)
        assert sum(one.emptied for one in mine) == result.summary.words.emptied


def test_types_of_most_pages_come_first_and_ties_by_name() -> None:
    base, *_ = results(peers=False)
    types = ["b", "a", "", "", "", "c", "c", "a", "b", "b", "", "d"]
    assert [one.page_type for one in by_page_type([base], types)] == ["b", "a", "c", "d", UNTYPED]
    assert by_page_type([base], [""] * 12) == ()


def test_a_page_s_snippets_do_not_change_its_other_measures() -> None:
    plain, full = results(), results(snippets=True)
    for one, other in zip(plain, full, strict=True):
        assert one.summary.snippets is None
        assert other.summary.snippets is not None
        assert other.summary.snippets.pages == len(TYPES) - 1
        assert other.pages[BARE].snippets is None
        assert replace(other.summary, snippets=None) == one.summary

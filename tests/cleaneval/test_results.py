"""Cleaners over a gold standard, summarised and tested against the first; Student's t by its formula."""

from __future__ import annotations

import math
import statistics
from dataclasses import replace

import numpy as np
import pytest
from cleaning_samples import TYPES, results
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import special, stats

from thresher.evaluation.cleaneval.cleaning_measures import PageWords, RougeCounts, TokenCounts
from thresher.evaluation.cleaneval.comparing import PageQuality
from thresher.evaluation.cleaneval.results import (
    UNTYPED,
    CleanerPages,
    MeanInterval,
    SignificanceOptions,
    by_page_type,
    compare_cleaners,
    mean_interval,
)
from thresher.evaluation.significance import signed_ranks

SHARES = st.floats(0, 1).map(lambda value: round(value, 6))


def quality(words: PageWords) -> PageQuality:
    tokens = TokenCounts(words.words + 2, words.gold, words.aligned)
    rouge = RougeCounts(words.aligned, words.words, words.gold)
    return PageQuality(words, tokens, rouge, rouge)


def test_cleaners_are_tested_against_the_first_by_page_and_corrected() -> None:
    base = PageWords(100, 50, 50, 50)
    good = [PageWords(50 + place, 50, 50, place) for place in range(1, 11)]
    mixed = [PageWords(10 + 90 * (place % 2), 50, 10, 40) for place in range(1, 11)]
    columns = [
        CleanerPages("none", tuple(quality(base) for _ in good)),
        CleanerPages("good", tuple(map(quality, good))),
        CleanerPages("mixed", tuple(map(quality, mixed)), is_extractor=True, crashes=2),
    ]
    first, second, third = compare_cleaners(columns)
    assert first.comparison is None
    assert second.comparison is not None
    assert third.comparison is not None
    assert (third.is_extractor, third.crashes, third.pages) == (True, 2, columns[2].pages)
    assert second.comparison.p == 2 / 2**10
    assert second.comparison.p_corrected == 4 / 2**10
    free = compare_cleaners(columns, SignificanceOptions(0.2, "none"))[1].comparison
    assert free is not None
    assert (free.p, free.p_corrected, free.alpha) == (2 / 2**10, None, 0.2)
    assert free.ci_low > second.comparison.ci_low
    assert (second.comparison.wins, second.comparison.losses) == (10, 0)
    expected = [page.alignment.f1 - base.alignment.f1 for page in mixed]
    assert third.comparison.p == signed_ranks(expected).p
    assert third.comparison.difference == pytest.approx(statistics.fmean(expected))
    precisions = [page.alignment.precision for page in mixed]
    scale = stats.sem(precisions)
    low, high = stats.t.interval(0.95, 9, statistics.fmean(precisions), scale)
    assert (third.intervals[0].low, third.intervals[0].high) == pytest.approx((low, high))


def test_token_measures_are_means_over_pages() -> None:
    counts = (TokenCounts(10, 20, 5), TokenCounts(0, 0, 0), TokenCounts(0, 4, 0), TokenCounts(8, 4, 4))
    words = PageWords(10, 10, 10, 0)
    (found,) = compare_cleaners([CleanerPages("none", tuple(replace(quality(words), tokens=one) for one in counts))])
    f1s = [1 / 3, 1.0, 0.0, 2 / 3]
    assert found.summary.token_f1.mean == pytest.approx(statistics.fmean(f1s))
    assert found.summary.token_precision.mean == pytest.approx((0.5 + 1 + 0 + 0.5) / 4)
    assert found.summary.token_recall.median == pytest.approx((0.25 + 1) / 2)
    low, high = stats.t.interval(0.95, 3, statistics.fmean(f1s), stats.sem(f1s))
    assert (found.token_interval.low, found.token_interval.high) == pytest.approx((low, high))


@given(st.lists(SHARES, min_size=2, max_size=60))
def test_the_interval_is_students(values: list[float]) -> None:
    assume(np.std(values) > 1e-6)
    found = mean_interval(values)
    half = special.stdtrit(len(values) - 1, 0.975) * np.std(values, ddof=1) / math.sqrt(len(values))
    low, high = np.mean(values) - half, np.mean(values) + half
    assert (found.low, found.high) == (pytest.approx(low, abs=1e-10), pytest.approx(high, abs=1e-10))
    assert found.mean == pytest.approx(np.mean(values), abs=1e-9)


def test_equal_and_single_values() -> None:
    assert mean_interval([0.5] * 4) == MeanInterval(0.5, 0.5, 0.5)
    assert mean_interval([0.25]) == MeanInterval(0.25, -math.inf, math.inf)
    for values in ([], [math.nan], [0.1, math.inf]):
        with pytest.raises(ValueError, match=r"^finite values .* at least one$"):
            mean_interval(values)


def test_types_divide_the_pages() -> None:
    cleaned = results()
    found = by_page_type(cleaned, TYPES)
    assert [(one.cleaner, one.page_type, one.pages, one.emptied) for one in found] == [
        ("none", "article", 8, 0), ("none", "forum", 3, 0), ("none", UNTYPED, 1, 0),
        ("words@10", "article", 8, 1), ("words@10", "forum", 3, 0), ("words@10", UNTYPED, 1, 0),
        ("extractor:x", "article", 8, 0), ("extractor:x", "forum", 3, 0), ("extractor:x", UNTYPED, 1, 0),
    ]  # fmt: skip
    assert [one.is_extractor for one in found] == [*[False] * 6, *[True] * 3]
    articles = found[3]
    assert articles.token_f1 == mean_interval([72 / 110] * 3 + [0.0] + [72 / 110] * 4)
    assert articles.f1 == mean_interval([90 / 110] * 3 + [0.0] + [90 / 110] * 4)
    # Every page is in one type.
    for result in cleaned:
        mine = [one for one in found if one.cleaner == result.cleaner]
        total = sum(one.pages * one.token_f1.mean for one in mine)
        assert total == pytest.approx(len(TYPES) * result.summary.token_f1.mean)
        assert sum(one.emptied for one in mine) == result.summary.words.emptied


def test_types_of_most_pages_come_first_and_ties_by_name() -> None:
    base, *_ = results(extractors=False)
    types = ["b", "a", "", "", "", "c", "c", "a", "b", "b", "", "d"]
    assert [one.page_type for one in by_page_type([base], types)] == ["b", "a", "c", "d", UNTYPED]
    assert by_page_type([base], [""] * 12) == ()

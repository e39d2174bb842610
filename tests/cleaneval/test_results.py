"""Cleaners over a gold standard, summarised and tested against the first; Student's t by its formula."""

from __future__ import annotations

import math
import statistics
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import special, stats
from thresher.cleaneval.judging import (
    PageJudgement,
    PageQuality,
    compare_page,
    judge_pages,
    judge_texts,
    judge_words,
    score_gold,
)

from thresher.cleaneval.cleaning_measures import PageWords, SegmentCounts, TokenCounts, agreement
from thresher.cleaneval.gold import GoldPage, read_gold
from thresher.cleaneval.gold_texts import LabelledText
from thresher.cleaneval.results import (
    CleanerPages,
    MeanInterval,
    TTest,
    compare_cleaners,
    mean_interval,
    paired_t_test,
    summarize_quality,
)
from thresher.cleaneval.rouge import RougeCounts
from thresher.evaluation.significance import signed_ranks
from thresher.pages import Segments
from thresher.scorers.base import Scores
from thresher.scorers.cleaners import Cleaner, Cut, parse_cleaner
from thresher.scorers.shallow_features import Words

SHARES = st.floats(0, 1).map(lambda value: round(value, 6))
PAIRS = st.lists(st.tuples(SHARES, SHARES), min_size=2, max_size=60)


def quality(words: PageWords, segments: SegmentCounts | None = None) -> PageQuality:
    tokens = TokenCounts(words.words + 2, words.gold, words.shared)
    return PageQuality(words, tokens, segments, RougeCounts(words.aligned, words.words, words.gold), None)


def test_cleaners_are_tested_against_the_first_by_page_and_corrected() -> None:
    base = PageWords(100, 50, 50, 50, 50)
    good = [PageWords(50 + place, 50, 50, 50, place) for place in range(1, 11)]
    mixed = [PageWords(10 + 90 * (place % 2), 50, 10, 10, 40) for place in range(1, 11)]
    columns = [
        CleanerPages("none", tuple(quality(base) for _ in good)),
        CleanerPages("good", tuple(map(quality, good))),
        CleanerPages("mixed", tuple(map(quality, mixed)), is_peer=True, crashes=2),
    ]
    first, second, third = compare_cleaners(columns)
    assert (first.comparison, first.t_test, first.t_precision) == (None, None, None)
    assert second.comparison is not None
    assert third.comparison is not None
    assert (third.is_peer, third.crashes, third.pages) == (True, 2, columns[2].pages)
    assert second.comparison.p == 2 / 2**10
    assert second.comparison.p_holm == 4 / 2**10
    free = compare_cleaners(columns, alpha=0.2, correction="none")[1].comparison
    assert free is not None
    assert (free.p, free.p_holm, free.alpha) == (2 / 2**10, None, 0.2)
    assert free.ci_low > second.comparison.ci_low
    assert (second.comparison.wins, second.comparison.losses) == (10, 0)
    expected = [page.alignment.f1 - base.alignment.f1 for page in mixed]
    assert third.comparison.p == signed_ranks(expected).p
    assert third.comparison.difference == pytest.approx(statistics.fmean(expected))
    assert third.t_test is not None
    assert third.t_test.p == pytest.approx(stats.ttest_1samp(expected, 0).pvalue)
    precisions = [page.alignment.precision for page in mixed]
    assert third.t_precision is not None
    assert third.t_precision.t == pytest.approx(stats.ttest_1samp([one - 0.5 for one in precisions], 0).statistic)
    scale = stats.sem(precisions)
    low, high = stats.t.interval(0.95, 9, statistics.fmean(precisions), scale)
    assert (third.intervals[0].low, third.intervals[0].high) == pytest.approx((low, high))


def test_token_measures_are_means_over_pages() -> None:
    counts = (TokenCounts(10, 20, 5), TokenCounts(0, 0, 0), TokenCounts(0, 4, 0), TokenCounts(8, 4, 4))
    words = PageWords(10, 10, 10, 10, 0)
    (found,) = compare_cleaners([CleanerPages("none", tuple(replace(quality(words), tokens=one) for one in counts))])
    f1s = [1 / 3, 1.0, 0.0, 2 / 3]
    assert found.summary.token_f1.mean == pytest.approx(statistics.fmean(f1s))
    assert found.summary.token_precision.mean == pytest.approx((0.5 + 1 + 0 + 0.5) / 4)
    assert found.summary.token_recall.median == pytest.approx((0.25 + 1) / 2)
    low, high = stats.t.interval(0.95, 3, statistics.fmean(f1s), stats.sem(f1s))
    assert (found.token_interval.low, found.token_interval.high) == pytest.approx((low, high))


def test_segments_are_pooled_over_the_pages_that_have_any() -> None:
    words = PageWords(10, 10, 10, 10, 0)
    pages = [
        quality(words, SegmentCounts(4, 2, 1, 2)),
        quality(words),
        quality(words, SegmentCounts(2, 6, 1, 1)),
    ]
    found = summarize_quality(pages).segmentation
    assert found is not None
    assert (found.pages, found.labelled, found.unlabelled) == (2, agreement(2, 6, 8), agreement(3, 6, 8))
    assert found.labelled_f1.mean == pytest.approx((2 / 6 + 2 / 8) / 2)
    assert found.unlabelled_f1.median == pytest.approx((4 / 6 + 2 / 8) / 2)
    assert summarize_quality(pages[1:2]).segmentation is None


def test_pages_are_judged_alike_by_any_number_of_workers(tmp_path: Path) -> None:
    (tmp_path / "gold").mkdir()
    for number in range(5):
        rain = f"It rains for {number} days, and then it is dry for as many days again."
        (tmp_path / f"{number}.html").write_text(f"<title>Rain</title><ul><li>Home<li>About</ul><p>{rain}")
        (tmp_path / "gold" / f"{number}.txt").write_text(f"<p>{rain}")
    (tmp_path / "4.html").write_bytes(b"")
    pages = read_gold(tmp_path).pages
    cleaners = [parse_cleaner(name) for name in ("none", "words@10", "words@99", "words@5+words@10")]
    score_gold(pages, [scorer for cleaner in cleaners for scorer in cleaner.scorers], tmp_path / "store")
    judged = list(judge_pages(pages, tmp_path / "store", cleaners))
    assert judged == list(judge_pages(pages, tmp_path / "store", cleaners, workers=2))
    assert [page.stem for page in judged] == ["0", "1", "2", "3", "4"]
    assert [found.words for found in judged[0].quality] == [
        PageWords(18, 15, 15, 15, 3),
        PageWords(15, 15, 15, 15, 0),
        PageWords(0, 15, 0, 0, 15),
        PageWords(15, 15, 15, 15, 0),
    ]
    assert [found.segments for found in judged[0].quality] == [
        SegmentCounts(4, 1, 0, 0),
        SegmentCounts(1, 1, 1, 1),
        SegmentCounts(0, 1, 0, 0),
        SegmentCounts(1, 1, 1, 1),
    ]
    assert judged[4].quality == (compare_page((), pages[4].segments),) * 4
    words = list(judge_words(pages, tmp_path / "store", cleaners, workers=2))
    assert words == [tuple(found.words for found in page.quality) for page in judged]
    texts = [((LabelledText("p", "It rains"),), ()) for _ in pages]
    assert list(judge_texts(texts, pages, workers=2)) == [
        (compare_page(text[0], page.segments), compare_page((), page.segments))
        for text, page in zip(texts, pages, strict=True)
    ]


class Brittle(Words):
    """Counts words, and cannot take one page."""

    name = "brittle"

    def score(self, segments: Segments) -> Scores:
        if "Rain" in segments.text:
            raise ValueError("two\nlines")
        return super().score(segments)


def test_a_page_that_cannot_be_scored_is_emptied_and_said_to_be(tmp_path: Path) -> None:
    cleaner = Cleaner((Cut(Brittle(), 1.0),))
    pages = [GoldPage(text, tmp_path / f"{text}.html", (LabelledText(None, text),)) for text in ("Rain", "Sun")]
    for page in pages:
        page.path.write_text(f"<p>{page.stem}")
    score_gold(pages, cleaner.scorers, tmp_path / "store")
    rain, sun = judge_pages(pages, tmp_path / "store", [cleaner])
    reason = "cannot be scored: ValueError: two lines"
    assert rain == PageJudgement("Rain", (compare_page((), pages[0].segments),), reason)
    assert sun == PageJudgement("Sun", (compare_page((LabelledText("p", "Sun"),), pages[1].segments),))


@given(PAIRS)
def test_the_t_test_is_students(pairs: list[tuple[float, float]]) -> None:
    values, baseline = [left for left, _ in pairs], [right for _, right in pairs]
    differences = np.subtract(values, baseline)
    assume(differences.std() > 1e-6)
    assume(differences.mean() == 0 or abs(differences.mean()) > 1e-8)
    found, df = paired_t_test(values, baseline), len(pairs) - 1
    error = differences.std(ddof=1) / math.sqrt(len(pairs))
    t = differences.mean() / error
    assert (found.t, found.df) == (pytest.approx(t, rel=1e-9, abs=1e-9), df)
    assert found.p == pytest.approx(2 * float(special.stdtr(df, -abs(t))), rel=1e-9)
    half = float(special.stdtrit(df, 0.975)) * error
    assert found.difference.low == pytest.approx(differences.mean() - half, abs=1e-10)
    assert found.difference.high == pytest.approx(differences.mean() + half, abs=1e-10)
    opposite = paired_t_test(baseline, values)
    assert (opposite.t, opposite.p) == (pytest.approx(-found.t), pytest.approx(found.p))


@given(st.lists(SHARES, min_size=2, max_size=60))
def test_the_interval_is_students(values: list[float]) -> None:
    assume(np.std(values) > 1e-6)
    found = mean_interval(values)
    half = special.stdtrit(len(values) - 1, 0.975) * np.std(values, ddof=1) / math.sqrt(len(values))
    low, high = np.mean(values) - half, np.mean(values) + half
    assert (found.low, found.high) == (pytest.approx(low, abs=1e-10), pytest.approx(high, abs=1e-10))
    assert found.mean == pytest.approx(np.mean(values), abs=1e-9)


def test_the_papers_p_values_follow_from_its_t() -> None:
    # NCleaner, section 4, 158 texts: t = 1.976, p = .0499; t = 9.0557, p = 5.055e-16.
    for t, p in ((1.976, 0.0499), (9.0557, 5.055e-16)):
        # Two values around a mean have the mean's t by choice of their distance: here 79 of each.
        spread = math.sqrt(157) / t
        found = paired_t_test([1 + spread, 1 - spread] * 79, [0.0] * 158)
        assert (found.df, found.t) == (157, pytest.approx(t))
        assert found.p == pytest.approx(p, rel=2e-3)


def test_differences_that_are_all_equal() -> None:
    assert paired_t_test([0.5, 0.7, 0.1], [0.5, 0.7, 0.1]) == TTest(MeanInterval(0, 0, 0), 0, 2, 1)
    assert paired_t_test([0.5, 0.75], [0.25, 0.5]) == TTest(MeanInterval(0.25, 0.25, 0.25), math.inf, 1, 0)
    assert paired_t_test([0.25, 0.5], [0.5, 0.75]) == TTest(MeanInterval(-0.25, -0.25, -0.25), -math.inf, 1, 0)
    # 0.3 - 0.2 and 0.2 - 0.1 are not the same double.
    assert paired_t_test([0.3, 0.2], [0.2, 0.1]).p == 0
    assert paired_t_test([0.1 + 0.2, 0.5], [0.3, 0.5]) == TTest(MeanInterval(0, 0, 0), 0, 1, 1)
    assert mean_interval([0.5] * 4) == MeanInterval(0.5, 0.5, 0.5)


def test_one_pair_and_two_opposite_ones() -> None:
    assert paired_t_test([0.5], [0.25]) == TTest(MeanInterval(0.25, -math.inf, math.inf), 0, 0, 1)
    assert mean_interval([0.25]) == MeanInterval(0.25, -math.inf, math.inf)
    found = paired_t_test([1.0, 0.0], [0.0, 1.0])
    quantile = float(special.stdtrit(1, 0.975))
    assert (found.t, found.df, found.p) == (0, 1, 1)
    assert found.difference.high == pytest.approx(quantile * math.sqrt(2) / math.sqrt(2))


@pytest.mark.parametrize("values", [[], [math.nan], [0.1, math.inf]])
def test_what_cannot_be_tested(values: list[float]) -> None:
    with pytest.raises(ValueError, match=r"^finite values are needed, at least one$"):
        paired_t_test(values, [0.0] * len(values))
    with pytest.raises(ValueError, match=r"^finite values are needed, at least one$"):
        mean_interval(values)


def test_as_many_as_the_baseline_has() -> None:
    with pytest.raises(ValueError, match=r"^2 values cannot be paired with 1$"):
        paired_t_test([0.1, 0.2], [0.1])

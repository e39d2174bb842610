"""Cleaners over a gold standard, summed up and tested against the first."""

from __future__ import annotations

import statistics
from pathlib import Path

import pytest
from scipy import stats

from thresher.cleaneval.gold import GoldPage, LabelledText, read_gold
from thresher.cleaneval.judging import (
    JudgedPage,
    PageQuality,
    compare_page,
    judge_pages,
    judge_texts,
    judge_words,
    score_gold,
)
from thresher.cleaneval.measures import PageWords, agreement
from thresher.cleaneval.results import CleanerPages, compare_cleaners, summarize_quality
from thresher.cleaneval.rouge import RougeCounts
from thresher.cleaneval.segmentation import SegmentCounts
from thresher.evaluation.wilcoxon import signed_ranks
from thresher.pages import Segments
from thresher.scorers.base import Scores
from thresher.scorers.cleaners import Cleaner, Cut, parse_cleaner
from thresher.scorers.words import Words


def quality(words: PageWords, segments: SegmentCounts | None = None) -> PageQuality:
    return PageQuality(words, segments, RougeCounts(words.aligned, words.words, words.gold), None)


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
        SegmentCounts(4, 1, 1, 1),
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
    assert rain == JudgedPage("Rain", (compare_page((), pages[0].segments),), reason)
    assert sun == JudgedPage("Sun", (compare_page((LabelledText("p", "Sun"),), pages[1].segments),))

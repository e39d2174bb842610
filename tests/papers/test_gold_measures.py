"""Segments against Python's difflib, snippets against regular expressions, t-tests against SciPy and the paper."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from gold_measures import SegmentCounts, Snippets, TTest, bag, paired_t_test, pooled, segments, snippets
from thresher.evaluation.cleaneval.cleaning_measures import Agreement
from thresher.evaluation.cleaneval.gold import GoldPage, LabelledText, parse_gold
from thresher.evaluation.cleaneval.results import MeanInterval

SEGMENTS = st.lists(
    st.builds(LabelledText, st.sampled_from(["h", "p", "l", None]), st.text("ab \n", max_size=8)), max_size=8
)


def right(cleaned: Sequence[LabelledText], gold: Sequence[LabelledText], labelled: bool) -> int:
    """The tags in difflib's equal regions."""

    def tagged(parts: Sequence[LabelledText]) -> list[str]:
        tags = [f"<{(segment.label or 'p') if labelled else 'p'}>" for segment in parts]
        return " ".join(f"{tag} {segment.text}" for tag, segment in zip(tags, parts, strict=True)).split()

    a, b = tagged(cleaned), tagged(gold)
    opcodes = difflib.SequenceMatcher(None, a, b, autojunk=False).get_opcodes()
    equal = [a[begin:end] for kind, begin, end, _, _ in opcodes if kind == "equal"]
    return sum(token in ("<h>", "<p>", "<l>") for part in equal for token in part)


def expected(cleaned: Sequence[LabelledText], gold: Sequence[LabelledText]) -> SegmentCounts:
    if all(segment.label is None for segment in cleaned):
        return SegmentCounts(len(cleaned), len(gold), 0, 0)
    return SegmentCounts(len(cleaned), len(gold), right(cleaned, gold, True), right(cleaned, gold, False))


def test_segments_of_an_example() -> None:
    gold = parse_gold("<h>Rain\n<p>It rained all day.\n<l>one\n<l>two")
    # The heading was taken for a paragraph, the list for one paragraph, and something stands before it all.
    cleaned = [
        LabelledText("p", "Home"),
        LabelledText("p", "Rain"),
        LabelledText("p", "It rained\nall day."),
        LabelledText("l", "one two"),
    ]
    result = segments(cleaned, gold)
    assert result == SegmentCounts(cleaned=4, gold=4, right=2, right_unlabelled=3)
    assert result is not None
    assert pooled([result], labelled=True) == Agreement(0.5, 0.5, 0.5)
    assert pooled([result, result], labelled=False) == Agreement(0.75, 0.75, 0.75)


def test_a_boundary_counts_if_no_words_are_aligned_across_it() -> None:
    gold = [LabelledText("p", "one two three"), LabelledText("p", "four")]
    # Two words stand on the wrong side, a longer match than the tag.
    far = [LabelledText("p", "one"), LabelledText("p", "two three four")]
    assert segments(far, gold) == SegmentCounts(cleaned=2, gold=2, right=1, right_unlabelled=1)
    # One word does, a match as long as the tag, which comes first.
    near = [LabelledText("p", "one two"), LabelledText("p", "three four")]
    assert segments(near, gold) == SegmentCounts(cleaned=2, gold=2, right=2, right_unlabelled=2)


@given(SEGMENTS, SEGMENTS)
def test_counts_are_difflibs(cleaned: list[LabelledText], gold: list[LabelledText]) -> None:
    if gold and all(segment.label is None for segment in gold):
        assert segments(cleaned, gold) is None
    else:
        assert segments(cleaned, gold) == expected(cleaned, gold)


def test_plain_gold_has_no_segments_to_find() -> None:
    cleaned = [LabelledText("p", "one"), LabelledText("h", "two")]
    assert segments(cleaned, parse_gold("one\ntwo")) is None
    assert segments([], parse_gold("one")) is None
    # Text before the first tag is a paragraph where another segment has a label.
    assert segments(cleaned, parse_gold("URL: x\none\n<h>two")) == SegmentCounts(2, 2, 2, 2)


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
    page = GoldPage("1", Path("1.html"), (), required=tuple(required), forbidden=tuple(forbidden))
    kept, leaked = (sum(has(text, snippet) for snippet in wanted) for wanted in (required, forbidden))
    expected = Snippets(len(required), kept, len(forbidden), leaked) if required or forbidden else None
    assert snippets(text, page) == expected


def test_bags_know_no_order() -> None:
    assert bag("one two\nthree  four two", "two one two three") == Agreement(4 / 5, 1.0, 8 / 9)


def test_the_papers_p_values_follow_from_its_t() -> None:
    # NCleaner, section 4, 158 texts: t = 1.976, p = .0499; t = 9.0557, p = 5.055e-16.
    for t, p in ((1.976, 0.0499), (9.0557, 5.055e-16)):
        # Two values around a mean have the mean's t by choice of their distance: here 79 of each.
        spread = math.sqrt(157) / t
        found = paired_t_test([1 + spread, 1 - spread] * 79, [0.0] * 158)
        assert (found.df, found.t) == (157, pytest.approx(t))
        assert found.p == pytest.approx(p, rel=2e-3)


def test_the_t_test_is_scipys() -> None:
    values, baseline = [0.5, 0.75, 0.25, 0.875], [0.25, 0.75, 0.375, 0.5]
    found, expected = paired_t_test(values, baseline), stats.ttest_rel(values, baseline)
    assert (found.t, found.p) == pytest.approx((expected.statistic, expected.pvalue))
    assert found.difference.low == pytest.approx(expected.confidence_interval(0.95).low)
    assert paired_t_test([0.5, 0.7], [0.5, 0.7]) == TTest(MeanInterval(0, 0, 0), 0, 1, 1)
    assert paired_t_test([0.5, 0.75], [0.25, 0.5]) == TTest(MeanInterval(0.25, 0.25, 0.25), math.inf, 1, 0)
    assert paired_t_test([0.5], [0.25]) == TTest(MeanInterval(0.25, -math.inf, math.inf), 0, 0, 1)

"""Segmentation against Evert's definition, stated through Python's difflib."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.cleaneval.cleaning_measures import Agreement, SegmentCounts, compare_segments
from thresher.cleaneval.gold import read_gold
from thresher.cleaneval.gold_texts import LabelledText, parse_gold
from thresher.pages import read_html
from thresher.pages.marked_text import marked_segments

SEGMENTS = st.lists(
    st.builds(LabelledText, st.sampled_from(["h", "p", "l", None]), st.text("ab \n", max_size=8)), max_size=8
)


def right(cleaned: Sequence[LabelledText], gold: Sequence[LabelledText], labelled: bool) -> int:
    """The tags in difflib's equal regions."""

    def tagged(segments: Sequence[LabelledText]) -> list[str]:
        tags = [f"<{(segment.label or 'p') if labelled else 'p'}>" for segment in segments]
        return " ".join(f"{tag} {segment.text}" for tag, segment in zip(tags, segments, strict=True)).split()

    a, b = tagged(cleaned), tagged(gold)
    opcodes = difflib.SequenceMatcher(None, a, b, autojunk=False).get_opcodes()
    equal = [a[begin:end] for kind, begin, end, _, _ in opcodes if kind == "equal"]
    return sum(token in ("<h>", "<p>", "<l>") for part in equal for token in part)


def expected(cleaned: Sequence[LabelledText], gold: Sequence[LabelledText]) -> SegmentCounts:
    if all(segment.label is None for segment in cleaned):
        return SegmentCounts(len(cleaned), len(gold), 0, 0)
    return SegmentCounts(len(cleaned), len(gold), right(cleaned, gold, True), right(cleaned, gold, False))


def blocks_of(page: bytes) -> list[LabelledText]:
    return [LabelledText(segment.label, segment.text) for segment in marked_segments(read_html(page))]


def test_segments_of_an_example() -> None:
    gold = parse_gold("<h>Rain\n<p>It rained all day.\n<l>one\n<l>two")
    # The heading was taken for a paragraph, the list for one paragraph, and something stands before it all.
    cleaned = [
        LabelledText("p", "Home"),
        LabelledText("p", "Rain"),
        LabelledText("p", "It rained\nall day."),
        LabelledText("l", "one two"),
    ]
    result = compare_segments(cleaned, gold)
    assert result == SegmentCounts(cleaned=4, gold=4, right=2, right_unlabelled=3)
    assert (result.labelled, result.unlabelled) == (Agreement(0.5, 0.5, 0.5), Agreement(0.75, 0.75, 0.75))


def test_a_boundary_counts_if_no_words_are_aligned_across_it() -> None:
    gold = [LabelledText("p", "one two three"), LabelledText("p", "four")]
    # Two words stand on the wrong side, a longer match than the tag.
    far = [LabelledText("p", "one"), LabelledText("p", "two three four")]
    assert compare_segments(far, gold) == SegmentCounts(cleaned=2, gold=2, right=1, right_unlabelled=1)
    # One word does, a match as long as the tag, which comes first.
    near = [LabelledText("p", "one two"), LabelledText("p", "three four")]
    assert compare_segments(near, gold) == SegmentCounts(cleaned=2, gold=2, right=2, right_unlabelled=2)


def test_raw_text_has_no_segments() -> None:
    """NCleaner, LREC 2008, Table 4, and StupidOS, WAC 2007, Table 2: the baseline has 0 in all columns."""
    gold = parse_gold("<h>Rain\n<p>It rained all day.")
    raw = compare_segments([LabelledText(None, "Rain"), LabelledText(None, "It rained all day.")], gold)
    assert raw == SegmentCounts(2, 2, 0, 0)
    nothing = compare_segments([LabelledText(None, "Rain")], [])
    for found in (raw, nothing):
        assert found.labelled == found.unlabelled == Agreement(0, 0, 0)


@given(SEGMENTS, SEGMENTS)
def test_counts_are_difflibs(cleaned: list[LabelledText], gold: list[LabelledText]) -> None:
    if gold and all(segment.label is None for segment in gold):
        assert compare_segments(cleaned, gold) is None
    else:
        assert compare_segments(cleaned, gold) == expected(cleaned, gold)


def test_words_that_look_like_tags_are_words() -> None:
    gold = [LabelledText("p", "tags such as <h> <p>"), LabelledText("h", "<l> <l>")]
    assert compare_segments(gold, gold) == SegmentCounts(cleaned=2, gold=2, right=2, right_unlabelled=2)
    assert compare_segments([LabelledText("l", "<p> <h>")], gold) == SegmentCounts(1, 2, 0, 1)


def test_plain_gold_has_no_segments_to_find() -> None:
    cleaned = [LabelledText("p", "one"), LabelledText("h", "two")]
    assert compare_segments(cleaned, parse_gold("one\ntwo")) is None
    assert compare_segments([], parse_gold("one")) is None
    # Text before the first tag is a paragraph where another segment has a label.
    assert compare_segments(cleaned, parse_gold("URL: x\none\n<h>two")) == SegmentCounts(2, 2, 2, 2)


def test_an_empty_gold_text_wants_no_segment() -> None:
    nothing = compare_segments([], [])
    assert nothing == SegmentCounts(0, 0, 0, 0)
    assert nothing.labelled == nothing.unlabelled == Agreement(1, 1, 1)
    something = compare_segments([LabelledText("p", "one")], [])
    assert something == SegmentCounts(1, 0, 0, 0)
    assert something.labelled == something.unlabelled == Agreement(0, 0, 0)


@pytest.mark.parametrize("least", [0, 10])
def test_counts_are_difflibs_on_real_pages(shared_data: Path, least: int) -> None:
    """Of whole pages, and of what is left where short blocks go."""
    compared = 0
    for page in read_gold(shared_data / "cleaning" / "cleaneval-dev").pages:
        cleaned = [block for block in blocks_of(page.path.read_bytes()) if len(block.text.split()) >= least]
        if len(page.text) < 15_000:  # beyond, difflib takes its time
            assert compare_segments(cleaned, page.segments) == expected(cleaned, page.segments), page.stem
            compared += 1
    assert compared > 40

"""Body Text Extraction against every span there is."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.cleaners.scorers.bte import BodyText, best_span
from thresher.pages import read_html, read_text_page


def by_trying_all(gains: list[int], gaps: list[int]) -> tuple[int, int]:
    """The best of all spans: by sum, then by width, then the first."""
    spans = [(first, last) for first in range(len(gains)) for last in range(first, len(gains))]
    return max(
        spans,
        key=lambda span: (
            sum(gains[span[0] : span[1] + 1]) - sum(gaps[span[0] + 1 : span[1] + 1]),
            span[1] - span[0],
            -span[0],
        ),
    )


@given(st.lists(st.tuples(st.integers(-6, 6), st.integers(0, 6)), min_size=1, max_size=24))
def test_the_best_of_all_spans(blocks):
    gains, gaps = map(list, zip(*blocks, strict=True))
    assert best_span(np.array(gains), np.array(gaps)) == by_trying_all(gains, gaps)


@given(st.lists(st.tuples(st.integers(-10_000, 10_000), st.integers(0, 10_000)), min_size=1, max_size=60))
def test_large_numbers(blocks):
    gains, gaps = map(list, zip(*blocks, strict=True))
    assert best_span(np.array(gains), np.array(gaps)) == by_trying_all(gains, gaps)


@pytest.mark.parametrize(
    ("gains", "gaps", "span"),
    [
        ([3], [9], (0, 0)),
        ([-3], [0], (0, 0)),
        ([1, 1], [0, 3], (0, 0)),
        ([2, 2], [0, 2], (0, 1)),
        ([5, 0, 5], [0, 2, 2], (0, 2)),
        ([5, 0, 5], [0, 3, 3], (0, 0)),
        ([5, 0, 5, 0, 9], [7, 3, 3, 3, 3], (4, 4)),
        ([0, 0, 0], [0, 0, 0], (0, 2)),
        ([-2, -1, -1], [0, 0, 0], (1, 1)),
    ],
)
def test_by_hand(gains, gaps, span):
    assert best_span(np.array(gains), np.array(gaps)) == span


def test_a_page_by_hand():
    """Tags between the menu's entries outweigh its words; those between paragraphs don't outweigh theirs."""
    segments = read_html(
        "<body><ul><li><a href=1>Home</a></li><li><a href=2>News</a></li></ul>"
        "<p>Rain is expected in the <b>north</b> tonight.</p><p>Winds will be light.</p>"
        "<div><div><a href=3>Imprint</a></div></div>"
    )
    assert segments.blocks == [
        "Home",
        "News",
        "Rain is expected in the north tonight.",
        "Winds will be light.",
        "Imprint",
    ]
    assert segments.words_in_blocks.tolist() == [1, 1, 7, 4, 1]
    assert segments.marks.tags_inside.tolist() == [0, 0, 2, 0, 0]
    # </a></li><li><a>; </a></li></ul><p>; </p><p>; </p><div><div><a>
    assert segments.marks.tags_before.tolist()[1:] == [4, 4, 2, 4]
    # News and the gap after it would add 1 - 4, Imprint 1 - 4; the second paragraph adds 4 - 2.
    assert BodyText().score(segments).tolist() == [0, 0, 1, 1, 0]


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=20), max_size=8).map("\n".join))
def test_a_page_without_tags_stays(text):
    segments = read_text_page(text)
    assert BodyText().score(segments).tolist() == [1] * len(segments.blocks)


def test_real_pages(shared_data):
    for path in sorted((shared_data / "cleaning" / "cleanportaleval" / "input").iterdir())[::4]:
        segments = read_html(path.read_bytes())
        scores = BodyText().score(segments)
        marks = segments.marks
        gains, gaps = segments.words_in_blocks - marks.tags_inside, marks.tags_before
        first, last = np.flatnonzero(scores)[[0, -1]].tolist()
        assert scores.sum() == last - first + 1
        total = np.concatenate(([0], np.cumsum(gains - gaps)))
        # The sum of every span of blocks at once: row is the first, column the last.
        sums = np.triu(total[None, 1:] - total[:-1, None] + gaps[:, None]) + np.tril(np.full(len(gains), -(10**9)), -1)
        assert sums[first, last] == sums.max()
        widths = [span[1] - span[0] for span in np.argwhere(sums == sums.max()).tolist()]
        assert last - first == max(widths)


def test_no_blocks():
    assert BodyText().score(read_html("")).tolist() == []

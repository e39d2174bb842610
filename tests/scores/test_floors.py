"""Floors: pages keep their best segments, by the definition, one segment at a time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.cleaners.cleaner import Cleaner, Cut, parse_cleaner
from thresher.cleaners.scorer import BLOCK, KEEP_HIGH
from thresher.cleaners.scorers.bte import BodyText
from thresher.cleaners.scorers.perplexity import Perplexity
from thresher.cleaners.scorers.shallow_features import Density, Words
from thresher.collections import Page
from thresher.scores.cutting import Layout, clean_page, kept_by_floor, passes, sentence_mask
from thresher.scores.scoring import score_page


@dataclass(frozen=True)
class Sentence:
    """A sentence of a page: its block, words and perplexity; its block's heading, and scores by words, density and bte."""

    block: int
    words: int
    perplexity: float
    heading: bool
    length: float
    density: float
    inside: bool


numbers = st.sampled_from([0.0, -0.0, 1.0, 2.0, 3.0, math.inf, -math.inf, math.nan]) | st.floats(0, 5, width=32)
blocks = st.lists(
    st.tuples(
        st.booleans(),
        numbers,
        numbers,
        st.booleans(),
        st.lists(st.tuples(st.integers(0, 4), numbers), min_size=1, max_size=3),
    ),
    max_size=5,
)


def page_of(drawn: list[tuple[bool, float, float, bool, list[tuple[int, float]]]]) -> list[Sentence]:
    return [
        Sentence(number, words, perplexity, heading, length, density, inside)
        for number, (heading, length, density, inside, sentences) in enumerate(drawn)
        for words, perplexity in sentences
    ]


def score_of(cut: Cut, sentence: Sentence) -> float:
    values = {"words": sentence.length, "density": sentence.density, "bte": float(sentence.inside)}
    return values.get(cut.scorer.name, sentence.perplexity)


def dropped(cut: Cut, sentence: Sentence) -> bool:
    return cut.headings == "drop" and sentence.heading


def kept_by_definition(cut: Cut, page: Sequence[Sentence], left: Sequence[bool]) -> list[bool]:
    """What the cut keeps; then, while there are fewer words than the floor, the best segment that is not kept."""
    by_block = cut.scorer.segment == BLOCK
    kept = [
        not dropped(cut, one)
        and (
            bool(passes(cut, np.array([score_of(cut, one)], dtype=np.float32))[0])
            or (cut.headings == "keep" and one.heading)
        )
        for one in page
    ]
    segments = {one.block: 0 for one in page} if by_block else dict.fromkeys(range(len(page)), 0)
    segment_of = [one.block if by_block else number for number, one in enumerate(page)]
    for number, one in enumerate(page):
        segments[segment_of[number]] += one.words * left[number]

    def goodness(segment: int) -> tuple[float, ...]:
        score = score_of(cut, page[segment_of.index(segment)])
        good = -math.inf if math.isnan(score) else score if cut.scorer.keep == KEEP_HIGH else -score
        # No number is worse than any.
        return (not math.isnan(score), good, segments[segment] if cut.scorer.decides else 0, -segment)

    left_out = {segment_of[number] for number, one in enumerate(page) if dropped(cut, one)}
    waiting = sorted({segment_of[number] for number, stays in enumerate(kept) if not stays} - left_out, key=goodness)
    held = sum(one.words for number, one in enumerate(page) if kept[number] and left[number])
    while waiting and held < cut.floor:
        best = waiting.pop()
        held += segments[best]
        kept = [stays or segment_of[number] == best for number, stays in enumerate(kept)]
    return kept


SCORERS = (Words(), Density(), BodyText(), Perplexity())
cuts = st.builds(
    lambda scorer, cutoff, headings, floor: Cut(scorer, 0.5 if scorer.decides else cutoff, headings, floor=floor),
    st.sampled_from(SCORERS),
    st.floats(0, 5),
    st.sampled_from(["score", "keep", "drop"]),
    st.integers(0, 20),
)


@given(st.lists(blocks.map(page_of), max_size=4), st.lists(cuts, min_size=1, max_size=3))
def test_several_pages_and_cuts_are_kept_as_the_definition_says(pages: list[list[Sentence]], chain: list[Cut]) -> None:
    firsts = np.cumsum([0, *(len({one.block for one in page}) for page in pages)])
    every = [(one, int(first)) for page, first in zip(pages, firsts, strict=False) for one in page]
    of_blocks = [
        next(one for one in page if one.block == block) for page in pages for block in {one.block: 0 for one in page}
    ]
    scores = {
        "words": np.array([one.length for one in of_blocks], dtype=np.float32),
        "density": np.array([one.density for one in of_blocks], dtype=np.float32),
        "bte": np.array([one.inside for one in of_blocks], dtype=np.float32),
        "perplexity(lm=books)": np.array([one.perplexity for one, _ in every], dtype=np.float32),
    }
    layout = Layout(
        np.array([first + one.block for one, first in every], dtype=np.int64),
        np.array([one.words for one, _ in every], dtype=np.int32),
        np.array([one.heading for one in of_blocks], dtype=np.bool_),
        firsts,
    )
    expected: list[bool] = []
    for page in pages:
        left = [True] * len(page)
        for cut in chain:
            stays = kept_by_definition(cut, page, left)
            left = [before and now for before, now in zip(left, stays, strict=True)]
        expected += left
    assert sentence_mask(Cleaner(tuple(chain)), scores, layout).tolist() == expected


@given(blocks.map(page_of), cuts, st.integers(0, 30))
def test_as_many_words_as_asked_for_are_kept_whatever_the_cutoff(page: list[Sentence], cut: Cut, more: int) -> None:
    """A last cut with a floor keeps that many words of what the cuts before it keep, or all but dropped headings."""
    layout = Layout(
        np.array([one.block for one in page], dtype=np.int64),
        np.array([one.words for one in page], dtype=np.int32),
        np.array([one.heading for one in {one.block: one for one in page}.values()], dtype=np.bool_),
        np.array([0, len({one.block for one in page})]),
    )
    values = page if cut.scorer.segment != BLOCK else list({one.block: one for one in page}.values())
    scores = np.array([score_of(cut, one) for one in values], dtype=np.float32)
    before = np.array([bool(one.words % 2) for one in page], dtype=np.bool_)
    held = kept_by_floor(cut, scores, layout, before)
    left_out = np.array([dropped(cut, one) for one in page], dtype=np.bool_)
    assert (layout.words * before * held).sum() >= min(cut.floor, (layout.words * before * ~left_out).sum())
    assert not (held & left_out).any()
    assert not held.any() or cut.floor > 0
    # A higher floor holds all that a lower one does.
    higher = kept_by_floor(Cut(cut.scorer, cut.cutoff, cut.headings, floor=cut.floor + more), scores, layout, before)
    assert (higher >= held).all()


HTML = (
    "<title>Oats</title><ul><li>Home page<li>About us</ul><p>One two three. Four five.</p>"
    "<h2>Rye</h2><p>six seven eight</p><p>-- --</p>"
)


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("words@9", ""),
        ("words(floor=1)@9", "One two three. Four five."),
        ("words(floor=6)@9", "One two three. Four five.\nsix seven eight"),
        ("words(floor=9)@9", "Home page\nOne two three. Four five.\nsix seven eight"),
        ("words(floor=3)@3", "One two three. Four five.\nsix seven eight"),
        ("words(headings=keep,floor=2)@9", "Oats\nRye"),
        ("words(headings=keep,floor=3)@9", "Oats\nOne two three. Four five.\nRye"),
        ("words(headings=drop)@0", "Home page\nAbout us\nOne two three. Four five.\nsix seven eight\n-- --"),
        ("words(headings=drop,floor=6)@9", "One two three. Four five.\nsix seven eight"),
        ("words(headings=drop,floor=99)@1", "Home page\nAbout us\nOne two three. Four five.\nsix seven eight\n-- --"),
        ("words(floor=99)@9", "Oats\nHome page\nAbout us\nOne two three. Four five.\nRye\nsix seven eight\n-- --"),
        ("bte(floor=99)+words(floor=4)@9", "One two three. Four five."),
        # What the first part drops, the second part's floor does not count.
        ("words@3+density(floor=6)@9", "One two three. Four five.\nsix seven eight"),
        ("words(floor=6)@9+density@4", "One two three. Four five."),
        ("justext+words(floor=9)@9", ""),
        # A scorer that decides drops all of this page; its longest block stays.
        ("justext(floor=1)", "One two three. Four five."),
        ("justext(floor=9)", "Home page\nOne two three. Four five.\nsix seven eight"),
        (f"words(floor={10**30})@9+words(floor=3)@9", "One two three. Four five."),
    ],
)
def test_floors_by_hand(name: str, kept: str) -> None:
    cleaner = parse_cleaner(name)
    page = score_page(Page("a", HTML.encode()), cleaner.scorers)
    assert clean_page(page, cleaner).text == kept

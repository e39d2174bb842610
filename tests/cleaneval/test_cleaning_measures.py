"""Measures of cleaning against Python's difflib, brute force and examples worked by hand."""

from __future__ import annotations

import difflib
import random
import statistics
from collections.abc import Sequence
from itertools import chain, groupby
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.evaluation.cleaneval.cleaning_measures import (
    Agreement,
    Match,
    PageWords,
    Summary,
    TokenCounts,
    agreement,
    compare_tokens,
    compare_words,
    matching_blocks,
    summarize,
    summarize_pages,
)
from thresher.evaluation.cleaneval.gold import read_gold, read_page_bytes
from thresher.pages import read_html

FEW_WORDS = st.lists(st.sampled_from("abcd"), max_size=40)
# Long runs in common, so that every length of runs is looked up.
PASSAGES = st.lists(st.sampled_from([[*range(40)], [*range(10)], [*range(35, 80)], [1, 2], [7], [99]]), max_size=8)


def difflibs(a: Sequence[object], b: Sequence[object]) -> list[tuple[int, int, int]]:
    matcher: difflib.SequenceMatcher[object] = difflib.SequenceMatcher(None, a, b, autojunk=False)
    return [tuple(block) for block in matcher.get_matching_blocks()[:-1]]


def distance(a: Sequence[str], b: Sequence[str]) -> int:
    """The table of Wagner and Fischer, row by row."""
    row = [*range(len(b) + 1)]
    for place, word in enumerate(a):
        above, row = row, [place + 1]
        for other, wanted in enumerate(b):
            row.append(min(above[other + 1] + 1, row[other] + 1, above[other] + (word != wanted)))
    return row[-1]


@given(FEW_WORDS, FEW_WORDS)
def test_blocks_are_difflibs_where_words_repeat(a: list[str], b: list[str]) -> None:
    assert matching_blocks(a, b) == difflibs(a, b)


@given(PASSAGES, PASSAGES)
def test_blocks_are_difflibs_where_passages_repeat(a: list[list[int]], b: list[list[int]]) -> None:
    left, right = [*chain(*a)], [*chain(*b)]
    assert matching_blocks(left, right) == difflibs(left, right)


def test_blocks_of_an_example() -> None:
    # "c d e" is longest; left of it "a" is left, right of it "g"; "b" and "f" cross it.
    assert matching_blocks("a b c d e g".split(), "f a c d e x g b".split()) == [
        Match(0, 1, 1),
        Match(2, 2, 3),
        Match(5, 6, 1),
    ]
    assert matching_blocks([], ["a"]) == matching_blocks(["a"], []) == matching_blocks(["a"], ["b"]) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", ["cleaneval-dev", "cleanportaleval"])
def test_blocks_are_difflibs_on_real_pages(shared_data: Path, name: str) -> None:
    for page in read_gold(shared_data / "cleaning" / name).pages[::4]:
        a, b = read_html(page.path.read_bytes()).text.split(), page.text.split()
        if max(len(a), len(b)) < 5000:  # beyond, difflib takes its time
            assert matching_blocks(a, b) == difflibs(a, b), page.stem


@pytest.mark.slow
def test_long_pages_are_aligned_as_by_difflib() -> None:
    # Word counts fall as in a language: common words come thousands of times in each page.
    rng = random.Random(4)
    a = rng.choices([f"w{rank}" for rank in range(5000)], [1 / (rank + 1) for rank in range(5000)], k=8000)
    b = [word if place % 397 else "cut" for place, word in enumerate(a)]
    blocks = matching_blocks(a, b)
    assert blocks == difflibs(a, b)
    # Every word that was not cut is aligned with itself.
    assert blocks == [Match(place, place, min(396, 8000 - place)) for place in range(1, 8000, 397)]


def test_measures_of_an_example() -> None:
    # 5 cleaned words, 4 of gold.
    actual = compare_words("one two\nthree  four two", "two one two three")
    assert actual == PageWords(words=5, gold=4, aligned=3, distance=2 + 1)
    assert actual.alignment == Agreement(3 / 5, 3 / 4, 6 / 9)
    assert actual.similarity == pytest.approx(100 * (1 - 3 / 5))


@given(FEW_WORDS, FEW_WORDS)
def test_measures_agree_with_their_definitions(a: list[str], b: list[str]) -> None:
    actual = compare_words(" ".join(a), "\n".join(b))
    assert (actual.words, actual.gold) == (len(a), len(b))
    assert actual.aligned == sum(size for _, _, size in difflibs(a, b))
    assert actual.distance == distance(a, b)
    assert 0 <= actual.alignment.f1 <= 1
    assert 0 <= actual.similarity <= 100


@given(FEW_WORDS)
def test_a_page_is_like_itself_and_unlike_nothing(words: list[str]) -> None:
    text = " ".join(words)
    same = compare_words(text, text)
    assert (same.alignment, same.similarity) == (Agreement(1, 1, 1), 100)
    if words:
        for other in (compare_words(text, ""), compare_words("", text)):
            assert (other.alignment, other.similarity) == (Agreement(0, 0, 0), 0)


@given(st.integers(0, 50), st.integers(0, 50), st.integers(0, 50))
def test_f1_is_the_harmonic_mean(common: int, actual: int, wanted: int) -> None:
    common = min(common, actual, wanted)
    result = agreement(common, actual, wanted)
    if common:
        assert result.f1 == pytest.approx(statistics.harmonic_mean([result.precision, result.recall]))


def test_summaries() -> None:
    assert summarize([0.5]) == Summary(0.5, 0.0, 0.5)
    assert summarize([1.0, 2.0, 6.0]) == Summary(3.0, 7**0.5, 2.0)


def test_micro_pools_words_and_macro_counts_pages_alike() -> None:
    large, small, empty = PageWords(90, 100, 80, 20), PageWords(10, 2, 2, 8), PageWords(0, 10, 0, 10)
    actual = summarize_pages([large, small, empty])
    assert (actual.pages, actual.emptied) == (3, 1)
    assert actual.micro == Agreement(82 / 100, 82 / 112, 164 / 212)
    assert actual.precision.mean == pytest.approx((80 / 90 + 2 / 10 + 0) / 3)
    assert actual.precision.median == 2 / 10
    assert actual.recall.mean == pytest.approx((80 / 100 + 1 + 0) / 3)
    assert actual.f1.mean == pytest.approx((160 / 190 + 4 / 12 + 0) / 3)
    assert actual.f1.sd == pytest.approx(statistics.stdev([160 / 190, 4 / 12, 0]))
    assert actual.similarity.mean == pytest.approx((80 + 20 + 0) / 3)


TOKEN_TEXTS = st.text(st.sampled_from("aAbÄßİ_-9٣雨の . \n'"), max_size=30)


def token_f1(cleaned: str, gold: str) -> float:
    """Return the harmonic mean by its definition; tokens are found letter by letter, and crossed out one by one."""
    tokens, wanted = (
        [
            "".join(letters)
            for is_token, letters in groupby(text.lower(), lambda sign: sign.isalnum() or sign == "_")
            if is_token
        ]
        for text in (cleaned, gold)
    )
    if not tokens and not wanted:
        return 1.0
    left, shared = list(wanted), 0
    for token in tokens:
        if token in left:
            left.remove(token)
            shared += 1
    if not shared:
        return 0.0
    precision, recall = shared / len(tokens), shared / len(wanted)
    return 2 * precision * recall / (precision + recall)


@given(TOKEN_TEXTS, TOKEN_TEXTS)
def test_token_f1_is_its_definition(cleaned: str, gold: str) -> None:
    found = compare_tokens(cleaned, gold)
    assert found.bag.f1 == pytest.approx(token_f1(cleaned, gold), abs=1e-12)
    back = compare_tokens(gold, cleaned)
    assert (back.cleaned, back.gold, back.shared) == (found.gold, found.cleaned, found.shared)


def test_tokens_have_no_case_and_no_punctuation() -> None:
    assert compare_tokens("It rained, it_1 RAINED: don't!", "rained it (it_1); «don't»") == TokenCounts(6, 5, 5)
    assert compare_tokens("雨が 降る", "雨が降る 雨が") == TokenCounts(2, 2, 1)
    assert compare_tokens("...", "") == TokenCounts(0, 0, 0)
    assert compare_tokens("...", "").bag == Agreement(1, 1, 1)
    assert compare_tokens("rain", "...").bag == compare_tokens("", "rain").bag == Agreement(0, 0, 0)


@pytest.mark.slow
def test_token_f1_on_real_pages(shared_data: Path) -> None:
    for page in read_gold(shared_data / "cleaning" / "wcxb-dev").pages[::150]:
        text = read_html(read_page_bytes(page)).text
        assert compare_tokens(text, page.text).bag.f1 == pytest.approx(token_f1(text, page.text), abs=1e-12), page.stem

"""ROUGE-LSum against its definition stated plainly: the whole table of lengths, followed back step by step."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.evaluation.cleaneval.cleaning_measures import Agreement, RougeCounts, rouge_lsum
from thresher.evaluation.cleaneval.gold import read_gold
from thresher.pages import read_html, read_text_page

# Lines without stops: each is a sentence.
TWO_WORDS, MORE_WORDS = (
    st.lists(st.lists(st.sampled_from(words), min_size=1, max_size=12), max_size=6) for words in ("ab", "abcdefg")
)


def sentences_of(text: str) -> list[list[str]]:
    return [sentence.split() for sentence in read_text_page(text).sentences]


def common(gold: list[str], cleaned: list[str]) -> set[int]:
    """The places in `gold` of one longest common subsequence."""
    lengths = [[0] * (len(cleaned) + 1) for _ in range(len(gold) + 1)]
    for i, wanted in enumerate(gold, 1):
        for j, token in enumerate(cleaned, 1):
            same = wanted == token
            lengths[i][j] = lengths[i - 1][j - 1] + 1 if same else max(lengths[i - 1][j], lengths[i][j - 1])
    i, j = len(gold), len(cleaned)
    places = set()
    while i and j:
        if gold[i - 1] == cleaned[j - 1]:
            i, j = i - 1, j - 1
            places.add(i)
        elif lengths[i][j - 1] > lengths[i - 1][j]:
            j -= 1
        else:
            i -= 1
    return places


def by_definition(cleaned: str, gold: str) -> RougeCounts:
    result, wanted = sentences_of(cleaned), sentences_of(gold)
    left = Counter(token for sentence in result for token in sentence)
    left_of_gold = Counter(token for sentence in wanted for token in sentence)
    counts = left.total(), left_of_gold.total()
    hits = 0
    for sentence in wanted:
        for place in sorted(set[int]().union(*(common(sentence, other) for other in result))):
            token = sentence[place]
            if left[token] and left_of_gold[token]:
                hits += 1
                left[token] -= 1
                left_of_gold[token] -= 1
    return RougeCounts(hits, *counts)


def lines(sentences: list[list[str]]) -> str:
    return "\n".join(map(" ".join, sentences))


def test_the_union_of_lins_example() -> None:
    # Section 3.2: of w1 to w5 the first cleaned sentence has w1 w2, the second w1 w3 w5; their union has 4 of 5.
    result = rouge_lsum("w1 w2 w6 w7 w8\nw1 w3 w8 w9 w5", "w1 w2 w3 w4 w5")
    assert result == RougeCounts(hits=4, cleaned=10, gold=5)
    assert result.agreement == Agreement(4 / 10, 4 / 5, 8 / 15)


@given(TWO_WORDS, TWO_WORDS)
def test_hits_are_those_of_the_definition_where_words_repeat(cleaned: list[list[str]], gold: list[list[str]]) -> None:
    assert rouge_lsum(lines(cleaned), lines(gold)) == by_definition(lines(cleaned), lines(gold))


@given(MORE_WORDS, MORE_WORDS)
def test_hits_are_those_of_the_definition(cleaned: list[list[str]], gold: list[list[str]]) -> None:
    assert rouge_lsum(lines(cleaned), lines(gold)) == by_definition(lines(cleaned), lines(gold))


@given(st.lists(st.sampled_from("abcd"), min_size=60, max_size=90), st.lists(st.sampled_from("abcdx"), min_size=60))
def test_long_sentences_are_followed_as_short_ones(cleaned: list[str], gold: list[str]) -> None:
    assert rouge_lsum(" ".join(cleaned), " ".join(gold)) == by_definition(" ".join(cleaned), " ".join(gold))


def test_of_equally_long_subsequences_the_one_counts_that_is_met_first_from_the_end() -> None:
    # `a b` and `b a` share one token. From the end, the gold sentence's last is left, since nothing is lost by it; so both
    # cleaned sentences hit its first, where one each would hit two.
    assert rouge_lsum("b a x\nb a", "a b") == RougeCounts(hits=1, cleaned=5, gold=2)
    assert rouge_lsum("a b x\na b", "b a") == RougeCounts(hits=1, cleaned=5, gold=2)


def test_tokens_are_hit_no_oftener_than_the_page_has_them() -> None:
    assert rouge_lsum("rain fell", "rain fell\nrain fell\nrain stopped") == RougeCounts(hits=2, cleaned=2, gold=6)
    assert rouge_lsum("rain\nrain\nrain", "rain") == RougeCounts(hits=1, cleaned=3, gold=1)


def test_sentences_end_within_lines_too() -> None:
    # Across sentences the order of tokens does not matter, within them it does.
    assert rouge_lsum("It rained. He left.", "He left. It rained.") == RougeCounts(hits=4, cleaned=4, gold=4)
    assert rouge_lsum("it rained he left", "he left it rained") == RougeCounts(hits=2, cleaned=4, gold=4)
    # Case and punctuation count.
    assert rouge_lsum("It rained", "it rained.") == RougeCounts(hits=0, cleaned=2, gold=2)


def test_nothing_agrees_with_nothing_only() -> None:
    assert rouge_lsum("", " \n").agreement == Agreement(1, 1, 1)
    assert rouge_lsum("", "rain") == RougeCounts(0, 0, 1)
    assert rouge_lsum("rain", "") == RougeCounts(0, 1, 0)
    assert rouge_lsum("", "rain").agreement == rouge_lsum("rain", "").agreement == Agreement(0, 0, 0)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["cleaneval-dev", "cleanportaleval", "dragnet-300"])
def test_hits_are_those_of_the_definition_on_real_pages(shared_data: Path, name: str) -> None:
    compared = 0
    for page in read_gold(shared_data / "cleaning" / name).pages[::2]:
        text, gold = read_html(page.path.read_bytes()).text, page.text
        if len(text.split()) * len(gold.split()) < 60_000:  # beyond, the tables take their time
            assert rouge_lsum(text, gold) == by_definition(text, gold), page.stem
            compared += 1
    assert compared

"""ROUGE-5 against its definition, stated plainly: lists of n-grams, from which each hit is taken away."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.evaluation.cleaneval.cleaning_measures import Agreement
from thresher.evaluation.cleaneval.rouge_n import rouge_5, tokens

WORDS = st.lists(st.sampled_from("abc"), max_size=30).map(" ".join)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Rain, at 9.5% tonight.", ["Rain", ",", " ", "at", " ", "9.5%", " ", "tonight", "."]),
        ("  a\n\n b ", ["a", " ", "b"]),
        ("e.g. v2.10-rc1", ["e", ".", "g", ".", " ", "v2.10", "-", "rc1"]),
        ("café", ["caf", "é"]),
        ("北京 rain", ["北", "京", " ", "rain"]),
        ("<b>&amp;</b>", ["<", "b", ">", "&", "amp", ";", "<", "/", "b", ">"]),
        ("...", ["..."]),
        ("", []),
    ],
)
def test_tokens_are_runs_of_letters_and_single_signs(text: str, expected: list[str]) -> None:
    assert tokens(text) == expected


@pytest.mark.parametrize(
    ("cleaned", "gold", "expected"),
    [
        # 9 and 7 tokens with the spaces between: 5 and 3 n-grams, of which 3 are common.
        ("a b c d e", "a b c d", Agreement(3 / 5, 1.0, 6 / 8)),
        ("d c b a", "a b c d", Agreement(0.0, 0.0, 0.0)),
        # The one n-gram that both have counts as often as both have it.
        ("a a a a a", "a a a", Agreement(1 / 5, 1.0, 2 / 6)),
        ("A b c", "a b c", Agreement(0.0, 0.0, 0.0)),
        ("a\nb\n\nc d", "a b c d", Agreement(1.0, 1.0, 1.0)),
        ("a", "a", Agreement(0.0, 0.0, 0.0)),
        ("", "", Agreement(1.0, 1.0, 1.0)),
        (" ", "\n", Agreement(1.0, 1.0, 1.0)),
        ("", "a b c d", Agreement(0.0, 0.0, 0.0)),
        ("a b c d", "", Agreement(0.0, 0.0, 0.0)),
    ],
)
def test_agreement_is_that_of_common_ngrams(cleaned: str, gold: str, expected: Agreement) -> None:
    assert rouge_5(cleaned, gold).agreement == expected


@given(WORDS, WORDS)
def test_hits_are_those_of_the_definition(cleaned: str, gold: str) -> None:
    left = [tuple(tokens(gold)[start : start + 5]) for start in range(len(tokens(gold)) - 4)]
    hits = 0
    for start in range(len(tokens(cleaned)) - 4):
        ngram = tuple(tokens(cleaned)[start : start + 5])
        if ngram in left:
            left.remove(ngram)
            hits += 1
    assert rouge_5(cleaned, gold).hits == hits

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.indexes.analysis import analyse, english_analyzer, valid_unicode


@pytest.mark.parametrize(
    ("stemmer", "stopwords", "tokens"),
    [
        ("porter", True, ["run", "dog", "hous", "u.s.a"]),
        ("krovetz", True, ["running", "dogs", "house", "u.s.a"]),
        ("none", True, ["running", "dogs", "houses", "u.s.a"]),
        ("none", False, ["the", "running", "dogs", "and", "houses", "u.s.a"]),
    ],
)
def test_words_become_tokens(stemmer: str, stopwords: bool, tokens: list[str]) -> None:
    assert analyse(english_analyzer(stemmer, stopwords), "The running dogs' and houses, U.S.A.") == tokens


@given(st.text(st.characters(codec=None), max_size=12))
def test_text_is_made_valid_and_valid_text_stays(text: str) -> None:
    made = valid_unicode(text)
    made.encode()
    try:
        text.encode()
    except UnicodeEncodeError:
        assert made != text
    else:
        assert made == text


def test_lone_surrogates_are_replaced_and_pairs_joined() -> None:
    assert valid_unicode("a\ud83d\ude00b\ud800c\udc00") == "a😀b\ufffdc\ufffd"

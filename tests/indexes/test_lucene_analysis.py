from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from many_languages import PARAGRAPHS

from thresher.base.defaults import INDEX_LANGUAGES
from thresher.base.errors import ConfigError
from thresher.indexes.analysis import Analysis, analyse, text_analyzer, tokens_of_each, valid_unicode
from thresher.indexes.lexicon import Lexicon


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
    analyzer = text_analyzer(Analysis(stemmer=stemmer, stopwords=stopwords))
    assert analyse(analyzer, "The running dogs' and houses, U.S.A.") == tokens


@pytest.mark.parametrize(
    ("language", "text", "tokens"),
    [
        ("de", "Die größeren Häuser der Stadt", ["gross", "haus", "stadt"]),
        ("fr", "Les chevaux de l'été", ["cheval", "été"]),
        ("zh", "他来了！北京", ["他来", "来了", "北京"]),
        ("cjk", "東京都 A4", ["東京", "京都", "a4"]),
        ("ja", "東京に行きました", ["東京", "行く"]),
        ("pl", "książki", ["książka"]),
    ],
)
def test_languages_have_their_stemmers_and_stop_lists(language: str, text: str, tokens: list[str]) -> None:
    assert analyse(text_analyzer(Analysis(language)), text) == tokens


@pytest.mark.parametrize("language", sorted({*INDEX_LANGUAGES} - {"th"}))
def test_texts_are_analysed_together_in_every_language(language: str) -> None:
    analyzer = text_analyzer(Analysis(language))
    texts = [*PARAGRAPHS.values(), "", "zqbzq 0 zq", "12.5 %"]
    assert tokens_of_each(analyzer, texts) == [analyse(analyzer, text) for text in texts]


@pytest.mark.parametrize(
    ("arguments", "fact"),
    [
        (("xx",), "'xx'"),
        (("DE",), "'DE'"),
        (("en", "german"), "'german'"),
        (("de", "krovetz"), "'de'"),
        (("de", "porter", False), "'de'"),
    ],
)
def test_what_anserini_would_take_for_english_is_refused(arguments: tuple[Any, ...], fact: str) -> None:
    with pytest.raises(ConfigError, match=fact):
        Analysis(*arguments)


def test_words_that_depend_on_their_neighbours_are_not_counted_one_by_one() -> None:
    with pytest.raises(ConfigError, match="'ja'"):
        Lexicon(Analysis("ja"))


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

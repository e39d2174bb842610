"""Words of a shard and their analysis: what becomes of the words is what becomes of the text."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from many_languages import PARAGRAPHS

from thresher.base.defaults import INDEX_LANGUAGES, STEMMERS
from thresher.base.tables import Lists, Table, Texts
from thresher.indexes import lexicon as lexicon_module
from thresher.indexes.analysis import Analysis, analyse, analyse_each, text_analyzer, valid_unicode
from thresher.indexes.lexicon import Lexicon, hash_texts, split_words

PIECES = (
    "The",
    "running",
    "dogs'",
    "U.S.A.",
    "don’t",
    "don＇t",
    "state-of-the-art",
    "1,000.5",
    "a_b",
    "e\u0301te\u0301",
    "\u0301x",
    "\u200d",
    "\u00ad",
    "日本語の文。",
    "。",
    "」」",
    "조선말",
    "ไทยภาษา",
    "👩‍👩‍👧‍👦",
    "🇩🇪🇫🇷",
    "1️⃣",
    "שלום״ל",
    "x" * 254,
    "y" * 255,
    "z" * 256 + "'s",
    "w" * 1000,
    "ab😀" * 90,
    "\u00a0nbsp\u00a0",
    "tab\tin\x0bword",
    "\u2028",
    "0z0",
    "1z0z0",
    "İstanbul",
    "ﬁnance",
    "\x00nul",
    "10.1145/3077136.3080721",
)


def shard(pages: Sequence[Sequence[str]]) -> Table:
    """A shard of pages of sentences, each with the separator that ends it, but for the last of a page."""
    ends = [np.cumsum([len(sentence) for sentence in page]) for page in pages]
    texts = ["".join(page) for page in pages]
    return Table({"text": Texts.of(texts), "sentence_ends": Lists.of(ends, np.int32)})


def tokens_by_sentence(table: Table, lexicon: Lexicon) -> list[list[int]]:
    words = split_words(table)
    found = lexicon.tokens(words)
    tokens: list[list[int]] = [[] for _ in words.page]
    for term, sentence in zip(found.term.tolist(), found.sentence.tolist(), strict=True):
        tokens[sentence].append(int(found.terms[term]))
    return tokens


def expected(sentences: Sequence[str], stemmer: str, stopwords: bool) -> list[list[int]]:
    analyzer = text_analyzer(Analysis(stemmer=stemmer, stopwords=stopwords))
    return [hash_texts(analyse(analyzer, sentence.replace("\0", " "))).tolist() for sentence in sentences]


@pytest.fixture(scope="module")
def lexicon() -> Lexicon:
    return Lexicon(Analysis())


@pytest.mark.parametrize("stemmer", STEMMERS)
@pytest.mark.parametrize("stopwords", [True, False])
def test_the_words_of_troublesome_texts_have_the_tokens_of_the_texts(stemmer: str, stopwords: bool) -> None:
    draw = random.Random(7)
    sentences = [" ".join(draw.choices(PIECES, k=12)) + draw.choice(" \n") for _ in range(60)]
    # Each word is looked up again when it is known already.
    lexicon = Lexicon(Analysis(stemmer=stemmer, stopwords=stopwords))
    for _ in range(2):
        result = tokens_by_sentence(shard([sentences[:30], [], sentences[30:]]), lexicon)
        assert result == expected(sentences, stemmer, stopwords)


@pytest.mark.parametrize("language", sorted({*INDEX_LANGUAGES} - {"ja", "th"}))
def test_the_words_of_every_language_have_the_tokens_of_the_texts(language: str) -> None:
    analysis = Analysis(language)
    sentences = [f"{text}\n" for text in PARAGRAPHS.values()]
    whole = "".join(sentences)
    tokens = [hash_texts(analyse(text_analyzer(analysis), text)).tolist() for text in (whole, *sentences)]
    assert tokens_by_sentence(shard([[whole], sentences]), Lexicon(analysis)) == tokens


@settings(max_examples=25)
@given(st.lists(st.text(st.characters(codec="utf-8"), min_size=1, max_size=20), min_size=1, max_size=8))
def test_the_words_of_any_text_have_the_tokens_of_the_text(lexicon: Lexicon, texts: list[str]) -> None:
    sentences = [text + "\n" for text in texts]
    assert tokens_by_sentence(shard([sentences]), lexicon) == expected(sentences, "porter", True)


def test_words_are_analysed_again_when_too_many_were_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lexicon_module, "_MOST_WORDS", 8)
    crowded = Lexicon(Analysis())
    draw = random.Random(3)
    for _ in range(20):
        sentences = [" ".join(draw.choices(PIECES, k=6)) + "\n" for _ in range(4)]
        assert tokens_by_sentence(shard([sentences]), crowded) == expected(sentences, "porter", True)


@pytest.mark.parametrize("characters", [1, 2, 17, 400])
def test_words_are_analysed_a_few_at_once(characters: int, monkeypatch: pytest.MonkeyPatch) -> None:
    sentences = [f"{piece} {piece}s\n" for piece in PIECES]
    monkeypatch.setattr(lexicon_module, "_CHARACTERS", characters)
    assert tokens_by_sentence(shard([sentences]), Lexicon(Analysis())) == expected(sentences, "porter", True)


def test_whole_pages_of_the_tokenizers_own_test_alphabets(lexicon: Lexicon) -> None:
    # Every character of the basic plane once, between letters and by itself.
    characters = [chr(code) for code in range(33, 0x10000) if not 0xD800 <= code < 0xE000]
    sentences = [f"{character}a {character} b{character}c\n" for character in characters[::3]]
    joined = ["".join(sentences[place : place + 500]) for place in range(0, len(sentences), 500)]
    assert tokens_by_sentence(shard([joined]), lexicon) == expected(joined, "porter", True)


def test_a_sentence_may_end_within_a_word(lexicon: Lexicon) -> None:
    table = shard([["天气好。", "我们走。 ", "run"], [], ["été runs. ", "Dogs"]])
    words = split_words(table)
    assert words.page.tolist() == [0, 0, 0, 2, 2]
    assert words.texts(words.word) == [
        "天气好。",
        "我们走。",
        "run",
        "été",
        "runs.",
        "Dogs",
    ]
    assert words.sentence.tolist() == [0, 1, 2, 3, 3, 4]
    assert tokens_by_sentence(table, lexicon) == expected(
        ["天气好。", "我们走。", "run", "été runs.", "Dogs"], "porter", True
    )


def test_blank_sentences_have_control_characters_alone() -> None:
    words = split_words(shard([["\x01 \x1f\n", "\x01x\n", "\u00a0"], ["\x02"]]))
    assert words.blank.tolist() == [True, False, False, True]
    assert split_words(shard([[], []])).blank.tolist() == []


def test_hashes_are_those_of_the_formula() -> None:
    multiplier, size = 0x9E3779B97F4A7C15, 2**64
    for text in ("", "\0", "\0\0", "a", "a\0", "collection", "Straße 日本" * 40):
        value = sum((byte + 1) * pow(multiplier, place, size) for place, byte in enumerate(text.encode())) % size
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
            value = (value ^ value >> shift) * factor % size
        assert hash_texts(["x", text, "yy"])[1] == value ^ value >> 31


@given(st.lists(st.text(max_size=9), unique=True))
def test_different_texts_have_different_hashes(texts: list[str]) -> None:
    hashes = hash_texts([text.encode("utf-8", "replace").decode() for text in texts])
    assert len(set(hashes.tolist())) == len({text.encode("utf-8", "replace") for text in texts})


def test_texts_are_analysed_each_by_itself() -> None:
    analyzer = text_analyzer(Analysis())
    texts = ["Running dogs", "", "the", "0z0 and 1z0Z0", "日本", "x\ud800y"]
    tokens, counts = analyse_each(analyzer, texts)
    assert counts == [2, 0, 0, 2, 2, 2]
    assert tokens == [token for text in texts for token in analyse(analyzer, valid_unicode(text))]
    assert analyse_each(analyzer, []) == ([], [])
    assert analyse_each(analyzer, ["the"]) == ([], [0])

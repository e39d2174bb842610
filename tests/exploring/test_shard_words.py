"""Words of a shard and their analysis: what becomes of the words is what becomes of the text."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from thresher.base.defaults import STEMMERS
from thresher.base.tables import Lists, Table, Texts
from thresher.experiments.exploring import lexicon as lexicon_module
from thresher.experiments.exploring.lexicon import Lexicon, hash_ranges, hash_texts, split_words
from thresher.indexes.analysis import analyse, analyse_each, english_analyzer, valid_unicode

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
    result = lexicon.analyse(words.kinds, words.texts)
    firsts = np.cumsum(result.counts) - result.counts
    tokens: list[list[int]] = [[] for _ in words.page]
    for kind, sentence in zip(words.kind.tolist(), words.sentence.tolist(), strict=True):
        tokens[sentence] += result.tokens[firsts[kind] : firsts[kind] + result.counts[kind]].tolist()
    return tokens


def expected(sentences: Sequence[str], stemmer: str, stopwords: bool) -> list[list[int]]:
    analyzer = english_analyzer(stemmer, stopwords)
    return [hash_texts(analyse(analyzer, sentence.replace("\0", " "))).tolist() for sentence in sentences]


@pytest.fixture(scope="module")
def lexicon() -> Lexicon:
    return Lexicon("porter", True)


@pytest.mark.parametrize("stemmer", STEMMERS)
@pytest.mark.parametrize("stopwords", [True, False])
def test_the_words_of_troublesome_texts_have_the_tokens_of_the_texts(stemmer: str, stopwords: bool) -> None:
    draw = random.Random(7)
    sentences = [" ".join(draw.choices(PIECES, k=12)) + draw.choice(" \n") for _ in range(60)]
    # Each word is looked up again when it is known already.
    lexicon = Lexicon(stemmer, stopwords)
    for _ in range(2):
        result = tokens_by_sentence(shard([sentences[:30], [], sentences[30:]]), lexicon)
        assert result == expected(sentences, stemmer, stopwords)


@settings(max_examples=60)
@given(st.lists(st.text(st.characters(codec="utf-8"), min_size=1, max_size=20), min_size=1, max_size=8))
def test_the_words_of_any_text_have_the_tokens_of_the_text(lexicon: Lexicon, texts: list[str]) -> None:
    sentences = [text + "\n" for text in texts]
    assert tokens_by_sentence(shard([sentences]), lexicon) == expected(sentences, "porter", True)


def test_words_that_share_a_place_do_not_mix(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lexicon_module, "_BITS", 3)
    crowded = Lexicon("porter", True)
    draw = random.Random(3)
    for _ in range(20):
        sentences = [" ".join(draw.choices(PIECES, k=6)) + "\n" for _ in range(4)]
        assert tokens_by_sentence(shard([sentences]), crowded) == expected(sentences, "porter", True)


@pytest.mark.parametrize("characters", [1, 2, 17, 400])
def test_words_are_analysed_a_few_at_once(characters: int, monkeypatch: pytest.MonkeyPatch) -> None:
    sentences = [f"{piece} {piece}s\n" for piece in PIECES]
    monkeypatch.setattr(lexicon_module, "_CHARACTERS", characters)
    assert tokens_by_sentence(shard([sentences]), Lexicon("porter", True)) == expected(sentences, "porter", True)


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
    assert words.texts(words.kind) == ["天气好。", "我们走。", "run", "été", "runs.", "Dogs"]
    assert words.sentence.tolist() == [0, 1, 2, 3, 3, 4]
    assert tokens_by_sentence(table, lexicon) == expected(
        ["天气好。", "我们走。", "run", "été runs.", "Dogs"], "porter", True
    )


def test_blank_sentences_have_control_characters_alone() -> None:
    words = split_words(shard([["\x01 \x1f\n", "\x01x\n", "\u00a0"], ["\x02"]]))
    assert words.blank.tolist() == [True, False, False, True]
    assert split_words(shard([[], []])).blank.tolist() == []


@given(st.binary(min_size=1, max_size=60), st.data())
def test_the_same_bytes_have_the_same_hash_wherever_they_stand(data: bytes, draw: st.DataObject) -> None:
    buffer = np.frombuffer(data, dtype=np.uint8)
    size = draw.draw(st.integers(1, len(data)))
    starts = np.arange(len(data) - size + 1)
    hashes = hash_ranges(buffer, starts, starts + size).tolist()
    parts = [data[start : start + size] for start in starts.tolist()]
    assert [hashes[parts.index(part)] for part in parts] == hashes
    assert len(set(hashes)) == len(set(parts))


def test_hashes_do_not_depend_on_where_a_buffer_is_cut() -> None:
    word = b"collection"
    data = np.frombuffer(b"x" * (2**20 - 5) + word + b"y" * 2**20 + word, dtype=np.uint8)
    starts = np.array([0, 2**20 - 5, len(data) - len(word)])
    ends = np.array([1, 2**20 + 5, len(data)])
    first, second, third = hash_ranges(data, starts, ends).tolist()
    assert second == third == hash_texts(["collection"])[0]
    assert first == hash_texts(["x"])[0]
    assert len(set(hash_texts(["", "\0", "\0\0", "a", "a\0"]).tolist())) == 5


def test_texts_are_analysed_each_by_itself() -> None:
    analyzer = english_analyzer("porter", True)
    texts = ["Running dogs", "", "the", "0z0 and 1z0Z0", "日本", "x\ud800y"]
    tokens, counts = analyse_each(analyzer, texts)
    assert counts == [2, 0, 0, 2, 2, 2]
    assert tokens == [token for text in texts for token in analyse(analyzer, valid_unicode(text))]
    assert analyse_each(analyzer, []) == ([], [])
    assert analyse_each(analyzer, ["the"]) == ([], [0])

"""Tokenisers by name, each against a plain statement of its rules, one sentence at a time."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from messages import assert_names
from token_oracles import characters, is_alone, pyplexity

from thresher.base.errors import ConfigError
from thresher.cleaners.words.tokenisers import NORMALISATIONS, TOKENISERS, tokenise, tokeniser
from thresher.pages import read_html, read_text_page
from thresher.pages.plain import plain_text


def tokens_of(name: str, text: str, ends: list[int] | None = None) -> tuple[list[list[str]], list[int]]:
    used = np.array([len(text)] if ends is None else ends, dtype=np.int64)
    sentences, counts = tokeniser(name, "here")(plain_text(text), used)
    return [[token.decode() for token in sentence.split()] for sentence in sentences], counts.tolist()


SIGNS = st.lists(
    st.one_of(
        st.sampled_from(list("aB09_ .,;:()\"<>='`?!-/’“é中か\u0e01\u0e31\u0301\x1f\x01\n")),
        st.characters(exclude_categories=["Cs"]),
    ),
    max_size=40,
).map("".join)


@given(SIGNS)
def test_pyplexity_against_its_regular_expressions(text):
    segments = read_text_page(text)
    sentences, counts = TOKENISERS["pyplexity"](segments.plain, segments.sentence_ends)
    assert [sentence.decode().split() for sentence in sentences] == list(map(pyplexity, segments.sentences))
    assert counts.tolist() == [len(pyplexity(sentence)) for sentence in segments.sentences]


def test_pyplexity_by_hand():
    text = 'Mr. Smith, of Café—Co., paid $1,000.50 (or "more"): it’s e.g. fine... Yes\nA=B? <s>#1!'
    line = text.index("\n") + 1
    expected = (
        """mr . , of cafco . , paid $1 ,000.50 ( or " more " ) : it ' s e.g . .. .""".split(),
        "a = b ? < s > #1 !".split(),
    )
    result, counts = tokens_of("pyplexity", text, [line, len(text)])
    assert tuple(result) == expected
    assert counts == [24, 9]
    assert tokens_of("pyplexity", "The end.") == ([["the", "end", "."]], [3])
    assert tokens_of("pyplexity", "a.b. c_1d!", [4, 10]) == ([["a.b", "."], ["c_1d", "!"]], [2, 2])
    assert tokens_of("pyplexity", "", []) == ([], [])


def test_a_trigram_model_is_not_given_the_last_token():
    text = "A b c. \n\n \nd\ne f"
    ends = [7, 8, 11, 13, 16]
    assert tokens_of("pyplexity", text, ends)[0] == [["a", "b", "c", "."], [], [], ["d"], ["e", "f"]]
    assert tokens_of("pyplexity-trigrams", text, ends) == ([["a", "b", "c"], [], [], [], ["e"]], [4, 0, 0, 1, 2])
    assert tokens_of("pyplexity-trigrams", "", []) == ([], [])


@given(SIGNS)
def test_a_trigram_model_is_given_the_same_tokens_but_the_last(text):
    segments = read_text_page(text)
    sentences, counts = TOKENISERS["pyplexity-trigrams"](segments.plain, segments.sentence_ends)
    assert [sentence.decode().split() for sentence in sentences] == [
        pyplexity(text)[:-1] for text in segments.sentences
    ]
    assert counts.tolist() == [len(pyplexity(sentence)) for sentence in segments.sentences]


@given(SIGNS)
@example("aꀀ")
def test_characters_against_the_walk(text):
    segments = read_text_page(text)
    sentences, counts = TOKENISERS["characters"](segments.plain, segments.sentence_ends)
    # The lower case of a final sigma depends on what stands before and after it.
    expected = [[token.replace("ς", "σ") for token in characters(sentence)] for sentence in segments.sentences]
    assert [[token.replace("ς", "σ") for token in sentence.decode().split()] for sentence in sentences] == expected
    assert counts.tolist() == list(map(len, expected))


def test_characters_by_hand():
    """A letter takes its marks along, digits and words of other scripts stay whole."""
    assert tokens_of("characters", "Python3で日本語を2回。ｶﾞｷﾞ 々〇ー") == (
        [["python3", "で", "日", "本", "語", "を", "2", "回", "ｶ", "ﾞ", "ｷ", "ﾞ", "々", "〇", "ー"]],
        [15],
    )
    assert tokens_of("characters", "ภาษาไทยที่นี่ ๑๒") == (
        [["ภ", "า", "ษ", "า", "ไ", "ท", "ย", "ที่", "นี่", "๑๒"]],
        [10],
    )
    assert tokens_of("characters", "か\u3099 葛\U000e0100飾 한국어 don’t", [3, 16]) == (
        [["か\u3099"], ["葛\U000e0100", "飾", "한국어", "don't"]],
        [1, 4],
    )
    assert tokens_of("characters", "中文文", [1, 2, 3]) == ([["中"], ["文"], ["文"]], [1, 1, 1])
    assert tokens_of("characters", "", []) == ([], [])


def test_every_letter_of_the_scripts():
    """Each code point whose name says one of the scripts stands alone between two Latin letters."""
    codes = [code for code in (*range(0x0E00, 0x3300), *range(0x3400, 0x30000, 7)) if is_alone(chr(code))]
    assert len(codes) > 13_000
    text = "".join(f"a{chr(code)}b " for code in codes)
    (result,), (count,) = tokens_of("characters", text)
    assert count == len(result) == 3 * len(codes)
    assert "".join(result[1::3]) == "".join(map(chr, codes))


@pytest.mark.parametrize("name", ["words", "characters"])
def test_text_with_spaces_is_the_same_by_words_and_characters(name):
    text = "Don’t “stop” — it’s ÉTÉ, Straße, слово, λόγος and 한국어. \nX1"
    segments = read_text_page(text)
    result = TOKENISERS[name](segments.plain, segments.sentence_ends)
    expected = tokenise(segments.plain, segments.sentence_ends)
    assert result[0] == expected[0]
    assert result[1].tolist() == expected[1].tolist()


@pytest.mark.slow
def test_real_pages(shared_data):
    paths = sorted((shared_data / "cleaning" / "dragnet-300" / "input").iterdir())[::20]
    sentences = outside = 0
    for path in paths:
        segments = read_html(path.read_bytes())
        for name, statement in (("pyplexity", pyplexity), ("characters", characters)):
            result, counts = TOKENISERS[name](segments.plain, segments.sentence_ends)
            expected = list(map(statement, segments.sentences))
            assert [sentence.decode().split() for sentence in result] == expected
            assert counts.tolist() == list(map(len, expected))
        sentences += len(segments.sentences)
        outside += sum(not character.isascii() for character in segments.text)
    assert sentences > 2_000
    assert outside > 500


def test_an_unknown_name():
    with pytest.raises(ConfigError) as caught:
        tokeniser("spaces", "model/card.json")
    assert_names(
        caught.value, "model/card.json: ", "'spaces'", "Fix: ", "words, characters, pyplexity, pyplexity-trigrams"
    )


def test_each_says_what_it_does():
    assert list(NORMALISATIONS) == list(TOKENISERS)

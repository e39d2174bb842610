"""The tokeniser of word models, against a walk over the characters."""

import sys
import unicodedata

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from thresher.cleaners.words.tokenisers import tokenise
from thresher.pages import read_html, read_text_page
from thresher.pages.plain import plain_text


def words_of(sentence: str) -> list[str]:
    """Lower-case runs of letters, digits, combining marks and apostrophes."""
    kept = [
        "'" if character in "'’" else character if unicodedata.category(character)[0] in "LNM" else " "
        for character in sentence
    ]
    return "".join(kept).replace("İ", "I").lower().split()


def tokens_of(text: str, ends: list[int]) -> tuple[list[list[str]], list[int]]:
    sentences, counts = tokenise(plain_text(text), np.array(ends, dtype=np.int64))
    return [[word.decode() for word in sentence.split()] for sentence in sentences], counts.tolist()


CHARACTERS = st.one_of(
    st.sampled_from(list("aZ09 '’.,-_<>…éÉßΣσςİıǅ中\u0301\u200d½\n")), st.characters(exclude_categories=["Cs"])
)


@given(st.lists(CHARACTERS, max_size=40).map("".join))
def test_any_page_against_the_walk(text):
    segments = read_text_page(text)
    sentences, counts = tokenise(segments.plain, segments.sentence_ends)
    # The lower case of a final sigma depends on what stands before and after it.
    expected = [words_of(sentence) for sentence in segments.sentences]
    result = [[word.decode() for word in sentence.split()] for sentence in sentences]
    assert [[word.replace("ς", "σ") for word in words] for words in result] == [
        [word.replace("ς", "σ") for word in words] for words in expected
    ]
    assert counts.tolist() == list(map(len, expected))


def test_one_letter_alone_changes_its_length_in_lower_case():
    changed = [code for code in range(sys.maxunicode + 1) if len(chr(code).lower()) != 1]
    assert changed == [0x130]
    assert tokens_of("İSTANBUL’un İİ x", [11, 16]) == ([["istanbul'un"], ["ii", "x"]], [1, 2])


def test_every_character():
    """Each code point between two letters either joins them to one word or parts them."""
    codes = [
        code
        for code in range(sys.maxunicode + 1)
        # Of ideographs, of private use and unassigned there are a million: a few stand for them.
        if unicodedata.category(chr(code)) not in ("Lo", "Co", "Cn", "Cs")
        or (code % 97 == 0 and not 0xD800 <= code < 0xE000)
    ]
    text = "".join(f"a{chr(code)}b " for code in codes)
    (words,), (count,) = tokens_of(text, [len(text)])
    expected = words_of(text)
    assert len(expected) > len(codes)
    assert count == len(words) == len(expected)
    # `==` on the lists would explain at length what differs.
    assert [pair for pair in zip(words, expected, strict=True) if pair[0] != pair[1]] == []


def test_by_hand():
    text = "Don't e-mail <s>“It’s”</s>! 1,000.5 x_y\n--- '\nÉTÉ"
    ends = [text.index("1"), text.index("-", 10), text.index("É"), len(text)]
    assert tokens_of(text, ends) == (
        [["don't", "e", "mail", "s", "it's", "s"], ["1", "000", "5", "x", "y"], ["'"], ["été"]],
        [6, 5, 1, 1],
    )
    assert tokens_of("", []) == ([], [])


def test_no_sentence_loses_a_byte(shared_data):
    for path in sorted((shared_data / "cleaning" / "dragnet-300" / "input").iterdir())[::30]:
        segments = read_html(path.read_bytes())
        sentences, counts = tokenise(segments.plain, segments.sentence_ends)
        assert len(sentences) == len(segments.sentences)
        expected = [words_of(sentence) for sentence in segments.sentences]
        assert counts.tolist() == list(map(len, expected))
        assert [sentence.decode().split() for sentence in sentences] == expected

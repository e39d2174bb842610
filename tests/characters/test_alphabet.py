"""Alphabets, invalid characters and numbers of n-grams, against one character at a time."""

import unicodedata

import numpy as np
import pytest
from character_oracle import SIGNS, fold, windows
from hypothesis import given
from hypothesis import strategies as st

from thresher.cleaners.characters.character_counts import (
    BEGIN,
    LEXICAL,
    MOST,
    NON_LEXICAL,
    VOWELS,
    encode,
    ngram_pieces,
)
from thresher.cleaners.characters.training import ngrams, normalise
from thresher.pages.plain import without_invalid

SEGMENT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
BOTH = pytest.mark.parametrize("alphabet", [LEXICAL, NON_LEXICAL], ids=lambda alphabet: alphabet.name)


def valid(character: str) -> bool:
    return character != "\ufffd" and (
        character.isascii() or unicodedata.category(character) not in ("Cc", "Cf", "Co", "Cn")
    )


def test_alphabets_are_the_papers():
    assert (LEXICAL.size, NON_LEXICAL.size) == (96, 36)
    assert [*encode("".join(SIGNS[False]), LEXICAL)] == [*range(1, 96)]
    assert [*encode("".join(SIGNS[True]), NON_LEXICAL)] == [*range(1, 36)]
    # StupidOS, section 3.4.
    same = encode("The answer is 42.", NON_LEXICAL)
    assert same.tolist() == encode("aaa aaaaaa aa 00.", NON_LEXICAL).tolist()
    assert encode("é中’~", LEXICAL).tolist() == [encode("~", LEXICAL)[0]] * 4
    assert encode("a\nb", LEXICAL)[1] == BEGIN
    # Letters first: accents, marks, other scripts and their digits.
    assert encode("été e\u0301 ß中 ٣½ ™’", NON_LEXICAL).tolist() == encode("aaa aa aa 00 ~~", NON_LEXICAL).tolist()


def test_vowels_and_consonants():
    """StupidOS, footnote 6."""
    assert VOWELS.size == 37
    assert encode("The answer is 42.", VOWELS).tolist() == encode("tta atttat at 00.", VOWELS).tolist()
    assert encode("Été Ärger, yes: ñ 中!", VOWELS).tolist() == encode("ata attat, tat: t t!", VOWELS).tolist()
    assert len({*encode("at0~", VOWELS).tolist()}) == 4


@BOTH
@given(st.lists(SEGMENT, max_size=4), st.integers(1, 6), st.integers(1, 9))
def test_numbers_come_in_pieces(alphabet, segments, n, most):
    text = "\n".join(segments)
    pieces = [*ngram_pieces(text, n, alphabet, most)]
    assert all(0 < len(piece) <= most for piece in pieces)
    assert [number for piece in pieces for number in piece.tolist()] == ngrams(text, n, alphabet).tolist()


@BOTH
@given(st.lists(SEGMENT, max_size=4), st.integers(1, MOST))
def test_numbers_of_ngrams(alphabet, given, n):
    segments = [segment for segment in map(normalise, given) if segment]
    result = ngrams("\n".join(segments), n, alphabet)
    characters = result[result % alphabet.size != BEGIN]
    expected = []
    for segment in segments:
        for window in windows(fold(segment, alphabet is NON_LEXICAL), n, n):
            number = 0
            for code in encode(window, alphabet).tolist():
                number = number * alphabet.size + code
            expected.append(number)
    assert result.dtype == np.int64
    assert characters.tolist() == expected
    assert len(result) == len(expected) + max(1, n - 1) * max(0, len(segments) - 1)


def test_the_largest_number_fits():
    assert LEXICAL.size**MOST < 2**63 <= LEXICAL.size ** (MOST + 1)
    assert ngrams("~" * MOST, MOST, LEXICAL)[-1] == sum(95 * 96**place for place in range(MOST))


@given(st.text(max_size=30))
def test_any_text_is_normalised(text):
    result = normalise(text)
    assert result == " ".join(result.split())
    assert all(map(valid, result))
    assert normalise(result) == result
    kept = text.encode("utf-8", "replace").decode()
    assert "".join(result.split()) == "".join("".join(filter(valid, kept)).split())


@given(st.lists(SEGMENT, min_size=1, max_size=4))
def test_segments_stay_in_their_places(given):
    segments = [" ".join(segment.split()) for segment in given]
    assert without_invalid("\n".join(segments)).split("\n") == [normalise(segment) for segment in segments]


def test_invalid_characters_by_hand():
    assert normalise(" soft\u00adhyphen \ufeff \u200b x\ufffd\ue000\n\ty ") == "softhyphen x y"
    assert normalise("\u200b") == ""
    assert without_invalid("a \u200b b\n\u200b\nc") == "a b\n\nc"

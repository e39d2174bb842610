"""Kinds of characters, by hand and against counting."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from thresher.cleaners.content_model import characters as kinds
from thresher.cleaners.content_model.characters import KINDS, count_kinds, kinds_of


def test_kinds_in_any_script():
    expected = {
        "A": kinds.UPPER,
        "Ж": kinds.UPPER,
        "é": kinds.LOWER,
        "א": kinds.CASELESS,
        "東": kinds.UNSPACED,
        "ま": kinds.UNSPACED,
        "ก": kinds.UNSPACED,
        "7": kinds.DIGIT,
        "٣": kinds.DIGIT,
        ".": kinds.STOP,
        "。": kinds.STOP,
        "؟": kinds.STOP,
        "、": kinds.COMMA,
        ":": kinds.COLON,
        "»": kinds.BAR,
        "€": kinds.CURRENCY,
        "$": kinds.CURRENCY,
        "(": kinds.BRACKET,
        "」": kinds.BRACKET,
        " ": kinds.SPACE,
        "\n": kinds.SPACE,
        "–": kinds.OTHER,
        "😀": kinds.OTHER,
    }
    text = "".join(expected)
    assert kinds_of(text).tolist() == [*expected.values()]


def test_ascii_alone_gives_the_same_as_in_other_text():
    text = "".join(map(chr, range(32, 127)))
    assert kinds_of(text).tolist() == kinds_of(f"{text}é")[:-1].tolist()


@given(st.lists(st.text(min_size=1, max_size=9), min_size=1, max_size=5))
def test_counts_by_part(parts):
    text = "".join(parts)
    kind = kinds_of(text)
    counts = count_kinds(kind, np.cumsum([len(part) for part in parts]))
    assert counts.shape == (KINDS, len(parts))
    for number, part in enumerate(parts):
        own = kinds_of(part).tolist()
        assert counts[:, number].tolist() == [own.count(one) for one in range(KINDS)]

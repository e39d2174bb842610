"""What stands on a page more than once."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from thresher.cleaners.content_model.features import features_of
from thresher.cleaners.content_model.page_rules import without_repeats
from thresher.pages import Detail, read_html


def test_alike_are_the_same_texts_of_five_words():
    page = "<p>one two three four five<p>one<p>one two <b>three</b> four  five<p>one<p>One two three four five"
    page += "<p>一二三四五六七八九十二" * 2
    read = read_html(page, detail=Detail.ELEMENTS)
    assert features_of(read).alike.tolist() == [0, 1, 0, 3, 4, 5, 5]


def test_of_repeats_the_first_copy_is_kept_whole():
    probabilities = np.array([0.2, 0.6, 0.9, 0.4, 0.7, 0.95, 0.3, 0.45])
    alike = np.array([0, 1, 2, 3, 1, 2, 6, 3])
    assert without_repeats(probabilities, alike).tolist() == [0.2, 0.6, 0.9, 0, 0, 0, 0.3, 0.45]


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 10)), max_size=12))
def test_one_of_each_text_is_left(blocks):
    texts = [text for text, _ in blocks]
    probabilities = np.array([tenths / 10 for _, tenths in blocks])
    kept = without_repeats(probabilities, np.array([*map(texts.index, texts)], dtype=np.int64)).tolist()
    for text in {*texts}:
        own = [at for at, one in enumerate(texts) if one == text]
        best = next((at for at in own if probabilities[at] >= 0.5), max(own, key=lambda at: probabilities[at]))
        assert [kept[at] for at in own] == [probabilities[at] if at == best else 0 for at in own]

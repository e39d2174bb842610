"""Words of a block, counted one token at a time."""

import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.cleaners.scorers.shallow_features import Words
from thresher.pages import PageOptions, read_html, read_text_page


def words_in(block: str) -> int:
    return sum(any(unicodedata.category(character)[0] in "LNM" for character in token) for token in block.split())


TEXT = st.lists(
    st.sampled_from(list(" \n-/.,'’…—€&ab1é中½①\u0301\u200b\u00a0\u3000")) | st.characters(exclude_categories=["Cs"]),
    max_size=60,
).map("".join)


@given(TEXT)
def test_any_text(text):
    segments = read_text_page(text)
    scores = Words().score(segments)
    assert scores.dtype == np.float32
    assert scores.tolist() == [words_in(block) for block in segments.blocks]


@pytest.mark.slow
def test_real_pages(shared_data):
    for path in sorted((shared_data / "cleaning" / "dragnet-300" / "input").iterdir())[::5]:
        for rule in ("join", "split"):
            segments = read_html(path.read_bytes(), PageOptions(rule))
            assert Words().score(segments).tolist() == [words_in(block) for block in segments.blocks]


def test_by_hand():
    segments = read_html("<title>A b</title><p>-- e-mail &amp; 3/4 ’tis “x” – ½<p>...<p>中文 \u0e34")
    assert segments.blocks == ["A b", "-- e-mail & 3/4 ’tis “x” – ½", "...", "中文 \u0e34"]
    assert Words().score(segments).tolist() == [2, 5, 0, 2]
    assert Words().score(read_html("")).tolist() == []

"""Forums: what tells them, and what becomes of comments elsewhere."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.content_models.features import features_of
from thresher.content_models.model import forum_features, forum_names, without_comments
from thresher.pages import Detail, read_html


def test_a_page_by_hand():
    page = read_html(
        "<body class=forum><div class=thread><p>one two three</div><div class=comment><p>one</div>",
        detail=Detail.ELEMENTS,
    )
    own = features_of(page)
    names, values = forum_names(own.names), forum_features(own.names, own.values, own.words)
    told = dict(zip(names, values[:, 0].tolist(), strict=True))
    # A word more for each block.
    assert told["share_in_comment"] == pytest.approx(2 / 6)
    assert told["share_in_forum"] == pytest.approx(4 / 6)
    assert told["page_words"] == 4
    assert told["page_forum"] == 1
    assert own.comments.tolist() == [False, True]


BLOCKS = st.lists(st.tuples(st.integers(0, 1000), st.integers(0, 200), st.booleans()), min_size=1, max_size=8)


@given(BLOCKS, st.floats(0, 1))
def test_comments_go_where_there_is_other_content_and_no_forum(blocks, forum):
    thousandths, words, comments = (np.array(values) for values in zip(*blocks, strict=True))
    outside = sum(one * count for one, count, comment in blocks if not comment)
    gone = forum < 0.25 and outside > 100_000
    expected = [0 if gone and comment else one / 1000 for one, _, comment in blocks]
    assert without_comments(thousandths / 1000, words / 1.0, comments, forum).tolist() == expected

"""Forums: what tells them, and what becomes of comments elsewhere."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher import clean_html
from thresher.cleaners.content_model.features import features_of
from thresher.cleaners.content_model.model import load_content_model
from thresher.cleaners.content_model.page_rules import forum_features, forum_names, with_comments, without_comments
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
    assert own.parts.comments.tolist() == [False, True]


BLOCKS = st.lists(st.tuples(st.integers(0, 1000), st.integers(0, 200), st.booleans()), min_size=1, max_size=8)


@given(BLOCKS, st.floats(0, 1))
def test_comments_go_where_there_is_other_content_and_no_forum(blocks, forum):
    thousandths, words, comments = (np.array(values) for values in zip(*blocks, strict=True))
    outside = sum(one * count for one, count, comment in blocks if not comment)
    gone = forum < 0.25 and outside > 100_000
    expected = [0 if gone and comment else one / 1000 for one, _, comment in blocks]
    assert without_comments(thousandths / 1000, words / 1.0, comments, forum).tolist() == expected


@given(BLOCKS)
def test_long_comments_are_content_if_comments_are(blocks):
    thousandths, words, comments = (np.array(values) for values in zip(*blocks, strict=True))
    expected = [max(one / 1000, count / (count + 10) * comment) for one, count, comment in blocks]
    assert with_comments(thousandths / 1000, words / 1.0, comments).tolist() == expected


def test_comments_below_an_article_are_content_on_request():
    posts = "".join(
        f"<p>{f'The rain in Spain of {day} May falls, as we saw, mainly on the plain. ' * 9}" for day in range(9)
    )
    said = "I was there myself last year, and it did not rain on a single day."
    comment = f"<div class=comment><b>Ann, 3 May</b><p>{said}<p><a href=/r>Reply</a></div>"
    menu = "<ul><li><a href=/>Home</a><li><a href=/b>Blog</a></ul>"
    page = f"<title>Rain</title>{menu}<article><h1>Rain in Spain</h1>{posts}</article><div id=comments>{comment}</div>"
    model, segments = load_content_model("web"), read_html(page, detail=Detail.ELEMENTS)
    kept = [[*np.array(segments.blocks)[model.probabilities(segments, comments) >= 0.5]] for comments in (False, True)]
    assert len(kept[0]) >= 9
    assert said not in kept[0]
    assert said in kept[1]
    assert "Reply" not in kept[1]
    assert clean_html(page, "content(comments=keep)@0.5").endswith(f"\n{said}")
    assert said not in clean_html(page)

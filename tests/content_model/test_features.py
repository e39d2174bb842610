"""Features of blocks: by hand, against slow sums, on any page."""

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from thresher.cleaners.content_model.features import FEATURES, BlockFeatures, feature_names, features_of
from thresher.pages import Detail, read_html, read_text_page

PAGE = """
<html class="single-post"><title>Storms in the north</title><body>
<nav class="menu"><ul><li><a href=/>Home</a><li><a href=/n>News 2024</a></ul></nav>
<article class="post"><h1>Storms in the north</h1>
<p>Rain is expected, and <a href=/w>wind</a> too. It stays cold until 12:30 on Friday, says the office in Oslo.</p>
<p>Ferries wait.</p></article>
<div id="comments"><div class="comment"><b>Ann</b><p>I am cold. Really.</p></div>
<div class="comment"><b>Bob</b><p>So am I.</p></div></div>
</body></html>
"""


def rows(html: str) -> dict[str, list[float]]:
    features: BlockFeatures = features_of(read_html(html, detail=Detail.ELEMENTS))
    return dict(zip(features.names, features.values.tolist(), strict=True))


def test_a_page_by_hand():
    values = rows(PAGE)
    # title, Home, News, h1, two paragraphs, Ann, her text, Bob, his text
    assert values["words"] == [4, 1, 2, 4, 18, 2, 1, 4, 1, 3]
    assert values["level"] == [7, 0, 0, 1, 0, 0, 0, 0, 0, 0]
    assert values["links"][:3] == [0, 1, 1]
    assert values["after_h1"][2:6] == [-1, 0, 1, 2]
    assert values["in_navigation"] == [0, 1, 1, 0, 0, 0, 0, 0, 0, 0]
    assert values["in_tag_article"] == [0, 0, 0, 1, 1, 1, 0, 0, 0, 0]
    assert values["in_comment"] == [0, 0, 0, 0, 0, 0, 1, 1, 1, 1]
    assert values["in_hidden"] == [0] * 10
    assert values["repeated_siblings"][6:10] == [2, 2, 2, 2]
    assert values["repeated_rank"][6:10] == [0, 0, 1, 1]
    assert values["stop_count"][7] == 2
    assert set(values["page_single"]) == {1}
    assert set(values["page_words"]) == {40}
    assert set(values["page_comment_share"]) == {np.float32(9 / 40)}
    assert values["around1_words"][6:8] == [5, 5]


def test_scripts_without_spaces_count_two_letters_as_a_word():
    assert rows("<p>東京は雨です。<p>rain")["words"] == [3, 1]


def test_what_is_far_is_as_far_as_the_limit():
    values = rows(f"<h1>a</h1>{'<p>b c' * 400}")
    assert values["index"] == [*range(60), *[60] * 341]
    assert values["index_from_end"] == values["index"][::-1]
    assert values["words_before_count"][249:] == [497, 499] + [500] * 150
    assert set(values["page_words"]) == {801}
    assert set(values["page_blocks"]) == {300}


PIECES = st.one_of(
    st.sampled_from(
        [
            *(f"<{tag}>" for tag in "p div li ul table tr td a b h1 title article svg".split()),
            *(f"</{tag}>" for tag in "p div ul table a h1 title article".split()),
            '<div class="comment">',
            "<p hidden>",
            "1999 ",
            "東京 ",
            "a, b. ",
        ]
    ),
    st.text(max_size=4),
)


@given(st.lists(PIECES, max_size=25).map("".join))
def test_any_page_has_every_feature(html):
    segments = read_html(html, detail=Detail.ELEMENTS)
    if not segments.text:
        return
    features = features_of(segments)
    assert features.names == feature_names()
    assert features.values.shape == (FEATURES, len(segments.blocks))
    assert np.isfinite(features.values).all()


def test_names_differ():
    assert [name for name, times in Counter(feature_names()).items() if times > 1] == []


def test_a_text_has_features():
    features = features_of(read_text_page("one two\nthree"))
    assert features.words.tolist() == [2, 1]

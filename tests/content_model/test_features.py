"""Features of blocks: by hand, against slow sums, on any page."""

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from thresher.cleaners.content_model.features import BlockFeatures, feature_names, features_of
from thresher.cleaners.content_model.older_features import (
    older_features,
    older_names,
    sequence_features,
    sequence_names,
    shifted,
    window_sums,
)
from thresher.pages import Detail, read_html, read_text_page

PAGE = """
<html class="single-post"><title>Storms in the north</title><body>
<nav class="menu"><ul><li><a href=/>Home</a><li><a href=/n>News 2024</a></ul></nav>
<article class="post"><h1>Storms in the north</h1>
<p>Rain is expected, and <a href=/w>wind</a> too. It stays cold until 12:30 on Friday, says the office in Oslo.</p>
<p>Ferries wait.</p></article>
<div id="comments"><div class="comment"><b>Ann</b><p>I am cold. Really.</p></div>
<div class="comment"><b>Bob</b><p>So am I.</p></div></div>
<div style="display:none">x</div></body></html>
"""


def rows(html: str, of=features_of) -> dict[str, list[float]]:
    features: BlockFeatures = of(read_html(html, detail=Detail.ELEMENTS))
    return dict(zip(features.names, features.values.tolist(), strict=True))


def test_a_page_by_hand():
    values = rows(PAGE)
    # title, Home, News, h1, two paragraphs, Ann, her text, Bob, his text, x
    assert values["words"] == [4, 1, 2, 4, 18, 2, 1, 4, 1, 3, 1]
    assert values["level"] == [7, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]
    assert values["links"][:3] == [0, 1, 1]
    assert values["after_h1"][2:6] == [-1, 0, 1, 2]
    assert values["in_navigation"] == [0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0]
    assert values["in_tag_article"] == [0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0]
    assert values["in_comment"] == [0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 0]
    assert values["in_hidden"] == [0] * 10 + [1]
    assert values["repeated_siblings"][6:10] == [2, 2, 2, 2]
    assert values["repeated_rank"][6:10] == [0, 0, 1, 1]
    assert values["stop_count"][7] == 2
    assert set(values["page_single"]) == {1}
    assert set(values["page_words"]) == {41}
    assert set(values["page_comment_share"]) == {np.float32(9 / 41)}
    assert values["around1_words"][6:8] == [5, 5]


def test_what_models_of_format_3_know_besides():
    values = rows(PAGE, older_features)
    assert values["years"] == [0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0]
    assert values["times"] == [0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]
    assert values["title_words"][:6] == [1, 0, 0, 1, np.float32(2 / 18), 0]
    assert values["after_headline"][2:6] == [-1, 0, 1, 2]
    assert {name: values[name] for name in feature_names()} == rows(PAGE)


def test_scripts_without_spaces_count_two_letters_as_a_word():
    assert rows("<p>東京は雨です。<p>rain")["words"] == [3, 1]


def test_what_is_far_is_as_far_as_the_limit():
    values = rows(f"<h1>a</h1>{'<p>b c' * 400}")
    assert values["index"] == [*range(60), *[60] * 341]
    assert values["index_from_end"] == values["index"][::-1]
    assert values["words_before_count"][249:] == [497, 499] + [500] * 150
    assert set(values["page_words"]) == {801}
    assert set(values["page_blocks"]) == {300}


def test_repeats_and_neighbours():
    values = rows("<p>a b<p>a b<p>c", older_features)
    assert values["repeats"] == [2, 2, 1]
    assert values["before1_words"] == [-1, 2, 2]
    assert values["after1_words"] == [2, 1, -1]


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
    blocks = len(segments.blocks)
    for features, known in ((features_of(segments), feature_names()), (older_features(segments), older_names())):
        assert features.names == known
        assert features.values.shape == (len(known), blocks)
        assert np.isfinite(features.values).all()
    first = np.rint(np.linspace(0, 1000, blocks))
    names, values = sequence_features(first, features)
    assert names == sequence_names()
    assert values.shape == (len(names), blocks)
    assert np.isfinite(values).all()
    assert values[names.index("first_page")][0] == np.float32(
        (first * (features.words + 1)).sum() / (features.words + 1).sum()
    )


def test_names_differ():
    names = [*older_names(), *sequence_names()]
    assert [name for name, times in Counter(names).items() if times > 1] == []


def test_a_text_has_features():
    features = features_of(read_text_page("one two\nthree"))
    assert features.words.tolist() == [2, 1]


@given(st.lists(st.integers(0, 9), min_size=1, max_size=12), st.lists(st.integers(1, 5), min_size=1))
def test_windows_and_shifts(values, widths):
    array = np.array([values, values[::-1]])
    for width, sums in zip(widths, window_sums(array, widths), strict=True):
        expected = [sum(values[max(at - width, 0) : at + width + 1]) for at in range(len(values))]
        assert sums.tolist() == [expected, expected[::-1]]
    steps = [*widths, *(-width for width in widths)]
    for step, moved in zip(steps, shifted(array[0], steps, -1), strict=True):
        there = [at + step for at in range(len(values))]
        assert moved.tolist() == [values[at] if 0 <= at < len(values) else -1 for at in there]


@given(st.data())
def test_the_first_stage_around(data):
    features = older_features(read_html(PAGE, detail=Detail.ELEMENTS))
    blocks = len(features.words)
    first = np.array(data.draw(st.lists(st.integers(0, 1000), min_size=blocks, max_size=blocks)), dtype=np.float64)
    names, values = sequence_features(first, features)
    by_name = dict(zip(names, values.tolist(), strict=True))
    weights = features.words + 1

    def mean(inside: list[int]) -> np.float32:
        return np.float32((first * weights)[inside].sum() / weights[inside].sum())

    assert by_name["first_window2"][4] == mean([2, 3, 4, 5, 6])
    assert by_name["first_around1"][4] == mean([3, 4, 5])
    assert by_name["first_before1"] == [-1, *first[:-1].tolist()]
    comments = [6, 7, 8, 9]
    inside = (first * weights)[comments].sum() / 1000
    assert np.isclose(by_name["first_comments"][0], inside)
    assert by_name["first_before_list"][9] == np.float32((first * weights)[:6].sum() / 1000)

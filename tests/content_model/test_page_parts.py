"""Footers, and code between texts: which blocks they are, and what rules make of their probabilities."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.cleaners.content_model.features import features_of
from thresher.cleaners.content_model.page_parts import PageParts
from thresher.cleaners.content_model.page_rules import with_code, without_footers
from thresher.pages import Detail, read_html


def read(html: str) -> tuple[list[str], PageParts]:
    segments = read_html(html, detail=Detail.ELEMENTS)
    return segments.blocks, features_of(segments).parts


def chosen(blocks: list[str], mask: np.ndarray) -> list[str]:
    return [block for block, is_chosen in zip(blocks, mask.tolist(), strict=True) if is_chosen]


# Where FOOTER is the page's: HTML Accessibility API Mappings 1.0, "footer (scoped to the body element)".
FOOTERS = [
    ("<p>a<footer><p>b<nav>c</nav><section>d</section></footer><p>e", ["b", "c", "d"]),
    ("<div><div><footer>b</footer></div></div>", ["b"]),
    ("<div role=contentinfo>b</div>", ["b"]),
    ("<section><div role=contentinfo>b</div></section>", ["b"]),
    *((f"<{tag}><p>a<footer>b</footer></{tag}>", []) for tag in "article aside main nav section blockquote".split()),
    ("<article>a</article><footer>b</footer><article>c</article>", ["b"]),
    ("<div class=footer>b</div>", []),
    ("<footer></footer><p>a", []),
]


@pytest.mark.parametrize(("html", "expected"), FOOTERS)
def test_footers_of_the_page(html, expected):
    blocks, parts = read(html)
    assert chosen(blocks, parts.footers) == expected


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        *((f"<div {name}>b<p>c</div>", ["b", "c"]) for name in ("id=footer", "class='x Site-Footer'", "id=colophon")),
        *(
            (f"<div class={name}>b</div>", [])
            for name in ("footer-links-open", "footnote", "has-footer", "card__footer")
        ),
        ("<body class=footer><p>b", []),
        ("<article><div class=footer>b</div></article>", []),
        *(
            (f"<p>a<p>{line}", [line])
            for line in ("© Oats Ltd", "Copyright 2020. All rights reserved.", "(c) 1999 Oats")
        ),
        *(
            (f"<p>a<p>{line}", [line])
            for line in ("Oats Ltd, Copyright © 2019–2024", "2021 © Гавань", "無断転載を禁じます © 2020 港")
        ),
        *(
            (f"<p>{line}", [])
            for line in ("Copyright law in short", "In 2020 oats rose", "(c) is the third case", "Oats © Rye")
        ),
        ("<p>© 2020 " + "word " * 30, []),
    ],
)
def test_what_is_a_footer_if_no_content_follows(html, expected):
    blocks, parts = read(html)
    assert chosen(blocks, parts.endings) == expected


PAGE = "<p>a a a a a a a a a a a a<div id=footer>b</div><p>c c c c c c c c c c c c<footer>d</footer>"


@pytest.mark.parametrize(
    ("html", "before", "after"),
    [
        (PAGE, [0.9, 0.8, 0.4, 0.8], [0.9, 0, 0.4, 0]),
        # Content follows what is only named a footer.
        (PAGE, [0.9, 0.8, 0.6, 0.8], [0.9, 0.8, 0.6, 0]),
        # There is nothing besides.
        (PAGE, [0.4, 0.8, 0.4, 0.8], [0.4, 0.8, 0.4, 0.8]),
        ("<footer><p>a a a a a a a a a a a a<p>b</footer>", [0.9, 0.2], [0.9, 0.2]),
        # Short lines that follow a line of copyright are no content of which it would be a part.
        ("<p>a a a a a a<p>© 2020 Oats<p>b b b", [0.9, 0.8, 0.9], [0.9, 0, 0.9]),
    ],
)
def test_footers_have_probability_0_unless_all_else_is_unlikely(html, before, after):
    segments = read_html(html, detail=Detail.ELEMENTS)
    features = features_of(segments)
    assert without_footers(np.array(before), features.words, features.parts).tolist() == after


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p>a<pre>b = 1\nc = 2</pre><p>d", ["b = 1 c = 2"]),
        ("<p>a<pre><span class=k>b</span></pre>", ["b"]),
        ("<div><code>b = 1</code></div><div><code>c</code><br><code>d</code></div>", ["b = 1", "c", "d"]),
        ("<p><code>b</code> is a name<p>so is <code>c</code><li><b><code>d</code></b>", ["d"]),
        ("<pre><button>Copy</button></pre><pre>1\n2\n3</pre><pre>4 + x</pre>", ["4 + x"]),
        ("<p>a", []),
    ],
)
def test_code_is_what_is_in_pre_or_wholly_in_code(html, expected):
    blocks, parts = read(html)
    assert chosen(blocks, parts.code) == expected


TEXT, OTHER = "one two three four five", "six seven eight nine ten"
PROSE = f"{TEXT}, {OTHER}, {TEXT}"
TAB = "<div class=sd-tab-content>"
LABELS = f"<div>Python{TAB}<pre>x = 1</pre></div>Java{TAB}<pre>y = 2</pre></div></div>"


@pytest.mark.parametrize(
    ("html", "before", "after"),
    [
        (f"<p>{TEXT}{LABELS}<p>{OTHER}", [0.9, 0.1, 0.2, 0.1, 0.3, 0.7], [0.9, 0.1, 0.7, 0.1, 0.7, 0.7]),
        ("<p>a<pre>x</pre><p>b", [0.9, 0.2, 0.6], [0.9, 0.6, 0.6]),
        (f"<p>a<main><p>{PROSE}<p>{PROSE}<pre>x</pre></main>", [0, 0.9, 0.3, 0.2], [0, 0.9, 0.3, 0.9]),
        # Code outside of the main part goes with what is around.
        (f"<main><p>{PROSE}</main><aside><p>a<pre>x</pre></aside><p>b", [0.9, 0.1, 0.2, 0.1], [0.9, 0.1, 0.2, 0.1]),
    ],
)
def test_code_scores_as_what_it_stands_between(html, before, after):
    parts = read(html)[1]
    assert with_code(np.array(before), parts).tolist() == after


@given(
    st.lists(
        st.tuples(st.sampled_from(["<p>a b c d e f", "<p>a", "<pre>x"]), st.integers(0, 9)), min_size=1, max_size=9
    )
)
def test_code_is_never_dropped_between_two_blocks_that_are_kept(page):
    parts = read("<div>".join(html for html, _ in page))[1]
    scores = with_code(np.array([tenths / 10 for _, tenths in page]), parts)
    is_code = parts.code.tolist()
    for cutoff in (0.3, 0.5, 0.8):
        kept = [at for at, score in enumerate(scores.tolist()) if score >= cutoff and not is_code[at]]
        for first, last in pairwise(kept):
            assert all(scores[at] >= cutoff for at in range(first, last) if is_code[at])


def test_highlighted_comments_are_no_comments_of_readers():
    text = f"<p>{TEXT}"
    code = "<pre><span class='token comment'># x</span> y</pre>"
    pages = (
        f"{text}{code}",
        f"{text}<div class=comment>{text}{code}</div>",
        f"<div class=comment>{text}</div>{text}{code}",
    )
    in_comments = [features_of(read_html(page, detail=Detail.ELEMENTS)).parts.comments.tolist() for page in pages]
    assert in_comments == [[False, False], [False, True, True], [True, False, False]]

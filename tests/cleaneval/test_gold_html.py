"""Annotated pages: which text is content, in which blocks."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.evaluation.cleaneval.gold import LabelledText, parse_annotated
from thresher.pages import read_html
from thresher.pages.marked_text import marked_segments

PAGE = """<html><head><title>News</title><style>.x-nc-sel2 { color: red }</style></head><body>
<ul><li><span class="x-nc-sel4">Older news</span></ul>
<h1><span class="x-nc-sel1">Rain</span></h1>
<div><span class="x-nc-sel2">It <b>rained</b> all day,
 <span class="x-nc-sel0">Advertisement</span>and <a href="/r">then</a> more.</span> Share</div>
<ol><li><span class="wide x-nc-sel3 small">A cloud</span></ol>
<p class="x-nc-sel5">First!</p>
</body></html>"""
MARKS = st.sampled_from([None, *(f"x-nc-sel{number}" for number in range(6))])
# An element's mark and its children.
Tree = tuple[str | None, list[Any]]
LEAVES: st.SearchStrategy[Tree] = st.tuples(MARKS, st.just([]))
TREES = st.recursive(LEAVES, lambda trees: st.tuples(MARKS, st.lists(trees, max_size=4)), max_leaves=12)


def texts_of(html: str, comments: bool = False) -> list[str]:
    return [part.text for part in parse_annotated(html.encode(), comments)]


def test_content_is_headline_full_text_and_supplemental_text() -> None:
    content = (
        LabelledText("h", "Rain"),
        LabelledText("p", "It rained all day, and then more."),
        LabelledText("l", "A cloud"),
    )
    assert parse_annotated(PAGE.encode()) == content
    assert parse_annotated(PAGE.encode(), comments=True) == (*content, LabelledText("p", "First!"))


@pytest.mark.parametrize(
    ("number", "content", "with_comments"),
    [(0, False, False), (1, True, True), (2, True, True), (3, True, True), (4, False, False), (5, False, True)],
)
def test_classes(number: int, content: bool, with_comments: bool) -> None:
    page = f"<p>before</p><p class='a x-nc-sel{number}'>inside</p><p class='x-nc-sel'>x-nc-sel2</p>"
    assert texts_of(page) == ["inside"] * content
    assert texts_of(page, comments=True) == ["inside"] * with_comments


def test_the_innermost_mark_counts_and_no_text_twice() -> None:
    nested = (
        "<div class=x-nc-sel2>one <span class=x-nc-sel2>two <span class=x-nc-sel4>three</span> four</span> five</div>"
    )
    assert texts_of(nested) == ["one two four five"]
    # Inline elements around blocks are as browsers leave them.
    assert texts_of("<span class=x-nc-sel2><p>one<p>two <b class=x-nc-sel4>three</b></span>four") == ["one", "two"]
    assert texts_of("<div class=x-nc-sel4><p>one<p class='x-nc-sel2 x-nc-sel0'>two</div>") == ["two"]


def test_what_is_dropped_leaves_a_space() -> None:
    assert texts_of("<p><i class=x-nc-sel2>one</i>, <i class=x-nc-sel2>two</i>;<i class=x-nc-sel2>three") == [
        "one two three"
    ]


def test_the_title_is_content_only_if_marked() -> None:
    page = "<title{}>Rain &amp; hail &lt;b></title><p class=x-nc-sel2>It rained."
    assert texts_of(page.format("")) == ["It rained."]
    assert parse_annotated(page.format(" class=x-nc-sel1").encode()) == (
        LabelledText("h", "Rain & hail <b>"),
        LabelledText("p", "It rained."),
    )


def test_scripts_and_styles_are_no_text_though_they_be_marked() -> None:
    inside = "one<script>if (a < b) document.write('<p>two')</script><style>p {}</style><br>three"
    assert texts_of(f"<div class=x-nc-sel2>{inside}</div>") == ["one", "three"]


@pytest.mark.parametrize("page", ["", " ", "<!-- -->", "<p>text</p>", "text", "<title>x-nc-sel2</title>"])
def test_pages_without_marks_have_no_content(page: str) -> None:
    assert parse_annotated(page.encode(), comments=True) == ()


def test_pages_are_decoded_as_pages_are() -> None:
    page = "<meta charset=koi8-r><p class=x-nc-sel2>дождь</p>".encode("koi8-r")
    assert parse_annotated(page) == (LabelledText("p", "дождь"),)


@pytest.mark.parametrize("depth", [300, 5000])
def test_deep_pages(depth: int) -> None:
    page = f"{'<div>' * depth}<div class=x-nc-sel2>one{'<div>' * depth}two{'</div>' * depth}three"
    assert texts_of(page) == ["one", "two", "three"]


@given(TREES)
def test_text_is_what_its_innermost_mark_says(tree: Tree) -> None:
    words: list[tuple[str, str | None]] = []

    def html_of(tree: Tree, mark: str | None) -> str:
        own, children = tree
        mark = own or mark
        words.append((f"w{len(words)}", mark))
        inside = [f" {words[-1][0]} "]
        for child in children:
            inside.append(html_of(child, mark))
            words.append((f"w{len(words)}", mark))
            inside.append(f" {words[-1][0]} ")
        return f'<span class="{own or ""}">{"".join(inside)}</span>'

    page = html_of(tree, None)
    for comments in (False, True):
        content = {"x-nc-sel1", "x-nc-sel2", "x-nc-sel3"} | ({"x-nc-sel5"} if comments else set())
        assert " ".join(texts_of(page, comments)).split() == [word for word, mark in words if mark in content]


def without_hiding(page: bytes) -> bytes:
    """Rename the attributes that hide elements: what people marked on a page is content, even if a script shows it first."""
    page = re.sub(rb"(?i)\b(?:style|aria-hidden|hidden)(\s*=)", rb"title\1", page)
    return re.sub(rb"(?i)(<[a-z][^<>]*\s)hidden(?=[\s/>])", rb"\1", page)


def test_marked_text_is_content_though_it_be_hidden() -> None:
    assert texts_of("<div class=x-nc-sel2><p style='display:none'>one<p hidden>two</div>") == ["one", "two"]


# 49.html of cleaneval-dev ends its html element, and with it the mark, before the page's end.
@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "step", "others"), [("cleaneval-dev", 1, ["49"]), ("cleanportaleval", 3, []), ("dragnet-300", 6, [])]
)
def test_pages_that_are_content_throughout_have_the_blocks_of_the_page(
    shared_data: Path, name: str, step: int, others: list[str]
) -> None:
    result = []
    for path in sorted((shared_data / "cleaning" / name / "input").iterdir())[::step]:
        page = b"<html class=x-nc-sel2>" + without_hiding(path.read_bytes())
        blocks = [LabelledText(segment.label, segment.text) for segment in marked_segments(read_html(page))]
        if parse_annotated(page) != tuple(blocks):
            result.append(path.stem)
    assert result == others

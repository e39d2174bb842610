"""Marked text: what a page becomes, and what is read back from it."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.pages import read_html, read_text_page
from thresher.pages.marked_text import (
    HEADING,
    LIST_ITEM,
    PARAGRAPH,
    MarkedSegment,
    is_bar,
    marked_segments,
    read_marked_text,
)

PAGE = (
    "<title>Site</title><h2>Head <b>line</b></h2><p>One | two<br>three<ul><li>item <a href=x>link</a><p>more</ul>"
    "<ol><li>first<li><h3>Inner</h3></ol>"
)
LABELS = (PARAGRAPH, HEADING, LIST_ITEM)
WORD = st.text(st.characters(exclude_categories=["Cs", "Z", "C"], exclude_characters="*#<+-=@0123456789o"), min_size=1)
SEGMENT = st.builds(
    MarkedSegment, st.sampled_from(LABELS), st.lists(WORD, min_size=1, max_size=5).map(" ".join)
).filter(lambda segment: not segment.text.startswith("URL:"))


def pairs(segments):
    return [(segment.label, segment.text) for segment in segments]


def test_blocks_get_labels():
    assert pairs(marked_segments(read_html(PAGE))) == [
        ("h", "Site"),
        ("h", "Head line"),
        ("p", "One | two"),
        ("p", "three"),
        ("l", "item link"),
        ("p", "more"),
        ("l", "first"),
        ("h", "Inner"),
    ]
    assert pairs(marked_segments(read_text_page("One\nTwo\n\n* three"))) == [
        ("p", "One"),
        ("p", "Two"),
        ("p", "* three"),
    ]
    assert marked_segments(read_html("")) == []


@given(
    st.text()
    | st.lists(st.sampled_from(["* ", "# ", "<l>", "<h>", "\n", "\n\n", " ", "1. ", "word", "URL: x"])).map("".join)
)
def test_any_text(text):
    result = read_marked_text(text)
    for segment in result:
        assert segment.label in LABELS
        assert segment.text == " ".join(segment.text.split())
        assert segment.text
    # Nothing but marks and the address is lost, and the order stays.
    if not re.match(r"\s*URL:", text):
        words = iter(text.replace("<", " <").replace(">", "> ").split())
        for word in " ".join(segment.text for segment in result).replace("<", " <").replace(">", "> ").split():
            assert word in words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("one\ntwo\n\n \nthree", [("p", "one two"), ("p", "three")]),
        ("<h>Head\n<p>Text\nmore\n<l>   * item", [("h", "Head"), ("p", "Text more"), ("l", "item")]),
        ("<l>  2. next\n<l>3. last\n", [("l", "next"), ("l", "last")]),
        ("URL: http://x/y\n\n<p>Text", [("p", "Text")]),
        ("  URL: here is one", [("p", "URL: here is one")]),
        ("   Para\n     * one\n       wrapped\n", [("p", "Para"), ("l", "one wrapped")]),
        ("     * one\n          + deep\n    12. last", [("l", "one"), ("l", "deep"), ("l", "last")]),
        ("# Head\ntext", [("h", "Head text")]),
        ("#hashtag\n+ more\n- 1. o no", [("p", "#hashtag + more - 1. o no")]),
        ("1. In prose", [("p", "1. In prose")]),
        ("     * <l>\n\n       late", [("l", "late")]),
        ("+ <l> deep + x\n1. <l> y", [("l", "deep + x"), ("l", "y")]),
        ("*", []),
        ("a <p> b", [("p", "a <p> b")]),
        ("", []),
    ],
)  # fmt: skip
def test_reading_by_hand(text, expected):
    assert pairs(read_marked_text(text)) == expected


@pytest.mark.parametrize(
    ("text", "bar"),
    [
        ("Home | News | Contact us", True),
        ("| Home | News | Contact |", True),
        ("Copyright 2008 | Terms of use | Privacy", True),
        ("Home|News|Contact", True),
        ("Storms | News", False),
        ("| one | two |", False),
        ("", False),
        ("|||", False),
        ("no bars", False),
        ("a | b | this field has as many words as a sentence", False),
        ("one two three four five | b | c", True),
        ("one two three four five six | b | c", False),
    ],
)
def test_bars(text, bar):
    assert is_bar(text) == bar


def test_gold_standards(shared_data):
    folder = shared_data / "cleaning" / "cleaneval-dev" / "GoldStandard"
    labels = set()
    for path in sorted(folder.iterdir()):
        text = path.read_bytes().decode("utf-8-sig", "replace")
        result = read_marked_text(text)
        labels |= {segment.label for segment in result}
        assert not any(re.match(r"URL: |<[hlp]>", segment.text) for segment in result), path
        assert len(result) >= len(re.findall(r"(?m)^<[hlp]>\s*\w", text))
    assert labels == set(LABELS)

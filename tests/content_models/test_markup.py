"""What descriptions of elements say."""

import pytest

from thresher.content_models.markup import COUNTED, FAMILIES, TAGS, describe
from thresher.pages.parsing import HIDDEN


def said(description: str) -> set[str]:
    bits = describe(description).bits
    names = [*FAMILIES, *(f"<{tag}>" for tag in TAGS), "hidden"]
    assert bits < 1 << len(names)
    return {name for number, name in enumerate(names) if bits >> number & 1}


@pytest.mark.parametrize(
    ("description", "expected"),
    [
        ("div", {"<div>"}),
        ("div main-content", {"<div>", "main", "content"}),
        ("div articleBody", {"<div>", "article", "body"}),
        ("div site-footer", {"<div>", "footer", "logo"}),
        ("li comment even depth-1 comment-17", {"<li>", "comment"}),
        ("div AD", {"<div>", "advertising"}),
        ("div shadow loaded", {"<div>"}),
        (f"p {HIDDEN}", {"<p>", "hidden"}),
        ("marquee", set()),
        ("", set()),
    ],
)
def test_families_tags_and_hiding(description, expected):
    assert said(description) == expected


def test_tags_that_are_inline_or_counted():
    assert describe("a x").inline
    assert describe("em").inline
    assert not describe("div").inline
    assert [describe(tag).counted for tag in COUNTED] == [*range(len(COUNTED))]
    assert describe("section").counted == len(COUNTED)

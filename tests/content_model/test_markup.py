"""What descriptions of elements say."""

import re
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.cleaners.content_model.page_tree import BYTES, FAMILIES, TAGS, describe
from thresher.pages.parsing import HIDDEN


def said(description: str) -> set[str]:
    said = describe(description)
    assert len(said) == BYTES
    bits = int.from_bytes(said, "little")
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


PATTERNS = dict(
    line.split("\t")
    for line in files("thresher.cleaners.content_model").joinpath("families.tsv").read_text("utf-8").splitlines()
)
# Words of the families, whole or not, and any others.
PIECES = st.sampled_from(sorted({word for pattern in PATTERNS.values() for word in re.findall("[a-z]+", pattern)}))


@given(st.lists(PIECES | st.text("abdefinoprst", max_size=3), max_size=4).map("".join))
def test_a_word_is_of_all_families_whose_pattern_it_has(word):
    assert said(f"div {word}") == {"<div>", *(name for name, pattern in PATTERNS.items() if re.search(pattern, word))}

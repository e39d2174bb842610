"""Pages into blocks, against a walk over lxml's tree: random pages and real ones."""

import os
from collections import Counter

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from lxml import etree
from page_oracle import BOXES, DROPPED, LINES, blocks_of, tree_of, without_hidden

from thresher.pages import BLOCK_RULES, PageOptions, read_html
from thresher.pages.decoding import binary_kind, decode

pytestmark = pytest.mark.slow

TAGS = [
    "p",
    "div",
    "a",
    "b",
    "span",
    "h1",
    "h3",
    "title",
    "svg",
    "noscript",
    "object",
    "td",
    "table",
    "li",
    "br",
    "img",
    "option",
]
# Invisible characters that stay where they carry meaning: tests/base has them.
MEANINGFUL = [
    *map(chr, (*range(0x180B, 0x1810), 0x200B, 0x200C, 0x200D, *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)))
]
PIECES = st.one_of(
    st.sampled_from([f"<{tag}>" for tag in TAGS]),
    st.sampled_from([f"</{tag}>" for tag in TAGS]),
    st.sampled_from(
        [
            " ",
            "\n",
            "&nbsp;",
            "a",
            "b c",
            " . ",
            "é",
            "1",
            "<!-- x -->",
            "&amp;",
            "\u3000",
            "(",
            "e\u0301",
            "a\u00adb",
            "&shy;",
            "\u2060",
        ]
    ),
    st.text(st.characters(codec="utf-8", exclude_characters=MEANINGFUL), max_size=4),
)


@given(st.lists(PIECES, max_size=30).map("".join), st.sampled_from(BLOCK_RULES))
def test_random_pages_against_the_tree(page, rule):
    utf8 = page.encode("utf-8", "replace")
    expected = blocks_of(utf8, rule)
    segments = read_html(page, PageOptions(rule))
    assert [*zip(segments.blocks, segments.levels.tolist(), strict=True)] == [entry[:2] for entry in expected]
    assert segments.linked_words_in_blocks.tolist() == [linked for _, _, linked, _ in expected]
    places = segments.places.tolist()
    assert places == sorted({*places})
    for character, at in zip(segments.text, places, strict=True):
        assert segments.marked.startswith((b" ", b"\n") if character in " \n" else character.encode(), at)
    assert segments.linked_tokens_in_blocks.tolist() == [tokens for _, _, _, tokens in expected]
    assert segments.tokens_in_blocks.tolist() == [len(text.split()) for text, *_ in expected]


@given(st.binary(max_size=300))
def test_any_bytes_are_a_page(content):
    assume(not binary_kind(content))
    segments = read_html(content)
    assert len(segments.levels) == len(segments.blocks) == len(segments.linked_words_in_blocks)
    assert (segments.linked_words_in_blocks <= segments.words_in_blocks).all()


@pytest.fixture(scope="module")
def real_pages(shared_data) -> dict[str, bytes]:
    files = []
    for name, step in (("dragnet-300", 15), ("cleaneval-dev", 4), ("cleanportaleval", 9)):
        files += sorted((shared_data / "cleaning" / name / "input").iterdir())[::step]
    return {os.fspath(path): decode(path.read_bytes()).utf8 for path in files}


def test_real_pages_against_the_tree(real_pages):
    assert len(real_pages) == 20 + 15 + 8
    linked = 0
    for path, utf8 in real_pages.items():
        expected = blocks_of(utf8)
        segments = read_html(utf8.decode())
        assert segments.blocks == [text for text, *_ in expected], path
        assert segments.levels.tolist() == [level for _, level, _, _ in expected], path
        assert segments.linked_words_in_blocks.tolist() == [count for _, _, count, _ in expected], path
        assert segments.linked_tokens_in_blocks.tolist() == [count for *_, count in expected], path
        linked += segments.linked_words_in_blocks.sum()
    assert linked > 3_000


def test_no_word_of_a_real_page_is_lost(real_pages):
    """Tags end words here and do not in `text_content`, so that spaces are put between all elements first."""
    for path, utf8 in real_pages.items():
        tree = tree_of(utf8)
        without_hidden(tree, utf8)
        for element in tree.iter(*DROPPED):
            element.tail = f" {element.tail or ''}"
        etree.strip_elements(tree, *DROPPED, etree.Comment, etree.ProcessingInstruction, with_tail=False)
        characters = "".join(tree.text_content().split())
        assert "".join(read_html(utf8.decode()).text.split()) == characters, path
        for element in tree.iter():
            if element.tag in LINES or element.tag in BOXES:
                element.text = f" {element.text or ''}"
                element.tail = f" {element.tail or ''}"
                if len(element):
                    element[-1].tail = f"{element[-1].tail or ''} "
                else:
                    element.text += " "
        assert Counter(read_html(utf8.decode()).text.split()) == Counter(tree.text_content().split()), path

"""Segments: parts laid end to end are the text, and words are counted as a reader of the definition would."""

import sys
import unicodedata

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from page_oracle import is_word

from thresher.base.letters import readable
from thresher.collections import Page
from thresher.pages import Detail, PageOptions, ParsedText, Segments, read_html, read_page, read_text_page, segment
from thresher.pages.decoding import binary_kind
from thresher.pages.plain import ODD, SPACE, plain_text, word_starts


def check(segments: Segments) -> None:
    text = segments.text
    assert not any((character < " " and character != "\n") or character == "\x7f" for character in text)
    assert "  " not in text
    assert all(block and block == " ".join(block.split()) for block in segments.blocks)
    assert "\n".join(segments.blocks) == text
    assert len(segments.levels) == len(segments.blocks) == len(segments.block_ends)
    assert len(segments.plain.text) == len(segments.plain.classes) == len(text)
    for ends in (segments.block_ends, segments.sentence_ends):
        assert ends.dtype == np.int64
        starts = [0, *ends.tolist()]
        assert starts == sorted(set(starts))
        assert starts[-1] == len(text)
    sentences = [text[a:b] for a, b in zip([0, *segments.sentence_ends], segments.sentence_ends, strict=False)]
    assert "".join(sentences) == text
    assert segments.sentences == [sentence.rstrip(" \n") for sentence in sentences]
    assert all(segments.sentences)
    assert set(segments.block_ends.tolist()) <= set(segments.sentence_ends.tolist())
    words = [sum(map(is_word, block.split())) for block in segments.blocks]
    assert segments.words_in_blocks.tolist() == words
    summed = [0] * len(words)
    for index, count in zip(segments.block_of_sentence.tolist(), segments.words_in_sentences.tolist(), strict=True):
        summed[index] += count
    assert summed == words
    blocks_rebuilt = [""] * len(words)
    for index, sentence in zip(segments.block_of_sentence.tolist(), sentences, strict=True):
        blocks_rebuilt[index] += sentence
    assert [block.rstrip("\n") for block in blocks_rebuilt] == segments.blocks


TEXT = st.lists(
    st.one_of(
        st.sampled_from(list(" .!?\n\"')]”»。！？」…’-/&0aBéß中\u0301\u200b\u00a0\x1f\x85")),
        st.sampled_from(["Mr. ", "A. ", "x. Y", "\u0e01\u0e34", "a\u200db", "½", "①", "٣"]),
        st.text(max_size=3),
    ),
    max_size=30,
).map("".join)


@given(TEXT)
def test_any_text(text):
    segments = read_text_page(text)
    check(segments)
    assert segments.levels.tolist() == [0] * len(segments.blocks)
    assert segments.linked_words_in_blocks.tolist() == [0] * len(segments.blocks)
    # Nothing is lost but spaces, control characters and what `readable` removes.
    known = readable(text.encode("utf-8", "replace").decode())
    controls = dict.fromkeys([*range(32), 127])
    assert "".join(segments.text.split()) == "".join(known.translate(controls).split())


@given(TEXT, st.sampled_from(["en", "de", "zh"]))
def test_any_page_of_text(text, language):
    check(read_html(f"<title>t</title><p>{text}<p>x", PageOptions(language=language)))


@given(st.binary(max_size=200), st.sampled_from([None, "utf-8", "windows-1251", "shift_jis", "utf-16"]), st.booleans())
def test_any_bytes(content, charset, is_text):
    assume(not binary_kind(content, charset))
    segments, decoded = read_page(Page("x", content, charset=charset, is_text=is_text))
    check(segments)
    assert decoded.utf8.decode("utf-8").encode() == decoded.utf8


def test_real_pages(shared_data):
    for folder, step in (("dragnet-300", 15), ("cleaneval-dev", 6)):
        for path in sorted((shared_data / "cleaning" / folder / "input").iterdir())[::step]:
            check(read_html(path.read_bytes()))


def starts_of(text):
    plain = plain_text(text)
    return word_starts(plain, np.flatnonzero(plain.classes & SPACE)).tolist()


def test_letters_digits_and_marks_are_those_of_unicode():
    """Over all code points: what is kept, and that each counts as a word, is what its general category says."""
    characters = [
        chr(code)
        for code in range(0x80, sys.maxunicode + 1)
        # Of ideographs, of private use and unassigned there are a million: a few stand for them.
        if unicodedata.category(chr(code)) not in ("Lo", "Co", "Cn", "Cs")
        or (code % 97 == 0 and not 0xD800 <= code < 0xE000)
    ]
    plain = plain_text("".join(characters)).text
    assert len(plain) == len(characters)
    kept = {a for a, b in zip(characters, plain, strict=True) if a == b}
    assert kept == {character for character in characters if unicodedata.category(character)[0] in "LNM"}
    assert {b for a, b in zip(characters, plain, strict=True) if a != b} == {ODD, "'", *".!?"}
    spaced = " ".join(character for character in characters if not character.isspace())
    starts = set(starts_of(spaced))
    assert starts == {2 * index for index, character in enumerate(spaced[::2]) if character in kept}


def test_ascii_words():
    for code in range(33, 127):
        character = chr(code)
        assert starts_of(character) == ([0] if character.isalnum() else []), character
    assert starts_of("--- a-b (c) ' 1. ... it's\n& x") == [4, 8, 14, 21, 28]
    assert starts_of("") == []


def test_plain_text():
    text = "It’s “naïve” – 50 € … 中文。 e\u0301\u200b\u00b2"
    assert plain_text(text).text == f"It's {ODD}naïve{ODD} {ODD} 50 {ODD} . 中文{ODD} e\u0301{ODD}\u00b2"
    assert plain_text("plain; (text)\n").text == "plain; (text)\n"


def test_by_hand():
    segments = segment(ParsedText("Title\nOne two. Three!\nEnd", [7, 0, 2]))
    assert segments.block_ends.tolist() == [6, 22, 25]
    assert segments.sentence_ends.tolist() == [6, 15, 22, 25]
    assert segments.sentences == ["Title", "One two.", "Three!", "End"]
    assert segments.block_of_sentence.tolist() == [0, 1, 1, 2]
    assert segments.words_in_blocks.tolist() == [1, 3, 1]
    assert segments.words_in_sentences.tolist() == [1, 2, 1, 1]
    assert segments.is_heading.tolist() == [True, False, True]
    assert segments.title == "Title"


def test_linked_words():
    segments = read_html(
        "<p>see <a href=x>our big</a> shop<p><a>all</a><p>none<h2><a>x <b>y</b></a>, &amp; <a>&amp;</a></h2>"
    )
    assert segments.blocks == ["see our big shop", "all", "none", "x y, & &"]
    assert segments.linked_words_in_blocks.tolist() == [2, 1, 0, 2]
    segments = read_html("<p><a>one</a><a>word</a> <a>l</a>etter, <a>(</a>no<a>)</a>")
    assert segments.words_in_blocks.tolist() == [3]
    assert segments.linked_words_in_blocks.tolist() == [2]
    segments = read_html("<a>over<p>blocks</p>and<p>on</a>not")
    assert [*zip(segments.blocks, segments.linked_words_in_blocks.tolist(), strict=True)][:2] == [
        ("over", 1),
        ("blocks", 1),
    ]


@pytest.mark.parametrize("lines", ["a b\r\n  c\t d \u2028e\x85f", "\n\na b\n c d\ne\nf\n \n"])
def test_text_pages_without_blank_lines_between_have_a_block_a_line(lines):
    segments = read_page(Page("x", lines.encode(), is_text=True))[0]
    assert segments.blocks == ["a b", "c d", "e", "f"]


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        # NCleaner, LREC 2008, section 2: paragraph breaks are empty lines.
        ("First line of para\ncontinues here.\n\nSecond para.", ["First line of para continues here.", "Second para."]),
        ("a b\r\n\r\n  c\t d \u2028e\x85f", ["a b", "c d e f"]),
        ("a\n\x01\x1f\nb", ["a", "b"]),
        # Items of lists and headings begin blocks too.
        ("a\n\n* one\ngoes on\n* two\n   1. three\n# Head\nb", ["a", "* one goes on", "* two", "1. three", "Head b"]),
        ("\n \n", []),
    ],
)
def test_text_pages_are_cut_at_blank_lines(text, blocks):
    segments = read_page(Page("x", text.encode(), is_text=True))[0]
    assert segments.blocks == blocks
    check(segments)


def test_lines_of_text_are_blocks():
    assert read_text_page("a\n\nb\nc").blocks == ["a", "b", "c"]
    assert read_text_page("<b>a</b> &amp;").blocks == ["<b>a</b> &amp;"]


def test_without_tags_the_parts_are_the_same_and_little_is_held():
    html = "<h1>Rain</h1><ul><li>One. Two words.</ul><p>Three <a href=x>words more</a></p>"
    page = read_html(html, detail=Detail.ELEMENTS)
    assert len(page.elements.parents) > len(page.blocks)
    kept = page.without_tags()
    parts = "text block_ends levels sentence_ends words_in_sentences blocks sentences words_in_blocks".split()
    for name in parts:
        assert np.array_equal(getattr(kept, name), getattr(page, name)), name
    for name in ("marks", "elements"):
        with pytest.raises(RuntimeError, match="detail"):
            getattr(kept, name)
    assert not {"marks", "elements", "spaces", "word_starts"} & {*vars(page.without_tags())}

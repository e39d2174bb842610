"""One spelling of each word: what is removed, what stays since it means something, and what is composed."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher
from thresher.base.letters import readable, readable_html
from thresher.evaluation.evaluating import check_overlap, evaluate
from thresher.evaluation.topics import Topic
from thresher.pages import Detail, read_html, read_text_page

# Characters, and the word that is left of them.
WORDS = [
    *((f"Fähr{code}hafen", "Fährhafen") for code in "\u00ad\ufeff\u2060\u200b\u200c\u200d\u200e\u200f\u202a\u202e"),
    *((f"Fähr{code}hafen", "Fährhafen") for code in "\u2066\u2069\ufe0f\u034f\u180e\u061c\u2063\U000e0101"),
    # Letters and their marks.
    ("cafe\u0301", "caf\u00e9"),
    ("cafe\u00ad\u0301", "caf\u00e9"),
    ("\u1112\u1161\u11ab", "\ud55c"),
    ("\u212b", "\u00c5"),
    ("\u09a8\u09c7\u09be", "\u09a8\u09cb"),
    # Persian and Devanagari with joiners, and such joiners where no letter is before them.
    ("\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"),
    ("\u0915\u094d\u200d\u0937", "\u0915\u094d\u200d\u0937"),
    ("\u200c\u0645\u06cc\u200e", "\u0645\u06cc"),
    # Thai words with U+200B between them; a family, a heart and a flag.
    ("\u0e44\u0e17\u0e22\u200b\u0e44\u0e17\u0e22", "\u0e44\u0e17\u0e22\u200b\u0e44\u0e17\u0e22"),
    ("\U0001f468\u200d\U0001f469\u200d\U0001f467", "\U0001f468\u200d\U0001f469\u200d\U0001f467"),
    ("\u2764\ufe0f\u200d\U0001f525", "\u2764\ufe0f\u200d\U0001f525"),
    # Mongolian with its own selector.
    ("\u1820\u180b\u1828\u180e\u1820", "\u1820\u180b\u1828\u180e\u1820"),
    # Hangul's fillers, tags that hide a text, and those of a region's flag.
    ("har\u3164\uffa0\u115f\u1160bour", "harbour"),
    ("har\U000e0020\U000e0041bour", "harbour"),
    ("\U0001f3f4\U000e0067\U000e0062\U000e007f", "\U0001f3f4\U000e0067\U000e0062\U000e007f"),
    ("\u2764\U000e0067", "\u2764"),
    ("\u200b", ""),
    ("\u4e2d\u200b\u6587", "\u4e2d\u6587"),
]  # fmt: skip


@pytest.mark.parametrize(("word", "spelling"), WORDS)
def test_words_have_one_spelling_everywhere(word: str, spelling: str) -> None:
    references = "".join(f"&#{ord(character)};" for character in word)
    title = f"<title>Of {word} all</title><p>Of {word} all. <b>{references}</b>"
    expected = [f"Of {spelling} all", f"Of {spelling} all. {spelling}"]
    for detail in Detail:
        blocks = read_html(title, detail=detail).blocks
        assert [" ".join(block.split()) for block in blocks] == [" ".join(block.split()) for block in expected]
    assert readable(word) == spelling
    assert read_text_page(f"Of {word} all").text.split() == expected[0].split()
    assert Topic("1", word).query == spelling


@pytest.mark.parametrize(
    "reference", ["&shy;", "&shy", "&#173", "&#xAD;", "&#Xad", "&zwnj;", "&NoBreak;", "&#8203;", "&ZeroWidthSpace;"]
)
def test_references_by_name_and_number(reference: str) -> None:
    assert read_html(f"<p>Fähr{reference}hafen").text == "Fährhafen"


def test_tags_keep_their_spelling() -> None:
    page = '<p id="a\u00adb"><a href="/cafe\u0301?a=1&amp;shy=2">cafe\u0301</a> of a\u00adb a &lt; b>\u0338</p>'
    cleaned = thresher.clean_html(page, "none", as_html=True)
    assert 'id="a\u00adb"' in cleaned
    assert read_html(cleaned).text == "caf\u00e9 of ab a < b\u226f"
    assert readable_html(b"<p>a &amp; b</p>") == b"<p>a &amp; b</p>"


@given(st.text())
def test_a_spelling_is_stable_and_of_the_same_letters(text: str) -> None:
    spelling = readable(text)
    assert readable(spelling) == spelling
    assert unicodedata.is_normalized("NFC", spelling)
    plain = unicodedata.normalize("NFD", text)
    assert [c for c in unicodedata.normalize("NFD", spelling) if c.isalnum()] == [c for c in plain if c.isalnum()]


@pytest.mark.slow
def test_invisible_characters_are_those_of_unicode() -> None:
    """Default_Ignorable_Code_Point (UAX #44), by another implementation."""
    regex = pytest.importorskip("regex")
    ignorable = regex.compile(r"\p{Default_Ignorable_Code_Point}")
    surrogates = range(0xD800, 0xE000)
    characters = [chr(number) for number in range(0x110000) if number not in surrogates and chr(number) != "\n"]
    # Each stands between letters; lines do not touch each other.
    spelled = readable("".join(f"a{character}b\n" for character in characters)).split("\n")[:-1]
    for character, word in zip(characters, spelled, strict=True):
        assert (word == "ab") == (ignorable.match(character) is not None), hex(ord(character))


@pytest.mark.parametrize("judged", ["caf\u00e9", "cafe\u0301"])
@pytest.mark.parametrize("retrieved", ["caf\u00e9", "cafe\u0301"])
def test_judged_ids_are_matched_in_either_form(judged: str, retrieved: str) -> None:
    run = {"1": {retrieved: 2.0, "x": 1.0}}
    assert evaluate({"1": {judged: 1}}, run, ["P@1"], ["1"]) == {"P@1": {"1": 1.0}}
    check_overlap(run, {"1": {judged: 1}}, ["1"])
    # Both are judged: each is itself.
    both = {"caf\u00e9": 0, "cafe\u0301": 1}
    assert evaluate({"1": both}, run, ["P@1"], ["1"]) == {"P@1": {"1": float(both[retrieved])}}

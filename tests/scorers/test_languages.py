"""The language of a text: of paragraphs in many scripts, of the stop lists themselves, and by the definition."""

from __future__ import annotations

import math
import re
import unicodedata

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from many_languages import PARAGRAPHS

from thresher.scorers.languages import UNKNOWN, language_of, languages, main_script, ranked_words, spoken


def test_paragraphs() -> None:
    for language, text in PARAGRAPHS.items():
        assert language_of(text) == language
        # Less than half of it will do, and menus in English do not matter.
        assert language_of(text[: len(text) // 2]) == language
        assert language_of(f"Home\nAbout us\nContact\n{text}\nCopyright 2020") == language
        # Later text does not count.
        assert language_of(text + " " * 5000 + 9 * PARAGRAPHS["English"]) == language


def test_a_lists_most_frequent_words_are_its_languages() -> None:
    found = {language: language_of(" ".join(ranked_words(language)[:150])) for language in languages()}
    assert found == {language: spoken(language) for language in languages()}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "-- 12 %",
        "Xyzzy plugh frobozz",
        "The and of",
        "Barclay Boothroyd, Ottoline Quayle, Jocelyn Trelawney, Percival Fotheringay-Phipps, Algernon Wooster",
        "naïve façade " * 30,
    ],
)
def test_too_few_stop_words_are_of_no_known_language(text: str) -> None:
    assert language_of(text) == UNKNOWN


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("Ελληνικά and Latin letters", "Latin"),
        ("漢字、漢字。 abc", "Cjk"),
        ("漢字漢字漢字漢字漢字 の", "Cjk"),
        ("漢字漢字漢字 の", "Hiragana"),
        ("\u0663\u0664 12", ""),
    ],
)
def test_scripts(text: str, script: str) -> None:
    assert main_script(text) == script


def test_wide_and_narrow_letters_are_letters() -> None:
    assert language_of("ﾆﾎﾝｺﾞ") == "Japanese"
    wide = "".join(chr(ord(sign) + 0xFEE0) if sign.isalpha() else sign for sign in PARAGRAPHS["English"])
    assert language_of(wide) == "English"


EDGES = re.compile(r"^[\W\d_]+|[\W\d_]+$")


def ranks(language: str) -> dict[str, int]:
    """The ranks of the thousand most frequent words of a list."""
    frequent = unicodedata.normalize("NFKC", " ".join(ranked_words(language)[:1000])).lower().split()
    bare = [EDGES.sub("", word) for word in frequent]
    return {word: rank for rank, word in enumerate(dict.fromkeys(word for word in bare if len(word) > 1), start=1)}


LATIN = {
    language: ranks(language)
    for language in languages()
    if spoken(language) == language and unicodedata.name(ranked_words(language)[0][0]).startswith("LATIN")
}
OWN = [language for language in LATIN if len(LATIN[language]) > 200]


@given(st.sampled_from(OWN), st.data())
def test_the_list_that_explains_the_words_best_wins(language: str, data: st.DataObject) -> None:
    """By Zipf's law, the words of which list are the most probable? English, unless it is clearly worse."""
    words = data.draw(st.lists(st.sampled_from(list(LATIN[language])[:150]), min_size=30, max_size=30))
    others = data.draw(st.lists(st.sampled_from(["and", "de", "la", "a1b", "Zürich", "is", "den", "3"]), max_size=10))
    text = words + others
    assume(len(set(words)) > 5)
    gains = {
        language: sum(math.log(50_000 / known[word]) for word in map(str.lower, text) if word in known)
        for language, known in LATIN.items()
    }
    best = max(gains, key=lambda language: (gains[language], language))
    assume(abs(gains["English"] / gains[best] - 0.85) > 1e-9)
    assume(sorted(gains.values())[-2] < gains[best] - 1e-6)
    assert language_of(" ".join(text)) == ("English" if gains["English"] > 0.85 * gains[best] else best)


@given(st.text())
def test_any_text_has_an_answer_that_case_and_signs_do_not_change(text: str) -> None:
    result = language_of(text)
    assert result
    assert language_of("".join(f"-{word}! " for word in text.split()) if len(text) < 100 else text) == result

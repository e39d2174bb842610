"""The language of a text, of paragraphs in many scripts; and the names of stop lists."""

from __future__ import annotations

import pytest
from many_languages import PARAGRAPHS

from thresher.cleaners.cleaner import parse_cleaner
from thresher.cleaners.languages import BY_CODE, UNKNOWN, UNSPACED, language_of, languages, stop_list


def test_paragraphs() -> None:
    for language, text in PARAGRAPHS.items():
        assert language_of(text) == language
        # Less than half of it will do, and menus in English do not matter.
        assert language_of(text[: len(text) // 2]) == language
        assert language_of(f"Home\nAbout us\nContact\n{text}\nCopyright 2020") == language
        # Later text does not count.
        assert language_of(text + " " * 2000 + 9 * PARAGRAPHS["English"]) == language


@pytest.mark.parametrize("text", ["", "-- 12 %", "Xyzzy plugh frobozz", "Home News Contact"])
def test_a_few_words_are_of_no_known_language(text: str) -> None:
    assert language_of(text) == UNKNOWN


def test_names_are_those_of_stop_lists() -> None:
    without = {name for name in BY_CODE.values() if name not in languages()}
    assert without == {"Amharic", *UNSPACED} - {"Tibetan"}
    assert len({*BY_CODE.values()}) == len(BY_CODE) > 80
    own = (parse_cleaner(f"justext(lang={lang})").scorers[0] for lang in ("Simple_English", "Russian"))
    assert [scorer.language for scorer in own] == ["English", "Russian"]
    assert {"the", "of"} <= stop_list("English")
    assert all(word == word.strip().lower() for language in languages() for word in stop_list(language))

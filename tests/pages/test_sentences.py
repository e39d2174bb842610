"""Sentence boundaries, by hand: what ends one and what only looks as if it did."""

import pytest
from messages import assert_names

from thresher.base.errors import ConfigError
from thresher.pages import PageOptions, read_text_page
from thresher.pages.plain import plain_text
from thresher.pages.segments import ABBREVIATIONS, LANGUAGES, sentence_breaks


def split(text: str, language: str = "en") -> list[str]:
    return read_text_page(text, PageOptions(language=language)).sentences


@pytest.mark.parametrize("language", ["", "xx", "EN", "english", "en-GB"])
def test_what_is_no_code_of_a_language(language: str) -> None:
    with pytest.raises(ConfigError) as caught:
        PageOptions(language=language)
    assert_names(caught.value, "language: ", repr(language), "Fix: use en, de, es, fr")


def test_languages_without_abbreviations_have_codes_too() -> None:
    assert split("It ended. Dr. Who came.", "it") == ["It ended.", "Dr.", "Who came."]
    assert (len(LANGUAGES), {len(code) for code in LANGUAGES}) == (183, {2})


@pytest.mark.parametrize(
    "sentences",
    [
        ["This is one.", "And this another!", "Is this?", "Yes."],
        ["It ended.", "“Really?”", "‘Yes.’", "(No.)", "[Maybe!]", "'Well.'", "Done."],
        ["He said “no.”", "Then he left."],
        ["What?!", "Nothing...", "Or so…", "Fine."],
        ["In 1999.", "2000 was next.", "3.5 is 7/2.", "$5.", "€5."],
        ["It costs 5 p.m. and a.m. times."],
        ["Dr. Who met Mr. and Mrs. Smith vs. St. John on Jan. 5, see Fig. 3 on pp. 4."],
        ["J. R. R. Tolkien wrote.", "C. S. Lewis too."],
        ["I and D.", "2 letters."],
        ["The U.S. Navy of the U.K. Government i.e. Both e.g. These."],
        ["We saw www.example.com. it went on e.g. that way."],
        ["The end. then lower case goes on."],
        ["It is version 2.0.1 of node.js!"],
        ["Über alles.", "Élan vital.", "Ça va?", "Øre."],
        ["Это предложение.", "И это тоже!", "да?", "нет."],
        ["Mr. “A” left."],
        ["Yes.", "— Nay.", "• Item."],
        ["wait.Then none"],
        ["One."],
        ["."],
        ["..."],
        ["x"],
    ],
)
def test_english(sentences):
    assert split(" ".join(sentences)) == sentences


@pytest.mark.parametrize(
    ("language", "text", "sentences"),
    [
        (
            "ja",
            "雨が降る。風も強い！明日は？「晴れ。」と言う。",
            ["雨が降る。", "風も強い！", "明日は？", "「晴れ。」", "と言う。"],
        ),
        ("th", "ฝนตกหนักมาก ลมแรงด้วย\nพรุ่งนี้อากาศดี", ["ฝนตกหนักมาก ลมแรงด้วย", "พรุ่งนี้อากาศดี"]),
    ],
)
def test_japanese_has_stops_and_thai_has_none(language: str, text: str, sentences: list[str]) -> None:
    assert split(text, language) == sentences


def test_a_block_ends_a_sentence():
    assert split("One\ntwo.\nthree, Mr.\nFour") == ["One", "two.", "three, Mr.", "Four"]
    assert split("") == []


@pytest.mark.parametrize(
    ("language", "sentences"),
    [
        ("de", ["Das gilt z.B. Hier, d.h. Immer, vgl. Kap. 3 und Nr. 5 bzw. Abs. 2.", "Ende."]),
        ("es", ["El Sr. García y la Sra. López viven en EE.UU. Hoy.", "¿Dónde?", "¡Aquí!"]),
        ("fr", ["M. Dupont et Mme. Durand, éd. Gallimard, p. 5.", "Fin."]),
        ("it", ["Mr.", "Smith."]),
        ("de", ["Mr.", "Smith."]),
        ("en", ["Das gilt z.B.", "Hier."]),
    ],
)
def test_abbreviations_are_of_a_language(language, sentences):
    assert split(" ".join(sentences), language) == sentences


def test_initials_need_a_letter_after_them():
    assert split("Plan A. Then B. 2 more. J. Smith. I. e. x") == ["Plan A. Then B.", "2 more.", "J. Smith.", "I. e. x"]


@pytest.mark.parametrize(
    "sentences",
    [
        ["这是一句话。", "这是另一句！", "真的吗？", "完"],
        ["「はい。」", "彼は言った。", "終わり"],
        ["他说：“好。”", "然后走了。"],
        ["什么？！", "没有。。", "完了。"],
        ["Mixed 中文。", "English here.", "再见。", "Bye"],
        ["ｱﾘｶﾞﾄ｡", "ﾊｲ"],
    ],
)
def test_stops_of_scripts_without_spaces(sentences):
    # English needs its space; the others may have one.
    text = "".join(sentence + (" " if sentence.endswith(".") else "") for sentence in sentences)
    assert split(text) == sentences
    assert split(" ".join(sentences)) == sentences


@pytest.mark.parametrize("stops", [".。 ", ".！ ", "!？ ", ".”。 ", "?」 ", "。 ", "。」 "])
def test_stops_of_both_kinds_end_one_sentence(stops):
    text = f"中{stops}X"
    assert sentence_breaks(text, plain_text(text)) == [len(text) - 1]


def test_breaks_are_where_the_next_sentence_begins():
    text = "One. 二。三 Four! Five"
    breaks = sentence_breaks(text, plain_text(text))
    assert breaks == sorted(breaks)
    assert [text[at:] for at in breaks] == ["二。三 Four! Five", "三 Four! Five", "Five"]


def test_abbreviations_are_spelled_as_they_are_looked_up():
    for words in ABBREVIATIONS.values():
        for word in words:
            assert word == word.lower() == plain_text(word).text
            assert not word.endswith(".")
    assert sorted(ABBREVIATIONS) == ["de", "en", "es", "fr"]
    for language, words in ABBREVIATIONS.items():
        for word in words:
            assert split(f"see {word}. Next", language) == [f"see {word}. Next"]
            assert split(f"({word.title()}. Next", language) == [f"({word.title()}. Next"]


@pytest.mark.slow
def test_one_long_block_takes_no_longer_than_many_short_ones():
    """Looking back to the beginning of the text for each of that many full stops would take minutes."""
    assert len(split("A. b! " * 200_000)) == 200_000
    assert len(split("No way. So " * 200_000)) == 200_001


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("यह एक है। यह दो है।", ["यह एक है।", "यह दो है।"]),
        ("هل هذا واحد؟ هذا اثنان.", ["هل هذا واحد؟", "هذا اثنان."]),
        ("یہ ایک ہے۔ یہ دو ہے۔", ["یہ ایک ہے۔", "یہ دو ہے۔"]),
        ("ይህ አንድ ነው። ይህ ሁለት ነው።", ["ይህ አንድ ነው።", "ይህ ሁለት ነው።"]),
    ],
)
def test_stops_of_other_scripts(text: str, expected: list[str]) -> None:
    assert read_text_page(text).sentences == expected

"""The rules of tokenisers in plain words: regular expressions or a walk over the characters, one sentence at a time."""

import re
import unicodedata

# What the plain form of a text turns into ASCII.
PLAIN = str.maketrans({"’": "'", "…": ".", "।": ".", "॥": ".", "\u1362": ".", "۔": ".", "؟": "?", "՜": "!", "՞": "?"})
CONTROLS = str.maketrans(dict.fromkeys([*range(31), 127], " ") | {31: None})


def pyplexity(sentence: str) -> list[str]:
    """The regular expressions of PyPlexity's tokeniser on what its remover of tags leaves of a sentence."""
    text = sentence.translate(PLAIN).translate(CONTROLS).encode("ascii", "ignore").decode().lower().strip()
    for pattern, replacement in (
        (r"([,;:])", r" \1"),
        (r"\. [\w]*", " . "),
        (r"\.$", " ."),
        (r"([()])", r" \1 "),
        (r"\"[ ]*", '" '),
        (r"[ ]*\"", ' "'),
        (r"([<>='`?!])", r" \1 "),
        (r"\s+", " "),
    ):
        text = re.sub(pattern, replacement, text)
    return text.split()


SCRIPTS = (
    "CJK UNIFIED",
    "CJK COMPAT",
    "HIRAGANA",
    "KATAKANA",
    "THAI",
    "LAO",
    "KHMER",
    "MYANMAR",
    "BOPOMOFO",
    "IDEOGRAPHIC",
    "YI SYLLABLE",
    "TAI LE",
    "NEW TAI LUE",
    "TAI THAM",
    "TAI VIET",
    "AHOM",
)


def is_alone(character: str) -> bool:
    """Whether a character is a letter of a script without spaces, by its name."""
    name = unicodedata.name(character, "").removeprefix("HALFWIDTH ")
    return name.startswith(SCRIPTS) and unicodedata.category(character) in ("Lo", "Lm", "Nl")


def characters(sentence: str) -> list[str]:
    """A walk over the characters: runs as in `words`, cut before and after each letter that stands alone."""
    tokens: list[str] = []
    joins, alone = False, False
    for character in sentence.replace("’", "'").replace("İ", "I").lower():
        category = unicodedata.category(character)
        if character != "'" and category[0] not in "LNM" and not character.isalnum():
            joins = alone = False
            continue
        if category[0] == "M":
            starts, alone = not joins, alone and joins
        else:
            starts, alone = not joins or alone or is_alone(character), is_alone(character)
        if starts:
            tokens.append("")
        tokens[-1] += character
        joins = True
    return tokens

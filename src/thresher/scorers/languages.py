"""The language of a text, by its script and its stop words; and stop lists, from the files of the `justext` package.

The script with the most letters comes first. If the stop lists have one language of it, that is the text's; if none, the
script names it. Otherwise the list that explains the words best does: naive Bayes under Zipf's law (Zipf, Human Behavior and
the Principle of Least Effort, 1949), by which a word of rank r in a vocabulary of V has a probability in proportion to 1/r.
A word in a list adds ln(V/r); a word in none has the last rank and adds nothing. The lists are in the order of frequency.
Most of them hold some words of English, so a list must explain the words clearly better than that of English.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from itertools import islice
from math import log
from pathlib import Path

from thresher.errors import InputError, MissingDependencyError
from thresher.files import user_error

UNKNOWN = "unknown"
UNSPACED = frozenset(("Burmese", "Chinese", "Japanese", "Khmer", "Lao", "Thai", "Tibetan"))
"""Languages that put no spaces between words."""
BY_CODE = {"de": "German", "en": "English", "es": "Spanish", "fr": "French"}
"""The names of languages that models and pages name by their codes."""
_NAMES = {"Cjk": "Chinese", "Hiragana": "Japanese", "Katakana": "Japanese", "Myanmar": "Burmese"}
# The same language in other words or spelling.
_VARIANTS = {"Simple_English": "English", "Belarusian_Taraskievica": "Belarusian"}
_SAMPLE = 5_000
_MOST_WORDS = 1000
# So many words of a list show its script.
_OF_ITS_SCRIPT = 50
_VOCABULARY = 50_000
_KANA_OF_JAPANESE = 0.1
# At least a fifth of the words, and five different ones, must be stop words.
_LEAST_SHARE, _FEWEST_WORDS = 0.2, 5
_ENGLISH, _NEARLY = "English", 0.85


@cache
def languages() -> tuple[str, ...]:
    """Return the languages with stop lists, such as `English`, in alphabetical order."""
    return tuple(sorted(path.stem for path in _folder().glob("*.txt")))


@cache
def stop_list(language: str) -> frozenset[str]:
    """Return the stop words of a language, in lower case."""
    return frozenset(map(str.lower, ranked_words(language)))


@cache
def ranked_words(language: str, most: int | None = None) -> tuple[str, ...]:
    """Return the stop words of a language, or the `most` frequent ones, the most frequent first, as the list spells them."""
    text = (_folder() / f"{language}.txt").read_text(encoding="utf-8")
    return tuple(islice((word for line in text.splitlines() if (word := line.strip())), most))


def own_stop_list(path: Path) -> frozenset[str]:
    """Return the words of a file, one a line, in lower case."""
    try:
        words = frozenset(map(str.lower, path.read_text(encoding="utf-8-sig").split()))
    except UnicodeDecodeError as error:
        raise InputError("it is not UTF-8", "write it as UTF-8, one word per line", str(path)) from error
    except OSError as error:
        raise user_error(error, path) from error
    if not words:
        raise InputError("it holds no words", "write stop words into it, one per line", str(path))
    return words


def _folder() -> Path:
    # Located without importing the package, which would load its cleaner.
    spec = find_spec("justext")
    if spec is None or not spec.submodule_search_locations:
        raise MissingDependencyError("justext, whose stop lists are used, is not installed", "pip install justext")
    return Path(spec.submodule_search_locations[0]) / "stoplists"


def language_of(text: str) -> str:
    """Return the language of a text, as stop lists are named (`English`), or by its script if no list is in it (`Ethiopic`).

    Texts of which too few words are stop words, in a script of several languages, are `UNKNOWN`, and so are texts without
    letters. Only the first 5,000 characters are looked at.
    """
    sample = unicodedata.normalize("NFKC", text[:_SAMPLE])
    script = main_script(sample)
    known = _languages_by_script().get(script, ())
    if len(known) < 2:
        return known[0] if known else _NAMES.get(script, script) or UNKNOWN
    words = Counter(_words(sample))
    explained: dict[str, float] = {}
    covered: Counter[str] = Counter()
    different: Counter[str] = Counter()
    gains = _gains(script)
    for word, times in words.items():
        for language, gain in gains.get(word, ()):
            explained[language] = explained.get(language, 0.0) + times * gain
            covered[language] += times
            different[language] += 1
    if not explained:
        return UNKNOWN
    chosen = max(explained, key=lambda language: (explained[language], language))
    if explained.get(_ENGLISH, 0.0) >= _NEARLY * explained[chosen]:
        chosen = _ENGLISH
    enough = covered[chosen] >= _LEAST_SHARE * words.total() and different[chosen] >= _FEWEST_WORDS
    return chosen if enough else UNKNOWN


def spoken(stop_list: str) -> str:
    """Return the language of a stop list, as `language_of` names it: two lists may be of one language."""
    return _VARIANTS.get(stop_list, stop_list)


def main_script(text: str) -> str:
    """Return the script of most of a text's letters, as Unicode names begin, or an empty text if there are no letters.

    Chinese characters among kana are Japanese.

    >>> main_script("Hello, мир!"), main_script("漢字とカナ"), main_script("123")
    ('Latin', 'Hiragana', '')
    """
    letters: Counter[str] = Counter()
    for character, times in Counter(text).items():
        if character.isalpha():
            letters[_script(character)] += times
    kana = letters.pop("Hiragana", 0) + letters.pop("Katakana", 0)
    if kana > _KANA_OF_JAPANESE * letters["Cjk"]:
        letters["Hiragana"] = kana + letters.pop("Cjk", 0)
    return max(letters, key=lambda script: (letters[script], script)) if letters.total() else ""


@cache
def _script(character: str) -> str:
    return unicodedata.name(character, "").partition(" ")[0].partition("-")[0].capitalize()


def _words(text: str) -> Iterator[str]:
    """Yield white-space tokens in lower case without punctuation and digits at their ends, if two characters are left."""
    for token in text.lower().split():
        if token.isalpha():
            if len(token) > 1:
                yield token
            continue
        first, after = 0, len(token)
        while first < after and not token[first].isalpha():
            first += 1
        while after > first and unicodedata.category(token[after - 1])[0] not in "LM":
            after -= 1
        if after - first > 1:
            yield token[first:after]


def _frequent(language: str, most: int = _MOST_WORDS) -> str:
    return unicodedata.normalize("NFKC", " ".join(ranked_words(language, most)))


@cache
def _languages_by_script() -> Mapping[str, Sequence[str]]:
    by_script: dict[str, list[str]] = {}
    for language in languages():
        if language not in _VARIANTS:
            by_script.setdefault(main_script(_frequent(language, _OF_ITS_SCRIPT)), []).append(language)
    return by_script


@cache
def _gains(script: str) -> Mapping[str, Sequence[tuple[str, float]]]:
    """Return by word the lists of a script that hold it, with what it adds there."""
    gains: dict[str, list[tuple[str, float]]] = {}
    for language in _languages_by_script()[script]:
        for rank, word in enumerate(dict.fromkeys(_words(_frequent(language))), start=1):
            gains.setdefault(word, []).append((language, log(_VOCABULARY / rank)))
    return gains

"""The language of a text, by langid's n-grams; and stop lists, from the files of the `justext` package."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from thresher.base.errors import InputError, MissingDependencyError
from thresher.base.files import user_error

UNKNOWN = "unknown"
UNSPACED = frozenset(("Burmese", "Chinese", "Japanese", "Khmer", "Lao", "Thai", "Tibetan"))
"""Languages that put no spaces between words."""
BY_CODE = dict(
    name.split("=")
    for name in (
        "af=Afrikaans am=Amharic an=Aragonese ar=Arabic az=Azerbaijani be=Belarusian bg=Bulgarian bn=Bengali "
        "br=Breton bs=Bosnian ca=Catalan cs=Czech cy=Welsh da=Danish de=German el=Greek en=English eo=Esperanto "
        "es=Spanish et=Estonian eu=Basque fa=Persian fi=Finnish fr=French fy=West_Frisian ga=Irish gl=Galician "
        "gu=Gujarati he=Hebrew hi=Hindi hr=Croatian ht=Haitian hu=Hungarian hy=Armenian id=Indonesian ig=Igbo "
        "is=Icelandic it=Italian ja=Japanese jv=Javanese ka=Georgian kk=Kazakh km=Khmer kn=Kannada ko=Korean "
        "ku=Kurdish ky=Kyrgyz la=Latin lb=Luxembourgish lo=Lao lt=Lithuanian lv=Latvian mk=Macedonian ml=Malayalam "
        "mr=Marathi ms=Malay mt=Maltese my=Burmese ne=Nepali nl=Dutch nn=Norwegian_Nynorsk no=Norwegian_Bokmal "
        "oc=Occitan pl=Polish pt=Portuguese qu=Quechua ro=Romanian ru=Russian sk=Slovak sl=Slovenian sq=Albanian "
        "sr=Serbian sv=Swedish sw=Swahili ta=Tamil te=Telugu th=Thai tk=Turkmen tl=Tagalog tr=Turkish uk=Ukrainian "
        "ur=Urdu uz=Uzbek vi=Vietnamese vo=Volapuk wa=Walloon yo=Yoruba zh=Chinese"
    ).split()
)
"""Names of languages by their codes; if a language has a stop list, its name is the name of the list."""
# Stop lists of a language's variant, and that language.
VARIANTS = {"Simple_English": "English", "Belarusian_Taraskievica": "Belarusian"}
# The characters of a text that its language is guessed by; more would only take longer.
_SAMPLE = 2000
# The least probability of a known language. Names, numbers and a few words have less.
_LEAST = 0.5


@cache
def languages() -> tuple[str, ...]:
    """Return the languages with stop lists, such as `English`, in alphabetical order."""
    return tuple(sorted(path.stem for path in _folder().glob("*.txt")))


@cache
def stop_list(language: str) -> frozenset[str]:
    """Return the stop words of a language, in lower case."""
    text = (_folder() / f"{language}.txt").read_text(encoding="utf-8")
    words = (line.strip().lower() for line in text.splitlines())
    return frozenset(filter(None, words))


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


@cache
def _identifier() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)


def recognised() -> list[str]:
    """Return the codes of ISO 639-1 that `code_of` may return."""
    codes: list[str] = []
    for code in _identifier().nb_classes:
        if len(code) == 2:
            codes.append(str(code))
    return sorted(codes)


class LikelyLanguage(NamedTuple):
    """The ISO 639 code of a language, and its probability."""

    code: str
    probability: float


def code_of(text: str) -> LikelyLanguage:
    """Return the language of a text by langid's n-grams (Lui and Baldwin, ACL 2012)."""
    code, probability = _identifier().classify(text[:_SAMPLE])
    return LikelyLanguage(str(code), round(float(probability), 4))


def language_of(text: str) -> str:
    """Return the language of a text, as stop lists are named (`English`), or its code; `UNKNOWN` if it is not even likely."""
    code, probability = code_of(text)
    if probability < _LEAST:
        return UNKNOWN
    return BY_CODE.get(code, code)

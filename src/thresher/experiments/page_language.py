"""The language of a collection's pages, for a first experiment file: its settings there, and the cleaners that support it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from typing import NamedTuple

from thresher.base.defaults import DEFAULT_FAMILIES, DEFAULT_INDEX, INDEX_LANGUAGES, LANGUAGE, WEIGHTED
from thresher.base.errors import ThresherError
from thresher.cleaners.cleaner import Cleaner, parse_cleaner, parse_scorer
from thresher.cleaners.languages import BY_CODE, code_of, languages
from thresher.collections import Source
from thresher.pages import read_page
from thresher.pages.segments import LANGUAGES

_LEAST = 0.5
"""The share of the pages that a language must have, and the probability of a page's language."""
_MOST_BYTES = 1 << 20
"""Larger pages are skipped."""
# Terms of the analysers of Japanese and Thai depend on neighbouring words, so that nothing can be pruned.
_INDEX_LANGUAGES = {"ja": "cjk", "th": "", "nb": "no", "nn": "no"}
_CLEANERS = (WEIGHTED, DEFAULT_INDEX, "justext", "boilerpipe(rules=words)", "bte")
_MOST_CLEANERS = 4


class SuggestedSweep(NamedTuple):
    """A scorer to sweep, and its cutoffs."""

    scorer: str
    cutoffs: tuple[float, ...]


_SWEEPS = (
    SuggestedSweep("content(headings=keep)", (0.1, 0.3, 0.5, 0.7)),
    SuggestedSweep("words", (3, 5, 11, 20)),
)


def language_of_pages(pages: Iterable[Source]) -> str:
    """Return the ISO 639-1 code of the language that most of the pages are in; English if no language has the majority."""
    counts: Counter[str] = Counter()
    for source in pages:
        if source.size > _MOST_BYTES:
            continue
        with suppress(ThresherError):
            code, probability = code_of(read_page(source.page())[0].text)
            if probability >= _LEAST:
                counts[code] += 1
    for code, count in counts.most_common(1):
        if count > _LEAST * counts.total() and code in LANGUAGES:
            return code
    return LANGUAGE


def language_tables(code: str) -> str:
    """Return the tables of an experiment file that name a language; empty for English."""
    if code == LANGUAGE:
        return ""
    tables = f'[pages]\nlanguage = "{code}"\n\n'
    index = index_language(code)
    if index:
        tables += f'[index]\nlanguage = "{index}"\n\n'
    return tables


def index_language(code: str) -> str:
    """Return the language for the analysis of an index that is explored and pruned; empty if Anserini has none."""
    index = _INDEX_LANGUAGES.get(code, code)
    return index if index in INDEX_LANGUAGES else ""


def sweeps_for(code: str) -> list[SuggestedSweep]:
    """Return the sweeps of scorers that know the language."""
    sweeps: list[SuggestedSweep] = []
    for sweep in _SWEEPS:
        if parse_scorer(sweep.scorer).scorer.knows(_name(code)):
            sweeps.append(sweep)
    return sweeps


def cleaners_for(code: str) -> list[str]:
    """Return cleaners without cutoffs that know the language; the first two are the text and the index to begin with."""
    names = []
    for name in _CLEANERS:
        in_language = name
        if name == "justext" and code != LANGUAGE and _name(code) in languages():
            in_language = f"justext(lang={_name(code)})"
        if _knows(parse_cleaner(in_language.partition("|")[0]), code):
            names.append(in_language)
    return names[:_MOST_CLEANERS]


def families_for(code: str) -> list[str]:
    """Return the families that `thresher choose` tests, without the families whose scorers do not know the language."""
    families = []
    for family in DEFAULT_FAMILIES:
        cleaner = family.partition("|")[0]
        if _knows(parse_cleaner(cleaner), code):
            families.append(family)
    return families


def _knows(cleaner: Cleaner, code: str) -> bool:
    return all(scorer.knows(_name(code)) for scorer in cleaner.scorers)


def _name(code: str) -> str:
    """Return a language as stop lists and scorers name it."""
    return BY_CODE.get(code, code)

"""Sentence boundaries by rules.

A sentence ends at `.`, `!`, `?` or `…` (with closing quotes or brackets) before a space and anything but a lower-case
Latin letter, unless the full stop belongs to an abbreviation or an initial; and after a full stop of a script that
writes no spaces. A block's end always ends a sentence.
"""

from __future__ import annotations

import re

import numpy as np

from thresher.pages.plain import CLOSER, LOWER, ODD, SPACE, STOP, PlainText

# In plain text, where typographic quotes are `ODD` and an ellipsis is a full stop.
_PLAIN_CLOSERS, _PLAIN_OPENERS = "\"')]" + ODD, "\"'([" + ODD
# In the text itself: stops that need no space after them.
_STOPS, _CLOSERS = "。！？｡", "\"')\\]’”»」』）"
_UNSPACED = re.compile(rf"[{_STOPS}][{_CLOSERS}]* ?(?=[^ \n{_CLOSERS}{_STOPS}])")

# Abbreviations that occur in running text before a capital or a digit; their full stop ends no sentence.
ABBREVIATIONS: dict[str, frozenset[str]] = {
    "en": frozenset(
        (
            "adm al approx appt apt art assn aug ave bldg blvd bros brig capt cf ch cmdr co col comdr corp cpl"
            " dec dept dist dr ed eds e.g eq eqs est etc ex feb fig figs fr ft gen gov hon i.e inc jan jr jul jun"
            " lt ltd maj mar messrs mr mrs ms msgr mt mts no nos nov oct op p.m a.m pp pres prof pt pub rep reps"
            " rev sen sens sep sept sgt sr st ste tel u.k u.n u.s univ v vol vols vs viz"
        ).split()
    ),
    "de": frozenset(
        (
            "abb abs art bd bzw ca d.h dr evtl f ff fr geb ggf hrsg i.d.r inkl jh kap nr o.ä prof s s.o s.u sog"
            " st std str tel u.a usw v.a vgl z.b z.t zzgl"
        ).split()
    ),
    "es": frozenset(
        ("art avda cap cía d da dr dra ee.uu etc fig núm pág págs p.ej prof prov sr sra srta sto tel ud uds").split()
    ),
    "fr": frozenset(
        ("art av bd cf chap dr éd env etc ex fig m mlle mm mme mr no p pp p.ex prof s st ste tél vol").split()
    ),
}

LANGUAGES = frozenset(
    (
        "aa ab ae af ak am an ar as av ay az ba be bg bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en eo es"
        " et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jv ka kg"
        " ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl"
        " nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv"
        " sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu"
    ).split()
)
"""The codes of languages, ISO 639-1."""


def sentence_breaks(text: str, plain: PlainText, language: str = "en") -> list[int]:
    """Return the offsets in `text`, ascending, at which a sentence within a block follows another.

    Args:
        text: blocks joined by line feeds, words by single spaces.
        plain: its plain form.
        language: a key of `ABBREVIATIONS`; other languages are split without abbreviations.
    """
    known = ABBREVIATIONS.get(language, frozenset())
    breaks = [at + 2 for at in _stops_before_spaces(plain) if not _ends_no_sentence(plain.text, at, known)]
    if plain.text is not text and any(stop in text for stop in _STOPS):
        breaks = sorted({*breaks, *(match.end() for match in _UNSPACED.finditer(text))})
    return breaks


def _stops_before_spaces(plain: PlainText) -> list[int]:
    """Return the offsets of stops and closers before a space and no lower-case Latin letter."""
    classes = plain.classes
    ends = (classes[:-2] & (STOP | CLOSER) > 0) & (classes[1:-1] == SPACE) & (classes[2:] & LOWER == 0)
    offsets: list[int] = np.flatnonzero(ends).tolist()
    return offsets


def _ends_no_sentence(plain: str, at: int, known: frozenset[str]) -> bool:
    """Return whether the stop or closer at `at` belongs to an abbreviation or initial, or follows no stop."""
    if plain[at] != ".":
        while plain[at] in _PLAIN_CLOSERS and at > 0:
            at -= 1
        return plain[at] not in ".!?"
    # Search this word only: a page of one long block would make the search quadratic.
    before = plain.rfind(" ", 0, at) + 1
    before = max(before, plain.rfind("\n", before, at) + 1)
    word = plain[before:at].lstrip(_PLAIN_OPENERS)
    is_initial = len(word) == 1 and word.isupper() and plain[at + 2].isalpha()
    return is_initial or word.lower() in known

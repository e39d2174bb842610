"""Sentence boundaries by rule, with no model and no download.

A sentence ends at `.`, `!`, `?` or `…` (with closing quotes or brackets) before a space and anything but a lower-case
Latin letter, unless the full stop belongs to an abbreviation or an initial; and after a full stop of a script that
writes no spaces. A block's end always ends a sentence.
"""

from __future__ import annotations

import re

# In plain text (see `thresher.pages.segments.plain_text`), where typographic quotes are `\\x1f` and an ellipsis is `.`.
_SPACED = re.compile(r"[.!?][\"')\]\x1f]* (?=[^a-z])")
# In the text itself. After these stops no space need follow.
_STOPS, _CLOSERS = "。！？｡", "\"')\\]’”»」』）"
_UNSPACED = re.compile(rf"[{_STOPS}][{_CLOSERS}]* ?(?=[^ \n{_CLOSERS}{_STOPS}])")

# Words after which a full stop ends no sentence, as they stand in running text before a capital or a digit.
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


def sentence_breaks(text: str, plain: str, language: str = "en") -> list[int]:
    """Return where sentences end inside blocks: the offsets in `text` at which the next sentence begins.

    Args:
        text: blocks joined by line feeds, words by single spaces. The ends of blocks are not among the breaks.
        plain: the text as `thresher.pages.segments.plain_text` gives it.
        language: whose abbreviations to know: a key of `ABBREVIATIONS`; any other language is split without.
    """
    known = ABBREVIATIONS.get(language, frozenset())
    breaks = []
    for match in _SPACED.finditer(plain):
        at, end = match.span()
        if end - at == 2 and plain[at] == "." and _ends_no_sentence(plain, at, known):
            continue
        breaks.append(end)
    if not plain.isascii() or "\x1f" in plain:
        breaks += [match.end() for match in _UNSPACED.finditer(text)] if any(stop in text for stop in _STOPS) else []
    return breaks


def _ends_no_sentence(plain: str, at: int, known: frozenset[str]) -> bool:
    before = max(plain.rfind(" ", 0, at), plain.rfind("\n", 0, at)) + 1
    word = plain[before:at].lstrip("\"'([\x1f")
    is_initial = len(word) == 1 and word.isupper() and plain[at + 2].isalpha()
    return is_initial or word.lower() in known

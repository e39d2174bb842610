"""Thresher's `justext` against the `justext` package, and all scorers in one pass against the package and the floor."""

from __future__ import annotations

from pathlib import Path

import justext

from floor import floor_of
from measurements import Measurement, all_scorers, interleaved_by_page, ratio
from thresher import Page, score_page

BAR_JUSTEXT = 1 / 8
BAR_ALL = 1 / 4
BAR_FLOOR = 3


def measure(folder: Path, rounds: int = 3) -> list[Measurement]:
    """Return the ratios of seconds over all pages of a folder.

    The package gets the page's bytes, as Thresher does, and its own English stop list.
    """
    pages = [Page(path.stem, path.read_bytes()) for path in sorted(folder.rglob("*.html"))]
    stop_words = justext.get_stoplist("English")
    everything = all_scorers()
    for scorer in everything:
        scorer.prepare()

    works = {
        "package": lambda page: justext.justext(page.content, stop_words),
        "floor": floor_of(pages),
        "justext": lambda page: score_page(page, [scorer for scorer in everything if scorer.name == "justext"]),
        "all": lambda page: score_page(page, everything),
    }
    best = interleaved_by_page(works, pages, rounds)
    names = ", ".join(scorer.name for scorer in everything)
    return [
        ratio("justext / the justext package", best["justext"], best["package"], BAR_JUSTEXT),
        ratio(f"all scorers ({names}) / the justext package", best["all"], best["package"], BAR_ALL),
        ratio("all scorers / floor", best["all"], best["floor"], BAR_FLOOR),
    ]

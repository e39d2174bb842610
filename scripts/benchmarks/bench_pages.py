"""The time of a whole pass over pages against the floor, and of a sweep of cutoffs against one cleaning."""

from __future__ import annotations

import time
from pathlib import Path

from floor import floor_of
from measurements import Measurement, interleaved, interleaved_by_page, ratio
from thresher import Cleaner, Page, clean_page, parse_cleaner, parse_scorer, score_page

BAR_PASS = 1.6
BAR_SWEEP = 1.1
SCORERS = tuple(parse_scorer(name).scorer for name in ("words", "density", "perplexity(lm=books)"))
SWEEP = [parse_cleaner(f"perplexity@{1000 * step}") for step in range(1, 17)]


def measure(folder: Path, rounds: int = 7) -> list[Measurement]:
    """Return the ratios of pass to floor and of sweep to single cleaning, in seconds over all pages of a folder.

    The floor is the work that every pass needs (`floor.py`). A sweep scores a page once and cuts it at sixteen cutoffs; a
    single cleaning cuts it at one.
    """
    pages = [Page(path.stem, path.read_bytes()) for path in sorted(folder.rglob("*.html"))]

    perplexity = SCORERS[2:]
    spent = {"once": float("inf"), "sweep": float("inf")}

    def clean(name: str, cleaners: list[Cleaner]) -> None:
        scoring = 0.0
        for page in pages:
            began = time.perf_counter()
            scored = score_page(page, perplexity)
            scoring += time.perf_counter() - began
            for cleaner in cleaners:
                clean_page(scored, cleaner)
        spent[name] = min(spent[name], scoring)

    works = {
        "floor": floor_of(pages),
        "whole": lambda page: score_page(page, SCORERS),
        "kinds": lambda page: score_page(page, SCORERS, with_kinds=True),
    }
    best = interleaved_by_page(works, pages, rounds)
    best |= interleaved({"once": lambda: clean("once", SWEEP[7:8]), "sweep": lambda: clean("sweep", SWEEP)}, rounds)
    return [
        ratio(f"whole pass over {len(pages)} pages / floor", best["whole"], best["floor"], BAR_PASS),
        ratio("and telling the kinds of blocks, as experiments do / floor", best["kinds"], best["floor"]),
        ratio("scoring for 16 perplexity cutoffs / for one", spent["sweep"], spent["once"], BAR_SWEEP),
        ratio("scoring and cutting 16 times / once", best["sweep"], best["once"]),
    ]

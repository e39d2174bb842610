"""The scorer `content`: a pass with it against the floor, `content` alone against Trafilatura, and its memory."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import trafilatura

from floor import floor_of
from measurements import Measurement, interleaved_by_page, ratio
from thresher import Detail, Page, decode, parse_scorer, read_page, score_page
from thresher.cleaners.content_model.features import features_of

BAR_PASS = 4.0
BAR_TRAFILATURA = 1 / 4
BAR_MIB = 40.0
SCORERS = tuple(parse_scorer(name).scorer for name in ("words", "density", "perplexity(lm=books)", "content"))

_PEAK = """
import pathlib, sys
from thresher import Page, parse_scorer, score_page
from thresher.base.repeats import measure_times
scorers = [parse_scorer(name).scorer for name in sys.argv[2:]]
with measure_times() as spent:
    for path in sorted(pathlib.Path(sys.argv[1]).rglob("*.html")):
        score_page(Page(path.stem, path.read_bytes()), scorers)
print(spent.times.peak)
"""


def measure(folder: Path, rounds: int = 5) -> list[Measurement]:
    """Return the ratios over all pages of a folder, the seconds of each part of `content`, and the peak memory it adds."""
    pages = [Page(path.stem, path.read_bytes()) for path in sorted(folder.rglob("*.html"))]
    content = SCORERS[-1:]
    for scorer in SCORERS:
        scorer.prepare()

    def features(page: Page) -> None:
        segments, _ = read_page(page, detail=Detail.ELEMENTS)
        if segments.text:
            features_of(segments)

    works = {
        "floor": floor_of(pages),
        "pass": lambda page: score_page(page, SCORERS),
        "content": lambda page: score_page(page, content),
        "trafilatura": lambda page: trafilatura.extract(decode(page.content).utf8.decode(), include_comments=False),
        "read": lambda page: read_page(page, detail=Detail.ELEMENTS),
        "features": features,
    }
    best = interleaved_by_page(works, pages, rounds)
    parts = (best["read"], best["features"] - best["read"], best["content"] - best["features"])
    reading, making, trees = (1000 * seconds / len(pages) for seconds in parts)
    peaks = [_peak(folder, names) for names in (("words",), ("words", "content"))]
    outcome = f"{peaks[0]:.0f} MiB without, {peaks[1]:.0f} MiB with it"
    return [
        ratio("whole pass with words, density, perplexity and content / floor", best["pass"], best["floor"], BAR_PASS),
        ratio("content alone / trafilatura", best["content"], best["trafilatura"], BAR_TRAFILATURA),
        Measurement(
            f"of content, milliseconds a page: reading {reading:.2f}, features {making:.2f}, network {trees:.2f}"
        ),
        Measurement("content, peak of a process", outcome, peaks[1] - peaks[0], BAR_MIB, " MiB more"),
    ]


def _peak(folder: Path, scorers: tuple[str, ...]) -> float:
    command = [sys.executable, "-c", _PEAK, str(folder), *scorers]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)

"""NCleaner's speed on one core over real pages, in words an hour, and the memory of a model and of scoring."""

from __future__ import annotations

import subprocess
import sys
import tracemalloc
from pathlib import Path

from measurements import Measurement, interleaved
from thresher import read_html
from thresher.cleaners.characters.scoring import (
    SHIPPED,
    SegmentScorer,
    load_character_model,
    load_segment_scorer,
)
from thresher.cleaners.scorers.ncleaner import NCleaner

BAR_WORDS = 3e9
"""Words an hour and core. The paper's version scores 120 million in C, 20 million in Perl (NCleaner, section 6)."""
BAR_MB = 50.0

_WHOLE_PROCESS = """
import pathlib, sys
from thresher import read_html
from thresher.base.repeats import measure_times
from thresher.cleaners.scorers.ncleaner import NCleaner
scorer = NCleaner(model=sys.argv[2]) if sys.argv[2] else None
with measure_times() as spent:
    for path in sorted(pathlib.Path(sys.argv[1]).rglob("*.html")):
        segments = read_html(path.read_bytes())
        if scorer:
            scorer.score(segments)
print(spent.times.peak)
"""


def measure(folder: Path, rounds: int = 5) -> list[Measurement]:
    """Return the speed of scoring parsed pages and of parsing and scoring, and the memory of both default models."""
    contents = [path.read_bytes() for path in sorted(folder.rglob("*.html"))]
    pages = [read_html(content) for content in contents]
    words = sum(int(page.words_in_blocks.sum()) for page in pages)
    result: list[Measurement] = []
    for model in SHIPPED:
        scorer = NCleaner(model=model)
        scorer.prepare()

        def score(scorer: NCleaner = scorer) -> None:
            for page in pages:
                scorer.score(page)

        def parse_and_score(scorer: NCleaner = scorer) -> None:
            for content in contents:
                scorer.score(read_html(content))

        best = interleaved({"score": score, "all": parse_and_score}, rounds)
        name = scorer.canonical_name
        result.append(_speed(f"{name}, scoring", words, best["score"], BAR_WORDS))
        result.append(_speed(f"{name}, parsing and scoring", words, best["all"]))
    without = _whole_process(folder, "")
    for model in SHIPPED:
        load_segment_scorer.cache_clear()
        tracemalloc.start()
        segment_scorer = SegmentScorer(load_character_model(model))
        for page in pages:
            segment_scorer.score(page.text)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        name = NCleaner(model=model).canonical_name
        outcome = (
            f"model and scoring take {peak / 1e6:.1f} MB at most, the process {_whole_process(folder, model):.0f} MiB, "
            f"{without:.0f} MiB without NCleaner"
        )
        result.append(Measurement(name, outcome, peak / 1e6, BAR_MB, " MB"))
    return result


def _speed(name: str, words: int, seconds: float, bar: float | None = None) -> Measurement:
    an_hour = words / seconds * 3600
    return Measurement(
        name,
        f"{words:,} words in {seconds:.3f} s, {an_hour / 1e9:.2f} billion an hour",
        an_hour,
        bar,
        " an hour",
        least=True,
    )


def _whole_process(folder: Path, model: str) -> float:
    command = [sys.executable, "-c", _WHOLE_PROCESS, str(folder), model]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)

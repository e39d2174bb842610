"""NCleaner: words an hour that one core scores on real pages, and the memory that a model and scoring take."""

from __future__ import annotations

import argparse
import subprocess
import sys
import tracemalloc
from dataclasses import dataclass
from pathlib import Path

from passages import PAGES
from ratios import interleaved

from thresher.language_models.characters.models import SHIPPED, load_character_model, load_segment_scorer
from thresher.language_models.characters.scoring import SegmentScorer
from thresher.pages import read_html
from thresher.scorers.ncleaner import NCleaner

BAR_WORDS = 3e9
"""Words an hour a core; the paper's version in C: 120 million, in Perl: 20 million (NCleaner, section 6)."""
BAR_MB = 50.0

_WHOLE_PROCESS = """
import pathlib, sys
from thresher.pages import read_html
from thresher.costs import peak_memory
from thresher.scorers.ncleaner import NCleaner
scorer = NCleaner(model=sys.argv[2]) if sys.argv[2] else None
for path in sorted(pathlib.Path(sys.argv[1]).rglob("*.html")):
    segments = read_html(path.read_bytes())
    if scorer:
        scorer.score(segments)
print(peak_memory())
"""


@dataclass(frozen=True)
class Speed:
    """How fast one core goes through `words` words."""

    name: str
    words: int
    seconds: float
    bar: float | None = None

    @property
    def words_an_hour(self) -> float:
        """Words that an hour suffices for."""
        return self.words / self.seconds * 3600

    def line(self) -> str:
        """Return the measurement in one line."""
        line = (
            f"{self.name}: {self.words:,} words in {self.seconds:.3f} s, {self.words_an_hour / 1e9:.2f} billion an hour"
        )
        if self.bar is None:
            return line
        return f"{line}, {'within' if self.words_an_hour >= self.bar else 'BELOW'} the bar of {self.bar / 1e9:g}"


@dataclass(frozen=True)
class Memory:
    """What a model and scoring take at most, without and with Python, NumPy and lxml."""

    name: str
    megabytes: float
    whole_mib: float
    without_mib: float

    def line(self) -> str:
        """Return the measurement in one line."""
        verdict = "within" if self.megabytes < BAR_MB else "ABOVE"
        return (
            f"{self.name}: model and scoring take {self.megabytes:.1f} MB at most, {verdict} {BAR_MB:g} MB; the process "
            f"{self.whole_mib:.0f} MiB, {self.without_mib:.0f} MiB without NCleaner"
        )


def measure(folder: Path, rounds: int = 5) -> list[Speed | Memory]:
    """Return speeds of scoring parsed pages and of parsing and scoring them, and the memory of both default models."""
    contents = [path.read_bytes() for path in sorted(folder.rglob("*.html"))]
    pages = [read_html(content) for content in contents]
    words = sum(int(page.words_in_blocks.sum()) for page in pages)
    found: list[Speed | Memory] = []
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
        found.append(Speed(f"{name}, scoring", words, best["score"], BAR_WORDS))
        found.append(Speed(f"{name}, parsing and scoring", words, best["all"]))
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
        found.append(Memory(name, peak / 1e6, _whole_process(folder, model), without))
    return found


def _whole_process(folder: Path, model: str) -> float:
    command = [sys.executable, "-c", _WHOLE_PROCESS, str(folder), model]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=Path, default=PAGES, help="a folder of HTML files")
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    for line in measure(arguments.pages, arguments.rounds):
        print(line.line())

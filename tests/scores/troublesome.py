"""Pages and scorers that give trouble, for worker processes to import."""

from __future__ import annotations

import os
import re
import signal
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from thresher.cleaners.scorer import BLOCK, KEEP_HIGH, Parameter, Scorer, Scores
from thresher.collections import Part, ReadOptions, Source
from thresher.collections.interface import read_sources
from thresher.collections.sources import FileState, Reading, grouped
from thresher.pages import Segments


class Trouble(Scorer):
    """Counts words, and does what the page says: a word in capitals is an order."""

    name = "trouble"
    segment = BLOCK
    keep = KEEP_HIGH
    unit = "words"
    source = "none"
    # A dot in a canonical name is a dot in a column's name, which Arrow takes for a path elsewhere.
    parameters = (Parameter("q", float, 0.5, "a number with a dot"),)

    def score(self, segments: Segments) -> Scores:
        text = segments.text
        if tally := re.search(r"TALLY (\S+)", text):
            with Path(tally[1]).open("a") as file:
                file.write("1")
        if "NAP" in text:
            time.sleep(0.5)
        if "SLEEP" in text:
            time.sleep(600)
        if "HOLD" in text:
            # Exponential, in C that never lets go of the interpreter.
            re.match(r"(a+)+$", "a" * 80 + "b")
        if exit_code := re.search(r"EXIT (\d)", text):
            os._exit(int(exit_code[1]))
        if "KILL" in text:
            os.kill(os.getpid(), signal.SIGKILL)
        if "RAISE" in text:
            raise ValueError("two\nlines \ud800")
        if waits := re.search(r"WAIT (\S+)", text):
            Path(f"{waits[1]}.waiting").touch()
            while not Path(waits[1]).exists():
                time.sleep(0.01)
        return segments.words_in_blocks.astype(np.float32)


class Bomb(Trouble):
    """Ends whatever process it is sent to."""

    name = "bomb"

    def __setstate__(self, state: object) -> None:
        os._exit(3)


@dataclass(frozen=True)
class Listed:
    """A collection of the sources it is given."""

    items: tuple[Source, ...]
    mark: str = "1"
    path: Path = Path("listed")
    options: ReadOptions = field(default_factory=ReadOptions)

    def fingerprint(self) -> str:
        return self.mark

    def files(self) -> dict[str, FileState]:
        return {}

    def parts(self, pages: int) -> Iterator[Part]:
        return grouped(self.items, 0, self.path, "listed", pages)

    def read(self, part: Part) -> Reading:
        return read_sources(part)


def whole(sources: Sequence[Source]) -> Part:
    """All sources as one part."""
    return Part(0, 0, Path("listed"), "listed", sources=tuple(sources))


def page(number: int, text: str | bytes) -> Source:
    content = text if isinstance(text, bytes) else f"<p>{text}</p><p>the second block</p>".encode()
    return Source(f"d{number}", "listed", len(content), number, content=content, url=f"http://x/{number}")


def pages(count: int, special: Mapping[int, str | bytes | Source] | None = None) -> Listed:
    """Return pages of differing length; `special` gives some of them, by position, another text or another source."""
    result = []
    for number in range(count):
        given = (special or {}).get(number, f"page {number} says " + "word " * (number % 17))
        result.append(given if isinstance(given, Source) else page(number, given))
    return Listed(tuple(result))

"""An example of a package that Thresher finds: its entry points stand in `entry_points.txt` of its `.dist-info` folder.

In a `pyproject.toml` they are

    [project.entry-points."thresher.scorers"]
    digits = "thresher_example:Digits"

    [project.entry-points."thresher.extractors"]
    first-lines = "thresher_example:first_lines"

    [project.entry-points."thresher.pruning_methods"]
    first-terms = "thresher_example:FirstTerms"

    [project.entry-points."thresher.collections"]
    tab-lines = "thresher_example:TabLines"

Scorers and pruning methods have the name of their entry point; see `CONTRIBUTING.md` for a scorer.
"""

from __future__ import annotations

import os
import re
import signal
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from thresher.base.numbers import Floats
from thresher.cleaners.scorer import BLOCK, KEEP_LOW, Scorer, Scores
from thresher.collections import Part, ReadOptions, Source
from thresher.collections.sources import Reading, Span
from thresher.indexes.pruning.method import ShareMethod
from thresher.indexes.pruning.postings import CollectionStatistics, DocumentPostings
from thresher.pages import Segments


class Digits(Scorer):
    """The share of a block's characters that are digits."""

    name = "digits"
    segment = BLOCK
    keep = KEEP_LOW
    unit = "share of characters"
    low, high = 0.0, 1.0
    grid = (0.1, 0.5)
    source = "an example"

    def score(self, segments: Segments) -> Scores:
        shares = [sum(map(str.isdigit, block)) / len(block) for block in segments.blocks]
        return np.array(shares, dtype=np.float32)


class FirstTerms(ShareMethod):
    """Keeps the first share of each document's terms, by their numbers."""

    name = "first-terms"
    unit = "share of terms"
    source = "an example"

    def scores(self, postings: DocumentPostings, statistics: CollectionStatistics, fitted: Any) -> Floats:
        begins = np.repeat(postings.bounds[:-1], postings.sizes)
        return (np.arange(len(postings.term)) - begins) / np.repeat(postings.sizes, postings.sizes)


class TabLines:
    """A kind of collection: lines of an id, a tab and a plain text."""

    name = "tab-lines"
    suffixes = (".tab",)

    def can_split(self, path: Path) -> bool:
        return False

    def read(self, part: Part, options: ReadOptions) -> Reading:
        at = 0
        for line in part.path.read_bytes().splitlines(keepends=True):
            name, _, text = line.rstrip(b"\n").partition(b"\t")
            yield Source(name.decode(), part.name, len(text), at, content=text, is_text=True)
            at += len(line)
        return Span(0, at)


def first_lines(html: str) -> str:
    """An extractor, `extractor(first-lines)`: takes the decoded page, returns its text or a list of lines."""
    return "\n".join(re.findall("<p>([^<]*)", html)[:2])


def broken(html: str) -> list[str]:
    """An extractor that does what others do on some pages."""
    print("on standard output")
    os.write(2, b"on standard error")
    warnings.warn("a warning", stacklevel=1)
    if "raise" in html:
        raise ValueError("no\n  such \udc80 thing")
    if "kill" in html:
        os.kill(os.getpid(), signal.SIGKILL)
    if "hang" in html:
        # In C, without a look at signals: no handler in Python would ever run.
        sum(iter(lambda: 1, 0))
    return ["a\ud800b", "", " c  d "]

"""NCleaner: its heuristics against navigation bars, and character models of clean and of dirty text."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt

from thresher.cleaners.characters import scoring
from thresher.cleaners.scorer import BLOCK, KEEP_HIGH, Parameter, Scorer, Scores
from thresher.pages import Segments
from thresher.pages.marked_text import is_bar

Mask = npt.NDArray[np.bool_]


class Bars(Scorer):
    """Drops blocks of three or more short fields separated by `|`, and blocks without a word."""

    name = "bars"
    segment = BLOCK
    keep = KEEP_HIGH
    decides = True
    unit = "decision"
    source = "Evert: A Lightweight and Efficient Tool for Cleaning Web Pages, LREC 2008, Table 2 (heuristics only)"

    def score(self, segments: Segments) -> Scores:
        """Return 0 for each bar and each block without a word, else 1."""
        scores = (segments.words_in_blocks > 0).astype(np.float32)
        scores[bars(segments)] = 0
        return scores


def bars(segments: Segments) -> Mask:
    """Return which blocks are three or more short fields separated by `|`; shape (blocks,)."""
    if "|" not in segments.text:
        return np.zeros(len(segments.block_ends), dtype=np.bool_)
    return np.array(["|" in block and is_bar(block) for block in segments.blocks])


class NCleaner(Scorer):
    """Log-probability of the block per character: by a character model of clean text, minus that by a model of dirty text."""

    name = "ncleaner"
    segment = BLOCK
    keep = KEEP_HIGH
    unit = "nats per character"
    grid = (-0.3, -0.2, -0.15, -0.1, -0.05, 0, 0.05, 0.1, 0.15, 0.2, 0.3)
    source = (
        "Evert: A Lightweight and Efficient Tool for Cleaning Web Pages, LREC 2008 (NCleaner); StupidOS: A high-precision "
        "approach to boilerplate removal, WAC 2007"
    )
    parameters = (
        Parameter(
            "model",
            str,
            "standard",
            "standard, nonlexical, or the path of a model that `thresher ncleaner train` wrote",
            terse=True,
        ),
        Parameter(
            "bars",
            str,
            "drop",
            "whether a block of three or more short fields separated by | has the score -inf, or is scored",
            choices=("drop", "score"),
            terse=True,
        ),
        Parameter(
            "clamp",
            str,
            "counts",
            "of the dirty model: whether negative counts become 0 or, as in StupidOS, the negative probabilities from them",
            choices=("counts", "probabilities"),
            terse=True,
        ),
    )

    def check(self, where: str) -> None:
        """Check that the model's file exists."""
        scoring.find_character_model(self._model, where)

    @property
    def fingerprint(self) -> str:
        """The digest of the model."""
        return scoring.card(scoring.load_character_model(self._model)).digest

    def prepare(self) -> None:
        """Read the model, as a check."""
        self._segment_scorer()

    def score(self, segments: Segments) -> Scores:
        """Return (ln P*_clean - ln P*_dirty) / characters of each block; -inf for bars and blocks without valid characters."""
        scores = self._segment_scorer().score(segments.text).astype(np.float32)
        if self.values["bars"] == "drop":
            scores[bars(segments)] = -np.inf
        return scores

    def _segment_scorer(self) -> scoring.SegmentScorer:
        file = scoring.find_character_model(self._model)
        changed = file.stat().st_mtime_ns if isinstance(file, Path) else 0
        return scoring.load_segment_scorer(self._model, self.values["clamp"] == "probabilities", changed)

    @property
    def _model(self) -> str:
        return str(self.values["model"])

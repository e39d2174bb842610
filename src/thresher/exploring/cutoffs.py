"""Which cutoffs of a scorer are worth a look: all that differ, or so many of them that lie evenly."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from thresher.pages.plain import Ints
from thresher.scorers.base import Scorer, Scores
from thresher.scorers.cleaners import Cut
from thresher.scoring.store import read_shard, shards, weighted_columns, weighted_scores

_MOST_HELD = 1 << 16
_AT_ONCE = 1 << 18


class _Spread:
    """The scores of one scorer with the words that have each: exact up to `_MOST_HELD` different ones.

    Beyond that, neighbours are counted with the highest of them, each group with as many words as the others: what is held
    are still scores that occur.
    """

    def __init__(self) -> None:
        self.values: Scores = np.zeros(0, dtype=np.float32)
        self.words: Ints = np.zeros(0, dtype=np.int64)
        self._waiting: list[tuple[Scores, Ints]] = []
        self._size = 0

    def add(self, scores: Scores, words: Ints) -> None:
        finite = np.isfinite(scores)
        self._waiting.append((scores[finite], words[finite]))
        self._size += len(scores)
        if self._size > _AT_ONCE:
            self.settle()

    def settle(self) -> None:
        scores = np.concatenate([self.values, *(scores for scores, _ in self._waiting)])
        words = np.concatenate([self.words, *(words for _, words in self._waiting)])
        self._waiting, self._size = [], 0
        self.values, places = np.unique(scores, return_inverse=True)
        self.words = np.bincount(places, weights=words, minlength=len(self.values)).astype(np.int64)
        if len(self.values) > _MOST_HELD:
            reached = np.cumsum(self.words + 1)
            last = np.unique(np.searchsorted(reached, np.linspace(0, reached[-1], _MOST_HELD // 2 + 1)[1:]))
            self.values = self.values[last]
            self.words = np.diff(np.cumsum(self.words)[last], prepend=0)


def spread_cutoffs(folder: Path, templates: Sequence[Cut], points: int) -> dict[Cut, tuple[float, ...]]:
    """Return, for each template, cutoffs at scores that occur in a store, which is read once for all of them.

    Args:
        folder: the score store.
        templates: cuts without a cutoff, of scorers that do not decide.
        points: all different scores if there are no more than so many; else at least so many, half of which have about as
            many words between them, and half of which as many different scores.

    Returns:
        cutoffs, rising, as the shortest decimals that are the same 32-bit float, within the scorer's range.

    Raises:
        StateError: if a shard is damaged or lacks scores.
    """
    scorers = {template.scorer.canonical_name: template.scorer for template in templates}
    spreads = {name: _Spread() for name in scorers}
    columns = sorted({column for scorer in scorers.values() for column in weighted_columns(scorer)})
    for path in shards(folder) if templates else ():
        table = read_shard(path, columns).combine_chunks()
        if len(table):
            for name, scorer in scorers.items():
                spreads[name].add(*weighted_scores(table, scorer))
    found = {}
    for name, spread in spreads.items():
        spread.settle()
        found[name] = _evenly(*_in_range(spread, scorers[name]), points)
    return {template: found[template.scorer.canonical_name] for template in templates}


def _in_range(spread: _Spread, scorer: Scorer) -> tuple[Scores, Ints]:
    low = -np.inf if scorer.low is None else scorer.low
    high = np.inf if scorer.high is None else scorer.high
    inside = (spread.values >= low) & (spread.values <= high)
    return spread.values[inside], spread.words[inside]


def _evenly(values: Scores, words: Ints, points: int) -> tuple[float, ...]:
    chosen: npt.NDArray[np.int64] = np.arange(len(values))
    if len(values) > points:
        reached = np.cumsum(words)
        parts = points // 2
        chosen = np.zeros(0, dtype=np.int64)
        while len(chosen) < points:
            ranks = np.linspace(0, len(values) - 1, parts + 1).astype(np.int64)
            shares = np.searchsorted(reached, np.linspace(0, reached[-1], parts + 1))
            chosen = np.unique(np.concatenate([ranks, np.minimum(shares, len(values) - 1)]))
            # Many words may share few scores.
            parts += max(1, (points - len(chosen)) // 2)
    return tuple(float(str(value)) for value in values[chosen])

"""Scorers whose scores are features of the learned one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from thresher.errors import ConfigError
from thresher.pages import Segments
from thresher.scorers.base import BLOCK, Scorer, Scores
from thresher.scorers.cleaners import SCORE, parse_scorer

_NOTHING, _MOST = -1000.0, 1e9
"""Of blocks without a score, and beyond which scores are as far."""


@lru_cache(maxsize=16)
def other_scorers(names: tuple[str, ...], where: str) -> tuple[Scorer, ...]:
    """Return the scorers of these names, checked.

    Raises:
        ConfigError: if there is no such scorer, or a model of it is missing, or it cannot score a page by itself.
    """
    found = []
    for name in names:
        cut = parse_scorer(name, where)
        if cut.scorer.name == "content" or cut.scorer.learns or cut.headings != SCORE or cut.floor:
            raise ConfigError(
                f"the scores of {name!r} cannot be features: it is learned itself, or has options of a cut",
                "use a scorer such as perplexity(lm=books) or ncleaner",
                where,
            )
        cut.scorer.check(where)
        found.append(cut.scorer)
    return tuple(found)


def block_scores(scorers: Sequence[Scorer], segments: Segments) -> dict[str, Scores]:
    """Return each scorer's scores of a page's blocks, by its canonical name; shape (blocks,) each.

    A block's score is the mean of its sentences', weighted by words, where sentences are scored.
    """
    return {scorer.canonical_name: _of_blocks(scorer, segments) for scorer in scorers}


def _of_blocks(scorer: Scorer, segments: Segments) -> Scores:
    scores = np.nan_to_num(scorer.score(segments).astype(np.float64), nan=_NOTHING, posinf=_MOST, neginf=-_MOST)
    if scorer.segment != BLOCK:
        blocks, words = segments.block_of_sentence, segments.words_in_sentences
        count = len(segments.block_ends)
        # Whole hundredths, so that sums over sentences are exact.
        sums = np.bincount(blocks, np.rint(100 * scores.clip(-_MOST, _MOST)) * words, count)
        scores = sums / (100 * np.maximum(np.bincount(blocks, words, count), 1))
    return scores.astype(np.float32)

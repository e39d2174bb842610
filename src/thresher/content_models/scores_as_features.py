"""Scores of other scorers as features of blocks, after those that come from the page itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from thresher.content_models.features import BlockFeatures

SCORE = "score_"
"""The beginning of these features' names; a scorer's canonical name follows."""


def with_scores(features: BlockFeatures, scores: Mapping[str, npt.NDArray[np.float32]]) -> BlockFeatures:
    """Return the features of a page with the scores of its blocks, by scorer, shape (blocks,) each."""
    if not scores:
        return features
    names = (*features.names, *(f"{SCORE}{name}" for name in scores))
    return replace(features, names=names, values=np.concatenate((features.values, np.stack([*scores.values()]))))


def scorers_in(names: Iterable[str]) -> tuple[str, ...]:
    """Return the scorers among the names of features, each once, in the order of names.

    >>> scorers_in(["words", "score_perplexity(lm=books)", "score_bars", "score_bars"])
    ('bars', 'perplexity(lm=books)')
    """
    return tuple(sorted({name.removeprefix(SCORE) for name in names if name.startswith(SCORE)}))

"""Perplexity with more evidence than one sentence has: its neighbours' words, and a prior against short ones.

A sentence of two words has a low or high perplexity by chance, and boilerplate comes in runs. So the sum of log10 P and the
number of words are taken over the sentence and, falling by distance, its neighbours, and some unseen words are added:

    log10 perplexity = -(Σ_j c^|i-j| L_j + k µ) / (Σ_j c^|i-j| n_j + k)

with L_j the log10 P of sentence j of the page, n_j its words, c the context, k the prior and µ = `UNSEEN`. Over c it is a mean
weighted by distance (exponential smoothing, both ways); over k it is the mean of a posterior whose prior counts as k
words, as pseudo-counts do (Gelman et al., Bayesian Data Analysis, section 2.5). Both at 0 it is the sentence's own perplexity.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

UNSEEN = -6.0
"""The log10 P of a word of the prior: 1e-6, which is what the mixtures give to a pair of words that was not seen."""


def smoothed_perplexities(logs: Floats, counts: npt.ArrayLike, context: float = 0.0, prior: float = 0.0) -> Floats:
    """Return the perplexity of each sentence of a page, smoothed.

    Args:
        logs: the log10 P of each sentence, in the page's order; 0 for one without words.
        counts: the words of each.
        context: the weight of a neighbour's words, falling with each sentence further; in [0, 1).
        prior: how many words of log10 P = `UNSEEN` are added to each sentence, at least 0.

    Returns:
        shape (sentences); infinite where there are no words and no prior.
    """
    sums = with_neighbours(logs, context) + prior * UNSEEN
    words = with_neighbours(np.asarray(counts, dtype=np.float64), context) + prior
    with np.errstate(over="ignore"):
        perplexities: Floats = 10.0 ** (-sums / np.where(words > 0, words, 1.0))
    perplexities[words <= 0] = np.inf
    return perplexities


def with_neighbours(values: Floats, context: float) -> Floats:
    """Return Σ_j context^|i-j| values_j for each i; shape (values)."""
    if not context:
        return values.astype(np.float64)
    forth = _decayed(values.tolist(), context)
    back = _decayed(values[::-1].tolist(), context)[::-1]
    # Both have the value itself.
    return forth + back - values


def _decayed(values: Iterable[float], context: float) -> Floats:
    return np.array([*accumulate(values, lambda before, value: context * before + value)], dtype=np.float64)

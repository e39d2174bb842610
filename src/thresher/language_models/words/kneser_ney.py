"""Interpolated modified Kneser-Ney smoothing.

Sources: Chen, Goodman, An empirical study of smoothing techniques for language modeling, Computer Speech and Language 1999,
section 3 and Eq. 26 of its technical report (TR-10-98) for the discounts; Heafield, Pouzyrevsky, Clark, Koehn, Scalable
Modified Kneser-Ney Language Model Estimation, ACL 2013, section 3, for `<s>`, `</s>` and `<unk>`. The mass of pruned n-grams
goes to their histories' back-off, as in KenLM's lmplz.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from thresher.language_models.words.arpa import Kept, Logs, Probabilities, Section, log10
from thresher.language_models.words.counts import Level, adjusted_counts
from thresher.language_models.words.vocabulary import BEGIN
from thresher.language_models.words.word_files import blocks
from thresher.pages.plain import Ints

FALLBACK = (0.5, 1.0, 1.5)
"""lmplz's discounts where counts of counts do not determine them."""


@dataclass(frozen=True)
class Discounts:
    """What is subtracted from the counts 1, 2, and 3 or more of one order; `fallback`: lmplz's values."""

    values: tuple[float, float, float]
    fallback: bool = False


def discounts(counts: Ints) -> Discounts:
    """Return D_k = k - (k + 1) · Y · n_(k+1) / n_k with Y = n_1 / (n_1 + 2 n_2), where n_k n-grams have the count k.

    Where an n_k is 0, or a D_k is not within 0 and k, the fallback is returned.

    Args:
        counts: the adjusted counts of one order's n-grams, shape (n-grams).
    """
    of_counts = np.zeros(6, dtype=np.int64)
    for at in blocks(len(counts)):
        of_counts += np.bincount(np.minimum(counts[at], 5), minlength=6)
    n = of_counts[:5].tolist()
    if min(n[1:4]) == 0:
        return Discounts(FALLBACK, fallback=True)
    y = n[1] / (n[1] + 2 * n[2])
    one, two, three = (k - (k + 1) * y * n[k + 1] / n[k] for k in (1, 2, 3))
    if not (0 <= one <= 1 and 0 <= two <= 2 and 0 <= three <= 3):
        return Discounts(FALLBACK, fallback=True)
    return Discounts((one, two, three))


def kneser_ney(levels: Sequence[Level], kept: Sequence[Kept | None]) -> tuple[list[Section], tuple[Discounts, ...]]:
    """Return the smoothed model as a back-off model, and its discounts by order.

    P(w | h) = (a(hw) - D(a(hw))) / Σ_v a(hv) + γ(h) · P(w | h without its first word), where a is the adjusted count and γ(h)
    is the mass that discounts and pruning took from h's n-grams, divided by the same sum. Unigrams are interpolated with
    1 / (words with `<unk>` and `</s>`); `<s>` is history only and has the probability 0.

    Args:
        levels: the counts of n-grams for n = 1, 2, ..., with `</s>`.
        kept: for each level, the n-grams to list.
    """
    # The empty n-gram: uniform over all words but <s>.
    below: Probabilities = np.array([1 / (levels[0].size - 1)])
    by_order: list[Discounts] = []
    values: list[tuple[Logs, Logs]] = []
    for length, level in enumerate(levels, start=1):
        counts = adjusted_counts(levels, length)
        by_order.append(discounts(counts))
        taken = np.array([0.0, *by_order[-1].values])
        totals, masses = (level.array(np.float64, len(below)) for _ in range(2))
        for at in level.blocks():
            mass = taken[np.minimum(counts[at], 3)]
            listed = kept[length - 1]
            if listed is not None:
                mass = np.where(listed[at], mass, counts[at])
            np.add.at(totals, level.prefixes[at], counts[at])
            np.add.at(masses, level.prefixes[at], mass)
        # Histories without continuations have the back-off weight 1.
        gammas, backoffs = level.array(np.float64, len(below)), level.array(np.float32, len(below))
        for at in blocks(len(below)):
            gammas[at] = np.divide(masses[at], totals[at], out=np.ones(at.stop - at.start), where=totals[at] > 0)
            backoffs[at] = log10(gammas[at])
        logs = level.array(np.float32)
        interpolated = level.array(np.float64, None if length < len(levels) else 0)
        for at in level.blocks():
            prefixes = level.prefixes[at]
            share = (counts[at] - taken[np.minimum(counts[at], 3)]) / totals[prefixes]
            probabilities = share + gammas[prefixes] * below[level.suffixes(at)]
            if length == 1:
                probabilities[level.firsts(at) == BEGIN] = 0.0
            logs[at] = log10(probabilities)
            if length < len(levels):
                interpolated[at] = probabilities
        values.append((logs, backoffs))
        below = interpolated
    # The back-off weights of n-grams come from those one word longer.
    weights = [*(backoffs for _, backoffs in values[1:]), None]
    sections = [
        Section(level, logs, backoffs, listed)
        for level, (logs, _), backoffs, listed in zip(levels, values, weights, kept, strict=True)
    ]
    return sections, tuple(by_order)

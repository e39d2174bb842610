"""Probabilities of words from their counts: PyPlexity's mixtures of orders, the plain estimate, and Kneser-Ney smoothing.

**Mixtures of orders, and the plain estimate with a floor.**

Source: Fernandez-Pichel, Prada-Corral, Losada, Pichel, Gamallo, An unsupervised perplexity-based method for boilerplate
removal, Natural Language Engineering 2023, section 3, and the public source of PyPlexity, which has the weights and the 1e-6.

P(w | h) = C(hw) / Σ_v C(hv) over the words v that follow h within sentences. The ends of sentences are not scored and not
predicted, so that these P of one history add up to 1.

PyPlexity differs outside the formula. It trains across sentence boundaries, so that `#`, its history of a sentence's first
word, is as good as unseen. Its trigram score is shifted: the term for the word w after v looks up v w w instead of u v w, and
the last word of a sentence has no term; the bigram and the unigram are those of w after v and of v, as here with the previous
word's unigram.

**Interpolated modified Kneser-Ney smoothing.**

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

WEIGHTS = {2: (0.2, 0.8), 3: (0.1, 0.3, 0.6)}
"""By order, the weights of the unigram, the bigram and the trigram."""
FLOOR = 1e-6
"""Added to every mixture by PyPlexity; also the probability of unseen n-grams under plain maximum likelihood."""
CURRENT, HISTORY = "current", "history"
UNIGRAMS = (CURRENT, HISTORY)
"""Whose unigram a mixture has: the predicted word's, as in textbooks, or the previous word's, as in PyPlexity."""
FALLBACK = (0.5, 1.0, 1.5)
"""lmplz's discounts where counts of counts do not determine them."""


def interpolated(levels: Sequence[Level], kept: Sequence[Kept | None], unigram: str = CURRENT) -> list[Section]:
    """Return a mixture of orders as a back-off model; it is exact.

    The bigram model is 0.8 P(w | v) + 0.2 P(x) + 1e-6, the trigram model 0.6 P(w | u v) + 0.3 P(w | v) + 0.1 P(x) + 1e-6,
    where x is w or v as `unigram` says. `<s>` is a history like a word, but has P(<s>) = 0; a sentence's first word has
    `<s> <s>` as its history in the trigram model, so that both weights go to P(w | <s>).

    An n-gram's value is the share of its own order plus the value of the n-gram without its first word, which back-off gives
    to an unseen n-gram: all back-off weights are 1, and the values of lower orders are the sum's last terms. With the
    previous word's unigram, which the n-gram without that word does not know, unigrams have the value 1, and the rest of the
    sum as their back-off weight. N-grams that begin with `<s>` are looked up only where sentences begin, so that they may have
    values of their own.

    Args:
        levels: the counts of n-grams for n = 1, 2 and perhaps 3, without `</s>`.
        kept: for each level which n-grams to list; the others count as unseen, but for their histories.
        unigram: one of `UNIGRAMS`.
    """
    weights = WEIGHTS[len(levels)]
    words = levels[0]
    total = words.counts.sum()
    base: Probabilities = words.array(np.float64)
    base_logs: Logs = words.array(np.float32)
    for at in words.blocks():
        base[at] = weights[0] * (words.counts[at] / total) + FLOOR
        base_logs[at] = log10(base[at])
    zeros = _no_backoffs(words)
    below = base if unigram == CURRENT else np.broadcast_to(1.0, len(base))
    logs, backoffs = (base_logs, zeros) if unigram == CURRENT else (zeros, base_logs)
    sections = [Section(words, logs, backoffs, kept[0])]
    for length, level in enumerate(levels[1:], start=2):
        totals = _totals(level, len(levels[length - 2].keys))
        last = length == len(levels)
        logs = level.array(np.float32)
        values = level.array(np.float64, 0 if last else None)
        for at in level.blocks():
            firsts = level.firsts(at)
            # No history is longer than from <s> on: this one has the weights of longer ones too.
            share = np.where(firsts == BEGIN, sum(weights[length - 1 :]), weights[length - 1])
            rest = base[firsts] if length == 2 and unigram == HISTORY else below[level.suffixes(at)]
            value = share * _likelihood(level, totals, at) + rest
            logs[at] = log10(value)
            if not last:
                values[at] = value
        below = values
        sections.append(Section(level, logs, None if last else _no_backoffs(level), kept[length - 1]))
    return sections


def maximum_likelihood(
    levels: Sequence[Level], kept: Sequence[Kept | None], occurrences: bool = False
) -> list[Section]:
    """Return plain maximum likelihood as a back-off model: P(w | the n-1 words before), or `FLOOR` if that was not seen.

    With `occurrences` the divisor is all of the history's occurrences, as the paper's Eq. 2 has it, those at the end of a
    sentence too, so that the probabilities of a history that ends sentences add up to less than 1; a sentence's beginning
    occurs as often as a word follows it.

    Where a sentence begins the history starts with `<s>`. The floor is what PyPlexity adds, so that an unseen word costs the
    same in both; with it the probabilities of a history add up to more than 1.

    Only the longest n-grams and those that begin with `<s>` have values of their own. The others, which longer ones begin
    with, have the floor.

    Args as for `interpolated`, of any order.
    """
    sections = []
    for length, level in enumerate(levels, start=1):
        last = length == len(levels)
        totals = _totals(level, len(levels[length - 2].keys) if length > 1 else 1)
        if occurrences and length > 1:
            np.maximum(totals, levels[length - 2].counts, out=totals)
        logs: Logs = level.array(np.float32)
        for at in level.blocks():
            logs[at] = np.log10(FLOOR)
            seen = level.counts[at] > 0
            if not last:
                seen &= (level.firsts(at) == BEGIN) & (length > 1)
            logs[at][seen] = log10(_likelihood(level, totals, at)[seen])
        sections.append(Section(level, logs, None if last else _no_backoffs(level), kept[length - 1]))
    return sections


def _no_backoffs(level: Level) -> Logs:
    return np.broadcast_to(np.float32(0), len(level.keys))


def _totals(level: Level, histories: int) -> Probabilities:
    """Return Σ_v C(hv) of each history h."""
    totals = level.array(np.float64, histories)
    for at in level.blocks():
        np.add.at(totals, level.prefixes[at], level.counts[at])
    return totals


def _likelihood(level: Level, totals: Probabilities, at: slice) -> Probabilities:
    """Return C(hw) / C(h) for some of a level's n-grams."""
    likelihood: Probabilities = level.counts[at] / totals[level.prefixes[at]]
    return likelihood


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

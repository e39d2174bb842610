"""Word models by maximum likelihood: PyPlexity's mixtures of orders, and the plain estimate with a floor.

Source: Fernandez-Pichel, Prada-Corral, Losada, Pichel, Gamallo, An unsupervised perplexity-based method for boilerplate
removal, Natural Language Engineering 2023, section 3, and the public source of PyPlexity, which has the weights and the 1e-6.

P(w | h) = C(hw) / Σ_v C(hv) over the words v that follow h within sentences. The ends of sentences are not scored and not
predicted, so that these P of one history add up to 1.

PyPlexity differs outside the formula. It trains across sentence boundaries, so that `#`, its history of a sentence's first
word, is as good as unseen. Its trigram score is shifted: the term for the word w after v looks up v w w instead of u v w, and
the last word of a sentence has no term; the bigram and the unigram are those of w after v and of v, as here with the previous
word's unigram.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from thresher.language_models.words.arpa import Kept, Logs, Probabilities, Section, log10
from thresher.language_models.words.counts import Level
from thresher.language_models.words.vocabulary import BEGIN

WEIGHTS = {2: (0.2, 0.8), 3: (0.1, 0.3, 0.6)}
"""By order, the weights of the unigram, the bigram and the trigram."""
FLOOR = 1e-6
"""Added to every mixture by PyPlexity; also the probability of unseen n-grams under plain maximum likelihood."""
CURRENT, HISTORY = "current", "history"
UNIGRAMS = (CURRENT, HISTORY)
"""Whose unigram a mixture has: the predicted word's, as in textbooks, or the previous word's, as in PyPlexity."""


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

"""Bigram models in the ARPA format that KenLM reads."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from pathlib import Path

from thresher.files import atomic_path

UNKNOWN, BEGIN, END = "<unk>", "<s>", "</s>"


def interpolated_probability(
    bigrams: Mapping[str, Mapping[str, int]], unigrams: Mapping[str, int], total: int, history: str, word: str
) -> float:
    """Return P(word | history) = 0.8 · P(word | history) + 0.2 · P(history) + 1e-6, by maximum likelihood.

    This is the mixture of PyPlexity's bigram model (its public source; the unigram really is that of the *previous* word),
    so that its cutoffs of 1K to 14K keep their meaning. A word's bigrams are normalised by their own sum, since bigram and
    unigram counts may be on different scales.

    Args:
        bigrams: counts of each history's followers.
        unigrams: counts of words.
        total: the sum of `unigrams`.
        history: the previous word.
        word: the word to predict.
    """
    followers = bigrams.get(history, {})
    seen = followers.get(word, 0)
    conditional = seen / sum(followers.values()) if seen else 0.0
    return 0.8 * conditional + 0.2 * (unigrams.get(history, 0) / total) + 1e-6


def write_interpolated_bigrams(
    path: Path, bigrams: Mapping[str, Mapping[str, int]], unigrams: Mapping[str, int]
) -> tuple[int, int]:
    """Write the mixture of `interpolated_probability` exactly as a back-off model.

    A back-off model gives an unseen bigram P(word) · backoff(history). With every P(word) = 1 (log10 0) and
    backoff(history) = 0.2 · P(history) + 1e-6 that is the mixture's value for an unseen bigram, and seen bigrams are listed
    with the mixture's value. `<s>` and `<unk>` are histories that were never counted: their back-off is 1e-6.

    Returns:
        the number of unigrams and of bigrams written.
    """
    total = sum(unigrams.values())
    vocabulary = sorted({*unigrams, *bigrams, *(word for followers in bigrams.values() for word in followers)})
    count = sum(len(followers) for followers in bigrams.values())

    def backoff(history: str) -> float:
        return math.log10(0.2 * (unigrams.get(history, 0) / total) + 1e-6)

    def rows() -> Iterable[str]:
        yield f"\\data\\\nngram 1={len(vocabulary) + 3}\nngram 2={count}\n\n\\1-grams:\n"
        yield f"0\t{UNKNOWN}\t{math.log10(1e-6):.7f}\n0\t{BEGIN}\t{math.log10(1e-6):.7f}\n0\t{END}\n"
        for word in vocabulary:
            yield f"0\t{word}\t{backoff(word):.7f}\n"
        yield "\n\\2-grams:\n"
        for history in sorted(bigrams):
            followers = bigrams[history]
            share = 0.8 / sum(followers.values())
            rest = 0.2 * (unigrams.get(history, 0) / total) + 1e-6
            for word in sorted(followers):
                # The 1e-6 may lift a certain word above 1, which KenLM refuses.
                yield f"{min(0.0, math.log10(share * followers[word] + rest)):.7f}\t{history} {word}\n"
        yield "\n\\end\\\n"

    with atomic_path(path) as temporary, temporary.open("w", encoding="utf-8", newline="\n") as out:
        out.writelines(rows())
    return len(vocabulary) + 3, count

"""Choosing n and q: cross-entropy by cross-validation, the papers' Fig. 2.

Source: Evert, NCleaner, LREC 2008, section 3; StupidOS, WAC 2007, section 3.3: the cross-entropy of raw text, 10-fold.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from thresher.errors import InputError
from thresher.language_models.characters.alphabet import Alphabet, Ints, ngrams, normalise

Floats = npt.NDArray[np.float64]

FOLDS = 10
QS = tuple(tenth / 10 for tenth in range(1, 10))


@dataclass(frozen=True)
class Tuning:
    """Cross-entropies in bits per character: one row for each of `qs`, one column for each n from 1."""

    qs: tuple[float, ...]
    bits: tuple[tuple[float, ...], ...]

    @property
    def best(self) -> tuple[int, float, float]:
        """The n and q with the lowest cross-entropy, and its value; ties go to the smaller n and q."""
        bits, n, q = min(
            (bits, n, q) for q, row in zip(self.qs, self.bits, strict=True) for n, bits in enumerate(row, start=1)
        )
        return n, q, bits


def tune(
    pages: Sequence[Sequence[str]],
    alphabet: Alphabet,
    most: int,
    qs: tuple[float, ...] = QS,
    folds: int = FOLDS,
    seed: int = 0,
) -> Tuning:
    """Return -(1/N) Σ log2 P*(c | h) for all n up to `most` and all q, each page under a model of the other folds.

    N-grams whose history the model has not seen have probability 0 in the sum of P*, as when scoring; their mass goes to no
    shorter history.

    Args:
        pages: for each page the segments of its raw text.
        alphabet: the symbols that are distinguished.
        most: the largest n.
        qs: the weights of shorter histories, each between 0 and 1.
        folds: the number of random parts.
        seed: of the random division.

    Raises:
        InputError: if fewer pages than folds hold text.
    """
    texts = [text for page in pages if (text := "\n".join(filter(None, map(normalise, page))))]
    if len(texts) < folds:
        raise InputError(
            f"{len(texts)} pages with text are too few for {folds} folds", "give more pages, or fewer folds", "tune"
        )
    fold_of_page = np.random.default_rng(seed).permutation(np.arange(len(texts)) % folds)
    numbers, fold = [], []
    for text, page_fold in zip(texts, fold_of_page.tolist(), strict=True):
        of_page = ngrams(text, most, alphabet)
        numbers.append(of_page[of_page % alphabet.size != 0])
        fold.append(np.full(len(numbers[-1]), page_fold))
    keys, folds_of_keys = np.concatenate(numbers), np.concatenate(fold)
    # Σ_k q^k P(c | h without its first k), one row for each q; the sum for n + 1 is q times that for n, plus one term.
    sums = np.zeros((len(qs), len(keys)))
    bits = np.zeros((len(qs), most))
    weights = np.array(qs)
    for n in range(1, most + 1):
        sums *= weights[:, None]
        sums += _held_out(keys % alphabet.size**n, folds_of_keys, folds, alphabet, n)
        for row, q in enumerate(qs):
            bits[row, n - 1] = -(np.log2(sums[row]).mean() + np.log2((1 - q) / (1 - q**n)))
    return Tuning(qs, tuple(tuple(row) for row in bits.tolist()))


def _held_out(keys: Ints, fold_of_key: Ints, folds: int, alphabet: Alphabet, n: int) -> Floats:
    """Return P(c | h) of each n-gram from the counts of all other folds; add-one for n = 1."""
    seen, of_key = np.unique(keys, return_inverse=True)
    histories, of_history = np.unique(seen // alphabet.size, return_inverse=True)
    all_counts = np.bincount(of_key, minlength=len(seen))
    result = np.zeros(len(keys))
    for fold in range(folds):
        inside = np.flatnonzero(fold_of_key == fold)
        counts = all_counts - np.bincount(of_key[inside], minlength=len(seen))
        if n == 1:
            probabilities = (counts + 1) / (counts.sum() + alphabet.size - 1)
        else:
            totals = np.bincount(of_history, counts, len(histories))[of_history]
            probabilities = np.divide(counts, totals, out=np.zeros(len(seen)), where=totals > 0)
        result[inside] = probabilities[of_key[inside]]
    return result

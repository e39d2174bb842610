"""Priors: the probabilities of words by their frequency in a text alone.

That of a word w that occurs C(w) times among N words is C(w) / N + 1e-6, so that words that were never seen have one. The
constant is that of PyPlexity's mixtures, which the models `books` and `self` follow.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from thresher.errors import InputError
from thresher.files import read_text, write_text
from thresher.language_models.words import books
from thresher.language_models.words.interpolated import FLOOR
from thresher.language_models.words.self_model import LEAST_WORDS, NAME
from thresher.language_models.words.tokenisers import tokenise_characters
from thresher.pages.plain import Ints, PlainText, plain_text

__all__ = ["FLOOR", "Floats", "learn_counts", "probabilities", "probabilities_of", "words_of"]

Floats = npt.NDArray[np.float64]


def probabilities(counts: Mapping[str, int]) -> dict[bytes, float]:
    """Return the probability of each counted word, as UTF-8; that of all others is `FLOOR`."""
    total = sum(counts.values())
    return {word.encode(): count / total + FLOOR for word, count in counts.items()}


def learn_counts(sentences: Callable[[], Iterable[Sequence[str]]], output: Path, where: str = NAME) -> None:
    """Count the words of sentences, and write the counts to `output` unless it is there.

    Args:
        sentences: returns those of each page.
        output: a line for each word, with its count after a tab, in the order of words.
        where: the location named in errors.

    Raises:
        InputError: if there are fewer than `LEAST_WORDS` words.
        ThresherError: for errors of the operating system.
    """
    if output.is_file():
        return
    counts: Counter[bytes] = Counter()
    for page in sentences():
        plain = plain_text("\n".join(page))
        counts.update(words_of(plain, np.array([len(plain.text)], dtype=np.int64))[0])
    if counts.total() < LEAST_WORDS:
        raise InputError(
            f"too little descriptive text to count: {counts.total()} words, and {LEAST_WORDS} are needed",
            "give a larger collection, or the counts of books",
            where,
        )
    write_text(output, "".join(f"{word.decode()}\t{count}\n" for word, count in sorted(counts.items())))


@lru_cache(maxsize=2)
def probabilities_of(counts: Path | None) -> Mapping[bytes, float]:
    """Return the probabilities of words from a file of `learn_counts`, or from the word counts of the model `books`.

    Raises:
        MissingDependencyError: if symspellpy, which has those of `books`, is not installed.
        ThresherError: if the file cannot be read.
    """
    if counts is None:
        return probabilities(books.read_words())
    lines = (line.split("\t") for line in read_text(counts).splitlines())
    return probabilities({word: int(count) for word, count in lines})


def words_of(plain: PlainText, ends: Ints) -> tuple[list[bytes], Ints]:
    """Return all words in order, as the tokeniser `characters` splits them, and the number of each sentence's words."""
    sentences, counts = tokenise_characters(plain, ends)
    return b" ".join(sentences).split(), counts

"""Token priors: how frequent a sentence's words are in a text, regardless of their order.

That of a word w that occurs C(w) times among N words is C(w) / N + 1e-6, so that words that were never seen have one. The
constant is that of PyPlexity's mixtures, which the models `books` and `self` follow.

The paper filters passages of 512 tokens, and keeps those whose mean and standard deviation are both near the median. Sentences
are shorter, so that both are noisier. Boilerplate is on the low side of the mean, so that high scores are kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import repeat
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from thresher.base.errors import ConfigError, InputError
from thresher.base.files import digest, read_text, write_text
from thresher.base.numbers import Floats, Ints
from thresher.cleaners.scorer import KEEP_HIGH, SENTENCE, Parameter, Scorer, Scores, TrainingData
from thresher.cleaners.scorers.perplexity import smoothing
from thresher.cleaners.scorers.shallow_features import RULE
from thresher.cleaners.words import books
from thresher.cleaners.words.books import NAME as BOOKS
from thresher.cleaners.words.models import SELF, SELF_LEAST_WORDS
from thresher.cleaners.words.tokenisers import tokenise_characters
from thresher.cleaners.words.word_model import FLOOR, with_neighbours
from thresher.pages import Segments
from thresher.pages.plain import PlainText, plain_text

__all__ = ["FLOOR", "Floats", "learn_counts", "probabilities", "probabilities_of", "words_of"]
_VERSION = 1


def probabilities(counts: Mapping[str, int]) -> dict[bytes, float]:
    """Return the probability of each counted word, as UTF-8; that of all others is `FLOOR`."""
    total = sum(counts.values())
    return {word.encode(): count / total + FLOOR for word, count in counts.items()}


def learn_counts(sentences: Callable[[], Iterable[Sequence[str]]], output: Path, where: str = SELF) -> None:
    """Count the words of sentences, and write the counts to `output` unless it is there.

    The file has a line for each word, with its count after a tab, in the order of words; `where` is named in errors.
    """
    if output.is_file():
        return
    counts: Counter[bytes] = Counter()
    for page in sentences():
        plain = plain_text("\n".join(page))
        counts.update(words_of(plain, np.array([len(plain.text)], dtype=np.int64))[0])
    if counts.total() < SELF_LEAST_WORDS:
        raise InputError(
            f"too little descriptive text to count: {counts.total()} words, and {SELF_LEAST_WORDS} are needed",
            "give a larger collection, or the counts of books",
            where,
        )
    write_text(output, "".join(f"{word.decode()}\t{count}\n" for word, count in sorted(counts.items())))


@lru_cache(maxsize=2)
def probabilities_of(counts: Path | None) -> Mapping[bytes, float]:
    """Return the probabilities of words from a file of `learn_counts`, or from the word counts of the model `books`."""
    if counts is None:
        return probabilities(books.read_words())
    lines = (line.split("\t") for line in read_text(counts).splitlines())
    return probabilities({word: int(count) for word, count in lines})


def words_of(plain: PlainText, ends: Ints) -> tuple[list[bytes], Ints]:
    """Return all words in order, as the tokeniser `characters` splits them, and the number of each sentence's words."""
    sentences, counts = tokenise_characters(plain, ends)
    return b" ".join(sentences).split(), counts


class Prior(Scorer):
    """Mean of the priors of the sentence's words: of the log10 of their relative frequency in a text."""

    name = "prior"
    segment = SENTENCE
    keep = KEEP_HIGH
    unit = "log10 of a probability"
    low: ClassVar[float | None] = -6.0
    high: ClassVar[float | None] = 0.0
    grid: ClassVar[tuple[float, ...]] = (-4.5, -4.25, -4, -3.75, -3.5, -3.25, -3, -2.75, -2.5)
    other_languages = "counts=self"
    source = (
        "Seo, Kim, Kim, Yeo: Prior-based Noisy Text Data Filtering: Fast and Strong Alternative For Perplexity, "
        "arXiv 2509.18577, 2025, and the code that they released"
    )
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(
            "counts",
            str,
            BOOKS,
            "where words are counted: in Google Books (the counts of the language model books), or in the long, dense blocks "
            "of the collection (self)",
            choices=(BOOKS, SELF),
        ),
        *smoothing("unseen"),
    )

    def __init__(self, **values: Any) -> None:
        super().__init__(**values)
        self._counts: Path | None = None

    @property
    def learns(self) -> bool:
        """Whether words are counted in the collection."""
        return self.values["counts"] == SELF

    @property
    def fingerprint(self) -> str:
        """The digest of what the probabilities depend on, besides the text in which words are counted."""
        return digest([_VERSION, RULE] if self.learns else [_VERSION, BOOKS])

    @property
    def language(self) -> str:
        """English for the counts of books, none for those of the collection."""
        return "" if self.learns else "English"

    def for_collection(self, data: TrainingData, folder: Path) -> Self:
        """Return the scorer with the counts of the collection, stored in `folder`."""
        counted = type(self)(**self.values)
        counted._counts = folder / f"counts-{self.fingerprint}.tsv"
        learn_counts(data.sentences, counted._counts, self.canonical_name)
        return counted

    def prepare(self) -> None:
        """Read the counts, as a check."""
        probabilities_of(self._file)

    def score(self, segments: Segments) -> Scores:
        """Return the mean of each sentence; -inf for one without words, unless unseen ones are added.

        Neighbouring sentences' words weigh `context` to the power of their distance.
        """
        context, unseen = float(self.values["context"]), int(self.values["unseen"])
        words, counts = words_of(segments.plain, segments.sentence_ends)
        known = probabilities_of(self._file).get
        logs = np.log10(np.fromiter(map(known, words, repeat(FLOOR)), dtype=np.float64, count=len(words)))
        sums = np.bincount(np.repeat(np.arange(len(counts)), counts), logs, len(counts)).astype(np.float64)
        weights = with_neighbours(counts.astype(np.float64), context) + unseen
        totals = with_neighbours(sums, context) + unseen * np.log10(FLOOR)
        scores: Floats = totals / np.where(weights > 0, weights, 1.0)
        scores[weights <= 0] = -np.inf
        return scores.astype(np.float32)

    @property
    def _file(self) -> Path | None:
        """The file of counts, None for those of books."""
        if self.learns and self._counts is None:
            raise ConfigError(
                f"the counts of {SELF!r} are those of a collection, and there is none",
                "clean a collection, or choose counts=books",
                self.canonical_name,
            )
        return self._counts
